import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from paper.datasets.artificial import ARTIFICIAL_SETS, make_artificial
from paper.datasets.scaling import scale_to_unit
from zerone import Frontier, Moments


@pytest.mark.parametrize("name", ARTIFICIAL_SETS)
def test_sizes(name):
    spec = ARTIFICIAL_SETS[name]
    drawn = make_artificial(name, random_state=0, n_features=5)
    assert drawn.X_train.shape == (4000, 5)
    assert drawn.X_test.shape == (1000, 5)
    assert (drawn.y_test > 0).mean() == pytest.approx(spec.positives, abs=0.04)


def test_rows_come_from_the_moments():
    drawn = make_artificial("data3", random_state=1, n_features=4)
    measured = Moments.from_data(drawn.X_test, drawn.y_test)
    for label in (-1.0, 1.0):
        exact = drawn.moments[label]
        assert_allclose(measured[label].mean, exact.mean, atol=0.4)
        spread = np.sqrt(exact.covariance.diagonal())
        ratio = np.asarray(measured[label].covariance) / np.outer(spread, spread)
        assert_allclose(ratio, np.asarray(exact.covariance) / np.outer(spread, spread), atol=0.25)


def test_only_training_labels_are_swapped():
    drawn = make_artificial("data3", random_state=2, n_features=20)
    rule = Frontier(drawn.moments).best("error")
    wrong_train = (rule.predict(drawn.X_train) != drawn.y_train).mean()
    wrong_test = (rule.predict(drawn.X_test) != drawn.y_test).mean()
    assert wrong_test == pytest.approx(rule.error, abs=0.015)
    assert wrong_train == pytest.approx(0.1 + 0.8 * rule.error, abs=0.03)


def test_the_same_seed_gives_the_same_set():
    a, b = (make_artificial("data1", random_state=3, n_features=3) for _ in range(2))
    assert (a.X_train == b.X_train).all()
    assert (a.y_train == b.y_train).all()


def test_unknown_name():
    with pytest.raises(ValueError, match="no 'data0'"):
        make_artificial("data0")


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_scaling(container, rng):
    X = rng.standard_normal((30, 4)) * [1, 1e3, 1e-3, 0]
    scaled = scale_to_unit(container(X))
    scaled = scaled.toarray() if sp.issparse(scaled) else scaled
    assert_allclose(np.abs(scaled).max(axis=0), [1, 1, 1, 0])
    assert_allclose(scaled[:, 1] * np.abs(X[:, 1]).max(), X[:, 1])
