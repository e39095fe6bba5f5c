"""`RuleSummary`: the coefficients of a rule of two classes, and how sure they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np

from zerone._data.frames import data_frame
from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.intervals import Interval

_MOST_PRINTED = 20
_LONGEST_NAME = 22
_WIDTH = 80


@dataclass(frozen=True, eq=False)
class RuleSummary:
    """Coefficients and figures of a rule of two classes, with intervals of 95 %.

    Made by ``classifier.summary``. Its text is printed by ``print`` and shown in notebooks.

    Attributes
    ----------
    names : tuple of str
        Of the features; the intercept is the last.
    coefficients : ndarray of shape (n_features + 1,)
        In the scale of the classifier: the pooled within-class standard deviation of the score
        is one.
    deviations : ndarray of shape (n_features + 1,)
        Standard deviation of each feature in training; NaN if it is not known, and for the
        intercept.
    standard_errors, low, high : ndarray of shape (n_features + 1,)
        Standard errors of the coefficients and the ends of their intervals.
    sign_stability : ndarray of shape (n_features + 1,)
        Share of the rules of other samples that have the sign of the coefficient.
    is_steady : ndarray of bool of shape (n_features + 1,)
        Whether the feature varies within both classes in nearly all groups of rows and, for a
        refined rule, is not nearly a sum of others (variance inflation below 2). Intervals of
        other coefficients may not be believed, nor that of the intercept if some coefficient is
        not steady, or of a refined rule, whose threshold is smoothed less, the more rows there are.
    figures : mapping name -> (value, Interval)
        Expected and held-out figures of the rule.
    reasons : tuple of str
        Why the intervals may not be believed; empty if they may.
    method : str
        How they were found, in a sentence.
    """

    names: tuple[str, ...]
    coefficients: FloatArray
    deviations: FloatArray
    standard_errors: FloatArray
    low: FloatArray
    high: FloatArray
    sign_stability: FloatArray
    is_steady: AnyArray
    figures: Mapping[str, tuple[float, Interval]]
    reasons: tuple[str, ...]
    method: str

    @property
    def per_deviation(self) -> FloatArray:
        """Coefficients times the standard deviation of their feature; NaN for the intercept."""
        return self.coefficients * self.deviations

    @property
    def may_be_believed(self) -> bool:
        """Whether the intervals of steady coefficients and of the figures may be believed."""
        return not self.reasons

    @property
    def verdict(self) -> str:
        """When the intervals may be believed, in a sentence."""
        if self.reasons:
            return f"The intervals may not be believed: {'; '.join(self.reasons)}."
        marked = int((~self.is_steady).sum())
        if not marked:
            return "The intervals may be believed."
        whose = "that of 1 coefficient" if marked == 1 else f"those of {marked} coefficients"
        return f"The intervals may be believed, except {whose} marked ?."

    def frame(self) -> Any:
        """Return the coefficients as a pandas DataFrame, one row for each; needs pandas."""
        return data_frame(
            {
                "coefficient": self.coefficients,
                "per_deviation": self.per_deviation,
                "standard_error": self.standard_errors,
                "low": self.low,
                "high": self.high,
                "sign_stability": self.sign_stability,
                "is_steady": self.is_steady,
            },
            self.names,
            "feature",
        )

    def __str__(self) -> str:
        header = ("", "coefficient", "per sd", "std. error", "95 % interval", "", "sign")
        order = self._printed()
        rows = [header, *(self._row(position) for position in order)]
        lines = _aligned(rows)
        n_left_out = len(self.names) - len(order)
        if n_left_out:
            lines.append(f"… and {n_left_out} more: see frame()")
        lines.append("")
        lines += _aligned(
            [
                (name, f"{value:.4f}", f"{interval.low:.4f}", f"to {interval.high:.4f}")
                for name, (value, interval) in self.figures.items()
            ]
        )
        told = (fill(sentence, _WIDTH) for sentence in (self.verdict, self.method))
        return "\n".join([*lines, "", *told])

    __repr__ = __str__

    def _printed(self) -> list[int]:
        """Return the positions to print: the largest coefficients per deviation, in their order."""
        last = len(self.names) - 1
        if last <= _MOST_PRINTED:
            return list(range(last + 1))
        size = np.nan_to_num(np.abs(self.per_deviation[:-1]))
        largest = np.argsort(-size, kind="stable")[:_MOST_PRINTED]
        return [*sorted(largest.tolist()), last]

    def _row(self, position: int) -> tuple[str, ...]:
        numbers = (self.coefficients, self.per_deviation, self.standard_errors, self.low, self.high)
        texts = [_number(float(own[position])) for own in numbers]
        name, stability = self.names[position], self.sign_stability[position]
        short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
        mark = "" if self.is_steady[position] else " ?"
        sign = "" if np.isnan(stability) else f"{stability:.0%}"
        return (short + mark, *texts[:4], f"to {texts[4]}" if texts[4] else "", sign)


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4g}"


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
