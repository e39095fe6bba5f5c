"""The adult table: from CSV and Parquet the same as by pandas and scikit-learn in memory."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from zerone import AUCClassifier, ZeroOneClassifier

pytestmark = pytest.mark.data
ESTIMATORS = [ZeroOneClassifier(refine=None), AUCClassifier(refine=None), ZeroOneClassifier()]


@pytest.fixture(scope="module")
def adult(data_folder):
    return pd.read_csv(data_folder / "adult.csv.xz", keep_default_na=False)


@pytest.fixture(scope="module")
def with_holes(adult):
    rng = np.random.default_rng(0)
    holes = adult.replace("?", None)
    for name in ("age", "capital-gain"):
        holes[name] = holes[name].mask(rng.random(len(holes)) < 0.1)
    return holes


def pipeline(table, numbers):
    """Return the usual steps, and the names of their features as zerone has them."""
    steps = []
    for name in table.columns.drop("income"):
        is_number = pd.api.types.is_numeric_dtype(table[name])
        one_hot = OneHotEncoder(sparse_output=False)
        steps.append((name, numbers if is_number else one_hot, [name]))
    return ColumnTransformer(steps)


def assert_same_coefficients(model, twin):
    scale = np.abs(twin.coef_).max()
    assert_allclose(model.coef_ / scale, twin.coef_ / scale, atol=1e-8)
    assert_allclose(model.intercept_, twin.intercept_, atol=1e-8)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_categories(estimator, form, adult, data_folder, tmp_path):
    source = data_folder / "adult.csv.xz"
    if form == "parquet":
        source = tmp_path / "adult.parquet"
        pq.write_table(pa.Table.from_pandas(adult), source)
    # Nothing is assumed: "?" is a category like others, as it is in scikit-learn.
    model = type(estimator)(**estimator.get_params()).fit_table(
        source, target="income", strict=True
    )
    rows = pipeline(adult, "passthrough").fit_transform(adult)
    twin = type(estimator)(**estimator.get_params()).fit(rows.astype(float), adult["income"])
    assert model.coef_.shape == (1, 108)
    assert_same_coefficients(model, twin)
    assert model.score_table(source, target="income") == twin.score(
        rows.astype(float), adult["income"]
    )


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_missing_values(estimator, form, with_holes, tmp_path):
    source = tmp_path / f"adult.{form}"
    options = {"target": "income"}
    if form == "parquet":
        pq.write_table(pa.Table.from_pandas(with_holes), source)
    else:
        with_holes.to_csv(source, index=False, na_rep="?")
        options["null_values"] = ["?"]
    model = type(estimator)(**estimator.get_params()).fit_table(source, **options)
    numbers = make_pipeline(
        FunctionTransformer(lambda X: X.astype(float)), SimpleImputer(add_indicator=True)
    )
    rows = pipeline(with_holes, numbers).fit_transform(with_holes)
    twin = type(estimator)(**estimator.get_params()).fit(rows.astype(float), with_holes["income"])
    # scikit-learn sorts missing categories last, too, so that the order is the same.
    assert_same_coefficients(model, twin)
    assert "age is missing" in model.encoding_.feature_names
    assert "workclass is missing" in model.encoding_.feature_names
    assert (model.predict(with_holes) == twin.predict(rows.astype(float))).all()
