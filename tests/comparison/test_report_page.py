"""The parts of a report: charts, intervals, the explorer's data, telling rows, commands."""

import json
import math
import re
import shlex
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.datasets import load_iris

from zerone import ZeroOneClassifier
from zerone._uncertainty.intervals import wilson_interval
from zerone.comparison import Recipe, compare_table, comparison_report, evaluation_report, verdict
from zerone.comparison._charts import (
    normal_charts,
    rivals_roc,
    score_charts,
    weights_chart,
)
from zerone.comparison._contestants import Contestant
from zerone.comparison._explorer import add_explorer, as_json
from zerone.comparison._explorer_data import explorer_data, measured_rows
from zerone.comparison._page import Page
from zerone.comparison._references import MajorityClass
from zerone.comparison._sections import best_cells
from zerone.comparison._svg import shortened, ticks
from zerone.comparison._telling_rows import telling_rows

OURS = (
    Contestant("ZeroOneClassifier", ZeroOneClassifier, role="ours"),
    Contestant("majority", MajorityClass, role="majority"),
)
ODD = "</script><b>&\x00"


def two_classes(rng, n_rows=300):
    X = rng.normal(size=(n_rows, 3))
    y = np.where(X[:, 0] + rng.normal(size=n_rows) > 0, "up", "down")
    return pd.DataFrame(X, columns=list("abc")).assign(y=y)


def report_of(source, target="y", **options):
    given = {"target": target, "contestants": OURS, "time_limit": math.inf, "folds": 2}
    found = compare_table(source, **given | options)
    return comparison_report(found, verdict(found), title="t")


def charts_of(page):
    found = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    for own in found:
        ElementTree.fromstring(own)
    return found


class TestCharts:
    def test_every_chart_is_well_formed(self, rng):
        is_positive = rng.random(80) < 0.4
        scores = rng.normal(size=80) + is_positive
        shares = 1 / (1 + np.exp(-scores))
        pictures = [
            *score_charts(is_positive, scores, shares, ODD, "some rows"),
            *normal_charts(is_positive, scores, (ODD, "other"), "some rows"),
            weights_chart(rng.normal(size=30), [ODD] * 30, (ODD, "other"), "per unit"),
            rivals_roc({ODD: np.array([[0.0, 1.0]])}, np.array([0.0, 1.0]), ODD, "rows"),
        ]
        page = Page("t", "", "")
        page.pictures(pictures)
        html = page.to_html()
        assert len(charts_of(html)) > len(pictures)
        assert "<b>" not in html
        assert html.count("</script>") == 1

    def test_long_curves_are_thinned(self, rng):
        is_positive, scores = rng.random(20_000) < 0.5, rng.normal(size=20_000)
        pictures = score_charts(is_positive, scores, rng.random(20_000), "a", "rows")
        assert all(len(own.drawing) < 20_000 for own in pictures)

    def test_scores_without_any_spread(self):
        is_positive = np.arange(10) < 4
        scores = np.where(is_positive, 1.0, -1.0)
        assert normal_charts(is_positive, scores, ("a", "b"), "rows") == []
        pictures = score_charts(is_positive, -np.ones(10), np.full(10, 0.4), "a", "rows")
        assert "No row is predicted positive" in pictures[1].caption

    @pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.2, 5), (0, 1e-6), (2, 2), (1e5, 3e5)])
    def test_ticks_are_round_and_few(self, low, high):
        found = ticks(low, high)
        assert 1 <= len(found) <= 7
        assert all(low - 1e-9 <= value <= high + 1e-9 for value, _ in found)

    def test_shortened(self):
        assert shortened("abc", 3) == "abc"
        assert shortened("abcd", 3) == "ab…"


class TestIntervals:
    @pytest.mark.parametrize(("part", "of"), [(0, 5), (5, 5), (3, 7), (250, 1000)])
    def test_wilson(self, part, of):
        expected = binomtest(part, of).proportion_ci(method="wilson")
        low, high = wilson_interval(np.array([part / of]), np.array([of]))
        np.testing.assert_allclose([low[0], high[0]], [expected.low, expected.high], atol=1e-12)

    def test_no_rows(self):
        low, high = wilson_interval(np.array([0.0]), np.array([0]))
        assert (low[0], high[0]) == (0.0, 1.0)


def test_the_best_of_every_column():
    values = [[0.9, 0.2, np.nan], [0.8, 0.1, np.nan], [0.90001, 0.3, np.nan]]
    assert best_cells(values, [False, True, True]) == {(0, 0), (2, 0), (1, 1)}


class TestExplorer:
    def test_its_data_are_the_held_out_scores(self, rng):
        table = two_classes(rng)
        model = ZeroOneClassifier().fit_table(table, target="y")
        data = explorer_data(model)
        first = data["directions"][0]
        assert (data["positive"], data["negative"]) == ("up", "down")
        assert sum(data["counts"]) == 300
        assert len(first["missed"]) == len(first["alarms"]) == len(first["thresholds"]) + 2
        error = data["priors"][0] * first["missed"][data["fitted"]]
        error += data["priors"][1] * first["alarms"][data["fitted"]]
        # The fitted rule has a threshold for each split, the kept scores one for all.
        assert error == pytest.approx(model.held_out_error_, abs=0.03)
        threshold = first["thresholds"][data["fitted"] - 1]
        intercept = first["at_zero"] - data["sign"] * threshold * first["scale"]
        # The next threshold between two rows.
        assert intercept == pytest.approx(model.intercept_[0], abs=0.01)
        assert len(data["sql"]) == len(data["directions"])
        assert set(data["weights"]["names"]) == {"a", "b", "c"}
        place = data["weights"]["names"].index("a")
        deviation = float(table["a"].std(ddof=0))
        weight = data["weights"]["directions"][0][place]
        assert weight == pytest.approx(model.coef_[0, 0] * deviation, rel=1e-6)

    @pytest.mark.parametrize(
        ("metric", "parameters", "ratio", "limit"),
        [
            ("error", None, 1, None),
            ("cost", {"false_negative_cost": 5, "false_positive_cost": 2}, 2.5, None),
            ("true_positive_rate", {"max_false_positive_rate": 0.1}, 100, 0.1),
        ],
    )
    def test_it_starts_where_the_metric_is(self, metric, parameters, ratio, limit, rng):
        model = ZeroOneClassifier(metric=metric, metric_params=parameters)
        data = explorer_data(model.fit_table(two_classes(rng), target="y"))
        assert data["start"] == {"ratio": ratio, "limit": limit}

    def test_without_held_out_scores_there_is_none(self, rng):
        page = Page("t", "", "")
        model = ZeroOneClassifier(refine=None).fit_table(two_classes(rng), target="y")
        assert not add_explorer(page, model, Recipe(None, "", ""))
        X, y = load_iris(return_X_y=True)
        assert explorer_data(ZeroOneClassifier().fit(X, y)) is None
        assert page.parts == []

    def test_features_without_names_have_no_sql(self, rng):
        table = two_classes(rng)
        model = ZeroOneClassifier().fit(table[list("abc")].to_numpy(), table["y"])
        assert explorer_data(model)["sql"] is None

    @pytest.mark.parametrize(
        ("weights", "sizes", "n_features", "rows"),
        [
            ((300.0, 500.0), (300.0, 500.0), 10, (300, 500)),
            # Of many rows some are held out; none of them stands for others.
            ((4e4, 4e4), (1e5, 2e5), 10, (40_000, 40_000)),
            ((2e3, 1.6e4), (2e3, 1.6e4), 2**10, (2_000, 6_192)),
        ],
    )
    def test_intervals_count_the_rows_of_a_sample(self, weights, sizes, n_features, rows):
        assert measured_rows(weights, sizes, n_features) == rows

    def test_json_cannot_end_its_element(self):
        written = as_json({"label": ODD})
        assert "<" not in written
        assert json.loads(written) == {"label": ODD}


class TestReports:
    def test_labels_and_columns_are_escaped(self, rng):
        table = two_classes(rng).rename(columns={"a": "</script><b>1", "b": '"><img src=x>'})
        table["y"] = table["y"].map({"up": "</script><b>2", "down": "<i>3"})
        page = report_of(table)
        assert page.count("</script>") == page.count("<script")
        for markup in ("<b>", "<i>", "<img"):
            assert markup not in page
        charts_of(page)

    def test_several_classes(self):
        frame = load_iris(as_frame=True).frame
        page = report_of(frame, "target")
        assert "ROC curves of each class against all others" in page
        assert "Weights of the classes" in page
        assert page.count("% to ") >= 6
        assert len(page) < 100_000
        charts_of(page)

    def test_rows_without_names(self, rng, tmp_path):
        lines = [
            f"{own % 2} 1:{own % 2 + rng.normal():.4f} 3:{rng.normal():.4f}" for own in range(80)
        ]
        (tmp_path / "t.svm").write_text("\n".join(lines))
        page = report_of(str(tmp_path / "t.svm"), None)
        assert "feature 0 = " in page
        assert "Choose a rule" in page

    def test_a_rule_that_answers_always_the_same(self, rng):
        table = two_classes(rng).assign(y=np.where(np.arange(300) % 30 == 0, "rare", "usual"))
        page = report_of(table)
        assert "Choose a rule" in page
        assert len(page) < 1_000_000
        charts_of(page)

    def test_few_rows(self, rng):
        charts_of(report_of(two_classes(rng, 12).assign(y=["a", "b"] * 6)))

    def test_charts_are_of_the_positive_class(self, rng):
        page = report_of(two_classes(rng), metric="f1", positive="down")
        assert "recall of class down" in page
        assert "recall of class up" not in page

    def test_no_explorer_where_a_class_is_left_out(self, rng):
        table = two_classes(rng)
        table.loc[0, "y"] = "rare"
        with pytest.warns(UserWarning, match="left out"):
            page = report_of(table)
        assert 'id="explorer"' not in page
        assert "Model card" in page

    def test_the_card_tells_how(self, rng):
        page = report_of(two_classes(rng), metric="cost", metric_params={"false_negative_cost": 3})
        fit = (
            "zerone fit TABLE --target y --metric cost --false-negative-cost 3 "
            "--false-positive-cost 1 --positive up --output model.zerone"
        )
        assert fit in page
        for word in ("scikit-learn", "numpy", "Python", "Limits", "Uncertainty"):
            assert word in page

    def test_an_evaluation_of_several_classes(self):
        X, y = load_iris(return_X_y=True)
        model = ZeroOneClassifier().fit(X, y)
        given = model.decision_function(X), model.predict_proba(X), y
        page = evaluation_report(model, {"accuracy": 1.0}, *given, title="t")
        assert "Weights of the classes" in page
        charts_of(page)


def test_telling_rows_are_errors_first(rng):
    table = two_classes(rng)
    X, y = table[list("abc")].to_numpy(), table["y"].to_numpy()
    model = ZeroOneClassifier().fit(X, y)
    chosen, n_errors = telling_rows(model, X, y)
    scores, predicted = np.abs(model.decision_function(X)), model.predict(X)
    assert (len(chosen), n_errors) == (10, 5)
    assert len(set(chosen.tolist())) == 10
    assert (predicted[chosen[:5]] != y[chosen[:5]]).all()
    assert scores[chosen[:5]].min() >= np.sort(scores[predicted != y])[-5]
    assert scores[chosen[5:]].max() <= np.sort(scores)[5 + n_errors]


def test_commands_of_a_comparison_in_python(rng):
    found = compare_table(
        two_classes(rng).rename(columns={"y": "the label"}),
        target="the label", contestants=OURS, time_limit=math.inf, folds=2,
    )  # fmt: skip
    words = shlex.split(Recipe.of_comparison(found).fit)
    assert words == ["zerone", "fit", "TABLE", "--target", "the label", "--output", "model.zerone"]
