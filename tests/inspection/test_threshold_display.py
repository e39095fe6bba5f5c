"""Every threshold has the figures that scikit-learn and `zerone evaluate` find at it."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, f1_score, recall_score

from zerone import AUCClassifier, ZeroOneClassifier
from zerone._uncertainty import ratios
from zerone._uncertainty.intervals import wilson_interval
from zerone.inspection import ThresholdDisplay


@pytest.fixture
def scored(rng):
    is_positive = rng.random(300) < 0.3
    return is_positive, rng.normal(size=300) + 1.5 * is_positive - 0.7


def test_figures_are_those_of_scikit_learn(scored):
    is_positive, scores = scored
    display = ThresholdDisplay.from_predictions(is_positive, scores, metric="f1")
    frame = display.frame()
    assert len(frame) == 301
    assert (np.diff(frame["threshold"]) > 0).all()
    for row in (0, 100, 170, 250):
        own = frame.iloc[row]
        predicted = scores > own["threshold"]
        (tn, fp), (fn, tp) = confusion_matrix(is_positive, predicted)
        assert own["recall"] == pytest.approx(recall_score(is_positive, predicted))
        assert own["false-positive rate"] == pytest.approx(fp / (fp + tn))
        assert own["F1"] == pytest.approx(f1_score(is_positive, predicted))
        # The intervals of `zerone evaluate`, from the confusion matrix.
        counts = np.array([[tn, fp], [fn, tp]], dtype=float)
        ends = own["F1 low"], own["F1 high"]
        assert_allclose(ends, ratios.f_score(2, 1).interval(counts), atol=1e-6)
        ends = own["recall low"], own["recall high"]
        assert_allclose(ends, ratios.recall(2, 1).interval(counts), atol=1e-12)
        ends = own["false-positive rate low"], own["false-positive rate high"]
        assert_allclose(ends, ratios.false_rate(2, 0).interval(counts), atol=1e-12)
        found = own[["true positives per thousand", "false negatives per thousand"]]
        assert_allclose(found, np.array([tp, fn]) / 0.3)
        found = own[["false positives per thousand", "true negatives per thousand"]]
        assert_allclose(found, np.array([fp, tn]) / 0.3)


def test_no_positive_prediction_has_no_rows(scored):
    frame = ThresholdDisplay.from_predictions(*scored).frame()
    assert frame["recall"].iloc[[0, -1]].tolist() == [1, 0]
    assert frame["error"].iloc[[0, -1]].tolist() == pytest.approx(
        [1 - scored[0].mean(), scored[0].mean()]
    )


def test_precision_of_no_prediction_is_not_known(scored):
    frame = ThresholdDisplay.from_predictions(
        *scored, metric="precision", metric_params={"min_recall": 0.5}
    ).frame()
    assert frame["precision"].iloc[0] == pytest.approx(scored[0].mean())
    assert frame[["precision", "precision low", "precision high"]].iloc[-1].isna().all()
    assert frame["precision"].iloc[:-1].notna().all()


def test_metric_and_positive_class_of_the_classifier(classifier, tumours):
    _, X, _, y = tumours
    display = ThresholdDisplay.from_estimator(classifier, X, y)
    assert display.labels == ("benign", "malignant")
    predicted = classifier.predict(X)
    missed = ((y == "benign") & (predicted == "malignant")).mean()
    alarms = ((y == "malignant") & (predicted == "benign")).mean()
    assert display.at_rule.metric[0] == pytest.approx(10 * missed + alarms)
    assert display.at_rule.recall[0] == pytest.approx((predicted == y)[y == "benign"].mean())
    # Both ends of the band at the rule are Wilson's.
    low, high = wilson_interval(display.at_rule.recall, np.array(float((y == "benign").sum())))
    assert display.at_rule.recall_ends == (low, high)
    assert [ax.get_title() for ax in display.axes_[:2]] == ["Rates", "Cost"]
    assert len(display.bands_) == 3
    again = ThresholdDisplay.from_estimator(classifier, X, y, metric="balanced_error")
    assert "balanced error" in again.frame()


def test_rankings_and_other_libraries_have_the_error(tumours):
    X, _, y, _ = tumours
    for model in (AUCClassifier(refine=None), LogisticRegression()):
        model.fit(X.iloc[:, :2], y)
        display = ThresholdDisplay.from_estimator(model, X.iloc[:, :2], y)
        assert display.at_rule.metric[0] == pytest.approx(1 - model.score(X.iloc[:, :2], y))


def test_many_scores_and_given_axes(rng):
    _, axes = plt.subplots(1, 3)
    is_positive, scores = rng.random(5000) < 0.5, rng.random(5000)
    display = ThresholdDisplay.from_predictions(is_positive, scores, axes=axes)
    assert display.axes_ == list(axes)
    assert len(display.frame()) == 402


def test_bad_input(scored):
    with pytest.raises(ValueError, match="metric: 'auc' is about the order"):
        ThresholdDisplay.from_predictions(*scored, metric="auc")
    is_positive, rows = scored[0], scored[1][:, None]
    model = LogisticRegression().fit(rows, is_positive)
    with pytest.raises(ValueError, match="metric: is missing"):
        ThresholdDisplay.from_estimator(model, rows, is_positive, metric_params={"beta": 2})
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="3 classes"):
        ThresholdDisplay.from_estimator(ZeroOneClassifier(refine=None).fit(X, y), X, y)
    with pytest.raises(ValueError, match="one class only"):
        ThresholdDisplay.from_predictions([True, True], [1.0, 2.0])
