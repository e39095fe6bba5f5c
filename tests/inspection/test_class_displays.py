"""Recall and precision of each class are scikit-learn's; weights are those of `class_coef_`."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from zerone import ZeroOneClassifier
from zerone._uncertainty.intervals import wilson_interval
from zerone.cli._measured_intervals import class_intervals
from zerone.inspection import ClassReportDisplay, ClassWeightsDisplay

X, Y = load_wine(return_X_y=True, as_frame=True)
NAMES = np.array(["barolo", "grignolino", "barbera"])[Y]


@pytest.fixture(scope="module")
def model():
    return ZeroOneClassifier(refine=None).fit(X.iloc[::2, :4], NAMES[::2])


class TestClassReport:
    def test_figures_are_those_of_scikit_learn_and_of_evaluate(self, model):
        rows, labels = X.iloc[1::2, :4], NAMES[1::2]
        _, ax = plt.subplots()
        display = ClassReportDisplay.from_estimator(model, rows, labels, ax=ax)
        assert display.ax_ is ax
        frame, predicted = display.frame(), model.predict(rows)
        found = precision_recall_fscore_support(labels, predicted)
        assert_allclose(frame[["precision", "recall", "F1", "rows"]].T, found)
        counts = confusion_matrix(labels, predicted)
        for label, own in class_intervals(list(model.classes_), counts).items():
            for name, interval in own.items():
                ends = frame.loc[label, [f"{name} low", f"{name} high"]]
                assert tuple(ends) == tuple(interval)
        # The report of a comparison takes Wilson's interval of the shares.
        low, high = wilson_interval(frame["recall"], frame["rows"])
        assert_allclose(frame["recall low"], low)
        assert_allclose(frame["recall high"], high)
        drawn = display.points_["precision"].lines[0].get_xdata()
        assert_allclose(drawn, frame["precision"])

    def test_a_class_that_is_never_predicted(self):
        display = ClassReportDisplay.from_predictions([0, 0, 1], [0, 0, 0], classes=[0, 1, 2])
        assert display.labels == ["0", "1", "2"]
        assert len(display.points_["precision"].lines[0].get_xdata()) == 1
        assert display.frame()["recall"].tolist()[:2] == [1, 0]
        assert np.isnan(display.frame()["recall"].iloc[2])

    def test_bad_input(self):
        with pytest.raises(ValueError, match="y_true: has the label 3; the classes are"):
            ClassReportDisplay.from_predictions([0, 3], [0, 0], classes=[0, 1])
        with pytest.raises(ValueError, match="labels: got 1"):
            ClassReportDisplay(np.eye(2), ["a"])


class TestClassWeights:
    def test_weights_per_deviation(self, model):
        display = ClassWeightsDisplay.from_estimator(model, max_features=3)
        deviations = X.iloc[::2, :4].to_numpy().std(axis=0)
        assert_allclose(display.weights, model.class_coef_ * deviations)
        frame = display.frame()
        assert list(frame.columns) == ["barbera", "barolo", "grignolino"]
        assert (np.diff(frame.abs().max(axis=1)) <= 0).all()
        assert_allclose(display.image_.get_array(), frame[:3])
        assert "largest weights of 4" in display.ax_.get_title()

    def test_bad_input(self, model):
        with pytest.raises(ValueError, match=r"weights: have shape \(2,\)"):
            ClassWeightsDisplay([1.0, 2.0], ["a", "b"], ["c"])
        with pytest.raises(ValueError, match="max_features: got 0"):
            ClassWeightsDisplay.from_estimator(model, max_features=0)
