"""`ClassReportDisplay`: recall and precision of every class, with intervals."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.metrics import confusion_matrix
from sklearn.utils.validation import check_is_fitted

from zerone._data.frames import data_frame
from zerone._data.labels import label_list
from zerone._errors import ArgumentError
from zerone._typing import AnyArray
from zerone._uncertainty.ratios import class_figures
from zerone.inspection._style import NEGATIVE, POSITIVE, axes_of, legend_below, plain, shortened

_DRAWN = {"recall": (POSITIVE, "o", -0.13), "precision": (NEGATIVE, "s", 0.13)}


class ClassReportDisplay:
    """Recall and precision of every class, with intervals of 95 %.

    Recall is the share of the rows of a class that are predicted as it, precision the share of the
    predictions of a class that are right. Both are shares of rows and have Wilson's interval, as in
    ``zerone evaluate``.

    Parameters
    ----------
    confusion : ndarray of shape (n_classes, n_classes)
        Number of rows of each class (row) with each prediction (column), as scikit-learn's
        ``confusion_matrix`` returns it. ``ConfusionMatrixDisplay`` of scikit-learn draws it.
    labels : sequence of str
        Names of the classes.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : Axes
    points_ : dict name -> ErrorbarContainer

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.inspection import ClassReportDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = ZeroOneClassifier().fit(X[::2], y[::2])
    >>> display = ClassReportDisplay.from_estimator(classifier, X[1::2], y[1::2])
    >>> display.frame()["rows"].tolist()
    [25, 25, 25]
    """

    def __init__(self, confusion: AnyArray, labels: Sequence[str]) -> None:
        self.confusion = np.asarray(confusion)
        self.labels = [str(label) for label in labels]
        if self.confusion.shape != (len(self.labels),) * 2:
            raise ArgumentError(
                "labels",
                f"got {len(self.labels)} for a matrix of shape {self.confusion.shape}",
                "give one name per class",
            )

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Draw what rows measure for a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
        X, y : rows and their labels
            Best are rows that the classifier was not fitted to.
        ax : Axes, optional
        """
        check_is_fitted(estimator)
        return cls.from_predictions(y, estimator.predict(X), classes=estimator.classes_, ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, classes: Any = None, ax: Any = None
    ) -> Self:
        """Draw given predictions.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_rows,)
            True and predicted labels.
        classes : array-like, optional
            All classes, in their order; by default those that occur.
        ax : Axes, optional
        """
        truth, predicted = np.asarray(y_true), np.asarray(y_pred)
        found = np.unique(np.concatenate([truth, predicted]))
        own = found if classes is None else np.asarray(classes)
        unknown = label_list(found[~np.isin(found, own)])
        if unknown:
            raise ArgumentError(
                "y_true", f"has the label {unknown[0]!r}", f"the classes are {label_list(own)!r}"
            )
        return cls(confusion_matrix(truth, predicted, labels=own), label_list(own)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw recall and precision.

        Parameters
        ----------
        ax : Axes, optional
            A new figure by default.
        """
        frame, n_classes = self._figures(), len(self.labels)
        self.figure_, self.ax_ = axes_of(ax, (6.4, 1.7 + 0.45 * n_classes))
        self.points_ = {}
        for name, (colour, marker, shift) in _DRAWN.items():
            values, low, high = (frame[own] for own in (name, f"{name} low", f"{name} high"))
            # A class that is never predicted has no precision.
            known = np.flatnonzero(np.isfinite(values))
            ends = [(values - low)[known], (high - values)[known]]
            self.points_[name] = self.ax_.errorbar(
                values[known], known + shift, xerr=np.maximum(ends, 0.0), fmt=marker, color=colour,
                capsize=3, linewidth=1.5, label=f"{name}, 95 % interval",
            )  # fmt: skip
        names = [
            plain(f"{shortened(label, 28)} ({size:,} rows)")
            for label, size in zip(self.labels, frame["rows"].tolist(), strict=True)
        ]
        self.ax_.set_yticks(np.arange(n_classes), names)
        self.ax_.set_ylim(n_classes - 0.5, -0.5)
        self.ax_.set(title="Recall and precision of every class", xlabel="share of rows")
        self.ax_.set_xlim(right=1.01)
        self.ax_.grid(axis="x", alpha=0.3)
        legend_below(self.ax_, ncols=2)
        return self

    def frame(self) -> Any:
        """Return rows, recall, precision and F1 of every class as a pandas data frame.

        Each of the three with the ends of its interval.
        """
        return data_frame(self._figures(), self.labels, "class")

    def _figures(self) -> dict[str, AnyArray]:
        found: dict[str, AnyArray] = {"rows": self.confusion.sum(axis=1)}
        of_classes = class_figures(len(self.labels))
        for name in of_classes[0]:
            ends = np.array([own[name].interval(self.confusion) for own in of_classes])
            found[name] = np.array([own[name].value(self.confusion) for own in of_classes])
            found[f"{name} low"], found[f"{name} high"] = ends.T
        return found
