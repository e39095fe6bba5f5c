"""Rows that are not in this process's memory: summed where they are, sampled for refinement."""

from collections import Counter
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn import get_config

from zerone._typing import AnyArray, FloatArray, Label
from zerone.estimators._input import require_classes
from zerone.moments import Moments
from zerone.sources import (
    Batch,
    Place,
    has_no_rows,
    in_memory,
    is_dask,
    is_foreign,
    is_on_device,
    label_list,
    on_host,
    per_partition,
    place_of,
    read_batch,
    read_device_batch,
    read_rows,
    shared_places,
    to_host,
)

# Rows, dense or sparse, their labels and weights.
Sampled = tuple[Any, AnyArray, FloatArray | None]


class RowsElsewhere(Protocol):
    """Labelled rows that are on a device or in a cluster."""

    def moments(self) -> Moments:
        """Return the moments, for which only sums travel."""
        ...

    def sample(self, moments: Moments, most_values: int, seed: int) -> tuple[Batch, bool]:
        """Return rows in memory, in their order, and whether they are all there are.

        All of them if they are few, else some of each class.
        """
        ...


def dispatched_place(X: Any) -> Place | None:
    """Return where results belong: beside ``X`` where scikit-learn's array API dispatch is on."""
    if not is_foreign(X):
        return None
    if get_config()["array_api_dispatch"]:
        return place_of(X)
    if on_host(X) is None:
        raise TypeError(
            f"X: is an array of {type(X).__module__.partition('.')[0]} on {X.device}, and "
            "scikit-learn's array API dispatch is off; switch it on with "
            "sklearn.set_config(array_api_dispatch=True), or pass a NumPy array"
        )
    return None


def rows_elsewhere(
    X: Any, y: Any, sample_weight: Any, most_values: int | None
) -> RowsElsewhere | None:
    """Return rows that stay where they are; None for those that are better in memory.

    Parameters
    ----------
    most_values : int or None
        So many numbers on a device are copied to memory all the same: refining needs rows there.
    """
    if is_dask(X):
        return DaskRows(X, y, sample_weight)
    if is_foreign(X) and is_on_device(X):
        if most_values is not None and X.ndim == 2 and X.shape[0] * X.shape[1] <= most_values:
            return None
        return DeviceRows(X, y, sample_weight)
    return None


class DaskRows:
    """The rows of a Dask collection."""

    def __init__(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._given = X, y, sample_weight

    def moments(self) -> Moments:
        """Return the moments, summed by Dask's workers."""
        X, y, sample_weight = self._given
        return Moments.from_data(X, y, sample_weight=sample_weight)

    def sample(self, moments: Moments, most_values: int, seed: int) -> tuple[Batch, bool]:
        """Return a sample that Dask's workers draw."""
        import dask

        if self._given[2] is None:
            sizes = {label: int(m.weight) for label, m in moments.items()}
        else:
            # Weights do not tell how many rows there are.
            counts = per_partition(_counted, *self._given)
            sizes = dict(sum(dask.compute(counts)[0], Counter()))
        shares = _shares(sizes, most_values // moments.n_features)
        drawn = per_partition(_drawn, *self._given, shares, seed)
        found = [part for part in dask.compute(drawn)[0] if part is not None]
        return _made_up(found, moments, shares)


class DeviceRows:
    """The rows of an array on a device."""

    def __init__(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._batch = read_device_batch(X, y, sample_weight)
        require_classes(self._batch.classes)

    def moments(self) -> Moments:
        """Return the moments, summed on the device."""
        return Moments.from_batch(self._batch)

    def sample(self, moments: Moments, most_values: int, seed: int) -> tuple[Batch, bool]:
        """Return a sample, drawn on the host and gathered on the device."""
        batch, random = self._batch, np.random.RandomState(seed)
        labels = label_list(batch.classes)
        sizes = dict(zip(labels, batch.sizes, strict=True))
        shares = _shares(sizes, most_values // batch.n_features)
        take, bring = batch.place.xp.take, batch.place.bring
        drawn = []
        for label, member in zip(labels, batch.members, strict=True):
            chosen = np.flatnonzero(random.random_sample(sizes[label]) < shares[label])
            drawn.append(to_host(take(member, bring(chosen), axis=0)))
        positions = np.concatenate(drawn)
        codes = np.repeat(np.arange(len(labels)), [len(chosen) for chosen in drawn])
        # In the order of the rows.
        order = positions.argsort()
        there = bring(positions[order])
        found = batch.place.xp.astype(take(batch.rows, there, axis=0), batch.float_type)
        weights = None if batch.weights is None else take(batch.weights, there, axis=0)
        part = (
            to_host(found).astype(np.float64),
            batch.classes[codes[order]],
            None if weights is None else to_host(weights).astype(np.float64),
        )
        return _made_up([part], moments, shares)


def _shares(sizes: dict[Label, int], most_rows: int) -> dict[Label, float]:
    """Return which share of each class's rows is drawn."""
    places = shared_places(list(sizes.values()), max(1, most_rows))
    return {
        label: place / size if size else 0.0
        for (label, size), place in zip(sizes.items(), places, strict=True)
    }


def _has_all(shares: dict[Label, float]) -> bool:
    """Whether a sample is all there is."""
    return all(share == 1.0 for share in shares.values())


def _counted(rows: Any, labels: Any, weights: Any, number: int) -> Counter[Label]:
    """Return how many rows of each class count."""
    present = np.asarray(in_memory(labels)).ravel()[np.asarray(in_memory(weights)).ravel() > 0]
    found, counts = np.unique(present, return_counts=True)
    return Counter(dict(zip(label_list(found), counts.tolist(), strict=True)))


def _drawn(
    rows: Any, labels: Any, weights: Any, number: int, shares: dict[Label, float], seed: int
) -> Sampled | None:
    """Return some rows of a partition; None if there are none."""
    if has_no_rows(rows, weights):
        return None
    batch = read_batch(rows, labels, weights)
    codes = batch.codes
    limits = np.array([shares[label] for label in label_list(batch.classes)])
    draws = np.random.RandomState([seed, number]).random_sample(len(codes))
    # Rows of weight zero are kept beside all others, so that positions stay what they are.
    kept = draws < limits[codes] if _has_all(shares) else (codes >= 0) & (draws < limits[codes])
    taken = np.flatnonzero(kept)
    if not taken.size:
        return None
    drawn = batch.rows[taken] if batch.is_sparse else read_rows(batch.rows, taken)
    drawn_weights = None if batch.weights is None else batch.weights[taken]
    return drawn, batch.classes[codes[taken]], drawn_weights


def _joined(parts: list[Sampled]) -> Sampled:
    tables = [rows for rows, _, _ in parts]
    is_sparse = any(map(sp.issparse, tables))
    rows: Any = sp.vstack(tables, format="csr") if is_sparse else np.concatenate(tables)
    labels = np.concatenate([labels for _, labels, _ in parts])
    weights = [weights for _, _, weights in parts if weights is not None]
    return rows, labels, np.concatenate(weights) if weights else None


def _made_up(
    parts: list[Sampled], moments: Moments, shares: dict[Label, float]
) -> tuple[Batch, bool]:
    """Return rows with weights that make up for those left out, and whether none was."""
    rows, labels, weights = _joined(parts)
    if _has_all(shares):
        return read_batch(rows, labels, weights), True
    drawn = np.ones(len(labels)) if weights is None else weights
    made_up = drawn.copy()
    for label, m in moments.items():
        own = labels == label
        if own.any():
            made_up[own] *= m.weight / drawn[own].sum()
    return read_batch(rows, labels, made_up), False
