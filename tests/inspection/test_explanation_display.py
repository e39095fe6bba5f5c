import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from zerone import ZeroOneClassifier
from zerone.inspection import ExplanationDisplay


def test_bars_lead_from_the_baseline_to_the_score(classifier, tumours):
    _, X, _, _ = tumours
    found = classifier.explain(X[:4])
    display = ExplanationDisplay.from_estimator(classifier, X[:4], row=3, max_columns=5)
    starts = np.array([bar.get_x() for bar in display.bars_])
    widths = np.array([bar.get_width() for bar in display.bars_])
    assert len(widths) == 6
    assert starts[0] == pytest.approx(found.baseline[3])
    assert_allclose(starts[1:], (starts + widths)[:-1])
    assert starts[-1] + widths[-1] == pytest.approx(classifier.decision_function(X[3:4])[0])
    frame = display.frame()
    assert_allclose(frame["contribution"][:5], widths[:5])
    assert frame["contribution"].sum() == pytest.approx(widths.sum())
    assert frame["value"].iloc[0] == f"{X[frame.index[0]].iloc[3]:.6g}"
    names = [tick.get_text() for tick in display.ax_.get_yticklabels()]
    assert names[-1] == "25 other columns"


def test_which_class_is_above_zero():
    X, y = load_iris(return_X_y=True)
    model = ZeroOneClassifier(refine=None).fit(X, y)
    display = ExplanationDisplay(model.explain(X[[0, 149]]), 1).plot()
    assert display.ax_.get_title() == "Why class 2 and not 1"
    assert "class 2 is the answer above zero" in display.ax_.get_xlabel()
    assert len(display.bars_) == 4
    pair = ZeroOneClassifier(refine=None).fit(X[:100], y[:100])
    display = ExplanationDisplay.from_estimator(pair, X[:1])
    assert display.ax_.get_title() == "Why class 0 and not 1"
    assert "class 1 is the answer above zero, class 0 below" in display.ax_.get_xlabel()


def test_bad_input(classifier, tumours):
    _, X, _, _ = tumours
    with pytest.raises(ValueError, match="row: got 2, but there are 2 rows"):
        ExplanationDisplay.from_estimator(classifier, X[:2], row=2)
    with pytest.raises(ValueError, match="max_columns: got 0"):
        ExplanationDisplay.from_estimator(classifier, X[:2], max_columns=0)
