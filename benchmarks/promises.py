"""What zerone promises about its speed: the required figures, the goals, and what was measured."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from benchmarks import adapters, kernels
from benchmarks.records import Row, by_key, seconds, shape_name

Verdict: TypeAlias = tuple[str, str, str, str, str]
"""What is promised, the required figure, the goal, what was measured, and the outcome."""


@dataclass(frozen=True)
class RatioPromise:
    """A bound on the time of one contestant in units of another's, with one thread.

    Attributes
    ----------
    cases : tuple of str
        The worst of them counts.
    above : tuple of str
        The fastest of these is divided by ...
    below : str
        ... this.
    accuracy_slack : float, optional
        How far the accuracy of `below` may lie under that of `above`.
    """

    text: str
    table: str
    cases: tuple[str, ...]
    above: tuple[str, ...]
    below: str
    sense: Literal["at most", "at least"]
    required: float
    goal: float
    accuracy_slack: float = math.inf

    def verdict(self, rows: Sequence[Row]) -> Verdict:
        """Return what the rows say."""
        stated = self.text, f"{self.sense} {self.required:g}", f"{self.sense} {self.goal:g}"
        timed = by_key(rows)
        pairs = []
        for case in self.cases:
            above = [timed.get((self.table, case, name, 1)) for name in self.above]
            fastest = min((row for row in above if row), key=seconds, default=None)
            below = timed.get((self.table, case, self.below, 1))
            if fastest is None or below is None:
                return *stated, "", "not measured"
            pairs.append((fastest, below))
        # Read with the opposite sign, a lower bound is an upper one.
        sign = 1 if self.sense == "at most" else -1
        worst = max(sign * seconds(above) / seconds(below) for above, below in pairs)
        measured = f"{abs(worst):.2f}"
        is_kept = worst <= sign * self.required
        if math.isfinite(self.accuracy_slack):
            loss = max((above.accuracy or 0.0) - (below.accuracy or 0.0) for above, below in pairs)
            measured += f", accuracy {-loss:+.4f}"
            is_kept = is_kept and loss <= self.accuracy_slack
        if not is_kept:
            return *stated, measured, "broken"
        return *stated, measured, "goal reached" if worst <= sign * self.goal else "kept"


@dataclass(frozen=True)
class SlopePromise:
    """A bound on the growth of zerone's fit time between two numbers of rows, log-log."""

    text: str
    fewest_rows: int
    most_rows: int
    slope: float
    tolerance: float

    def verdict(self, rows: Sequence[Row]) -> Verdict:
        """Return what the rows say."""
        required = f"{self.slope:g} ± {self.tolerance:g}"
        times = {
            row.n_rows: seconds(row)
            for row in rows
            if row.table == "rows" and row.contestant == adapters.ZERONE
        }
        if self.fewest_rows not in times or self.most_rows not in times:
            return self.text, required, required, "", "not measured"
        sizes = [n for n in times if self.fewest_rows <= n <= self.most_rows]
        slope = statistics.linear_regression(
            [math.log(n) for n in sizes], [math.log(times[n]) for n in sizes]
        ).slope
        outcome = "goal reached" if abs(slope - self.slope) <= self.tolerance else "broken"
        return self.text, required, required, f"{slope:.2f}", outcome


def _moments(n: int, d: int, required: float, goal: float) -> RatioPromise:
    case = shape_name(n, d)
    text = f"moments of {case} in units of X.T @ X"
    return RatioPromise(
        text, "moments", (case,), (kernels.C_ORDER,), kernels.PRODUCT, "at most", required, goal
    )


def _layout(name: str, required: float) -> RatioPromise:
    text = f"moments, {name}, in units of C order, worst of all shapes"
    cases = tuple(shape_name(*shape) for shape in kernels.SHAPES)
    return RatioPromise(
        text, "moments", cases, (name,), kernels.C_ORDER, "at most", required, required
    )


def _workers(n: int, d: int) -> RatioPromise:
    case = shape_name(n, d)
    text = f"speed-up of moments of {case} by two workers"
    return RatioPromise(
        text, "workers", (case,), (kernels.ONE_WORKER,), kernels.TWO_WORKERS, "at least", 1.6, 1.9
    )


def _solve(d: int, required: float, goal: float) -> RatioPromise:
    case = f"d = {d:,}"
    text = f"exact solution at {case} in units of one Cholesky factorisation"
    return RatioPromise(
        text, "solve", (case,), (kernels.SOLVE,), kernels.CHOLESKY, "at most", required, goal
    )


def _fit(
    case: str,
    rival: str,
    required: float,
    goal: float,
    ours: str = adapters.ZERONE,
    accuracy_slack: float = math.inf,
) -> RatioPromise:
    text = f"{case}: {rival} in units of {ours}"
    if math.isfinite(accuracy_slack):
        text += f", accuracy lower by at most {accuracy_slack:g}"
    return RatioPromise(
        text, "fits", (case,), (rival,), ours, "at least", required, goal, accuracy_slack
    )


def _fit_closed_form(case: str) -> RatioPromise:
    rivals = (adapters.LDA_LSQR, adapters.LDA_SVD, adapters.RIDGE, adapters.NAIVE_BAYES)
    text = f"{case}: fastest of LDA, ridge and naive Bayes in units of {adapters.ZERONE}"
    return RatioPromise(text, "fits", (case,), rivals, adapters.ZERONE, "at least", 1.0, 1.0)


_MILLION, _HUNDRED = shape_name(1_000_000, 20), shape_name(200_000, 100)

PROMISES: tuple[RatioPromise | SlopePromise, ...] = (
    _moments(200_000, 100, 1.3, 1.15),
    _moments(30_000, 784, 1.3, 1.15),
    _moments(20_000, 2_000, 1.4, 1.1),
    _moments(500_000, 54, 1.6, 1.25),
    _moments(1_000_000, 20, 2.0, 1.4),
    _layout(kernels.F_ORDER, 1.2),
    _layout(kernels.FLOAT32, 1.2),
    _layout(kernels.WEIGHTED, 1.3),
    _layout(kernels.TEN_CLASSES, 1.3),
    _workers(200_000, 100),
    _workers(30_000, 784),
    _solve(784, 4.0, 3.0),
    _solve(2_000, 2.5, 2.0),
    _fit(_MILLION, adapters.LOGISTIC, 4.5, 10.0),
    _fit("covtype", adapters.LOGISTIC, 12.0, 20.0),
    _fit(_HUNDRED, adapters.LOGISTIC, 2.5, 5.0),
    _fit("mnist", adapters.LOGISTIC, 2.3, 4.0),
    _fit("w8a, sparse", adapters.LOGISTIC, 1.2, 3.0),
    *map(_fit_closed_form, (_MILLION, "covtype", _HUNDRED, "mnist", "w8a, sparse")),
    _fit(
        "covtype", adapters.LOGISTIC, 4.0, 10.0, ours=adapters.ZERONE_FRONTIER, accuracy_slack=0.0
    ),
    _fit("a9a, AUC", adapters.HINGE, 10.0, 50.0, ours=adapters.ZERONE_AUC),
    _fit("ijcnn1, AUC", adapters.HINGE, 10.0, 50.0, ours=adapters.ZERONE_AUC),
    _fit("w8a, AUC", adapters.HINGE, 50.0, 50.0, ours=adapters.ZERONE_AUC),
    _fit("imdb", adapters.LINEAR_SVC, 2.3, 4.0, accuracy_slack=0.003),
    _fit(shape_name(500, 10), adapters.LOGISTIC, 1.5, 3.0),
    SlopePromise(
        "log-log slope of fit time, 100,000 to 10,000,000 rows", 100_000, 10_000_000, 1.0, 0.1
    ),
)
"""Ratios of median times; the goal is the figure aimed at, the required one the limit."""
