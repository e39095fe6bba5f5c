"""Whether intervals of 95 % contain the truth in 95 % of all samples.

Samples of covtype and a9a are drawn without replacement, and the whole set is the truth: for
coefficients the rule of the whole set, for a rule of the moments with the shrinkage of the sample;
for expected error and AUC what its moments give. A sample that is a large part of the set differs
less from it than from a population: distances are divided by √(1 − n/N). For held-out error and AUC
the truth is what the rule of the sample has on m rows that are not in it, and as these are not all
rows there could be, distances are divided by √(1 + n/m).

Printed are, by set, rows and classifier, how often the summary said that it may be believed; the
coverage in these samples (in all, where there were none) of the steady coefficients, of the other
ones, of the intercept, of error and AUC; and the median time of ``summary`` in default fits, for
rules of the moments with the pass over the rows.

Run: python -m evidence.coverage [--draws 500] [--sets covtype a9a] [--rows 300 1000 10000]
     needs the data sets in $ZERONE_DATA
"""

import argparse
import time
import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from paper.datasets.load import load
from zerone import AUCClassifier, Moments, ZeroOneClassifier
from zerone._typing import FloatArray, IntArray
from zerone._uncertainty.delong import delong
from zerone.estimators._fit_rows import fit_moments
from zerone.estimators._parameters import Settings

HEADER = (
    "| set | rows | rule | believed | coefficients | others | intercept | error | AUC | "
    "summary/fit |\n|---|---|---|---|---|---|---|---|---|---|"
)
# Rows outside a sample that measure its rule, at most.
MOST_SCORED = 100_000


@dataclass
class Tally:
    """Which intervals of the samples had the truth in them."""

    believed: list[bool] = field(default_factory=list)
    steady: list[tuple[int, int]] = field(default_factory=list)
    others: list[tuple[int, int]] = field(default_factory=list)
    intercept: list[bool] = field(default_factory=list)
    error: list[bool] = field(default_factory=list)
    auc: list[bool] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def cells(self) -> list[str]:
        """Return the cells of a line."""
        believed = np.array(self.believed)
        used = believed if believed.any() else np.ones(len(believed), dtype=bool)

        def share(values: Any) -> str:
            found = np.array(values, dtype=float)[used]
            if found.ndim == 2:
                total = found[:, 1].sum()
                return f"{found[:, 0].sum() / total:.3f}" if total else "–"
            return f"{np.nanmean(found):.3f}" if len(found) else "–"

        columns = (self.steady, self.others, self.intercept, self.error, self.auc)
        return [
            f"{believed.mean():.0%}",
            *(share(own) if own else "–" for own in columns),
            f"{np.median(self.times):.2f}",
        ]


class Truth:
    """The whole set, its rows and what they give."""

    def __init__(self, name: str) -> None:
        X, y = load(name)
        self.X: FloatArray = X.toarray() if sp.issparse(X) else X
        self.y = y
        self.moments = Moments.from_data(self.X, y)
        self.refined = {kind: kind().fit(self.X, y) for kind in (ZeroOneClassifier, AUCClassifier)}

    def of_moments(self, model: Any) -> FloatArray:
        """Return coefficients, intercept, expected error and AUC with the shrinkage of a fit."""
        settings = replace(Settings.of(model), level=None, shrinkage=model.shrinkage_)
        found = fit_moments(self.moments, settings)[1]
        coef, intercept = found.coefficients
        return np.array([*coef[0], intercept[0], found.expected["error"], found.expected["auc"]])

    def elsewhere(self, model: Any, others: IntArray) -> float:
        """Return the error, or the AUC, of a rule on other rows."""
        scores, is_positive = model.decision_function(self.X[others]), self.y[others] > 0
        if isinstance(model, AUCClassifier):
            return float(delong(is_positive, scores).values[0])
        return float(np.mean((scores > 0) != is_positive))


def contains(value: float, ends: Any, truth: float, factor: float) -> bool:
    """Return whether an interval contains the truth, for a sample of part of the set."""
    moved = value + (truth - value) / factor
    return bool(ends[0] <= moved <= ends[1])


def add(tally: Tally, summary: Any, truth: FloatArray, factor: float) -> None:
    """Count the coefficients of a sample."""
    moved = summary.coefficients + (truth - summary.coefficients) / factor
    is_in = (summary.low <= moved) & (moved <= summary.high)
    steady, others = summary.is_steady[:-1], ~summary.is_steady[:-1]
    tally.believed.append(summary.may_be_believed)
    tally.steady.append((int(is_in[:-1][steady].sum()), int(steady.sum())))
    tally.others.append((int(is_in[:-1][others].sum()), int(others.sum())))
    if np.isfinite(summary.low[-1]):
        tally.intercept.append(bool(is_in[-1]))


def of_moments(truth: Truth, X: FloatArray, y: FloatArray, factor: float, tally: Tally) -> None:
    """Count the intervals of a rule of the moments."""
    model = ZeroOneClassifier(refine=None).fit(X, y)
    start = time.perf_counter()
    ZeroOneClassifier().fit(X, y)
    middle = time.perf_counter()
    summary = model.summary(X, y)
    tally.times.append((time.perf_counter() - middle) / (middle - start))
    true = truth.of_moments(model)
    add(tally, summary, true[:-2], factor)
    for name, own, seen in zip(
        ("expected error", "expected AUC"), true[-2:], (tally.error, tally.auc), strict=True
    ):
        value, interval = summary.figures[name]
        seen.append(contains(value, interval, float(own), factor))


def refined(
    kind: Any, truth: Truth, chosen: IntArray, others: IntArray, factor: float, tally: Tally
) -> None:
    """Count the intervals of a refined rule."""
    X, y = truth.X[chosen], truth.y[chosen]
    start = time.perf_counter()
    model = kind().fit(X, y)
    middle = time.perf_counter()
    if model._fold_rules is None:
        return
    summary = model.summary()
    tally.times.append((time.perf_counter() - middle) / (middle - start))
    whole = truth.refined[kind]
    add(tally, summary, np.append(whole.coef_[0], whole.intercept_[0]), factor)
    value, is_ranking = float(model.held_out_metric_), kind is AUCClassifier
    seen = tally.auc if is_ranking else tally.error
    wider = float(np.sqrt(1 + len(chosen) / len(others)))
    ends = model.held_out_interval_
    seen.append(contains(value, ends, truth.elsewhere(model, others), wider))


def main() -> None:
    """Print a line for every set, size and classifier."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--sets", nargs="+", default=["covtype", "a9a"])
    parser.add_argument("--rows", nargs="+", type=int, default=[300, 1_000, 10_000])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(HEADER, flush=True)
    for name in arguments.sets:
        truth = Truth(name)
        n_all = len(truth.y)
        for n in arguments.rows:
            rng, factor = np.random.default_rng(n), float(np.sqrt(1 - n / n_all))
            tallies = {own: Tally() for own in ("moments", "refined", "refined, AUC")}
            for _ in range(arguments.draws):
                order = rng.permutation(n_all)[: n + MOST_SCORED]
                chosen, others = order[:n], order[n:]
                X, y = truth.X[chosen], truth.y[chosen]
                of_moments(truth, X, y, factor, tallies["moments"])
                for rule, kind in (("refined", ZeroOneClassifier), ("refined, AUC", AUCClassifier)):
                    refined(kind, truth, chosen, others, factor, tallies[rule])
            for rule, tally in tallies.items():
                print(f"| {name} | {n:,} | {rule} | {' | '.join(tally.cells())} |", flush=True)


if __name__ == "__main__":
    main()
