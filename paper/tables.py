"""The paper's tables from stored results, beside the paper's own numbers."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from paper.datasets.artificial import ARTIFICIAL_SETS
from paper.datasets.registry import DATA_SETS
from paper.plan import is_shortened, is_too_wide, sets_of
from paper.published import paper_table
from paper.store import Store
from paper.table import Table
from zerone._typing import FloatArray
from zerone.comparison import SIGNIFICANT, corrected_t


@dataclass(frozen=True)
class Column:
    """A group of columns: what one method measured."""

    title: str
    method: str
    paper: str = ""
    """Prefix of the paper's columns for the same method."""
    with_times: bool = False
    quantity: str = ""
    """What is shown, if not the metric of the table."""


@dataclass(frozen=True)
class Layout:
    """What a table compares: the first column is bold if it is better than ``rival``."""

    title: str
    metric: str
    columns: tuple[Column, ...]
    rival: str


LAYOUTS = {
    "table2": Layout(
        "Table 2: expected error against logistic loss, artificial data (test accuracy)",
        "accuracy",
        (
            Column("F_n01, approximate moments", "error-lbfgs-free", "n01_approx", True),
            Column("F_n01, exact moments", "error-true-moments", "n01_exact"),
            Column("exact moments, exact solver", "error-true-moments", quantity="exact_accuracy"),
            Column("exact solver, shrunk", "error-default"),
            Column("logistic", "logistic", "log", True),
        ),
        "logistic",
    ),
    "table3": Layout(
        "Table 3: expected ranking loss against pairwise hinge, artificial data (test AUC)",
        "auc",
        (
            Column("F_nrank, approximate moments", "rank-lbfgs-free", "nrank_approx", True),
            Column("F_nrank, exact moments", "rank-true-moments", "nrank_exact"),
            Column("exact moments, exact solver", "rank-true-moments", quantity="exact_auc"),
            Column("exact solver, shrunk", "rank-default"),
            Column("pairwise hinge", "hinge", "hinge", True),
        ),
        "hinge",
    ),
    "table5": Layout(
        "Table 5: expected error against logistic loss, real data (test accuracy)",
        "accuracy",
        (
            Column("F_n01 by L-BFGS", "error-lbfgs", "n01", True),
            Column("exact solver", "error-exact"),
            Column("exact solver, shrunk", "error-default"),
            Column("logistic", "logistic", "log", True),
        ),
        "logistic",
    ),
    "table6": Layout(
        "Table 6: expected ranking loss against pairwise hinge, real data (test AUC)",
        "auc",
        (
            Column("F_nrank by L-BFGS", "rank-lbfgs", "nrank", True),
            Column("exact solver", "rank-exact"),
            Column("exact solver, shrunk", "rank-default"),
            Column("pairwise hinge", "hinge", "hinge", True),
        ),
        "hinge",
    ),
    "table7": Layout(
        "Table 7: expected error and logistic loss against LDA and Adam (test accuracy)",
        "accuracy",
        (
            Column("F_n01 by L-BFGS", "error-lbfgs", "n01"),
            Column("exact solver, shrunk", "error-default"),
            Column("logistic", "logistic", "log"),
            Column("LDA", "lda", "lda"),
            Column("Adam", "adam", "adam"),
        ),
        "logistic",
    ),
}


def results_table(
    target: str,
    store: Store,
    sets: Iterable[str] | None,
    *,
    missing: Collection[str] = (),
    quick: bool,
) -> Table:
    """Return one of the paper's result tables; sets in ``missing`` are not available."""
    layout = LAYOUTS[target]
    kind = "artificial" if target in ("table2", "table3") else "real"
    paper = paper_table(target)
    suffix = "acc" if layout.metric == "accuracy" else "auc"
    columns = ["data"]
    for column in layout.columns:
        columns.append(column.title)
        if column.with_times:
            columns += ["iterations", "solve s", "moments s"]
        if column.paper:
            columns += ["paper", "difference"]
    rows, notes = [], []
    for name in sets_of(target, sets):
        values = [
            _values(store, f"{kind}/{name}/{column.method}/", column.quantity or layout.metric)
            for column in layout.columns
        ]
        rival = _values(store, f"{kind}/{name}/{layout.rival}/", layout.metric)
        paper_name = name if kind == "artificial" else DATA_SETS[name].paper_name
        printed = paper.get(paper_name or "", {})
        if name in missing:
            rows.append([name, "data not available", *[""] * (len(columns) - 2)])
            continue
        row = [f"{name} †" if is_shortened(name) and not quick else name]
        for position, (column, measured) in enumerate(zip(layout.columns, values, strict=True)):
            cell = "too wide" if is_too_wide(name, column.method) else _mean_and_sd(measured)
            if position == 0 and corrected_t(measured, rival) > SIGNIFICANT:
                cell = f"**{cell}**"
            row.append(cell)
            if column.with_times:
                prefix = f"{kind}/{name}/{column.method}/"
                row += [
                    _mean(_values(store, prefix, quantity), digits)
                    for quantity, digits in (("n_iter", 1), ("solve_s", 3), ("moment_s", 3))
                ]
            if column.paper:
                row += _beside_paper(measured, printed.get(f"{column.paper}_{suffix}"))
        rows.append(row)
    if any(row[0].endswith("†") for row in rows):
        notes.append("† fewer repeats than the paper's, because one takes minutes")
    notes.append(
        "bold: significantly better than the rival in the last columns (corrected resampled "
        "t-test, t > 2)" if target != "table7" else
        "bold: significantly better than logistic regression (corrected resampled t-test, t > 2)"
    )  # fmt: skip
    if quick:
        notes.append("quick run: one repeat, and artificial sets of 50 features")
    return Table(target, layout.title, columns, rows, notes)


def sets_table(target: str) -> Table:
    """Return Table 1 (artificial sets) or Table 4 (real sets)."""
    if target == "table1":
        rows = [
            [name, str(s.n_features), str(s.n_rows), f"{s.positives:g}", f"{100 * s.swapped:g}"]
            for name, s in ARTIFICIAL_SETS.items()
        ]
        columns = ["data", "d", "n", "P+", "labels swapped, %"]
        return Table(target, "Table 1: artificial data sets", columns, rows)
    rows = [
        [s.name, s.paper_name or "(not in the paper)", s.attributes, str(s.n_features),
         f"{s.n_rows:,}", f"{s.positives:.3f}", s.origin, s.binarised, s.note]
        for s in DATA_SETS.values()
    ]  # fmt: skip
    columns = ["data", "in the paper", "features", "d", "n", "P+", "origin", "+1 is", "note"]
    return Table(target, "Table 4: real data sets", columns, rows)


def _values(store: Store, prefix: str, quantity: str) -> FloatArray:
    """Return a quantity of every fold, in the order of the repeats."""
    folds = [fold for record in store.matching(prefix) for fold in record["folds"]]
    return np.array([fold[quantity] for fold in folds if quantity in fold], dtype=np.float64)


def _mean_and_sd(values: FloatArray) -> str:
    return f"{values.mean():.4f} ± {values.std():.4f}" if len(values) else "not run"


def _mean(values: FloatArray, digits: int) -> str:
    return f"{values.mean():.{digits}f}" if len(values) else ""


def _beside_paper(values: FloatArray, paper: float | None) -> list[str]:
    if paper is None:
        return ["", ""]
    return [f"{paper:.4f}", f"{values.mean() - paper:+.4f}" if len(values) else ""]
