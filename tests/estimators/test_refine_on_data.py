"""Refinement on the benchmark sets: invariances, and what it must and must not do."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from paper.datasets.load import load
from zerone import AUCClassifier, ZeroOneClassifier

pytestmark = pytest.mark.data
CLASSIFIERS = [ZeroOneClassifier, AUCClassifier]
OVERLAPPING = [
    "fourclass", "svmguide1", "diabetes", "svmguide3", "german", "satimage", "sonar", "magic04",
    "ijcnn1", "a9a", "poker",
]  # fmt: skip
NEARLY_SEPARABLE = ["vowel", "segment", "letter", "shuttle", "colon-cancer"]


def rows_of(folder, name, most=5000):
    X, y = load(name, data_dir=folder, download=False)
    if len(y) > most:
        X, _, y, _ = train_test_split(X, y, train_size=most, stratify=y, random_state=0)
    return X, y


def splits(folds):
    return [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(5)]


def changed_fits(cls, X, y, rng):
    """Yield pairs of (scores, model) that should agree, the first of each pair the plain fit."""
    folds = np.empty(len(y), dtype=int)
    for k, (_, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)):
        folds[test] = k
    plain = cls(cv=splits(folds)).fit(X, y)
    expected = plain.decision_function(X)
    order = rng.permutation(len(y))
    columns = rng.permutation(X.shape[1])
    units, shift = np.exp(rng.uniform(-3, 3, X.shape[1])), rng.standard_normal(X.shape[1])
    moved = units * X + shift
    permuted = cls(cv=splits(folds[order])).fit(X[order], y[order])
    yield expected, plain, permuted.decision_function(X), permuted
    exchanged = cls(cv=splits(folds)).fit(X[:, columns], y)
    yield expected, plain, exchanged.decision_function(X[:, columns]), exchanged
    rescaled = cls(cv=splits(folds)).fit(moved, y)
    yield expected, plain, rescaled.decision_function(moved), rescaled
    swapped = cls(cv=splits(folds)).fit(X, -y)
    yield expected, plain, -swapped.decision_function(X), swapped
    weights = rng.integers(1, 3, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    weighted = cls(cv=splits(folds)).fit(X, y, sample_weight=weights)
    twice = cls(cv=splits(folds[repeated])).fit(X[repeated], y[repeated])
    yield weighted.decision_function(X), weighted, twice.decision_function(X), twice


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("name", OVERLAPPING)
def test_order_units_names_and_repetition_do_not_matter(data_folder, name, cls, rng):
    X, y = rows_of(data_folder, name)
    for number, (expected, _, found, _) in enumerate(changed_fits(cls, X, y, rng)):
        tolerance = 1e-7 if number == 4 else 1e-6
        assert np.abs(found - expected).max() <= tolerance * expected.std()


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("name", NEARLY_SEPARABLE)
def test_where_almost_nothing_is_wrong_at_least_the_loss_agrees(data_folder, name, cls, rng):
    X, y = rows_of(data_folder, name)
    for _, plain, _, changed in changed_fits(cls, X, y, rng):
        if cls is ZeroOneClassifier:
            a, b, n = plain.held_out_error_, changed.held_out_error_, len(y)
        else:
            a, b = 1 - plain.held_out_auc_, 1 - changed.held_out_auc_
            n = min((y > 0).sum(), (y < 0).sum())
        assert abs(a - b) <= np.sqrt(max(a * (1 - a), 1 / n) / n)


@pytest.mark.parametrize("name", ["poker", "satimage"])
def test_hardly_below_the_majority_where_nothing_is_better(data_folder, name):
    X, y = load(name, data_dir=data_folder, download=False)
    differences = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        majority = max((y[test] > 0).mean(), (y[test] < 0).mean())
        score = ZeroOneClassifier().fit(X[train], y[train]).score(X[test], y[test])
        differences.append(score - majority)
    assert np.mean(differences) >= -0.001
    assert min(differences) >= -0.004


@pytest.mark.parametrize("name", ["magic04", "ijcnn1", "shuttle", "letter", "covtype"])
def test_beyond_logistic_regression(data_folder, name):
    X, y = rows_of(data_folder, name, most=40_000)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    rival = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X, y)
    assert ZeroOneClassifier().fit(X, y).score(X_test, y_test) > rival.score(X_test, y_test)
    ranking = AUCClassifier().fit(X, y)
    assert roc_auc_score(y_test, ranking.decision_function(X_test)) > roc_auc_score(
        y_test, rival.decision_function(X_test)
    )
