"""How well a smooth loss follows the empirical loss along a path of rules."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy.stats import rankdata

from paper.baselines.logistic import logistic_loss
from paper.baselines.pairwise_hinge import pairwise_hinge
from zerone import Moments
from zerone._typing import FloatArray
from zerone.objectives import ExpectedError, RankingLoss

# The displays of zerone.inspection use the same two colours.
_MODEL, _MEASURED = "#CC79A7", "#000000"
_LABELS = {
    "expected_error": "expected error $F_{n01}$",
    "logistic": "logistic loss",
    "ranking_loss": "expected ranking loss $F_{nrank}$",
    "hinge": "pairwise hinge loss",
}


class LossPathDisplay:
    """A smooth loss and the empirical loss it approximates, from one rule to another.

    Parameters
    ----------
    loss : ndarray of shape (n_points,)
        The smooth loss along the path.
    empirical : ndarray of shape (n_points,)
        The empirical error, or the empirical ranking loss, at the same rules.
    loss_label, empirical_label : str

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : Axes
    lines_ : list of two Line2D
        The smooth loss and the empirical one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import ZeroOneClassifier
    >>> from paper.loss_path import LossPathDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ZeroOneClassifier().fit(X, y)
    >>> solution = np.append(model.coef_[0], model.intercept_[0])
    >>> display = LossPathDisplay.from_path(X, y, np.ones(31), solution, loss="expected_error")
    >>> bool(display.empirical[-1] < display.empirical[0])
    True
    """

    def __init__(
        self,
        loss: FloatArray,
        empirical: FloatArray,
        *,
        loss_label: str = "smooth loss",
        empirical_label: str = "empirical loss",
    ) -> None:
        self.loss = loss
        self.empirical = empirical
        self.loss_label = loss_label
        self.empirical_label = empirical_label

    @classmethod
    def from_path(
        cls,
        X: Any,
        y: Any,
        start: Any,
        stop: Any,
        *,
        loss: str,
        n_points: int = 100,
        ax: Any = None,
    ) -> Self:
        """Evaluate and draw a loss at equally spaced rules from ``start`` to ``stop``.

        Parameters
        ----------
        X, y : rows and labels of two classes; the last is the positive one
        start, stop : array-like of shape (n_features + 1,)
            Coefficients and intercept. For the ranking losses the intercept may be left out.
        loss : {"expected_error", "logistic", "ranking_loss", "hinge"}
            The first two are drawn against the empirical error, the others against the
            empirical ranking loss.
        n_points : int, default=100
        ax : Axes, optional
        """
        if loss not in _LABELS:
            raise ValueError(f"loss: got {loss!r}, expected one of {list(_LABELS)}")
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        if len(classes) != 2:
            raise ValueError(f"y: has {len(classes)} classes; give two")
        is_positive = codes.reshape(-1) == 1
        d = X.shape[1]
        ends = [
            _with_intercept(point, d, name) for point, name in ((start, "start"), (stop, "stop"))
        ]
        function = _smooth_loss(loss, X, is_positive)
        ranks = loss in ("ranking_loss", "hinge")
        values, measured = np.empty(n_points), np.empty(n_points)
        for number, share in enumerate(np.linspace(0, 1, n_points)):
            rule = (1 - share) * ends[0] + share * ends[1]
            scores = X @ rule[:d] + rule[d]
            values[number] = function(rule)
            measured[number] = (
                _ranking_error(scores, is_positive)
                if ranks
                else float(((scores > 0) != is_positive).mean())
            )
        display = cls(
            values,
            measured,
            loss_label=_LABELS[loss],
            empirical_label="empirical ranking loss" if ranks else "empirical error",
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw both losses.

        Parameters
        ----------
        ax : Axes, optional
            A new figure by default.
        """
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
        self.figure_, self.ax_ = ax.figure, ax
        path = np.linspace(0, 1, len(self.loss))
        self.lines_ = [
            *ax.plot(path, self.loss, color=_MODEL, linewidth=2, label=self.loss_label),
            *ax.plot(
                path, self.empirical, color=_MEASURED, linestyle="--", label=self.empirical_label
            ),
        ]
        ax.set(xlabel="share of the path from start to solution", ylabel="loss")
        ax.legend(frameon=False)
        return self


def _with_intercept(point: Any, n_features: int, name: str) -> FloatArray:
    vector: FloatArray = np.asarray(point, dtype=np.float64)
    if vector.shape == (n_features,):
        return np.append(vector, 0.0)
    if vector.shape != (n_features + 1,):
        raise ValueError(f"{name}: has shape {vector.shape}, expected ({n_features + 1},)")
    return vector


def _smooth_loss(loss: str, X: Any, is_positive: Any) -> Callable[[FloatArray], float]:
    if loss in ("expected_error", "ranking_loss"):
        pair = Moments.from_data(X, is_positive).pair(True, False)
        objective = ExpectedError(pair) if loss == "expected_error" else RankingLoss(pair)
        return objective.value
    d = X.shape[1]
    signs = np.where(is_positive, 1.0, -1.0)
    if loss == "logistic":

        def value(rule: FloatArray) -> float:
            # The intercept moves every margin; without penalty.
            scores = (X @ rule[:d] + rule[d])[:, None]
            return logistic_loss(np.ones(1), scores, signs, 0.0)[0]

        return value
    return lambda rule: pairwise_hinge(X @ rule[:d], is_positive)[0]


def _ranking_error(scores: FloatArray, is_positive: Any) -> float:
    """Return the share of pairs in the wrong order; ties count half."""
    n_positive = int(is_positive.sum())
    n_negative = len(scores) - n_positive
    ranks = rankdata(scores)
    above = ranks[is_positive].sum() - n_positive * (n_positive + 1) / 2
    return float(1 - above / (n_positive * n_negative))
