"""Rows on a device: summed there, and sampled for refinement."""

from typing import Any

import numpy as np

from zerone._data.device_batch import read_device_batch
from zerone._data.devices import to_host
from zerone._data.labels import label_list
from zerone._data.sample import ClassSampler, SampledPart
from zerone._kernels.device import device_moments
from zerone._moments.moments import Moments
from zerone._rows.array_rows import ArrayRows
from zerone._rows.rows import Rows
from zerone._typing import AnyArray


class DeviceRows(Rows):
    """The rows of an array on a device."""

    def __init__(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> None:
        self._batch = read_device_batch(X, y, sample_weight, classes)

    def _summed(self) -> Moments:
        return device_moments(self._batch)

    @property
    def classes(self) -> AnyArray:
        """Labels, sorted."""
        return self._batch.classes

    def sample(self, max_values: int, random: np.random.RandomState) -> ArrayRows:
        """Return a sample, drawn on the host and gathered on the device."""
        batch = self._batch
        labels = label_list(batch.classes)
        sampler = ClassSampler(
            dict(zip(labels, batch.sizes, strict=True)), max_values // batch.n_features
        )
        take, bring = batch.device.xp.take, batch.device.bring
        drawn = []
        for label, member in zip(labels, batch.members, strict=True):
            chosen = np.flatnonzero(random.random_sample(member.shape[0]) < sampler.share(label))
            drawn.append(to_host(take(member, bring(chosen), axis=0)))
        positions = np.concatenate(drawn)
        codes = np.repeat(np.arange(len(labels)), [len(chosen) for chosen in drawn])
        # In the order of the rows.
        order = positions.argsort()
        ordered = bring(positions[order])
        found = batch.device.xp.astype(take(batch.rows, ordered, axis=0), batch.float_type)
        weights = None if batch.weights is None else take(batch.weights, ordered, axis=0)
        part = SampledPart(
            to_host(found).astype(np.float64),
            batch.classes[codes[order]],
            None if weights is None else to_host(weights).astype(np.float64),
        )
        totals = {label: own.weight for label, own in self.moments().items()}
        return ArrayRows(sampler.joined([part], totals), is_sample=not sampler.is_whole)
