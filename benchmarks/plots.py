"""Pictures of growth: time against rows and features, memory against rows."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.ticker import PercentFormatter

from benchmarks.adapters import DEFAULT, LDA_LSQR, LOGISTIC, NAIVE_BAYES, ZERONE
from benchmarks.growth import FIXED_FEATURES, FIXED_ROWS
from benchmarks.kernels import SOLVE
from benchmarks.records import Row, seconds

# Okabe and Ito's palette, as in zerone's own pictures.
_COLOURS = {
    ZERONE: "#D55E00",
    DEFAULT: "#E69F00",
    SOLVE: "#CC79A7",
    LOGISTIC: "#0072B2",
    LDA_LSQR: "#009E73",
    NAIVE_BAYES: "#000000",
}
_PHASE_COLOURS = (
    "#666666", "#000000", "#0072B2", "#F0E442", "#56B4E9", "#009E73", "#D55E00", "#E69F00",
    "#CC79A7", "#CCCCCC",
)  # fmt: skip
_BYTES_PER_VALUE = 8


def draw_plots(folder: Path, rows: Sequence[Row]) -> None:
    """Write the pictures of all tables that have rows."""
    mpl.use("Agg")
    of_rows, of_features, of_phases = (
        [row for row in rows if row.table == table] for table in ("rows", "features", "phases")
    )
    of_memory = [row for row in rows if row.extra_megabytes]
    if of_rows:
        title = f"Fit time against rows, {FIXED_FEATURES} features, one thread"
        path = folder / "time_against_rows.png"
        _draw_times(path, of_rows, lambda row: row.n_rows, "rows", title)
    if of_features:
        title = f"Fit time against features, {FIXED_ROWS:,} rows, one thread"
        path = folder / "time_against_features.png"
        _draw_times(path, of_features, lambda row: row.n_features, "features", title)
    if of_memory:
        _draw_memory(folder / "memory_against_rows.png", of_memory)
    if of_phases:
        _draw_phases(folder / "phases.png", of_phases)


def _draw_times(
    path: Path, rows: Sequence[Row], size: Callable[[Row], int], label: str, title: str
) -> None:
    figure, axes = _axes(label, "seconds", title)
    for contestant, colour in _COLOURS.items():
        own = [row for row in rows if row.contestant == contestant]
        style = "--" if contestant == SOLVE else "-"
        name = f"{contestant}, alone" if contestant == SOLVE else contestant
        times = [seconds(row) for row in own]
        axes.plot([size(r) for r in own], times, style, color=colour, marker="o", label=name)
    _save(figure, path)


def _draw_memory(path: Path, rows: Sequence[Row]) -> None:
    title = f"Peak memory of a fit beyond its data, {FIXED_FEATURES} features"
    figure, axes = _axes("rows", "megabytes", title)
    for name in dict.fromkeys(row.contestant for row in rows):
        own = [row for row in rows if row.contestant == name]
        n, extra = [row.n_rows for row in own], [row.extra_megabytes for row in own]
        axes.plot(n, extra, color=_COLOURS[name], marker="o", label=f"{name}, beyond the data")
    sizes = list(dict.fromkeys((row.n_rows, row.n_features) for row in rows))
    data = [n * d * _BYTES_PER_VALUE / 2**20 for n, d in sizes]
    axes.plot([n for n, _ in sizes], data, "--", color="#999999", label="the data itself")
    _save(figure, path)


def _draw_phases(path: Path, rows: Sequence[Row]) -> None:
    cases = list(dict.fromkeys(row.case for row in rows))
    phases = list(dict.fromkeys(row.contestant for row in rows))
    times = {(row.case, row.contestant): seconds(row) for row in rows}
    totals = {case: sum(times[case, phase] for phase in phases) for case in cases}
    figure, axes = plt.subplots(figsize=(7, 1.2 + 0.6 * len(cases)), layout="constrained")
    left = dict.fromkeys(cases, 0.0)
    for phase, colour in zip(phases, _PHASE_COLOURS, strict=False):
        shares = {case: times[case, phase] / totals[case] for case in cases}
        axes.barh(
            [f"{case}\n{totals[case]:.3g} s" for case in cases],
            list(shares.values()),
            left=list(left.values()),
            color=colour,
            label=phase,
        )
        left = {case: left[case] + share for case, share in shares.items()}
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set(xlim=(0, 1), title=f"Where the CPU time of {DEFAULT} goes, one thread")
    _save(figure, path)


def _axes(x_label: str, y_label: str, title: str) -> tuple[Any, Any]:
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    axes.set(xscale="log", yscale="log", xlabel=x_label, ylabel=y_label, title=title)
    axes.grid(True, which="major", alpha=0.3)
    return figure, axes


def _save(figure: Any, path: Path) -> None:
    # Outside, where it hides no line.
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)
