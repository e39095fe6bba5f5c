"""`zerone retarget`: the same as in Python, from the file alone."""

import json

import numpy as np
import pytest

from zerone import ZeroOneClassifier, load_model


@pytest.fixture
def model(table, run):
    fitted = ZeroOneClassifier(n_jobs=1).fit_table(table, target="late")
    fitted.save("m.zerone")
    return fitted


@pytest.mark.parametrize(
    ("options", "metric", "given"),
    [
        ("f1", "f1", {}),
        ("auc", "auc", {}),
        ("balanced_error", "balanced_error", {}),
        ("cost --false-negative-cost 10", "cost", {"false_negative_cost": 10}),
        ("fbeta --beta 2", "fbeta", {"beta": 2}),
        ("precision --min-recall 0.5", "precision", {"min_recall": 0.5}),
        ("precision_at_k --k 30", "precision_at_k", {"k": 30}),
    ],
)
def test_the_same_as_in_python(options, metric, given, run, model, table):
    shown = run(f"retarget m.zerone --metric {options} -o n.zerone --json")
    found, moved, twin = json.loads(shown.stdout), load_model("n.zerone"), None
    twin = model.retarget(metric, **given)
    assert type(moved) is type(twin)
    assert (moved.metric, moved.metric_params) == (metric, given or None)
    assert np.array_equal(moved.coef_, twin.coef_)
    assert np.array_equal(moved.predict_proba(table), twin.predict_proba(table))
    assert found["status"] == twin.status_
    assert found["metric"] == metric
    # A file can be retargeted again and again.
    run("retarget n.zerone --metric error -o back.zerone")
    assert np.array_equal(load_model("back.zerone").coef_, model.retarget("error").coef_)


def test_another_positive_class(run, model):
    shown = run("retarget m.zerone --metric f1 --positive no -o n.zerone")
    assert "positive class" in shown.stdout
    assert "held-out F1" in shown.stdout
    twin = model.set_params(positive="no").retarget("f1")
    assert np.array_equal(load_model("n.zerone").coef_, twin.coef_)
    # It stays that of the file.
    run("retarget n.zerone --metric fbeta --beta 2 -o o.zerone")
    assert load_model("o.zerone").positive == "no"


def test_several_classes(run, table):
    fitted = ZeroOneClassifier().fit_table(table, target="job", columns=["age", "pay"])
    fitted.save("m.zerone")
    run("retarget m.zerone --metric balanced_error -o n.zerone")
    twin = fitted.retarget("balanced_error")
    assert np.array_equal(load_model("n.zerone").coef_, twin.coef_)
    shown = run("retarget m.zerone --metric precision --min-recall 0.5 -o o.zerone", code=2)
    assert "--metric: 'precision' is for two classes" in shown.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--metric f2 -o n.zerone", "--metric: got 'f2', expected one of"),
        ("--metric f1 --beta 2 -o n.zerone", "'f1' takes no parameter 'beta'"),
        ("--metric f1 --positive 1 -o n.zerone", "--positive: got '1', which does not occur"),
        ("--metric f1 -o m.zerone", "--output: 'm.zerone' is the input file; name another"),
        ("--metric f1 -o m.zerone --force", "--output: 'm.zerone' is the input file"),
        ("--metric f1 -o a/n.zerone", "--output: there is no folder"),
    ],
)
def test_what_is_refused(options, words, run, model, tmp_path):
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    shown = run(f"retarget m.zerone {options}", code=2)
    assert words in shown.stderr
    assert len(shown.stderr.splitlines()) == 1
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_models_without_held_out_scores(run, table):
    ZeroOneClassifier(refine=None).fit_table(table, target="late").save("m.zerone")
    shown = run("retarget m.zerone --metric f1 -o n.zerone", code=2)
    assert "held-out scores for every pair of classes" in shown.stderr
    assert "fit again with another --metric" in shown.stderr
