"""`CategoryColumn`: a feature for each category of a column."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from zerone._data.columns.column import (
    Column,
    Reading,
    first_true,
    flag,
    no_feature,
    require_categories,
)
from zerone._errors import AdviceError
from zerone._typing import AnyArray, FloatArray, IntArray

_SHOWN = 3


@dataclass(frozen=True)
class CategoryColumn(Column):
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

    kind: ClassVar[str] = "category"

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

    @property
    def indicators(self) -> tuple[bool, ...]:
        """Which of the features are 1 for some rows and 0 for the others: all of them."""
        return (True,) * len(self.feature_names)

    @property
    def read_as(self) -> str:
        """How the column is read, in words."""
        shown = ", ".join(self.categories[:_SHOWN])
        more = ", …" if len(self.categories) > _SHOWN else ""
        n = len(self.categories)
        said = f"{n} categor{'y' if n == 1 else 'ies'} ({shown}{more})"
        said += ", infrequent ones combined" if self.has_infrequent else ""
        return said + (", missing as a category" if self.has_missing else "")

    def widest(self) -> "CategoryColumn":
        """Return the column with a feature for missing values."""
        return replace(self, has_missing=True)

    def encoded(self, array: Any, reading: Reading) -> tuple[list[AnyArray], "CategoryColumn"]:
        """Return the features of some cells, and the column with what they have added to it."""
        from zerone._data.arrow_values import codes_of

        require_categories(self.name, array.type)
        column = self
        codes, strings = codes_of(array, reading.null_values, strict=reading.strict)
        present = np.zeros(len(strings) + 1, dtype=bool)
        present[codes] = True
        is_null = np.array([*(string is None for string in strings), True])
        some_missing = bool((present & is_null).any())
        if some_missing and reading.strict:
            raise reading.missing(self.name, first_true(is_null[codes]))
        if some_missing and reading.unknown != "accept":
            column = replace(column, has_missing=True)
        if reading.unknown == "grow" and not column.has_infrequent:
            column = column._grown({own for own in strings if own is not None}, reading)
        slots = column._slots(strings)
        unknown = present[:-1] & (slots[:-1] < 0)
        new = [strings[code] for code in np.flatnonzero(unknown)]
        if new and reading.unknown == "refuse":
            raise AdviceError(
                f"column {column.name!r} has the category {new[0]!r} in {reading.where}, for which "
                "the encoding has no feature",
                "correct the value, or join the encoding with that of this table: encoding | "
                "Encoding.from_table(source)",
            )
        if reading.unknown == "accept":
            column._tell(strings, codes, slots, reading)
        chosen = slots[codes]
        return [chosen == slot for slot in range(len(column.feature_names))], column

    def _grown(self, found: set[str], reading: Reading) -> "CategoryColumn":
        """Return the column with the categories of a stream so far.

        Of more than there may be, those that come later share a feature.
        """
        categories = {*self.categories, *found}
        most = reading.max_categories
        if len(categories) == len(self.categories) or most is None or len(categories) <= most:
            return replace(self, categories=tuple(sorted(categories)))
        if reading.strict:
            raise too_many_in_stream(self.name, most)
        said = "more categories than max_categories; those that come later share a feature"
        reading.surprises.add_column(self.name, said)
        free = max(most - 1 - len(self.categories), 0)
        added = sorted(found - set(self.categories))[:free]
        kept = tuple(sorted({*self.categories, *added}))
        return replace(self, categories=kept, has_infrequent=True)

    def _tell(
        self, strings: list[str | None], codes: IntArray, slots: IntArray, reading: Reading
    ) -> None:
        """Count categories and missing values that have no feature."""
        counts = np.bincount(codes[codes >= 0], minlength=len(strings))
        lost = np.flatnonzero((slots[:-1] < 0) & (counts > 0))
        new = [code for code in lost.tolist() if strings[code] is not None]
        if new:
            examples = [str(strings[code]) for code in new]
            said = "categories that training has not seen, without a feature"
            reading.surprises.add(self.name, said, int(counts[new].sum()), examples)
        missing = int(counts[lost].sum() - counts[new].sum() + np.count_nonzero(codes < 0))
        if missing and not self.has_missing:
            said = "missing values, which training has not seen, without a feature"
            reading.surprises.add(self.name, said, missing)

    def _slots(self, strings: list[str | None]) -> IntArray:
        """Return the feature of each string within the column, and that of missing values last.

        -1 where there is none.
        """
        infrequent = len(self.categories) if self.has_infrequent else -1
        missing = len(self.categories) + self.has_infrequent if self.has_missing else -1
        position = {category: index for index, category in enumerate(self.categories)}
        slots = [missing if s is None else position.get(s, infrequent) for s in strings]
        return np.array([*slots, missing], dtype=np.min_scalar_type(-len(self.categories) - 3))

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

    def map_from(self, old: "CategoryColumn", block: FloatArray) -> None:
        """Write the matrix from the features of ``old`` to these; raises if there is none."""
        if old.has_infrequent:
            added = set(self.categories) - set(old.categories)
            if added:
                raise no_feature(
                    f"column {old.name!r}: the category {min(added)!r} may be among the infrequent "
                    "ones that were counted together"
                )
        infrequent, missing = len(self.categories), len(self.categories) + self.has_infrequent
        place = {category: index for index, category in enumerate(self.categories)}
        for position, category in enumerate(old.categories):
            if category in place:
                block[place[category], position] = 1.0
            elif self.has_infrequent:
                block[infrequent, position] = 1.0
            else:
                raise no_feature(
                    f"column {old.name!r}: the new encoding lacks the category {category!r}"
                )
        if old.has_infrequent:
            if not self.has_infrequent:
                raise no_feature(
                    f"column {old.name!r}: the new encoding has no feature for infrequent "
                    "categories"
                )
            block[infrequent, len(old.categories)] = 1.0
        if old.has_missing:
            if not self.has_missing:
                raise no_feature(
                    f"column {old.name!r} had missing values, for which the new encoding has no "
                    "feature"
                )
            block[missing, len(old.categories) + old.has_infrequent] = 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "categories": list(self.categories),
            "infrequent": self.has_infrequent,
            "missing": self.has_missing,
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "CategoryColumn":
        """Return the column that `to_dict` described."""
        name, categories = given["name"], tuple(given["categories"])
        are_strings = all(isinstance(category, str) for category in categories)
        if not are_strings or list(categories) != sorted(set(categories)):
            raise ValueError(f"the categories of column {name!r} are not distinct sorted strings")
        return cls(name, categories, flag(given, "infrequent"), flag(given, "missing"))


def too_many_in_stream(name: str, most: int) -> ValueError:
    """Return the error for a stream with more categories than there may be."""
    return AdviceError(
        f"column {name!r} has more than max_categories={most} categories, and in a stream that can "
        "be read only once the infrequent ones are not known beforehand",
        "pass an ⟨encoding⟩ that Encoding.from_table made from data that can be read twice, or "
        "⟨leave out⟩",
    )
