"""Other metrics and class weights for a fitted classifier, without the data."""

import copy
from typing import Any, Self

from zerone._threads import one_blas_thread
from zerone.estimators._base import FEW_FEATURES, MomentClassifier
from zerone.estimators._parameters import class_factors
from zerone.estimators._solution import Solution, retargeted
from zerone.sources import place_of


class RetargetableClassifier(MomentClassifier):
    """A classifier that can be turned to another metric."""

    def retarget(self, metric: str, *, class_weight: Any = None, **parameters: Any) -> Self:
        """Return a new fitted classifier for another metric or other class weights.

        Needs no data. After a refined fit, direction and threshold are those that held-out rows
        found best, of the refined direction and the frontier beside it; otherwise they are found
        on the frontier of the moments that were kept. Probabilities stay those under the class
        weights of training, so they are not one half at the new threshold; `predict` follows
        `decision_function`.

        Parameters
        ----------
        metric : str
            "error", "balanced_error", "auc", "f1", "fbeta", "cost", "true_positive_rate" or
            "false_positive_rate", as in `Frontier.best`. With more than two classes: "error",
            "balanced_error" or "auc".
        class_weight : None, "balanced", or mapping label -> weight
            In place of the class weights of training; None keeps them.
        **parameters
            What the metric needs, as in `Frontier.best`.

        Returns
        -------
        classifier
            Of the same class and with the same parameters. Its `partial_fit` keeps the new
            target, its `fit` begins anew.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from zerone import ZeroOneClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> classifier = ZeroOneClassifier().fit(X, y)
        >>> careful = classifier.retarget("true_positive_rate", max_false_positive_rate=0.01)
        >>> bool((careful.predict(X) == 1).sum() < (classifier.predict(X) == 1).sum())
        True
        """
        solution = self._fitted()
        if not isinstance(solution, Solution):
            raise ValueError(
                "retarget needs the moments of training, and a model that was read from a file has "
                "none; retarget before saving, or fit_moments to a moments file"
            )
        if not self.fit_intercept:
            raise ValueError("fit_intercept: retarget moves the intercept; fit with it first")
        several = ["error", "balanced_error", "auc"]
        if len(self.classes_) > 2 and metric not in several:
            raise ValueError(
                f"metric: got {metric!r}; with {len(self.classes_)} classes it must be one of "
                f"{several}"
            )
        if "priors" in parameters:
            raise TypeError("retarget takes no 'priors'; use class_weight")
        factors = (
            None
            if class_weight is None
            else class_factors(class_weight, self.classes_, solution.reduction.moments)
        )
        twin = copy.copy(self)
        twin._retargeting = (metric, factors, parameters)
        with one_blas_thread(self.coef_.shape[1] < FEW_FEATURES):
            twin._publish(retargeted(solution, *twin._retargeting), place_of(self.coef_))
        return twin
