"""Rows on a device: summed there, and sampled for refinement."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zerone._data.batch import Batch
from zerone._data.device_batch import DeviceBatch, read_device_batch
from zerone._data.devices import Device, to_host
from zerone._data.labels import from_codes, label_list
from zerone._data.sample import ClassSampler
from zerone._kernels.device import device_moments
from zerone._moments.moments import Moments
from zerone._rows.array_rows import ArrayRows
from zerone._rows.rows import Rows
from zerone._typing import AnyArray, FloatArray, IntArray


class DeviceRows(Rows):
    """The rows of an array on a device."""

    def __init__(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> None:
        self._batch = read_device_batch(X, y, sample_weight, classes)

    def _summed(self) -> Moments:
        return device_moments(self._batch)

    def mapped(self, features_of: Callable[[Any, Device], Any]) -> DeviceBatch:
        """Return the batch with other features, made on the device."""
        batch = self._batch
        rows = batch.device.xp.astype(batch.rows, batch.float_type)
        return replace(batch, rows=features_of(rows, batch.device))

    @property
    def classes(self) -> AnyArray:
        """Labels, sorted."""
        return self._batch.classes

    def sample(self, max_values: int, random: np.random.RandomState) -> ArrayRows:
        """Return a sample that stays on the device, in the order of the rows."""
        batch, device = self._batch, self._batch.device
        labels = label_list(batch.classes)
        sampler = ClassSampler(
            dict(zip(labels, batch.sizes, strict=True)), max_values // batch.n_features
        )
        take, bring = device.xp.take, device.bring
        # Of millions of rows the older generator would draw a permutation.
        drawing = np.random.Generator(np.random.MT19937(random.randint(2**31)))
        drawn = []
        for label, member in zip(labels, batch.members, strict=True):
            size = int(member.shape[0])
            wanted = round(size * sampler.share(label))
            chosen = np.sort(drawing.choice(size, wanted, replace=False, shuffle=False))
            drawn.append(to_host(take(member, bring(chosen), axis=0)))
        positions = np.concatenate(drawn)
        codes = np.repeat(np.arange(len(labels)), [len(chosen) for chosen in drawn])
        order = positions.argsort()
        ordered = bring(positions[order])
        rows = device.xp.astype(take(batch.rows, ordered, axis=0), batch.float_type)
        weights = None
        if batch.weights is not None:
            weights = to_host(take(batch.weights, ordered, axis=0)).astype(np.float64)
        if not sampler.is_whole:
            weights = self._reweighted(codes[order], weights)
        found = Batch(rows, from_codes(batch.classes, codes[order]), weights, False, None)
        return DeviceSample(found, device=device, is_sample=not sampler.is_whole)

    def _reweighted(self, codes: IntArray, weights: FloatArray | None) -> FloatArray:
        """Return weights of drawn rows that add up to those of all rows of their class."""
        drawn = np.ones(len(codes)) if weights is None else weights
        totals = np.array([own.weight for own in self.moments().values()])
        counted = np.bincount(codes, drawn, len(totals))
        factors = np.divide(totals, counted, out=np.zeros(len(totals)), where=counted > 0)
        return np.asarray(drawn * factors[codes])


@dataclass(frozen=True, eq=False)
class DeviceSample(ArrayRows):
    """Sampled rows on a device, with labels and weights on the host."""

    device: Device | None = None

    def _summed(self) -> Moments:
        return device_moments(self._on_device(self.batch.members, self.batch.classes))

    def moments_by_cell(self, cells: IntArray, n_cells: int) -> list[Moments] | None:
        """Return the moments of each cell, summed on the device."""
        classes = label_list(self.batch.classes)
        members = [own[cells[own] == cell] for own in self.batch.members for cell in range(n_cells)]
        numbers = np.arange(len(members))
        found = list(device_moments(self._on_device(members, numbers)).values())
        return [
            Moments(dict(zip(classes, found[cell::n_cells], strict=True)))
            for cell in range(n_cells)
        ]

    def _on_device(self, members: list[IntArray], classes: AnyArray) -> DeviceBatch:
        assert self.device is not None, "given by the sample"
        bring, weights = self.device.bring, self.batch.weights
        return DeviceBatch(
            rows=self.batch.rows,
            device=self.device,
            classes=classes,
            members=[bring(own) for own in members],
            weights=None if weights is None else bring(weights),
            float_type=self.batch.rows.dtype,
        )

    def in_memory(self) -> ArrayRows:
        """Return the same rows as a NumPy array."""
        rows = to_host(self.batch.rows).astype(np.float64)
        return ArrayRows(replace(self.batch, rows=rows), is_sample=self.is_sample)
