import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from zerone import AUCClassifier, Frontier, ZeroOneClassifier
from zerone._uncertainty.delong import delong
from zerone._uncertainty.intervals import wilson_interval
from zerone.inspection._calibration import CalibrationDisplay
from zerone.inspection._frontier_display import FrontierDisplay
from zerone.inspection._score_normality import ScoreNormalityDisplay
from zerone.inspection._weights_display import WeightsDisplay

X, Y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)


class TestScoreNormality:
    @pytest.mark.parametrize("model", [ZeroOneClassifier(), LogisticRegression()])
    def test_curves_are_the_normals_of_the_scores(self, model):
        model.fit(X, Y)
        display = ScoreNormalityDisplay.from_estimator(model, X, Y)
        scores = model.decision_function(X)
        assert len(display.axes_) == len(display.curves_) == len(display.bars_) == 3
        peak = display.curves_[0].get_data()
        expected = scores[model.classes_[1] == Y].mean()
        assert peak[0][np.argmax(peak[1])] == pytest.approx(expected, abs=0.05 * np.ptp(peak[0]))
        assert "class 1" in display.axes_[0].get_title()
        assert display.axes_[0].get_xlabel() == "score"

    def test_given_axes_and_seed(self):
        _, axes = plt.subplots(1, 3)
        rng = np.random.default_rng(0)
        mask, scores = rng.random(50) < 0.5, rng.standard_normal(50)
        display = ScoreNormalityDisplay.from_predictions(mask, scores, axes=axes)
        again = ScoreNormalityDisplay.from_predictions(mask, scores)
        assert display.axes_ == list(axes)
        assert (display.difference == again.difference).all()

    def test_frame(self):
        display = ScoreNormalityDisplay.from_predictions([True, False, False], [1.0, 2.0, 3.0])
        sizes = display.frame()["panel"].value_counts(sort=False)
        assert list(sizes) == [1, 2, 1000]
        assert display.frame()["score"][:3].tolist() == [1, 2, 3]

    def test_constant_scores(self):
        ScoreNormalityDisplay.from_predictions([True, False, True], [1.0, 1.0, 1.0])

    def test_bad_input(self):
        with pytest.raises(NotFittedError):
            ScoreNormalityDisplay.from_estimator(ZeroOneClassifier(), X, Y)
        rows, labels = load_iris(return_X_y=True)
        with pytest.raises(ValueError, match="3 classes"):
            ScoreNormalityDisplay.from_estimator(
                ZeroOneClassifier().fit(rows, labels), rows, labels
            )
        with pytest.raises(ValueError, match="one class only"):
            ScoreNormalityDisplay.from_predictions([True, True], [1.0, 2.0])
        with pytest.raises(ValueError, match="one per label"):
            ScoreNormalityDisplay.from_predictions([True, False], [1.0])


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"zerone\[plot\]"):
        ScoreNormalityDisplay.from_predictions([True, False], [1.0, 2.0])


def test_without_pandas(monkeypatch):
    display = FrontierDisplay.from_predictions([True, False], [1.0, 2.0])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="data frames need pandas; install pandas"):
        display.frame()


class TestCalibrationDisplay:
    def test_groups_are_those_of_scikit_learn(self):
        model = ZeroOneClassifier().fit(X[::2], Y[::2])
        shares = model.predict_proba(X[1::2])[:, 1]
        display = CalibrationDisplay.from_estimator(model, X[1::2], Y[1::2], n_bins=7)
        measured, predicted = calibration_curve(Y[1::2], shares, n_bins=7, strategy="quantile")
        frame = display.frame()
        np.testing.assert_allclose(frame["predicted"], predicted)
        np.testing.assert_allclose(frame["measured"], measured)
        assert frame["rows"].sum() == len(shares)
        low, high = wilson_interval(measured, frame["rows"])
        np.testing.assert_allclose(frame["low"], low)
        np.testing.assert_allclose(frame["high"], high)
        gap = np.average(np.abs(measured - predicted), weights=frame["rows"])
        assert display.mean_gap_ == pytest.approx(gap)
        turned = CalibrationDisplay.from_estimator(model, X[1::2], Y[1::2], label=0, n_bins=7)
        assert "class 0" in turned.ax_.get_xlabel()
        assert turned.mean_gap_ == pytest.approx(gap)

    def test_a_class_of_several(self):
        rows, labels = load_iris(return_X_y=True)
        model = ZeroOneClassifier(refine=None).fit(rows, labels)
        assert CalibrationDisplay.from_estimator(model, rows, labels, label=1).label == "1"
        with pytest.raises(ValueError, match="label: got 5; the classes are"):
            CalibrationDisplay.from_estimator(model, rows, labels, label=5)

    def test_bad_input(self):
        with pytest.raises(ValueError, match="probabilities: have shape"):
            CalibrationDisplay.from_predictions([True, False], [0.5])
        with pytest.raises(ValueError, match="n_bins: got 0"):
            CalibrationDisplay.from_predictions([True, False], [0.5, 0.1], n_bins=0)


class TestFrontierDisplay:
    def test_both_curves_and_the_threshold(self):
        model = AUCClassifier().fit(X[::2], Y[::2])
        display = FrontierDisplay.from_estimator(model, X[1::2], Y[1::2])
        scores, labels = model.decision_function(X[1::2]), Y[1::2]
        measured = np.array(display.measured_.get_data())
        area = np.trapezoid(measured[1], measured[0])
        assert area == pytest.approx(roc_auc_score(labels, scores))
        predicted = np.array(display.predicted_.get_data())
        assert (np.diff(predicted, axis=1) >= 0).all()
        expected = Frontier(model.moments_).roc_curve()
        assert (predicted == np.array(expected)).all()
        point = np.array(display.point_.get_data())[:, 0]
        assert point[0] == (scores[labels == 0] > 0).mean()
        assert point[1] == (scores[labels == 1] > 0).mean()
        assert "share of class 0 predicted as 1" in display.ax_.get_xlabel()
        assert f"{area:.3f}" in display.measured_.get_label()

    def test_intervals(self):
        model = AUCClassifier().fit(X[::2], Y[::2])
        scores, labels = model.decision_function(X[1::2]), Y[1::2]
        display = FrontierDisplay.from_predictions(labels == 1, scores)
        assert display.measured.auc_interval == delong(labels == 1, scores).interval()
        assert display.measured.auc_interval.short in display.measured_.get_label()
        frame = display.frame()
        for row in (3, len(frame) // 2):
            own = frame.iloc[row]
            predicted = scores >= own["threshold"]
            assert own["recall"] == predicted[labels == 1].mean()
            assert own["false_positive_rate"] == predicted[labels == 0].mean()
        low, high = wilson_interval(frame["recall"], labels.sum())
        assert (frame["low"] == low).all()
        assert (frame["high"] == high).all()

    def test_other_classifiers_have_no_frontier(self):
        _, ax = plt.subplots()
        display = FrontierDisplay.from_estimator(LogisticRegression().fit(X, Y), X, Y, ax=ax)
        assert display.predicted_ is None
        assert display.ax_ is ax

    def test_bad_input(self):
        rows, labels = load_iris(return_X_y=True)
        with pytest.raises(ValueError, match="3 classes"):
            FrontierDisplay.from_estimator(ZeroOneClassifier().fit(rows, labels), rows, labels)
        with pytest.raises(ValueError, match="one class only"):
            FrontierDisplay.from_predictions([True, True], [1.0, 2.0])
        with pytest.raises(ValueError, match="expected one per label"):
            FrontierDisplay.from_predictions([True, False], [1.0])


class TestWeightsDisplay:
    def test_in_standard_deviations_of_the_features(self):
        rows = load_breast_cancer().data
        model = ZeroOneClassifier(refine=None).fit(rows, Y)
        display = WeightsDisplay.from_estimator(model, max_features=6)
        expected = model.coef_[0] * rows.std(axis=0)
        np.testing.assert_allclose(display.weights, expected, rtol=1e-9)
        widths = [bar.get_width() for bar in display.bars_]
        np.testing.assert_allclose(widths, expected[display.order_], rtol=1e-9)
        assert (np.diff(np.abs(widths)) <= 1e-12).all()
        assert display.ax_.get_title() == "The 6 largest of 30 weights"
        np.testing.assert_allclose(display.frame()["weight"][:6], widths)
        assert len(display.frame()) == 30
        assert "standard deviation" in display.ax_.get_xlabel()

    def test_names_of_tables_and_of_pairs(self, table):
        model = ZeroOneClassifier(refine=None).fit_table(table, target="late")
        display = WeightsDisplay.from_estimator(model)
        assert "job=cook" in [tick.get_text() for tick in display.ax_.get_yticklabels()]
        assert display.labels == ("yes", "no")
        assert display.ax_.get_title() == "The weights"
        rows, labels = load_iris(return_X_y=True)
        iris = ZeroOneClassifier(refine=None).fit(rows, labels)
        assert WeightsDisplay.from_estimator(iris, pair=1).labels == ("2", "0")
        with pytest.raises(ValueError, match="pair: got 3"):
            WeightsDisplay.from_estimator(iris, pair=3)

    def test_other_classifiers(self):
        rows, labels = load_iris(return_X_y=True)
        model = LogisticRegression(max_iter=500).fit(rows, labels)
        display = WeightsDisplay.from_estimator(model, pair=2)
        assert "per unit" in display.ax_.get_xlabel()

    def test_bad_input(self):
        with pytest.raises(ValueError, match="names: got 1"):
            WeightsDisplay([1.0, 2.0], ["a"])
        with pytest.raises(ValueError, match="max_features: got 0"):
            WeightsDisplay([1.0], ["a"]).plot(max_features=0)
