"""`zerone predict`: the files it writes, copied columns, and thresholds."""

import csv
import io
import json
import lzma

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

from zerone import ZeroOneClassifier, load_model

PREDICTIONS = ["prediction", "probability of no", "probability of yes"]
TEXT = ["csv", "tsv", "jsonl", "ndjson"]


@pytest.fixture
def new(table, run, small_parts):
    """Rows to predict, with a key; the model is beside them."""
    ZeroOneClassifier(refine=None).fit_table(table, target="late").save("m.zerone")
    table.insert(0, "id", [f"{number:04d}" for number in range(len(table))])
    table.to_csv("new.csv", index=False, float_format="%.17g")
    return table


def content_of(path):
    if path.endswith(".xz"):
        return lzma.open(path).read()
    return pa.input_stream(path, compression="detect").read()


def rows_of(path):
    """Return a file of predictions as a frame."""
    name = path.lower()
    if name.endswith((".parquet", ".pq")):
        return pd.read_parquet(path)
    if name.endswith((".arrow", ".feather", ".ipc")):
        return pa.ipc.open_file(path).read_all().to_pandas()
    content = io.BytesIO(content_of(path))
    if "json" in name:
        return pd.read_json(content, lines=True, dtype={"id": str}, precise_float=True)
    return pd.read_csv(content, sep="\t" if ".tsv" in name else ",", dtype={"id": str})


@pytest.mark.parametrize(
    "name",
    ["p", "P.CSV", "p.parquet", "p.pq", "p.arrow", "p.feather", "p.ipc", "p.gz"]
    + [f"p.{own}" for own in TEXT]
    + [f"p.{own}.{packed}" for own in ("csv", "jsonl") for packed in ("gz", "bz2", "xz", "zst")],
)
def test_the_name_says_the_format(name, run, new):
    run(f"predict m.zerone new.csv -o {name} --copy id --copy job")
    found, model = rows_of(name), load_model("m.zerone")
    assert found.columns.tolist() == ["id", "job", *PREDICTIONS]
    assert found["id"].tolist() == new["id"].tolist()
    assert found["job"].tolist() == new["job"].tolist()
    assert found["prediction"].tolist() == model.predict(new).tolist()
    assert_allclose(found[PREDICTIONS[1:]], model.predict_proba(new), rtol=1e-12)
    # The same rows give the same bytes.
    with open(name, "rb") as file:
        before = file.read()
    run(f"predict m.zerone new.csv -o {name} --copy id --copy job --force")
    with open(name, "rb") as file:
        assert file.read() == before


@pytest.mark.parametrize("output", ["", " -o -", " --output -"])
def test_standard_output(output, run, new, tmp_path):
    shown = run(f"predict m.zerone new.csv{output} --copy id")
    run("predict m.zerone new.csv -o p.csv --copy id")
    assert shown.stdout_bytes == (tmp_path / "p.csv").read_bytes()
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("p.xlsx", "--output: 'p.xlsx' has the unknown file extension '.xlsx'; write .csv, .tsv"),
        ("p.csv.zip", "unknown file extension '.zip'"),
        ("p.parquet.gz", "leave out .gz"),
        ("new.csv", "is the input file"),
        ("m.zerone", "unknown file extension"),
        ("p/p.csv", "there is no folder"),
        ("/dev/null", "is a device or a pipe"),
    ],
)
def test_names_that_are_refused(name, words, run, new, tmp_path):
    before = sorted(tmp_path.iterdir())
    assert words in run(f"predict m.zerone new.csv --force -o {name}", code=2).stderr
    assert sorted(tmp_path.iterdir()) == before


def test_nothing_is_printed_before_an_error(run, new):
    assert run("predict m.zerone new.csv --copy nothing", code=2).stdout == ""


def test_columns_that_parquet_cannot_hold(run, new, tmp_path):
    spans = pa.array([(1, 2, 3)] * len(new), pa.month_day_nano_interval())
    rows = pa.Table.from_pandas(new, preserve_index=False).append_column("span", spans)
    with pa.OSFile("new.arrow", "w") as file, pa.ipc.new_file(file, rows.schema) as writer:
        writer.write(rows)
    before = sorted(tmp_path.iterdir())
    shown = run("predict m.zerone new.arrow -o p.parquet --copy span", code=2)
    assert "write CSV or JSON Lines, or copy other columns" in shown.stderr
    assert sorted(tmp_path.iterdir()) == before
    run("predict m.zerone new.arrow -o p.arrow --copy span")


def test_the_table_is_read_once(run, new, monkeypatch):
    from zerone._data.readers.csv import CsvSource

    passes = []
    parts = CsvSource.parts
    monkeypatch.setattr(CsvSource, "parts", lambda *given: passes.append(1) or parts(*given))
    run("predict m.zerone new.csv -o p.csv")
    assert passes == [1]


def test_nothing_is_left_of_a_table_that_breaks_off(run, new, tmp_path):
    text = (tmp_path / "new.csv").read_text()
    (tmp_path / "new.csv").write_text(text + "1,2,3\n")
    for name in ("p.csv", "p.parquet", "p.jsonl.gz"):
        before = sorted(tmp_path.iterdir())
        assert "as many cells" in run(f"predict m.zerone new.csv -o {name}", code=2).stderr
        assert sorted(tmp_path.iterdir()) == before


class TestCopies:
    @pytest.mark.parametrize(
        "cells",
        [
            ["007", "7.0", " x ", "NA", "1e5", 'a "b", c', "=1+1"],
            ["a\rb", "a\nb", "\r\n", ",", "\t", "#1", "é"],
        ],
    )
    def test_cells_stay_as_they_are(self, cells, run, new, tmp_path):
        some = new[: len(cells)].assign(id=cells)
        some.to_csv("new.csv", index=False, quoting=csv.QUOTE_ALL)
        run("predict m.zerone new.csv -o p.csv --copy id")
        with open("p.csv", newline="") as file:
            assert [row[0] for row in csv.reader(file)] == ["id", *cells]

    def test_features_can_be_copied(self, run, new):
        # Numbers, booleans, categories, and a feature that is written as text.
        names = ["age", "pay", "left", "city", "count"]
        run("predict m.zerone new.csv -o plain.csv")
        run("predict m.zerone new.csv -o p.csv", *(f"--copy={own}" for own in names))
        found, given, plain = (
            pd.read_csv(f"{own}.csv", dtype=str) for own in ("p", "new", "plain")
        )
        assert found[names].equals(given[names])
        assert found[PREDICTIONS].equals(plain[PREDICTIONS])

    def test_types_of_parquet_stay(self, run, new):
        new["day"] = pd.Timestamp("2026-11-19")
        new["number"] = np.arange(len(new))
        new.to_parquet("new.parquet")
        run("predict m.zerone new.parquet -o p.parquet --copy day --copy number --copy city")
        found = pd.read_parquet("p.parquet")
        assert (found["day"] == new["day"]).all()
        assert found["number"].dtype == np.int64
        assert found["city"].tolist() == new["city"].tolist()
        run("predict m.zerone new.parquet -o p.jsonl --copy day --copy number")
        with open("p.jsonl") as file:
            first = json.loads(next(file))
        assert (first["day"], first["number"]) == ("2026-11-19 00:00:00", 0)

    def test_a_table_without_rows(self, run, new):
        new[:0].to_parquet("none.parquet")
        for name in ("p.csv", "p.parquet", "p.arrow"):
            run(f"predict m.zerone none.parquet -o {name} --copy id")
            assert rows_of(name).columns.tolist() == ["id", *PREDICTIONS]
            assert len(rows_of(name)) == 0

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ("--copy nothing", "--copy: there is no column 'nothing'; the table has 'id', 'age'"),
            ("--copy prediction", "--copy: a column of the predictions is named 'prediction', too"),
        ],
    )
    def test_names_that_are_refused(self, options, words, run, new):
        new.assign(prediction=1).to_csv("new.csv", index=False)
        assert words in run(f"predict m.zerone new.csv {options}", code=2).stderr


class TestThreshold:
    def predicted(self, run, options):
        shown = run(f"predict m.zerone new.csv --threshold {options}")
        return pd.read_csv(io.StringIO(shown.stdout))["prediction"].to_numpy()

    @pytest.mark.parametrize("threshold", [0, 0.1, 0.3, 0.5, 0.9, 1])
    def test_the_positive_class_from_a_probability_on(self, threshold, run, new):
        shares = load_model("m.zerone").predict_proba(new)
        found = self.predicted(run, f"{threshold}")
        assert (found == np.where(shares[:, 1] >= threshold, "yes", "no")).all()
        found = self.predicted(run, f"{threshold} --positive no")
        assert (found == np.where(shares[:, 0] >= threshold, "no", "yes")).all()

    def test_the_positive_class_of_the_model(self, run, new):
        model = ZeroOneClassifier(metric="f1", positive="no", refine=None)
        model.fit_table(new.drop(columns="id"), target="late").save("m.zerone")
        shares = model.predict_proba(new)
        assert (self.predicted(run, "0.7") == np.where(shares[:, 0] >= 0.7, "no", "yes")).all()

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ("--threshold 1.5", "--threshold: got 1.5, expected a probability from 0 to 1"),
            ("--threshold nan", "--threshold: got nan"),
            ("--threshold -0.1", "--threshold: got -0.1"),
            ("--threshold 0.5 --positive maybe", "--positive: got 'maybe', which does not occur"),
            ("--positive yes", "--positive: is the class of a threshold; add --threshold"),
        ],
    )
    def test_what_is_refused(self, options, words, run, new):
        assert words in run(f"predict m.zerone new.csv {options}", code=2).stderr

    def test_several_classes(self, run, new):
        ZeroOneClassifier(refine=None).fit_table(new.drop(columns="id"), target="job").save(
            "m.zerone"
        )
        shown = run("predict m.zerone new.csv --threshold 0.5", code=2)
        assert "--threshold: is for two classes, and the model has 5; leave it out" in shown.stderr


def test_what_is_not_as_in_training_is_told(run, new):
    new.drop(columns="pay").assign(city="Köln").to_csv("new.csv", index=False)
    shown = run("predict m.zerone new.csv -o p.csv")
    assert "column 'pay': is not there: all values are missing" in shown.stderr
    assert "categories that training has not seen" in shown.stderr
    assert len(rows_of("p.csv")) == len(new)


def test_several_results_of_one_pass_in_python(new):
    model = load_model("m.zerone")
    parts = list(model.predict_batches("new.csv", method=["predict", "decision_function"]))
    assert len(parts) > 1
    labels, scores = (np.concatenate(own) for own in zip(*parts, strict=True))
    assert (labels == model.predict(new)).all()
    assert_allclose(scores, model.decision_function(new), atol=1e-12)
    with pytest.raises(ValueError, match="method: got 'classes'"):
        model.predict_batches("new.csv", method=["predict", "classes"])


def test_reasons(run, new):
    run("predict m.zerone new.csv --explain 2 -o p.csv")
    found = rows_of("p.csv")
    model = load_model("m.zerone")
    expected = model.explain(new).reasons(2)
    assert found[["reason 1", "reason 2"]].to_numpy().tolist() == expected
    run("predict m.zerone new.csv --explain 9 -o q.csv")
    assert rows_of("q.csv")["reason 9"].isna().all()
    new[:0].to_csv("none.csv", index=False)
    run("predict m.zerone none.csv --explain 2", code=2)
