"""The rules of the models that held rows out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.helpers import gaussian_rows

from zerone import AUCClassifier, ZeroOneClassifier
from zerone._refine.evidence import HeldOutRule, combined
from zerone._refine.held_out import HeldOutRows
from zerone._refine.judges import judge_of
from zerone.metrics import chosen_metric


def splits_of(n, k=5):
    folds = np.arange(n) % k
    return folds, [(np.flatnonzero(folds != own), np.flatnonzero(folds == own)) for own in range(k)]


@pytest.mark.parametrize("metric", ["error", "f1", "auc"])
def test_they_judge_the_rows_that_they_have_not_seen(metric):
    X, y, _ = gaussian_rows(0, n=600)
    folds, cv = splits_of(600)
    kind = AUCClassifier if metric == "auc" else ZeroOneClassifier
    model = kind(metric=metric, cv=cv).fit(X, y)
    found = model._fold_rules
    assert found.rules.shape == (5, 4)
    assert found.left_out == pytest.approx(0.2)
    assert found.varies.all()
    scores = np.einsum("nd,nd->n", X, found.rules[folds, :-1]) + found.rules[folds, -1]
    error = float(np.mean((scores > 0) != (y == 1)))
    measured = float(np.mean((model.decision_function(X) > 0) != (y == 1)))
    assert error == pytest.approx(measured, abs=0.05)
    if metric == "error":
        assert error == pytest.approx(model.held_out_error_, abs=0.01)
    # They have the scale of the rule: each is near it.
    published = np.append(model.coef_[0], model.intercept_[0])
    assert_allclose(found.rules[:, :-1].mean(axis=0), published[:-1], atol=0.2)


@pytest.mark.parametrize("metric", ["error", "f1", "auc", "average_precision"])
def test_weights_of_a_split_come_from_the_others(metric):
    rng = np.random.default_rng(0)
    n, judge = 600, judge_of(chosen_metric(metric).loss((0.4, 0.6)))
    signs = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    rows = HeldOutRows(np.arange(n) % 3, signs, np.ones(n))
    scores = [rng.standard_normal(n) + size * signs for size in (0.7, 0.6)]
    rules = [
        HeldOutRule(np.eye(2)[own], 0.0, scores[own], np.tile(np.eye(3)[own], (3, 1)))
        for own in (0, 1)
    ]
    before, _ = combined(rules, rows, judge)
    # Other rows of split 0 change its own rule not at all, and those of the others.
    changed = [np.where(rows.splits == 0, -5 * own, own) for own in scores[:1]] + scores[1:]
    rules = [
        HeldOutRule(own.direction, 0.0, new, own.of_splits)
        for own, new in zip(rules, changed, strict=True)
    ]
    after, _ = combined(rules, rows, judge)
    ratios = [found.of_splits[:, 0] / found.of_splits[:, 1] for found in (before, after)]
    assert np.abs(np.log(ratios[0][1:] / ratios[1][1:])).min() > 0.3
    assert before.of_splits.shape == (3, 3)


def test_samples_repeated_splits_and_wide_rows():
    X, y, _ = gaussian_rows(1, n=21_000)
    model = ZeroOneClassifier().fit(X, y)
    assert model._fold_rules.rules.shape == (2, 4)
    summary = model.summary()
    assert "2 degrees of freedom" in summary.method
    assert (summary.standard_errors > 0).all()
    few = ZeroOneClassifier(cv=3).fit(X[:3000], y[:3000])
    assert few._fold_rules.left_out == pytest.approx(1 / 3, abs=0.01)
    assert ZeroOneClassifier(refine=None).fit(X, y)._fold_rules is None
    # More features than rows have coordinates of their own.
    rng = np.random.default_rng(0)
    wide = ZeroOneClassifier().fit(rng.standard_normal((80, 120)) + y[:80, None], y[:80])
    rules = wide._fold_rules
    assert rules is None or rules.rules.shape[1] == 121
