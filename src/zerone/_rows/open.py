"""Which kind of rows an object in memory, on a device or in a cluster is."""

from typing import Any

from zerone._data.batch import read_batch
from zerone._data.containers import is_dask, is_foreign
from zerone._errors import ArgumentError
from zerone._rows.array_rows import ArrayRows
from zerone._rows.rows import Rows


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

    Parameters
    ----------
    max_values_to_memory : int
        An array on a device with at most so many numbers is copied to memory.
    """
    if is_dask(X):
        from zerone._rows.dask_rows import DaskRows

        _require_explicit(covariance, "a Dask collection")
        return DaskRows(X, y, sample_weight, classes)
    if is_foreign(X) and _stays_on_device(X, max_values_to_memory):
        from zerone._rows.device_rows import DeviceRows

        _require_explicit(covariance, "an array on a device")
        return DeviceRows(X, y, sample_weight, classes)
    return ArrayRows(read_batch(X, y, sample_weight, classes), covariance, n_jobs)


def _stays_on_device(X: Any, max_values_to_memory: int) -> bool:
    from zerone._data.devices import is_on_device

    if not is_on_device(X):
        return False
    return X.ndim != 2 or X.shape[0] * X.shape[1] > max_values_to_memory


def _require_explicit(covariance: str, what: str) -> None:
    if covariance not in ("auto", "explicit"):
        raise ArgumentError(
            "covariance",
            f"got {covariance!r}",
            f"of {what} only sums are taken, so it must be 'explicit' or 'auto'",
        )
