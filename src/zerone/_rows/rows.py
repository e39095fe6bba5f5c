"""`Rows`: what every source of labelled rows can do, and the right kind for an object."""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zerone._data.batch import read_batch
from zerone._data.containers import is_dask, is_foreign
from zerone._data.encoding import Encoding
from zerone._errors import ArgumentError
from zerone._moments.moments import Moments
from zerone._typing import AnyArray

if TYPE_CHECKING:
    from zerone._rows.array_rows import ArrayRows


class Rows(ABC):
    """Labelled rows of one source.

    Fits, moments and comparisons use only these methods, so that a new source needs only a new
    subclass.
    """

    can_be_sampled: bool = True
    """Whether rows can be read again after their moments."""

    def moments(self) -> Moments:
        """Return the moments of all rows; only the first call reads them."""
        return self._moments

    @cached_property
    def _moments(self) -> Moments:
        return self._summed()

    @abstractmethod
    def _summed(self) -> Moments:
        """Read all rows and return their moments."""

    @abstractmethod
    def sample(self, max_values: int, random: np.random.RandomState) -> "ArrayRows":
        """Return rows in memory, in their order.

        All rows if they have at most ``max_values`` numbers; otherwise a sample that keeps rare
        classes whole and is reweighted for the rows that were not drawn.
        """

    @property
    def classes(self) -> AnyArray:
        """Labels, sorted."""
        return self.moments().classes

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features; None if they have none."""
        return self.moments().feature_names

    @property
    def encoding(self) -> Encoding | None:
        """How the columns of a table become features; None for numbers."""
        return self.moments().encoding


def rows_of(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    classes: Any = None,
    covariance: str = "auto",
    n_jobs: int | None = None,
    max_values_to_memory: int = 0,
) -> Rows:
    """Return labelled rows as their kind; see `zerone.Moments.from_data` for the parameters.

    An array on a device with at most ``max_values_to_memory`` numbers is copied to memory.
    """
    if is_dask(X):
        from zerone._rows.dask_rows import DaskRows

        _require_explicit(covariance, "a Dask collection")
        return DaskRows(X, y, sample_weight, classes)
    if is_foreign(X) and _stays_on_device(X, max_values_to_memory):
        from zerone._rows.device_rows import DeviceRows

        _require_explicit(covariance, "an array on a device")
        return DeviceRows(X, y, sample_weight, classes)
    from zerone._rows.array_rows import ArrayRows

    return ArrayRows(read_batch(X, y, sample_weight, classes), covariance, n_jobs)


def _stays_on_device(X: Any, max_values_to_memory: int) -> bool:
    from zerone._data.devices import is_on_device

    if not is_on_device(X):
        return False
    return bool(X.ndim != 2 or X.shape[0] * X.shape[1] > max_values_to_memory)


def _require_explicit(covariance: str, what: str) -> None:
    if covariance not in ("auto", "explicit"):
        raise ArgumentError(
            "covariance",
            f"got {covariance!r}, but {what} has explicit covariances",
            "use 'explicit' or 'auto'",
        )
