"""Columns that bend are explained as one column, and the nearest value that flips is found."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from zerone import AUCClassifier, ZeroOneClassifier, load_model
from zerone._data.columns.numeric import NumericColumn
from zerone.inspection._column_spread import column_covariance
from zerone.inspection._flips import _nearest_crossing
from zerone.inspection._row_columns import columns_of


def curved(n=400, n_classes=2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3)) * [1.0, 20.0, 0.1]
    distance = np.abs(X[:, 0]) + 0.02 * X[:, 1] + 0.3 * rng.normal(size=n)
    return X, np.digitize(distance, np.quantile(distance, np.arange(1, n_classes) / n_classes))


@pytest.fixture(scope="module")
def table():
    X, y = curved()
    rng = np.random.default_rng(1)
    found = pd.DataFrame(X, columns=["size", "rate", "weight"])
    found["size"] = found["size"].mask(rng.random(len(X)) < 0.1)
    found["job"] = rng.choice(["cook", "nurse"], len(X))
    return found.assign(late=np.where(y == 1, "yes", "no"))


@pytest.fixture(scope="module")
def model(table):
    return ZeroOneClassifier(shapes="bends").fit_table(table, target="late")


def test_a_bent_column_is_one_column(model, table, tmp_path):
    found = model.explain(table)
    assert found.columns == ("size", "rate", "weight", "job")
    scores = model.decision_function(table)
    assert_allclose(found.baseline + found.contributions.sum(axis=1), scores, atol=1e-12)
    assert_allclose(found.contributions.mean(axis=0), 0, atol=1e-12)
    shown = [f"{value:.6g}" for value in table["rate"]]
    assert found.values[:, 1].tolist() == shown
    assert set(found.values[table["size"].isna(), 0]) == {"missing"}
    model.save(tmp_path / "m.zerone")
    again = load_model(tmp_path / "m.zerone").explain(table)
    assert (again.contributions == found.contributions).all()
    assert_allclose(again.flip_sizes, found.flip_sizes)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_no_smaller_change_of_an_array_flips(n_classes):
    X, y = curved(n_classes=n_classes)
    model = AUCClassifier(shapes="auto").fit(X, y)
    found = model.explain(X)
    assert_allclose([own.deviation for own in columns_of(model)], X.std(axis=0), rtol=1e-10)
    steps = np.linspace(-0.999, 0.999, 81)
    for row in range(0, len(X), 10):
        name, size = found.flip_columns[row], found.flip_sizes[row]
        changed = X[row].copy()
        if name is not None:
            changed[int(name.split()[1])] = found.flip_values[row]
            assert model.predict(changed[None]) != found.predicted[row]
            moved = np.abs(changed - X[row]) / X.std(axis=0)
            assert moved.max() == pytest.approx(size)
        if n_classes > 2:
            # Of several classes, a change that lets a third one win may be smaller.
            continue
        for column in range(3):
            others = np.tile(X[row], (len(steps), 1))
            reach = 1e6 if name is None else size
            others[:, column] += steps * reach * X.std(axis=0)[column]
            assert (model.predict(others) == found.predicted[row]).all()


def test_flips_of_tables_flip(model, table):
    found = model.explain(table)
    changed = table.astype({"job": object}).copy()
    for row, (name, value) in enumerate(zip(found.flip_columns, found.flip_values, strict=True)):
        if name is not None:
            changed.loc[row, name] = value
    flips = model.predict(changed) != model.predict(table)
    assert (flips == [name is not None for name in found.flip_columns]).all()
    assert flips.mean() > 0.9
    assert {"size", "rate"} <= {*found.flip_columns}


@given(st.integers(0, 2**31), st.integers(0, 6))
@settings(max_examples=40)
def test_the_nearest_crossing_of_any_curve(seed, n_knots):
    rng = np.random.default_rng(seed)
    column = NumericColumn("x", knots=tuple(np.sort(rng.normal(size=n_knots)).tolist()))
    slopes = rng.integers(-2, 3, n_knots + 1) + 0.0
    if not slopes.any():
        return

    def curve(values):
        return np.stack(column.features_of(values), axis=1) @ slopes

    numbers, goal = rng.normal(size=20) * 2, rng.normal(size=20)
    found = _nearest_crossing(column, slopes, goal, numbers)
    exists = np.isfinite(found)
    assert_allclose(curve(found[exists]), goal[exists], atol=1e-12)
    sides = np.sign(curve(numbers) - goal)
    for number, nearest, side, own in zip(numbers, found, sides, goal, strict=True):
        reach = abs(nearest - number) if np.isfinite(nearest) else 1e3
        near = number + np.linspace(-1, 1, 201) * reach * (1 - 1e-9)
        assert (np.sign(curve(near) - own) == side).all()


def test_covariances_within_a_column(table):
    model = ZeroOneClassifier(shapes="bends").fit_table(table, target="late")
    known = model.moments_
    weights = np.array([own.weight for own in known.values()])
    means = weights @ np.array([own.mean for own in known.values()]) / weights.sum()
    total = (
        sum(
            own.weight * (own.covariance.toarray() + np.outer(own.mean - means, own.mean - means))
            for own in known.values()
        )
        / weights.sum()
    )
    start = 0
    for column in model.encoding_.columns:
        own = slice(start, start := start + len(column.feature_names))
        found = column_covariance(column, means[own], np.sqrt(np.diag(total)[own]))
        assert_allclose(found, total[own, own], atol=1e-10)
