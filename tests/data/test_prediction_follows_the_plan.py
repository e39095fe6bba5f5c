"""Rows to predict are read as those of training, whatever they look like."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

from zerone import Encoding, ZeroOneClassifier
from zerone._data.features import feature_parts, frame_features
from zerone._data.plan import PlanWarning
from zerone._data.windows import read_rows

DAYS = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(60) * 13, "D")


def training(n=60):
    rng = np.random.default_rng(0)
    return pd.DataFrame({
        "age": rng.integers(18, 80, n),
        "pay": [f"{v:.2f}".replace(".", ",") for v in rng.normal(3000, 500, n)],
        "since": DAYS[:n].strftime("%d.%m.%Y"),
        "born": DAYS[:n],
        "flag": rng.random(n) < 0.5,
        "job": rng.choice(["cook", "nurse", "baker"], n),
        "hours": np.where(rng.random(n) < 0.2, np.nan, rng.normal(40, 5, n)),
        "y": rng.choice(["no", "yes"], n),
    })  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return ZeroOneClassifier(refine=None).fit_table(training(), target="y")


def scores(model, frame):
    """Scores of rows, and what a warning said about them."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = model.decision_function(frame)
    assert len(told) <= 1
    return found, str(told[0].message) if told else ""


def assert_read_as_in_training(model, frame, told=""):
    found, said = scores(model, frame)
    assert_allclose(found, scores(model, training())[0], rtol=1e-9, atol=1e-9)
    assert said == told


ANOTHER_WAY = {
    "columns in another order": lambda f: f[list(f.columns)[::-1]],
    "more columns": lambda f: f.assign(more=[[1]] * len(f), y=None),
    "floats for integers": lambda f: f.assign(age=f["age"].astype(np.float32)),
    "integers with nulls": lambda f: f.assign(age=f["age"].astype("Int16")),
    "integers in text": lambda f: f.assign(age=f["age"].map("{:,}".format)),
    "a dictionary of numbers": lambda f: f.assign(age=pd.Categorical(f["age"])),
    "numbers for decimal commas": lambda f: f.assign(
        pay=[float(own.replace(",", ".")) for own in f["pay"]]
    ),
    "other words for missing": lambda f: f.assign(
        hours=[" n/a" if np.isnan(own) else repr(own) for own in f["hours"]]
    ),
    "spaces around": lambda f: f.assign(job=" " + f["job"] + "\t", pay=f["pay"] + " "),
    "a dictionary of categories": lambda f: f.assign(
        job=pd.Categorical(f["job"], ["z", "nurse", "cook", "baker"])
    ),
    "time stamps for text": lambda f: f.assign(since=DAYS),
    "dates for text": lambda f: f.assign(since=DAYS.date),
    "text for time stamps": lambda f: f.assign(born=DAYS.strftime("%Y-%m-%d")),
    "American text for time stamps": lambda f: f.assign(born=DAYS.strftime("%m/%d/%Y")),
    "German text for time stamps": lambda f: f.assign(born=DAYS.strftime("%d.%m.%Y")),
    "another order of dates": lambda f: f.assign(since=DAYS.strftime("%Y-%m-%d %H:%M")),
    "names of months": lambda f: f.assign(since=DAYS.strftime("%d %b %Y")),
    "numbers for booleans": lambda f: f.assign(flag=f["flag"].astype(int)),
    "words for booleans": lambda f: f.assign(flag=f["flag"].map({True: "TRUE", False: "False"})),
}  # fmt: skip


@pytest.mark.parametrize("name", ANOTHER_WAY)
def test_the_same_rows_in_another_way(model, name):
    assert_read_as_in_training(model, ANOTHER_WAY[name](training()))


def test_frames_and_files_give_the_same(model, tmp_path):
    polars = pytest.importorskip("polars")
    frame = training()
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    frame.to_json(
        tmp_path / "t.jsonl", orient="records", lines=True, date_format="iso", double_precision=15
    )
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for source in (polars.from_pandas(frame), table, table.to_reader(10)):
        assert_read_as_in_training(model, source)
    expected = read_rows(frame_features(frame, model.encoding_), np.arange(len(frame)))
    for name in ("t.csv", "t.parquet", "t.jsonl"):
        parts = feature_parts(tmp_path / name, model.encoding_, model.n_features_in_)
        found = np.concatenate(
            [read_rows(part.rows, np.arange(part.rows.shape[0])) for part in parts]
        )
        assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_surprises_are_counted_in_one_warning(model):
    frame = training()
    frame["job"] = np.where(np.arange(60) < 2, "pilot", frame["job"])
    frame.loc[5, "job"] = None
    frame["age"] = np.where(np.arange(60) < 3, np.inf, frame["age"])
    frame["pay"] = np.where(np.arange(60) == 7, "much", frame["pay"])
    frame["since"] = np.where(np.arange(60) == 9, "soon", frame["since"])
    found, said = scores(model, frame.drop(columns="born"))
    for part in (
        "column 'job': categories that training has not seen, without a feature, such as 'pilot' "
        "(2 values)",
        "column 'job': missing values, which training has not seen, without a feature (1 value)",
        "column 'age': infinite values are read as missing (3 values)",
        "column 'pay': no numbers, read as missing, such as 'much' (1 value)",
        "column 'since': no dates, read as missing, such as 'soon' (1 value)",
        "column 'born': is not there: all values are missing",
    ):
        assert part in said
    assert said.count("column ") == 6
    assert np.isfinite(found).all()


def test_missing_values_are_filled_as_in_training(model):
    frame = training().head(1)
    encoding, names = model.encoding_, model.encoding_.feature_names
    rows = read_rows(frame_features(frame, encoding), np.arange(1))
    for column in encoding.columns:
        gone = frame.assign(**{column.name: pd.Series([None], dtype=object)})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            without = read_rows(
                frame_features(frame.drop(columns=column.name), encoding), np.arange(1)
            )
            found = read_rows(frame_features(gone, encoding), np.arange(1))
        assert_allclose(found, without)
        expected = rows.copy()
        own = [names.index(name) for name in column.feature_names]
        expected[:, own] = 0.0
        if column.kind != "category":
            expected[:, own[0]] = column.fill
        if column.name == "hours":
            expected[:, own[-1]] = 1.0
        assert_allclose(found, expected)


def test_new_categories_are_infrequent_where_there_is_a_feature():
    frame = pd.DataFrame({"job": ["a"] * 30 + ["b"] * 20 + ["c"] * 5 + ["d"] * 5})
    encoding = Encoding.from_table(frame, max_categories=3)
    for cell, expected in (("a", [1, 0, 0]), ("d", [0, 0, 1]), ("new", [0, 0, 1])):
        rows = frame_features(pd.DataFrame({"job": [cell]}), encoding)
        assert read_rows(rows, np.arange(1)).tolist() == [expected]


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("age", pd.to_datetime(["2020-01-01"]), "takes it for numbers"),
        ("since", [3.5], "takes it for dates"),
        ("born", pd.to_timedelta([3], "D"), "takes it for dates"),
        ("job", [[1, 2]], "takes it for categories"),
    ],
)
def test_types_that_cannot_be_read_are_refused(model, name, values, words):
    frame = training().head(1).drop(columns=name).assign(**{name: values})
    with pytest.raises(TypeError, match=f"column '{name}' has type .*{words}"):
        model.predict(frame)


def test_nothing_in_common_is_an_error(model):
    with pytest.raises(ValueError, match="there is no column 'age', which the encoding reads"):
        model.predict(pd.DataFrame({"z": [1]}))


def test_strict_encodings_refuse_what_they_do_not_know():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.5] * 10, "job": ["a", "b", "c"] * 10})
    encoding = Encoding.from_table(frame, strict=True)
    for changed, words in (
        (frame.assign(x="much"), "has 'much' in X, and holds numbers otherwise"),
        (frame.assign(x=None), "missing value in row 0"),
        (frame.assign(job=None), "missing value in row 0"),
        (frame[["job"]], "there is no column 'x'"),
    ):
        with pytest.raises(ValueError, match=words):
            frame_features(changed, encoding)


def test_a_column_that_training_left_out_is_not_read():
    frame = training().assign(id=np.arange(60), country="DE")
    with pytest.warns(PlanWarning, match="'id': integers that rise.*'country': all values are"):
        model = ZeroOneClassifier(refine=None).fit_table(frame, target="y")
    expected = model.predict(frame)
    changed = frame.assign(id="no number", country=[[1]] * 60)
    assert model.predict(changed).tolist() == expected.tolist()
    assert model.predict(training()).tolist() == expected.tolist()
