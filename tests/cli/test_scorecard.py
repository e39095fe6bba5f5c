"""`zerone scorecard`: a card on paper and for programs."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from zerone import load_model
from zerone.scorecards import Scorecard


@pytest.fixture
def rows(run, rng):
    n = 600
    table = pd.DataFrame({"age": rng.integers(18, 80, n), "job": rng.choice(list("abc"), n)})
    table["noise"] = rng.standard_normal(n)
    odds = (table["age"] > 50) * 2.0 + (table["job"] == "a") * 1.5 - 1.5
    table["late"] = np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no")
    table.to_csv("train.csv", index=False)
    return table


def test_a_page_and_a_file(run, rows):
    shown = run("scorecard train.csv --target late --max-features 2 --output card.html")
    assert "yes from" in shown.stdout
    assert "held-out AUC" in shown.stdout
    page = Path("card.html").read_text(encoding="utf-8")
    assert "<h1>train.csv</h1>" in page
    assert "noise" not in page
    found = json.loads(
        run("scorecard train.csv -t late --max-features 2 -o card.json --points 3 --json").stdout
    )
    assert [own["name"] for own in found["columns"]] == ["age", "job"]
    card = Scorecard.load("card.json")
    assert card.threshold == found["threshold"]
    assert card.most <= 6
    assert np.mean(card.predict(rows) == rows["late"]) > 0.7


def test_a_model_of_a_few_columns(run, rows):
    run("fit train.csv -t late -o m.zerone --max-features 1")
    model = load_model("m.zerone")
    names = np.array(model.encoding_.feature_names)[model.support_]
    assert set(names) == {"age"}
    run("fit train.csv -t late -o n.zerone --max-features auto")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--max-features 0", "--max-features: got '0', expected auto or a number"),
        ("--max-features 9", "--max-features: got 9, and there are 3 columns"),
        ("--points 0", "--points: got 0, expected an integer"),
        ("--output card.txt", "--output: got 'card.txt', expected a name that ends in"),
    ],
)
def test_bad_input(options, message, run, rows):
    line = f"scorecard train.csv -t late {options}"
    if "--output" not in options:
        line += " -o card.html"
    assert message in run(line, code=2).stderr
