"""The path of the best rules of every number of columns."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from tests.estimators.test_max_features import rows_of_ten

from zerone import (
    AUCClassifier,
    Moments,
    ZeroOneClassifier,
    feature_path,
    fold_moments,
    load_model,
)
from zerone.inspection import FeaturePathDisplay


@pytest.fixture
def rows(rng):
    return rows_of_ten(rng)


@pytest.mark.parametrize("cls", [ZeroOneClassifier, AUCClassifier])
def test_points_are_the_fits_to_so_many_columns(cls, rows):
    moments = Moments.from_data(*rows)
    path = feature_path(moments, cls())
    assert [point.n_columns for point in path.points] == list(range(1, 11))
    assert path.chosen is None
    assert path.points[2].columns == ("feature 2", "feature 5", "feature 7")
    alone = cls(max_features=3, refine=None).fit(*rows)
    assert_allclose(path.points[2].coef, alone.coef_)
    assert_allclose(path.points[2].expected, alone.expected_metric_)


def test_folds_of_moments_judge(rng):
    X, y = rows_of_ten(rng, 900, 3)
    path = feature_path(fold_moments(X, y), AUCClassifier())
    assert not path.lower_is_better
    assert path.points[path.chosen].n_columns in (3, 4)
    frame = path.frame()
    assert (frame["low"] < frame["held_out"]).all()
    assert frame["columns"][2] == "feature 2, feature 5, feature 7"
    assert "are enough" in repr(path)


def test_held_out_rows_judge_the_path_of_a_classifier(rows):
    model = ZeroOneClassifier(max_features="auto").fit(*rows)
    path = feature_path(model)
    chosen = path.points[path.chosen]
    assert chosen.held_out == model.held_out_error_
    assert_allclose(chosen.coef, model.coef_)
    assert chosen.n_columns == model.support_.sum()
    display = FeaturePathDisplay.from_estimator(model)
    assert "columns are enough" in display.ax_.get_title()
    assert display.held_out_ is not None
    usual = feature_path(ZeroOneClassifier().fit(*rows))
    assert np.isnan([point.held_out for point in usual.points]).all()
    assert FeaturePathDisplay(usual).plot().held_out_ is None
    plt.close("all")


def test_columns_of_tables_have_their_names(rng):
    X, y = rows_of_ten(rng)
    table = pd.DataFrame({"two": X[:, 2], "kind": np.where(X[:, 5] > 0, "a", "b")})
    table["y"] = y
    path = feature_path(Moments.from_table(table, target="y"))
    assert [point.columns for point in path.points] == [("two",), ("two", "kind")]


def test_bad_input(rows, tmp_path):
    X, y = rows
    with pytest.raises(TypeError, match="source: got int"):
        feature_path(5)
    with pytest.raises(TypeError, match="source: got int"):
        feature_path([5, 6])
    with pytest.raises(ValueError, match="got 1 moments"):
        feature_path([Moments.from_data(X, y)])
    with pytest.raises(ValueError, match="judge 'error' or 'auc'"):
        feature_path(fold_moments(X, y), ZeroOneClassifier(metric="f1"))
    ZeroOneClassifier().fit(X, y).save(tmp_path / "model.zerone")
    with pytest.raises(ValueError, match="which loaded models and wide data do not have"):
        feature_path(load_model(tmp_path / "model.zerone"))
    with pytest.raises(NotFittedError):
        feature_path(ZeroOneClassifier())
    one = Moments.from_data(X[y == 0], y[y == 0], classes=[0, 1])
    with pytest.raises(ValueError, match="no rows of class 1"):
        feature_path([Moments.from_data(X, y), Moments.from_data(X, y), one])
