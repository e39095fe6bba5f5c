"""`AUCClassifier`: the linear score with the highest expected AUC."""

from collections.abc import Mapping
from typing import Any

from zerone._typing import FloatArray
from zerone.estimators._classifier import LinearClassifier


class AUCClassifier(LinearClassifier):
    r"""Linear classifier that maximises the area under the ROC curve, or another ranking metric.

    One pass over the data gives the weight, mean and covariance of each class. If the scores of
    each class are normal, the direction w has the ranking loss 1 − AUC [1]_

    .. math::
        \Phi\Bigl(-\frac{w \cdot (\mu_+ - \mu_-)}{\sqrt{w^T (\Sigma_+ + \Sigma_-) w}}\Bigr).

    Its minimum has a closed form, w ∝ (Σ₊ + Σ₋)⁻¹(μ₊ − μ₋); the threshold minimises the expected
    error along it. Refinement and several classes work as in `ZeroOneClassifier`, with the ranking
    loss, or the ``metric`` that is given, in place of the error.

    Parameters
    ----------
    metric : str, default="auc"
        What is optimised: "auc", "partial_auc" up to a false-positive rate ``max_fpr``
        (standardised, as in `sklearn.metrics.roc_auc_score`), "average_precision", or
        "precision_at_k" among the first ``k`` rows, a number of rows of the training data or a
        share. Several classes: "auc".
    metric_params : dict, optional
        Parameters of the metric by name.
    positive : label, optional
        The positive class, for metrics that need one; None is the last class. It does not change
        the sign of scores: a positive score always means ``classes_[1]``.
    solver : {"exact", "lbfgs", "newton-cg"} or solver object, default="exact"
        "exact" is the closed form. For "lbfgs" (the method and settings of [1]_) and "newton-cg"
        scale the features first. A solver object such as ``zerone.solvers.LBFGS(tol=1e-6)`` has
        settings of its own.
    shrinkage : "auto", float from 0 to 1, or None, default="auto"
        How far each class covariance is shrunk towards a multiple of the identity, on
        standardised features. "auto" is oracle approximating shrinkage, or a ridge of one mean
        eigenvalue for wide sparse data. None: no shrinkage.
    fit_intercept : bool, default=True
        Whether a threshold is chosen. The ranking does not depend on it.
    class_weight : None, "balanced", or dict, default=None
        Multiplies the classes in the error that the threshold minimises, not in the ranking.
    max_features : None, int or "auto", default=None
        Most columns that the rules may use; the coefficients of all others are zero. A column of a
        table counts once, with all its categories. Moments give the best subsets, the rows judge
        among them, and the rule is refined on the chosen columns. Held-out rows judge splits that
        choose for themselves, so that ``held_out_metric_`` stays honest. "auto": the smallest
        number whose held-out metric is within one standard error of the best; see `feature_path`.
    refine : "auto", "polish", "frontier" or None, default="auto"
        How far `fit` goes beyond the moments. None: one pass, moments only. "frontier": held-out
        rows weigh this rule, ridge logistic regression and points of the frontier, which are added
        up. "polish": and a rule that minimises the smoothed ranking loss of the rows. "auto" is
        "polish", but None with another solver, without intercept, and in `partial_fit` and
        `fit_moments`. Wide sparse rows are never polished.
    cv : None, int, splitter, or iterable of (train, test), default=None
        How rows are held out. None: five stratified folds, which belong to the rows: their order
        does not matter. All five are held out in turn up to 20,000 rows of two classes, two of
        them above that.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds and of samples of the rows. None: different at every fit.
    n_jobs : int, optional
        Number of threads, as in scikit-learn: to read dense rows, and to refine pairs of classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted. With two classes the last one is the positive class.
    coef_ : ndarray of shape (1, n_features) or (n_pairs, n_features)
        Coefficients, scaled and ordered as in `ZeroOneClassifier`.
    intercept_ : ndarray of shape (1,) or (n_pairs,)
        Always finite; beyond the data where always predicting one class has the lowest error.
    expected_auc_ : float or ndarray of shape (n_pairs,)
        AUC that the normal model predicts from the moments, also after refinement.
    held_out_auc_ : float or ndarray of shape (n_pairs,)
        AUC measured on held-out rows; NaN without refinement, also for pairs of many classes
        that are not refined because their rows are not confused.
    expected_metric_, held_out_metric_ : float or ndarray of shape (n_pairs,)
        The same for ``metric``, as it is reported.
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
        How the columns of a table become features; None after a fit to numbers.
    n_features_in_ : int
        Number of columns that `predict` needs: columns of the table where there is an encoding.
    feature_names_in_ : ndarray
        Only if the column names of the data are strings.

    See Also
    --------
    ZeroOneClassifier : Minimises the expected error instead.
    Frontier : All admissible rules of two classes.

    References
    ----------
    .. [1] H. Ghanbari, M. Li, K. Scheinberg, "Novel and efficient approximations for zero-one
       loss of linear classifiers", arXiv:1903.00359, 2019.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import roc_auc_score
    >>> from sklearn.model_selection import train_test_split
    >>> from zerone import AUCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> classifier = AUCClassifier().fit(X_train, y_train)
    >>> bool(roc_auc_score(y_test, classifier.decision_function(X_test)) > 0.98)
    True
    """

    _is_ranking = True

    expected_auc_: FloatArray | float
    held_out_auc_: FloatArray | float

    def __init__(
        self,
        *,
        metric: str = "auc",
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
