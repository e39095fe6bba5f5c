"""The rows that contestants are fitted to: drawn, or read from the paper's data sets."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from paper.datasets.load import load
from zerone._typing import AnyArray, FloatArray

_TEST_ROWS = 20_000
# Rows are transformed in blocks, so that ten million of them need no second copy.
_BLOCK_ROWS = 50_000


@dataclass(frozen=True)
class Split:
    """Rows to fit to, and rows to judge by."""

    X: Any
    y: AnyArray
    X_test: Any
    y_test: AnyArray


def gaussian_rows(n: int, d: int) -> tuple[FloatArray, AnyArray]:
    """Return standardised rows of two normal classes with different covariances."""
    rng = np.random.default_rng([n, d])
    mixing = np.eye(d) + rng.standard_normal((d, d)) / (2 * np.sqrt(d))
    spread, shift = np.linspace(0.7, 1.4, d), 2 * rng.standard_normal(d) / np.sqrt(d)
    y = (rng.random(n) < 0.4).astype(np.int64)
    X = rng.standard_normal((n, d))
    for start in range(0, n, _BLOCK_ROWS):
        block, is_positive = X[start : start + _BLOCK_ROWS], y[start : start + _BLOCK_ROWS] == 1
        block[is_positive] = block[is_positive] * spread + shift
        block[:] = block @ mixing
    return StandardScaler(copy=False).fit_transform(X), y


def gaussian_split(n: int, d: int) -> Split:
    """Return n rows of `gaussian_rows` to fit to, and more to judge by."""
    X, y = gaussian_rows(n + _TEST_ROWS, d)
    return Split(X[:n], y[:n], X[n:], y[n:])


def real_split(name: str, data_dir: str, *, as_sparse: bool = False) -> Split:
    """Return four fifths of a real set to fit to and the rest to judge by.

    Dense features are standardised by the first part; sparse ones stay as they are.
    """
    X, y = load(name, data_dir=data_dir, download=False)
    if as_sparse:
        X = sp.csr_array(X)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
    if not sp.issparse(X):
        scaler = StandardScaler(copy=False)
        X, X_test = scaler.fit_transform(X), scaler.transform(X_test)
    return Split(X, y, X_test, y_test)
