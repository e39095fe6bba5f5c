"""Training for a metric: what is measured, and rivals that are tuned as scikit-learn tunes them."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import balanced_accuracy_score, f1_score, make_scorer, roc_auc_score
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV

from paper.metric_rivals import (
    _PENALTIES,
    JOINT,
    LDA,
    LOGISTIC,
    _lda_path,
    _logistic_path,
    _rivals,
    best_candidate,
    candidates_of,
    tuned_threshold,
)
from paper.metric_tables import metric_tables
from paper.metrics import (
    MEASURES,
    METRIC_RIVALS,
    METRICS,
    _classifiers,
    fold_of,
    metric_tasks,
    tiny_fold,
)
from paper.store import Store

MEASURE = {measure.name: measure for measure in MEASURES}


def cost_per_row(y, predicted):
    return np.mean(10 * ((y == 1) & (predicted == 0)) + ((y == 0) & (predicted == 1)))


SCORERS = {
    "f1": "f1",
    "balanced_error": "balanced_accuracy",
    "cost": make_scorer(cost_per_row, greater_is_better=False),
    "partial_auc": make_scorer(roc_auc_score, max_fpr=0.05, response_method="decision_function"),
    "average_precision": "average_precision",
}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    y = (np.arange(400) % 4 == 0).astype(int)
    X = rng.standard_normal((400, 12)) + 0.5 * y[:, None] * (np.arange(12) < 4)
    folds = list(StratifiedKFold(3).split(X, y))
    return X, y, folds, [y[held] == 1 for _, held in folds]


def test_values_are_those_of_scikit_learn(rng):
    y = rng.integers(0, 2, 500)
    decision = y + rng.standard_normal(500)
    predicted = decision > 0.3
    expected = {
        "f1": f1_score(y, predicted),
        "balanced_error": 1 - balanced_accuracy_score(y, predicted),
        "cost": cost_per_row(y, predicted),
        "partial_auc": roc_auc_score(y, decision, max_fpr=0.05),
    }
    for name, value in expected.items():
        assert MEASURE[name].value(y == 1, decision, predicted) == pytest.approx(value)


def test_the_true_positive_rate_is_that_at_exactly_the_limit():
    decision = np.concatenate([np.arange(1000.0), [989.5, 994.5, 2.5, 999.5]])
    positive = np.arange(1004) >= 1000
    record = MEASURE["tpr1"].record(positive, decision, decision >= 980)
    assert record == {"value": 0.75, "false_positive_rate": 0.02}


def test_no_predicted_positive_is_an_f1_of_zero():
    positive = np.array([True, False])
    assert MEASURE["f1"].value(positive, np.zeros(2), np.zeros(2, dtype=bool)) == 0.0


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", SCORERS)
def test_the_penalty_is_that_of_logistic_regression_cv(name, rows):
    X, y, folds, positives = rows
    candidates, _ = candidates_of(_logistic_path, X, y, X, folds)
    expected = LogisticRegressionCV(Cs=8, cv=folds, max_iter=1000, scoring=SCORERS[name])
    expected.fit(X, y)
    chosen = best_candidate(MEASURE[name], positives, candidates)
    assert _PENALTIES[chosen] == pytest.approx(np.ravel(expected.C_)[0])
    own = candidates[chosen].test
    np.testing.assert_allclose(own, expected.decision_function(X), atol=0.02)


@pytest.mark.parametrize("path", [_logistic_path, _lda_path])
@pytest.mark.parametrize("name", ["f1", "balanced_error", "cost"])
def test_the_threshold_is_that_of_tuned_threshold_classifier_cv(name, path, rows):
    X, y, folds, positives = rows
    candidates, _ = candidates_of(path, X, y, X, folds)
    own = tuned_threshold(MEASURE[name], positives, candidates[0].held_out)
    model = LogisticRegression(C=_PENALTIES[0], max_iter=1000)
    if path is _lda_path:
        model = next(_lda_path(X, y))
    expected = TunedThresholdClassifierCV(model, scoring=SCORERS[name], cv=folds).fit(X, y)
    assert own.value == pytest.approx(expected.best_threshold_, rel=1e-6)
    assert MEASURE[name].goodness(1.0) * own.goodness == pytest.approx(
        MEASURE[name].goodness(1.0)
        * (expected.best_score_ - (1.0 if name == "balanced_error" else 0.0)),
        rel=1e-6,
    )
    assert np.array_equal(own.predicted(candidates[0].test), expected.predict(X) == 1)


def test_the_threshold_for_a_rate_keeps_the_rate_on_held_out_rows():
    decision = np.arange(1000.0)
    positive = np.isin(decision, [995, 991, 988, 10])
    threshold = tuned_threshold(MEASURE["tpr1"], [positive], [decision])
    assert threshold.value == 988.0
    assert threshold.goodness == 0.75
    later = tuned_threshold(
        MEASURE["tpr1"], [positive[:500], positive[500:]], [decision[:500], decision[500:]]
    )
    assert later == threshold


def test_rivals_have_a_record_of_every_metric():
    records = _rivals(tiny_fold())
    assert set(records[LOGISTIC]) == set(records[LDA]) == set(MEASURE)
    assert set(records[JOINT]) == {"f1", "balanced_error", "cost"}
    assert records[LOGISTIC]["f1"]["value"] > 0.5
    assert set(records[LDA]["tpr5"]) == {"value", "false_positive_rate", "seconds"}


def test_zerone_has_a_record_of_every_metric():
    records = _classifiers(tiny_fold())
    assert set(records["ours"]) == set(records["retarget"]) == set(MEASURE)
    assert records["ours"]["f1"]["value"] > 0.5
    assert set(records["retarget"]["tpr5"]) == {"value", "false_positive_rate", "seconds"}
    assert records["default"]["seconds"] > 0


def test_both_sides_get_the_same_rows(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30_000, 2)), np.where(np.arange(30_000) % 10 == 0, 1, -1)
    monkeypatch.setattr("paper.metrics._rows", lambda name, data_dir: (X, y))
    ours, theirs = (
        fold_of(list(metric_tasks(kind, ["magic04"], quick=False))[7], None)
        for kind in (METRICS, METRIC_RIVALS)
    )
    assert ours.X.shape == (20_000, 2)
    assert np.array_equal(ours.X, theirs.X)
    assert np.array_equal(ours.X_test, theirs.X_test)
    assert (ours.y == 1).sum() == 2_000
    assert ours.measures == MEASURES


def test_few_negative_rows_have_no_rates(monkeypatch):
    X, y = np.zeros((3000, 1)), np.arange(3000) % 6
    monkeypatch.setattr("paper.metrics._rows", lambda name, data_dir: (X, np.minimum(y, 1)))
    fold = fold_of(next(metric_tasks(METRICS, ["magic04"], quick=True)), None)
    assert [measure.name for measure in fold.measures] == [
        "f1", "balanced_error", "cost", "partial_auc", "average_precision",
    ]  # fmt: skip


def test_every_registered_set_has_ten_folds():
    names = [task.name for task in metric_tasks(METRICS, None, quick=False)]
    assert names.count("magic04") == names.count("covtype") == 10
    assert len(list(metric_tasks(METRICS, ["mnist"], quick=True))) == 5
    keys = {task.key for kind in (METRICS, METRIC_RIVALS)
            for task in metric_tasks(kind, ["mnist"], quick=True)}  # fmt: skip
    assert len(keys) == 10


@pytest.fixture
def tables(tmp_path):
    """Tables of magic04, where F1 is won, cost is lost, and nothing else is measured."""
    store = Store(tmp_path / "results.jsonl")
    tasks = [task for kind in (METRICS, METRIC_RIVALS)
             for task in metric_tasks(kind, ["magic04"], quick=True)]  # fmt: skip
    noise = {f"fold{fold}": 0.01 * (fold % 2) for fold in range(5)}
    # A stopped run has a record of one side only; records come in any order.
    for task in [*tasks[:5], *reversed(tasks[6:])]:
        is_ours = task.kind == METRICS
        seconds = {"seconds": 2.0 if is_ours else 6.0}
        values = {
            "f1": {"value": 0.8 + noise[task.method] - 0.1 * (not is_ours), **seconds},
            "cost": {"value": 0.5 + 2 * is_ours + noise[task.method], **seconds},
            "tpr1": {"value": 0.7, "false_positive_rate": 0.02, **seconds},
        }
        ours = {"ours": values, "retarget": values, "default": {"seconds": 1.0}}
        theirs = {LOGISTIC: values, JOINT: {"f1": values["f1"]}}
        store.add(task.key, {"methods": ours if is_ours else theirs, "rows": 10, "features": 2})
    return {table.name: table for table in metric_tables(store, tasks, missing=["rcv1"])}


def test_values_are_marked_where_they_differ(tables):
    assert set(tables) == {"metrics-f1", "metrics-cost", "metrics-tpr1", "metrics-verdicts"}
    f1 = tables["metrics-f1"].rows
    assert f1[0][:2] == ["rcv1", "data not available"]
    assert f1[1][:3] == ["magic04", "10", "2"]
    assert f1[1][4].startswith("**0.70")
    assert "(+" in f1[1][4]
    assert f1[1][6:] == ["sparse", f"{f1[1][3]} (+0.0)"]
    assert {len(row) for row in f1} == {len(tables["metrics-f1"].columns)}
    assert "(-" in tables["metrics-cost"].rows[1][4]
    assert tables["metrics-tpr1"].rows[1][3] == "0.7000 at 0.020"


def test_wins_ties_and_losses_are_counted(tables):
    verdicts = {(row[0], row[1]): row[2:] for row in tables["metrics-verdicts"].rows}
    assert verdicts["F1", "LogisticRegressionCV"] == ["1", "1", "0", "0", "0", "", "2.00", "6.00"]
    cost = verdicts[MEASURE["cost"].title, "LogisticRegressionCV"]
    assert cost[:5] == ["1", "0", "0", "1", "1"]
    assert cost[5].startswith("magic04 (-")
    assert verdicts["all metrics", "LogisticRegressionCV"][:5] == ["3", "1", "1", "1", "1"]
    assert verdicts["all metrics", "all of them"][0] == "7"
