import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from paper.loss_path import LossPathDisplay
from zerone import Moments, ZeroOneClassifier
from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._ranking_loss import RankingLoss

X, Y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture
def ends():
    model = ZeroOneClassifier().fit(X, Y)
    return np.append(np.ones(30), 0.5), np.append(model.coef_[0], model.intercept_[0])


@pytest.mark.parametrize("loss", ["expected_error", "logistic", "ranking_loss", "hinge"])
def test_values_at_the_ends(loss, ends):
    display = LossPathDisplay.from_path(X, Y, *ends, loss=loss, n_points=7)
    assert display.loss.shape == display.empirical.shape == (7,)
    scores = X @ ends[1][:-1] + ends[1][-1]
    pair = Moments.from_data(X, Y).pair(1, 0)
    expected = {
        "expected_error": lambda: ExpectedError(pair).value(ends[1]),
        "ranking_loss": lambda: RankingLoss(pair).value(ends[1]),
        "logistic": lambda: np.logaddexp(0, -np.where(Y == 1, 1, -1) * scores).mean(),
        "hinge": lambda: np.maximum(0, 1 - (scores[Y == 1][:, None] - scores[Y == 0])).mean(),
    }[loss]()
    assert display.loss[-1] == pytest.approx(expected, rel=1e-9)
    if loss in ("expected_error", "logistic"):
        assert display.empirical[-1] == ((scores > 0) != Y).mean()
        assert display.lines_[1].get_label() == "empirical error"
    else:
        assert display.empirical[-1] == pytest.approx(1 - roc_auc_score(Y, scores))
    assert display.ax_.get_legend() is not None


def test_a_ranking_needs_no_intercept(ends):
    with_intercept = LossPathDisplay.from_path(X, Y, *ends, loss="hinge", n_points=3)
    without = LossPathDisplay.from_path(X, Y, ends[0][:-1], ends[1][:-1], loss="hinge", n_points=3)
    np.testing.assert_allclose(with_intercept.loss, without.loss)


def test_bad_input(ends):
    with pytest.raises(ValueError, match="loss: got 'squared'"):
        LossPathDisplay.from_path(X, Y, *ends, loss="squared")
    with pytest.raises(ValueError, match=r"start: has shape \(3,\)"):
        LossPathDisplay.from_path(X, Y, np.ones(3), ends[1], loss="logistic")
    with pytest.raises(ValueError, match="3 classes"):
        LossPathDisplay.from_path(*load_iris(return_X_y=True), *ends, loss="logistic")
