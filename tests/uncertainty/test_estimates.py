"""Figures with their variance, and their means over splits."""

import numpy as np
import pytest

from zerone._uncertainty import ratios
from zerone._uncertainty.delong import delong
from zerone._uncertainty.estimates import Estimate, mean_of_splits
from zerone._uncertainty.intervals import share_interval
from zerone._uncertainty.rankings import ranking_estimate
from zerone.metrics import AUCLoss, PartialAUCLoss


@pytest.fixture
def ranked(rng):
    is_positive = rng.random(200) < 0.3
    return is_positive, np.round(rng.normal(size=200) + is_positive, 1)


def of_ranking(is_positive, scores, weights=None, *, loss=AUCLoss(), is_sample=False):  # noqa: B008
    return ranking_estimate(loss, is_positive, scores, weights, is_sample=is_sample)


def test_shares_of_equal_splits_have_the_interval_of_all_rows():
    splits = [Estimate(0.2, 0.16 / 50, 50)] * 4
    assert mean_of_splits(splits).interval() == pytest.approx(share_interval(0.2, 0.16 / 200, 200))


def test_repeats_are_no_new_rows():
    splits = [Estimate(0.2 + number / 100, 0.16 / 50, 50) for number in range(4)]
    once, twice = mean_of_splits(splits), mean_of_splits([*splits, *splits], n_repeats=2)
    assert twice.interval() == pytest.approx(once.interval())


def test_a_share_of_one_in_all_splits():
    found = mean_of_splits([Estimate(1.0, 0.0, 50), Estimate(1.0, 0.0, 50)]).interval()
    assert found == pytest.approx(share_interval(1.0, 0.0, 100))


def test_the_auc_has_the_variance_of_delong(ranked):
    expected, found = delong(*ranked), of_ranking(*ranked)
    assert found.value == pytest.approx(expected.values[0])
    assert found.variance == pytest.approx(expected.covariance[0, 0])


def test_a_count_is_a_repeated_row(ranked):
    counts = np.where(np.arange(200) % 3 == 0, 2, 1)
    repeated = [np.repeat(own, counts) for own in ranked]
    weighted = of_ranking(*ranked, counts.astype(float))
    assert weighted == pytest.approx(of_ranking(*repeated))


def test_rows_of_a_sample_that_stand_for_as_many_each_count_once(ranked):
    plain = of_ranking(*ranked)
    sampled = of_ranking(*ranked, np.full(200, 9.0), is_sample=True)
    assert sampled.variance == pytest.approx(plain.variance, rel=0.05)
    assert sampled.n_rows == pytest.approx(plain.n_rows)
    counts = np.array([[30.0, 10.0], [5.0, 55.0]])
    figure = ratios.balanced_error(2)
    scaled = figure.estimate(9 * counts, 81 * counts)
    assert scaled.interval() == pytest.approx(figure.interval(counts))


def test_what_is_reported_of_a_partial_auc(ranked):
    loss = PartialAUCLoss(0.5)
    found = of_ranking(*ranked, loss=loss)
    low, high = found.interval()
    assert low < found.value < high
    # Its error is that of the loss, times the slope of what is reported.
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 200, (300, 200))
    values = [of_ranking(*(own[rows] for own in ranked), loss=loss).value for rows in drawn]
    assert np.sqrt(found.variance) == pytest.approx(np.std(values), rel=0.2)


def test_one_row_of_a_class_tells_nothing(rng):
    assert of_ranking(np.arange(9) == 0, rng.normal(size=9)) is None
