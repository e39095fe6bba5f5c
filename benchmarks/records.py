"""What travels between the processes of a run: settings there, rows of tables back."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

Key: TypeAlias = tuple[str, str, str, int]


@dataclass(frozen=True)
class Settings:
    """How a child process measures.

    Attributes
    ----------
    threads : int
        Threads of BLAS, and workers of zerone.
    quick : bool
        Whether sizes are cut down.
    only_ours : bool
        Whether the rivals are left out of fits.
    data_dir : str
        Folder of the real data sets.
    lines : sequence of str
        The lines of the price table; empty for all.
    repeats : int or None
        Fits of each contestant there; None for the usual number.
    """

    threads: int
    quick: bool
    only_ours: bool
    data_dir: str
    lines: Sequence[str] = ()
    repeats: int | None = None


@dataclass(frozen=True)
class Case:
    """One problem that contestants are timed on."""

    table: str
    case: str
    threads: int
    n_rows: int = 0
    n_features: int = 0

    def row(self, contestant: str, **figures: Any) -> "Row":
        """Return a row of this case."""
        return Row(**asdict(self), contestant=contestant, **figures)


@dataclass(frozen=True, kw_only=True)
class Row(Case):
    """What one contestant needed in one case.

    Attributes
    ----------
    median_seconds, min_seconds : float or None
        Of one call; None where nothing was timed, `note` says why.
    unconverged : int
        Rounds that ended in a ConvergenceWarning.
    accuracy, auc : float or None
        On held-out rows.
    extra_megabytes : float or None
        Peak of the process's memory beyond the data.
    predict_seconds, pickle_kilobytes : float or None
        Of the fitted model.
    """

    contestant: str
    median_seconds: float | None = None
    min_seconds: float | None = None
    rounds: int = 0
    unconverged: int = 0
    accuracy: float | None = None
    auc: float | None = None
    extra_megabytes: float | None = None
    predict_seconds: float | None = None
    pickle_kilobytes: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Record:
    """What a child process sends back.

    Attributes
    ----------
    blas_threads : list of int
        What every BLAS library in the process really used.
    source : str
        The folder that zerone was imported from.
    """

    section: str
    threads: int
    blas_threads: list[int]
    source: str
    rows: list[Row]


def shape_name(n: int, d: int) -> str:
    """Return what a case of n rows and d features is called."""
    return f"{n:,} × {d:,}"


def by_key(rows: Iterable[Row]) -> dict[Key, Row]:
    """Return the timed rows by table, case, contestant and threads."""
    return {
        (row.table, row.case, row.contestant, row.threads): row
        for row in rows
        if row.median_seconds is not None
    }


def seconds(row: Row) -> float:
    """Return the median time of a timed row."""
    if row.median_seconds is None:
        raise ValueError(f"{row.case}, {row.contestant}: was not timed")
    return row.median_seconds
