import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from evidence.problems import sparse_rows
from zerone import Moments
from zerone._moments.covariance import ExplicitCovariance
from zerone._moments.factored import FactoredCovariance
from zerone._moments.implicit import ImplicitCovariance

CONTAINERS = {
    "C order": np.ascontiguousarray,
    "F order": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "read-only": lambda X: np.broadcast_to(X[:, :, None], (*X.shape, 1))[:, :, 0],
    "list": lambda X: X.tolist(),
    "pandas": lambda X: pd.DataFrame(X, columns=list("abcd")),
    "polars": lambda X: pl.DataFrame(dict(zip("abcd", X.T, strict=True))),
    "pyarrow": lambda X: pa.table(dict(zip("abcd", X.T, strict=True))),
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
    "coo": sp.coo_array,
}


def reference(X, y, weights=None):
    """The textbook formulas, class by class."""
    X = np.asarray(X, dtype=float)
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=float)
    result = {}
    for label in np.unique(np.asarray(y)[weights > 0]).tolist():
        rows, w = X[y == label], weights[y == label]
        mean = np.average(rows, axis=0, weights=w)
        result[label] = (w.sum(), mean, np.cov(rows.T, aweights=w, ddof=0).reshape(X.shape[1], -1))
    return result


def assert_moments_match(moments, expected, **tolerance):
    assert moments.classes.tolist() == list(expected)
    for label, (weight, mean, covariance) in expected.items():
        assert moments[label].weight == pytest.approx(weight)
        assert_allclose(moments[label].mean, mean, **tolerance)
        assert_allclose(np.asarray(moments[label].covariance), covariance, **tolerance)


@pytest.fixture
def data(rng):
    X = rng.standard_normal((60, 4)) + np.arange(4.0)
    return X, rng.choice(["x", "y", "z"], 60)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_every_container(container, weighted, data, rng):
    X, y = data
    weights = rng.integers(0, 4, 60) if weighted else None
    moments = Moments.from_data(CONTAINERS[container](X), y, sample_weight=weights)
    assert_moments_match(moments, reference(X, y, weights), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint16, np.int64, bool])
@pytest.mark.parametrize("container", ["C order", "F order", "csr"])
def test_every_type(dtype, container, data):
    X, y = data
    X = (10 * np.abs(X)).astype(dtype)
    moments = Moments.from_data(CONTAINERS[container](X), y)
    assert_moments_match(moments, reference(X, y), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("kind", ["explicit", "implicit", "factored"])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_representation(kind, weighted, data, rng):
    X, y = data
    weights = rng.random(60) if weighted else None
    rows = sp.csr_array(X) if kind == "implicit" else X
    moments = Moments.from_data(rows, y, sample_weight=weights, covariance=kind)
    assert_moments_match(moments, reference(X, y, weights), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("density", [0.02, 0.3, 0.95])
def test_sparse_kernels_at_every_density(density, rng):
    X = sparse_rows(rng, (400, 30), density).toarray()
    X[:, 3] = 1e6 + rng.standard_normal(400)  # a dense column of large mean among sparse ones
    X[:, 7] = 5.0
    y = rng.integers(0, 2, 400)
    moments = Moments.from_data(sp.csr_array(X), y, sample_weight=np.full(400, 0.5))
    expected = reference(X, y, np.full(400, 0.5))
    for label, (_, _, covariance) in expected.items():
        sd = np.sqrt(covariance.diagonal())
        found = np.asarray(moments[label].covariance)
        scale = np.where(sd > 0, sd, 1)
        assert_allclose(found / np.outer(scale, scale), covariance / np.outer(scale, scale),
                        atol=1e-9)  # fmt: skip
        assert found[7, 7] == 0


def test_duplicate_sparse_entries_are_added():
    X = sp.coo_array(([1.0, 2.0, 5.0], ([0, 0, 1], [0, 0, 0])), shape=(2, 1))
    assert Moments.from_data(X, [0, 1])[0].mean.tolist() == [3.0]


@pytest.mark.parametrize(
    ("shape", "sparse", "kind"),
    [
        ((20, 5), False, ExplicitCovariance),
        ((20, 100), False, ExplicitCovariance),
        ((20, 1200), False, FactoredCovariance),
        ((20, 100), True, ExplicitCovariance),
        ((20, 1200), True, ImplicitCovariance),
        ((5000, 4500), True, ImplicitCovariance),
    ],
)
def test_automatic_choice(shape, sparse, kind, rng):
    X = sparse_rows(rng, shape, 0.01) if sparse else rng.standard_normal(shape)
    moments = Moments.from_data(X, np.arange(shape[0]) % 2)
    assert all(isinstance(m.covariance, kind) for m in moments.values())


def test_a_batch_may_lack_classes():
    moments = Moments.from_data([[1.0], [3.0]], ["b", "b"], classes=["a", "b"])
    assert moments.classes.tolist() == ["a", "b"]
    assert moments["a"].weight == 0
    assert np.isnan(moments["a"].mean).all()
    assert np.asarray(moments["a"].covariance).tolist() == [[0.0]]


def test_constant_features_have_exactly_zero_variance():
    moments = Moments.from_data(np.full((1000, 1), 0.1), np.zeros(1000))
    assert np.asarray(moments[0].covariance).tolist() == [[0.0]]
    assert moments[0].mean.tolist() == [0.1]


def test_input_is_not_changed(data):
    X, y = data
    before = X.copy()
    Moments.from_data(X, y, sample_weight=np.ones(60))
    assert (before == X).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("position", [0, 37, 999])
@pytest.mark.parametrize("kind", ["dense", "float32", "sparse", "factored", "implicit"])
def test_values_that_are_not_finite(bad, position, kind, rng):
    X = rng.standard_normal((1000, 3))
    X[position, 1] = bad
    if kind == "float32":
        X = X.astype(np.float32)
    if kind in ("sparse", "implicit"):
        X[:, 0] *= rng.random(1000) < 0.01
        X = sp.csr_array(X)
    covariance = kind if kind in ("factored", "implicit") else "auto"
    with pytest.raises(ValueError, match=r"feature 1 contains NaN or infinity.*SimpleImputer"):
        Moments.from_data(X, np.arange(1000) % 2, covariance=covariance)


def test_rows_of_weight_zero_are_absent_even_if_they_are_nan():
    moments = Moments.from_data([[1.0], [np.nan], [3.0]], [0, 0, 0], sample_weight=[1, 0, 1])
    assert moments[0].mean.tolist() == [2.0]


def test_overflow_names_the_feature():
    with pytest.raises(ValueError, match="feature 0 has a variance that overflows"):
        Moments.from_data([[1e200], [-1e200], [3.0]], [0, 0, 1])


def test_wrong_representation():
    with pytest.raises(ValueError, match=r"covariance: got 'diagonal'.*'factored'"):
        Moments.from_data([[1.0]], [0], covariance="diagonal")
    with pytest.raises(ValueError, match="X is dense"):
        Moments.from_data([[1.0]], [0], covariance="implicit")


def test_names_appear_in_messages():
    frame = pd.DataFrame({"height": [1.0, 2.0], "width": [1.0, np.nan]})
    with pytest.raises(ValueError, match="feature 'width' contains NaN"):
        Moments.from_data(frame, [0, 1])


@pytest.mark.parametrize("kind", ["explicit", "factored", "sparse", "implicit"])
def test_infinities_of_both_signs_and_overflow(kind, rng):
    X = rng.standard_normal((1000, 3))
    X[997], X[999] = np.inf, -np.inf
    huge = np.zeros((1000, 2))
    huge[999] = 1e200
    covariance = "explicit" if kind == "sparse" else kind
    container = sp.csr_array if kind in ("sparse", "implicit") else np.asarray
    with pytest.raises(ValueError, match="feature 0 contains NaN or infinity"):
        Moments.from_data(container(X), np.zeros(1000), covariance=covariance)
    with pytest.raises(ValueError, match="feature 0 has a variance that overflows"):
        Moments.from_data(container(huge), np.zeros(1000), covariance=covariance)


def test_labels_keep_their_values():
    dates = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]")
    assert Moments.from_data([[1.0], [2.0]], dates).classes.tolist() == dates.tolist()
    big = [1, 2**63]
    assert Moments.from_data([[1.0], [2.0]], big).classes.tolist() == big
    assert Moments.from_data([[1.0], [2.0]], [0, 1], classes={0, 1, 2}).classes.tolist() == [
        0,
        1,
        2,
    ]


def test_small_integers_at_the_same_place_do_not_overflow():
    X = sp.coo_array((np.array([100, 100], np.int8), ([0, 0], [0, 0])), shape=(1, 1))
    assert Moments.from_data(X, [0])[0].mean.tolist() == [200.0]
