"""Training for a metric: parameters, the positive class, several classes, what is told."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from tests.helpers import assert_same_classifier, gaussian_rows

from zerone import AUCClassifier, Frontier, Moments, ZeroOneClassifier, load_model
from zerone.metrics import METRICS

PARAMETERS = {
    "fbeta": {"beta": 2.0},
    "cost": {"false_negative_cost": 5.0},
    "true_positive_rate": {"max_false_positive_rate": 0.1},
    "false_positive_rate": {"min_true_positive_rate": 0.9},
    "precision": {"min_recall": 0.6},
    "recall": {"min_precision": 0.6},
    "partial_auc": {"max_fpr": 0.1},
    "precision_at_k": {"k": 0.1},
}
KINDS = {
    name: AUCClassifier if metric.is_ranking else ZeroOneClassifier
    for name, metric in METRICS.items()
}
LEVELS = ("auto", "frontier", None)


def classifier(name, **parameters):
    return KINDS[name](metric=name, metric_params=PARAMETERS.get(name), **parameters)


def skewed_rows(seed, n=800, share=0.2):
    """Rows of two classes, not normal, with a rarer positive class."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    X = rng.exponential(1.0, (n, 4)) * (1 + 0.8 * y[:, None]) + 0.5 * rng.standard_normal((n, 4))
    return X, y


@pytest.mark.parametrize("refine", LEVELS)
@pytest.mark.parametrize("name", METRICS)
def test_the_other_positive_class_is_the_same_as_other_labels(name, refine):
    X, y = skewed_rows(1, 300)
    # The folds of zerone's own depend on which class is first.
    given = {"refine": refine, "cv": list(StratifiedKFold(4).split(X, y))}
    turned = classifier(name, positive="a", **given).fit(X, np.where(y == 1, "a", "b"))
    plain = classifier(name, **given).fit(X, np.where(y == 1, "b", "a"))
    assert turned.classes_.tolist() == ["a", "b"]
    if METRICS[name].needs_positive:
        assert_allclose(turned.decision_function(X), -plain.decision_function(X), atol=1e-6)
        assert_array_equal(turned.predict(X) == "a", plain.predict(X) == "b")
        assert turned.held_out_metric_ == pytest.approx(plain.held_out_metric_, nan_ok=True)
        assert turned.expected_metric_ == pytest.approx(plain.expected_metric_)
        assert "positive class 'a'" in turned.status_
        assert "positive class 'b'" in plain.status_
    else:
        same = classifier(name, **given).fit(X, np.where(y == 1, "a", "b"))
        assert_array_equal(turned.decision_function(X), same.decision_function(X))


@pytest.mark.parametrize("name", METRICS)
def test_parameters_survive_clone_and_files(name, tmp_path):
    X, y = skewed_rows(2, 200)
    model = classifier(name, positive=0).fit(X, y)
    assert clone(model).get_params() == model.get_params()
    model.save(tmp_path / "model.zerone")
    loaded = load_model(tmp_path / "model.zerone")
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    assert loaded.status_ == model.status_
    assert loaded.held_out_metric_ == model.held_out_metric_
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("name", METRICS)
def test_without_rows_it_is_the_rule_of_the_frontier(name):
    X, y = skewed_rows(3)
    moments = Moments.from_data(X, y)
    model = classifier(name, refine=None, shrinkage=None).fit(X, y)
    expected = Frontier(moments).best(name, **PARAMETERS.get(name, {}))
    assert_allclose(model.coef_[0], expected.coef, rtol=1e-5, atol=1e-8)
    assert model.intercept_[0] == pytest.approx(expected.intercept, rel=1e-5)
    for twin in (
        classifier(name, shrinkage=None).fit_moments(moments),
        classifier(name, shrinkage=None).partial_fit(X[:300], y[:300], classes=[0, 1]).partial_fit(
            X[300:], y[300:]
        ),
        KINDS[name](refine=None, shrinkage=None).fit(X, y).retarget(
            name, **PARAMETERS.get(name, {})
        ),
    ):  # fmt: skip
        assert_same_classifier(twin, model, 1e-6)
    assert np.isnan(model.held_out_metric_)


def reported(name, model, X, y):
    """The metric on rows."""
    scores, found = model.decision_function(X), model.predict(X) == 1
    missed, wrong = 1 - found[y == 1].mean(), found[y == 0].mean()
    share = y.mean()
    right = share * (1 - missed)
    return {
        "error": lambda: share * missed + (1 - share) * wrong,
        "balanced_error": lambda: (missed + wrong) / 2,
        "f1": lambda: f1_score(y, found),
        "fbeta": lambda: 5 * right / (5 * right + 4 * share * missed + (1 - share) * wrong),
        "cost": lambda: 5 * share * missed + (1 - share) * wrong,
        "true_positive_rate": lambda: 1 - missed,
        "false_positive_rate": lambda: wrong,
        "precision": lambda: right / (right + (1 - share) * wrong),
        "recall": lambda: 1 - missed,
        "auc": lambda: roc_auc_score(y, scores),
        "partial_auc": lambda: roc_auc_score(y, scores, max_fpr=0.1),
        "average_precision": lambda: average_precision_score(y, scores),
        "precision_at_k": lambda: y[np.argsort(-scores)[: len(y) // 10]].mean(),
    }[name]()


@pytest.mark.parametrize("name", METRICS)
def test_held_out_rows_measure_what_new_rows_show(name):
    X, y = skewed_rows(4, 4000)
    model = classifier(name).fit(X, y)
    shown = reported(name, model, *skewed_rows(5, 40_000))
    # About 800 positive rows: one standard error is .01 to .02.
    assert model.held_out_metric_ == pytest.approx(shown, abs=0.05)


@pytest.mark.parametrize(
    ("name", "limited", "bound"),
    [("true_positive_rate", "false_positive_rate", 0.1),
     ("false_positive_rate", "true_positive_rate", 0.9),
     ("precision", "true_positive_rate", 0.6),
     ("recall", "precision", 0.6)],
)  # fmt: skip
def test_limits_are_kept_on_new_rows(name, limited, bound):
    model = classifier(name).fit(*skewed_rows(6, 4000))
    X, y = skewed_rows(7, 40_000)
    found = model.predict(X) == 1
    shown = {
        "false_positive_rate": found[y == 0].mean(),
        "true_positive_rate": found[y == 1].mean(),
        "precision": y[found].mean(),
    }[limited]
    assert shown == pytest.approx(bound, abs=0.04)


@pytest.mark.parametrize("name", ["f1", "balanced_error", "cost", "partial_auc"])
def test_a_fit_for_a_metric_is_better_at_it_than_the_default(name):
    X, y = skewed_rows(8, 2000)
    new = skewed_rows(9, 40_000)
    own = reported(name, classifier(name).fit(X, y), *new)
    default = reported(name, KINDS[name]().fit(X, y), *new)
    if name in ("balanced_error", "cost"):
        own, default = -own, -default
    assert own > default


def test_repeated_rows_are_weights():
    X, y = skewed_rows(10, 200)
    counts = np.random.default_rng(0).integers(1, 4, len(y))
    twice = np.repeat(np.arange(len(y)), counts)
    for name in ("f1", "true_positive_rate", "precision", "average_precision", "partial_auc"):
        weighted = classifier(name).fit(X, y, sample_weight=counts)
        repeated = classifier(name).fit(X[twice], y[twice])
        gap = weighted.decision_function(X) - repeated.decision_function(X)
        assert np.abs(gap).max() < 1e-5 * weighted.decision_function(X).std()


def test_the_number_of_rows_k_is_a_share_of_the_rows():
    X, y = skewed_rows(11, 400)
    by_rows = AUCClassifier(metric="precision_at_k", metric_params={"k": 40}).fit(X, y)
    by_share = AUCClassifier(metric="precision_at_k", metric_params={"k": 0.1}).fit(X, y)
    assert_same_classifier(by_rows, by_share)
    assert "k=40" in by_rows.status_


# -- several classes -----------------------------------------------------------------------------


@pytest.mark.parametrize("refine", ["auto", None])
@pytest.mark.parametrize("name", ["error", "balanced_error", "f1", "auc"])
def test_several_classes(name, refine):
    X, y, _ = gaussian_rows(12, n=600, classes=3)
    model = classifier(name, refine=refine).fit(X, y)
    assert model.coef_.shape == (3, 3)
    assert np.shape(model.held_out_metric_) == (3,)
    assert model.score(X, y) > 0.5


def test_macro_f1_favours_rare_classes():
    rng = np.random.default_rng(13)
    y = rng.choice(3, 3000, p=[0.9, 0.06, 0.04])
    X = rng.standard_normal((3000, 4)) + 1.2 * np.eye(4)[y]
    own, default = (model.fit(X, y).predict(X) for model in (classifier("f1"), classifier("error")))
    assert f1_score(y, own, average="macro") > f1_score(y, default, average="macro") + 0.02


@pytest.mark.parametrize("refine", ["auto", None])
def test_a_cost_matrix(refine):
    X, y, _ = gaussian_rows(14, n=900, classes=3)
    costs = np.array([[0.0, 1, 1], [1, 0, 1], [30, 30, 0]])
    model = ZeroOneClassifier(metric="cost", metric_params={"cost_matrix": costs}, refine=refine)
    plain = ZeroOneClassifier(refine=refine).fit(X, y)
    found = clone(model).fit(X, y).predict(X)
    assert costs[y, found].mean() < costs[y, plain.predict(X)].mean()
    two = y < 2
    binary = [[0.0, 1.0], [7.0, 0.0]]
    matrix = ZeroOneClassifier(metric="cost", metric_params={"cost_matrix": binary}, refine=refine)
    numbers = ZeroOneClassifier(
        metric="cost", metric_params={"false_negative_cost": 7}, refine=refine
    )
    assert_same_classifier(matrix.fit(X[two], y[two]), numbers.fit(X[two], y[two]))


# -- in scikit-learn -----------------------------------------------------------------------------


def test_score_stays_accuracy_and_metrics_can_be_searched():
    X, y = skewed_rows(15, 300)
    model = classifier("f1").fit(X, y)
    assert model.score(X, y) == pytest.approx((model.predict(X) == y).mean())
    search = GridSearchCV(ZeroOneClassifier(), {"metric": ["error", "f1"]}, scoring="f1", cv=3).fit(
        X, y
    )
    assert search.best_params_ == {"metric": "f1"}
    assert cross_val_score(classifier("cost"), X, y, cv=3).shape == (3,)


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg"])
def test_other_solvers_minimise_weighted_errors(solver):
    X, y = skewed_rows(16)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for name in ("balanced_error", "cost"):
        exact = classifier(name, refine=None, shrinkage=None).fit(X, y)
        other = classifier(name, solver=solver, shrinkage=None).fit(X, y)
        assert other.expected_metric_ == pytest.approx(exact.expected_metric_, abs=1e-4)


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ZeroOneClassifier(metric="accuracy"), ValueError,
         r"metric: got 'accuracy', expected one of \['error', 'balanced_error', 'f1'"),
        (lambda: ZeroOneClassifier(metric="auc"), ValueError,
         "metric: got 'auc', a metric of AUCClassifier"),
        (lambda: AUCClassifier(metric="f1"), ValueError,
         "metric: got 'f1', a metric of ZeroOneClassifier"),
        (lambda: ZeroOneClassifier(metric="f1", metric_params={"beta": 2}), TypeError,
         "'f1' takes no parameter 'beta'"),
        (lambda: ZeroOneClassifier(metric="f1", metric_params=2), TypeError,
         "metric_params: got int, expected a mapping"),
        (lambda: AUCClassifier(metric="partial_auc", metric_params={"max_fpr": 1.0}), ValueError,
         "max_fpr: got 1.0, expected a rate between 0 and 1, exclusive"),
        (lambda: ZeroOneClassifier(metric="precision", metric_params={"min_recall": 0}), ValueError,
         "min_recall: got 0"),
        (lambda: AUCClassifier(metric="precision_at_k", metric_params={"k": 200}), ValueError,
         "k: got 200, but there are 200 rows; give fewer rows, or a share"),
        (lambda: AUCClassifier(metric="precision_at_k", metric_params={"k": 2.5}), ValueError,
         "k: got 2.5, expected a number of rows, or a share"),
        (lambda: ZeroOneClassifier(metric="f1", positive="bad"), ValueError,
         r"positive: got 'bad', which does not occur; the classes are \[0, 1\]"),
        (lambda: ZeroOneClassifier(metric="f1", solver="lbfgs"), ValueError,
         "metric: 'f1' needs solver='exact' and fit_intercept=True"),
        (lambda: ZeroOneClassifier(metric="cost", metric_params={"cost_matrix": np.eye(2)}),
         ValueError, "cost_matrix: got .* right predictions cost 0"),
        (lambda: ZeroOneClassifier(
            metric="cost", metric_params={"cost_matrix": 1 - np.eye(3)}),
         ValueError, "cost_matrix: has 3 rows, but there are 2 classes"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("refine", ["auto", None])
def test_one_sentence_for_wrong_metrics(make, error, message, refine):
    X, y = skewed_rows(17, 200)
    model = make()
    if getattr(model, "solver", None) == "exact":
        model.set_params(refine=refine)
    with pytest.raises(error, match=message) as raised:
        model.fit(X, y)
    assert "\n" not in str(raised.value)
    assert not hasattr(model, "coef_")


def test_metrics_of_two_classes_refuse_three():
    X, y, _ = gaussian_rows(18, n=90, classes=3)
    for name, parameters in PARAMETERS.items():
        model = KINDS[name](metric=name, metric_params=parameters)
        with pytest.raises(ValueError, match=f"'{name}' is for two classes; with 3 classes"):
            model.fit(X, y)
    with pytest.raises(ValueError, match="positive: got 1, but there are 3 classes"):
        ZeroOneClassifier(metric="f1", positive=1).fit(X, y)


def test_one_class_for_every_row_warns():
    X, y = skewed_rows(19, 200)
    model = ZeroOneClassifier(metric="cost", metric_params={"false_negative_cost": 1000})
    with pytest.warns(UserWarning, match="the same class is predicted for every row"):
        model.fit(X, y)
    assert (model.predict(X) == 1).all()
    assert "always predicting 1" in model.status_
