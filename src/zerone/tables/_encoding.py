"""`Encoding`: how the columns of a table become features, kept with moments and models."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from zerone._typing import MissingRule
from zerone.tables._columns import CategoryColumn, Column, NumericColumn, column_from_dict


@dataclass(frozen=True)
class Encoding:
    """Which columns of a table are read, and which features they become.

    Numbers and truth values are a feature each; a category is a feature per level, 1 in rows that
    have it. With ``missing="impute"`` a missing number counts as the mean of the others, and a
    further feature marks it; a missing category is a level of its own.

    Moments that were read from a table carry their encoding, and so does a classifier that was
    fitted to them: rows to predict are encoded in the same way. A level that training has not
    seen counts as a rare one if there is a feature for these, else all features of its column are
    zero, and `predict` warns.

    Make one with `from_table`. Two encodings of the same columns join with ``|``.

    Attributes
    ----------
    columns : tuple of NumericColumn or CategoryColumn
    missing : {"error", "impute"}

    Examples
    --------
    >>> import pandas as pd
    >>> from zerone import Encoding
    >>> table = pd.DataFrame({"age": [31, 47, 25], "job": ["cook", "nurse", "cook"]})
    >>> Encoding.from_table(table).feature_names
    ('age', 'job=cook', 'job=nurse')
    """

    columns: tuple[Column, ...]
    missing: MissingRule = "error"

    def __post_init__(self) -> None:
        names = self.feature_names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"columns: two features would be named {twice!r}; rename a column")

    @classmethod
    def from_table(
        cls,
        source: Any,
        *,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        categories: Sequence[str] = (),
        max_levels: int = 100,
        missing: MissingRule = "error",
        null_values: Sequence[str] = (),
    ) -> "Encoding":
        """Return the encoding of a table's columns; reads the columns that hold categories.

        Parameters
        ----------
        source, target, columns, weight, categories, max_levels, missing, null_values
            As in `Moments.from_table`. Target and weight are columns that become no feature.

        Returns
        -------
        Encoding

        Examples
        --------
        Two sites agree on an encoding before they read their tables:

        >>> import pandas as pd
        >>> from zerone import Encoding
        >>> here = Encoding.from_table(pd.DataFrame({"job": ["cook", "nurse"]}))
        >>> there = Encoding.from_table(pd.DataFrame({"job": ["baker", "cook"]}))
        >>> (here | there).feature_names
        ('job=baker', 'job=cook', 'job=nurse')
        """
        from zerone.tables._libsvm import LibsvmSource
        from zerone.tables._open import open_table
        from zerone.tables._plan import planned_encoding

        opened = open_table(source, categories=categories, null_values=null_values, target=target)
        if isinstance(opened, LibsvmSource):
            raise ValueError("source: LIBSVM text has no named columns, so there is no encoding")
        return planned_encoding(
            opened,
            target=target,
            columns=columns,
            weight=weight,
            categories=categories,
            max_levels=max_levels,
            missing=missing,
        )

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(column.name for column in self.columns)

    @property
    def category_names(self) -> tuple[str, ...]:
        """Those of them that hold categories."""
        return tuple(c.name for c in self.columns if isinstance(c, CategoryColumn))

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """The features they become."""
        return tuple(name for column in self.columns for name in column.feature_names)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature_names)

    @property
    def is_plain(self) -> bool:
        """Whether every column is a feature as it is."""
        return self.missing == "error" and all(
            isinstance(column, NumericColumn) for column in self.columns
        )

    def __or__(self, other: object) -> "Encoding":
        """Return an encoding that both can be brought to, with the levels of both."""
        if not isinstance(other, Encoding):
            return NotImplemented
        reason = self._columns_differ(other)
        if reason is not None:
            raise ValueError(f"cannot join two encodings: {reason}")
        theirs = {column.name: column for column in other.columns}
        joined = [column.joined(theirs[column.name]) for column in self.columns]  # type: ignore[arg-type]
        missing: MissingRule = "impute" if "impute" in (self.missing, other.missing) else "error"
        return Encoding(tuple(joined), missing)

    def difference(self, other: "Encoding") -> str | None:
        """Say how two encodings differ in columns, their order, or levels; None if they do not.

        Which columns had missing values, and what these count as, is no difference.
        """
        reason = self._columns_differ(other)
        if reason is not None:
            return reason
        for mine, theirs in zip(self.columns, other.columns, strict=True):
            if mine.name != theirs.name:
                return f"column {mine.name!r} of one stands where the other has {theirs.name!r}"
            reason = mine.difference(theirs)  # type: ignore[arg-type]
            if reason is not None:
                return reason
        return None

    def _columns_differ(self, other: "Encoding") -> str | None:
        theirs = {column.name: column for column in other.columns}
        for name in (*self.column_names, *other.column_names):
            if name not in theirs or name not in self.column_names:
                return f"column {name!r} is in only one of them"
        for column in self.columns:
            if type(column) is not type(theirs[column.name]):
                return (
                    f"column {column.name!r} holds numbers in one of them and categories in the "
                    "other"
                )
        return None

    def with_fills(self, fills: dict[str, float]) -> "Encoding":
        """Return the encoding with other values for missing numbers, by column."""
        return replace(
            self,
            columns=tuple(
                replace(column, fill=fills[column.name])
                if isinstance(column, NumericColumn) and column.name in fills
                else column
                for column in self.columns
            ),
        )

    def to_json(self) -> str:
        """Return the encoding as text, for files."""
        columns = [column.to_dict() for column in self.columns]
        return json.dumps({"missing": self.missing, "columns": columns}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Encoding":
        """Return the encoding that `to_json` wrote; ValueError for anything else."""
        try:
            given = json.loads(text)
            columns = tuple(column_from_dict(column) for column in given["columns"])
            missing = given["missing"]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the encoding of its columns cannot be read: {error}") from None
        if missing not in ("error", "impute"):
            raise ValueError(f"the encoding of its columns has missing={missing!r}")
        return cls(columns, missing)

    def __repr__(self) -> str:
        parts = [
            f"{column.name} ({len(column.levels)} levels)"
            if isinstance(column, CategoryColumn)
            else column.name
            for column in self.columns
        ]
        return f"<Encoding of {', '.join(parts)}; missing={self.missing!r}>"
