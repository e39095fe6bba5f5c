"""`zerone inspect`: the coefficients of a model."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from zerone import Moments, ZeroOneClassifier, load_model
from zerone._moments.shrinkage import total_variances


@pytest.fixture
def model(table, run):
    fitted = ZeroOneClassifier().fit_table(table, target="late")
    fitted.save("m.zerone")
    return fitted


def test_json_has_all_coefficients(run, model):
    found = json.loads(run("inspect m.zerone --json").stdout)
    (pair,) = found["pairs"]
    assert (pair["negative"], pair["positive"]) == ("no", "yes")
    assert pair["intercept"] == model.intercept_[0]
    own = {row["feature"]: row for row in pair["coefficients"]}
    names = model.encoding_.feature_names
    assert_allclose([own[name]["coefficient"] for name in names], model.coef_[0])
    spread = np.sqrt(total_variances(list(model.moments_.values())))
    scaled = [own[name]["per_standard_deviation"] for name in names]
    assert_allclose(scaled, model.coef_[0] * spread)
    sizes = [abs(row["per_standard_deviation"]) for row in pair["coefficients"]]
    assert sizes == sorted(sizes, reverse=True)


def test_the_largest_are_printed(run, model):
    pair = json.loads(run("inspect m.zerone --json").stdout)["pairs"][0]
    names = [row["feature"] for row in pair["coefficients"]]
    assert len(names) > 10

    def shown(options=""):
        return run(f"inspect m.zerone{options}").stdout.partition("per standard deviation")[2]

    assert all(name in shown() for name in names[:10])
    assert names[10] not in shown()
    assert "The 10 features of 11 that count most" in shown()
    assert "A positive coefficient speaks for yes, a negative for no." in shown()
    assert all(name in shown(" --all") for name in names)
    assert "that count most" not in shown(" --all")
    assert names[1] in shown(" --top 2")
    assert names[2] not in shown(" --top 2")
    assert "intercept" in shown(" --top 1")
    assert shown(" --top 99") == shown(" --all")


def test_several_classes(run, table):
    fitted = ZeroOneClassifier(refine=None).fit_table(table, target="job")
    fitted.save("m.zerone")
    shown = " ".join(run("inspect m.zerone").stdout.split())
    assert "one rule for each of the 10 pairs of classes" in shown
    assert "baker, cook" in shown
    pairs = json.loads(run("inspect m.zerone --json").stdout)["pairs"]
    assert len(pairs) == 10
    assert_allclose([pair["intercept"] for pair in pairs], fitted.intercept_)


def test_features_without_names(run, rng):
    X = rng.normal(size=(60, 3))
    ZeroOneClassifier(refine=None).fit(X, X[:, 0] > 0).save("m.zerone")
    assert "feature 2" in run("inspect m.zerone").stdout


def test_without_standard_deviations(run, rng):
    # Of wide data only a projection is kept.
    X = rng.normal(size=(30, 1200))
    ZeroOneClassifier(refine=None).fit(X, X[:, 0] > 0).save("m.zerone")
    shown = run("inspect m.zerone --top 3").stdout
    assert "per standard deviation" not in shown
    found = json.loads(run("inspect m.zerone --json").stdout)["pairs"][0]["coefficients"]
    assert len(found) == 1200
    assert found[0]["per_standard_deviation"] is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("m.zerone --top 0", "--top: got 0, expected at least 1"),
        ("m.zerone --top 3 --all", "--top: 3 is not all; leave out this option or --all"),
        ("m.npz --all", "--all: is for models, not for moments files; leave it out"),
        ("m.npz --top 3", "--top: is for models"),
        ("t.csv", "is neither a model nor a moments file"),
        ("none.zerone", "there is no file"),
    ],
)
def test_what_is_refused(options, words, run, model, table):
    Moments.from_table(table, target="late").save("m.npz")
    table.to_csv("t.csv", index=False)
    assert words in run(f"inspect {options}", code=2).stderr


def test_a_column_that_bends_is_one_line(run):
    rng = np.random.default_rng(0)
    size, rate = rng.normal(size=(2, 600))
    late = np.where(np.abs(size) + 0.3 * rate + 0.2 * rng.normal(size=600) > 0.8, "yes", "no")
    pd.DataFrame({"size": size, "rate": rate, "late": late}).to_csv("t.csv", index=False)
    run("fit t.csv -t late -o m.zerone --shapes auto")
    found = json.loads(run("inspect m.zerone --json").stdout)
    read = {own["column"]: own for own in found["columns"]}
    assert "bent at 8 values" in read["size"]["read_as"]
    coefficients = {own["feature"]: own["coefficient"] for own in found["pairs"][0]["coefficients"]}
    lines = run("inspect m.zerone").stdout.splitlines()
    summed, slopes = (own for own in lines if own.startswith("size") and "numbers" not in own)
    deviation = load_model("m.zerone").explain(pd.read_csv("t.csv")).contributions[:, 0].std()
    assert summed.split() == ["size", "bends", f"±{deviation:.4g}"]
    assert slopes.count("up to") == 8
    above = next(own for own in coefficients if own.startswith("size above"))
    assert f"{coefficients[above]:.3g} above" in slopes
    assert "features of" not in "".join(lines)


@pytest.mark.parametrize("shapes", ["None", "curves"])
def test_shapes_that_there_are_not(run, table, shapes):
    shown = run(f"fit train.csv -t late -o new.zerone --shapes {shapes}", code=2)
    assert f"--shapes: got '{shapes}', expected one of none, auto, bends" in shown.stderr
