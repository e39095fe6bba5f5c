import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.covariance import OAS

from zerone import Moments
from zerone._moments.shrinkage import shrink_moments


@pytest.fixture
def data(rng):
    X = rng.standard_normal((60, 5)) @ rng.standard_normal((5, 5)) * [1, 10, 100, 0.1, 1]
    y = np.arange(60) % 2
    X[y == 1] += [1, 10, 0, 0, 1]
    return X, y


@pytest.mark.parametrize("kind", ["explicit", "factored"])
def test_auto_is_scikit_learn_s_oas_on_standardised_features(kind, data):
    X, y = data
    shrunk, amounts = shrink_moments(Moments.from_data(X, y, covariance=kind), "auto")
    sd = X.std(axis=0)
    for k in (0, 1):
        oas = OAS(assume_centered=False).fit(X[y == k] / sd)
        assert amounts[k] == pytest.approx(oas.shrinkage_, rel=1e-10)
        assert_allclose(
            np.asarray(shrunk[k].covariance), oas.covariance_ * np.outer(sd, sd), rtol=1e-9
        )
        assert_allclose(shrunk[k].mean, X[y == k].mean(axis=0))


def test_a_number_uses_the_same_target(data):
    X, y = data
    shrunk, amounts = shrink_moments(Moments.from_data(X, y), 0.3)
    sd = X.std(axis=0)
    standardised = np.cov((X[y == 1] / sd).T, ddof=0)
    expected = 0.7 * standardised + 0.3 * np.trace(standardised) / 5 * np.eye(5)
    assert_allclose(np.asarray(shrunk[1].covariance), expected * np.outer(sd, sd), rtol=1e-9)
    assert amounts.tolist() == [0.3, 0.3]


def test_none_changes_nothing(data):
    moments = Moments.from_data(*data)
    shrunk, amounts = shrink_moments(moments, None)
    assert shrunk is moments
    assert amounts.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("shrinkage", ["auto", 0.2])
def test_constant_features_do_not_count(shrinkage, data):
    X, y = data
    plain, plain_amounts = shrink_moments(Moments.from_data(X, y), shrinkage)
    padded = np.hstack([X, np.full((60, 2), 3.0)])
    shrunk, amounts = shrink_moments(Moments.from_data(padded, y), shrinkage)
    assert_allclose(amounts, plain_amounts, rtol=1e-12)
    matrix = np.asarray(shrunk[0].covariance)
    assert_allclose(matrix[:5, :5], np.asarray(plain[0].covariance), rtol=1e-12)
    assert not matrix[5:].any()


def test_rescaling_features_changes_nothing(data):
    X, y = data
    factors = np.array([1e-6, 1.0, 1e3, 7.0, 1e6])
    shrunk, amounts = shrink_moments(Moments.from_data(X, y), "auto")
    rescaled, rescaled_amounts = shrink_moments(Moments.from_data(X * factors, y), "auto")
    assert_allclose(rescaled_amounts, amounts, rtol=1e-9)
    assert_allclose(
        np.asarray(rescaled[1].covariance),
        np.asarray(shrunk[1].covariance) * np.outer(factors, factors),
        rtol=1e-8,
    )


@pytest.mark.parametrize("kind", ["explicit", "factored"])
def test_a_lone_row_takes_the_pooled_covariance(kind, data):
    X, y = data
    y = y.copy()
    y[:] = 0
    y[7] = 1
    moments = Moments.from_data(X, y, covariance=kind)
    with pytest.warns(UserWarning, match="class 1 has a total weight of 1"):
        shrunk, _ = shrink_moments(moments, 0.0)
    expected = 59 / 60 * np.cov(X[y == 0].T, ddof=0)
    assert_allclose(np.asarray(shrunk[1].covariance), expected, rtol=1e-9)
    assert_allclose(shrunk[1].mean, X[7])
    assert shrunk[1].weight == 1


def test_wide_sparse_data_gets_a_ridge_of_one_mean_eigenvalue(rng):
    X = rng.random((40, 100)) * (rng.random((40, 100)) < 0.1)
    y = np.arange(40) % 2
    moments = Moments.from_data(sp.csr_array(X), y, covariance="implicit")
    shrunk, amounts = shrink_moments(moments, "auto")
    trace = sum(X[y == k].var(axis=0).sum() / 2 for k in (0, 1))
    for k in (0, 1):
        added = shrunk[k].covariance.diagonal() - moments[k].covariance.diagonal()
        assert_allclose(added, trace / 40)
    assert ((amounts > 0) & (amounts < 1)).all()


def test_classes_without_rows_stay_empty(data):
    X, y = data
    shrunk, amounts = shrink_moments(Moments.from_data(X, y, classes=[0, 1, 2]), "auto")
    assert shrunk[2].weight == 0
    assert amounts[2] == 0


@pytest.mark.parametrize("shrinkage", ["oas", -0.1, 1.5, np.nan, True, [0.1]])
def test_wrong_values(shrinkage, data):
    with pytest.raises(ValueError, match=r"shrinkage: got .*expected 'auto'"):
        shrink_moments(Moments.from_data(*data), shrinkage)
