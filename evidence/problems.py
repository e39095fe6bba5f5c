"""Random two-class problems, shared by the evidence runs and the tests."""

import numpy as np
import scipy.sparse as sp

from zerone import Moments
from zerone._typing import FloatArray


def random_covariance(
    rng: np.random.Generator, d: int, low: float = -4.0, high: float = 4.0
) -> FloatArray:
    """Return a random rotation of eigenvalues spread over powers of ten."""
    eigenvalues = 10 ** rng.uniform(low, high, d)
    rotation, _ = np.linalg.qr(rng.standard_normal((d, d)))
    covariance: FloatArray = (rotation * eigenvalues) @ rotation.T
    return (covariance + covariance.T) / 2


def sparse_rows(rng: np.random.Generator, shape: tuple[int, int], density: float) -> sp.csr_array:
    """Return sparse rows with uniform entries."""
    return sp.csr_array(rng.random(shape) * (rng.random(shape) < density))


def random_moments(
    rng: np.random.Generator, *, d: int | None = None, low: float = -4.0, high: float = 4.0
) -> Moments:
    """Return two classes with random priors, covariances and mean difference.

    One in five has equal means, one in five a mean difference that is zero along the
    eigenvectors of one class (symmetric features), so that the hard case is included.
    """
    d = int(rng.integers(1, 31)) if d is None else d
    prior = 10 ** rng.uniform(-3, np.log10(0.5))
    prior = prior if rng.random() < 0.5 else 1 - prior
    covariances = [random_covariance(rng, d, low, high) for _ in range(2)]
    kind = rng.integers(5)
    mean = rng.standard_normal(d)
    if kind == 0:
        delta = np.zeros(d)
    elif kind == 1:
        covariances = [np.diag(10 ** rng.uniform(low, high, d)) for _ in range(2)]
        delta = rng.standard_normal(d) * (rng.random(d) < 0.5)
    else:
        pooled = covariances[0] + covariances[1]
        length = 10 ** rng.uniform(-1, 0.7)
        white = rng.standard_normal(d)
        delta = length / np.linalg.norm(white) * (np.linalg.cholesky(pooled) @ white)
    return Moments.from_parameters(
        {0: (1 - prior, mean, covariances[0]), 1: (prior, mean + delta, covariances[1])}
    )


def sampled_moments(rng: np.random.Generator, d: int) -> Moments:
    """Return the moments of rows whose classes differ in mean and in covariance.

    Correlated features, ten rows for each of them; means from hardly to well apart, and class
    sizes from equal to one in a hundred.
    """
    n = 10 * d
    prior = 10 ** rng.uniform(-2, np.log10(0.5))
    y = (rng.random(n) < prior).astype(np.int64)
    y[:2] = 0, 1
    mixing = rng.standard_normal((2, d, d)) / np.sqrt(d)
    X = rng.standard_normal((n, d))
    for label in (0, 1):
        X[y == label] = X[y == label] + X[y == label] @ mixing[label]
    shift = rng.standard_normal(d)
    X[y == 1] += 10 ** rng.uniform(-0.5, 0.7) * shift / np.linalg.norm(shift)
    return Moments.from_data(X, y)
