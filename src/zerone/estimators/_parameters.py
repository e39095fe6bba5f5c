"""The parameters of a classifier, checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from zerone._data.labels import label_list, positive_position
from zerone._errors import AdviceWarning, ArgumentError
from zerone._moments.moments import Moments
from zerone._moments.shrinkage import check_shrinkage
from zerone._typing import AnyArray, FloatArray, Label, Level
from zerone._warnings import warn
from zerone.estimators._max_features import MaxFeatures, checked_max_features
from zerone.metrics import METRICS, AUCLoss, ChosenMetric, WeightedError, chosen_metric
from zerone.solvers import LBFGS, Exact, NewtonCG, Solver

_SOLVERS: dict[str, Callable[[], Solver]] = {
    "exact": Exact,
    "lbfgs": LBFGS,
    "newton-cg": NewtonCG,
}


@dataclass(frozen=True)
class Settings:
    """The checked parameters of a classifier.

    Attributes
    ----------
    metric : ChosenMetric
        What is optimised.
    positive : label or None
        The positive class of the metric; None is the last class.
    level : "frontier", "polish" or None
        How far a fit on rows goes beyond the moments.
    solver : Solver
    shapes : "bends", "auto" or None
        Whether columns of numbers bend.
    shrinkage, class_weight, max_features, cv, random_state, n_jobs : as in the classifiers
    fit_intercept : bool
    """

    metric: ChosenMetric
    positive: Label | None
    level: Level | None
    solver: Solver
    shapes: str | None
    shrinkage: Any
    fit_intercept: bool
    class_weight: Any
    max_features: MaxFeatures
    cv: Any
    random_state: Any
    n_jobs: int | None

    @classmethod
    def of(cls, estimator: Any) -> "Settings":
        """Return the parameters of a classifier; raises for any that is wrong."""
        if not isinstance(estimator.fit_intercept, bool | np.bool_):
            raise ArgumentError(
                "fit_intercept", f"got {estimator.fit_intercept!r}, expected True or False"
            )
        check_shrinkage(estimator.shrinkage)
        solver = _checked_solver(estimator.solver)
        fit_intercept = bool(estimator.fit_intercept)
        metric = checked_metric(estimator.metric, estimator.metric_params, estimator._is_ranking)
        if not (isinstance(solver, Exact) and fit_intercept):
            _require_objective(metric)
        return cls(
            metric=metric,
            positive=estimator.positive,
            level=_checked_level(estimator.refine, solver, fit_intercept=fit_intercept),
            solver=solver,
            shapes=_checked_shapes(estimator.shapes),
            shrinkage=estimator.shrinkage,
            fit_intercept=fit_intercept,
            class_weight=estimator.class_weight,
            max_features=checked_max_features(estimator.max_features),
            cv=estimator.cv,
            random_state=estimator.random_state,
            n_jobs=_checked_n_jobs(estimator.n_jobs),
        )

    @classmethod
    def without_rows(cls, estimator: Any, method: str) -> "Settings":
        """Return the parameters for a method without rows; warn if ``refine`` asks for rows."""
        settings = cls.of(estimator)
        if estimator.refine != "auto" and settings.level is not None:
            warn(
                f"⟨refine={estimator.refine}⟩ needs all rows, which {method} does not have: the "
                "rule uses the moments only; fit to the rows, or use ⟨refine=auto⟩",
                AdviceWarning,
            )
        is_once = method == "fit_moments"
        if is_once and settings.max_features is not None and settings.level is not None:
            warn(
                "the columns of ⟨max_features⟩ are chosen by moments alone: without rows to hold "
                "out nothing was measured",
                AdviceWarning,
            )
        return replace(settings, level=None)

    def check_bends_of(self, moments: Moments) -> None:
        """Raise if columns are to bend and do not; warn that no rows judge bends."""
        has_bends = moments.encoding is not None and bool(moments.encoding.bent_columns)
        if self.shapes is not None and not has_bends:
            raise ArgumentError(
                "shapes",
                f"got {self.shapes!r}, but no column of these moments bends",
                "make them with an encoding of Encoding.from_table(source, shapes='bends')",
            )
        if has_bends:
            warn(
                "columns bend as the moments say: no rows were held out to judge that; compare "
                "with the rule of straight lines on rows of your own",
                AdviceWarning,
            )

    def goal(self, classes: AnyArray) -> "Goal":
        """Return what is optimised for these classes; raises if that is not possible."""
        return Goal.of(self.metric, self.positive, classes)

    def class_factors(self, classes: AnyArray, moments: Moments) -> FloatArray:
        """Return the factor of each class's weight."""
        return class_factors(self.class_weight, classes, moments)


@dataclass(frozen=True)
class Goal:
    """What is optimised for each pair of classes.

    Attributes
    ----------
    metric : ChosenMetric
    is_turned : bool
        Whether the first of two classes is the positive class of the metric.
    """

    metric: ChosenMetric
    is_turned: bool = False

    @classmethod
    def of(cls, metric: ChosenMetric, positive: Label | None, classes: AnyArray) -> "Goal":
        """Return the goal for these classes; raises if the metric is not for them."""
        labels = label_list(classes)
        own = metric.for_classes(len(labels))
        position = positive_position(positive, labels)
        return cls(own, own.needs_positive and len(labels) == 2 and position == 0)

    def of_pair(self, negative: int, positive: int) -> ChosenMetric:
        """Return the metric of two classes, given by their positions."""
        return self.metric.for_pair(negative, positive)


def checked_metric(name: Any, parameters: Any, is_ranking: bool) -> ChosenMetric:
    """Return the metric of a classifier; raises if it is one of the other classifier."""
    own = [known for known, entry in METRICS.items() if entry.is_ranking == is_ranking]
    if isinstance(name, str) and name in METRICS and name not in own:
        other = "ZeroOneClassifier" if is_ranking else "AUCClassifier"
        raise ArgumentError(
            "metric", f"got {name!r}, a metric of {other}", f"here it is one of {own}"
        )
    if not isinstance(name, str) or name not in own:
        raise ArgumentError("metric", f"got {name!r}, expected one of {own}")
    return chosen_metric(name, parameters)


def _require_objective(metric: ChosenMetric) -> None:
    """Raise unless there is a function of coefficients that iterative solvers can minimise."""
    if metric.cost_matrix is None:
        loss = metric.loss((0.5, 0.5))
        if not isinstance(loss, WeightedError | AUCLoss):
            raise ArgumentError(
                "metric",
                f"{metric.name!r} needs solver='exact' and fit_intercept=True",
                "use these, or one of 'error', 'balanced_error', 'cost' and 'auc'",
            )


def _checked_solver(given: Any) -> Solver:
    """Return the solver object, made with default settings if a name is given."""
    if isinstance(given, str) and given in _SOLVERS:
        return _SOLVERS[given]()
    if isinstance(given, str | type) or not hasattr(given, "solve"):
        raise ArgumentError(
            "solver",
            f"got {given!r}, expected one of {list(_SOLVERS)}, or a solver object such as "
            "zerone.solvers.LBFGS(tol=1e-6)",
        )
    solver: Solver = given
    return solver


def _checked_level(refine: Any, solver: Solver, *, fit_intercept: bool) -> Level | None:
    """Return how far a fit on rows is refined; "auto" is "polish" where that is possible."""
    levels = ("auto", "polish", "frontier", None)
    if not (refine is None or isinstance(refine, str)) or refine not in levels:
        raise ArgumentError(
            "refine", f"got {refine!r}, expected 'auto', 'polish', 'frontier' or None"
        )
    possible = isinstance(solver, Exact) and fit_intercept
    if refine is None or (refine == "auto" and not possible):
        return None
    if not possible:
        raise ArgumentError(
            "refine",
            f"got {refine!r}, which needs solver='exact' and fit_intercept=True",
            "use refine='auto' or refine=None with other solvers",
        )
    return "frontier" if refine == "frontier" else "polish"


def is_straight(estimator: Any) -> bool:
    """Whether no column is to bend; raises otherwise, for a method that cannot know where."""
    if estimator.shapes is not None:
        raise ArgumentError(
            "shapes",
            f"got {estimator.shapes!r}, but partial_fit does not know where columns would bend",
            "agree on Encoding.from_table(source, shapes='bends'), then add up moments of it and "
            "call fit_moments",
        )
    return True


def _checked_shapes(shapes: Any) -> str | None:
    if shapes is not None and (not isinstance(shapes, str) or shapes not in ("bends", "auto")):
        raise ArgumentError("shapes", f"got {shapes!r}, expected None, 'bends' or 'auto'")
    return shapes


def _checked_n_jobs(n_jobs: Any) -> int | None:
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ArgumentError(
            "n_jobs",
            f"got {n_jobs!r}, expected None, a positive number of threads, or -1 for all "
            "processors",
        )
    return int(n_jobs)


def class_factors(class_weight: Any, classes: AnyArray, moments: Moments) -> FloatArray:
    """Return the factor of each class's weight, as in scikit-learn.

    Parameters
    ----------
    class_weight : None, "balanced", or mapping label -> factor
    classes : ndarray
    moments : Moments
    """
    labels = label_list(classes)
    if class_weight is None:
        return np.ones(len(labels))
    if isinstance(class_weight, str) and class_weight == "balanced":
        weights = np.array([moments[label].weight for label in labels])
        present = weights > 0
        factors: FloatArray = np.ones_like(weights)
        factors[present] = weights.sum() / (present.sum() * weights[present])
        return factors
    if not isinstance(class_weight, Mapping):
        raise ArgumentError(
            "class_weight",
            f"got {class_weight!r}, expected None, 'balanced', or a mapping from class to weight",
        )
    # As in scikit-learn, a class without rows may have a weight if all other classes have one.
    unknown = [label for label in class_weight if label not in labels]
    if unknown and any(label not in class_weight for label in labels):
        raise ArgumentError(
            "class_weight", f"names the class {unknown[0]!r}, but the classes are {labels!r}"
        )
    try:
        factors = np.array([float(class_weight.get(label, 1.0)) for label in labels])
    except (TypeError, ValueError):
        raise ArgumentError(
            "class_weight", f"got {class_weight!r}, expected a number for each class"
        ) from None
    if not (np.isfinite(factors).all() and (factors > 0).all()) or (
        np.log(factors.max()) - np.log(factors.min()) > 100 * np.log(10)
    ):
        raise ArgumentError(
            "class_weight",
            f"got {class_weight!r}, expected positive weights within 100 orders of magnitude of "
            "each other",
        )
    return factors
