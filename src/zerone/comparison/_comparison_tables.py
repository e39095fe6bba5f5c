"""The tables of a comparison in a report: means, and differences to what is recommended."""

import numpy as np

from zerone.comparison._compare import Comparison
from zerone.comparison._differences import sign_of
from zerone.comparison._page import PageTable
from zerone.comparison._sections import best_cells
from zerone.comparison._verdict import Verdict

_Cell = tuple[str, float | None]


def table_of_means(comparison: Comparison) -> PageTable:
    """Return the mean of every metric of every contestant, with its interval."""
    shown = comparison.shown
    rows, means = [], []
    for name in comparison.metrics:
        row: list[_Cell] = [(name, None)]
        for metric in shown:
            interval = comparison.interval(name, metric)
            ends = f"\n{interval}" if interval.is_known else ""
            mean = comparison.mean(name, metric)
            row.append((f"{mean:.4f}{ends}", mean))
        rows.append(row)
        # The majority class is always the fastest, and nobody would use it. A rate that is kept
        # at a limit is not better far from it.
        is_named = [comparison.roles[name] != "majority" and own[:4] != "its " for own in shown]
        means.append(
            [
                comparison.mean(name, own) if named else np.nan
                for own, named in zip(shown, is_named, strict=True)
            ]
        )
    n_splits = len(next(iter(comparison.metrics.values()))[shown[0]])
    caption = (
        f"Means over {n_splits} cross-validation splits of {comparison.n_rows:,} rows, with 95 % "
        "intervals; the best of every column in bold."
    )
    is_lower = [metric == "seconds" or sign_of(comparison, metric) < 0 for metric in shown]
    bold = {(row, column + 1) for row, column in best_cells(means, is_lower)}
    return PageTable(caption, _header(shown), rows, bold)


def table_of_differences(comparison: Comparison, verdict: Verdict) -> PageTable:
    """Return how much every contestant exceeds the recommended one, with its interval."""
    shown, reference = comparison.shown, verdict.recommended
    rows: list[list[_Cell]] = []
    bold = set()
    for name in comparison.metrics:
        if name == reference:
            continue
        row: list[_Cell] = [(name, None)]
        for column, metric in enumerate(shown, 1):
            value, interval = comparison.difference(name, reference, metric)
            ends = ""
            if interval.is_known:
                ends = f"\n{interval.low:+.4f} to {interval.high:+.4f}"
                if interval.low > 0 or interval.high < 0:
                    bold.add((len(rows), column))
            row.append((f"{value:+.4f}{ends}", value))
        rows.append(row)
    test = ""
    if verdict.rival is not None:
        test = (
            f" Corrected t of {verdict.ours} against {verdict.rival} in {verdict.metric}: "
            f"{verdict.t:.1f}; beyond ±{verdict.least:.1f} is significant (5 %)."
        )
    caption = (
        f"The same minus the means of {reference}, with 95 % intervals of the differences in each "
        f"split; significant ones in bold.{test}"
    )
    return PageTable(caption, _header(shown), rows, bold)


def _header(shown: list[str]) -> list[str]:
    return ["classifier", *("seconds to fit" if own == "seconds" else own for own in shown)]
