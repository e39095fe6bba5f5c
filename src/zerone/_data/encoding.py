"""`Encoding`: how the columns of a table become features; stored in moments and models."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from zerone._errors import AdviceError, ArgumentError
from zerone._typing import MissingRule


@dataclass(frozen=True)
class NumericColumn:
    """A column of numbers or booleans: one feature, and an indicator if values are missing.

    Attributes
    ----------
    name : str
    fill : float or None
        Replaces missing values; in moments it is the mean of the other values. None means zero:
        no value was read yet, or none is missing.
    has_indicator : bool
        Whether there is a second feature, 1 where the value is missing. It is added at the first
        missing value.
    """

    name: str
    fill: float | None = None
    has_indicator: bool = False

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the column's features."""
        return (self.name, f"{self.name} is missing") if self.has_indicator else (self.name,)

    def joined(self, other: "NumericColumn") -> "NumericColumn":
        """Return a column that covers both."""
        fill = other.fill if self.fill is None else self.fill
        return NumericColumn(self.name, fill, self.has_indicator or other.has_indicator)

    def difference(self, other: "NumericColumn") -> str | None:
        """Return None: fill values and indicators come from the data and are no difference."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "name": self.name,
            "kind": "numeric",
            "fill": self.fill,
            "indicator": self.has_indicator,
        }


@dataclass(frozen=True)
class CategoryColumn:
    """A column of categories: a feature for each category, 1 where the column has that category.

    Attributes
    ----------
    name : str
    categories : tuple of str
        As strings, sorted.
    has_infrequent : bool
        Whether there is a feature for all categories that are not listed.
    has_missing : bool
        Whether there is a feature for missing values. It is added at the first one.
    """

    name: str
    categories: tuple[str, ...]
    has_infrequent: bool = False
    has_missing: bool = False

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the column's features."""
        names = tuple(f"{self.name}={category}" for category in self.categories)
        if self.has_infrequent:
            names += (f"{self.name} is infrequent",)
        return (*names, f"{self.name} is missing") if self.has_missing else names

    def joined(self, other: "CategoryColumn") -> "CategoryColumn":
        """Return a column that covers both.

        A category that is infrequent in one of them is infrequent in the result.
        """
        categories = {*self.categories, *other.categories}
        infrequent = {
            category
            for category in categories
            if any(
                side.has_infrequent and category not in side.categories for side in (self, other)
            )
        }
        return CategoryColumn(
            self.name,
            tuple(sorted(categories - infrequent)),
            self.has_infrequent or other.has_infrequent,
            self.has_missing or other.has_missing,
        )

    def difference(self, other: "CategoryColumn") -> str | None:
        """Return how the categories of two columns differ; None if they do not."""
        for mine, theirs in ((self, other), (other, self)):
            extra = [category for category in mine.categories if category not in theirs.categories]
            if extra:
                return f"column {self.name!r} has the category {extra[0]!r} in only one of them"
        if self.has_infrequent != other.has_infrequent:
            return (
                f"column {self.name!r} has a feature for infrequent categories in only one of them"
            )
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "name": self.name,
            "kind": "category",
            "categories": list(self.categories),
            "infrequent": self.has_infrequent,
            "missing": self.has_missing,
        }


Column: TypeAlias = NumericColumn | CategoryColumn


def column_from_dict(given: Mapping[str, Any]) -> Column:
    """Return a column from what its ``to_dict`` returned; ValueError for anything else."""
    try:
        name, kind = given["name"], given["kind"]
        if not isinstance(name, str):
            raise ValueError("the name of a column is not a string")
        if kind == "numeric":
            fill = given["fill"]
            fill = None if fill is None else float(fill)
            return NumericColumn(name, fill, _flag(given, "indicator"))
        if kind != "category":
            raise ValueError(f"a column is of the unknown kind {kind!r}")
        categories = tuple(given["categories"])
        are_strings = all(isinstance(category, str) for category in categories)
        if not are_strings or list(categories) != sorted(set(categories)):
            raise ValueError(f"the categories of column {name!r} are not distinct sorted strings")
        return CategoryColumn(name, categories, _flag(given, "infrequent"), _flag(given, "missing"))
    except (KeyError, TypeError) as error:
        raise ValueError(f"a column is described incompletely ({error})") from None


def _flag(given: Mapping[str, Any], name: str) -> bool:
    flag = given[name]
    if not isinstance(flag, bool):
        raise ValueError(f"{name} is not a boolean")
    return flag


@dataclass(frozen=True)
class Encoding:
    """Which columns of a table are read, and which features they become.

    A column of numbers or booleans is one feature. A column of categories becomes one feature per
    category, 1 in rows that have it. With ``missing="impute"`` a missing number is replaced by the
    mean and marked by a further feature; a missing category is a category of its own.

    Moments of a table and classifiers fitted to it have its encoding, so that rows are encoded in
    the same way for prediction. A category that was not in the training data counts as infrequent
    if there is a feature for that; otherwise all features of its column are zero, and `predict`
    warns.

    Make one with `from_table`. Join two encodings of the same columns with ``|``.

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
        missing: MissingRule = "error",
        null_values: Sequence[str] = (),
    ) -> "Encoding":
        """Return the encoding of a table; reads only the columns that hold categories.

        Parameters
        ----------
        source, target, columns, weight, categorical, max_categories, missing, null_values
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
        from zerone._data.encode import planned_encoding
        from zerone._data.readers.libsvm import LibsvmSource
        from zerone._data.readers.open import open_table
        from zerone._data.table_options import TableOptions

        options = TableOptions(
            target=target,
            columns=columns,
            weight=weight,
            categorical=categorical,
            max_categories=max_categories,
            missing=missing,
        )
        opened = open_table(
            source, string_columns=categorical, null_values=null_values, target=target
        )
        if isinstance(opened, LibsvmSource):
            raise ArgumentError(
                "source",
                "LIBSVM text has no named columns, so there is no encoding",
                "read it without one",
            )
        return planned_encoding(opened, options)

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns that are read."""
        return tuple(column.name for column in self.columns)

    @property
    def category_names(self) -> tuple[str, ...]:
        """Names of the columns that hold categories."""
        return tuple(c.name for c in self.columns if isinstance(c, CategoryColumn))

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(name for column in self.columns for name in column.feature_names)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature_names)

    @property
    def is_plain(self) -> bool:
        """Whether every column is one feature, unchanged."""
        return self.missing == "error" and all(
            isinstance(column, NumericColumn) for column in self.columns
        )

    def __or__(self, other: object) -> "Encoding":
        """Return an encoding with the categories of both; raises if the columns differ."""
        if not isinstance(other, Encoding):
            return NotImplemented
        reason = self._columns_differ(other)
        if reason is not None:
            raise AdviceError(
                f"cannot join two encodings: {reason}", "both need the same columns and types"
            )
        theirs = {column.name: column for column in other.columns}
        joined = [column.joined(theirs[column.name]) for column in self.columns]  # type: ignore[arg-type]
        missing: MissingRule = "impute" if "impute" in (self.missing, other.missing) else "error"
        return Encoding(tuple(joined), missing)

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
        """Return the encoding with other fill values for missing numbers, by column name."""
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
        """Return the encoding as a JSON string, for files."""
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
            raise ValueError(f"the encoding of the columns cannot be read: {error}") from None
        if missing not in ("error", "impute"):
            raise ValueError(
                f"the encoding of the columns has missing={missing!r}, expected 'error' or 'impute'"
            )
        return cls(columns, missing)

    def __repr__(self) -> str:
        parts = [
            f"{column.name} ({len(column.categories)} categories)"
            if isinstance(column, CategoryColumn)
            else column.name
            for column in self.columns
        ]
        return f"<Encoding of {', '.join(parts)}; missing={self.missing!r}>"
