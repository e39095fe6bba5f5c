import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from zerone.rules._direction import ScoreStatistics
from zerone.rules._direction import best_offset as offset_of

WEIGHTS = st.floats(1e-3, 1.0)
SPREADS = st.floats(1e-2, 1e2)


def best_offset(gap, s_pos, s_neg, w_pos, w_neg):
    statistics = ScoreStatistics.of_variances(gap, s_pos**2, s_neg**2)
    return offset_of(statistics, w_pos, w_neg)


def error(offset, gap, s_pos, s_neg, w_pos, w_neg):
    return w_pos * norm.cdf(-(gap + offset) / s_pos) + w_neg * norm.cdf(offset / s_neg)


@given(gap=st.floats(-5, 5), s_pos=SPREADS, s_neg=SPREADS, w_pos=WEIGHTS, w_neg=WEIGHTS)
def test_no_other_threshold_is_better(gap, s_pos, s_neg, w_pos, w_neg):
    found = best_offset(gap, s_pos, s_neg, w_pos, w_neg)
    value = (
        error(found, gap, s_pos, s_neg, w_pos, w_neg)
        if np.isfinite(found)
        else (w_neg if found > 0 else w_pos)
    )
    arguments = (gap, s_pos, s_neg, w_pos, w_neg)
    reach = 12 * max(s_pos, s_neg) + abs(gap)
    grid = np.linspace(-reach, reach, 4001)
    start = grid[np.argmin(error(grid, *arguments))]
    width = grid[1] - grid[0]
    rival = minimize_scalar(
        error, bounds=(start - width, start + width), args=arguments, method="bounded",
        options={"xatol": 1e-10},
    )  # fmt: skip
    assert value <= min(rival.fun, w_pos, w_neg) + 1e-11


@given(gap=st.floats(-5, 5), s_pos=SPREADS, s_neg=SPREADS, w_pos=WEIGHTS, w_neg=WEIGHTS)
def test_swapping_the_classes_mirrors_the_threshold(gap, s_pos, s_neg, w_pos, w_neg):
    found = best_offset(gap, s_pos, s_neg, w_pos, w_neg)
    # Measured from the other class's mean with the score reversed.
    mirrored = best_offset(gap, s_neg, s_pos, w_neg, w_pos)
    arguments = (gap, s_pos, s_neg, w_pos, w_neg)
    if np.isfinite(found) and np.isfinite(mirrored):
        assert error(found, *arguments) == pytest.approx(
            error(-mirrored - gap, *arguments), rel=1e-9
        )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((2.0, 1.0, 1.0, 0.5, 0.5), -1.0),
        ((0.0, 0.0, 0.0, 0.3, 0.7), -np.inf),
        ((0.0, 1.0, 1.0, 0.7, 0.3), np.inf),
        ((-1.0, 1.0, 1.0, 0.3, 0.7), -np.inf),
        ((-1.0, 1.0, 1.0, 0.5, 0.5), -np.inf),
    ],
)
def test_known_answers(arguments, expected):
    assert best_offset(*arguments) == pytest.approx(expected)


@pytest.mark.parametrize("gap", [1e-5, 1.0, 1e5])
@pytest.mark.parametrize("classes", [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (1e-9, 1.0)])
def test_classes_without_spread(gap, classes):
    s_pos, s_neg = (gap * s for s in classes)
    offset = best_offset(gap, s_pos, s_neg, 0.4, 0.6)
    assert -gap < offset < 0
    if s_pos == 0 and s_neg > 0:
        # Just below the positives: all of them are found.
        assert gap + offset < 1e-4 * gap
