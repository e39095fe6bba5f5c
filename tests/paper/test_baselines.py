"""No strawmen: each rival against an independent implementation."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from paper.baselines.adam import AdamLogisticClassifier
from paper.baselines.logistic import LogisticClassifier, logistic_loss
from paper.baselines.pairwise_hinge import PairwiseHingeClassifier, pairwise_hinge


@pytest.fixture
def data(rng):
    y = rng.integers(0, 2, 300)
    X = rng.standard_normal((300, 4)) + 0.7 * y[:, None] * [1.0, -1.0, 0.5, 0.0]
    return X, y


@parametrize_with_checks(
    [
        LogisticClassifier(),
        PairwiseHingeClassifier(),
        AdamLogisticClassifier(step=0.05, n_epochs=100),
    ]
)
def test_check(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


class TestLogistic:
    def test_the_minimum_is_scikit_learn_s(self, data):
        X, y = data
        model = LogisticClassifier(random_state=0, tol=1e-9).fit(X, y)
        extended = np.hstack([X, np.ones((300, 1))])
        # C·Σ log-loss + ½‖w‖² is ours with λ = 1/(2Cn); the intercept is penalised as well.
        twin = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10).fit(extended, y)
        found = np.append(model.coef_[0], model.intercept_[0])
        assert_allclose(found, twin.coef_[0], atol=1e-5)

    def test_gradient(self, data, rng):
        X, y = data
        signs = np.where(y == 1, 1.0, -1.0)
        w = rng.standard_normal(4)
        numeric = approx_fprime(w, lambda v: logistic_loss(v, X, signs, 0.1)[0], 1e-7)
        assert_allclose(logistic_loss(w, X, signs, 0.1)[1], numeric, atol=1e-5)

    def test_large_margins_do_not_overflow(self):
        value, gradient = logistic_loss(
            np.array([1e5]), np.array([[1.0], [-1.0]]), np.array([-1.0, 1.0]), 0.0
        )
        assert value == pytest.approx(1e5)
        assert np.isfinite(gradient).all()


def brute_force(scores, is_positive):
    margins = 1 - (scores[is_positive][:, None] - scores[~is_positive][None, :])
    active = margins > 0
    gradient = np.zeros(len(scores))
    gradient[is_positive] = -active.sum(axis=1)
    gradient[~is_positive] = active.sum(axis=0)
    return np.maximum(margins, 0).mean(), gradient / margins.size


class TestPairwiseHinge:
    @given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 60), scale=st.floats(0.01, 10))
    def test_equals_all_pairs(self, seed, n, scale):
        rng = np.random.default_rng(seed)
        scores = scale * rng.standard_normal(n)
        is_positive = rng.random(n) < 0.4
        is_positive[:2] = [True, False]
        loss, gradient = pairwise_hinge(scores, is_positive)
        expected_loss, expected_gradient = brute_force(scores, is_positive)
        assert loss == pytest.approx(expected_loss, rel=1e-10, abs=1e-12)
        assert_allclose(gradient, expected_gradient, atol=1e-12)

    def test_ties_leave_the_loss_and_give_a_subgradient(self):
        scores = np.array([0.0, 1.0, 1.0, 0.0])
        is_positive = np.array([False, True, True, False])
        loss, gradient = pairwise_hinge(scores, is_positive)
        assert loss == 0
        assert gradient.sum() == pytest.approx(0)

    @pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
    def test_the_minimum_is_that_of_all_pairs(self, container, rng):
        y = np.arange(60) % 3 == 0
        X = rng.standard_normal((60, 2)) + 2 * y[:, None]
        model = PairwiseHingeClassifier(random_state=0, tol=1e-7).fit(container(X), y)
        penalty = 1 / np.sqrt(20 * 40)

        def objective(w):
            return brute_force(X @ w, y)[0] + penalty * w @ w

        found = objective(model.coef_[0])
        for _ in range(300):
            assert objective(model.coef_[0] + 0.1 * rng.standard_normal(2)) >= found - 1e-6
        assert roc_auc_score(y, model.decision_function(container(X))) > 0.8


class TestAdam:
    def test_one_step_is_the_textbook_s(self, data):
        X, y = data
        options = {"batch_size": 300, "step": 0.01, "random_state": 0}
        start = AdamLogisticClassifier(n_epochs=0, **options).fit(X, y)
        after = AdamLogisticClassifier(n_epochs=2, **options).fit(X, y)
        w = np.append(start.coef_[0], start.intercept_[0])
        extended = np.hstack([X, np.ones((300, 1))])
        m = v = np.zeros(5)
        for t in (1, 2):
            g = logistic_loss(w, extended, np.where(y == 1, 1.0, -1.0), 1 / 300)[1]
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
            m_hat, v_hat = m / (1 - 0.9**t), v / (1 - 0.999**t)
            w = w - 0.01 * m_hat / (np.sqrt(v_hat) + 1e-8)
        assert_allclose(np.append(after.coef_[0], after.intercept_[0]), w, rtol=1e-9)

    @pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
    def test_it_comes_close_to_the_minimum(self, container, data):
        X, y = data
        best = LogisticClassifier(random_state=0).fit(X, y)
        model = AdamLogisticClassifier(n_epochs=400, batch_size=50, random_state=0)
        model.fit(container(X), y)
        assert_allclose(model.coef_, best.coef_, atol=0.1)
