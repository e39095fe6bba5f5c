"""Random problems of the kinds that break numerics: the promises must hold all the same."""

import numpy as np
import pytest
from scipy.stats import norm

from zerone import Frontier, Moments
from zerone._moments.pair import TwoClassMoments

KINDS = [
    "equal covariances",
    "proportional covariances",
    "singular in different directions",
    "one class without spread",
    "shifted copy",
    "few rows",
    "extreme priors",
    "extreme scales",
    "equal means",
]


def problem(kind, rng):
    d = int(rng.integers(1, 10))
    prior = rng.uniform(0.05, 0.95)
    delta = rng.standard_normal(d) * 10 ** rng.uniform(-2, 1)
    A, B = (root @ root.T for root in rng.standard_normal((2, d, d)))
    if kind == "equal covariances":
        A = B = np.eye(d) * 10 ** rng.uniform(-3, 3)
    elif kind == "proportional covariances":
        B = A * 10 ** rng.uniform(-6, 6)
    elif kind == "singular in different directions":
        A, B = (
            root @ root.T for root in rng.standard_normal((2, d, max(1, int(rng.integers(d + 1)))))
        )
    elif kind == "one class without spread":
        A, B = (np.zeros((d, d)), B) if rng.random() < 0.5 else (A, np.zeros((d, d)))
    elif kind == "extreme priors":
        prior = 10.0 ** rng.uniform(-9, -3)
        prior = prior if rng.random() < 0.5 else 1 - prior
    elif kind == "extreme scales":
        scale = 10 ** rng.uniform(-6, 6, d)
        A, B, delta = A * np.outer(scale, scale), B * np.outer(scale, scale), delta * scale
    elif kind == "equal means":
        delta = np.zeros(d)
    elif kind in ("shifted copy", "few rows"):
        n = int(rng.integers(2, 2 * d + 3))
        Z = rng.standard_normal((n, d))
        if kind == "shifted copy":
            X, y = np.vstack([Z, Z + 0.5]), np.repeat([0, 1], n)
        else:
            X, y = Z, (np.arange(n) >= rng.integers(1, n)).astype(int)
        return Moments.from_data(X, y).pair(1, 0)
    return Moments.from_parameters({0: (1 - prior, np.zeros(d), A), 1: (prior, delta, B)}).pair(
        1, 0
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block", range(4))
def test_promises(kind, block):
    for number in range(40):
        rng = np.random.default_rng([KINDS.index(kind), block, number])
        pair = problem(kind, rng)
        swapped = TwoClassMoments(pair.negative, pair.positive, 0, 1)
        p = pair.prior_positive
        frontier, mirror = Frontier(pair), Frontier(swapped)
        error = frontier.best("error")
        assert error.error <= min(p, 1 - p) + 1e-12
        assert error.error == pytest.approx(mirror.best("error").error, rel=1e-5, abs=1e-9)
        balanced = frontier.best("balanced_error").balanced_error
        assert balanced <= 0.5 + 1e-9
        assert balanced == pytest.approx(
            mirror.best("balanced_error").balanced_error, rel=1e-5, abs=1e-9
        )
        capped = frontier.best("true_positive_rate", max_false_positive_rate=0.1)
        assert capped.false_positive_rate <= 0.1 + 1e-9
        floored = frontier.best("false_positive_rate", min_true_positive_rate=0.9)
        assert floored.true_positive_rate >= 0.9 - 1e-7
        f1 = frontier.best("f1").f_score()
        for rival in (error, frontier.best("balanced_error"), capped, floored):
            assert f1 >= rival.f_score() - 1e-9


@pytest.mark.parametrize("kind", ["few rows", "shifted copy"])
def test_reported_rates_are_those_of_the_scores(kind):
    """The scores' own mean and spread give the rates that the rule reports."""
    for number in range(100):
        rng = np.random.default_rng([99, KINDS.index(kind), number])
        d = int(rng.integers(1, 6))
        n = int(rng.integers(4, 30))
        X, y = rng.standard_normal((n, d)), np.arange(n) % 2
        if kind == "shifted copy":
            X, y = np.vstack([X, X + 1.0]), np.repeat([0, 1], n)
        rule = Frontier(Moments.from_data(X, y)).best("balanced_error")
        score = rule.decision_function(X)
        for k, rate in ((1, rule.false_negative_rate), (0, rule.false_positive_rate)):
            mean, sd = score[y == k].mean(), score[y == k].std()
            if sd > 1e-5:
                expected = norm.cdf(-mean / sd) if k else norm.sf(-mean / sd)
                assert rate == pytest.approx(expected, abs=1e-6)


def test_labels_of_the_rule():
    rule = Frontier(Moments.from_data([[0.0], [1.0], [5.0], [7.0]], list("aabb"))).best("error")
    assert rule.predict(np.array([[0.5], [6.0]])).tolist() == ["a", "b"]
    assert rule.f_score() == pytest.approx(1, abs=1e-3)
