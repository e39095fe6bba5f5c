"""zerone beside rivals on a table, and the page about it."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from tests.helpers import make_table

from zerone import ZeroOneClassifier
from zerone._uncertainty.delong import delong
from zerone._uncertainty.intervals import Interval
from zerone.comparison import _compare
from zerone.comparison._compare import compare_table
from zerone.comparison._contestants import CONTESTANTS, REFERENCES, RIVALS, Contestant
from zerone.comparison._normality import normality_verdict
from zerone.comparison._report import comparison_report, evaluation_report
from zerone.comparison._verdict import verdict

QUICK = (
    Contestant("ZeroOneClassifier", lambda: ZeroOneClassifier(refine=None), role="ours"),
    Contestant("logistic", lambda: LogisticRegression(max_iter=2000)),
)


class NoScores(DummyClassifier):
    def decision_function(self, X):
        return np.zeros(len(X))


QUICK = (*QUICK, Contestant("majority", NoScores))
# The leaves of trees need twenty rows, whatever these weigh.
COUNTING = [contestant for contestant in CONTESTANTS if contestant.role != "nonlinear"]


@pytest.fixture
def numbers(rng):
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + rng.normal(size=300) > 0
    return pd.DataFrame(X, columns=list("abc")).assign(y=np.where(y, "up", "down"))


def compared(source, **options):
    # In this process, which is quicker; test_time_limit.py has the other one.
    given = {"target": "y", "contestants": QUICK, "time_limit": math.inf}
    return compare_table(source, **given | options)


def test_the_same_as_cross_validation_in_scikit_learn(numbers):
    found = compared(numbers)
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(numbers, numbers["y"]))
    for contestant in QUICK[:2]:
        expected = cross_val_score(
            contestant.make(), numbers[list("abc")].to_numpy(), numbers["y"].to_numpy(), cv=5
        )
        assert abs(found.mean(contestant.name, "accuracy") - expected.mean()) < 0.03
    assert len(splits) == len(found.metrics["logistic"]["accuracy"])
    assert set(found.metrics["logistic"]) == {"accuracy", "balanced error", "seconds", "AUC"}
    assert found.mean("majority", "balanced error") == 0.5
    assert found.n_rows == 300
    assert not found.is_sample


def test_large_tables_are_sampled(numbers, monkeypatch):
    monkeypatch.setattr(_compare, "_MAX_VALUES", 300)
    found = compared(numbers)
    assert found.is_sample
    assert 60 < found.n_rows < 140


class TestSamples:
    """Tables with more numbers than are compared on."""

    @pytest.fixture
    def imbalanced(self, rng, monkeypatch):
        monkeypatch.setattr(_compare, "_MAX_VALUES", 3000)
        rare = np.arange(4000) < 12
        X = rng.normal(size=(4000, 3)) + 1.5 * rare[:, None]
        labels = np.where(rare, "rare", "usual")
        return pd.DataFrame(X, columns=list("abc")).assign(y=labels).sample(frac=1, random_state=0)

    def test_rare_classes_are_kept_whole(self, imbalanced):
        found = compared(imbalanced, contestants=CONTESTANTS)
        assert found.is_sample
        assert not found.failures
        assert (found.rows.y == "rare").sum() == 12
        totals = {
            label: found.rows.weights[found.rows.y == label].sum()
            for label in np.unique(found.rows.y)
        }
        assert totals == pytest.approx({"rare": 12, "usual": 3988})

    def test_weights_count_in_the_metrics(self, imbalanced):
        found = compared(imbalanced)
        assert found.mean("majority", "accuracy") == pytest.approx(3988 / 4000, abs=1e-3)
        page = comparison_report(found, verdict(found), title="a sample")
        assert "a sample of the table" in page

    @pytest.mark.filterwarnings("ignore::FutureWarning")
    @pytest.mark.parametrize("contestant", COUNTING, ids=lambda own: own.name)
    def test_a_weight_is_a_repeated_row(self, contestant, rng):
        X = rng.normal(size=(300, 3))
        y = np.where(X[:, 0] + rng.normal(size=300) > 0.8, "b", "a")
        weights = np.where(y == "a", 3.0, 1.0)
        repeats = weights.astype(int)
        weighted = contestant.fitted(X, y, weights)
        repeated = contestant.fitted(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
        # Folds are dealt by position, so that tuned classifiers may differ a little.
        assert (weighted.predict(X) == repeated.predict(X)).mean() > 0.95

    def test_discriminant_analysis_takes_weights_as_priors(self, rng):
        (lda,) = (own for own in CONTESTANTS if own.name == "LinearDiscriminantAnalysis")
        X = rng.normal(size=(200, 2))
        y = np.where(X[:, 0] > 0.3, 1, 0)
        model = lda.fitted(X, y, np.where(y == 1, 5.0, 1.0))[-1]
        shares = np.array([(y == 0).sum(), 5 * (y == 1).sum()])
        np.testing.assert_allclose(model.priors_, shares / shares.sum())


def test_a_stream_that_can_be_read_only_once_is_refused(numbers):
    import pyarrow as pa

    reader = pa.Table.from_pandas(numbers).to_reader()
    with pytest.raises(ValueError, match="source: can be read only once"):
        compared(reader)


def test_tables_with_everything(rng):
    table = make_table(rng)
    table["pay"] = table["pay"].mask(rng.random(200) < 0.2)
    found = compared(table, target="late", repeats=2)
    split = found.rows.split(np.arange(200) < 50)
    assert split.train.X.shape == (150, found.moments.n_features)
    assert split.test.X.shape == (50, found.moments.n_features)
    assert np.isfinite(split.train.X).all()
    assert np.isfinite(split.test.X).all()
    assert len(found.metrics["logistic"]["AUC"]) == 10


def test_several_classes(rng):
    x = rng.normal(size=240)
    frame = pd.DataFrame({"x": x, "z": rng.normal(size=240), "y": np.digitize(x, [-0.5, 0.5])})
    found = compared(frame, contestants=CONTESTANTS[:2] + QUICK[1:2])
    assert "AUCClassifier" not in found.metrics
    assert "AUC" not in found.metrics["logistic"]
    page = comparison_report(found, verdict(found), title="three classes")
    for words in ("Confusion matrix", "Each class on 60 test rows", "Weights of the classes"):
        assert words in page
    assert "The class with the largest sum is the predicted one for" in page
    assert 'id="explorer"' not in page


def test_contestants_that_fail_are_named(numbers):
    def broken():
        raise ValueError("cannot be\nmade")

    seen = []
    found = compared(
        numbers,
        contestants=(*QUICK, Contestant("broken", broken)),
        progress=lambda *how_far: seen.append(how_far),
    )
    assert found.failures == {"broken": "cannot be"}
    assert "broken" not in found.metrics
    assert seen[0] == (0, 20, "ZeroOneClassifier")
    page = comparison_report(found, verdict(found), title="t")
    assert "broken could not be fitted: cannot be" in page


def test_rivals_by_name(numbers):
    found = compared(numbers, contestants=None, rivals=["LinearDiscriminantAnalysis"])
    assert list(found.metrics) == [
        "ZeroOneClassifier",
        "AUCClassifier",
        "bent ZeroOneClassifier",
        "LinearDiscriminantAnalysis",
    ]
    assert [own.name for own in CONTESTANTS[3:]] == [*RIVALS, *REFERENCES]
    found = compared(numbers, contestants=None, rivals=["MajorityClass"])
    assert found.roles["MajorityClass"] == "majority"
    assert found.mean("MajorityClass", "AUC") == 0.5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"contestants": None, "rivals": ["SVC"]}, "rivals: got 'SVC', expected some of"),
        ({"contestants": None, "rivals": []}, "rivals: got no name"),
        ({"contestants": None, "rivals": "LinearSVC"}, "give a list of names"),
        ({"rivals": ["LinearSVC"]}, "rivals: names rivals of zerone's, but contestants are given"),
        ({"time_limit": 0}, "time_limit: got 0, expected a positive number of seconds"),
        ({"time_limit": "30"}, "time_limit: got '30', expected a positive number"),
        ({"time_limit": float("nan")}, "time_limit: got nan, expected a positive number"),
    ],
)
def test_arguments_that_cannot_be_used(options, words, numbers):
    with pytest.raises(ValueError, match=re.escape(words)):
        compared(numbers, **options)


def test_one_class_is_not_enough(numbers):
    with pytest.raises(ValueError, match="target: column 'y' has only one class, 'a'"):
        compared(numbers.assign(y="a"))


class TestRareClasses:
    @pytest.fixture
    def three(self, numbers):
        return numbers.assign(y=numbers["y"].mask(np.arange(300) < 4, "rare"))

    def test_left_out(self, three):
        with pytest.warns(UserWarning, match=r"class 'rare' \(4 rows\): too few for 5 folds: left"):
            found = compared(three)
        assert found.rare == {"rare": 4}
        assert list(found.moments) == ["down", "up"]
        assert found.n_rows == 296
        assert "AUC" in found.shown
        page = comparison_report(found, verdict(found), title="t")
        assert "Left out: class &#x27;rare&#x27; (4 rows): too few for 5 folds." in page
        alone = compared(three[4:])
        for metric in ("accuracy", "AUC", "balanced error"):
            for name in found.metrics:
                np.testing.assert_array_equal(
                    found.metrics[name][metric], alone.metrics[name][metric]
                )

    def test_enough_for_fewer_folds(self, three):
        found = compared(three, folds=4)
        assert found.rare == {}
        assert len(found.moments) == 3

    def test_one_class_that_remains_is_not_enough(self, numbers):
        table = numbers.assign(y=np.where(np.arange(300) < 2, "b", "a"))
        words = r"target: class 'b' \(2 rows\): too few for 5 folds; two classes with enough rows"
        with pytest.raises(ValueError, match=words):
            compared(table)

    def test_many_are_counted(self, numbers):
        labels = [f"rare {number}" for number in range(5)]
        table = numbers.assign(y=[*labels, *numbers["y"][5:]])
        with pytest.warns(UserWarning, match=r"classes 'rare 0' \(1 row\).* and 2 more: too few"):
            found = compared(table)
        assert len(found.rare) == 5


def test_names_of_contestants_are_different(numbers):
    with pytest.raises(ValueError, match="contestants: two are named 'majority'"):
        compared(numbers, contestants=(*QUICK, QUICK[-1]))


@pytest.mark.parametrize(
    ("predicted", "measured", "words"),
    [(0.10, 0.101, "holds"), (0.10, 0.115, "is close"), (0.10, 0.2, "is off")],
)
def test_words_on_normality(predicted, measured, words):
    assert f"normal approximation {words}" in normality_verdict(predicted, measured, 10_000)


def test_the_page_needs_nothing_else(numbers):
    found = compared(numbers)
    page = comparison_report(found, verdict(found), title="<zerone & rivals>")
    assert "&lt;zerone &amp; rivals&gt;" in page
    assert "<zerone" not in page
    assert not re.findall(r"(?:src|href)=\"(?!data:|#)", page)
    assert "http" not in page
    assert "<img" not in page
    described = re.findall(r'<svg[^>]* role="img"[^>]* aria-label="([^"]*)"', page)
    assert len(described) == 10
    assert all(len(description) > 20 for description in described)
    for words in ("Comparison", "Choose a rule", "normal approximation", "Columns", "Model card"):
        assert words in page


def test_names_that_look_like_formulas_or_markup(numbers):
    odd = numbers.rename(columns={"a": "$x_{$", "b": "<script>alert(1)</script>"})
    odd["y"] = odd["y"].replace({"up": "$x_{$", "down": "[/red]"})
    found = compared(odd)
    page = comparison_report(found, verdict(found), title="t")
    assert "<script>alert" not in page


def test_rows_of_no_class_are_not_drawn(numbers):
    X, y = numbers[list("abc")], numbers["y"].to_numpy(dtype=object)
    model = ZeroOneClassifier().fit(X, y)
    scores, probabilities = model.decision_function(X), model.predict_proba(X)
    y = np.where(np.arange(300) % 5 == 0, "maybe", y)
    kept = y == "down"
    false_positives = f"the false-positive rate is {(scores[kept] > 0).mean():.1%}"
    page = evaluation_report(model, {"accuracy": 0.5}, scores, probabilities, y, title="t")
    assert false_positives in page


def test_the_page_of_an_evaluation(numbers):
    X, y = numbers[list("abc")], numbers["y"].to_numpy()
    model = ZeroOneClassifier().fit(X, y)
    figures = {"rows": 300, "accuracy": model.score(X, y), "recall": {}}
    scores, interval = model.decision_function(X), Interval(0.1234, 0.5678)
    given = scores, model.predict_proba(X), y
    page = evaluation_report(model, figures, *given, title="t", intervals={"accuracy": interval})
    assert f"{figures['accuracy']:.1%} of 300 rows" in page
    assert "0.1234 to 0.5678" in page
    auc = delong(y == "up", scores)
    assert f"AUC {auc.values[0]:.4f} ({auc.interval()})" in page
    assert page.count('role="img"') == 7
