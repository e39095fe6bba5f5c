"""The tables of a run: a page of Markdown and a CSV file each."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from benchmarks.adapters import DEFAULT, ZERONE, ZERONE_AUC
from benchmarks.growth import growth_exponent
from benchmarks.kernels import C_ORDER, CHOLESKY, PRODUCT, SOLVE, TWO_WORKERS
from benchmarks.markdown import grid, number, time_text
from benchmarks.prediction import COEF_PRODUCT, PREDICT
from benchmarks.price_tables import price_lines
from benchmarks.promises import PROMISES
from benchmarks.race import FULL_ROUNDS
from benchmarks.records import Key, Record, Row, by_key, seconds

FILES = "benchmarks"
"""The folder of tables and pictures, beside the page."""


@dataclass(frozen=True)
class Table:
    """How a table is read.

    Attributes
    ----------
    units : tuple of str
        The contestants whose time the others' are given in; a case has one of them.
    floor : str, optional
        The contestant that does only what cannot be left out.
    plot : str, optional
        The file shown above it.
    """

    name: str
    title: str
    text: str
    units: tuple[str, ...]
    floor: str = ""
    plot: str = ""


TABLES = (
    Table(
        "moments",
        "Moments",
        "`Moments.from_data` of two random classes, unless said otherwise; ÷ zerone is "
        "÷ C order, the floor is `X.T @ X` in float64.",
        (C_ORDER,),
        PRODUCT,
    ),
    Table(
        "workers",
        "Workers",
        "`Moments.from_data` in threads over ranges of rows, BLAS with one thread in each; "
        "÷ zerone is ÷ two workers.",
        (TWO_WORKERS,),
    ),
    Table(
        "solve",
        "Solution",
        "The exact solution from moments of two classes; the floor is one Cholesky "
        "factorisation of the sum of the covariances.",
        (SOLVE,),
        CHOLESKY,
    ),
    Table(
        "fits",
        "Fits",
        "Whole fits, validation of the input included. Rivals have scikit-learn's defaults; dense "
        "features are standardised for everyone, sparse ones are as they are. Accuracy and AUC "
        "are those of held-out rows. With two threads rivals have two BLAS threads, zerone has "
        "`n_jobs=2`.",
        (ZERONE, ZERONE_AUC),
    ),
    Table(
        "prediction",
        "Prediction",
        "`predict` of two classes, validation of the input included; the floor is one product of "
        "the same rows in float64 with the coefficients.",
        (PREDICT,),
        COEF_PRODUCT,
    ),
    Table(
        "rows",
        "Growth with rows",
        "Fits at 20 features.",
        (ZERONE,),
        plot="time_against_rows.png",
    ),
    Table(
        "features",
        "Growth with features",
        "Fits to 20,000 rows.",
        (ZERONE,),
        plot="time_against_features.png",
    ),
    Table(
        "memory",
        "Memory",
        "How far the resident set of a fresh process rises above its size with the data, during "
        "one fit (VmHWM, reset before the fit, less what it was reset to).",
        (ZERONE,),
        plot="memory_against_rows.png",
    ),
    Table("price", "Price of the default", "", (ZERONE,)),
    Table(
        "phases",
        "Phases",
        "Where the CPU time of a default fit goes.",
        (),
        plot="phases.png",
    ),
)


def write_report(
    path: Path, command: str, machine: Mapping[str, str], records: Sequence[Record]
) -> None:
    """Write a page, and a CSV file per table into the folder of `FILES` beside it.

    Tables without rows are left out, and so are the promises of a run that is not whole.
    """
    rows = [row for record in records for row in record.rows]
    timed = by_key(rows)
    lines = [f"# {path.stem.capitalize()}", "", f"Made by `{command}`.", ""]
    lines += grid(("measured on", ""), machine.items())
    verdicts = [promise.verdict(rows) for promise in PROMISES]
    if any(verdict[-1] != "not measured" for verdict in verdicts):
        lines += ["## Promises", "", "Ratios of median times, one thread.", ""]
        lines += grid(("promise", "required", "goal", "measured", "outcome"), verdicts)
    for table in TABLES:
        own = [row for row in rows if row.table == table.name]
        if not own:
            continue
        _write_csv(path.parent / FILES / f"{table.name}.csv", table, own, timed)
        if table.name == "price":
            lines += price_lines(own)
            continue
        lines += [f"## {table.title}", "", table.text, *_exponents(table, own), ""]
        lines += [f"![{table.title}]({FILES}/{table.plot})", ""] if table.plot else []
        lines += _table_lines(table, own, timed)
        notes = [f"- {row.case}, {row.contestant}: {row.note}" for row in own if row.note]
        # What is left out with one thread is left out with two.
        lines += [*dict.fromkeys(notes), ""] if notes else []
    lines += ["## Threads", "", "What each process was given and what its BLAS libraries used.", ""]
    lines += grid(
        ("section", "threads", "BLAS threads"),
        [(r.section, str(r.threads), ", ".join(map(str, r.blas_threads))) for r in records],
    )
    path.write_text("\n".join(lines), encoding="utf-8")


def _exponents(table: Table, rows: Sequence[Row]) -> list[str]:
    """Return how the times of our fits grow with rows, in a sentence."""
    if table.name != "rows":
        return []
    found = {name: growth_exponent(rows, name) for name in (ZERONE, DEFAULT)}
    told = [f"n^{slope:.2f} for {name}" for name, slope in found.items() if slope is not None]
    return [f"The time of n rows grows like {' and '.join(told)}."] if told else []


def _table_lines(table: Table, rows: Sequence[Row], timed: Mapping[Key, Row]) -> list[str]:
    header = ("case", "contestant", "median", "min", "rounds", "÷ zerone", "÷ floor", "accuracy",
              "AUC", "two threads", "÷ zerone", "beyond the data")  # fmt: skip
    body = []
    for row in rows:
        if row.note or row.threads > 1:
            continue
        both = timed.get((row.table, row.case, row.contestant, 2))
        body.append(
            (
                row.case,
                row.contestant,
                time_text(row.median_seconds),
                time_text(row.min_seconds),
                _rounds(row),
                number(_ratio(row, table.units, timed), 2),
                number(_ratio(row, (table.floor,), timed), 2),
                number(row.accuracy, 4),
                number(row.auc, 4),
                "" if both is None else time_text(both.median_seconds),
                "" if both is None else number(_ratio(both, table.units, timed), 2),
                "" if row.extra_megabytes is None else f"{row.extra_megabytes:.1f} MB",
            )
        )
    used = [j for j in range(len(header)) if any(cells[j] for cells in body)]
    return grid([header[j] for j in used], [[cells[j] for j in used] for cells in body])


def _ratio(row: Row, units: Sequence[str], timed: Mapping[Key, Row]) -> float | None:
    for unit in units:
        other = timed.get((row.table, row.case, unit, row.threads))
        if other is not None and row.median_seconds is not None:
            return row.median_seconds / seconds(other)
    return None


def _rounds(row: Row) -> str:
    if row.rounds == 0:
        return ""
    text = str(row.rounds) if row.rounds == FULL_ROUNDS else f"only {row.rounds}"
    return f"{text}, {row.unconverged} not converged" if row.unconverged else text


def _write_csv(path: Path, table: Table, rows: Sequence[Row], timed: Mapping[Key, Row]) -> None:
    names = [field.name for field in fields(Row)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*names, "ratio_to_zerone", "ratio_to_floor"])
        writer.writeheader()
        for row in rows:
            writer.writerow(
                asdict(row)
                | {
                    "ratio_to_zerone": _ratio(row, table.units, timed),
                    "ratio_to_floor": _ratio(row, (table.floor,), timed),
                }
            )
