"""Two classes, one of them called positive: what objectives and the frontier are made of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._moments.class_moments import ClassMoments
from zerone._typing import FloatArray, Label


@dataclass(frozen=True, eq=False)
class TwoClassMoments:
    """A two-class view of moments.

    A score is positive for the positive class: a rule (w, b) answers ``positive_label``
    where w·x + b > 0.

    Attributes
    ----------
    positive, negative : ClassMoments
    positive_label, negative_label : label
    feature_names : tuple of str or None
    """

    positive: ClassMoments
    negative: ClassMoments
    positive_label: Label = 1
    negative_label: Label = 0
    feature_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for moments, label in (
            (self.positive, self.positive_label),
            (self.negative, self.negative_label),
        ):
            if moments.weight <= 0:
                other = self.negative_label if label == self.positive_label else self.positive_label
                raise ValueError(
                    f"class {label!r} has no rows, so there is only one class, {other!r}; "
                    "a classifier needs rows of both"
                )

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.positive.n_features

    @property
    def prior_positive(self) -> float:
        """The positive class's share of the total weight."""
        return self.positive.weight / (self.positive.weight + self.negative.weight)

    @property
    def delta(self) -> FloatArray:
        """Mean of the positive class minus mean of the negative class."""
        return self.positive.minus_mean(self.negative)

    def affine(self, matrix: FloatArray, offset: FloatArray | None = None) -> "TwoClassMoments":
        """Return the moments of ``matrix @ x + offset``; a 1-D matrix means a diagonal."""
        return TwoClassMoments(
            self.positive.affine(matrix, offset),
            self.negative.affine(matrix, offset),
            self.positive_label,
            self.negative_label,
        )


def class_pairs(n_classes: int) -> Iterator[tuple[int, int]]:
    """Yield (negative, positive) positions of every pair of classes, in the order of rules."""
    return combinations(range(n_classes), 2)


def as_pair(moments: Any) -> TwoClassMoments:
    """Return ``moments`` as a two-class view; of two classes the last is the positive one."""
    if isinstance(moments, TwoClassMoments):
        return moments
    if not hasattr(moments, "one_vs_rest"):
        raise ArgumentTypeError(
            "moments",
            f"got {type(moments).__name__}, expected zerone.Moments",
            "make one with Moments.from_data(X, y)",
        )
    present = [label for label in moments if moments[label].weight > 0]
    if len(present) == 1:
        raise ArgumentError(
            "moments",
            f"only one class has rows, {present[0]!r}",
            "a classifier needs rows of two classes",
        )
    if not present:
        raise ArgumentError("moments", "no class has any rows")
    if len(present) > 2:
        raise ArgumentError(
            "moments",
            f"got {len(present)} classes, expected two",
            "choose them with moments.pair(positive, negative) or moments.one_vs_rest(label)",
        )
    pair: TwoClassMoments = moments.pair(present[1], present[0])
    return pair


def checked_priors(priors: Any, pair: TwoClassMoments) -> tuple[float, float]:
    """Return (positive, negative) priors that add up to one; the class shares by default.

    Parameters
    ----------
    priors : mapping label -> prior, or None
        Any positive numbers; only their ratio counts.
    """
    if priors is None:
        return _shares(pair.positive.weight, pair.negative.weight)
    expected = (pair.positive_label, pair.negative_label)
    try:
        if not isinstance(priors, Mapping):
            raise TypeError
        values = np.array([float(priors[label]) for label in expected])
    except (KeyError, TypeError, ValueError):
        raise ArgumentError(
            "priors",
            f"got {priors!r}, expected a mapping with a number for each of the classes "
            f"{expected[0]!r} and {expected[1]!r}",
        ) from None
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise ArgumentError("priors", f"got {priors!r}, expected positive finite numbers")
    return _shares(*values)


def _shares(positive: float, negative: float) -> tuple[float, float]:
    """Return two numbers as shares of their sum, never quite zero."""
    largest = max(positive, negative)
    positive, negative = positive / largest, negative / largest
    total = positive + negative
    return max(float(positive / total), 1e-300), max(float(negative / total), 1e-300)
