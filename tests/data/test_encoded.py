"""Labels that are encoded range by range, and groups of rows that are never listed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerone._data import batch as _batch
from zerone._data.batch import ClassGroups, ListedGroups, read_batch
from zerone._data.labels import encode, rows_of_each

LABELS = [
    np.array([127, -128, 3, 3], np.int8),
    np.array([True, False, True]),
    np.array([False, False]),
    np.array([2**64 - 1, 2**64 - 3], np.uint64),
    np.array([-5, -5, 7]),
    np.array([2**62, 2**62 + 4]),
    np.array([-(2**63), -(2**63) + 5]),
    np.array([0, 2**40]),
    np.array([0, 255], np.uint8),
    np.array([-1.0, 1.0, 1.0]),
    np.array([0.5, 1.0, 0.5]),
    np.array([1e300, -1e300]),
    np.array([0.0, -0.0, 4.0], np.float32),
    np.array(["b", "a", "b"]),
]


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_as_numpy_would(labels):
    encoded = encode(labels)
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    assert encoded.classes.dtype == classes.dtype
    np.testing.assert_array_equal(encoded.classes, classes)
    np.testing.assert_array_equal(encoded.codes(), codes)
    np.testing.assert_array_equal(encoded.codes(1, 3), codes[1:3])
    np.testing.assert_array_equal(encoded.counts, counts)


@given(st.lists(st.integers(0, 11), min_size=1, max_size=60), st.integers(12, 15))
def test_rows_of_each(codes, n_classes):
    found = rows_of_each(np.array(codes), n_classes)
    assert [rows.tolist() for rows in found] == [
        [row for row, code in enumerate(codes) if code == k] for k in range(n_classes)
    ]


@pytest.mark.parametrize("weighted", [False, True])
def test_ranges_of_classes_are_those_of_lists(weighted):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 9, 300)
    weights = rng.integers(0, 3, 300) if weighted else None
    batch = read_batch(np.zeros((300, 1)), y, weights)
    listed, classes = ListedGroups(batch.members), ClassGroups(batch)
    assert listed.sizes == classes.sizes
    for start, stop in [(0, 300), (17, 203), (250, 251)]:
        for a, b in zip(listed.within(start, stop), classes.within(start, stop), strict=True):
            assert a.tolist() == b.tolist()
    if weighted:
        for label, rows in zip(batch.classes, batch.members, strict=True):
            assert (y[rows] == label).all()
            assert (weights[rows] > 0).all()


@pytest.mark.parametrize("n_rare", [1, 5, 40])
def test_samples_find_rare_classes_and_spread(monkeypatch, n_rare):
    monkeypatch.setattr(_batch, "_STRETCHES", 5)
    monkeypatch.setattr(_batch, "_STRETCH_ROWS", 10)
    monkeypatch.setattr(_batch, "_SEARCH_ROWS", 100)
    n = 5_000
    y = np.zeros(n, int)
    rare = np.random.default_rng(1).choice(n, n_rare, replace=False)
    y[rare] = 1
    common, found = ClassGroups(read_batch(np.zeros((n, 1)), y)).samples(32)
    assert (y[common] == 0).all()
    assert common.min() < 100
    assert common.max() > n - 100
    assert (y[found] == 1).all()
    assert found.size >= min(n_rare, 16)
    assert found.size <= 32


def test_byte_order_of_labels():
    labels = np.array([2**63, 2**63 + 1, 2**63], dtype=">u8")
    assert encode(labels).codes().tolist() == [0, 1, 0]
