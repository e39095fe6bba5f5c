"""``zerone compare``: what it prints on tables as people have them."""

import html
import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from zerone import load_model
from zerone.cli._app import app
from zerone.comparison._explorer_data import explorer_data


@pytest.fixture
def runner(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    table["count"] += 1
    table["pay"] = table["pay"].mask(np.arange(len(table)) % 7 == 0)
    table["kind"] = ["rare"] * 3 + table["late"].tolist()[3:]
    table.to_csv("t.csv", index=False)

    def run(command, code=0):
        result = CliRunner().invoke(app, command.split())
        assert result.exit_code == code, result.output
        return result

    return run


def test_every_line_fits_and_says_what_was_done(runner):
    shown = runner("compare t.csv -t late --folds 3")
    assert max(map(len, shown.stdout.splitlines())) <= 80
    told = " ".join(shown.stdout.split())
    for words in (
        "means over 3 splits of 200 rows, with intervals of 95 %",
        "are learned from the training rows of each split",
        "Never recommended: MajorityClass, which always predicts the largest class;",
        "HistGradientBoostingClassifier, trees in the settings of scikit-learn",
    ):
        assert words in told
    assert "from all rows" not in told


def test_json_has_the_same_facts(runner):
    found = json.loads(runner("compare t.csv -t late --folds 3 --json").stdout)
    assert found["roles"]["MajorityClass"] == "majority"
    assert found["roles"]["HistGradientBoostingClassifier"] == "nonlinear"
    assert set(found["metrics"]) == set(found["roles"])
    assert found["recommended"] in found["metrics"]
    assert found["rare_classes"] == {}
    for name, own in found["metrics"].items():
        low, high = found["intervals"][name]["accuracy"]
        assert low <= np.mean(own["accuracy"]) <= high
    assert found["intervals"]["MajorityClass"]["auc"] is None
    assert found["differences"]["reference"] == found["recommended"]
    assert set(found["differences"]["of"]) == set(found["metrics"]) - {found["recommended"]}
    for own in found["worse_at"]:
        assert own["better"] in found["recommendation"]


def test_weights(runner):
    found = json.loads(runner("compare t.csv -t late --weight count --folds 3 --json").stdout)
    assert found["failures"] == {"LinearDiscriminantAnalysis": "takes no row weights"}
    assert found["rows"] == 200
    assert sum(found["classes"].values()) > 200
    shown = runner("compare t.csv -t late --weight count --folds 3 --rivals LinearSVC --drop kind")
    assert "All fits and metrics count rows by their weights." in " ".join(shown.stdout.split())
    shown = runner("compare t.csv -t late --weight count --folds 2")
    assert "LinearDiscriminantAnalysis: takes no row weights" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_a_rare_class_is_left_out_and_said(runner):
    shown = runner("compare t.csv -t kind --drop late --rivals MajorityClass --report r.html")
    words = "class 'rare' (3 rows): too few for 5 folds"
    assert f"Left out: {words}." in " ".join(shown.stdout.split())
    assert f"note: {words}: left out" in shown.stderr
    found = json.loads(runner("compare t.csv -t kind --rivals MajorityClass --json").stdout)
    assert found["rare_classes"] == {"rare": 3}
    assert set(found["classes"]) == {"no", "yes"}


def test_the_report_tells_the_commands_that_make_it_again(runner, tmp_path):
    given = "-t late --drop kind --rivals MajorityClass --folds 3 --metric cost"
    given += " --false-negative-cost 2 --positive no"
    runner(f"compare t.csv {given} --report r.html --force")
    page = html.unescape((tmp_path / "r.html").read_text(encoding="utf-8"))
    options = "--target late --metric cost --positive no --false-negative-cost 2.0"
    compare = f"zerone compare t.csv {options} --folds 3 --rivals MajorityClass --drop kind"
    fit = f"zerone fit t.csv {options} --drop kind --output model.zerone"
    assert f"{compare} --report r.html\n{fit}" in page
    # That command and the explorer are about the same rule.
    runner(fit.removeprefix("zerone "))
    model = load_model(tmp_path / "model.zerone")
    data = json.loads(re.search(r'id="explorer-data">(.*?)</script>', page).group(1))
    for own, other in zip(data["directions"], explorer_data(model)["directions"], strict=True):
        for name, values in own.items():
            np.testing.assert_allclose(values, other[name], rtol=1e-6, err_msg=name)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("-t late --weight nothing", "--weight: there is no column 'nothing'"),
        ("-t late --weight late", "--weight: 'late' is the target"),
        ("-t late --weight job", "--weight: column 'job' has type string, expected numbers"),
        ("-t late --rivals Trees", "--rivals: got 'Trees', expected some of"),
        ("-t late --folds 120", "too few for 120 folds; two classes with enough rows are needed"),
        ("-t one", "--target: column 'one' has only one class"),
    ],
)
def test_bad_input_is_one_line(options, words, runner):
    pd.read_csv("t.csv").assign(one="a").to_csv("t.csv", index=False)
    shown = runner(f"compare t.csv {options}", code=2)
    errors = [line for line in shown.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert words in errors[0]


@pytest.mark.data
@pytest.mark.parametrize(
    ("table", "target", "n_rows"),
    [
        ("penguins", "species", 344),
        ("penguins", "sex", 333),
        ("penguins-raw", "Species", 344),
        ("titanicp", "survived", 1309),
        ("credit", "Status", 4454),
        ("email", "spam", 3921),
        ("churn", "churn", 7043),
        ("chile", "vote", 2532),
        ("pima2", "type", 300),
        ("seattle-weather", "weather", 1461),
    ],
)
def test_tables_as_people_have_them_at_the_first_try(table, target, n_rows, data_folder):
    path = data_folder / "tables" / f"{table}.csv.xz"
    if not path.exists():
        pytest.skip(f"there is no {path.name}")
    shown = CliRunner().invoke(
        app, ["compare", str(path), "--target", target, "--json", "--time-limit", "inf"]
    )
    assert shown.exit_code == 0, shown.output
    found = json.loads(shown.stdout)
    assert found["rows"] == n_rows
    assert found["failures"] == found["stopped"] == {}
    assert len(found["metrics"]) == (8 if len(found["classes"]) == 2 else 7)
    ours = np.mean(found["metrics"]["ZeroOneClassifier"]["accuracy"])
    majority = np.mean(found["metrics"]["MajorityClass"]["accuracy"])
    assert ours > majority
