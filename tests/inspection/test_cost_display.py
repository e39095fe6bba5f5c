"""Costs are those of the rules that `retarget` returns, with the intervals of their rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.metrics import confusion_matrix

from zerone import ZeroOneClassifier
from zerone._uncertainty import ratios
from zerone.inspection import CostDisplay


def test_costs_of_retargeted_rules(classifier, tumours):
    _, X, _, y = tumours
    display = CostDisplay.from_estimator(classifier, X, y)
    frame = display.frame()
    # The positive class is the first one in their order.
    order = ["malignant", "benign"]
    for row in (0, 20, 30, 40):
        own = frame.iloc[row]
        costs = np.array([[0, 1], [own["ratio"], 0]])
        model = classifier.retarget("cost", false_negative_cost=own["ratio"], false_positive_cost=1)
        counts = confusion_matrix(y, model.predict(X), labels=order)
        assert own["cost"] == pytest.approx((costs * counts).sum() / len(y))
        assert_allclose([own["low"], own["high"]], ratios.cost(costs).interval(counts))
        counts = confusion_matrix(y, classifier.predict(X), labels=order)
        assert own["cost as fitted"] == pytest.approx((costs * counts).sum() / len(y))
        assert own["cost of never"] == pytest.approx(own["ratio"] * (y == "benign").mean())
        assert own["cost of always"] == pytest.approx((y == "malignant").mean())
        assert own["recall"] == pytest.approx((model.predict(X) == y)[y == "benign"].mean())
    assert "row of benign predicted as malignant" in display.ax_.get_xlabel()
    drawn = display.lines_["retargeted"].get_ydata()
    assert_allclose(drawn, 1000 * frame["cost"])


def test_two_classes_only():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="3 classes"):
        CostDisplay.from_estimator(ZeroOneClassifier(refine=None).fit(X, y), X, y)
