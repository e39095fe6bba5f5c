"""`ZeroOneClassifier`: the linear rule with the lowest expected error."""

from zerone._typing import FloatArray
from zerone.estimators._classifier import LinearClassifier


class ZeroOneClassifier(LinearClassifier):
    r"""Linear classifier that minimises the expected zero-one error.

    One pass over the data gives each class's weight, mean and covariance, and with them the
    global minimum of

    .. math::
        p_+ \Phi\Bigl(-\frac{w \cdot \mu_+ + b}{\sqrt{w^T \Sigma_+ w}}\Bigr)
        + p_- \Phi\Bigl(\frac{w \cdot \mu_- + b}{\sqrt{w^T \Sigma_- w}}\Bigr),

    the error of the rule if each class's score is normal [1]_. It is found exactly, on the
    curve of all admissible rules [2]_; see `Frontier`. From there `fit` goes on to the rows
    themselves, as far as ``refine`` says: rows that are held out choose among points of that
    curve, and the error of the rows, smoothed, is minimised. More than two classes: one rule per
    pair from the same pass, decided by the sum of pairwise probabilities.

    Parameters
    ----------
    solver : {"exact", "lbfgs", "newton-cg"}, default="exact"
        "exact" finds the global minimum. "lbfgs" is the method of [1]_ with its settings; it
        and "newton-cg" find a local minimum from the starting point of [1]_, on the features
        as they are: scale them first.
    shrinkage : "auto", float from 0 to 1, or None, default="auto"
        How far each class covariance is drawn towards a multiple of the identity, on
        standardised features. "auto" is oracle approximating shrinkage; for wide sparse data a
        ridge of one mean eigenvalue. None uses the moments as they are.
    fit_intercept : bool, default=True
        Without it the solver must be "lbfgs" or "newton-cg"; the best of several starts is
        taken.
    class_weight : None, "balanced", or dict, default=None
        Multiplies the classes in the error that is minimised; covariances stay as they are.
    refine : "auto", "polish", "frontier" or None, default="auto"
        How far `fit` goes beyond the moments. None: one pass, moments only. "frontier": direction,
        shrinkage and threshold are chosen by rows held out. "polish": from there on, the smoothed
        zero-one error of the rows themselves is minimised. "auto" is "polish", and moments
        only with another solver, without intercept, or in `partial_fit` and `fit_moments`. Wide
        sparse rows are never polished.
    cv : None, int, splitter, or iterable of (train, test), default=None
        Which rows are held out in turn. None: five stratified folds, all of them held out up to
        a total weight of 100,000 (on the frontier 1,000) and two above.
    random_state : int, RandomState instance or None, default=0
        Deals the folds; also for the random starts without intercept.
        None draws anew at every fit.
    n_jobs : int, optional
        Threads, as in scikit-learn: over ranges of dense rows while they are read, and over the
        pairs of several classes that are refined.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted; of two the last is the positive one.
    coef_ : ndarray of shape (1, n_features) or (n_pairs, n_features)
        Coefficients in the units of the features, scaled so that the pooled within-class
        standard deviation of a score is one. Several classes: a row for each pair (0, 1),
        (0, 2), …, (1, 2), …, positive for the later class.
    intercept_ : ndarray of shape (1,) or (n_pairs,)
        Where always answering one class is best, finite and beyond the data; ``coef_`` then
        keeps the direction that ranks best.
    expected_error_ : float or ndarray of shape (n_pairs,)
        Error that is expected if scores are normal, under the class weights of the fit; for
        several classes that of each pair. After a refined fit from the means and variances of
        held-out scores, otherwise from the moments.
    held_out_error_ : float or ndarray of shape (n_pairs,)
        Error measured on rows held out; NaN where the moments alone were used.
    refine_ : "polish", "frontier" or None
        How far the fit was refined.
    moments_ : Moments
        What was read. Of wide data (implicit or factored moments) only a projection is kept.
    shrinkage_ : ndarray of shape (n_classes,)
        Shrinkage of each class in the rule of the moments; a refined fit chooses its own.
    status_ : str
        How the fit ended, in a sentence.
    n_iter_ : int
        Iterations of the solver; 1 for "exact".
    encoding_ : Encoding or None
        How the columns of a table become features; None after a fit to numbers.
    n_features_in_ : int
        Columns that rows to predict have: those of the table where there is an encoding.
    feature_names_in_ : ndarray
        Only where the data had string column names.

    See Also
    --------
    AUCClassifier : Maximises the expected AUC instead.
    Frontier : All admissible rules of two classes.

    References
    ----------
    .. [1] H. Ghanbari, M. Li, K. Scheinberg, "Novel and efficient approximations for zero-one
       loss of linear classifiers", arXiv:1903.00359, 2019.
    .. [2] T. W. Anderson, R. R. Bahadur, "Classification into two multivariate normal
       distributions with different covariance matrices", Ann. Math. Statist. 33, 1962.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from zerone import ZeroOneClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> classifier = ZeroOneClassifier().fit(X_train, y_train)
    >>> bool(classifier.score(X_test, y_test) > 0.95)
    True
    >>> classifier.status_
    'The rule was polished on the rows and chosen by rows held out.'
    >>> ZeroOneClassifier(refine=None).fit(X_train, y_train).status_
    'The globally best rule was found on the frontier.'
    """

    _metric = "error"

    expected_error_: FloatArray | float
    held_out_error_: FloatArray | float
