"""The command line on tables: fit, predict, evaluate, moments, merge, inspect."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from tests.helpers import make_table
from typer.testing import CliRunner

from zerone import AUCClassifier, Moments, ZeroOneClassifier, load_model
from zerone.cli._app import app
from zerone.metrics import METRICS


@pytest.fixture
def runner(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    cli = CliRunner()

    def run(command, *, code=0, **options):
        result = cli.invoke(app, command.split(" "), **options)
        assert result.exit_code == code, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return run


@pytest.fixture
def train(table, tmp_path):
    table.to_csv(tmp_path / "train.csv", index=False, float_format="%.17g")
    return table


class TestFit:
    def test_from_a_table_to_predictions(self, runner, train, tmp_path):
        shown = runner("fit train.csv --target late --output model.zerone --weight count")
        assert "5 categories (baker, cook, nurse, …)" in shown.stdout
        assert "held-out error" in shown.stdout
        model = load_model("model.zerone")
        twin = ZeroOneClassifier(n_jobs=1).fit_table(train, target="late", weight="count")
        assert np.allclose(model.coef_, twin.coef_)
        low, high = twin.held_out_interval_
        words = f"{twin.held_out_error_:.4f} ({low:.4f} to {high:.4f})"
        assert words in shown.stdout
        assert words in runner("inspect model.zerone").stdout
        assert "in Python, fit_table(…).summary()" in shown.stdout
        runner("predict model.zerone train.csv --output scores.csv")
        scores = pd.read_csv(tmp_path / "scores.csv")
        assert scores.columns.tolist() == ["prediction", "probability of no", "probability of yes"]
        assert (scores["prediction"] == twin.predict(train)).all()
        assert np.allclose(scores["probability of yes"], twin.predict_proba(train)[:, 1])
        # To standard output, from standard input.
        text = (tmp_path / "train.csv").read_bytes()
        shown = runner("predict model.zerone -", input=text)
        assert shown.stdout == (tmp_path / "scores.csv").read_text()

    @pytest.mark.parametrize(
        ("options", "estimator", "given"),
        [
            ("error", ZeroOneClassifier, {}),
            ("auc", AUCClassifier, {}),
            ("f1 --positive no", ZeroOneClassifier, {"positive": "no"}),
            ("balanced_error", ZeroOneClassifier, {}),
            ("cost --false-negative-cost 10", ZeroOneClassifier,
             {"metric_params": {"false_negative_cost": 10}}),
            ("true_positive_rate --max-false-positive-rate 0.1", ZeroOneClassifier,
             {"metric_params": {"max_false_positive_rate": 0.1}}),
            ("precision --min-recall 0.5", ZeroOneClassifier,
             {"metric_params": {"min_recall": 0.5}}),
            ("recall --min-precision 0.5", ZeroOneClassifier,
             {"metric_params": {"min_precision": 0.5}}),
            ("partial_auc --max-fpr 0.2", AUCClassifier, {"metric_params": {"max_fpr": 0.2}}),
            ("precision_at_k --k 30", AUCClassifier, {"metric_params": {"k": 30}}),
            ("precision_at_k --k 0.1", AUCClassifier, {"metric_params": {"k": 0.1}}),
        ],
    )  # fmt: skip
    def test_metrics(self, runner, train, options, estimator, given):
        shown = runner(f"fit train.csv -t late -o m.zerone --metric {options} --json")
        name = options.split()[0]
        twin = estimator(metric=name, n_jobs=1, **given).fit_table(train, target="late")
        model = load_model("m.zerone")
        assert type(model) is estimator
        assert (model.metric, model.metric_params) == (name, given.get("metric_params"))
        found = json.loads(shown.stdout)
        needs_one = name not in ("error", "auc", "balanced_error")
        assert found.get("positive_class") == (given.get("positive", "yes") if needs_one else None)
        if name not in ("error", "auc"):
            title = METRICS[name].title.lower().replace(" ", "_").replace("-", "_")
            assert found[f"held_out_{title}"] == pytest.approx(twin.held_out_metric_)
        assert found["held_out_interval"] == pytest.approx(twin.held_out_interval_.tolist())
        assert np.allclose(model.coef_, twin.coef_)
        assert np.allclose(model.intercept_, twin.intercept_)

    def test_for_machines(self, runner, train):
        shown = runner("fit train.csv -t late -o m.zerone --refine none --json")
        found = json.loads(shown.stdout)
        assert found["classes"] == train["late"].value_counts().to_dict()
        assert found["columns"][2] == {
            "column": "job",
            "read_as": "5 categories (baker, cook, nurse, …)",
            "features": 5,
            "assumed": [],
        }
        assert found["refined"] is None
        assert found["held_out_error"] is None
        assert found["held_out_interval"] is None
        assert 0 < found["expected_error"] < 0.5

    def test_options_of_tables(self, runner, train, tmp_path):
        train["pay"] = train["pay"].mask(train["left"])
        train.to_csv(tmp_path / "holes.csv", index=False, na_rep="?")
        n_missing = int(train["pay"].isna().sum())
        shown = runner("fit holes.csv -t late -o note.zerone")
        assert f"missing, also where it says '?' ({n_missing})" in " ".join(shown.stdout.split())
        shown = runner("fit holes.csv -t late -o m.zerone --null-value ? --strict", code=2)
        assert f"'pay' has {n_missing} missing values; fill them first, or leave" in shown.stderr
        shown = runner(
            "fit holes.csv -t late -o m.zerone "
            "--columns pay,count,job --categorical count --max-categories 3"
        )
        names = load_model("m.zerone").encoding_.feature_names
        assert names[:2] == ("pay", "pay is missing")
        assert "count=3" not in names
        assert "job is infrequent" in names
        assert "missing ones imputed as" in shown.stdout
        runner("fit train.csv -t late -o d.zerone --drop job --drop city --refine none")
        assert load_model("d.zerone").encoding_.feature_names == ("age", "pay", "left", "count")


class TestMoments:
    def test_parts_merge_to_the_whole(self, runner, train, tmp_path):
        for number, part in enumerate((train[:120], train[120:])):
            part.to_parquet(tmp_path / f"part{number}.parquet")
            runner(f"moments part{number}.parquet --target late --output part{number}.npz")
        runner("merge part0.npz part1.npz --output all.npz")
        shown = runner("fit all.npz --output m.zerone")
        assert "frontier" in shown.stdout
        twin = ZeroOneClassifier(refine=None).fit_table(train, target="late")
        assert np.allclose(load_model("m.zerone").coef_, twin.coef_)
        assert Moments.load("all.npz").weight == 200

    def test_levels_that_differ(self, runner, tmp_path):
        for number, job in enumerate(("cook", "nurse")):
            frame = pd.DataFrame({"job": [job] * 5, "y": [0, 0, 0, 1, 1]})
            frame.to_csv(tmp_path / f"{number}.csv", index=False)
            runner(f"moments {number}.csv -t y -o {number}.npz")
        shown = runner("merge 0.npz 1.npz -o all.npz", code=2)
        assert "if that is intended, add --join" in shown.stderr
        runner("merge 0.npz 1.npz -o all.npz --join --min-count 2")
        assert Moments.load("all.npz").feature_names == ("job=cook", "job=nurse")

    def test_inspect(self, runner, train):
        runner("moments train.csv -t late -o m.npz")
        assert "expected AUC" in runner("inspect m.npz").stdout
        assert json.loads(runner("inspect m.npz --json").stdout)["features"] > 5
        runner("fit m.npz -o m.zerone")
        assert "ZeroOneClassifier" in runner("inspect m.zerone").stdout
        assert json.loads(runner("inspect m.zerone --json").stdout)["rules"] == 1


BAD_INPUT = {
    "no such file": ("fit nothing.csv -t late -o new.zerone", "there is no file"),
    "wrong target": ("fit train.csv -t lat -o new.zerone", "--target: there is no column 'lat'"),
    "no target": ("fit train.csv -o new.zerone", "--target: got None, expected the name"),
    "other encoding": ("fit latin.csv -t y -o new.zerone", "is not UTF-8"),
    "empty file": ("fit empty.csv -t y -o new.zerone", "is empty"),
    "header only": ("fit header.csv -t y -o new.zerone", "a header but no rows"),
    "one class": ("fit one.csv -t y -o new.zerone", "only one class"),
    "garbage": ("fit garbage.parquet -t y -o new.zerone", "not a complete Parquet file"),
    "truncated archive": ("fit cut.csv.gz -t y -o new.zerone", "is damaged"),
    "no workbook": ("fit train.xlsx -t y -o new.zerone", "is not a workbook"),
    "dates": ("fit dates.csv -t y -o new.zerone --strict", "leave it out with --drop"),
    "missing values": ("fit holes.csv -t y -o new.zerone --strict", "or leave out --strict"),
    "regression": ("fit train.csv -t pay -o new.zerone", "continuous"),
    "wrong metric": ("fit train.csv -t late -o new.zerone --metric mse", "--metric: got 'mse'"),
    "wrong costs": (
        "fit train.csv -t late -o new.zerone --metric cost --false-negative-cost 1 "
        "--false-positive-cost -1",
        "--false-positive-cost: got -1.0",
    ),
    "wrong level": ("fit train.csv -t late -o new.zerone --refine None", "--refine: got 'None'"),
    "parameter of another metric": (
        "fit train.csv -t late -o new.zerone --metric f1 --false-negative-cost 2",
        "takes no",
    ),
    "wrong refinement": ("fit train.csv -t late -o new.zerone --refine much", "refine: got"),
    "no such column": ("fit train.csv -t late -o new.zerone --keep id", "--keep: 'id' is not"),
    "two readings": ("fit train.csv -t late -o new.zerone --hash job --text job", "named twice"),
    "existing output": ("fit train.csv -t late -o model.zerone", "add --force"),
    "no folder": ("fit train.csv -t late -o a/b.zerone", "there is no folder"),
    "output is a folder": ("fit train.csv -t late -o folder", "is a folder"),
    "no model": ("predict train.csv train.csv", "is not a zerone model"),
    "no model file": ("predict nothing.zerone train.csv", "there is no file"),
    "other columns": ("predict model.zerone holes.csv -o new.csv", "there is no column 'age'"),
    "other labels": ("evaluate model.zerone other.csv -t late", "none of which is among"),
    "a feature for a target": ("evaluate model.zerone train.csv -t city", "is a feature"),
    "ragged lines": ("fit ragged.csv -t y -o new.zerone --strict", "as many cells as the header"),
    "no moments": ("merge train.csv -o new.npz", "is not a moments file"),
    "a target for moments": ("fit moments.npz -t late -o new.zerone", "leave it out"),
    "columns for moments": (
        "fit moments.npz --columns a -o new.zerone",
        "--columns: is for tables",
    ),
    "output is input": ("fit train.csv -t late -o train.csv --force", "is the input file"),
    "small groups": ("moments train.csv -t late -o new.npz --min-count 150", "--min-count: class"),
    "neither": ("inspect train.csv", "neither a model nor a moments file"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_a_line_and_nothing_is_overwritten(case, runner, train, tmp_path):
    import gzip

    runner("fit train.csv -t late -o model.zerone --refine none")
    runner("moments train.csv -t late -o moments.npz")
    files = {
        "latin.csv": "größe,y\n1,0\n".encode("latin1"),
        "empty.csv": b"",
        "header.csv": b"x,y\n",
        "one.csv": b"x,y\n1,0\n2,0\n",
        "garbage.parquet": bytes(range(256)),
        "cut.csv.gz": gzip.compress(b"x,y\n" + b"1,0\n" * 10_000)[:-20],
        "train.xlsx": b"PK",
        "dates.csv": b"x,y\n2026-01-01,0\n2026-01-02,1\n",
        "holes.csv": b"x,y\n1,0\n,1\n",
        "ragged.csv": b"x,y\n1,0\n2\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    train.assign(late="perhaps").to_csv(tmp_path / "other.csv", index=False)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    command, words = BAD_INPUT[case]
    result = runner(command, code=2)
    assert words in result.stderr
    assert "Traceback" not in result.output
    assert len([line for line in result.stderr.splitlines() if line.startswith("error: ")]) == 1
    assert len(result.stderr.splitlines()) <= 2
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after == before


def test_names_are_no_markup(runner, tmp_path):
    names = ["x [/a]", "[bold]b"]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=names)
    frame["y"] = np.where(frame["x [/a]"] > 0, "[/red]", "$x_{$")
    frame.to_csv(tmp_path / "odd.csv", index=False)
    shown = runner("fit odd.csv -t y -o odd.zerone")
    for text in (*names, "[/red]"):
        assert text in shown.stdout
    assert "[bold]b" in runner("inspect odd.zerone").stdout
    runner("compare odd.csv -t y --folds 3 --report odd.html")
    runner("evaluate odd.zerone odd.csv -t y --report odd2.html")


def test_notes_are_sentences(runner, train, tmp_path):
    train.assign(id=[f"c{i}" for i in range(200)]).to_csv(tmp_path / "ids.csv", index=False)
    shown = runner("fit ids.csv -t late -o m.zerone --refine none")
    assert (
        "note: columns are left out: 'id': every value is different, so it names the rows. To read "
        "one, name it in --keep" in shown.stderr
    )


def test_outputs_keep_links_and_masks(runner, train, tmp_path):
    runner("fit train.csv -t late -o m.zerone --refine none")
    (tmp_path / "real.csv").touch()
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    runner("predict m.zerone train.csv -o link.csv --force")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("prediction,")
    mask = os.umask(0o077)
    try:
        runner("predict m.zerone train.csv -o secret.csv")
    finally:
        os.umask(mask)
    assert (tmp_path / "secret.csv").stat().st_mode & 0o777 == 0o600


def test_tracebacks_on_request(runner, tmp_path):
    result = CliRunner().invoke(app, ["--debug", "fit", "nothing.csv", "-t", "y", "-o", "m"])
    assert isinstance(result.exception, FileNotFoundError)


def test_output_that_nobody_reads_on(train, tmp_path):
    ZeroOneClassifier(refine=None).fit_table(train, target="late").save(tmp_path / "m.zerone")
    make_table(np.random.default_rng(0), 20_000).to_csv(tmp_path / "long.csv", index=False)
    command = f"{sys.executable} -m zerone predict m.zerone long.csv | head -1"
    outcome = subprocess.run(
        command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert outcome.stdout.startswith("prediction,")
    assert outcome.stderr == ""


class TestCompare:
    def test_a_table_and_a_page(self, runner, train, tmp_path):
        shown = runner("compare train.csv -t late --report report.html --folds 3")
        for name in ("ZeroOneClassifier", "LogisticRegressionCV", "LinearSVC", "accuracy", "AUC"):
            assert name in shown.stdout
        assert "means over 3 splits of 200 rows" in shown.stdout
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert "zerone and other linear classifiers on train.csv" in page
        found = json.loads(runner("compare train.csv -t late --folds 3 --json").stdout)
        # Up to how fast it is, which is another number every time.
        assert found["recommendation"].split(";")[0] in " ".join(shown.stdout.split())
        assert len(found["metrics"]["LinearSVC"]["accuracy"]) == 3

    @pytest.mark.slow
    def test_rivals_and_their_time(self, runner, train):
        options = "-t late --folds 3 --rivals LinearSVC,LinearDiscriminantAnalysis"
        found = json.loads(runner(f"compare train.csv {options} --time-limit inf --json").stdout)
        assert "LogisticRegressionCV" not in found["metrics"]
        assert len(found["metrics"]) == 5
        assert found["stopped"] == {}
        assert found["time_limit"] is None
        options = "-t late --folds 3 --rivals LinearSVC --time-limit 1e-6"
        shown = runner(f"compare train.csv {options} --report report.html").stdout
        told = " ".join(shown.split())
        assert re.search(r"LinearSVC: stopped at its time limit of 1e-06 s, after \d of 3", told)
        found = json.loads(runner(f"compare train.csv {options} --json").stdout)
        assert list(found["stopped"]) == ["LinearSVC"]
        assert found["time_limit"] == 1e-6
        assert found["t"] is None
        assert found["recommendation"].startswith("Use ZeroOneClassifier (")

    def test_evaluation_as_a_page(self, runner, train, tmp_path):
        runner("fit train.csv -t late -o m.zerone --refine none")
        runner("evaluate m.zerone train.csv -t late --report e.html")
        assert "m.zerone on train.csv" in (tmp_path / "e.html").read_text(encoding="utf-8")

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ("-t late --metric f2", "--metric: got 'f2', expected one of ['error'"),
            ("-t late --metric f1 --positive 1", "--positive: got '1', which does not occur"),
            ("-t late --metric f1 --beta 2", "'f1' takes no parameter 'beta'"),
            ("-t late --metric precision_at_k --k 500", "--k: got 500, but there are 200 rows"),
            ("-t late --metric partial_auc --max-fpr 1", "--max-fpr: got 1.0, expected a rate"),
            (
                "-t late --rivals SVC",
                "--rivals: got 'SVC', expected some of ['LogisticRegressionCV'",
            ),
            ("-t late --time-limit 0", "--time-limit: got 0.0, expected a positive number"),
            ("-t late --drop nothing", "--drop: there is no column 'nothing'"),
            ("-t late --columns late", "is the target"),
            ("-t late --folds 100", "too few for 100 folds"),
        ],
    )
    def test_bad_input(self, options, words, runner, train, tmp_path):
        shown = runner(f"compare train.csv {options} --report new.html", code=2)
        assert words in shown.stderr
        assert not (tmp_path / "new.html").exists()
