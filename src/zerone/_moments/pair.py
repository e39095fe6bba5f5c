"""The moments of two classes, one of them positive, for objectives and the frontier."""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from zerone._errors import AdviceError, ArgumentError, ArgumentTypeError
from zerone._moments.class_moments import ClassMoments
from zerone._typing import FloatArray, Label


@dataclass(frozen=True, eq=False)
class TwoClassMoments:
    """A two-class view; a rule (w, b) predicts ``positive_label`` where w·x + b > 0."""

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
                raise AdviceError(
                    f"class {label!r} has no rows, so there is only one class, {other!r}",
                    "a classifier needs rows of both",
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

    def turned(self) -> "TwoClassMoments":
        """Return the same classes with the other one as the positive class."""
        return TwoClassMoments(
            self.negative,
            self.positive,
            self.negative_label,
            self.positive_label,
            self.feature_names,
        )

    def affine(self, matrix: FloatArray, offset: FloatArray | None = None) -> "TwoClassMoments":
        """Return the moments of ``matrix @ x + offset``; a 1-D matrix means a diagonal."""
        return TwoClassMoments(
            self.positive.affine(matrix, offset),
            self.negative.affine(matrix, offset),
            self.positive_label,
            self.negative_label,
        )


def two_classes(
    moments: Mapping[Label, ClassMoments], positive: Label, negative: Label
) -> TwoClassMoments:
    """Return two of the classes as a two-class view; see `Moments.pair`."""
    for name, label in (("positive", positive), ("negative", negative)):
        _require_class(moments, name, label)
    if positive == negative:
        raise ArgumentError(
            "positive, negative", f"got {positive!r} for both", "name two different classes"
        )
    names = getattr(moments, "feature_names", None)
    return TwoClassMoments(moments[positive], moments[negative], positive, negative, names)


def one_class_and_rest(moments: Mapping[Label, ClassMoments], label: Label) -> TwoClassMoments:
    """Return one class against all others merged; see `Moments.one_vs_rest`."""
    _require_class(moments, "label", label)
    others = [own for name, own in moments.items() if name != label]
    if not others:
        raise ArgumentError(
            "label", f"{label!r} is the only class", "at least one other class is needed"
        )
    rest = functools.reduce(ClassMoments.merge, others)
    names = getattr(moments, "feature_names", None)
    return TwoClassMoments(moments[label], rest, label, f"not {label}", names)


def _require_class(moments: Mapping[Label, ClassMoments], name: str, label: Label) -> None:
    if label not in moments:
        raise ArgumentError(
            name, f"there is no class {label!r}", f"the classes are {list(moments)!r}"
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
        raise ArgumentError("moments", "no class has rows", "rows of two classes are needed")
    if len(present) > 2:
        raise ArgumentError(
            "moments",
            f"got {len(present)} classes, expected two",
            "choose them with moments.pair(positive, negative) or moments.one_vs_rest(label)",
        )
    pair: TwoClassMoments = moments.pair(present[1], present[0])
    return pair


def checked_priors(priors: Any, pair: TwoClassMoments) -> tuple[float, float]:
    """Return (positive, negative) priors that add up to one; None stands for the class shares.

    ``priors`` maps labels to positive numbers, of which only the ratio matters.
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
    """Return two numbers as shares of their sum, at least 1e-300."""
    largest = max(positive, negative)
    positive, negative = positive / largest, negative / largest
    total = positive + negative
    return max(float(positive / total), 1e-300), max(float(negative / total), 1e-300)
