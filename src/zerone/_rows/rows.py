"""`Rows`: what every source of labelled rows can do, and all that a fit asks of it."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from zerone._data.encoding import Encoding
from zerone._moments.moments import Moments
from zerone._typing import AnyArray

if TYPE_CHECKING:
    from zerone._rows.array_rows import ArrayRows


class Rows(ABC):
    """Labelled rows of one source.

    A new source is a new kind of rows, and nothing else changes: fits, moments and comparisons
    ask for no more than this.
    """

    can_be_sampled: bool = True
    """Whether rows can be read once more after their moments."""

    @abstractmethod
    def moments(self) -> Moments:
        """Return the moments of all rows; they are read once, however often this is called."""

    @abstractmethod
    def sample(self, max_values: int, random: np.random.RandomState) -> "ArrayRows":
        """Return rows in memory, in their order.

        All of them if they have at most so many numbers; else a sample that keeps rare classes
        whole, with weights that stand for the rows left out.
        """

    @property
    def classes(self) -> AnyArray:
        """Labels, sorted."""
        return self.moments().classes

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features; None where they have none."""
        return self.moments().feature_names

    @property
    def encoding(self) -> Encoding | None:
        """How the columns of a table become features; None for numbers."""
        return self.moments().encoding
