"""Intervals of the means of a comparison, and of their differences."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from zerone import ZeroOneClassifier
from zerone._uncertainty.intervals import share_interval
from zerone.comparison import Comparison, compare_table, comparison_report, verdict
from zerone.comparison._contestants import Contestant
from zerone.comparison._differences import finite_t, least_t
from zerone.comparison._references import MajorityClass
from zerone.metrics import chosen_metric

QUICK = (
    Contestant("ZeroOneClassifier", lambda: ZeroOneClassifier(refine=None), role="ours"),
    Contestant("logistic", lambda: LogisticRegression(C=1e-3)),
    Contestant("majority", MajorityClass, role="majority"),
)


@pytest.fixture
def numbers(rng):
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + rng.normal(size=300) > 0.5
    return pd.DataFrame(X, columns=list("abc")).assign(y=np.where(y, "up", "down"))


def compared(source, **options):
    given = {"target": "y", "contestants": QUICK, "time_limit": math.inf}
    return compare_table(source, **given | options)


def made_up(folds=5, **measured):
    metrics = {name: {"accuracy": np.array(own)} for name, own in measured.items()}
    roles = dict.fromkeys(metrics, "ours")
    return Comparison(
        metrics, roles, {}, None, None, False, folds, metric=chosen_metric("error", None)
    )


def test_accuracy_has_the_interval_of_all_rows(numbers):
    found = compared(numbers)
    value = found.mean("logistic", "accuracy")
    expected = share_interval(value, value * (1 - value) / 300, 300)
    assert found.interval("logistic", "accuracy") == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize("metric", ["accuracy", "AUC", "balanced error", "seconds"])
def test_every_figure_is_in_its_interval(metric, numbers):
    found = compared(numbers)
    low, high = found.interval("ZeroOneClassifier", metric)
    assert low < found.mean("ZeroOneClassifier", metric) < high


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("f1", {}),
        ("fbeta", {"beta": 2}),
        ("cost", {"false_negative_cost": 5}),
        ("partial_auc", {"max_fpr": 0.2}),
        ("average_precision", {}),
        ("true_positive_rate", {"max_false_positive_rate": 0.1}),
        ("precision_at_k", {"k": 0.2}),
    ],
)
def test_so_is_the_metric_that_decides(metric, params, numbers):
    found = compared(numbers, metric=metric, metric_params=params, positive="down", folds=3)
    for own in found.shown:
        interval = found.interval("ZeroOneClassifier", own)
        assert interval.is_known, own
        assert interval.low <= found.mean("ZeroOneClassifier", own) <= interval.high
    for name in ("ZeroOneClassifier", "logistic"):
        for own, estimates in found.estimates[name].items():
            values = [estimate.value for estimate in estimates]
            np.testing.assert_allclose(values, found.metrics[name][own], err_msg=own)


def test_several_classes(numbers):
    table = numbers.assign(y=np.where(numbers["b"] > 1, "else", numbers["y"]))
    found = compared(table, contestants=QUICK[:2], metric="f1")
    for own in found.shown:
        assert found.interval("ZeroOneClassifier", own).is_known


def test_a_constant_prediction_has_no_interval_where_nothing_can_differ(numbers):
    found = compared(numbers)
    assert found.interval("majority", "accuracy").is_known
    assert not found.interval("majority", "AUC").is_known
    assert not found.interval("majority", "balanced error").is_known


@pytest.mark.parametrize("shift", [0.0, 0.01, 0.02, 0.03])
def test_a_difference_is_significant_if_its_interval_is_on_one_side_of_zero(shift):
    one = np.array([0.8, 0.82, 0.79, 0.81, 0.8])
    other = one + shift + np.array([0.01, -0.01, 0.005, 0, -0.005])
    found = made_up(one=one, other=other)
    value, (low, high) = found.difference("other", "one", "accuracy")
    assert value == pytest.approx(shift)
    is_significant = abs(finite_t(found, "accuracy", "one", "other")) > least_t(5)
    assert is_significant == (low > 0 or high < 0)


def test_differences_that_are_all_the_same_tell_nothing():
    found = made_up(one=np.full(5, 0.5), other=np.full(5, 0.75))
    value, interval = found.difference("other", "one", "accuracy")
    assert value == 0.25
    assert not interval.is_known


def test_the_report_has_them(numbers):
    found = compared(numbers)
    page = comparison_report(found, verdict(found), title="t")
    assert str(found.interval("logistic", "AUC")) in page
    low, high = found.difference("logistic", "ZeroOneClassifier", "AUC")[1]
    assert f"{low:+.4f} to {high:+.4f}" in page
