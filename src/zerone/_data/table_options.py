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


@dataclass(frozen=True)
class TableOptions:
    """The options of `zerone.Moments.from_table`, which documents them."""

    target: str | None = None
    columns: Sequence[str] | None = None
    weight: str | None = None
    encoding: Encoding | None = None
    categorical: Sequence[str] = ()
    max_categories: int = 100
    strict: bool = False
    null_values: Sequence[str] = ()
    keep: Sequence[str] = ()
    hashed: Sequence[str] = ()
    text: Sequence[str] = ()
    shapes: str | None = None

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
        for name in ("categorical", "keep", "hashed", "text", "null_values"):
            require_strings(name, getattr(self, name))
        if self.columns is not None:
            require_strings("columns", self.columns)
        if not isinstance(self.strict, bool):
            raise ArgumentTypeError("strict", f"got {self.strict!r}, expected True or False")
        if self.shapes not in (None, "bends"):
            raise ArgumentError("shapes", f"got {self.shapes!r}, expected None or 'bends'")
        if self.has_bends and self.encoding is not None and not self.encoding.bent_columns:
            raise ArgumentError(
                "encoding",
                "has no columns that bend",
                "make it with Encoding.from_table(source, shapes='bends')",
            )
        given = [*self.categorical, *self.hashed, *self.text]
        twice = next((name for name in given if given.count(name) > 1), None)
        if twice is not None:
            raise ArgumentError(
                "categorical, hashed, text", f"{twice!r} is named twice", "name it in one of them"
            )
        most = self.max_categories
        if isinstance(most, bool) or not isinstance(most, int) or most < 2:
            raise ArgumentError(
                "max_categories", f"got {most!r}, expected an integer of at least 2"
            )

    @property
    def string_columns(self) -> list[str]:
        """CSV columns to read as strings even if they look like numbers."""
        agreed = () if self.encoding is None else self.encoding.string_names
        return [*self.categorical, *self.hashed, *self.text, *agreed]

    @property
    def has_bends(self) -> bool:
        """Whether columns of numbers bend."""
        return self.shapes is not None

    @property
    def is_strict(self) -> bool:
        """Whether nothing may be assumed: as was said, or as the encoding was made."""
        return self.strict if self.encoding is None else self.encoding.strict

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
        said = {
            "columns": self.columns,
            "categorical": {*self.categorical} - {self.target},
            "keep": self.keep,
            "hashed": self.hashed,
            "text": self.text,
        }
        given = [name for name, value in said.items() if value]
        if given:
            raise ArgumentError(
                "encoding",
                "already says which columns are read and how",
                f"leave out {', '.join(f'⟨{name}⟩' for name in given)}",
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
