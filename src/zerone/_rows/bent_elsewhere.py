"""Rows of a Dask collection or a device whose columns bend: parts are made where the rows are."""

from typing import Any

import numpy as np

from zerone._data.bent_array import Parts, encoding_of_array
from zerone._data.containers import is_dask_frame
from zerone._data.encoding import Encoding
from zerone._moments.moments import Moments
from zerone._rows.array_rows import ArrayRows
from zerone._rows.dask_rows import DaskRows
from zerone._rows.device_rows import DeviceRows
from zerone._rows.rows import Rows
from zerone._typing import AnyArray, FloatArray

# Numbers of the rows that show where columns bend.
_SHOWN_VALUES = 2**22


def bent_elsewhere(rows: Rows) -> Rows:
    """Return rows outside memory whose columns bend at quantiles."""
    if isinstance(rows, DaskRows):
        return BentDaskRows(rows)
    assert isinstance(rows, DeviceRows), "all other rows are in memory or tables"
    return BentDeviceRows(rows)


class BentDeviceRows(DeviceRows):
    """The rows of an array on a device, with the parts of its columns."""

    def __init__(self, straight: DeviceRows) -> None:
        self.bent = _encoding_of(straight)
        self._batch = straight.mapped(Parts.of(self.bent).on_device)

    def _summed(self) -> Moments:
        return Moments(dict(super()._summed().items()), encoding=self.bent)

    def sample(self, max_values: int, random: np.random.RandomState) -> ArrayRows:
        """Return a sample in memory; see `Rows.sample`."""
        return super().sample(max_values, random).in_memory()


class BentDaskRows(DaskRows):
    """The rows of a Dask collection, with the parts of its columns."""

    def __init__(self, straight: DaskRows) -> None:
        self.bent = _encoding_of(straight)
        X, *others = straight.given
        super().__init__(_bent(X, self.bent), *others)

    def _summed(self) -> Moments:
        return Moments(dict(super()._summed().items()), encoding=self.bent)


def _encoding_of(rows: Rows) -> Encoding:
    """Return where columns bend, as a sample shows."""
    sample = rows.sample(_SHOWN_VALUES, np.random.RandomState(0)).in_memory()
    batch = sample.batch.with_array()
    return encoding_of_array(batch.rows, batch.weights, rows.feature_names)


def _bent(X: Any, encoding: Encoding) -> Any:
    """Return a Dask collection with the parts of its columns."""
    parts = Parts.of(encoding)
    if is_dask_frame(X):
        names = encoding.feature_names
        return X.map_partitions(_bent_frame, parts, names, meta=_bent_frame(X._meta, parts, names))
    whole = X.rechunk({1: -1})
    return whole.map_blocks(
        _bent_block, parts, dtype=np.float64, chunks=(whole.chunks[0], (encoding.n_features,))
    )


def _bent_block(rows: AnyArray, parts: Parts) -> FloatArray:
    return parts.of_rows(np.asarray(rows))


def _bent_frame(rows: Any, parts: Parts, names: tuple[str, ...]) -> Any:
    import pandas as pd

    features = parts.of_rows(rows.to_numpy(dtype=np.float64))
    return pd.DataFrame(features, columns=list(names), index=rows.index)
