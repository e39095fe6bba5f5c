"""Large problems: Lanczos steps find what the full diagonalisation finds, and know when."""

import numpy as np
import pytest

from evidence.problems import random_moments, sampled_moments
from zerone import Frontier, Moments
from zerone._moments.shrinkage import shrink_moments
from zerone.frontier import _frontier
from zerone.frontier._certified import certified_optimum
from zerone.frontier._krylov import Lanczos
from zerone.frontier._spectrum import Whitening
from zerone.metrics import WeightedError

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
        return 30 * rule.prior_positive * rule.false_negative_rate + (
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
    monkeypatch.setattr(_frontier, "MANY_FEATURES", 2)


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


def told_apart(rng, d):
    """Two classes of correlated features with about one row in ten on the wrong side."""
    spreads = [np.eye(d) + 3 * (B @ B.T) / d for B in rng.standard_normal((2, d, d))]
    shift = rng.standard_normal(d)
    shift *= 4 / np.linalg.norm(shift)
    return Moments.from_parameters({0: (0.6, np.zeros(d), spreads[0]), 1: (0.4, shift, spreads[1])})


@pytest.mark.parametrize("seed", range(5))
def test_an_ordinary_problem_needs_no_diagonalisation(seed):
    moments = told_apart(np.random.default_rng(seed), 200)
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


@pytest.mark.parametrize("seed", range(6))
def test_what_the_certificate_rests_on(seed):
    rng = np.random.default_rng(seed)
    moments = sampled_moments(rng, 40) if seed % 2 else random_moments(rng, d=40, low=-2, high=2)
    pair = moments.pair(1, 0)
    if not pair.delta.any():
        return
    lanczos = Lanczos(pair, Whitening.of(pair, is_certain=False))
    positive, negative = (np.asarray(m.covariance) for m in (pair.positive, pair.negative))
    angles = np.concatenate([np.geomspace(1e-6, 0.7, 20), np.pi / 2 - np.geomspace(1e-6, 0.7, 20)])
    cosine, sine = np.cos(angles), np.sin(angles)
    true = [
        pair.delta @ np.linalg.solve(c * positive + s * negative, pair.delta)
        for c, s in zip(cosine, sine, strict=True)
    ]
    for spectrum in lanczos.looks():
        divisor = np.multiply.outer(cosine, spectrum.share_positive)
        divisor += np.multiply.outer(sine, spectrum.share_negative)
        seen, most = (1 / divisor) @ spectrum.gap**2, spectrum.most(cosine, sine)
        assert (seen <= np.multiply(true, 1 + 1e-7)).all()
        assert (most >= np.multiply(true, 1 - 1e-7)).all()
        assert (most >= seen * (1 - 1e-7)).all()


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


def diagonal_problem(share, gap, prior):
    """A problem whose spectrum is given: the sum of the covariances is the identity."""
    return Moments.from_parameters(
        {
            0: (1 - prior, np.zeros(len(gap)), np.diag(1 - share)),
            1: (prior, gap, np.diag(share)),
        }
    )


def test_a_constant_rule_is_not_taken_while_the_curve_is_unresolved():
    rng = np.random.default_rng(688)
    low = 10 ** rng.uniform(-6, -1)
    share = low * (0.49 / low) ** rng.uniform(0, 1, 200)
    gap = rng.standard_normal(200) * share ** rng.uniform(-0.5, 1.0)
    gap *= rng.uniform(0.2, 4) / np.linalg.norm(gap)
    moments = diagonal_problem(share, gap, 0.326)
    expected = by_diagonalising(moments, "error")
    assert Frontier(moments).best("error").error == pytest.approx(expected.error, abs=1e-10)


@pytest.mark.parametrize("seed", range(600, 625))
def test_where_the_optimum_jumps_from_one_end_to_the_other(seed):
    rng = np.random.default_rng(seed)
    reach = rng.uniform(2, 12)
    share = 1 / (1 + np.exp(rng.uniform(-reach, reach, 200)))
    power, other = rng.uniform(-0.2, 0.6, 2)
    gap = rng.standard_normal(200) * share**power * (1 - share) ** other
    gap *= 10 ** rng.uniform(-1, 1.3) / np.linalg.norm(gap)

    def side(log_odds):
        rule = by_diagonalising(diagonal_problem(share, gap, 1 / (1 + np.exp(log_odds))), "error")
        return rule.false_negative_rate - rule.false_positive_rate

    # Priors ever closer to where the better of two minima changes, if there are two.
    low, high = -4.0, 4.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if side(middle) < side(low) + 0.3 else (low, middle)
    for log_odds in (low, (low + high) / 2, high):
        moments = diagonal_problem(share, gap, 1 / (1 + np.exp(log_odds)))
        expected = by_diagonalising(moments, "error")
        assert Frontier(moments).best("error").error == pytest.approx(expected.error, abs=1e-10)


def test_the_first_metric_asked_does_not_matter():
    moments = told_apart(np.random.default_rng(9), 160)
    shared = Frontier(moments)
    for metric, parameters in METRICS:
        own = Frontier(moments).best(metric, **parameters)
        found = shared.best(metric, **parameters)
        np.testing.assert_array_equal(found.coef, own.coef)


def test_a_tiny_difference_of_the_means():
    mean = np.zeros(200)
    mean[0] = 1e-170
    moments = Moments.from_parameters(
        {0: (1, np.zeros(200), np.eye(200)), 1: (1, mean, 2 * np.eye(200))}
    )
    expected = by_diagonalising(moments, "error")
    assert Frontier(moments).best("error").error == pytest.approx(expected.error, abs=1e-12)


def test_every_rule_lies_within_an_ellipse_of_the_curve():
    # The claim behind the certificate, for rules drawn at random.
    rng = np.random.default_rng(2)
    pair = random_moments(np.random.default_rng(12), d=6, low=-1, high=1).pair(1, 0)
    positive, negative = (np.asarray(m.covariance) for m in (pair.positive, pair.negative))
    delta = pair.delta + 1.0
    angles = np.linspace(0, np.pi / 2, 2003)[1:-1]
    cosine, sine = np.cos(angles), np.sin(angles)
    matrices = np.multiply.outer(cosine, positive) + np.multiply.outer(sine, negative)
    size = np.einsum("i,ai->a", delta, np.linalg.solve(matrices, delta[:, None])[..., 0])
    n_rules = 0
    for w in rng.standard_normal((300, 6)) + np.linalg.solve(positive + negative, delta):
        spreads = np.sqrt(w @ positive @ w), np.sqrt(w @ negative @ w)
        for share in (0.1, 0.5, 0.9):
            z_positive = share * (w @ delta) / spreads[0]
            z_negative = (1 - share) * (w @ delta) / spreads[1]
            if min(z_positive, z_negative) > 0:
                n_rules += 1
                assert ((z_positive**2 / cosine + z_negative**2 / sine) / size).min() < 1 + 1e-5
    assert n_rules > 100


@pytest.mark.usefixtures("always_krylov")
@pytest.mark.parametrize("narrow", [0, 1])
def test_a_class_without_spread_along_some_features(narrow):
    rng = np.random.default_rng(narrow)
    spread = np.diag(np.where(np.arange(8) < 3, 0.0, 1.0)), np.diag(rng.uniform(1, 2, 8))
    moments = Moments.from_parameters(
        {k: (0.5, 3.0 * k * np.ones(8), spread[0 if k == narrow else 1]) for k in (0, 1)}
    )
    for metric, parameters in METRICS:
        found = Frontier(moments).best(metric, **parameters)
        expected = by_diagonalising(moments, metric, **parameters)
        assert loss(found, metric) == pytest.approx(loss(expected, metric), abs=1e-10)
