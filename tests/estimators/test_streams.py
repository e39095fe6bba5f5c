"""Exact partial_fit: batches in any order, classes that come late."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from tests.helpers import assert_same_classifier, gaussian_rows

from zerone import ZeroOneClassifier


class TestStreams:
    def test_classes_are_needed_first(self):
        with pytest.raises(ValueError, match="classes: must be given"):
            ZeroOneClassifier().partial_fit([[1.0]], [0])

    def test_one_class_cannot_be_told_apart(self):
        with pytest.raises(ValueError, match="at least two classes"):
            ZeroOneClassifier().partial_fit([[1.0]], [0], classes=[0])

    def test_parameters_are_checked_even_while_waiting(self):
        with pytest.raises(ValueError, match="solver: got 'foo'"):
            ZeroOneClassifier(solver="foo").partial_fit([[1.0]], [0], classes=[0, 1])

    def test_a_batch_may_lack_classes_even_the_first(self):
        X, y, _ = gaussian_rows(10)
        model = ZeroOneClassifier(refine=None)
        model.partial_fit(X[y == 0], y[y == 0], classes=[0, 1])
        with pytest.raises(NotFittedError, match="only rows of class 0"):
            model.predict(X)
        model.partial_fit(X[y == 1], y[y == 1])
        assert_same_classifier(model, ZeroOneClassifier(refine=None).fit(X, y))

    def test_a_class_that_never_came_is_never_predicted(self):
        X, y, _ = gaussian_rows(11)
        model = ZeroOneClassifier(refine=None).partial_fit(X, y, classes=[0, 1, 2])
        assert model.decision_function(X).shape == (120, 3)
        assert model.predict_proba(X)[:, 2].max() == 0
        assert model.predict_log_proba(X)[:, 2].max() == -np.inf
        two = ZeroOneClassifier(refine=None).fit(X, y)
        assert (model.predict(X) == two.predict(X)).all()
        assert_allclose(model.predict_proba(X)[:, :2], two.predict_proba(X))
        assert np.isnan(model.expected_error_).tolist() == [False, True, True]
        assert model.retarget("balanced_error").coef_.shape == (3, 3)

    def test_unknown_labels_change_nothing(self):
        X, y, _ = gaussian_rows(12)
        model = ZeroOneClassifier().partial_fit(X, y, classes=[0, 1])
        before = model.coef_.copy()
        with pytest.raises(ValueError, match="label 5"):
            model.partial_fit(X, np.full(120, 5))
        with pytest.raises(ValueError, match=r"classes: got \[0, 1, 2\]"):
            model.partial_fit(X, y, classes=[0, 1, 2])
        with pytest.raises(ValueError, match="NaN"):
            model.partial_fit(np.full_like(X, np.nan), y)
        with pytest.raises(ValueError, match="features"):
            model.partial_fit(X[:, :2], y)
        assert (model.coef_ == before).all()
        assert model.moments_.weight == 120

    def test_partial_fit_goes_on_after_fit(self):
        X, y, _ = gaussian_rows(13)
        model = ZeroOneClassifier(refine=None).fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
        assert_same_classifier(model, ZeroOneClassifier(refine=None).fit(X, y))

    def test_weights(self):
        X, y, rng = gaussian_rows(14)
        weights = rng.random(120)
        model = ZeroOneClassifier(refine=None)
        for part in np.array_split(np.arange(120), 3):
            model.partial_fit(X[part], y[part], [0, 1], weights[part])
        assert_same_classifier(model, ZeroOneClassifier(refine=None).fit(X, y, weights))
