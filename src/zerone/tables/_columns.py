"""How one column of a table becomes features."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True)
class NumericColumn:
    """A column of numbers or truth values: one feature, and one more that marks missing values.

    Attributes
    ----------
    name : str
    fill : float or None
        What a missing value counts as: in moments the mean of the values that are there. None
        where there are none yet, or where no value is missing; it then counts as zero.
    has_indicator : bool
        Whether there is a second feature, 1 where the value is missing. There is one as soon as
        a missing value has been counted.
    """

    name: str
    fill: float | None = None
    has_indicator: bool = False

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the column's features."""
        return (self.name, f"{self.name} is missing") if self.has_indicator else (self.name,)

    def joined(self, other: "NumericColumn") -> "NumericColumn":
        """Return a column that can stand for both."""
        fill = other.fill if self.fill is None else self.fill
        return NumericColumn(self.name, fill, self.has_indicator or other.has_indicator)

    def difference(self, other: "NumericColumn") -> str | None:
        """Say how two columns differ in what was agreed on; what was met in data is not that."""
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
    """A column of categories: a feature for each level, 1 where the column has that level.

    Attributes
    ----------
    name : str
    levels : tuple of str
        As text, sorted.
    has_rare : bool
        Whether there is a feature for all levels that are not listed.
    has_missing : bool
        Whether there is a feature for missing values. There is one as soon as a missing value
        has been counted.
    """

    name: str
    levels: tuple[str, ...]
    has_rare: bool = False
    has_missing: bool = False

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the column's features."""
        names = tuple(f"{self.name}={level}" for level in self.levels)
        if self.has_rare:
            names += (f"{self.name} is rare",)
        return (*names, f"{self.name} is missing") if self.has_missing else names

    def joined(self, other: "CategoryColumn") -> "CategoryColumn":
        """Return a column that can stand for both.

        A level that one side has counted among its rare ones cannot be told apart any more.
        """
        levels = {*self.levels, *other.levels}
        lumped = {
            level
            for level in levels
            if any(side.has_rare and level not in side.levels for side in (self, other))
        }
        return CategoryColumn(
            self.name,
            tuple(sorted(levels - lumped)),
            self.has_rare or other.has_rare,
            self.has_missing or other.has_missing,
        )

    def difference(self, other: "CategoryColumn") -> str | None:
        """Say how two columns differ in what was agreed on; what was met in data is not that."""
        for mine, theirs in ((self, other), (other, self)):
            extra = [level for level in mine.levels if level not in theirs.levels]
            if extra:
                return f"column {self.name!r} has the level {extra[0]!r} in only one of them"
        if self.has_rare != other.has_rare:
            return f"column {self.name!r} has a feature for rare levels in only one of them"
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "name": self.name,
            "kind": "category",
            "levels": list(self.levels),
            "rare": self.has_rare,
            "missing": self.has_missing,
        }


Column: TypeAlias = NumericColumn | CategoryColumn


def column_from_dict(given: Mapping[str, Any]) -> Column:
    """Return a column from what its ``to_dict`` returned; ValueError for anything else."""
    try:
        name, kind = given["name"], given["kind"]
        if not isinstance(name, str):
            raise ValueError("a column's name is not text")
        if kind == "numeric":
            fill = given["fill"]
            fill = None if fill is None else float(fill)
            return NumericColumn(name, fill, _flag(given, "indicator"))
        if kind != "category":
            raise ValueError(f"a column is of the unknown kind {kind!r}")
        levels = tuple(given["levels"])
        are_texts = all(isinstance(level, str) for level in levels)
        if not are_texts or list(levels) != sorted(set(levels)):
            raise ValueError(f"the levels of column {name!r} are not distinct sorted texts")
        return CategoryColumn(name, levels, _flag(given, "rare"), _flag(given, "missing"))
    except (KeyError, TypeError) as error:
        raise ValueError(f"a column is described incompletely ({error})") from None


def _flag(given: Mapping[str, Any], name: str) -> bool:
    flag = given[name]
    if not isinstance(flag, bool):
        raise ValueError(f"{name} is not true or false")
    return flag
