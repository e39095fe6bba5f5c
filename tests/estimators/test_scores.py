"""Scores of rows in every container: one product, and nothing that is not finite gets through."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from zerone import ZeroOneClassifier
from zerone.estimators import _prediction

NAMES = list("abc")
CONTAINERS = {
    "C order": lambda X: X,
    "Fortran order": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "integers": lambda X: X.astype(np.int8),
    "objects": lambda X: X.astype(object),
    "list": lambda X: X.tolist(),
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "pandas, mixed": lambda X: pd.DataFrame(X, columns=NAMES).astype({"a": np.int32}),
    "pandas, nullable": lambda X: pd.DataFrame(X, columns=NAMES).convert_dtypes(),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "arrow": lambda X: pa.table(dict(zip(NAMES, X.T, strict=True))),
}


@pytest.fixture(params=[2, 4], ids=["two classes", "four classes"])
def problem(request, monkeypatch):
    monkeypatch.setattr(_prediction, "_BLOCK_VALUES", 40)
    rng = np.random.default_rng(0)
    X = rng.integers(-20, 20, (200, 3)).astype(float)
    y = rng.integers(0, request.param, 200)
    X[:, 0] += 8 * y
    return X, y


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container(container, problem):
    X, y = problem
    named = CONTAINERS[container](X)
    plain = ZeroOneClassifier(refine=None).fit(X, y)
    classifier = ZeroOneClassifier(refine=None).fit(named, y)
    np.testing.assert_allclose(classifier.coef_, plain.coef_, rtol=1e-9)
    expected = plain.decision_function(X)
    np.testing.assert_allclose(classifier.decision_function(named), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(classifier.predict(named), plain.predict(X))
    np.testing.assert_allclose(classifier.predict_proba(named), plain.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("container", ["C order", "Fortran order", "float32", "csr", "pandas"])
def test_values_that_are_not_finite(container, bad, problem):
    X, y = problem
    classifier = ZeroOneClassifier(refine=None).fit(CONTAINERS[container](X), y)
    for column in range(3):
        broken = X.copy()
        broken[17, column] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            classifier.predict(CONTAINERS[container](broken))


def test_a_coefficient_of_zero_hides_nothing():
    X = np.column_stack([np.arange(20.0), np.ones(20)])
    classifier = ZeroOneClassifier(refine=None).fit(X, np.arange(20) > 9)
    assert classifier.coef_[0, 1] == 0
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        classifier.decision_function(X)


def test_finite_rows_may_overflow():
    X = np.column_stack([1e-3 * np.arange(20.0), np.ones(20)])
    classifier = ZeroOneClassifier(refine=None).fit(X, np.arange(20) > 9)
    assert classifier.decision_function([[1.7e308, 0.0]]) == np.inf
    assert classifier.predict([[1.7e308, 0.0]]).tolist() == [True]


def test_a_frame_without_rows():
    frame = pd.DataFrame({"a": np.arange(20.0)})
    classifier = ZeroOneClassifier(refine=None).fit(frame, np.arange(20) > 9)
    with pytest.raises(ValueError, match="0 sample"):
        classifier.predict(frame.iloc[:0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda y: y.astype(str), "y: got labels such as '0' .string., but the classes"),
        (lambda y: y + 0.5, "Unknown label type: continuous"),
        (lambda y: np.where(y == 1, np.nan, 0.0), "y: contains NaN"),
        (lambda y: y[:-1], "y: got 39 labels for 40 rows"),
    ],
)
def test_labels_that_cannot_be_compared_are_refused_by_score(change, words, rng):
    X = rng.standard_normal((40, 2))
    y = np.arange(40) % 2
    model = ZeroOneClassifier(refine=None).fit(X + y[:, None], y)
    with pytest.raises(ValueError, match=words):
        model.score(X, change(y))
    assert model.score(X, y.astype(float)) == model.score(X, y)
    assert model.score(X, y + 5) == 0
