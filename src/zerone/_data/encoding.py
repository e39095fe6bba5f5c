"""`Encoding`: how the columns of a table become features; stored in moments and models."""

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from zerone._data.columns.category import CategoryColumn
from zerone._data.columns.column import Column
from zerone._data.columns.dates import DateColumn
from zerone._data.columns.filled import FilledColumn
from zerone._data.columns.hashed import HashedColumn, TextColumn
from zerone._data.columns.numeric import NumericColumn
from zerone._errors import AdviceError, ArgumentError

KINDS: dict[str, type[Column]] = {
    kind.kind: kind
    for kind in (NumericColumn, CategoryColumn, DateColumn, HashedColumn, TextColumn)
}
"""The kinds of columns by the name of each in files."""


def column_from_dict(given: Mapping[str, Any]) -> Column:
    """Return a column from what its ``to_dict`` returned; ValueError for anything else."""
    try:
        name, kind = given["name"], given["kind"]
        if not isinstance(name, str):
            raise ValueError("the name of a column is not a string")
        if kind not in KINDS:
            raise ValueError(f"a column is of the unknown kind {kind!r}")
        return KINDS[kind].from_dict(given)
    except (KeyError, TypeError) as error:
        raise ValueError(f"a column is described incompletely ({error})") from None


@dataclass(frozen=True)
class Note:
    """What was assumed about a column of a table.

    Attributes
    ----------
    column : str
    said : str
    n_values : int or None
        How many values it concerns; None for all.
    is_left_out : bool
        Whether the column does not become a feature, and ``said`` is the reason.
    """

    column: str
    said: str
    n_values: int | None = None
    is_left_out: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "column": self.column,
            "said": self.said,
            "values": self.n_values,
            "left_out": self.is_left_out,
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Note":
        """Return the note that `to_dict` described."""
        n_values = given["values"]
        return cls(
            str(given["column"]),
            str(given["said"]),
            None if n_values is None else int(n_values),
            bool(given["left_out"]),
        )


@dataclass(frozen=True)
class ColumnPlan:
    """How one column of a table is read.

    Attributes
    ----------
    column : str
    read_as : str
        In words; "left out" for a column that does not become a feature.
    n_features : int
    assumed : tuple of str
        What was assumed, and how many values it concerns.
    """

    column: str
    read_as: str
    n_features: int
    assumed: tuple[str, ...]


@dataclass(frozen=True)
class Encoding:
    """Which columns of a table are read, and which features they become.

    A column of numbers or booleans is one feature. A column of categories becomes one feature per
    category, 1 in rows that have it. A date becomes days since the first one, with sine and cosine
    of the year, the week and the day. A missing number or date is replaced by the mean and marked
    by a further feature; a missing category is a category of its own.

    Moments of a table and classifiers fitted to it have its encoding, so that rows are encoded in
    the same way for prediction. A category that was not in the training data counts as infrequent
    if there is a feature for that; otherwise all features of its column are zero, and `predict`
    warns.

    Make one with `from_table`. Join two encodings of the same columns with ``|``.

    Attributes
    ----------
    columns : tuple of columns
    strict : bool
        Whether a missing value, or a cell of the wrong type, is an error.
    null_values : tuple of str
        Cells of text that mean a missing value, besides the usual ones.
    notes : tuple of Note
        What was assumed about the columns of the table, also about those that are left out.
    target, weight : str or None
        The columns from which training took labels and weights.
    is_positional : bool
        Whether columns are those of an array or frame of numbers, in its order.

    Examples
    --------
    >>> import pandas as pd
    >>> from zerone import Encoding
    >>> table = pd.DataFrame({"age": [31, 47, 25], "job": ["cook", "nurse", "cook"]})
    >>> Encoding.from_table(table).feature_names
    ('age', 'job=cook', 'job=nurse')
    """

    columns: tuple[Column, ...]
    strict: bool = False
    null_values: tuple[str, ...] = ()
    notes: tuple[Note, ...] = field(default=(), compare=False)
    target: str | None = field(default=None, compare=False)
    weight: str | None = field(default=None, compare=False)
    is_positional: bool = False

    def __post_init__(self) -> None:
        names = self.feature_names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ArgumentError(
                "columns", f"two features would have the name {twice!r}", "rename a column"
            )

    @classmethod
    def from_table(
        cls,
        source: Any,
        *,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        categorical: Sequence[str] = (),
        max_categories: int = 100,
        strict: bool = False,
        null_values: Sequence[str] = (),
        keep: Sequence[str] = (),
        hashed: Sequence[str] = (),
        text: Sequence[str] = (),
        shapes: str | None = None,
    ) -> "Encoding":
        """Return the encoding of a table, from one look at its rows.

        Parameters
        ----------
        source, target, columns, weight, categorical, max_categories, strict, null_values, keep, \
hashed, text, shapes
            As in `Moments.from_table`. Target and weight do not become features.

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
        from zerone._data.plan import planned_encoding
        from zerone._data.readers.libsvm import LibsvmSource
        from zerone._data.readers.open import open_table
        from zerone._data.table_options import TableOptions

        options = TableOptions(
            target=target,
            columns=columns,
            weight=weight,
            categorical=categorical,
            max_categories=max_categories,
            strict=strict,
            null_values=null_values,
            keep=keep,
            hashed=hashed,
            text=text,
            shapes=shapes,
        )
        opened = open_table(
            source,
            string_columns=options.string_columns,
            null_values=null_values,
            target=target,
            strict=strict,
        )
        if isinstance(opened, LibsvmSource):
            raise ArgumentError(
                "source",
                "LIBSVM text has no named columns, so there is no encoding",
                "read it without one",
            )
        return planned_encoding(opened, options)

    @property
    def plan(self) -> tuple[ColumnPlan, ...]:
        """How every column of the table is read, and what was assumed about it.

        Columns that become features come first, then the target, and those that are left out.
        """
        assumed: dict[str, list[str]] = {}
        for note in self.notes:
            if not note.is_left_out:
                count = "" if note.n_values is None else f" ({note.n_values:,})"
                assumed.setdefault(note.column, []).append(note.said + count)
        plans = [
            ColumnPlan(
                column.name,
                column.read_as,
                len(column.feature_names),
                tuple(assumed.pop(column.name, ())),
            )
            for column in self.columns
        ]
        plans += [
            ColumnPlan(name, "labels" if name == self.target else "lines", 0, tuple(said))
            for name, said in assumed.items()
        ]
        plans += [
            ColumnPlan(note.column, "left out", 0, (note.said,))
            for note in self.notes
            if note.is_left_out
        ]
        return tuple(plans)

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns that are read."""
        return tuple(column.name for column in self.columns)

    @property
    def string_names(self) -> tuple[str, ...]:
        """Names of the columns whose cells are strings, even if they look like numbers."""
        kinds = CategoryColumn | HashedColumn | TextColumn
        return tuple(c.name for c in self.columns if isinstance(c, kinds))

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(name for column in self.columns for name in column.feature_names)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature_names)

    @property
    def is_sparse(self) -> bool:
        """Whether rows are sparse: they have a feature for each of many hashes."""
        return any(isinstance(column, HashedColumn | TextColumn) for column in self.columns)

    @property
    def is_plain(self) -> bool:
        """Whether every column is one feature, unchanged."""
        return all(column.is_plain for column in self.columns)

    @property
    def bent_columns(self) -> tuple[NumericColumn, ...]:
        """The columns that bend."""
        return tuple(c for c in self.columns if isinstance(c, NumericColumn) and c.knots)

    def straight_but(self, names: Container[str] = ()) -> "Encoding":
        """Return the encoding in which no other columns bend than those that are named."""
        columns = tuple(
            replace(column, knots=())
            if isinstance(column, NumericColumn) and column.name not in names
            else column
            for column in self.columns
        )
        return replace(self, columns=columns)

    def __or__(self, other: object) -> "Encoding":
        """Return an encoding with the categories of both; raises if the columns differ."""
        if not isinstance(other, Encoding):
            return NotImplemented
        mine, theirs = ({c.name: c for c in side.columns} for side in (self, other))
        joined: list[Column] = []
        for name in dict.fromkeys((*mine, *theirs)):
            # A column that one table leaves out, because it is constant there, is read in both.
            if (name not in mine and not self._leaves_out(name)) or (
                name not in theirs and not other._leaves_out(name)
            ):
                raise _cannot_join(f"column {name!r} is in only one of them")
            one, two = mine.get(name), theirs.get(name)
            if one is not None and two is not None:
                if type(one) is not type(two):
                    raise _cannot_join(f"column {name!r} is not read in the same way in both")
                joined.append(one.joined(two))
            else:
                joined += [own for own in (one, two) if own is not None]
        notes = dict.fromkeys((*self.notes, *other.notes))
        read = {*mine, *theirs}
        return replace(
            self,
            columns=tuple(joined),
            strict=self.strict and other.strict,
            null_values=tuple(dict.fromkeys((*self.null_values, *other.null_values))),
            notes=tuple(n for n in notes if not (n.is_left_out and n.column in read)),
        )

    def _leaves_out(self, name: str) -> bool:
        return any(note.is_left_out and note.column == name for note in self.notes)

    def difference(self, other: "Encoding") -> str | None:
        """Return how columns, their order or categories differ; None if they do not.

        Missing values in the data, and what replaces them, are no difference.
        """
        reason = self._columns_differ(other)
        if reason is not None:
            return reason
        for mine, theirs in zip(self.columns, other.columns, strict=True):
            if mine.name != theirs.name:
                return f"one has column {mine.name!r} where the other has {theirs.name!r}"
            reason = mine.difference(theirs)
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
                return f"column {column.name!r} is not read in the same way in both"
        return None

    def with_fills(self, fills: dict[str, float]) -> "Encoding":
        """Return the encoding with other fill values for missing numbers, by column name."""
        return replace(
            self,
            columns=tuple(
                replace(column, fill=fills[column.name])  # type: ignore[type-var]
                if isinstance(column, FilledColumn) and column.name in fills
                else column
                for column in self.columns
            ),
        )

    def to_json(self, *, with_notes: bool = False) -> str:
        """Return the encoding as a JSON string, for files and for other sites.

        Parameters
        ----------
        with_notes : bool, default=False
            Whether to include all that was assumed: counts, and cells as examples. Otherwise only
            which columns are left out, and why.
        """
        notes = [note for note in self.notes if with_notes or note.is_left_out]
        given = {
            "strict": self.strict,
            "null_values": list(self.null_values),
            "columns": [column.to_dict() for column in self.columns],
            "notes": [note.to_dict() for note in notes],
            "target": self.target,
            "weight": self.weight,
        }
        if self.is_positional:
            given["positional"] = True
        return json.dumps(given, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Encoding":
        """Return the encoding that `to_json` wrote; ValueError for anything else."""
        try:
            given = json.loads(text)
            columns = tuple(column_from_dict(column) for column in given["columns"])
            notes = tuple(Note.from_dict(note) for note in given["notes"])
            null_values, strict = tuple(given["null_values"]), given["strict"]
            names = given["target"], given["weight"]
            is_positional = given.get("positional", False)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the encoding of the columns cannot be read: {error}") from None
        if not isinstance(strict, bool) or not all(isinstance(v, str) for v in null_values):
            raise ValueError("the encoding of the columns cannot be read: strict or null_values")
        if not isinstance(is_positional, bool):
            raise ValueError("the encoding of the columns cannot be read: positional")
        if not all(name is None or isinstance(name, str) for name in names):
            raise ValueError("the encoding of the columns cannot be read: target or weight")
        return cls(columns, strict, null_values, notes, *names, is_positional)

    def __repr__(self) -> str:
        parts = [
            f"{column.name} ({len(column.categories)} categories)"
            if isinstance(column, CategoryColumn)
            else column.name
            for column in self.columns
        ]
        return f"<Encoding of {', '.join(parts)}>"


def _cannot_join(reason: str) -> ValueError:
    return AdviceError(
        f"cannot join two encodings: {reason}", "both need the same columns and types"
    )
