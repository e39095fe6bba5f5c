"""`zerone evaluate`: every figure is the one of scikit-learn."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

from zerone import AUCClassifier, ZeroOneClassifier, load_model


@pytest.fixture
def files(table, run):
    """A table with weights that are not whole numbers, and some rows without one."""
    table["share"] = np.linspace(0, 3, len(table))
    table.to_csv("t.csv", index=False, float_format="%.17g")
    return table


def evaluated(run, options="", model="m.zerone"):
    return json.loads(run(f"evaluate {model} t.csv --json{options}").stdout)


def same(found, wanted):
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def of_model(model, table, weight):
    """Return labels, predictions, scores, probabilities and weights of the rows that count."""
    rows = table[table[weight] > 0] if weight else table
    weights = rows[weight].to_numpy() if weight else None
    given = (model.predict(rows), model.decision_function(rows), model.predict_proba(rows))
    return (rows["late"].to_numpy(), *given, weights)


class TestTwins:
    @pytest.mark.parametrize("weight", [None, "share"])
    @pytest.mark.parametrize("kind", [ZeroOneClassifier, AUCClassifier])
    def test_two_classes(self, kind, weight, run, files):
        kind().fit_table(files, target="late", weight=weight).save("m.zerone")
        found, model = evaluated(run), load_model("m.zerone")
        truth, predicted, scores, shares, weights = of_model(model, files, weight)
        given = {"sample_weight": weights}
        assert found["rows"] == len(truth)
        assert ("weight" in found) == (weight is not None)
        same(found["accuracy"], sk.accuracy_score(truth, predicted, **given))
        same(found["error"], sk.zero_one_loss(truth, predicted, **given))
        same(found["balanced_error"], 1 - sk.balanced_accuracy_score(truth, predicted, **given))
        same(found["log_loss"], sk.log_loss(truth, shares, **given))
        same(found["brier_score"], sk.brier_score_loss(truth == "yes", shares[:, 1], **given))
        same(found["auc"], sk.roc_auc_score(truth == "yes", scores, **given))
        matrix = sk.confusion_matrix(truth, predicted, **given)
        assert np.allclose(found["confusion_matrix"], matrix)
        each = sk.precision_recall_fscore_support(truth, predicted, **given)
        for position, label in enumerate(["no", "yes"]):
            for name, values in zip(["precision", "recall", "f1", "weight"], each, strict=True):
                same(found["classes"][label][name], values[position])

    @pytest.mark.parametrize("weight", [None, "share"])
    def test_several_classes(self, weight, run, files):
        files["late"] = np.where(files["age"] > 60, "often", files["late"])
        files.to_csv("t.csv", index=False, float_format="%.17g")
        model = ZeroOneClassifier(metric="f1").fit_table(files, target="late", weight=weight)
        model.save("m.zerone")
        found = evaluated(run)
        truth, predicted, _, shares, weights = of_model(model, files, weight)
        given = {"sample_weight": weights}
        same(found["accuracy"], sk.accuracy_score(truth, predicted, **given))
        same(found["f1"], sk.f1_score(truth, predicted, average="macro", **given))
        same(found["balanced_error"], 1 - sk.balanced_accuracy_score(truth, predicted, **given))
        same(found["log_loss"], sk.log_loss(truth, shares, **given))
        squares = ((shares - (truth[:, None] == model.classes_)) ** 2).sum(axis=1)
        same(found["brier_score"], np.average(squares, weights=weights))
        one = {"multi_class": "ovr", "average": "weighted", **given}
        same(found["auc_one_vs_rest"], sk.roc_auc_score(truth, shares, **one))
        if weight is None:
            other = sk.roc_auc_score(truth, shares, multi_class="ovo")
            same(found["auc_one_vs_one"], other)
        else:
            assert "auc_one_vs_one" not in found
        assert np.allclose(
            found["confusion_matrix"], sk.confusion_matrix(truth, predicted, **given)
        )

    @pytest.mark.parametrize("weight", [None, "share"])
    @pytest.mark.parametrize("threshold", [0.2, 0.6])
    def test_thresholds(self, threshold, weight, run, files):
        ZeroOneClassifier(metric="f1").fit_table(files, target="late", weight=weight).save(
            "m.zerone"
        )
        found, model = evaluated(run, f" --threshold {threshold}"), load_model("m.zerone")
        truth, _, scores, shares, weights = of_model(model, files, weight)
        predicted = np.where(shares[:, 1] >= threshold, "yes", "no")
        given = {"sample_weight": weights}
        assert found["positive_class"] == "yes"
        same(found["f1"], sk.f1_score(truth, predicted, pos_label="yes", **given))
        same(found["accuracy"], sk.accuracy_score(truth, predicted, **given))
        same(found["auc"], sk.roc_auc_score(truth == "yes", scores, **given))


def test_precision_at_k(run, files):
    metric = {"metric": "precision_at_k", "metric_params": {"k": 30}}
    AUCClassifier(**metric, refine=None).fit_table(files, target="late").save("m.zerone")
    found, model = evaluated(run), load_model("m.zerone")
    first = np.argsort(-model.decision_function(files))[:30]
    same(found["precision_at_k"], np.mean(files["late"].to_numpy()[first] == "yes"))
    files[:20].to_csv("t.csv", index=False)
    shown = run("evaluate m.zerone t.csv")
    assert "precision at k is not measured: k is 30, and there are only 20 rows" in shown.stderr
    assert "accuracy" in shown.stdout


class TestCosts:
    def test_those_of_the_model(self, run, files):
        costs = {"false_negative_cost": 5, "false_positive_cost": 2}
        model = ZeroOneClassifier(metric="cost", metric_params=costs, positive="no")
        model.fit_table(files, target="late").save("m.zerone")
        found = evaluated(run)
        (right, missed), (wrong, also_right) = found["confusion_matrix"]
        same(found["cost"], (5 * missed + 2 * wrong) / (right + missed + wrong + also_right))
        # Others in their place, and another positive class.
        found = evaluated(run, " --false-negative-cost 3 --positive yes")
        same(found["cost"], (missed + 3 * wrong) / len(files))

    def test_those_of_a_matrix(self, run, files):
        files["late"] = np.where(files["age"] > 60, "often", files["late"])
        files.to_csv("t.csv", index=False)
        matrix = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
        ZeroOneClassifier(metric="cost", metric_params={"cost_matrix": matrix}).fit_table(
            files, target="late"
        ).save("m.zerone")
        found = evaluated(run)
        same(found["cost"], np.sum(np.multiply(matrix, found["confusion_matrix"])) / len(files))

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ("--false-negative-cost 0", "--false-negative-cost: got 0.0, expected a positive"),
            ("--false-positive-cost 2 --positive 1", "--positive: got '1', which does not occur"),
            ("--positive yes", "--positive: is the class of a threshold or of costs"),
        ],
    )
    def test_what_is_refused(self, options, words, run, files):
        ZeroOneClassifier(refine=None).fit_table(files, target="late").save("m.zerone")
        assert words in run(f"evaluate m.zerone t.csv {options}", code=2).stderr

    def test_several_classes(self, run, files):
        ZeroOneClassifier(refine=None).fit_table(files, target="job").save("m.zerone")
        shown = run("evaluate m.zerone t.csv --false-positive-cost 2", code=2)
        assert "--false-positive-cost: is for two classes, and the model has 5" in shown.stderr


class TestTargetAndWeights:
    @pytest.fixture
    def weighted(self, run, files):
        run("fit t.csv --target late --weight share --refine none -o m.zerone")
        return files

    def test_the_model_knows_them(self, run, weighted):
        assert evaluated(run) == evaluated(run, " --target late --weight share")

    def test_others_can_be_named(self, run, weighted):
        weighted.rename(columns={"late": "tardy", "share": "mass"}).to_csv("t.csv", index=False)
        shown = run("evaluate m.zerone t.csv", code=2)
        assert "--target: there is no column 'late'" in shown.stderr
        found = evaluated(run, " --target tardy --weight mass")
        same(found["weight"], weighted["share"].sum())

    def test_without_the_weights_of_training_all_rows_count_the_same(self, run, weighted):
        weighted.drop(columns="share").to_csv("t.csv", index=False)
        shown = run("evaluate m.zerone t.csv --json")
        assert "note: the table has no column 'share', which had the weights" in shown.stderr
        assert json.loads(shown.stdout)["rows"] == len(weighted)
        shown = run("evaluate m.zerone t.csv --weight share", code=2)
        assert "--weight: there is no column 'share'" in shown.stderr

    def test_a_model_that_knows_no_target(self, run, files):
        numbers = files[["age", "pay"]]
        ZeroOneClassifier(refine=None).fit(numbers, files["late"].to_numpy(str)).save("m.zerone")
        assert "--target: got None" in run("evaluate m.zerone t.csv", code=2).stderr
        assert evaluated(run, " -t late")["rows"] == len(files)


class TestOddLabels:
    def test_rows_without_a_label_are_left_out(self, run, files):
        ZeroOneClassifier(refine=None).fit_table(files, target="late").save("m.zerone")
        files["late"] = files["late"].mask(files.index < 30)
        files.to_csv("t.csv", index=False)
        shown = run("evaluate m.zerone t.csv --json")
        assert json.loads(shown.stdout)["rows"] == len(files) - 30
        assert "rows without a label, left out (30 values)" in shown.stderr

    def test_labels_that_training_has_not_seen_count_as_wrong(self, run, files):
        model = ZeroOneClassifier(refine=None).fit_table(files, target="late")
        model.save("m.zerone")
        files["late"] = files["late"].mask(files.index < 30, "perhaps")
        files.to_csv("t.csv", index=False)
        shown = run("evaluate m.zerone t.csv --json")
        found = json.loads(shown.stdout)
        same(found["accuracy"], np.mean(model.predict(files) == files["late"]))
        assert np.sum(found["confusion_matrix"]) == len(files) - 30
        assert "they count as wrong predictions" in shown.stderr

    def test_one_class_only(self, run, files):
        ZeroOneClassifier(metric="f1", refine=None).fit_table(files, target="late").save("m.zerone")
        files[files["late"] == "no"].to_csv("t.csv", index=False)
        shown = run("evaluate m.zerone t.csv --json")
        found = json.loads(shown.stdout)
        assert shown.stderr == ""
        assert "auc" not in found
        assert found["classes"]["yes"]["recall"] is None
        assert found["classes"]["yes"]["weight"] == 0
        assert found["balanced_error"] == 1 - found["classes"]["no"]["recall"]
        assert "–" in run("evaluate m.zerone t.csv").stdout

    @pytest.mark.parametrize("labels", [[0, 1], [-1, 1], [True, False], [7, 9], ["1", "2"]])
    def test_labels_of_any_type(self, labels, run, rng):
        x = rng.normal(size=120)
        frame = pd.DataFrame({"x": x, "y": np.array(labels)[(x > 0.3).astype(int)]})
        frame.to_csv("t.csv", index=False)
        run("fit t.csv -t y -o m.zerone")
        found = evaluated(run)
        assert found["accuracy"] > 0.9
        assert list(found["classes"]) == [str(own) for own in sorted(labels)]

    def test_a_table_without_rows(self, run, files):
        ZeroOneClassifier(refine=None).fit_table(files, target="late").save("m.zerone")
        files[:0].to_parquet("none.parquet")
        shown = run("evaluate m.zerone none.parquet", code=2)
        assert "is empty, or all weights are zero" in shown.stderr


def test_what_is_printed(run, files):
    ZeroOneClassifier(refine=None).fit_table(files, target="late").save("m.zerone")
    shown, found = run("evaluate m.zerone t.csv").stdout, evaluated(run)
    for name in ("accuracy", "balanced error", "log loss", "Brier score", "AUC", "precision", "F1"):
        assert name in shown
    assert f"{found['classes']['yes']['recall']:.4f}" in shown
    assert "predicted class" in shown


def test_many_classes_are_not_printed_as_a_matrix(run, rng, monkeypatch):
    frame = pd.DataFrame({"x": np.arange(300.0) % 30, "y": np.arange(300) % 30})
    frame["x"] += 0.1 * rng.normal(size=300)
    frame.to_csv("t.csv", index=False)
    run("fit t.csv -t y -o m.zerone --refine none")
    monkeypatch.setenv("COLUMNS", "80")
    shown = run("evaluate m.zerone t.csv").stdout
    assert "--json prints the confusion matrix of 30 classes" in shown
    assert np.shape(evaluated(run)["confusion_matrix"]) == (30, 30)


def test_a_broad_matrix_has_numbers_for_names(run, rng, monkeypatch):
    names = np.array([f"a class of a long name {number}" for number in range(5)])
    frame = pd.DataFrame({"x": np.arange(150.0) % 5, "y": names[np.arange(150) % 5]})
    frame["x"] += 0.1 * rng.normal(size=150)
    frame.to_csv("t.csv", index=False)
    run("fit t.csv -t y -o m.zerone --refine none")
    monkeypatch.setenv("COLUMNS", "70")
    last = run("evaluate m.zerone t.csv").stdout.splitlines()[-1]
    assert last.split() == ["5", *names[4].split(), *("0" for _ in range(4)), "30"]


def test_the_page_shows_classes_and_confusions(run, files, tmp_path):
    ZeroOneClassifier(refine=None).fit_table(files, target="late").save("m.zerone")
    run("evaluate m.zerone t.csv --report e.html")
    page = (tmp_path / "e.html").read_text()
    assert "m.zerone on t.csv" in page
    assert "Confusion matrix" in page
    assert "predicted yes" in page
    assert (
        "is the input file" in run("evaluate m.zerone t.csv --force --report t.csv", code=2).stderr
    )
    shown = run("evaluate m.zerone t.csv --force --report m.zerone", code=2)
    assert "is the input file" in shown.stderr


def test_names_cannot_control_the_terminal(run, rng, tmp_path):
    x = rng.normal(size=80)
    frame = pd.DataFrame({"x\x1b[31m": x, "y": np.where(x > 0, "a\x1b[2J", "b\x9b1m")})
    frame.to_parquet("t.parquet")
    for command in (
        "fit t.parquet -t y -o m.zerone",
        "retarget m.zerone --metric f1 -o n.zerone",
        "inspect n.zerone",
        "inspect m.zerone",
        "inspect m.zerone --json",
        "evaluate m.zerone t.parquet",
        "evaluate m.zerone t.parquet --json",
        "evaluate m.zerone t.parquet --json --positive a\x1b[2J --threshold 0.5",
    ):
        shown = run(command)
        assert not {*"\x1b\x9b"} & {*shown.output}, command
    assert "\\x1b[2J" in run("evaluate m.zerone t.parquet").stdout
    shown = run("evaluate m.zerone t.parquet -t no\x1b[31mthing", code=2)
    assert "\x1b" not in shown.output
    # Files and predictions are data.
    assert "a\x1b[2J" in run("predict m.zerone t.parquet").stdout
