"""Contributions add up to the score, and changes that are said to flip an answer do."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tests.helpers import gaussian_rows, make_table

from zerone import AUCClassifier, ZeroOneClassifier, load_model

DATES = pd.date_range("2024-01-01", periods=200).strftime("%d.%m.%Y")


@pytest.fixture
def messy(rng):
    """A table with every kind of column, and holes."""
    table = make_table(rng).assign(since=DATES)
    table["pay"] = table["pay"].mask(rng.random(200) < 0.2)
    table["job"] = table["job"].mask(rng.random(200) < 0.1)
    return table


@pytest.fixture
def model(messy):
    return ZeroOneClassifier().fit_table(messy, target="late")


def test_contributions_of_columns_add_up_to_the_score(model, messy):
    found = model.explain(messy)
    assert found.columns == ("age", "pay", "job", "city", "left", "count", "since")
    scores = model.decision_function(messy)
    assert_allclose(found.baseline + found.contributions.sum(axis=1), scores, atol=1e-12)
    assert_allclose(found.scores, scores, atol=1e-12)
    assert (found.predicted == model.predict(messy)).all()
    assert (found.against != found.predicted).all()
    # The baseline is the score of a row of means, so that contributions are zero in the mean.
    assert_allclose(found.baseline, scores.mean(), atol=1e-9)
    assert_allclose(found.contributions.mean(axis=0), 0, atol=1e-9)
    assert found.values[0, 6] == "2024-01-01"
    assert set(found.values[messy["job"].isna(), 2]) == {"missing"}
    assert set(found.values[messy["pay"].isna(), 1]) == {"missing"}


@pytest.mark.parametrize("target", ["late", "city"])
def test_flips_flip(target, messy):
    table = messy.assign(city=np.where(messy["age"] > 60, "Köln", messy["city"].astype(str)))
    model = ZeroOneClassifier().fit_table(table, target=target)
    found = model.explain(table)
    assert sum(own is not None for own in found.flip_columns) > 150
    changed = table.astype(object).copy()
    for row, (name, value) in enumerate(zip(found.flip_columns, found.flip_values, strict=True)):
        if name is not None:
            changed.loc[row, name] = bool(value) if name == "left" else value
    changed = changed.astype({"age": float, "pay": float, "count": float, "left": bool})
    flips = model.predict(changed) != model.predict(table)
    assert (flips == [name is not None for name in found.flip_columns]).all()
    assert "since" not in found.flip_columns


def test_no_smaller_change_of_a_number_flips(rng):
    X, y, _ = gaussian_rows(0, 200, 3)
    model = ZeroOneClassifier().fit(X, y)
    found = model.explain(X)
    deviations = X.std(axis=0)
    for row in range(20):
        names = [f"feature {j}" for j in range(3)]
        column = names.index(found.flip_columns[row])
        step = found.flip_values[row] - X[row, column]
        assert abs(step) / deviations[column] == pytest.approx(found.flip_sizes[row])
        for j in range(3):
            for side in (-1, 1):
                other = X[row : row + 1].copy()
                other[0, j] += side * 0.999 * found.flip_sizes[row] * deviations[j]
                assert model.predict(other) == model.predict(X[row : row + 1])


@given(st.integers(0, 2**31), st.integers(2, 5))
@settings(max_examples=15)
def test_several_classes(seed, n_classes):
    X, y, _ = gaussian_rows(seed, 150, 4, n_classes)
    model = ZeroOneClassifier(refine=None).fit(X, y)
    found = model.explain(X)
    assert (found.predicted == model.predict(X)).all()
    if n_classes > 2:
        votes = model.decision_function(X)
        ranked = np.argsort(votes, axis=1)
        assert (found.against == ranked[:, -2]).all()
    scores = X @ model.coef_.T + model.intercept_
    pairs = [(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)]
    for row in range(0, 150, 10):
        p, a = found.predicted[row], found.against[row]
        pair = pairs.index((min(p, a), max(p, a)))
        sign = 1 if n_classes == 2 or p > a else -1
        assert found.scores[row] == pytest.approx(sign * scores[row, pair], abs=1e-12)
    for row in range(150):
        name = found.flip_columns[row]
        if name is not None:
            other = X[row : row + 1].copy()
            other[0, int(name.split()[1])] = found.flip_values[row]
            assert model.predict(other) != model.predict(X[row : row + 1])


def test_as_the_linear_explainer_of_shap(rng):
    X, y, _ = gaussian_rows(1, 300, 5)
    model = ZeroOneClassifier().fit(X, y)
    found = model.explain(X)
    assert_allclose(found.contributions, model.coef_[0] * (X - X.mean(axis=0)), atol=1e-10)
    shap = pytest.importorskip("shap", reason="shap is not installed")
    twin = shap.LinearExplainer(model, shap.maskers.Independent(X, max_samples=300))(X)
    assert_allclose(found.contributions, twin.values, atol=1e-9)
    assert_allclose(found.baseline, twin.base_values, atol=1e-9)


def test_sparse_rows_text_and_models_from_files(messy, tmp_path, rng):
    words = rng.choice(["red", "green", "blue"], (200, 3))
    table = messy.assign(note=[" ".join(own) for own in words])
    model = AUCClassifier().fit_table(table, target="late", text=["note"], hashed=["job"])
    found = model.explain(table)
    assert_allclose(found.scores, model.decision_function(table), atol=1e-12)
    assert found.values[0, found.columns.index("note")] == ""
    assert not {"note", "job"} & set(found.flip_columns)
    model.save(tmp_path / "m.zerone")
    again = load_model(tmp_path / "m.zerone").explain(table)
    assert (again.contributions == found.contributions).all()
    assert (again.flip_columns == found.flip_columns).all()
    rows = sp.csr_array(rng.random((100, 30)) * (rng.random((100, 30)) < 0.3))
    labels = (rows @ np.arange(30) > np.median(rows @ np.arange(30))).astype(int)
    wide = ZeroOneClassifier().fit(rows, labels)
    assert_allclose(wide.explain(rows).scores, wide.decision_function(rows), atol=1e-12)


def test_words_and_frame(model, messy):
    found = model.explain(messy[:3])
    reasons = found.reasons(2)
    assert [len(own) for own in reasons] == [2, 2, 2]
    largest = found.columns[found.largest(1)[0, 0]]
    assert reasons[0][0].startswith(f"{largest} = ")
    frame = found.frame()
    assert frame.shape == (3, 4 + 7 + 3)
    assert_allclose(frame["contribution of age"], found.contributions[:, 0])
    assert len(found) == 3
    assert len(model.explain(messy[:0])) == 0


def test_a_classifier_that_answers_the_same_for_every_row():
    X = np.array([[0.0], [0.1], [0.2], [0.05]] * 20)
    y = np.array([0] * 78 + [1, 1])
    model = ZeroOneClassifier(refine=None).fit(X, y)
    found = model.explain(X)
    assert_allclose(found.scores, model.decision_function(X), atol=1e-12)
