"""Rivals tuned for a metric: logistic regression and LDA, each fitted once for all metrics.

They choose as scikit-learn's LogisticRegressionCV and TunedThresholdClassifierCV would, from the
same held-out scores: C by the mean metric over three folds, then the threshold on these folds.
"""

import functools
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_curve
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from paper.metrics import BoolArray, Fold, Measure, fold_of, tiny_fold
from paper.plan import Task
from zerone._typing import AnyArray, FloatArray, IntArray

LOGISTIC, JOINT, LDA = "logistic", "logistic-joint", "lda"

# As in `zerone.comparison`.
_PENALTIES = np.logspace(-4, 4, 8)
_MOST_ITERATIONS = 1000
_TUNING_FOLDS = 3
# As in TunedThresholdClassifierCV.
_THRESHOLDS = 100


@dataclass(frozen=True)
class Candidate:
    """A model of which one may be chosen.

    Attributes
    ----------
    held_out : list of ndarray
        Decision values of the held-out rows of each tuning fold.
    test : ndarray
        Decision values of the test rows, by the model of all training rows.
    seconds : float
        Of the fit to all training rows.
    """

    held_out: list[FloatArray]
    test: FloatArray
    seconds: float


@dataclass(frozen=True)
class Threshold:
    """A tuned threshold of the decision values, and the mean goodness that it has."""

    value: float
    goodness: float
    is_probability: bool = False

    def predicted(self, decision: FloatArray) -> BoolArray:
        """Return which rows are predicted positive."""
        scores = expit(decision) if self.is_probability else decision
        return np.asarray(scores >= self.value)


def run_metric_rivals_task(task: Task, data_dir: str | None) -> dict[str, Any]:
    """Return values and seconds of the rivals on one fold, for every metric."""
    _warm_up()
    fold = fold_of(task, data_dir)
    return {"methods": _rivals(fold), **fold.size}


@functools.cache
def _warm_up() -> None:
    _rivals(tiny_fold())


def _rivals(fold: Fold) -> dict[str, Any]:
    X, X_test, seconds = _standardised(fold)
    folds = list(StratifiedKFold(_TUNING_FOLDS).split(X, fold.y))
    positives = [fold.y[held] == np.unique(fold.y)[-1] for _, held in folds]
    records: dict[str, Any] = {LOGISTIC: {}, JOINT: {}, LDA: {}}
    paths = {LOGISTIC: _logistic_path, LDA: _lda_path}
    if sp.issparse(X):
        del records[LDA], paths[LDA]
    for rival, path in paths.items():
        with warnings.catch_warnings():
            # They warn when they reach the limit of iterations, and of collinear features.
            warnings.simplefilter("ignore")
            candidates, tuning = candidates_of(path, X, fold.y, X_test, folds)
        for measure in fold.measures:
            chosen = {rival: best_candidate}
            if rival == LOGISTIC and measure.of_counts is not None:
                chosen[JOINT] = _best_with_threshold
            for name, choose in chosen.items():
                began = time.perf_counter()
                best = candidates[choose(measure, positives, candidates)]
                threshold = tuned_threshold(measure, positives, best.held_out)
                choosing = time.perf_counter() - began
                predicted = threshold.predicted(best.test)
                records[name][measure.name] = {
                    **measure.record(fold.positive_test, best.test, predicted),
                    "seconds": seconds + tuning + choosing + best.seconds,
                }
    return records


def _standardised(fold: Fold) -> tuple[Any, Any, float]:
    began = time.perf_counter()
    if sp.issparse(fold.X):
        return fold.X, fold.X_test, 0.0
    scaler = StandardScaler().fit(fold.X)
    X = scaler.transform(fold.X)
    return X, scaler.transform(fold.X_test), time.perf_counter() - began


def _logistic_path(X: Any, y: AnyArray) -> Iterator[Any]:
    """Yield the same model for every C, each fit started from the one before."""
    model = LogisticRegression(max_iter=_MOST_ITERATIONS, warm_start=True)
    for penalty in _PENALTIES:
        yield model.set_params(C=penalty).fit(X, y)


def _lda_path(X: Any, y: AnyArray) -> Iterator[Any]:
    yield LinearDiscriminantAnalysis().fit(X, y)


def candidates_of(
    path: Any, X: Any, y: AnyArray, X_test: Any, folds: Sequence[tuple[IntArray, IntArray]]
) -> tuple[list[Candidate], float]:
    """Return all models of a path, and the seconds of the fits to the tuning folds."""
    began = time.perf_counter()
    held_out = [
        [model.decision_function(X[held]) for model in path(X[train], y[train])]
        for train, held in folds
    ]
    tuning = time.perf_counter() - began
    candidates = []
    began = time.perf_counter()
    for number, model in enumerate(path(X, y)):
        seconds = time.perf_counter() - began
        decisions = [of_fold[number] for of_fold in held_out]
        candidates.append(Candidate(decisions, model.decision_function(X_test), seconds))
        began = time.perf_counter()
    return candidates, tuning


def best_candidate(
    measure: Measure, positives: Sequence[BoolArray], candidates: Sequence[Candidate]
) -> int:
    """Return the candidate that LogisticRegressionCV would choose: thresholds are not tuned yet."""
    totals = [
        sum(
            measure.goodness(measure.value(positive, decision, decision > 0))
            for positive, decision in zip(positives, candidate.held_out, strict=True)
        )
        for candidate in candidates
    ]
    return int(np.argmax(totals))


def _best_with_threshold(
    measure: Measure, positives: Sequence[BoolArray], candidates: Sequence[Candidate]
) -> int:
    """Return the candidate that is best with its own tuned threshold."""
    return int(
        np.argmax([tuned_threshold(measure, positives, c.held_out).goodness for c in candidates])
    )


def tuned_threshold(
    measure: Measure, positives: Sequence[BoolArray], held_out: Sequence[FloatArray]
) -> Threshold:
    """Return the threshold that is best on the held-out rows.

    For metrics of predictions it is that of TunedThresholdClassifierCV. For a given false-positive
    rate it has the highest true-positive rate among those that keep the rate on all held-out rows.
    """
    if measure.limit is not None:
        false_rate, true_rate, thresholds = roc_curve(
            np.concatenate(positives), np.concatenate(held_out), drop_intermediate=False
        )
        best = np.argmax(np.where(false_rate <= measure.limit, true_rate, -1.0))
        return Threshold(float(thresholds[best]), float(true_rate[best]))
    if measure.of_counts is None:
        return Threshold(0.0, np.nan)
    curves = []
    for positive, decision in zip(positives, held_out, strict=True):
        scores = expit(decision)
        thresholds = np.linspace(scores.min(), scores.max(), _THRESHOLDS)
        n_true, n_false = (
            len(own) - np.searchsorted(np.sort(own), thresholds)
            for own in (scores[positive], scores[~positive])
        )
        found = measure.of_counts(n_true, n_false, positive.sum(), (~positive).sum())
        curves.append((thresholds, measure.goodness(found)))
    common = np.linspace(
        min(thresholds[0] for thresholds, _ in curves),
        max(thresholds[-1] for thresholds, _ in curves),
        _THRESHOLDS,
    )
    mean = np.mean([np.interp(common, *curve) for curve in curves], axis=0)
    best = np.argmax(mean)
    return Threshold(float(common[best]), float(mean[best]), is_probability=True)
