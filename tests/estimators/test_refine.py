"""Refinement as users see it: levels, folds, invariances, hard cases."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    train_test_split,
)
from tests.helpers import assert_same_classifier, gaussian_rows

from zerone import AUCClassifier, Moments, ZeroOneClassifier

CLASSIFIERS = [ZeroOneClassifier, AUCClassifier]


def skewed_rows(seed, n=1000, d=4):
    """Scores that are far from normal: one class has a long tail on the wrong side."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    X = rng.standard_normal((n, d)) + 1.2 * y[:, None] * [1, 0.5, 0, 0][:d]
    X[:, 0] += np.where(y, 0.0, -rng.exponential(6.0, n) * (rng.random(n) < 0.3))
    return X, y.astype(int), rng


def splits(folds):
    return [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(5)]


class TestLevels:
    def test_each_level_says_what_it_did(self):
        X, y, _ = skewed_rows(0)
        for level, found in ((None, None), ("frontier", "frontier"), ("polish", "polish"),
                             ("auto", "polish")):  # fmt: skip
            model = ZeroOneClassifier(refine=level).fit(X, y)
            assert model.refine_ == found
            assert np.isnan(model.held_out_error_) == (level is None)
        assert 0 < model.held_out_error_ < 0.5
        assert 0.5 < AUCClassifier().fit(X, y).held_out_auc_ < 1

    def test_each_level_improves_where_scores_are_not_normal(self):
        X, y, _ = skewed_rows(1, n=20_000)
        half = 10_000
        scores = [
            ZeroOneClassifier(refine=level).fit(X[:half], y[:half]).score(X[half:], y[half:])
            for level in (None, "frontier", "polish")
        ]
        assert scores[1] > scores[0] + 0.01
        assert scores[2] > scores[0] + 0.01
        assert scores[2] > scores[1] - 0.003

    def test_what_was_held_out_tells_the_test_error(self):
        X, y, _ = skewed_rows(2, n=20_000)
        for level in ("frontier", "polish"):
            model = ZeroOneClassifier(refine=level).fit(X[:2000], y[:2000])
            assert model.held_out_error_ == pytest.approx(
                1 - model.score(X[2000:], y[2000:]), abs=0.03
            )
            ranking = AUCClassifier(refine=level).fit(X[:2000], y[:2000])
            auc = roc_auc_score(y[2000:], ranking.decision_function(X[2000:]))
            assert ranking.held_out_auc_ == pytest.approx(auc, abs=0.03)

    @pytest.mark.parametrize("level", ["frontier", "polish"])
    def test_what_is_expected_is_what_the_moments_predict(self, level):
        X, y, _ = skewed_rows(2)
        moments = Moments.from_data(X, y)
        for cls, name in ((ZeroOneClassifier, "error"), (AUCClassifier, "auc")):
            for shrinkage in (0.0, "auto"):
                model = cls(refine=level, shrinkage=shrinkage).fit(X, y)
                expected = getattr(model, f"expected_{name}_")
                assert expected != getattr(model, f"held_out_{name}_")
                w, b = model.coef_[0], model.intercept_[0]
                (z_neg, s_neg), (z_pos, s_pos) = (
                    (w @ moments[k].mean + b, np.sqrt(moments[k].covariance.quad(w)))
                    for k in (0, 1)
                )
                if name == "error":
                    p = y.mean()
                    own = p * norm.cdf(-z_pos / s_pos) + (1 - p) * norm.sf(-z_neg / s_neg)
                else:
                    own = norm.cdf((z_pos - z_neg) / np.hypot(s_pos, s_neg))
                assert expected == pytest.approx(own, rel=1e-6)

    @pytest.mark.parametrize("cls", CLASSIFIERS)
    def test_other_solvers_are_not_refined(self, cls):
        X, y, _ = gaussian_rows(0)
        assert cls(solver="newton-cg").fit(X, y).refine_ is None
        with pytest.raises(ValueError, match="needs solver='exact'"):
            cls(solver="newton-cg", refine="polish").fit(X, y)
        with pytest.raises(ValueError, match="needs solver='exact'"):
            cls(solver="lbfgs", fit_intercept=False, refine="frontier").fit(X, y)

    @pytest.mark.parametrize("refine", ["all", 3, True, ["polish"]])
    def test_unknown_levels(self, refine):
        X, y, _ = gaussian_rows(0)
        with pytest.raises(ValueError, match="expected 'auto', 'polish', 'frontier' or None"):
            ZeroOneClassifier(refine=refine).fit(X, y)

    def test_without_rows_only_the_moments_speak(self):
        X, y, _ = gaussian_rows(1)
        moments = Moments.from_data(X, y)
        silent = ZeroOneClassifier().fit_moments(moments)
        assert_same_classifier(silent, ZeroOneClassifier(refine=None).fit(X, y))
        assert silent.refine_ is None
        with pytest.warns(UserWarning, match="refine='polish' needs all rows, which fit_moments"):
            ZeroOneClassifier(refine="polish").fit_moments(moments)
        with pytest.warns(UserWarning, match="which partial_fit does not have"):
            ZeroOneClassifier(refine="frontier").partial_fit(X, y, classes=[0, 1])

    def test_a_given_shrinkage_is_kept(self):
        X, y, _ = skewed_rows(3)
        some = ZeroOneClassifier(refine="frontier", shrinkage=0.5).fit(X, y)
        assert some.shrinkage_.tolist() == [0.5, 0.5]
        none = ZeroOneClassifier(refine="frontier", shrinkage=None).fit(X, y)
        assert not np.allclose(some.coef_, none.coef_)


class TestFolds:
    def test_a_fit_can_be_repeated(self):
        X, y, _ = skewed_rows(4)
        a, b = (ZeroOneClassifier().fit(X, y) for _ in range(2))
        assert (a.coef_ == b.coef_).all()
        other = ZeroOneClassifier(random_state=1).fit(X, y)
        assert (a.coef_ != other.coef_).any()
        assert (a.predict(X) == other.predict(X)).mean() > 0.97

    def test_numbers_splitters_and_splits(self):
        X, y, rng = skewed_rows(5)
        splitter = StratifiedKFold(4)
        by_splitter = ZeroOneClassifier(cv=splitter).fit(X, y)
        by_hand = ZeroOneClassifier(cv=list(splitter.split(X, y))).fit(X, y)
        assert_same_classifier(by_splitter, by_hand)
        groups = GroupKFold(3).split(X, y, rng.integers(0, 20, len(y)))
        assert ZeroOneClassifier(cv=groups).fit(X, y).refine_ == "polish"
        assert ZeroOneClassifier(cv=3).fit(X, y).refine_ == "polish"
        with pytest.raises(ValueError, match="cv: got 1"):
            ZeroOneClassifier(cv=1).fit(X, y)

    def test_splits_that_overlap_a_lot(self):
        X, y, _ = skewed_rows(17)
        many = RepeatedStratifiedKFold(n_splits=4, n_repeats=5, random_state=0)
        model = ZeroOneClassifier(cv=many).fit(X, y)
        assert (model.predict(X) == ZeroOneClassifier().fit(X, y).predict(X)).mean() > 0.95
        one_by_one = AUCClassifier(cv=LeaveOneOut()).fit(X[:60], y[:60])
        assert 0.5 < one_by_one.held_out_auc_ < 1

    def test_a_failed_fit_changes_nothing(self):
        X, y, _ = skewed_rows(6)
        model = ZeroOneClassifier().fit(X, y)
        before = model.coef_.copy()
        with pytest.raises(ValueError, match="cv"):
            model.set_params(cv=0).fit(X, y)
        assert (model.coef_ == before).all()


class TestInvariances:
    """With the folds given, nothing but the data matters."""

    @pytest.fixture(params=CLASSIFIERS)
    def fitted(self, request):
        X, y, rng = skewed_rows(7, n=1500)
        folds = rng.integers(0, 5, len(y))

        def scores(X, y, folds, rows, weight=None):
            model = request.param(cv=splits(folds)).fit(X, y, sample_weight=weight)
            return model.decision_function(rows)

        return X, y, folds, rng, scores

    def assert_same(self, a, b, tolerance=1e-6):
        assert np.abs(a - b).max() <= tolerance * b.std()

    def test_rows_features_units_and_names_of_classes(self, fitted):
        X, y, folds, rng, scores = fitted
        expected = scores(X, y, folds, X)
        order = rng.permutation(len(y))
        self.assert_same(scores(X[order], y[order], folds[order], X), expected)
        columns = rng.permutation(X.shape[1])
        self.assert_same(scores(X[:, columns], y, folds, X[:, columns]), expected)
        unit, shift = np.exp(rng.uniform(-5, 5, X.shape[1])), 10 * rng.standard_normal(X.shape[1])
        self.assert_same(scores(unit * X + shift, y, folds, unit * X + shift), expected)
        self.assert_same(-scores(X, 1 - y, folds, X), expected)

    def test_weights_equal_repetition(self, fitted):
        X, y, folds, rng, scores = fitted
        weight = rng.integers(0, 4, len(y))
        repeated = np.repeat(np.arange(len(y)), weight)
        self.assert_same(
            scores(X, y, folds, X, weight),
            scores(X[repeated], y[repeated], folds[repeated], X),
            1e-7,
        )

    def test_sparse_equals_dense(self, fitted):
        X, y, folds, rng, scores = fitted
        X = X * (rng.random(X.shape) < 0.5)
        expected = scores(X, y, folds, X)
        self.assert_same(scores(sp.csr_array(X), y, folds, X), expected)


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("d", [80, 150])
def test_invariances_with_more_features_than_rows(cls, d):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = np.arange(60) % 2
        X = rng.standard_normal((60, d)) + 0.3 * y[:, None] * (np.arange(d) < 10)
        folds = rng.permutation(np.arange(60) % 5)
        plain = cls(cv=splits(folds)).fit(X, y).decision_function(X)
        swapped = -cls(cv=splits(folds)).fit(X, 1 - y).decision_function(X)
        units = np.exp(rng.uniform(-3, 3, d))
        rescaled = cls(cv=splits(folds)).fit(X * units, y).decision_function(X * units)
        twice = np.repeat(np.arange(60), 2)
        repeated = cls(cv=splits(folds[twice])).fit(X[twice], y[twice]).decision_function(X)
        doubled = cls(cv=splits(folds)).fit(X, y, np.full(60, 2)).decision_function(X)
        for a, b in ((swapped, plain), (rescaled, plain), (doubled, repeated)):
            assert np.abs(a - b).max() <= 1e-6 * b.std()


def test_sparse_rows_stay_sparse_while_polished(rng):
    X = sp.csr_array(rng.random((600, 50)) * (rng.random((600, 50)) < 0.05))
    y = (X.toarray()[:, :10].sum(axis=1) + 0.3 * rng.standard_normal(600) > 0.2).astype(int)
    sparse, dense = ZeroOneClassifier().fit(X, y), ZeroOneClassifier().fit(X.toarray(), y)
    assert sparse.refine_ == "polish"
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6, atol=1e-9)


class TestHardCases:
    @pytest.fixture(autouse=True)
    def no_warning(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", message="the same class is predicted")
            yield

    @pytest.mark.parametrize("cls", CLASSIFIERS)
    @pytest.mark.parametrize("positives", [2, 3, 10])
    def test_very_few_positives(self, cls, positives, rng):
        X = rng.standard_normal((10_000, 5))
        y = (np.arange(10_000) < positives).astype(int)
        X[y == 1] += 2.0
        model = cls().fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        assert model.score(X, y) >= 1 - positives / 10_000
        assert roc_auc_score(y, model.decision_function(X)) > 0.9

    @pytest.mark.parametrize("cls", CLASSIFIERS)
    def test_one_positive(self, cls, rng):
        X = rng.standard_normal((10_000, 5))
        y = (np.arange(10_000) == 77).astype(int)
        X[77] += 3.0
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="class 1 has a total weight of 1")
            model = cls().fit(X, y)
        assert model.score(X, y) >= 0.999

    @pytest.mark.parametrize("cls", CLASSIFIERS)
    @pytest.mark.parametrize("n", [8, 30, 300])
    def test_separable(self, cls, n, rng):
        y = np.arange(n) % 2
        X = rng.standard_normal((n, 3)) + 30 * y[:, None]
        model = cls().fit(X, y)
        assert model.score(X, y) == 1
        assert (model.predict_proba(X)[np.arange(n), y] > 0.99).all()

    @pytest.mark.parametrize("cls", CLASSIFIERS)
    @pytest.mark.parametrize("d", [200, 3000])
    def test_many_more_features_than_rows(self, cls, d, rng):
        y = np.arange(440) % 2
        X = rng.standard_normal((440, d))
        X[:, :20] += 1.5 * y[:, None]
        model = cls().fit(X[:40], y[:40])
        assert model.refine_ == "polish"
        assert model.score(X[40:], y[40:]) > 0.7

    @pytest.mark.parametrize("cls", CLASSIFIERS)
    def test_constant_and_repeated_features(self, cls):
        X, y, _ = skewed_rows(8)
        padded = np.column_stack([X, X[:, 0], np.full(len(y), 7.0), np.zeros(len(y))])
        model, plain = cls().fit(padded, y), cls().fit(X, y)
        assert np.isfinite(model.coef_).all()
        assert model.coef_[0, 5:].tolist() == [0.0, 0.0]
        assert (model.predict(padded) == plain.predict(X)).mean() > 0.95

    def test_nothing_to_learn_from(self):
        X, y = np.ones((40, 2)), np.arange(40) % 4 == 0
        model = ZeroOneClassifier().fit(X, y)
        assert (model.predict(X) == 0).all()
        X = np.random.default_rng(0).standard_normal((400, 3))
        y = np.arange(400) % 20 == 0
        assert (ZeroOneClassifier().fit(X, y).predict(X) == 0).all()

    @pytest.mark.parametrize("cls", CLASSIFIERS)
    def test_no_feature_varies(self, cls):
        assert cls().fit(np.ones((4, 5)), [0, 0, 1, 1]).refine_ is None
        empty = sp.csr_array((300, 5000))
        assert cls().fit(empty, np.arange(300) % 2).refine_ is None

    @pytest.mark.parametrize("cls", CLASSIFIERS)
    @pytest.mark.parametrize("weight", [1e-200, 1e200])
    def test_any_scale_of_the_weights(self, cls, weight):
        X, y, _ = skewed_rows(16)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="class . has a total weight of")
            model = cls().fit(X, y, np.full(len(y), weight))
        # Weights are counts: next to no rows are no evidence.
        assert model.score(X, y) > (0.7 if weight > 1 else 0.6)

    def test_heavy_tails(self):
        """One threshold holds for the models of all folds, however far outliers reach."""
        rng = np.random.default_rng(0)
        logarithms = 2.5 * rng.standard_normal((12_000, 3))
        y = logarithms[:, 0] + 0.8 * rng.standard_normal(12_000) > 0
        X = np.exp(logarithms)
        model = ZeroOneClassifier().fit(X[:6000], y[:6000])
        assert model.held_out_error_ == pytest.approx(1 - model.score(X[6000:], y[6000:]), abs=0.02)
        assert model.score(X[6000:], y[6000:]) > 0.85

    def test_few_rows_far_away(self):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((5000, 1))
        y = (np.arange(5000) < 10).astype(int)
        X[:10] += 50
        X[10:30] += 20
        assert ZeroOneClassifier().fit(X, y).score(X, y) == 1

    def test_four_rows(self):
        model = ZeroOneClassifier().fit([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
        assert model.predict([[0.5], [5.5]]).tolist() == [0, 1]

    def test_extreme_means(self, rng):
        X, y, _ = skewed_rows(9)
        expected = ZeroOneClassifier().fit(X, y).predict(X)
        moved = ZeroOneClassifier().fit(X + 1e7, y).predict(X + 1e7)
        assert (moved == expected).mean() > 0.999


class TestConstantAnswers:
    """A rule that predicts one class for every row says so, and by how much it wins."""

    @pytest.fixture
    def noise(self, rng):
        return rng.standard_normal((400, 3)), np.where(np.arange(400) % 20 == 0, "yes", "no")

    @pytest.mark.parametrize("refine", ["auto", "frontier"])
    def test_held_out_rows_say_by_how_much(self, noise, refine):
        with pytest.warns(UserWarning, match="the same class is predicted for every row. Always"):
            model = ZeroOneClassifier(refine=refine).fit(*noise)
        assert (model.predict(noise[0]) == "no").all()
        assert (
            "Always predicting 'no' has the lowest error on held-out rows, 0.05;" in model.status_
        )
        features = float(model.status_.split()[-1].rstrip("."))
        assert 0.05 <= features < 0.2
        assert model.held_out_error_ == pytest.approx(0.05)

    def test_moments_say_so_too(self, noise):
        with pytest.warns(UserWarning, match="Always predicting 'no' has the lowest expected"):
            ZeroOneClassifier(refine=None).fit(*noise)
        with pytest.warns(UserWarning, match="Always predicting 'no' has the lowest expected"):
            ZeroOneClassifier().fit_moments(Moments.from_data(*noise))

    def test_nothing_is_said_where_the_order_counts_or_rules_use_the_features(self, noise):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            AUCClassifier().fit(*noise)
            ZeroOneClassifier().fit(*skewed_rows(0)[:2])


class TestAfterwards:
    def test_class_weight_moves_the_rule(self):
        X, y, _ = skewed_rows(10)
        found = [
            ZeroOneClassifier(class_weight=w).fit(X, y).predict(X).mean()
            for w in ({0: 5.0, 1: 1.0}, None, {0: 1.0, 1: 5.0})
        ]
        assert found[0] < found[1] < found[2]

    def test_retarget_follows_the_measured_scores(self):
        X, y, _ = skewed_rows(11, n=8000)
        train, test = slice(0, 4000), slice(4000, None)
        model = ZeroOneClassifier().fit(X[train], y[train])
        careful = model.retarget("true_positive_rate", max_false_positive_rate=0.05)
        assert "held-out" in careful.status_
        alarm = careful.predict(X[test])[y[test] == 0].mean()
        assert alarm == pytest.approx(0.05, abs=0.02)
        predicted = ZeroOneClassifier(refine=None).fit(X[train], y[train])
        predicted = predicted.retarget("true_positive_rate", max_false_positive_rate=0.05)
        found = careful.predict(X[test])[y[test] == 1].mean()
        assert found >= predicted.predict(X[test])[y[test] == 1].mean() - 0.02
        assert careful.held_out_error_ > model.held_out_error_
        best = model.retarget("f1")
        assert f1_score(y[test], best.predict(X[test])) >= f1_score(y[test], model.predict(X[test]))

    def test_retarget_to_the_same_target_changes_little(self):
        X, y, _ = skewed_rows(12)
        model = ZeroOneClassifier().fit(X, y)
        assert (model.retarget("error").predict(X) == model.predict(X)).mean() > 0.95
        weighted = model.retarget("error", class_weight={1: 5.0})
        assert weighted.predict(X).mean() > model.predict(X).mean()

    def test_probabilities(self):
        X, y, _ = skewed_rows(13, n=8000)
        train, test = slice(0, 4000), slice(4000, None)
        rival = LogisticRegression().fit(X[train], y[train])
        for cls in CLASSIFIERS:
            model = cls().fit(X[train], y[train])
            probability = model.predict_proba(X[test])
            score = model.decision_function(X[test])
            order = np.argsort(score)
            assert (np.diff(probability[order, 1]) >= 0).all()
            assert ((probability[:, 1] > 0.5) == (score > 0)).all()
            assert log_loss(y[test], probability) < 1.05 * log_loss(
                y[test], rival.predict_proba(X[test])
            )

    def test_pickles(self):
        X, y, _ = skewed_rows(14)
        model = ZeroOneClassifier().fit(X, y)
        twin = pickle.loads(pickle.dumps(model))
        assert (twin.predict_proba(X) == model.predict_proba(X)).all()
        assert len(pickle.dumps(ZeroOneClassifier().fit(*skewed_rows(14, n=30_000)[:2]))) < 500_000

    def test_partial_fit_goes_on_with_the_moments(self):
        X, y, _ = skewed_rows(15)
        model = ZeroOneClassifier().fit(X[:500], y[:500]).partial_fit(X[500:], y[500:])
        assert model.refine_ is None
        assert_same_classifier(model, ZeroOneClassifier(refine=None).fit(X, y))


class TestSeveralClasses:
    def test_digits(self):
        X, y = load_digits(return_X_y=True)
        X, X_test, y, y_test = train_test_split(X, y, random_state=0)
        model = ZeroOneClassifier().fit(X, y)
        assert model.held_out_error_.shape == (45,)
        assert model.score(X_test, y_test) > 0.95
        assert_allclose(model.predict_proba(X_test).sum(axis=1), 1)
        threads = ZeroOneClassifier(n_jobs=2).fit(X, y)
        assert_same_classifier(threads, model)

    def test_rules_are_those_of_the_pairs_with_the_same_folds(self):
        X, y, rng = gaussian_rows(21, n=240, classes=3)
        folds = rng.integers(0, 5, 240)
        model = ZeroOneClassifier(cv=splits(folds)).fit(X, y)
        for row, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
            chosen = (y == a) | (y == b)
            pair = ZeroOneClassifier(cv=splits(folds[chosen])).fit(X[chosen], y[chosen])
            assert_allclose(model.coef_[row], pair.coef_[0], rtol=1e-6)

    def test_a_class_too_rare_to_hold_out_keeps_the_rule_of_its_moments(self):
        X, y, rng = gaussian_rows(22, n=200)
        X, y = np.vstack([X, rng.standard_normal((1, 3)) + 9]), np.append(y, 2)
        with pytest.warns(UserWarning, match="class 2 has a total weight of 1"):
            model = ZeroOneClassifier().fit(X, y)
        assert model.predict(X[-1:]).tolist() == [2]
        assert np.isfinite(model.held_out_error_[0])


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_breast_cancer(cls):
    X, y = load_breast_cancer(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    assert cls().fit(X, y).score(X_test, y_test) > 0.95


class TestFewKindsOfRows:
    def test_columns_of_few_values_are_used(self, rng):
        # Rows that repeat are not all held out together: a rule needs to see every kind.
        X = (rng.random((4000, 3)) < 0.4).astype(float)
        y = (rng.random(4000) < np.where(X[:, 0] * X[:, 1] > 0, 0.9, 0.1 + 0.2 * X[:, 2])).astype(
            int
        )
        model = ZeroOneClassifier().fit(X, y)
        best = np.mean((X[:, 0] * X[:, 1] > 0) != y)
        assert model.held_out_error_ < best + 0.02
        assert 1 - model.score(X, y) < best + 0.02
