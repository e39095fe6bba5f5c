"""Shapes are what `explain` says of every value, and lie within the data."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from tests.helpers import gaussian_rows

from zerone import AUCClassifier, ZeroOneClassifier, load_model
from zerone.inspection import ShapeDisplay


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    found = pd.DataFrame(rng.exponential(size=(500, 2)), columns=["size", "rate"])
    score = np.abs(found["size"] - 1) + 0.4 * found["rate"] + 0.3 * rng.normal(size=500)
    found["rate"] = found["rate"].mask(rng.random(500) < 0.1)
    found["job"] = rng.choice(["cook", "nurse", "baker"], 500)
    found["day"] = pd.date_range("2024-01-01", periods=500)
    found["is_new"] = rng.random(500) < 0.5
    return found.assign(late=np.where(score > 1, "yes", "no"))


@pytest.fixture(scope="module")
def model(table):
    return ZeroOneClassifier(shapes="bends").fit_table(table, target="late")


def shapes(display):
    return {shape.name: shape for shape in display.shapes}


def test_contributions_are_those_of_explain(model, table):
    display = ShapeDisplay.from_estimator(model)
    explanation = model.explain(table)
    of_columns = dict(zip(explanation.columns, explanation.contributions.T, strict=True))
    found = shapes(display)
    assert set(found) == set(of_columns)
    for name in ("size", "rate"):
        own, numbers = found[name], table[name].dropna()
        within = numbers.between(own.values[0], own.values[-1])
        drawn = np.interp(numbers[within], own.values, own.contributions)
        assert_allclose(drawn, of_columns[name][table[name].notna()][within], atol=1e-10)
        assert numbers.min() <= own.values[0] <= min(own.knots)
        assert max(own.knots) <= own.values[-1] <= numbers.max()
    assert found["rate"].missing == pytest.approx(of_columns["rate"][table["rate"].isna()][0])
    bars = dict(zip(found["job"].values, found["job"].contributions, strict=True))
    assert_allclose(of_columns["job"], table["job"].map(bars), atol=1e-10)
    assert found["is_new"].values.tolist() == ["0", "1"]
    for name in ("size", "rate", "job", "is_new"):
        assert found[name].deviation == pytest.approx(of_columns[name].std())
    deviations = [own.deviation for own in display.shapes]
    assert deviations == sorted(deviations, reverse=True)
    assert len(display.axes_) == 5


def test_intervals_of_refined_fits_of_two_classes(model, table, tmp_path):
    found = shapes(ShapeDisplay.from_estimator(model))
    for own in found.values():
        assert (own.low <= own.contributions).all()
        assert (own.contributions <= own.high).all()
    model.save(tmp_path / "m.zerone")
    loaded = shapes(ShapeDisplay.from_estimator(load_model(tmp_path / "m.zerone")))
    for name, own in loaded.items():
        assert own.low is None
        assert_allclose(own.contributions, found[name].contributions)
        assert own.deviation == pytest.approx(found[name].deviation)
    straight = ZeroOneClassifier(refine=None).fit(table[["size", "is_new"]], table["late"])
    assert all(own.low is None for own in ShapeDisplay.from_estimator(straight).shapes)


def test_straight_lines_of_arrays_have_the_intervals_of_the_summary():
    X, y, _ = gaussian_rows(0, 300, 3)
    model = AUCClassifier().fit(X, y)
    summary = model.summary().frame()
    for own in ShapeDisplay.from_estimator(model).shapes:
        steps = np.diff([own.values, own.contributions])
        row = summary.loc[own.name]
        assert steps[1] / steps[0] == pytest.approx(row["coefficient"])
        reach = own.values[-1] - own.values.mean()
        assert own.high[-1] - own.contributions[-1] == pytest.approx(
            reach * (row["high"] - row["coefficient"])
        )


def test_frame_columns_and_pairs(model):
    display = ShapeDisplay.from_estimator(model, columns=["size", "job"], max_columns=1)
    assert len(display.axes_) == 1
    frame = display.frame()
    assert set(frame["column"]) == {"size", "job"}
    assert not frame["low"].isna().any()
    everything = ShapeDisplay(ShapeDisplay.from_estimator(model).shapes).frame()
    assert (everything["value"] == "missing").sum() == 1
    X, y = load_iris(return_X_y=True, as_frame=True)
    several = ZeroOneClassifier(shapes="auto").fit(X, y)
    curves = [ShapeDisplay.from_estimator(several, pair=pair).frame() for pair in (0, 2)]
    assert not curves[0].equals(curves[1])


def test_bad_input(model):
    with pytest.raises(ValueError, match="columns: there is no column 'age' with a shape"):
        ShapeDisplay.from_estimator(model, columns=["age"])
    with pytest.raises(ValueError, match="columns: got 'size'"):
        ShapeDisplay.from_estimator(model, columns="size")
    with pytest.raises(ValueError, match="pair: got 1"):
        ShapeDisplay.from_estimator(model, pair=1)
    with pytest.raises(ValueError, match="max_columns: got 0"):
        ShapeDisplay.from_estimator(model, max_columns=0)


def test_few_values_and_outliers():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 4, 400), rng.normal(size=400), rng.normal(size=400)])
    X[0, 1] = 1e12
    y = (X[:, 0] % 2 + 0.5 * X[:, 2] + 0.3 * rng.normal(size=400) > 0.5).astype(int)
    found = shapes(ShapeDisplay.from_estimator(ZeroOneClassifier(shapes="bends").fit(X, y)))
    assert found["feature 0"].values[[0, -1]].tolist() == pytest.approx([0, 3], abs=0.5)
    assert found["feature 1"].values[-1] < 10
