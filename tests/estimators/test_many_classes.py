"""Many classes: pairs are evaluated together."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs
from tests.helpers import gaussian_rows

from zerone import AUCClassifier, ZeroOneClassifier
from zerone._moments.pair import class_pairs
from zerone._probability.many_pairs import ManyPairs


def sums_one_by_one(vote, scores):
    sums = np.zeros((len(scores), vote.n_classes))
    for column, (pair, curve) in enumerate(
        zip(class_pairs(vote.n_classes), vote.curves, strict=True)
    ):
        if curve is not None:
            sums[:, list(pair)] += curve.probabilities(scores[:, column])
    return sums


class TestSums:
    @pytest.mark.parametrize("refine", ["auto", None])
    @pytest.mark.parametrize("cls", [ZeroOneClassifier, AUCClassifier])
    def test_they_are_those_of_every_pair(self, cls, refine):
        X, y, _ = gaussian_rows(21, classes=7)
        model = cls(refine=refine).fit(X, y)
        scores = X @ model.coef_.T + model.intercept_
        for vote in (model._votes.decision, model._votes.posterior):
            expected = sums_one_by_one(vote, scores)
            assert_allclose(vote.sums(scores), expected, rtol=1e-10, atol=1e-12)
            found = vote.sums_of_rows(X, model.coef_, model.intercept_)
            assert_allclose(found, expected, rtol=1e-9, atol=1e-12)

    def test_a_class_without_rows_has_no_pairs(self):
        X, y, _ = gaussian_rows(22, classes=6)
        seen = y != 3
        model = ZeroOneClassifier(refine=None).partial_fit(X[seen], y[seen], classes=range(6))
        scores = X @ model.coef_.T + model.intercept_
        vote = model._votes.decision
        assert_allclose(vote.sums(scores), sums_one_by_one(vote, scores), rtol=1e-10, atol=1e-12)
        assert (model.predict(X) != 3).all()
        assert (model.predict_proba(X)[:, 3] == 0).all()

    @pytest.mark.parametrize("shift", [0.0, 1e6])
    def test_single_precision_changes_no_answer(self, shift):
        X, y = make_blobs(4000, 5, centers=30, cluster_std=3.0, random_state=0)
        model = ZeroOneClassifier(refine=None).fit(X[:1000] + shift, y[:1000])
        # Lines through zero; those of equal classes and far rows are the hard cases.
        model = model.retarget("error", class_weight={0: 1.001})
        rows = np.concatenate([X, 1e3 * X]) + shift
        many = model._votes.decision._many
        expected = many.sums(rows, model.coef_, model.intercept_).argmax(axis=1)
        found = many.best(rows, model.coef_, model.intercept_)
        assert (found == expected).all()

    def test_runs_hold_all_pairs_once(self):
        for k in (5, 40, 130, 300):
            runs = list(ManyPairs.of(k, [None] * (k * (k - 1) // 2))._runs())
            assert [run.start for run, _ in runs[1:]] == [run.stop for run, _ in runs[:-1]]
            assert (runs[0][0].start, runs[-1][0].stop) == (0, k * (k - 1) // 2)
            for run, classes in runs:
                assert run.stop - run.start == sum(k - 1 - label for label in classes)


def blobs(k, n, d=20, spread=1.0):
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    return spread * rng.standard_normal((k, d))[y] + rng.standard_normal((n, d)), y


class TestSizes:
    """A pickle holds what prediction and `retarget` need, and no more."""

    @pytest.mark.parametrize("cls", [ZeroOneClassifier, AUCClassifier])
    @pytest.mark.parametrize("n", [500, 30_000])
    def test_two_classes_take_at_most_20_kb(self, cls, n, tmp_path):
        X, y = blobs(2, n, spread=0.3)
        model = cls(refine="frontier").fit(X, y)
        assert len(pickle.dumps(model)) <= 20_000
        model.save(tmp_path / "model.zerone")
        assert (tmp_path / "model.zerone").stat().st_size <= 20_000

    def test_50_classes_take_at_most_2_mb(self, tmp_path):
        X, y = blobs(50, 3000)
        model = ZeroOneClassifier(refine="frontier").fit(X, y)
        assert len(pickle.dumps(model)) <= 2_000_000
        model.save(tmp_path / "model.zerone")
        assert (tmp_path / "model.zerone").stat().st_size <= 2_000_000
        assert len(pickle.dumps(model.retarget("auc"))) <= 2_000_000

    def test_a_copy_predicts_and_retargets_the_same(self):
        X, y = blobs(6, 600, d=5)
        model = ZeroOneClassifier().fit(X, y)
        model.predict(X)
        copy = pickle.loads(pickle.dumps(model))
        assert (copy.decision_function(X) == model.decision_function(X)).all()
        ours, theirs = (own.retarget("error", class_weight={2: 9.0}) for own in (model, copy))
        assert (ours.decision_function(X) == theirs.decision_function(X)).all()
