"""The cases that break careless solvers; each must give a sensible finite rule."""

import numpy as np
import pytest
from scipy.stats import norm

from zerone import Frontier, Moments

METRICS = [
    ("error", {}),
    ("balanced_error", {}),
    ("auc", {}),
    ("f1", {}),
    ("fbeta", {"beta": 0.5}),
    ("cost", {"false_negative_cost": 10, "false_positive_cost": 1}),
    ("true_positive_rate", {"max_false_positive_rate": 0.1}),
    ("false_positive_rate", {"min_true_positive_rate": 0.9}),
]


def data(name, rng):
    X, y = rng.standard_normal((200, 4)), np.arange(200) % 2
    X[y == 1] += 1.0
    if name == "constant feature":
        X[:, 2] = 7.0
    elif name == "duplicated features":
        X = np.hstack([X, X, 3 * X[:, :1]])
    elif name == "dependent features":
        X = np.hstack([X, X @ rng.standard_normal((4, 3))])
    elif name == "a class with one row":
        y = (np.arange(200) == 17).astype(int)
    elif name == "a class with one row, last":
        y = (np.arange(200) != 17).astype(int)
    elif name == "equal means":
        for k in (0, 1):
            X[y == k] -= X[y == k].mean(axis=0)
        X[y == 1] *= [1, 10, 1, 0.1]
    elif name == "equal classes":
        X[y == 1] = X[y == 0]
    elif name == "separated":
        X[y == 1] += 1e3
    elif name == "separated by a constant":
        X[:, 3] = y
    elif name == "separated by a hidden combination":
        X[:, 3] = X[:, 0] + 2 * X[:, 1] + 1e-3 * y
    elif name == "more features than rows":
        X = rng.standard_normal((20, 50))
        y = np.arange(20) % 2
    elif name == "everything constant":
        X[:] = 3.0
    elif name == "two rows":
        X, y = X[:2], y[:2]
    elif name == "tiny values":
        X = X * 1e-150
    elif name == "huge values":
        X = X * 1e150
    elif name == "scales apart":
        X = X * [1e-12, 1.0, 1e6, 1e12]
    return X, y


CASES = [
    "ordinary", "constant feature", "duplicated features", "dependent features",
    "a class with one row", "a class with one row, last", "equal means", "equal classes",
    "separated", "separated by a constant", "separated by a hidden combination",
    "more features than rows", "everything constant", "two rows", "tiny values", "huge values",
    "scales apart",
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("covariance", ["explicit", "factored"])
def test_every_metric_gives_a_finite_rule(case, covariance, rng):
    X, y = data(case, rng)
    frontier = Frontier(Moments.from_data(X, y, covariance=covariance))
    majority = min((y == 0).mean(), (y == 1).mean())
    for metric, parameters in METRICS:
        rule = frontier.best(metric, **parameters)
        assert np.isfinite(rule.coef).all(), metric
        assert np.isfinite(rule.intercept), metric
        assert 0 <= rule.false_negative_rate <= 1
        assert 0 <= rule.false_positive_rate <= 1
        assert 0.5 - 1e-9 <= rule.auc <= 1
        assert rule.status.endswith(".")
        if metric == "error":
            assert rule.error <= majority + 1e-12
    false_positive, true_positive = frontier.roc_curve()
    assert (np.diff(false_positive) >= 0).all()
    assert (np.diff(true_positive) >= 0).all()
    if "one row" not in case:  # a lone row is found or not: no rule reaches the diagonal
        assert (true_positive >= false_positive - 1e-9).all()


@pytest.mark.parametrize(
    "case",
    ["separated", "separated by a constant", "separated by a hidden combination",
     "more features than rows", "two rows"],
)  # fmt: skip
@pytest.mark.parametrize("covariance", ["explicit", "factored"])
def test_separated_classes_are_told_apart(case, covariance, rng):
    X, y = data(case, rng)
    rule = Frontier(Moments.from_data(X, y, covariance=covariance)).best("error")
    assert rule.error < 1e-12
    assert ((X @ rule.coef + rule.intercept > 0) == y).all()


@pytest.mark.parametrize("case", ["duplicated features", "dependent features", "constant feature"])
def test_redundant_features_do_not_change_the_rule(case, rng):
    X, y = data(case, rng)
    plain = X[:, [0, 1, 3]] if case == "constant feature" else X[:, :4]
    for metric, parameters in METRICS:
        rule = Frontier(Moments.from_data(X, y)).best(metric, **parameters)
        expected = Frontier(Moments.from_data(plain, y)).best(metric, **parameters)
        np.testing.assert_allclose(
            X @ rule.coef + rule.intercept, plain @ expected.coef + expected.intercept, atol=1e-6
        )


def test_equal_means_with_unequal_spread():
    moments = Moments.from_parameters(
        {0: (1, [0.0, 0.0], np.eye(2)), 1: (1, [0.0, 0.0], np.diag([1.0, 100.0]))}
    )
    rule = Frontier(moments).best("error")
    # One threshold on the second feature, where a normal of sd 10 meets one of sd 1.
    cut = np.sqrt(2 * np.log(10) / (1 - 1 / 100))
    expected = (norm.cdf(cut / 10) + norm.sf(cut)) / 2
    assert rule.error == pytest.approx(expected, abs=1e-9)
    assert rule.error == pytest.approx(0.300, abs=5e-4)
    assert abs(rule.coef[0]) < 1e-6 * abs(rule.coef[1])
    assert "equal" in Frontier(moments).best("auc").status


def test_one_row_in_a_million(rng):
    n = 1_000_000
    X = rng.standard_normal((n, 2))
    y = np.zeros(n, dtype=int)
    y[123_456] = 1
    X[123_456] = [3.0, -2.0]
    frontier = Frontier(Moments.from_data(X, y))
    rule = frontier.best("error")
    assert np.isfinite(rule.coef).all()
    # The lone positive lies on the positive side, and hardly any negatives do.
    assert X[123_456] @ rule.coef + rule.intercept > 0 or rule.is_constant
    assert rule.error <= 1e-6
    balanced = frontier.best("balanced_error")
    assert X[123_456] @ balanced.coef + balanced.intercept > 0
    assert (X @ balanced.coef + balanced.intercept > 0).mean() < 0.01


def test_always_the_majority():
    moments = Moments.from_parameters(
        {"common": (0.99, [0.0], [[1.0]]), "rare": (0.01, [0.5], [[1.0]])}
    )
    rule = Frontier(moments).best("error")
    assert rule.is_constant
    assert "'common'" in rule.status
    assert rule.error == pytest.approx(0.01)
    assert rule.coef[0] > 0
    assert rule.intercept < -40
    # Under other priors the same moments have a proper rule.
    assert not Frontier(moments, priors={"common": 0.5, "rare": 0.5}).best("error").is_constant


def test_always_positive_for_f1():
    moments = Moments.from_parameters({0: (0.3, [0.0], [[1.0]]), 1: (0.7, [0.1], [[1.0]])})
    rule = Frontier(moments).best("f1")
    assert rule.true_positive_rate > 0.99


@pytest.mark.parametrize("rate", [1e-9, 0.05, 0.5, 0.999])
def test_rates_are_met(rate):
    moments = Moments.from_parameters(
        {0: (1, [0.0, 0.0], np.eye(2)), 1: (1, [1.0, 1.0], np.diag([9.0, 0.01]))}
    )
    frontier = Frontier(moments)
    by_alarm = frontier.best("true_positive_rate", max_false_positive_rate=rate)
    assert by_alarm.false_positive_rate == pytest.approx(rate, rel=1e-9)
    by_hit = frontier.best("false_positive_rate", min_true_positive_rate=rate)
    assert by_hit.true_positive_rate == pytest.approx(rate, rel=1e-7)


def test_roc_curve_is_what_the_rules_reach():
    moments = Moments.from_parameters(
        {0: (1, [0.0, 0.0], np.eye(2)), 1: (1, [1.0, 1.0], np.diag([9.0, 0.01]))}
    )
    frontier = Frontier(moments)
    false_positive, true_positive = frontier.roc_curve(2001)
    for rate in [0.01, 0.2, 0.7]:
        rule = frontier.best("true_positive_rate", max_false_positive_rate=rate)
        on_curve = np.interp(rate, false_positive, true_positive)
        assert on_curve == pytest.approx(rule.true_positive_rate, abs=1e-4)


def test_roc_curve_of_equal_covariances_is_the_binormal_one():
    moments = Moments.from_parameters({0: (1, [0.0], [[1.0]]), 1: (1, [2.0], [[1.0]])})
    false_positive, true_positive = Frontier(moments).roc_curve()
    expected = norm.cdf(norm.ppf(false_positive[1:-1]) + 2)
    np.testing.assert_allclose(true_positive[1:-1], expected, atol=1e-9)


def test_bad_requests():
    moments = Moments.from_parameters({0: (1, [0.0], [[1.0]]), 1: (1, [1.0], [[1.0]])})
    frontier = Frontier(moments)
    with pytest.raises(ValueError, match=r"metric: got 'accuracy', expected one of \['error'"):
        frontier.best("accuracy")
    with pytest.raises(TypeError, match="takes no parameter 'beta'"):
        frontier.best("error", beta=2)
    with pytest.raises(TypeError, match="needs the parameter 'beta'"):
        frontier.best("fbeta")
    with pytest.raises(ValueError, match="max_false_positive_rate: got 1"):
        frontier.best("true_positive_rate", max_false_positive_rate=1)
    for beta in (-1, 0, 1e200):
        with pytest.raises(ValueError, match="beta: got"):
            frontier.best("fbeta", beta=beta)
    with pytest.raises(ValueError, match="false_positive_cost: got 0"):
        frontier.best("cost", false_negative_cost=1, false_positive_cost=0)
    with pytest.raises(ValueError, match="n_points"):
        frontier.roc_curve(0)
    with pytest.raises(ValueError, match="priors"):
        frontier.best("error", priors={0: 0.5, "b": 0.5})
    with pytest.raises(ValueError, match="priors"):
        Frontier(moments, priors=[0.3, 0.7])
    with pytest.raises(ValueError, match="metric"):
        frontier.best(["error"])
    assert frontier.best("error", priors={0: 1e308, 1: 1e308}).error < 0.5
    assert frontier.best("error", priors={0: 1e-308, 1: 1e308}).is_constant


def test_the_number_of_classes():
    with pytest.raises(ValueError, match="only one class has rows, 'a'"):
        Frontier(Moments.from_data([[1.0]], ["a"], classes=["a", "b"]))
    with pytest.raises(ValueError, match=r"got 3 classes.*pair"):
        Frontier(Moments.from_data([[1.0], [2.0], [3.0]], [0, 1, 2]))
    moments = Moments.from_data([[1.0]], ["a"])
    with pytest.raises(ValueError, match="no class has rows"):
        Frontier(moments - moments)
    with pytest.raises(TypeError, match=r"moments: got list.*Moments\.from_data"):
        Frontier([[1.0]])
    # A class without rows does not count.
    moments = Moments.from_data([[1.0], [2.0]], [0, 2], classes=[0, 1, 2])
    assert Frontier(moments).pair.positive_label == 2
