"""The classifiers that are compared, tuned as a careful user would."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from zerone import AUCClassifier, ZeroOneClassifier
from zerone._data.encoding import Encoding
from zerone._errors import ArgumentError
from zerone._typing import AnyArray, FloatArray
from zerone.comparison._bent import fitted_bends
from zerone.comparison._references import MAJORITY, TREES, MajorityClass, trees_for
from zerone.comparison._tuned import TUNING_FOLDS, TunedClassifier, fitted
from zerone.metrics import ChosenMetric, chosen_metric

_PENALTIES = (0.001, 0.01, 0.1, 1.0, 10.0)
_LOGISTIC_PENALTIES = tuple(np.logspace(-4, 4, 8).tolist())
RIVALS = ("LogisticRegressionCV", "LinearSVC", "LinearDiscriminantAnalysis")
"""Names of the rivals of a comparison."""

REFERENCES = (MAJORITY, TREES)
"""Names of what is measured beside them, and never recommended."""

BENT = "bent "
"""What the name of a contestant begins with whose columns of numbers may bend."""

Role: TypeAlias = Literal["ours", "rival", "majority", "nonlinear"]

_SCORINGS = {"auc": "roc_auc", "balanced_error": "balanced_accuracy", "f1": "f1_macro"}


@dataclass(frozen=True)
class Contestant:
    """A classifier in a comparison.

    Attributes
    ----------
    name : str
    make : callable
        Returns a new estimator.
    role : {"ours", "rival", "majority", "nonlinear"}
        One of zerone's, a linear rival, the majority class, or a classifier that is not linear. The
        last two are measured to compare with, and never recommended.
    needs_two_classes : bool
    """

    name: str
    make: Callable[[], Any]
    role: Role = "rival"
    needs_two_classes: bool = False

    def fitted(
        self,
        X: FloatArray,
        y: AnyArray,
        weights: FloatArray | None = None,
        bends: Encoding | None = None,
    ) -> Any:
        """Return a new estimator, fitted.

        Parameters
        ----------
        X, y : rows and labels
        weights : ndarray of shape (n_rows,) or None
        bends : Encoding, optional
            Where the columns of X may bend, for classifiers with ``shapes``.
        """
        estimator = self.make()
        if bends is not None and getattr(estimator, "shapes", None) is not None:
            return fitted_bends(estimator, X, y, weights, bends)
        if not isinstance(estimator, Pipeline):
            return fitted(estimator, X, y, weights)
        scaler, rival = (step for _, step in estimator.steps)
        scaled = scaler.fit_transform(X, sample_weight=weights)
        return Pipeline([("scale", scaler), ("rival", fitted(rival, scaled, y, weights))])


def _standardised(estimator: Any) -> Any:
    return make_pipeline(StandardScaler(), clone(estimator))


def contestants(
    metric: str = "error",
    metric_params: Mapping[str, Any] | None = None,
    *,
    positive: Any = None,
    n_classes: int = 2,
    rivals: Sequence[str] | None = None,
) -> tuple[Contestant, ...]:
    """Return the contestants for a metric.

    zerone trains for it; for the error and the AUC both of its classifiers are there. In a second
    one for the metric columns of numbers may bend (``shapes="auto"``). Penalties of
    the rivals are chosen for it, and where it judges predictions of two classes, their thresholds,
    too, on the same held-out rows. Last come the majority class and gradient-boosted trees, which
    show what the features tell, and what is lost because rules are linear.

    Parameters
    ----------
    metric, metric_params, positive : as in `zerone.ZeroOneClassifier`
    n_classes : int
    rivals : sequence of str, optional
        Names of the others among them; by default ``RIVALS`` and ``REFERENCES``, all there are.
    """
    wanted = (*RIVALS, *REFERENCES) if rivals is None else known_rivals(rivals)
    chosen = chosen_metric(metric, metric_params).for_classes(n_classes)
    given = {"metric": metric, "metric_params": metric_params, "positive": positive}
    ours: tuple[Contestant, ...] = (
        Contestant("ZeroOneClassifier", ZeroOneClassifier, role="ours"),
        Contestant("AUCClassifier", AUCClassifier, role="ours", needs_two_classes=True),
    )
    if metric not in ("error", "auc"):
        # The other classifier's threshold, or its ranking, is for something else.
        own = ours[int(chosen.is_ranking)]
        ours = (replace(own, make=functools.partial(own.make, **given)),)
    straight = ours[int(chosen.is_ranking) % len(ours)]
    make: Any = straight.make
    return (
        *ours,
        replace(straight, name=BENT + straight.name, make=functools.partial(make, shapes="auto")),
        *(own for own in _others(chosen, positive, n_classes) if own.name in wanted),
    )


def known_rivals(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of rivals; raises if there is none, or one that does not exist."""
    known = (*RIVALS, *REFERENCES)
    expected = f"expected some of {list(known)}"
    if isinstance(names, str):
        raise ArgumentError("rivals", f"got {names!r}, {expected}", "give a list of names")
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ArgumentError("rivals", f"got {unknown[0]!r}, {expected}")
    if not names:
        raise ArgumentError("rivals", f"got no name, {expected}")
    return tuple(names)


def require_names(contestants: Sequence[Contestant]) -> None:
    """Raise if two contestants have the same name."""
    names = [own.name for own in contestants]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ArgumentError("contestants", f"two are named {twice!r}", "rename one")


def _others(metric: ChosenMetric, positive: Any, n_classes: int) -> tuple[Contestant, ...]:
    """Return the contestants that are not zerone's."""
    svm = LinearSVC(dual="auto", random_state=0)
    lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    has_threshold = metric.name not in ("error", "auc") and n_classes == 2
    if has_threshold:
        logistic = LogisticRegression(max_iter=1000)
        tuned = [
            TunedClassifier(logistic, metric, _LOGISTIC_PENALTIES, positive),
            TunedClassifier(svm, metric, _PENALTIES, positive),
            TunedClassifier(lda, metric, (), positive),
        ]
    else:
        # What scikit-learn tunes by itself.
        scoring = _SCORINGS.get(metric.name)
        logistic = LogisticRegressionCV(
            Cs=list(_LOGISTIC_PENALTIES), cv=TUNING_FOLDS, max_iter=1000, scoring=scoring
        )
        search = GridSearchCV(svm, {"C": list(_PENALTIES)}, cv=TUNING_FOLDS, scoring=scoring)
        tuned = [logistic, search, lda]
    trees = functools.partial(trees_for, metric, positive, has_threshold=has_threshold)
    return (
        *(
            Contestant(name, functools.partial(_standardised, own))
            for name, own in zip(RIVALS, tuned, strict=True)
        ),
        Contestant(MAJORITY, MajorityClass, role="majority"),
        Contestant(TREES, trees, role="nonlinear"),
    )


CONTESTANTS = contestants()
"""All contestants for the error, with the same features; linear rivals standardise them."""
