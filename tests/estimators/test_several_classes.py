"""One rule per pair, and what becomes of their probabilities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from tests.helpers import gaussian_rows

from zerone import AUCClassifier, Moments, ZeroOneClassifier, load_model

CLASSIFIERS = [ZeroOneClassifier, AUCClassifier]


class TestSeveralClasses:
    def test_iris(self):
        X, y = load_iris(return_X_y=True)
        for cls in CLASSIFIERS:
            model = cls().fit(X, y)
            assert model.score(X, y) > 0.96
            assert model.coef_.shape == (3, 4)
            assert model.intercept_.shape == (3,)
            scores = model.decision_function(X)
            probability = model.predict_proba(X)
            assert scores.shape == probability.shape == (150, 3)
            assert_allclose(probability.sum(axis=1), 1)
            assert_allclose(scores.sum(axis=1), 3)
            assert (model.classes_[probability.argmax(axis=1)] == model.predict(X)).all()
            assert_allclose(np.exp(model.predict_log_proba(X)), probability)

    @pytest.mark.parametrize("k", [3, 10, 26])
    def test_probabilities_are_as_good_as_those_of_the_true_model(self, k):
        """Gaussian classes of equal covariance: LDA is the true model there."""
        rng = np.random.default_rng(k)
        y = np.repeat(np.arange(k), 400)
        X = 2.5 * rng.standard_normal((k, 6))[y] + rng.standard_normal((400 * k, 6))
        lda, ours = LinearDiscriminantAnalysis().fit(X, y), ZeroOneClassifier().fit(X, y)
        best = log_loss(y, lda.predict_proba(X))
        assert log_loss(y, ours.predict_proba(X)) < 1.2 * best + 0.02

    def test_rules_are_those_of_the_pairs(self):
        X, y, _ = gaussian_rows(21, classes=3)
        model = ZeroOneClassifier(refine=None, shrinkage=None).fit(X, y)
        for row, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
            chosen = (y == a) | (y == b)
            pair = ZeroOneClassifier(refine=None, shrinkage=None).fit(X[chosen], y[chosen])
            assert_allclose(model.coef_[row], pair.coef_[0])
            assert model.expected_error_[row] == pytest.approx(pair.expected_error_)

    def test_two_of_three_classes_agree_with_two_classes(self):
        X, y, _ = gaussian_rows(22)
        three = ZeroOneClassifier().fit_moments(Moments.from_data(X, y, classes=[0, 1, 2]))
        assert three.classes_.tolist() == [0, 1]

    def test_retarget(self):
        X, y, _ = gaussian_rows(23, classes=3)
        model = ZeroOneClassifier().fit(X, y)
        favoured = model.retarget("error", class_weight={2: 50.0})
        assert (favoured.predict(X) == 2).sum() > (model.predict(X) == 2).sum()
        with pytest.raises(ValueError, match="'fbeta' is for two classes; with 3 classes it must"):
            model.retarget("fbeta", beta=2)


class TestSummaryOfClasses:
    @pytest.mark.parametrize("k", [3, 6, 12])
    def test_its_largest_score_is_mostly_the_predicted_class(self, k):
        rng = np.random.default_rng(k)
        y = np.repeat(np.arange(k), 300)
        X = 2.5 * rng.standard_normal((k, 6))[y] + rng.standard_normal((300 * k, 6))
        model = ZeroOneClassifier().fit(X, y)
        assert model.class_coef_.shape == (k, 6)
        scores = X @ model.class_coef_.T + model.class_intercept_
        assert np.mean(model.classes_[scores.argmax(axis=1)] == model.predict(X)) > 0.9
        assert_allclose(model.class_coef_.sum(axis=0), 0, atol=1e-9)

    @pytest.mark.parametrize("kind", [ZeroOneClassifier, AUCClassifier])
    def test_pairs_that_nobody_confuses_do_not_count(self, kind, tmp_path):
        # Classes in a row: between the first and the last nothing has to be decided.
        rng = np.random.default_rng(0)
        y = np.repeat(np.arange(3), 300)
        X = rng.standard_normal((900, 3)) + np.array([[0, 0, 0], [3, 0, 0], [5, 4, 0]])[y]
        model = kind().fit(X, y)
        scores = X @ model.class_coef_.T + model.class_intercept_
        assert np.mean(scores.argmax(axis=1) == model.predict(X)) > 0.98
        model.save(tmp_path / "m.zerone")
        assert_allclose(load_model(tmp_path / "m.zerone").class_coef_, model.class_coef_)

    def test_two_classes_have_the_rule_and_its_negative(self):
        X, y, _ = gaussian_rows(3)
        model = ZeroOneClassifier().fit(X, y)
        assert_allclose(model.class_coef_[0], -model.class_coef_[1])
        ratio = model.class_coef_[1] / model.coef_[0]
        assert_allclose(ratio, ratio[0])
        assert ratio[0] > 0

    def test_needs_a_fit(self):
        with pytest.raises(NotFittedError):
            _ = ZeroOneClassifier().class_coef_
