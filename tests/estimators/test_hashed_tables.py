"""Columns of text and hashed columns in a fit: as the same features in an array."""

import numpy as np
import pandas as pd
import pytest
from tests.helpers import assert_same_classifier

from zerone import AUCClassifier, ZeroOneClassifier

OPTIONS = {"target": "late", "text": ["note"], "hashed": ["shop"]}


def notes(rng, n):
    words = np.array(["late", "paid", "called", "new", "old", "red", "blue", "green"])
    shop = rng.integers(0, 300, n)
    score = rng.normal(size=n) + (shop % 3 == 0)
    chosen = rng.integers(1, 8, (n, 4))
    chosen[score > 0.8, 0] = 0
    return pd.DataFrame(
        {
            "x": rng.normal(size=n) * 1e-3,
            "shop": [f"s{i}" for i in shop],
            "note": [" ".join(own) for own in words[chosen]],
            "late": np.where(score > 0.8, "yes", "no"),
        }
    )


@pytest.mark.parametrize("cls", [ZeroOneClassifier, AUCClassifier])
def test_few_rows_are_fitted_as_an_array(cls, rng):
    table = notes(rng, 400)
    model = cls().fit_table(table, **OPTIONS)
    assert model.coef_.shape == (1, 1 + 256 + 1024)
    features = np.array([own[0] for own in _features(model, table)])
    twin = cls().fit(features, table["late"])
    assert_same_classifier(model, twin, 1e-6)


def _features(model, table):
    from zerone._data.features import feature_parts

    for part in feature_parts(table, model.encoding_, model.coef_.shape[1]):
        yield from part.rows.toarray()[:, None]


def test_more_rows_are_refined_on_a_sample_that_stays_sparse(rng, monkeypatch):
    monkeypatch.setattr("zerone.estimators._fit_rows.REFINED_VALUES", 2**16)
    table = notes(rng, 3000)
    model = ZeroOneClassifier().fit_table(table, **OPTIONS)
    assert model.score_table(table) > 0.85
    without = ZeroOneClassifier().fit_table(table[["x", "late"]], target="late")
    assert float(model.held_out_error_) < float(without.held_out_error_) - 0.02
