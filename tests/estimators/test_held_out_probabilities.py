"""Log-odds fitted to held-out scores: lines that meet."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from zerone._probability.curves import Lines, curve_from_dict, curve_to_dict
from zerone._probability.held_out import HeldOutScores, curves_of


def scored(scores, positive, negative=None, slope=1.0, anchored=True):
    negative = 1 - positive if negative is None else negative
    return HeldOutScores(scores, positive, negative, slope, anchored, anchored)


def drawn(truth, n, seed):
    """Scores of n rows and labels with the log-odds of a true curve."""
    random = np.random.default_rng(seed)
    scores = np.sort(random.normal(-0.5, 1.5, n))
    return scores, (random.random(n) < expit(truth(scores))).astype(float)


@pytest.mark.parametrize("anchored", [True, False])
@pytest.mark.parametrize(
    "truth", [lambda z: 2 * z, lambda z: np.where(z < 0, 3 * z, 0.5 * z), np.arctan]
)
def test_many_rows_show_the_true_log_odds(truth, anchored):
    scores, positive = drawn(truth, 100_000, 0)
    found = scored(scores, positive, anchored=anchored).curve.probabilities(scores)[:, 1]
    assert np.abs(found - expit(truth(scores))).mean() < 0.008


@given(
    st.integers(2, 40),
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.floats(1e-3, 1e3),
    st.floats(0.05, 5),
)
def test_swapping_the_classes_turns_the_curve_round(n, seed, anchored, size, slope):
    scores, positive = drawn(lambda z: z, n, seed)
    positive[0], positive[-1] = 0, 1
    one = scored(size * scores, positive, slope=slope / size, anchored=anchored).curve
    other = scored(-size * scores[::-1], 1 - positive[::-1], slope=slope / size, anchored=anchored)
    z = size * np.linspace(-6, 6, 31)
    # Not with the threshold: at zero itself the later class is not predicted.
    np.testing.assert_allclose(other.curve._odds(-z), -one._odds(z), rtol=2e-3, atol=2e-3)
    assert (np.diff(one._odds(z)) >= 0).all()


@given(st.integers(0, 2**32 - 1))
def test_curves_that_are_fitted_together_are_those_of_each_rule(seed):
    random = np.random.default_rng(seed)
    models = []
    for _ in range(6):
        steepness, n = random.choice([0.1, 1.0, 30.0]), int(random.integers(3, 60))
        scores, positive = drawn(lambda z, s=steepness: s * z, n, int(random.integers(2**31)))
        positive[0], positive[-1] = 0, 1
        anchored = bool(random.random() < 0.7)
        models.append(scored(scores, positive, slope=steepness, anchored=anchored))
    z = np.linspace(-5, 5, 41)
    for own, found in zip(models, curves_of(models), strict=True):
        np.testing.assert_allclose(found._odds(z), own.curve._odds(z), rtol=1e-4, atol=1e-4)


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_weights_equal_repetition(seed, anchored):
    scores, positive = drawn(lambda z: z, 12, seed)
    positive[0], positive[-1] = 0, 1
    weights = np.arange(12) % 3 + 1.0
    one = scored(scores, weights * positive, weights * (1 - positive), anchored=anchored).curve
    repeated = np.repeat(scores, weights.astype(int))
    labels = np.repeat(positive, weights.astype(int))
    z = np.linspace(-5, 5, 21)
    # Rows that repeat share a bin in the counts of held-out scores.
    values, bins = np.unique(repeated, return_inverse=True)
    binned = scored(
        values, np.bincount(bins, labels), np.bincount(bins, 1 - labels), anchored=anchored
    )
    np.testing.assert_allclose(binned.curve._odds(z), one._odds(z), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("anchored", [True, False])
def test_separated_rows_keep_to_the_prior(anchored):
    scores = np.array([-2.0, -1.0, 1.0, 2.0])
    curve = scored(scores, (scores > 0).astype(float), slope=2.0, anchored=anchored).curve
    assert 1.5 < (curve._odds(np.array([1.0])) - curve._odds(np.array([-1.0])))[0] / 2 < 3.0


@pytest.mark.parametrize(
    "scores", [np.zeros(4), np.array([0.0, 0, 0, 1]), np.array([-1.0, -1, 5, 5])]
)
@pytest.mark.parametrize("anchored", [True, False])
def test_few_distinct_scores(scores, anchored):
    curve = scored(scores, np.array([0.0, 1, 0, 1]), anchored=anchored).curve
    assert np.isfinite(curve._odds(np.linspace(-9, 9, 7))).all()
    assert all(a < b for a, b in zip(curve.knots[:-1], curve.knots[1:], strict=True))


def test_a_curve_survives_json():
    scores, positive = drawn(lambda z: z, 200, 1)
    curve = scored(scores, positive).curve
    assert len(curve.knots) == 5
    assert curve_from_dict(json.loads(json.dumps(curve_to_dict(curve)))) == curve


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("knots", [1.0, 0.0]), ("knots", []), ("knots", [0.0]), ("knots", "01"),
        ("knots", [0.0, None]), ("values", [1.0, 0.0]), ("values", [0.0, float("nan")]),
        ("below", -1.0), ("above", None), ("follows_threshold", 1),
    ],
)  # fmt: skip
def test_curves_that_fall_or_do_not_fit_are_refused(name, value):
    right = curve_to_dict(Lines((0.0, 1.0), (0.0, 1.0), 1.0, 1.0, True))
    with pytest.raises(ValueError, match="curve"):
        curve_from_dict({**right, name: value})
