"""`ZeroOneClassifier`: the linear rule with the lowest expected error."""

from collections.abc import Mapping
from typing import Any

from zerone._typing import FloatArray
from zerone.estimators._classifier import LinearClassifier


class ZeroOneClassifier(LinearClassifier):
    r"""Linear classifier that minimises the zero-one error, or another metric of predictions.

    One pass over the data gives the weight, mean and covariance of each class. If the scores of
    each class are normal, the rule w·x + b > 0 has the error [1]_

    .. math::
        p_+ \Phi\Bigl(-\frac{w \cdot \mu_+ + b}{\sqrt{w^T \Sigma_+ w}}\Bigr)
        + p_- \Phi\Bigl(\frac{w \cdot \mu_- + b}{\sqrt{w^T \Sigma_- w}}\Bigr).

    Its global minimum is found exactly, on the curve of all admissible rules [2]_; see `Frontier`.
    `fit` then improves the rule on the rows, as far as ``refine`` says: held-out rows choose among
    points of that curve, and the smoothed error of the rows is minimised. More than two classes
    get one rule per pair, from the same pass; the sum of pairwise probabilities decides.

    With another ``metric`` all of these steps, from the curve to the held-out rows, use that metric
    in place of the error.

    Parameters
    ----------
    metric : str, default="error"
        What is optimised: "error", "balanced_error", "f1", "fbeta" (parameter ``beta``), "cost"
        (``false_negative_cost``, ``false_positive_cost``; one that is not given is 1),
        "true_positive_rate" at most at ``max_false_positive_rate``, "false_positive_rate" at least
        at ``min_true_positive_rate``, "precision" at ``min_recall`` or "recall" at
        ``min_precision``. Several classes: "error", "balanced_error", "f1" (the mean over the
        classes), and "cost" with a ``cost_matrix``, a row for each class and a column for each
        prediction.
    metric_params : dict, optional
        Parameters of the metric by name.
    positive : label, optional
        The positive class, for metrics that need one; None is the last class. It does not change
        the sign of scores: a positive score always means ``classes_[1]``.
    solver : {"exact", "lbfgs", "newton-cg"} or solver object, default="exact"
        "exact" finds the global minimum. "lbfgs" (the method and settings of [1]_) and "newton-cg"
        find a local minimum from the starting point of [1]_; scale the features first. A solver
        object such as ``zerone.solvers.LBFGS(tol=1e-6)`` has settings of its own.
    shrinkage : "auto", float from 0 to 1, or None, default="auto"
        How far each class covariance is shrunk towards a multiple of the identity, on
        standardised features. "auto" is oracle approximating shrinkage, or a ridge of one mean
        eigenvalue for wide sparse data. None: no shrinkage.
    fit_intercept : bool, default=True
        False needs the solver "lbfgs" or "newton-cg", and takes the best of several starts.
    class_weight : None, "balanced", or dict, default=None
        Multiplies the classes in the error that is minimised. Covariances do not change.
    max_features : None, int or "auto", default=None
        Most columns that the rules may use; the coefficients of all others are zero. A column of a
        table counts once, with all its categories. Moments give the best subsets, the rows judge
        among them, and the rule is refined on the chosen columns. Held-out rows judge splits that
        choose for themselves, so that ``held_out_metric_`` stays honest. "auto": the smallest
        number whose held-out metric is within one standard error of the best; see `feature_path`.
    refine : "auto", "polish", "frontier" or None, default="auto"
        How far `fit` goes beyond the moments. None: one pass, moments only. "frontier": held-out
        rows weigh this rule, ridge logistic regression and points of the frontier, which are added
        up. "polish": and a rule that minimises the smoothed error of the rows. "auto" is
        "polish", but None with another solver, without intercept, and in `partial_fit` and
        `fit_moments`. Wide sparse rows are never polished.
    shapes : None, "bends" or "auto", default=None
        Whether columns of numbers bend: they are cut at quantiles into at most nine parts, a
        feature each, so that the rule is a sum of piecewise-linear functions of the columns.
        "bends": all columns of numbers do. "auto": those that are worth it, as far as held-out rows
        prefer them to straight lines; sparse rows stay straight. None: no column does.
    cv : None, int, splitter, or iterable of (train, test), default=None
        How rows are held out. None: five stratified folds, which belong to the rows: their order
        does not matter. All five are held out in turn up to 20,000 rows of two classes, two of
        them above that.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds, of samples of the rows, and of random starts without intercept. None:
        different at every fit.
    n_jobs : int, optional
        Number of threads, as in scikit-learn: to read dense rows, and to refine pairs of classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted. With two classes the last one is the positive class.
    coef_ : ndarray of shape (1, n_features) or (n_pairs, n_features)
        Coefficients in the units of the features, scaled so that the pooled within-class standard
        deviation of a score is one. With several classes one row per pair (0, 1), (0, 2), …,
        (1, 2), …; a positive score means the later class.
    intercept_ : ndarray of shape (1,) or (n_pairs,)
        Always finite. Where always predicting one class is best, the threshold lies beyond the
        data, and ``coef_`` keeps the direction that ranks best.
    expected_error_ : float or ndarray of shape (n_pairs,)
        Error that the normal model predicts from the moments, also after refinement. It uses the
        class weights of the fit.
    held_out_error_ : float or ndarray of shape (n_pairs,)
        Error measured on held-out rows; NaN without refinement, also for pairs of many classes
        that are not refined because their rows are not confused.
    expected_metric_, held_out_metric_ : float or ndarray of shape (n_pairs,)
        The same for ``metric``, as it is reported: the F-score itself, not one minus it.
    held_out_interval_ : ndarray of shape (2,) or (n_pairs, 2)
        Interval of 95 % of ``held_out_metric_``; `summary` has those of the coefficients.
    refine_ : "polish", "frontier" or None
        How far the fit was refined.
    support_ : ndarray of bool, shape (n_features,)
        Which features have a coefficient that is not zero.
    moments_ : Moments
        Moments of the training rows. Wide data (implicit or factored moments): a projection.
    shrinkage_ : ndarray of shape (n_classes,)
        Shrinkage of each class in the rule of the moments. A refined fit chooses its own.
    status_ : str
        How the fit ended, in a sentence.
    n_iter_ : int
        Iterations of the solver; 1 for "exact".
    encoding_ : Encoding or None
        How the columns of a table become features, and where columns bend; None after a fit to
        numbers without ``shapes``.
    n_features_in_ : int
        Number of columns that `predict` needs: columns of the table where there is an encoding.
    feature_names_in_ : ndarray
        Only if the column names of the data are strings.

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
    'Rules of moments, logistic regression and polish, weighted by held-out rows.'
    >>> ZeroOneClassifier(refine=None).fit(X_train, y_train).status_
    'The globally best rule was found on the frontier.'
    """

    _is_ranking = False

    expected_error_: FloatArray | float
    held_out_error_: FloatArray | float

    def __init__(
        self,
        *,
        metric: str = "error",
        metric_params: Mapping[str, Any] | None = None,
        positive: Any = None,
        solver: Any = "exact",
        shrinkage: str | float | None = "auto",
        fit_intercept: bool = True,
        class_weight: Any = None,
        max_features: int | str | None = None,
        refine: str | None = "auto",
        shapes: str | None = None,
        cv: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            metric=metric,
            metric_params=metric_params,
            positive=positive,
            solver=solver,
            shrinkage=shrinkage,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            max_features=max_features,
            refine=refine,
            shapes=shapes,
            cv=cv,
            random_state=random_state,
            n_jobs=n_jobs,
        )
