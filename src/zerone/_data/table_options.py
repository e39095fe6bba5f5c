"""The options of reading a table, shared by all that read one."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import Any

from zerone._data.encoding import Encoding
from zerone._data.readers.open import require_strings
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._progress import ProgressReport
from zerone._typing import MissingRule


@dataclass(frozen=True)
class TableOptions:
    """The options of `zerone.Moments.from_table`, which documents them."""

    target: str | None = None
    columns: Sequence[str] | None = None
    weight: str | None = None
    encoding: Encoding | None = None
    categorical: Sequence[str] = ()
    max_categories: int = 100
    missing: MissingRule = "error"
    null_values: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("target", "weight"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, str):
                raise ArgumentTypeError(
                    name, f"got {given!r}, expected the name of a column, a string"
                )
        if self.encoding is not None and not isinstance(self.encoding, Encoding):
            raise ArgumentTypeError(
                "encoding", f"got {type(self.encoding).__name__}, expected zerone.Encoding"
            )
        require_strings("categorical", self.categorical)
        if self.columns is not None:
            require_strings("columns", self.columns)
        if self.missing not in ("error", "impute"):
            raise ArgumentError("missing", f"got {self.missing!r}, expected 'error' or 'impute'")
        most = self.max_categories
        if isinstance(most, bool) or not isinstance(most, int) or most < 2:
            raise ArgumentError(
                "max_categories", f"got {most!r}, expected an integer of at least 2"
            )

    @property
    def string_columns(self) -> list[str]:
        """CSV columns to read as strings even if they look like numbers."""
        agreed = () if self.encoding is None else self.encoding.category_names
        return [*self.categorical, *agreed]

    @property
    def other_columns(self) -> list[str]:
        """Columns that are read but do not become features."""
        return [name for name in (self.target, self.weight) if name is not None]

    def for_table(self, available: Sequence[str]) -> "TableOptions":
        """Return the options with ``columns`` filled in, checked against the available columns."""
        if self.target is None:
            raise ArgumentError(
                "target",
                "got None, expected the name of the column that holds the classes",
                f"the table has {', '.join(map(repr, available))}",
            )
        if self.encoding is not None:
            self._check_encoding(self.encoding)
        return replace(self, columns=self.feature_columns(available))

    def feature_columns(self, available: Sequence[str]) -> list[str]:
        """Return the columns that become features; raises for a column that does not exist."""
        columns = self.columns if self.encoding is None else self.encoding.column_names
        wanted = {"target": [self.target], "weight": [self.weight], "columns": columns or ()}
        for argument, names in wanted.items():
            for name in names:
                if name is not None and name not in available:
                    raise ArgumentError(
                        argument,
                        f"there is no column {name!r}",
                        f"the table has {', '.join(map(repr, available))}",
                    )
        others = self.other_columns
        if self.weight is not None and self.weight == self.target:
            raise ArgumentError("weight", f"{self.weight!r} is the target", "name another column")
        if columns is None:
            chosen = [name for name in available if name not in others]
        else:
            chosen = list(columns)
            for name in chosen:
                if name in others or chosen.count(name) > 1:
                    raise ArgumentError(
                        "columns",
                        f"{name!r} is the target, the weight, or named twice",
                        "remove it from the list",
                    )
        if not chosen:
            raise ArgumentError(
                "columns", "no column is left to become a feature", "at least one is needed"
            )
        return chosen

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that change with the options."""
        given = {**asdict(replace(self, encoding=None)), "encoding": None}
        return given if self.encoding is None else {**given, "encoding": self.encoding.to_json()}

    def _check_encoding(self, encoding: Encoding) -> None:
        if self.columns is not None or {*self.categorical} - {self.target}:
            raise ArgumentError(
                "encoding",
                "already says which columns are read and how",
                "leave out ⟨columns⟩ and ⟨categorical⟩",
            )
        if self.missing not in ("error", encoding.missing):
            raise ArgumentError(
                "missing",
                f"got {self.missing!r}, but the encoding was made with "
                f"missing={encoding.missing!r}",
                f"make it with missing={self.missing!r}",
            )
        if self.target in encoding.column_names:
            raise ArgumentError(
                "encoding",
                f"has the target {self.target!r} among its features",
                f"make it with Encoding.from_table(source, target={self.target!r})",
            )


@dataclass(frozen=True)
class ScanOptions:
    """The options of a scan; `zerone.Moments.from_table` documents them."""

    checkpoint: str | PathLike[str] | None = None
    checkpoint_every: float = 60.0
    progress: bool | ProgressReport | None = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        path, every = self.checkpoint, self.checkpoint_every
        if path is not None and not isinstance(path, str | PathLike):
            raise ArgumentTypeError("checkpoint", f"got {path!r}, expected a path")
        if not (isinstance(every, int | float) and every >= 0 and math.isfinite(every)):
            raise ArgumentError(
                "checkpoint_every", f"got {every!r}, expected a number of seconds, zero or more"
            )
