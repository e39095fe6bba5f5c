"""Parts and samples of the rows that models are trained on."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

import zerone._refine.pair_rows as pair_rows
import zerone._refine.row_order as row_order
from zerone import AUCClassifier, ZeroOneClassifier
from zerone._refine.blocks import DenseBlock
from zerone._refine.training_rows import Sample, TrainingRows


def training_rows(rng, n_positive=300, n_negative=700):
    signs = np.repeat([1.0, -1.0], [n_positive, n_negative])
    weights = np.tile(rng.integers(1, 4, len(signs)).astype(float), (2, 1))
    return TrainingRows(DenseBlock(rng.standard_normal((2, len(signs)))), signs, weights)


def test_a_thinned_part_keeps_the_weight_of_each_class(rng):
    rows = training_rows(rng)
    part = rows.thinned(400)
    assert len(part.signs) < 450
    for sign in (1, -1):
        own, all_rows = (given.weights[1][given.signs == sign].sum() for given in (part, rows))
        assert own == pytest.approx(all_rows, rel=0.02)
    assert rows.thinned(1e9) is rows


def test_a_rare_class_stays_whole(rng):
    rows = training_rows(rng, 20, 2_000)
    part = rows.thinned(500)
    assert np.count_nonzero(part.signs > 0) == 20
    assert_allclose(part.weights[0][part.signs > 0], rows.weights[0][:20])


def test_a_sample_stands_for_all_rows():
    sample = Sample.drawn(30, 10_000, 1_000, 0)
    assert not sample.is_whole
    assert (sample.chosen[:30] == np.arange(30)).all()
    assert len(np.unique(sample.chosen)) == 1_000
    assert sample.stands_for == (1.0, 10_000 / 970)
    assert Sample.drawn(30, 40, 100, 0).is_whole


def test_rows_of_one_cell_become_neighbours(rng):
    codes, cells = np.repeat([1, 0], [40, 60]), rng.integers(0, 5, 100)
    chosen = Sample(np.sort(rng.choice(100, 50, replace=False))).by_cell(codes, cells).chosen
    keys = list(zip((1 - codes[chosen]).tolist(), cells[chosen].tolist(), strict=True))
    assert keys == sorted(keys)


@pytest.mark.parametrize("cls", [ZeroOneClassifier, AUCClassifier])
@pytest.mark.parametrize("prior", [0.5, 0.03])
def test_a_fit_on_a_sample_is_near_that_on_all_rows(rng, monkeypatch, cls, prior):
    n = 12_000
    y = (rng.random(n) < prior).astype(int)
    X = rng.standard_normal((n, 4)) + y[:, None] * [1.5, 0.5, 0.0, 0.0]
    X[:, 2] = np.exp(X[:, 2])
    whole = cls().fit(X, y)
    monkeypatch.setattr(pair_rows, "MAX_ROWS", 4_000)
    sampled = cls().fit(X, y)
    scores = [own.decision_function(X) for own in (whole, sampled)]
    assert np.corrcoef(*scores)[0, 1] > 0.995
    assert np.abs(sampled.predict_proba(X) - whole.predict_proba(X)).mean() < 0.02
    if cls is ZeroOneClassifier:
        assert sampled.held_out_error_ == pytest.approx(whole.held_out_error_, abs=0.01)
        assert np.mean(sampled.predict(X) == whole.predict(X)) > 0.98


def test_splits_that_a_sample_cannot_judge_are_judged_by_all_rows(rng, monkeypatch):
    y = np.arange(2_000) % 2
    X = rng.standard_normal((2_000, 3)) + y[:, None]
    monkeypatch.setattr(pair_rows, "MAX_ROWS", 20)
    few = np.arange(0, 6)
    splits = [(np.arange(6, 2_000), few[:3]), (np.arange(6, 2_000), few[3:])]
    assert 0 <= ZeroOneClassifier(cv=splits).fit(X, y).held_out_error_ <= 1


def test_wide_rows_keep_their_weights_whatever_deals_the_folds(rng, monkeypatch):
    """Of many rows positions deal the folds, so that rows of one fold are no neighbours."""
    n, n_features = 600, 5_000
    kind = np.arange(n) % 2
    # Each kind has words of its own, and both have many in common.
    own = 20 * kind[:, None] + rng.integers(20, size=(n, 12))
    words = np.where(rng.random((n, 12)) < 0.4, own, rng.integers(40, n_features, (n, 12)))
    X = sp.csr_array(
        (np.ones(words.size), (np.repeat(np.arange(n), 12), words.ravel())), (n, n_features)
    )
    # Nearly half of the labels are wrong, but these rows hardly count.
    is_wrong = rng.random(n) < 0.45
    y, weights = np.where(is_wrong, 1 - kind, kind), np.where(is_wrong, 0.01, 1.0)
    monkeypatch.setattr(row_order, "_MAX_ORDERED_ROWS", 100)
    assert ZeroOneClassifier().fit(X, y, weights).held_out_error_ < 0.1
