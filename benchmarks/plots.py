"""Pictures of growth: time against rows and features, memory against rows."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt

from benchmarks.adapters import LDA_LSQR, LOGISTIC, NAIVE_BAYES, ZERONE
from benchmarks.growth import FIXED_FEATURES, FIXED_ROWS
from benchmarks.kernels import SOLVE
from benchmarks.records import Row, seconds

# Okabe and Ito's palette, as in zerone's own pictures.
_COLOURS = {
    ZERONE: "#D55E00",
    SOLVE: "#CC79A7",
    LOGISTIC: "#0072B2",
    LDA_LSQR: "#009E73",
    NAIVE_BAYES: "#000000",
}
_BYTES_PER_VALUE = 8


def draw_plots(folder: Path, rows: Sequence[Row]) -> None:
    """Write the three pictures of the report."""
    mpl.use("Agg")
    _draw_times(
        folder / "time_against_rows.png",
        [row for row in rows if row.table == "rows"],
        lambda row: row.n_rows,
        "rows",
        f"Fit time against rows, {FIXED_FEATURES} features, one thread",
    )
    _draw_times(
        folder / "time_against_features.png",
        [row for row in rows if row.table == "features"],
        lambda row: row.n_features,
        "features",
        f"Fit time against features, {FIXED_ROWS:,} rows, one thread",
    )
    _draw_memory(folder / "memory_against_rows.png", [r for r in rows if r.extra_megabytes])


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
    n = [row.n_rows for row in rows]
    extra = [row.extra_megabytes for row in rows]
    data = [row.n_rows * row.n_features * _BYTES_PER_VALUE / 2**20 for row in rows]
    axes.plot(n, extra, color=_COLOURS[ZERONE], marker="o", label=f"{ZERONE}, beyond the data")
    axes.plot(n, data, "--", color="#999999", label="the data itself")
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
