"""`zerone export`: other programs predict the same."""

import datetime
import io
import json
import math

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from zerone import AUCClassifier, ZeroOneClassifier, load_model
from zerone.export import rule_as_dict

FIRST_DAY = datetime.date(1970, 1, 1)


# -- a program that scores rows from the JSON alone ---------------------------------------------


def features_of(column, cell):
    """Return the features of a cell, in their order."""
    if isinstance(cell, float) and math.isnan(cell):
        cell = None
    if column["kind"] == "category":
        cell = None if cell is None else str(cell).strip()
        is_known = cell in column["categories"]
        values = [float(cell == own) for own in column["categories"]]
        if column["infrequent"]:
            values.append(float(cell is not None and not is_known))
        if column["missing"]:
            values.append(float(cell is None))
        return values
    if column["kind"] == "date":
        days = None if cell is None else (datetime.date.fromisoformat(cell) - FIRST_DAY).days
        values = [(column["fill"] or 0.0) if days is None else days - column["origin"]]
        for cycle in column["cycles"]:
            angle = 2 * math.pi * math.fmod((days or 0) / column["cycle_days"][cycle], 1)
            values += [0.0, 0.0] if days is None else [math.sin(angle), math.cos(angle)]
    else:
        values = [(column["fill"] or 0.0) if cell is None else float(cell)]
    return [*values, float(cell is None)] if column["indicator"] else values


def log_odds(curve, score):
    if curve["kind"] == "lines":
        knots, values = curve["knots"], curve["values"]
        odds = values[0] + curve["below"] * min(score - knots[0], 0.0)
        ends, tops = [*knots[1:], math.inf], [*values[1:], None]
        for start, end, bottom, top in zip(knots, ends, values, tops, strict=True):
            slope = curve["above"] if top is None else (top - bottom) / (end - start)
            odds += slope * (min(max(score, start), end) - start)
    else:
        lowest, highest = (
            otherwise if curve[name] is None else curve[name]
            for name, otherwise in (("lowest", -math.inf), ("highest", math.inf))
        )

        def parabola(score):
            t = min(max(score - curve["centre"], lowest), highest)
            return curve["at_centre"] + curve["slope"] * t + curve["bend"] * t * t

        odds = parabola(score)
        if curve["is_anchored"]:
            t = min(max(score - curve["centre"], lowest), highest) + curve["centre"]
            odds = t * (curve["slope"] + curve["bend"] * (t - 2 * curve["centre"]))
    if not curve["follows_threshold"]:
        return odds
    return max(odds, 1e-15) if score > 0 else min(odds, 0.0)


def scores_of(described, row):
    """Return the score of a row under each rule."""
    features = {}
    for column in described["columns"]:
        values = features_of(column, row[column["name"]])
        features |= dict(zip(column["features"], values, strict=True))
    return [
        rule["intercept"]
        + math.fsum(c * features[name] for name, c in rule["coefficients"].items())
        for rule in described["rules"]
    ]


def predicted(described, row):
    """Return the decision value, or one for each class, and the class."""
    scores, rules = scores_of(described, row), described["rules"]
    if len(rules) == 1:
        rule = rules[0]
        return scores[0], rule["positive" if scores[0] > rule["threshold"] else "negative"]
    sums = dict.fromkeys(described["classes"], 0.0)
    for score, rule in zip(scores, rules, strict=True):
        share = 1 / (1 + math.exp(-log_odds(rule["decision"], score)))
        sums[rule["positive"]] += share
        sums[rule["negative"]] += 1 - share
    return list(sums.values()), max(sums, key=sums.get)


@pytest.fixture
def loans(table):
    """A table with holes in numbers, categories and dates; categories that are new or rare."""
    rng = np.random.default_rng(0)
    n = len(table)
    days = np.datetime64("2019-03-01") + rng.integers(0, 900, n).astype("timedelta64[D]")
    table["since"] = pd.Series(days.astype(str)).mask(rng.random(n) < 0.1)
    table["pay"] = table["pay"].mask(rng.random(n) < 0.1)
    table["job"] = table["job"].mask(rng.random(n) < 0.05)
    table["city"] = table["city"].astype(str)
    table["town"] = rng.choice(["a", "b", "c", "d", "e"], n, p=[0.4, 0.3, 0.2, 0.05, 0.05])
    return table


def new_rows(loans):
    odd = loans.copy()
    odd.loc[:9, "job"] = "astronaut"
    odd.loc[5:14, "age"] = np.nan
    odd.loc[10:19, "town"] = None
    return odd


class TestJson:
    @pytest.mark.parametrize("refine", ["auto", None])
    @pytest.mark.parametrize("kind", [ZeroOneClassifier, AUCClassifier])
    def test_two_classes(self, kind, refine, run, loans):
        model = kind(refine=refine).fit_table(loans, target="late", max_categories=4)
        model.save("m.zerone")
        kinds = [type(column).kind for column in model.encoding_.columns]
        assert {*kinds} == {"numeric", "category", "date"}
        described = json.loads(run("export m.zerone --to json").stdout)
        rows = new_rows(loans)
        with pytest.warns(UserWarning, match="not all is as in training"):
            wanted, labels = model.decision_function(rows), model.predict(rows)
        with pytest.warns(UserWarning, match="not all is as in training"):
            shares = model.predict_proba(rows)
        found = [predicted(described, row) for row in rows.to_dict("records")]
        assert_allclose([score for score, _ in found], wanted, rtol=1e-12, atol=1e-12)
        assert [label for _, label in found] == labels.tolist()
        curve = described["rules"][0]["calibration"]
        own = [1 / (1 + math.exp(-log_odds(curve, score))) for score, _ in found]
        assert_allclose(own, shares[:, 1], rtol=1e-12, atol=1e-12)

    def test_several_classes(self, run, loans):
        model = ZeroOneClassifier().fit_table(loans, target="town", columns=["age", "pay", "since"])
        model.save("m.zerone")
        described = json.loads(run("export m.zerone --to json").stdout)
        assert len(described["rules"]) == 10
        found = [predicted(described, row) for row in loans.to_dict("records")]
        wanted = model.decision_function(loans)
        assert_allclose([sums for sums, _ in found], wanted, rtol=1e-6)
        close = np.sort(wanted, axis=1)
        clear = close[:, -1] - close[:, -2] > 1e-6
        assert (np.array([label for _, label in found]) == model.predict(loans))[clear].all()

    def test_three_classes_to_the_last_digits(self, run, loans):
        some = loans[loans["town"] < "d"]
        model = ZeroOneClassifier().fit_table(some, target="town", columns=["age", "pay", "since"])
        model.save("m.zerone")
        described = json.loads(run("export m.zerone --to json").stdout)
        found = [predicted(described, row) for row in some.to_dict("records")]
        wanted = model.decision_function(some)
        assert_allclose([sums for sums, _ in found], wanted, rtol=1e-12, atol=1e-12)
        assert [label for _, label in found] == model.predict(some).tolist()

    def test_numbers_and_labels_keep_their_types(self, rng):
        X = rng.normal(size=(60, 2))
        costs = {"cost_matrix": np.array([[0, 1], [2, 0]])}
        model = ZeroOneClassifier(metric="cost", metric_params=costs, refine=None)
        described = json.loads(json.dumps(rule_as_dict(model.fit(X, (X[:, 0] > 0).astype(int)))))
        assert described["classes"] == [0, 1]
        assert described["columns"] is None
        assert list(described["rules"][0]["coefficients"]) == ["feature 0", "feature 1"]
        assert described["metric_params"] == {"cost_matrix": [[0, 1], [2, 0]]}


class TestSql:
    @pytest.mark.parametrize(
        ("value", "wanted"),
        [
            ("label", lambda model, rows: model.predict(rows)),
            ("score", lambda model, rows: model.decision_function(rows)),
            ("probability", lambda model, rows: model.predict_proba(rows)[:, 1]),
        ],
    )
    def test_a_database_predicts_the_same(self, value, wanted, run, loans):
        rows = loans
        rows.loc[:5, "town"] = ["NA", " a ", "n/a", "f", "", "b "]
        rows["day"] = pd.to_datetime(rows["since"]) + pd.Timedelta(hours=30)
        rows.to_csv("t.csv", index=False)
        run("fit t.csv -t late -o m.zerone --max-categories 4")
        expression = run(f"export m.zerone --to sql --value {value}").stdout
        connection = duckdb.connect()
        connection.register("t", rows)
        found = connection.sql(f"SELECT {expression} AS found FROM t").df()["found"]
        expected = wanted(load_model("m.zerone"), rows)
        if value == "label":
            assert (found == expected).all()
        else:
            assert_allclose(found, expected, rtol=1e-9)

    def test_dates_that_databases_read_otherwise(self, run, loans):
        loans["since"] = pd.to_datetime(loans["since"]).dt.strftime("%d.%m.%Y")
        ZeroOneClassifier(refine=None).fit_table(loans, target="late").save("m.zerone")
        shown = run("export m.zerone --to sql", code=2)
        assert "SQL cannot read column 'since' as the model does (dates (day first)" in shown.stderr
        assert "write it with --to json, or leave the column out" in shown.stderr

    def test_the_label_is_the_default(self, run, table):
        ZeroOneClassifier(refine=None).fit_table(table, target="late").save("m.zerone")
        assert run("export m.zerone --to sql").stdout == f"{load_model('m.zerone').to_sql()}\n"
        run("export m.zerone --to sql -o rule.sql")
        with open("rule.sql") as file:
            assert file.read() == run("export m.zerone --to sql --value label").stdout


@pytest.mark.parametrize("options", ["", " --dtype float64"])
def test_onnx(options, run, table):
    rows = table[["age", "pay", "count"]]
    rows.assign(y=table["late"]).to_csv("t.csv", index=False)
    run("fit t.csv -t y -o m.zerone --refine none")
    assert run(f"export m.zerone --to onnx -o m.onnx{options}").stdout == ""
    session = onnxruntime.InferenceSession("m.onnx", providers=["CPUExecutionProvider"])
    given = rows.to_numpy(np.float64 if options else np.float32)
    _, probabilities = session.run(None, {"X": given})
    with open("t.csv") as file:
        wanted = load_model("m.zerone").predict_proba(pd.read_csv(io.StringIO(file.read())))
    assert_allclose(probabilities, wanted, atol=1e-9 if options else 1e-5)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("m.zerone --to pmml", "--to: got 'pmml', expected one of sql, onnx, json"),
        ("m.zerone --to onnx", "--output: is needed for ONNX; name the file to write"),
        ("m.zerone --to onnx -o new.onnx", "write it with --to json, or encode the table"),
        (
            "five.zerone --to sql --value score",
            "of 5 classes SQL gives only the label: each pair of them has a score, and no single "
            "expression computes their probabilities; leave out --value",
        ),
        ("m.zerone --to sql --dialect oracle", "--dialect: got 'oracle', expected one of duckdb"),
        ("m.zerone --to json --dialect ansi", "--dialect: is not for json; leave it out, or"),
        ("m.zerone --to sql --value odds", "--value: got 'odds', expected one of label, score"),
        (
            "m.zerone --to json --value score",
            "--value: is not for json; leave it out, or choose --to sql",
        ),
        (
            "m.zerone --to sql --dtype float32",
            "--dtype: is not for sql; leave it out, or choose --to onnx",
        ),
        ("five.zerone --to onnx -o new.onnx --dtype int8", "--dtype: got 'int8'"),
        ("m.zerone --to json -o old.json", "--output: 'old.json' exists already; add --force"),
        ("m.zerone --to json -o m.zerone --force", "--output: 'm.zerone' is the input file"),
        ("old.json --to json", "is not a zerone model"),
        ("none.zerone --to json", "there is no file 'none.zerone'"),
    ],
)
def test_what_is_refused(command, words, run, table, tmp_path):
    ZeroOneClassifier(refine=None).fit_table(table, target="late").save("m.zerone")
    ZeroOneClassifier(refine=None).fit_table(table, target="job").save("five.zerone")
    (tmp_path / "old.json").write_text("{}")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    shown = run(f"export {command}", code=2)
    assert words in shown.stderr
    assert shown.stderr.startswith("error: ")
    assert len(shown.stderr.splitlines()) == 1
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
