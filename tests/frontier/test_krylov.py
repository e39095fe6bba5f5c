"""Large problems: Lanczos steps find what the full diagonalisation finds, and know when."""

import numpy as np
import pytest
from scipy.linalg import cholesky

from evidence.problems import random_moments, sampled_moments
from zerone import Frontier, Moments
from zerone.frontier import _frontier
from zerone.frontier._certified import certified_optimum
from zerone.frontier._krylov import Lanczos
from zerone.frontier._metrics import WeightedError
from zerone.frontier._whitening import Whitening
from zerone.refine import shrink_moments

METRICS = [
    ("error", {}),
    ("balanced_error", {}),
    ("f1", {}),
    ("cost", {"false_negative_cost": 30, "false_positive_cost": 1}),
    ("auc", {}),
]


def by_diagonalising(moments, metric, **parameters):
    frontier = Frontier(moments)
    assert frontier._spectrum is not None  # from here on nothing else is used
    assert frontier._lanczos is None
    return frontier.best(metric, **parameters)


def loss(rule, metric):
    if metric == "cost":
        return 30 * rule.prior_positive * rule.miss_rate + (
            (1 - rule.prior_positive) * rule.false_positive_rate
        )
    return {
        "error": rule.error,
        "balanced_error": rule.balanced_error,
        "f1": 1 - rule.f_score(),
        "auc": 1 - rule.auc,
    }[metric]


@pytest.fixture
def always_krylov(monkeypatch):
    monkeypatch.setattr(_frontier, "_MANY_FEATURES", 2)


@pytest.mark.usefixtures("always_krylov")
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["wide scales", "mild scales", "rows"])
def test_the_same_optimum_as_the_diagonalisation(kind, seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 80))
    if kind == "rows":
        moments = shrink_moments(sampled_moments(rng, d), "auto")[0]
    else:
        reach = 4 if kind == "wide scales" else 1
        moments = random_moments(rng, d=d, low=-reach, high=reach)
    for metric, parameters in METRICS:
        found = Frontier(moments).best(metric, **parameters)
        expected = by_diagonalising(moments, metric, **parameters)
        assert loss(found, metric) == pytest.approx(loss(expected, metric), abs=1e-10)


def test_an_ordinary_problem_needs_no_diagonalisation():
    moments = shrink_moments(sampled_moments(np.random.default_rng(0), 200), "auto")[0]
    frontier = Frontier(moments)
    rule = frontier.best("error")
    assert "_spectrum" not in vars(frontier)
    expected = by_diagonalising(moments, "error")
    np.testing.assert_allclose(rule.coef, expected.coef, atol=1e-5 * np.abs(rule.coef).max())
    assert rule.status == expected.status


@pytest.mark.usefixtures("always_krylov")
def test_a_variance_that_the_means_do_not_show_is_not_overlooked():
    # The means differ a little along the first feature; the second tells the classes apart by
    # its spread alone, and Lanczos steps from the means never see it.
    d = 12
    wide = np.ones(d)
    wide[1] = 400.0
    shift = np.zeros(d)
    shift[0] = 0.2
    moments = Moments.from_parameters(
        {0: (0.5, np.zeros(d), np.eye(d)), 1: (0.5, shift, np.diag(wide))}
    )
    frontier = Frontier(moments)
    rule = frontier.best("error")
    assert "_spectrum" in vars(frontier)
    assert rule.error == pytest.approx(by_diagonalising(moments, "error").error, abs=1e-12)
    assert rule.error < 0.3


@pytest.mark.usefixtures("always_krylov")
@pytest.mark.parametrize("prior", [0.5, 0.1, 0.001])
def test_constant_features_and_constant_rules(prior):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((400, 10))
    X[:, [2, 7]] = 5.0
    y = (rng.random(400) < 0.5).astype(int)
    X[y == 1, 0] += 0.3
    frontier = Frontier(Moments.from_data(X, y), priors={0: 1 - prior, 1: prior})
    rule = frontier.best("error")
    reference = Frontier(Moments.from_data(X, y), priors={0: 1 - prior, 1: prior})
    assert reference._spectrum is not None
    expected = reference.best("error")
    assert rule.error == pytest.approx(expected.error, abs=1e-12)
    assert rule.is_constant == expected.is_constant
    assert not rule.coef[[2, 7]].any()


def test_bounds_of_the_spectrum():
    rng = np.random.default_rng(5)
    moments = random_moments(rng, d=20, low=-1, high=1)
    pair = moments.pair(1, 0)
    whitening = Whitening.of(pair, is_certain=False)
    assert whitening is not None
    lanczos = Lanczos(pair, whitening)
    positive, negative = (np.asarray(m.covariance) for m in (pair.positive, pair.negative))
    lower = np.linalg.inv(cholesky(positive + negative, lower=True))
    shares = np.linalg.eigvalsh(lower @ positive @ lower.T)
    assert lanczos.bounds_hold(0.99 * shares[0], 1 - 0.99 * (1 - shares[-1]))
    assert not lanczos.bounds_hold(1.01 * shares[0], 1.0)
    assert not lanczos.bounds_hold(0.0, 1 - 1.01 * (1 - shares[-1]))


def test_ritz_values_lie_within_the_spectrum_and_the_residual_is_right():
    rng = np.random.default_rng(6)
    moments = sampled_moments(rng, 40)
    pair = moments.pair(1, 0)
    lanczos = Lanczos(pair, Whitening.of(pair, is_certain=False))
    spectrum = next(lanczos.looks())
    positive, negative = (np.asarray(m.covariance) for m in (pair.positive, pair.negative))
    total_inverse = np.linalg.inv(positive + negative)
    cosine, sine = 0.6, 0.8
    divisor = cosine * spectrum.share_positive + sine * spectrum.share_negative
    components = spectrum.gap / divisor
    w = spectrum.direction(components)
    matrix = cosine * positive + sine * negative
    left = pair.delta - matrix @ w
    square = left @ total_inverse @ left / (divisor.min() * (w @ matrix @ w))
    assert spectrum.relative_error(components, cosine, sine) == pytest.approx(square, rel=1e-6)
    exact = np.linalg.solve(matrix, pair.delta)
    error = (w - exact) @ matrix @ (w - exact) / (exact @ matrix @ exact)
    assert error <= 2 * spectrum.relative_error(components, cosine, sine)


def test_the_search_gives_up_where_steps_do_not_help():
    # Eigenvalues over many decades and a start that sees all of them.
    d = 300
    spread = np.geomspace(1e-7, 1.0, d)
    moments = Moments.from_parameters(
        {0: (0.5, np.zeros(d), np.eye(d)), 1: (0.5, np.full(d, 0.02), np.diag(spread))}
    )
    pair = moments.pair(1, 0)
    lanczos = Lanczos(pair, Whitening.of(pair, is_certain=False))
    found = certified_optimum(lanczos, WeightedError(0.5, 0.5))
    rule = Frontier(moments).best("error")
    expected = by_diagonalising(moments, "error")
    assert rule.error == pytest.approx(expected.error, abs=1e-10)
    if found is not None:
        assert np.exp(found[2]) == pytest.approx(expected.error, abs=1e-10)
