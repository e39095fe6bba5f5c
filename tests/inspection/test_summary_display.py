import numpy as np
import pytest
from numpy.testing import assert_allclose

from zerone import ZeroOneClassifier
from zerone.inspection import SummaryDisplay


def test_intervals_are_those_of_the_summary(tumours):
    X, _, y, _ = tumours
    few = X.iloc[:, :6]
    model = ZeroOneClassifier(refine=None).fit(few, y)
    summary = model.summary(few, y)
    display = SummaryDisplay.from_estimator(model, few, y, max_features=4)
    frame, deviations = display.frame(), few.std(ddof=0)
    own = summary.frame().loc[frame.index]
    for drawn, told in (("per_deviation", "coefficient"), ("low", "low"), ("high", "high")):
        assert_allclose(frame[drawn], own[told] * deviations[frame.index], rtol=1e-9)
    assert (np.diff(frame["per_deviation"].abs()) <= 0).all()
    assert (frame["is_steady"] == own["is_steady"]).all()
    assert display.ax_.get_title() == "The 4 largest of 6 coefficients"
    names = [tick.get_text() for tick in display.ax_.get_yticklabels()]
    assert names == list(frame.index[:4])


def test_what_is_not_steady_is_drawn_apart(tumours):
    X, _, y, _ = tumours
    display = SummaryDisplay(ZeroOneClassifier().fit(X, y).summary()).plot()
    (open_points,) = display.points_
    assert open_points.lines[0].get_markerfacecolor() == "white"
    assert "may not be believed" in display.ax_.get_xlabel()
    with pytest.raises(ValueError, match="max_features: got 0"):
        display.plot(max_features=0)
