import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, softmax
from scipy.stats import norm

from evidence.problems import random_moments
from zerone import AUCClassifier, ZeroOneClassifier
from zerone._probability.coupling import coupled_probabilities
from zerone._probability.normal import NormalScores
from zerone.rules._direction import ScoreStatistics

CLASSIFIERS = [ZeroOneClassifier, AUCClassifier]


def score_model(m_pos, m_neg, s_pos, s_neg, log_prior_ratio, *, follows_threshold=False):
    statistics = ScoreStatistics(m_pos - m_neg, s_pos, s_neg)
    return NormalScores(statistics, m_neg, log_prior_ratio, False, follows_threshold)


def knee_of(model):
    return model._centre + model._knee


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("block", range(10))
def test_monotone_in_the_score_and_one_half_at_the_threshold(cls, block):
    """A hundred random problems a block; a thousand in all."""
    for number in range(100):
        rng = np.random.default_rng([block, number])
        moments = random_moments(rng, d=int(rng.integers(1, 6)), low=-2, high=2)
        model = cls(shrinkage=None).fit_moments(moments)
        spread = 1 + np.abs(model.intercept_[0])
        wanted = np.concatenate([np.linspace(-spread, spread, 301), [-1e-12, 0.0, 1e-12, 1e6]])
        w = model.coef_[0]
        rows = np.outer(np.sort(wanted) - model.intercept_[0], w) / (w @ w)
        score = model.decision_function(rows)
        order = np.argsort(score)
        probability = model.predict_proba(rows)
        assert np.isfinite(probability).all()
        assert (np.diff(probability[order, 1]) >= 0).all()
        np.testing.assert_allclose(probability.sum(axis=1), 1)
        assert (model.classes_[probability.argmax(axis=1)] == model.predict(rows)).all()
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(
                np.exp(model.predict_log_proba(rows)), probability, rtol=1e-9, atol=1e-300
            )


@given(
    gap=st.floats(0.01, 5),
    s=st.floats(0.1, 5),
    prior=st.floats(0.01, 0.99),
    z=st.floats(-4, 4),
    shift=st.floats(-3, 3),
)
def test_unshifted_log_odds_are_bayes_rule(gap, s, prior, z, shift):
    model = score_model(gap + shift, shift, s, 1.0, np.log(prior / (1 - prior)))
    if s == 1 or (z - knee_of(model)) * (s - 1) >= 0:
        ratio = norm.logpdf(z, gap + shift, s) - norm.logpdf(z, shift, 1.0)
        expected = ratio + np.log(prior / (1 - prior))
        assert model.curve.log_odds(np.array([z]))[0] == pytest.approx(expected, rel=1e-8, abs=1e-8)


@given(
    gap=st.floats(0.1, 5), s=st.floats(0.2, 5).filter(lambda s: abs(s - 1) > 0.05),
    prior=st.floats(0.05, 0.95),
)  # fmt: skip
def test_held_constant_at_the_share_of_positives_beyond(gap, s, prior):
    model = score_model(gap, 0.0, s, 1.0, np.log(prior / (1 - prior)))
    side = norm.cdf if s > 1 else norm.sf
    positive = prior * side(knee_of(model), gap, s)
    negative = (1 - prior) * side(knee_of(model), 0.0, 1.0)
    found = model.curve.probabilities(np.array([knee_of(model) - 100 * (s - 1)]))[0, 1]
    if positive + negative > 1e-12:
        assert found == pytest.approx(positive / (positive + negative), rel=1e-5)


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("seed", range(4))
def test_calibrated_on_gaussian_data(cls, seed):
    """Observed shares in bins of predicted probability, within sampling noise."""
    rng = np.random.default_rng(seed)
    d, n = 3, 200_000
    transforms = [rng.standard_normal((d, d)) for _ in range(2)]
    y = (rng.random(n) < 0.3).astype(int)
    X = np.where(
        y[:, None] == 1,
        rng.standard_normal((n, d)) @ transforms[1] + 1.0,
        rng.standard_normal((n, d)) @ transforms[0],
    )
    half = n // 2
    model = cls(refine=None).fit(X[:half], y[:half])
    probability = model.predict_proba(X[half:])[:, 1]
    bins = np.clip((probability * 10).astype(int), 0, 9)
    chi_square, used = 0.0, 0
    for b in range(10):
        chosen = bins == b
        if chosen.sum() > 200:
            expected = probability[chosen].mean()
            observed = y[half:][chosen].mean()
            # The held-constant tail is the one place where the model is not exact.
            deviation = np.sqrt(expected * (1 - expected) / chosen.sum())
            chi_square += ((observed - expected) / deviation) ** 2
            used += 1
    assert used >= 3
    assert chi_square < 4 * used + 20


def test_constant_rules_give_honest_probabilities():
    rng = np.random.default_rng(0)
    n = 50_000
    y = (rng.random(n) < 0.02).astype(int)
    X = rng.standard_normal((n, 1)) + 0.5 * y[:, None]
    model = ZeroOneClassifier(refine=None).fit(X, y)
    assert "Always predicting 0" in model.status_
    probability = model.predict_proba(X)[:, 1]
    assert probability.mean() == pytest.approx(0.02, abs=0.003)
    assert (model.predict(X) == 0).all()
    assert (probability < 0.5).all()
    # It still ranks.
    assert probability[X[:, 0] > 2].mean() > 2 * probability[X[:, 0] < 0].mean()


@given(s=st.floats(1 - 1e-3, 1 + 1e-3), gap=st.floats(0, 50), shift=st.floats(-50, 50))
def test_nearly_equal_spreads(s, gap, shift):
    model = score_model(gap + shift, shift, s, 1.0, 0.0)
    odds = model.curve.log_odds(np.linspace(-100, 100, 201))
    assert np.isfinite(odds).all()
    assert (np.diff(odds) >= -1e-9 * np.abs(odds).max()).all()


@pytest.mark.parametrize("n", [10_000, 1_000_000])
def test_a_narrow_rare_class_among_very_many_rows(n):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.poisson(3, n), np.full(40, 4)]).astype(float)[:, None]
    y = np.repeat([0, 1], [n, 40])
    for weight in (1.0, 1e8):
        model = ZeroOneClassifier(refine=None, shrinkage=None).fit(X, y, np.full(len(y), weight))
        probability = model.predict_proba(np.arange(12.0)[:, None])[:, 1]
        assert (np.diff(probability) >= 0).all()
        share = 40 / (40 + (X[:n] >= 4).sum())
        assert probability[-1] == pytest.approx(share, rel=0.6)


@pytest.mark.parametrize("follows_threshold", [False, True])
@pytest.mark.parametrize("means", [(-1.0, 1.0), (0.0, 0.0), (3.0, 2.0), (-2.0, -3.0)])
@pytest.mark.parametrize("sds", [(1.0, 1.0), (1e-6, 1.0), (1.0, 1e-6), (3.0, 0.5)])
def test_odd_score_moments_never_break_monotonicity(follows_threshold, means, sds):
    model = score_model(*means, *sds, 0.3, follows_threshold=follows_threshold)
    odds = model.curve.log_odds(np.linspace(-50, 50, 2001))
    assert np.isfinite(odds).all()
    assert (np.diff(odds) >= -1e-9 * np.abs(odds).max()).all()


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("spread", [1.0, 10.0])
def test_coupling_recovers_consistent_probabilities(k, spread):
    odds = spread * np.random.default_rng(k).standard_normal((200, k))
    expected = softmax(odds, axis=1)
    shares = expit(odds[:, :, None] - odds[:, None, :])
    sums = shares.sum(axis=2) - 0.5
    found = coupled_probabilities(sums)
    np.testing.assert_allclose(found, expected, atol=1e-7)
    assert (found.argmax(axis=1) == sums.argmax(axis=1)).all()
