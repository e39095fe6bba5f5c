"""Another metric or other class weights, without the data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from tests.helpers import assert_same_classifier

from zerone import AUCClassifier, Frontier, Moments, ZeroOneClassifier


class TestRetarget:
    @pytest.fixture
    def model(self):
        X, y = load_breast_cancer(return_X_y=True)
        return ZeroOneClassifier(refine=None).fit(X, y), X

    def test_a_new_classifier_and_the_old_one_unchanged(self, model):
        model, _ = model
        before = model.coef_.copy(), model.intercept_.copy()
        twin = model.retarget("f1")
        assert type(twin) is ZeroOneClassifier
        assert twin is not model
        assert twin.get_params() == {**model.get_params(), "metric": "f1"}
        assert (model.coef_ == before[0]).all()
        assert (model.intercept_ == before[1]).all()
        assert not np.allclose(twin.intercept_, model.intercept_)

    @pytest.mark.parametrize(
        ("metric", "parameters"),
        [("f1", {}), ("fbeta", {"beta": 2}), ("balanced_error", {}), ("auc", {}),
         ("cost", {"false_negative_cost": 9, "false_positive_cost": 1}),
         ("true_positive_rate", {"max_false_positive_rate": 0.01}),
         ("false_positive_rate", {"min_true_positive_rate": 0.99})],
    )  # fmt: skip
    def test_the_rule_is_the_frontier_s(self, metric, parameters):
        X, y = load_breast_cancer(return_X_y=True)
        model = ZeroOneClassifier(refine=None, shrinkage=None).fit(X, y)
        expected = Frontier(Moments.from_data(X, y)).best(metric, **parameters)
        twin = model.retarget(metric, **parameters)
        assert_allclose(twin.coef_[0], expected.coef, rtol=1e-6, atol=1e-9)
        assert twin.intercept_[0] == pytest.approx(expected.intercept, rel=1e-6)

    def test_same_target_same_rule(self, model):
        model, _ = model
        assert_same_classifier(model.retarget("error"), model)

    def test_new_class_weights_equal_a_new_fit(self):
        X, y = load_breast_cancer(return_X_y=True)
        weight = {0: 3.0, 1: 1.0}
        retargeted = ZeroOneClassifier(refine=None).fit(X, y).retarget("error", class_weight=weight)
        assert_same_classifier(
            retargeted, ZeroOneClassifier(refine=None, class_weight=weight).fit(X, y)
        )

    def test_probabilities_stay_under_the_training_priors(self, model):
        model, X = model
        cautious = model.retarget("cost", false_negative_cost=1, false_positive_cost=50)
        # Close to the old probabilities, though the threshold has moved far.
        gap = np.abs(cautious.predict_proba(X) - model.predict_proba(X)).mean()
        assert gap < 0.05
        at_threshold = cautious.predict_proba(X)[cautious.predict(X) == 1, 1].min()
        assert at_threshold > 0.8
        assert (np.diff(cautious.predict_proba(X)[np.argsort(cautious.decision_function(X)), 1])
                >= 0).all()  # fmt: skip

    def test_later_fits_keep_the_metric(self):
        X, y = load_breast_cancer(return_X_y=True)
        twin = ZeroOneClassifier(refine=None).fit(X[:300], y[:300]).retarget("f1")
        twin.partial_fit(X[300:], y[300:])
        assert_same_classifier(twin, ZeroOneClassifier(refine=None).fit(X, y).retarget("f1"), 1e-8)
        own = ZeroOneClassifier(metric="f1", refine=None).fit(X, y)
        assert_same_classifier(clone(twin).fit(X, y), own)
        assert_same_classifier(twin.fit(X, y), own)

    @pytest.mark.parametrize("refine", ["auto", None])
    def test_a_metric_of_the_ranking_gives_the_other_classifier(self, refine):
        X, y = load_breast_cancer(return_X_y=True)
        model = ZeroOneClassifier(refine=refine).fit(X, y)
        twin = model.retarget("partial_auc", max_fpr=0.1)
        assert type(twin) is AUCClassifier
        assert (twin.metric, twin.metric_params) == ("partial_auc", {"max_fpr": 0.1})
        assert not hasattr(twin, "held_out_error_")
        assert twin.expected_auc_ == pytest.approx(1.0, abs=0.02)
        assert type(twin.retarget("error")) is ZeroOneClassifier
        assert_same_classifier(twin.retarget("error"), model.retarget("error"))

    def test_the_status_says_that_it_was_not_a_fit(self):
        X, y = load_breast_cancer(return_X_y=True)
        moved = ZeroOneClassifier().fit(X, y).retarget("cost", false_negative_cost=10)
        assert moved.status_ == (
            "Retargeted to cost (false_negative_cost=10, false_positive_cost=1, positive class 1): "
            "held-out rows chose direction and threshold."
        )
        trained = ZeroOneClassifier(metric="f1").fit(X, y)
        assert trained.status_ == (
            "Trained for f1 (positive class 1): rules of moments, logistic regression and polish, "
            "weighted by held-out rows."
        )
        of_moments = ZeroOneClassifier(refine=None).fit(X, y).retarget("balanced_error")
        assert of_moments.status_ == (
            "Retargeted to balanced_error: the globally best rule was found on the frontier."
        )

    def test_it_can_be_retargeted_again(self, model):
        model, _ = model
        assert_same_classifier(model.retarget("f1").retarget("error"), model)

    def test_bad_requests(self, model):
        model, _ = model
        with pytest.raises(ValueError, match="metric: got 'accuracy'"):
            model.retarget("accuracy")
        with pytest.raises(TypeError, match="'fbeta' needs the parameter 'beta'"):
            model.retarget("fbeta")
        with pytest.raises(TypeError, match="'cost' needs to know the costs"):
            model.retarget("cost")
        with pytest.raises(ValueError, match="class_weight"):
            model.retarget("error", class_weight={7: 1.0})
        with pytest.raises(ValueError, match="expected numbers"):
            model.retarget("cost", false_negative_cost="a", false_positive_cost=1)
        with pytest.raises(TypeError, match="use class_weight"):
            model.retarget("error", priors={0: 0.5, 1: 0.5})
