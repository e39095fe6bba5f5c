"""Predicting with fitted rules: scores, classes and probabilities of rows."""

import copy
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from zerone._typing import AnyArray, FloatArray
from zerone.estimators._device_scores import chosen_classes, device_scores, require_same_place
from zerone.estimators._elsewhere import dispatched_place
from zerone.estimators._input import checked_table, row_scores, scores_of
from zerone.estimators._lazy import lazily, lazy_accuracy
from zerone.estimators._pairwise import Votes
from zerone.estimators._solution import Solution
from zerone.moments import Moments
from zerone.sources import is_dask, is_foreign, is_frame, to_host
from zerone.tables import Encoding, frame_features


class RulePredictor(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that has its rules already; how they were found is its subclasses' business."""

    classes_: AnyArray
    coef_: FloatArray
    intercept_: FloatArray
    moments_: Moments
    encoding_: Encoding | None
    _solution: Solution | Votes | None

    def decision_function(self, X: Any) -> Any:
        """Return the scores of rows.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            With two classes w·x + b, positive for the last class, in pooled within-class
            standard deviations. With more, the sum of each class's pairwise probabilities.
        """
        return self._said("decision_function", X)

    def predict(self, X: Any) -> Any:
        """Return the predicted class of each row.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self._said("predict", X)

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class.

        From held-out scores after a refined fit, from the normal model of the scores otherwise.
        Monotone in the score. With more than two classes, the probabilities whose pairwise
        shares add up to the summed pairwise probabilities (pairwise coupling).

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of ``classes_``.
        """
        return self._said("predict_proba", X)

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of `predict_proba`, precise near zero for two classes.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return self._said("predict_log_proba", X)

    def _said(self, method: str, X: Any) -> Any:
        """Return what a method says of rows, wherever they are."""
        self._fitted()
        if is_dask(X):
            checked_table(self, X, reset=False)
            return lazily(self._predictor(), method, X)
        require_same_place(self, X, method)
        place = dispatched_place(X)
        if place is None:
            model = self._on_host()
            return model._outcome(method, model._scores(X))
        checked_table(self, X, reset=False)
        scores = device_scores(X, place, self.coef_, self.intercept_)
        if len(self.classes_) == 2 and method == "decision_function":
            return scores
        if len(self.classes_) == 2 and method == "predict" and self.classes_.dtype.kind in "biuf":
            return chosen_classes(scores, place, self.classes_)
        return place.bring(self._outcome(method, to_host(scores).astype(np.float64)))

    def _on_host(self) -> Self:
        """Return the classifier with all arrays in memory: itself, unless it is on a device."""
        if not is_foreign(self.coef_):
            return self
        twin = copy.copy(self)
        for name, value in vars(self).items():
            if is_foreign(value):
                setattr(twin, name, to_host(value))
        return twin

    def _predictor(self) -> Self:
        """Return a copy with what predicting takes, which no later fit changes."""
        twin, solution = copy.copy(self._on_host()), self._fitted()
        twin._solution = Votes(solution.decision, solution.posterior)
        if hasattr(twin, "moments_"):
            del twin.moments_
        return twin

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`

        Returns
        -------
        float
        """
        if not is_dask(X):
            return float(super().score(X, y, sample_weight))
        self._fitted()
        checked_table(self, X, reset=False)
        return lazy_accuracy(self._predictor(), X, y, sample_weight)

    def _scores(self, X: Any) -> FloatArray:
        encoding = self.encoding_
        if encoding is None or (encoding.is_plain and not is_frame(X)):
            return scores_of(self, X, self.coef_, self.intercept_)
        return row_scores(self, frame_features(X, encoding), self.coef_, self.intercept_)

    def _outcome(self, method: str, scores: FloatArray) -> AnyArray:
        """Return what a method says of rows with these scores."""
        solution = self._fitted()
        if method == "predict_proba":
            return solution.posterior.probabilities(scores)
        if method == "predict_log_proba":
            return solution.posterior.log_probabilities(scores)
        is_pair = len(self.classes_) == 2
        decision = scores if is_pair else solution.decision.sums(scores)
        if method == "decision_function":
            return decision
        chosen = (decision > 0).view(np.int8) if is_pair else decision.argmax(axis=1)
        predicted: AnyArray = self.classes_[chosen]
        return predicted

    def _apply(self, method: str, rows: Any) -> AnyArray:
        """Return what a method says of rows that are features already."""
        model = self._on_host()
        return model._outcome(method, row_scores(model, rows, model.coef_, model.intercept_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.array_api_support = True
        return tags

    def _fitted(self) -> Solution | Votes:
        check_is_fitted(self, "classes_")
        solution = self._solution
        if solution is None:
            seen = [label for label, m in self.moments_.items() if m.weight > 0]
            raise NotFittedError(
                f"only rows of class {seen[0]!r} have been seen; a second class is needed before "
                "predicting"
            )
        return solution
