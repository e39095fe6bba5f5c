import copy
import pickle
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from zerone import Moments


@pytest.fixture
def data(rng):
    return rng.standard_normal((50, 4)), rng.choice(["p", "q", "r"], 50)


def test_it_is_a_mapping(data):
    X, y = data
    moments = Moments.from_data(pd.DataFrame(X, columns=list("abcd")), y)
    assert isinstance(moments, Mapping)
    assert list(moments) == ["p", "q", "r"]
    assert moments.n_features == 4
    assert moments.feature_names == ("a", "b", "c", "d")
    assert moments.weight == 50
    assert "4 features" in repr(moments)
    assert moments == moments
    assert moments != Moments.from_data(X, y)


@pytest.mark.parametrize("kind", ["explicit", "implicit", "factored"])
def test_affine_maps_equal_mapped_data(kind, data, rng):
    X, y = data
    moments = Moments.from_data(sp.csr_array(X), y, covariance=kind)
    A, c = rng.standard_normal((3, 4)), rng.standard_normal(3)
    for found, rows in [
        (moments.affine(A, c), X @ A.T + c),
        (moments.affine(A[0], np.arange(4.0)), X * A[0] + np.arange(4.0)),
        (moments.select([3, 1]), X[:, [3, 1]]),
        (moments.select([True, False, False, True]), X[:, [0, 3]]),
    ]:
        expected = Moments.from_data(rows, y)
        for label in expected:
            assert_allclose(found[label].mean, expected[label].mean, atol=1e-12)
            assert_allclose(
                np.asarray(found[label].covariance),
                np.asarray(expected[label].covariance),
                atol=1e-12,
            )


def test_select_by_name(data):
    X, y = data
    moments = Moments.from_data(pd.DataFrame(X, columns=list("abcd")), y)
    chosen = moments.select(["d", "a"])
    assert chosen.feature_names == ("d", "a")
    assert_allclose(chosen["p"].mean, moments["p"].mean[[3, 0]])


@pytest.mark.parametrize("features", [[], [4], [-1], [[0]], ["a"], [True, False], [0.5], "a"])
def test_selecting_what_is_not_there(features, data):
    with pytest.raises(ValueError, match="features:"):
        Moments.from_data(*data).select(features)


def test_selecting_an_unknown_name(data):
    X, y = data
    moments = Moments.from_data(pd.DataFrame(X, columns=list("abcd")), y)
    with pytest.raises(ValueError, match="no feature named 'z'"):
        moments.select(["a", "z"])


def test_bad_affine_maps(data):
    moments = Moments.from_data(*data)
    with pytest.raises(ValueError, match=r"matrix: has shape \(2, 3\)"):
        moments.affine(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"offset: has shape \(3,\)"):
        moments.affine(np.ones((2, 4)), np.ones(3))
    with pytest.raises(ValueError, match="matrix: contains NaN"):
        moments.affine(np.full(4, np.nan))


@pytest.mark.parametrize("ridge", [-1.0, np.nan, np.ones(3), np.ones((4, 4))])
def test_bad_ridges(ridge, data):
    with pytest.raises(ValueError, match="variance:"):
        Moments.from_data(*data).with_ridge(ridge)


def test_two_class_views(data):
    X, y = data
    moments = Moments.from_data(X, y)
    pair = moments.pair("r", "p")
    assert (pair.positive_label, pair.negative_label) == ("r", "p")
    assert_allclose(pair.delta, X[y == "r"].mean(axis=0) - X[y == "p"].mean(axis=0))
    assert pair.prior_positive == (y == "r").sum() / ((y == "r") | (y == "p")).sum()
    rest = moments.one_vs_rest("q")
    assert rest.negative.weight == (y != "q").sum()
    assert_allclose(np.asarray(rest.negative.covariance), np.cov(X[y != "q"].T, ddof=0))


def test_views_of_classes_that_are_not_there(data):
    moments = Moments.from_data(*data)
    with pytest.raises(ValueError, match=r"positive: there is no class 's'.*\['p', 'q', 'r'\]"):
        moments.pair("s", "p")
    with pytest.raises(ValueError, match="for both"):
        moments.pair("p", "p")
    with pytest.raises(ValueError, match="label: there is no class"):
        moments.one_vs_rest("s")
    with pytest.raises(ValueError, match="the only class"):
        Moments.from_data([[1.0]], [0]).one_vs_rest(0)
    with pytest.raises(ValueError, match=r"class 1 has no rows.*only one class, 0"):
        Moments.from_data([[1.0]], [0], classes=[0, 1]).pair(1, 0)


def test_known_distributions():
    moments = Moments.from_parameters(
        {1: (2, [1, 2], [[2, 1], [1, 2]]), 0: (3, [0, 0], np.eye(2))}, feature_names=("a", "b")
    )
    assert moments.classes.tolist() == [0, 1]
    assert moments[1].weight == 2.0
    assert np.asarray(moments[1].covariance).tolist() == [[2.0, 1.0], [1.0, 2.0]]


@pytest.mark.parametrize(
    ("weight", "mean", "covariance", "message"),
    [
        (0, [0.0], [[1.0]], "weight 0"),
        (np.nan, [0.0], [[1.0]], "weight nan"),
        (1, 0.0, [[1.0]], r"mean of shape \(\)"),
        (1, [0.0], [1.0], r"covariance of shape \(1,\)"),
        (1, [np.inf], [[1.0]], "NaN or infinity"),
        (1, [0.0, 0.0], [[1.0, 0.5], [0.0, 1.0]], "not symmetric"),
        (1, [0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]], "not positive semi-definite"),
        (1, [0.0], [[-1.0]], "not positive semi-definite"),
    ],
)
def test_distributions_that_cannot_be(weight, mean, covariance, message):
    with pytest.raises(ValueError, match=f"parameters: class 'k'.*{message}"):
        Moments.from_parameters({"k": (weight, mean, covariance)})


def test_given_arrays_are_copied():
    covariance = np.eye(2)
    moments = Moments.from_parameters({0: (1, np.zeros(2), covariance)})
    covariance[0, 0] = 5.0
    assert np.asarray(moments[0].covariance)[0, 0] == 1.0


def test_no_class_and_classes_of_different_width(data):
    with pytest.raises(ValueError, match="no class"):
        Moments.from_parameters({})
    with pytest.raises(ValueError, match=r"got \[1, 2\] features"):
        Moments.from_parameters({0: (1, [0.0], [[1.0]]), 1: (1, [0.0, 0.0], np.eye(2))})
    with pytest.raises(ValueError, match="1 names for 4 features"):
        Moments(dict(Moments.from_data(*data)), ("a",))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies(duplicate, data):
    moments = Moments.from_data(*data)
    twin = duplicate(moments)
    assert twin.classes.tolist() == moments.classes.tolist()
    assert (twin["p"].mean == moments["p"].mean).all()


def test_nothing_can_be_changed_from_outside(data):
    ridge = np.ones(4)
    moments = Moments.from_data(*data, covariance="factored").with_ridge(ridge)
    before = moments["p"].covariance.diagonal()
    ridge[:] = 100
    assert_allclose(moments["p"].covariance.diagonal(), before)
    names = ["a"]
    known = Moments.from_parameters({0: (1, [0.0], [[1.0]])}, feature_names=names)
    names[0] = "b"
    assert known.feature_names == ("a",)


def test_nothing_selected(data):
    moments = Moments.from_data(*data)
    with pytest.raises(ValueError, match="selects no feature"):
        moments.select([False] * 4)
    with pytest.raises(ValueError, match=r"matrix: has shape \(0, 4\)"):
        moments.affine(np.zeros((0, 4)))


def test_names_that_occur_twice(data):
    X, y = data
    moments = Moments.from_data(pd.DataFrame(X, columns=list("abca")), y)
    with pytest.raises(ValueError, match="more than one feature named 'a'"):
        moments.select(["a"])


def test_a_tuple_is_needed():
    with pytest.raises(ValueError, match=r"expected a tuple \(weight, mean, covariance\)"):
        Moments.from_parameters({0: ([0.0], [[1.0]])})


def test_the_rest_has_a_label_of_its_own():
    moments = Moments.from_data([[0.0], [1.0]], ["a", "rest"])
    assert moments.one_vs_rest("rest").negative_label == "not rest"


def test_a_ridge_of_zero_changes_nothing(data):
    moments = Moments.from_data(*data, covariance="factored").with_ridge(0)
    assert (moments + moments)["p"].weight == 2 * moments["p"].weight
