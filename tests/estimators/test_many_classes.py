"""Many classes: pairs are evaluated together."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import log_loss
from tests.helpers import gaussian_rows

from zerone import AUCClassifier, ZeroOneClassifier
from zerone._moments.pair import class_pairs
from zerone._probability.curves import Parabola
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


class TestWhichPairsAreRefined:
    def test_those_whose_rows_are_confused(self):
        """Classes lie on a line: only neighbours overlap."""
        rng = np.random.default_rng(0)
        y = np.arange(2000) % 20
        X = np.column_stack([3.0 * y, np.zeros(2000)]) + rng.standard_normal((2000, 2))
        model = ZeroOneClassifier().fit(X, y)
        measured = ~np.isnan(model.held_out_error_)
        neighbours = np.array([b - a == 1 for a, b in class_pairs(20)])
        assert measured[neighbours].all()
        assert measured.sum() <= 60
        assert "pairs: Rules of moments" in model.status_
        assert model.score(X, y) > ZeroOneClassifier(refine=None).fit(X, y).score(X, y) - 0.01

    def test_weights_equal_repetition(self):
        rng = np.random.default_rng(1)
        y = np.arange(900) % 12
        X = 1.2 * rng.standard_normal((12, 4))[y] + rng.standard_normal((900, 4))
        weights = rng.integers(0, 3, 900)
        one = ZeroOneClassifier(refine="frontier").fit(X, y, weights)
        two = ZeroOneClassifier(refine="frontier").fit(
            np.repeat(X, weights, axis=0), np.repeat(y, weights)
        )
        assert (np.isnan(one.held_out_error_) == np.isnan(two.held_out_error_)).all()
        assert_allclose(one.coef_, two.coef_, rtol=1e-6, atol=1e-8)

    def test_the_order_of_the_rows_does_not_matter(self):
        X, y = blobs(12, 600, d=4)
        order = np.random.default_rng(0).permutation(600)
        one, two = (
            ZeroOneClassifier(refine="frontier").fit(X[own], y[own])
            for own in (np.arange(600), order)
        )
        assert_allclose(one.decision_function(X), two.decision_function(X), rtol=1e-6, atol=1e-9)

    @pytest.mark.parametrize("kind", [np.asarray, np.float32, csr_array])
    def test_rows_of_every_kind(self, kind):
        X, y = blobs(12, 600, d=4, spread=2.0)
        rows = kind(X)
        model = ZeroOneClassifier(refine="frontier").fit(rows, y)
        assert model.score(rows, y) > LinearDiscriminantAnalysis().fit(X, y).score(X, y) - 0.02
        assert (model.predict(rows) == model.predict(X)).mean() > 0.99

    def test_few_rows_of_many_classes(self):
        X, y = blobs(40, 80, d=5)
        model = ZeroOneClassifier().fit(X, y)
        assert model.score(X, y) > 0.5
        assert np.isfinite(model.predict_proba(X)).all()


@pytest.fixture(scope="module")
def fitted():
    X, y = blobs(30, 1800, d=6)
    return ZeroOneClassifier(refine="frontier").fit(X, y), X, y


class TestManyPairs:
    """More than 400 pairs of classes: their log-odds are zero at the threshold."""

    def test_curves_pass_zero(self, fitted):
        model, _, _ = fitted
        assert all(curve.passes_zero for curve in model._votes.decision.curves)
        assert model._votes.posterior is model._votes.decision

    def test_chords_are_near_their_parabola(self, rng):
        scores = np.linspace(-5, 5, 101)
        for lowest, highest in ((-np.inf, np.inf), (-2.0, np.inf), (-4.0, 1.5)):
            curve = Parabola(0.4, 0.0, 2.0, 0.1, lowest, highest, True, True)
            lines = curve.through_zero()
            assert lines.passes_zero
            away = lines.probabilities(scores) - curve.probabilities(scores)
            assert np.abs(away).max() < 0.06

    def test_probabilities_are_as_good_as_those_of_the_true_model(self, fitted):
        model, X, y = fitted
        lda = LinearDiscriminantAnalysis().fit(X, y)
        best = log_loss(y, lda.predict_proba(X))
        assert log_loss(y, model.predict_proba(X)) < 1.1 * best + 0.02

    def test_single_precision_changes_no_answer(self, fitted):
        model, X, _ = fitted
        many = model._votes.decision._many
        assert many.is_steady
        rows = np.concatenate([X, 1e4 * X, X[:200] / 1e5])
        expected = many.sums(rows, model.coef_, model.intercept_).argmax(axis=1)
        assert (many.best(rows, model.coef_, model.intercept_) == expected).all()
        near = many.best(X + 1e7, model.coef_, model.intercept_)
        expected = many.sums(X + 1e7, model.coef_, model.intercept_).argmax(axis=1)
        assert (near == expected).mean() > 0.99

    def test_retarget(self, fitted):
        model, X, y = fitted
        favoured = model.retarget("error", class_weight={2: 50.0})
        assert (favoured.predict(X) == 2).sum() > (model.predict(X) == 2).sum()
        again = model.retarget("error")
        assert (again.predict(X) == y).mean() > (model.predict(X) == y).mean() - 0.02
        ranking = model.retarget("auc")
        assert (ranking.predict(X) == y).mean() > (model.predict(X) == y).mean() - 0.03

    @pytest.mark.slow
    @pytest.mark.parametrize("metric", ["f1", "balanced_error"])
    def test_other_metrics(self, metric):
        X, y = blobs(30, 900, d=6)
        model = ZeroOneClassifier(metric=metric, refine="frontier").fit(X, y)
        assert model.score(X, y) > LinearDiscriminantAnalysis().fit(X, y).score(X, y) - 0.03
        assert np.isfinite(model.predict_proba(X)).all()

    @pytest.mark.slow
    def test_100_classes_take_at_most_2_mb(self, tmp_path):
        X, y = blobs(100, 12_000)
        model = ZeroOneClassifier().fit(X, y)
        assert len(pickle.dumps(model)) <= 2_000_000
        model.save(tmp_path / "model.zerone")
        assert (tmp_path / "model.zerone").stat().st_size <= 2_000_000
