"""`Column`: what every kind of column can do, and how its cells are read."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from zerone._data.surprises import Surprises
from zerone._errors import AdviceError, AdviceTypeError, ArgumentError
from zerone._typing import AnyArray, FloatArray

Unknown: TypeAlias = Literal["refuse", "grow", "accept"]
"""What happens to a category that has no feature in the encoding.

"refuse" raises (training with a given encoding), "grow" adds a feature (training without one), and
"accept" counts it (prediction).
"""


@dataclass(frozen=True)
class Reading:
    """How the cells of some rows are read.

    Attributes
    ----------
    unknown : {"refuse", "grow", "accept"}
    strict : bool
        Whether a missing value, or a cell that is no number in a column of numbers, is an error.
    null_values : sequence of str
        Cells of text that mean a missing value, besides the usual ones.
    where : str
        Which rows these are, for messages.
    max_categories : int or None
        The most categories of a column that grows.
    surprises : Surprises
        Counts cells that training has not seen, and others that are read as missing.
    """

    unknown: Unknown
    strict: bool
    null_values: Sequence[str] = ()
    where: str = "X"
    max_categories: int | None = None
    surprises: Surprises = field(default_factory=Surprises)

    def missing(self, name: str, row: int) -> ValueError:
        """Return the error for a missing value."""
        return AdviceError(
            f"column {name!r} has a missing value in row {row} of {self.where}",
            "fill it first, or ⟨not strict⟩, so that missing values are imputed and marked",
        )


class Column(ABC):
    """A column of a table that becomes one or several features."""

    kind: ClassVar[str]
    name: str

    @property
    @abstractmethod
    def feature_names(self) -> tuple[str, ...]:
        """Names of the column's features."""

    @property
    def indicators(self) -> tuple[bool, ...]:
        """Which of the features are 1 for some rows and 0 for the others."""
        return (False,) * len(self.feature_names)

    @property
    def is_plain(self) -> bool:
        """Whether the column is one feature, unchanged."""
        return False

    @property
    @abstractmethod
    def read_as(self) -> str:
        """How the column is read, in words."""

    @abstractmethod
    def encoded(self, array: Any, reading: Reading) -> tuple[Any, Self]:
        """Return the features of some cells, and the column with what they have added to it.

        Features are a list of arrays, or a sparse matrix.

        Parameters
        ----------
        array : pyarrow.Array
        reading : Reading
        """

    def absent(self, n_rows: int) -> Any:
        """Return the features of rows without this column, all of them missing values."""
        import pyarrow as pa

        return self.encoded(pa.nulls(n_rows, pa.string()), Reading("accept", False))[0]

    def widest(self) -> Self:
        """Return the column with all the features that rows can add to it."""
        return self

    @abstractmethod
    def joined(self, other: Self) -> Self:
        """Return a column that covers both."""

    @abstractmethod
    def difference(self, other: Self) -> str | None:
        """Return how two columns of one name differ; None if they do not.

        Missing values in the data, and what replaces them, are no difference.
        """

    @abstractmethod
    def map_from(self, old: Self, block: FloatArray) -> None:
        """Write the matrix from the features of ``old`` to these; raises if there is none."""

    def shift_from(self, old: Self) -> float:
        """Return what is added to the first feature of ``old`` after the matrix of `map_from`."""
        return 0.0

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""

    @classmethod
    @abstractmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Return the column that `to_dict` described."""


def flag(given: Mapping[str, Any], name: str) -> bool:
    """Return a boolean of a description; ValueError for anything else."""
    value = given[name]
    if not isinstance(value, bool):
        raise ValueError(f"{name} is not a boolean")
    return value


def number(given: Mapping[str, Any], name: str) -> float:
    """Return a finite number of a description; ValueError for anything else."""
    value = given[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise ValueError(f"{name} is not a number")
    return float(value)


def wrong_type(name: str, arrow_type: Any, wanted: str) -> TypeError:
    """Return the error for a column of a type that cannot be read as in training."""
    return AdviceTypeError(
        f"column {name!r} has type {arrow_type}, but the encoding takes it for {wanted}",
        f"convert it to {wanted}, or make a new encoding from this table",
    )


def require_categories(name: str, arrow_type: Any) -> None:
    """Raise if values cannot be read as categories."""
    from zerone._data.arrow_values import may_be_category

    if not may_be_category(arrow_type):
        raise wrong_type(name, arrow_type, "categories")


def no_feature(problem: str) -> ValueError:
    """Return the error for something that was counted and that has no feature any more."""
    return ArgumentError("encoding", problem, "join both encodings with | first")


def middle(values: FloatArray) -> float:
    """Return the mean of some values, exactly if they are all the same."""
    return float(values[0] + (values - values[0]).mean())


def first_true(mask: AnyArray) -> int:
    """Return the position of the first true value."""
    return int(np.argmax(mask))
