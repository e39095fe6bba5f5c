"""The classifiers that are compared, tuned as a careful user would."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from zerone import AUCClassifier, ZeroOneClassifier
from zerone._typing import AnyArray, FloatArray

_TUNING_FOLDS = 3
_PENALTIES = {"C": [0.001, 0.01, 0.1, 1.0, 10.0]}


@dataclass(frozen=True)
class Contestant:
    """A classifier in a comparison.

    Attributes
    ----------
    name : str
    make : callable
        Returns a new estimator.
    is_ours : bool
        Whether it is one of zerone's.
    needs_two_classes : bool
    """

    name: str
    make: Callable[[], Any]
    is_ours: bool = False
    needs_two_classes: bool = False

    def fitted(self, X: FloatArray, y: AnyArray, weights: FloatArray | None = None) -> Any:
        """Return a new estimator, fitted.

        Parameters
        ----------
        X, y : rows and labels
        weights : ndarray of shape (n_rows,) or None
            The same for all rows of a class.
        """
        estimator = self.make()
        if weights is None:
            return estimator.fit(X, y)
        if not isinstance(estimator, Pipeline):
            return estimator.fit(X, y, sample_weight=weights)
        weighted = {f"{name}__sample_weight": weights for name, _ in estimator.steps}
        last, rival = estimator.steps[-1]
        if isinstance(rival, LinearDiscriminantAnalysis):
            # LDA takes no weights, but class weights can be given as its priors.
            shares = np.array([weights[y == label].sum() for label in np.unique(y)])
            rival.set_params(priors=shares / shares.sum())
            del weighted[f"{last}__sample_weight"]
        return estimator.fit(X, y, **weighted)


def _standardised(estimator: Any) -> Any:
    return make_pipeline(StandardScaler(), estimator)


def contestants(scoring: str | None = None) -> tuple[Contestant, ...]:
    """Return all contestants; rivals are tuned for accuracy or another scikit-learn scoring."""
    return (
        Contestant("ZeroOneClassifier", ZeroOneClassifier, is_ours=True),
        Contestant("AUCClassifier", AUCClassifier, is_ours=True, needs_two_classes=True),
        Contestant(
            "LogisticRegressionCV",
            lambda: _standardised(
                LogisticRegressionCV(Cs=8, cv=_TUNING_FOLDS, max_iter=1000, scoring=scoring)
            ),
        ),
        Contestant(
            "LinearSVC",
            lambda: _standardised(
                GridSearchCV(
                    LinearSVC(dual="auto", random_state=0),
                    _PENALTIES,
                    cv=_TUNING_FOLDS,
                    scoring=scoring,
                )
            ),
        ),
        Contestant(
            "LinearDiscriminantAnalysis",
            lambda: _standardised(LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")),
        ),
    )


CONTESTANTS = contestants()
"""All contestants. They get the same features; for rivals these are standardised."""
