"""The three representations are one matrix."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from evidence.problems import sparse_rows
from zerone import Moments
from zerone._moments.covariance import Covariance

KINDS = ["explicit", "implicit", "factored"]


@pytest.fixture(params=[False, True], ids=["plain", "ridge"])
def covariances(request, rng):
    X = sparse_rows(rng, (9, 12), 0.4)
    weights = rng.random(9) + 0.1
    built = {}
    for kind in KINDS:
        moments = Moments.from_data(X, np.zeros(9), sample_weight=weights, covariance=kind)
        if request.param:
            moments = moments.with_ridge(np.arange(12.0))
        built[kind] = moments[0].covariance
    return built


@pytest.mark.parametrize("kind", KINDS)
def test_products_and_quadratic_forms(kind, covariances, rng):
    covariance, matrix = covariances[kind], covariances["explicit"].toarray()
    v, block = rng.standard_normal(12), rng.standard_normal((12, 3))
    assert_allclose(covariance.matvec(v), matrix @ v, atol=1e-12)
    assert_allclose(covariance.matvec(block), matrix @ block, atol=1e-12)
    assert_allclose(covariance.quad(v), v @ matrix @ v, rtol=1e-12)
    assert_allclose(covariance.quad(block), np.diag(block.T @ matrix @ block), rtol=1e-12)
    assert_allclose(covariance.diagonal(), np.diag(matrix), atol=1e-13)
    assert covariance.trace() == pytest.approx(np.trace(matrix))
    assert_allclose(covariance.toarray(), matrix, atol=1e-13)
    assert_allclose(np.asarray(covariance), matrix, atol=1e-13)
    assert covariance.n_features == 12


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [3, 12])
def test_transformations(kind, k, covariances, rng):
    covariance, matrix = covariances[kind], covariances["explicit"].toarray()
    chosen = np.array([7, 2, 3])
    factors = rng.standard_normal(12)
    A = rng.standard_normal((k, 12))
    assert_allclose(covariance.select(chosen).toarray(), matrix[np.ix_(chosen, chosen)], atol=1e-13)
    assert_allclose(
        covariance.rescale(factors).toarray(), matrix * np.outer(factors, factors), atol=1e-12
    )
    assert_allclose(covariance.map(A).toarray(), A @ matrix @ A.T, atol=1e-11)
    shrunk = covariance.shrink(0.25, factors**2)
    assert_allclose(shrunk.toarray(), 0.25 * matrix + np.diag(factors**2), atol=1e-12)


def test_the_base_class_lists_what_a_representation_needs():
    assert Covariance.__abstractmethods__ == {
        "diagonal", "map", "matvec", "n_features", "quad", "rescale", "select", "shrink", "toarray",
    }  # fmt: skip


def test_implicit_products_do_not_cancel(rng):
    # mean/std = 10⁶: the product form XᵀXv − n·m·mᵀv would leave two digits here.
    X = rng.standard_normal((200, 3)) + 1e6
    covariance = Moments.from_data(sp.csr_array(X), np.zeros(200), covariance="implicit")[0]
    centred = X - X.mean(axis=0)
    v = rng.standard_normal(3)
    expected = centred.T @ (centred @ v) / 200
    assert_allclose(covariance.covariance.matvec(v), expected, rtol=1e-8)
    assert_allclose(covariance.covariance.diagonal(), (centred**2).mean(axis=0), rtol=1e-8)
