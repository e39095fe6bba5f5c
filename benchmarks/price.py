"""The price of a default fit: CPU time beside one untuned logistic regression, and quality."""

import pickle
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.adapters import (
    BY_NAME,
    DEFAULT,
    LDA_LSQR,
    LDA_SVD,
    LOGISTIC,
    NAIVE_BAYES,
    NEWTON,
    RIDGE,
    ZERONE,
)
from benchmarks.data import Split
from benchmarks.fits import scores_of
from benchmarks.price_lines import PriceLine, chosen_lines
from benchmarks.race import FULL_ROUNDS, Contestant, race
from benchmarks.records import Case, Row, Settings
from paper.datasets.load import DataNotAvailableError
from zerone import AUCClassifier

DEFAULT_AUC = "AUCClassifier()"
PEERS = (LDA_LSQR, LDA_SVD, RIDGE, NAIVE_BAYES, NEWTON)
"""Rivals with a closed form, or nearly so: what ``refine=None`` is compared with."""

PREDICTED_ROWS = 3_000
# From so many rows times classes on a few rounds are enough: long fits vary little.
_MUCH_WORK = 200_000
_FEW_ROUNDS = 3
# Rounds of fits that are shorter than this would be noise.
_SHORTEST_ROUND = 0.05
_PREDICTIONS = 5


def price_section(settings: Settings) -> Iterator[Row]:
    """Yield CPU time and quality of every classifier on every line."""
    for line in chosen_lines(settings.lines, quick=settings.quick):
        try:
            split = line.split(settings.data_dir)
        except DataNotAvailableError as error:
            case = Case("price", line.title, settings.threads)
            yield case.row("all", note=f"skipped: {error}")
            continue
        case = Case("price", line.title, settings.threads, *split.X.shape)
        rounds = settings.repeats or FULL_ROUNDS
        if len(split.X) * len(np.unique(split.y)) >= _MUCH_WORK:
            rounds = min(rounds, _FEW_ROUNDS)
        score = partial(_scored, split, line)
        contestants = _contestants(split)
        yield from race(case, contestants, score, clock=time.process_time, rounds=rounds)


def _contestants(split: Split) -> list[Contestant]:
    makes: dict[str, Callable[[], Any]] = {
        name: partial(BY_NAME[name].make, 1) for name in (LOGISTIC, DEFAULT, ZERONE, *PEERS)
    }
    if len(np.unique(split.y)) == 2:
        makes[DEFAULT_AUC] = partial(AUCClassifier, n_jobs=1)

    def fit(make: Callable[[], Any]) -> Any:
        return make().fit(split.X, split.y)

    began = time.process_time()
    fit(makes[ZERONE])
    # All contestants get the same number, so that their rounds can be compared.
    repetitions = max(1, round(_SHORTEST_ROUND / max(time.process_time() - began, 1e-6)))
    return [
        Contestant(name, partial(fit, make), name not in PEERS, min(repetitions, 20))
        for name, make in makes.items()
    ]


def _scored(split: Split, line: PriceLine, model: Any) -> dict[str, float]:
    found = {"accuracy": float((model.predict(split.X_test) == split.y_test).mean())}
    if len(model.classes_) == 2:
        found["auc"] = float(roc_auc_score(split.y_test, scores_of(model, split.X_test)))
    if line.has_many_classes:
        found["predict_seconds"] = _predict_seconds(model, split)
        found["pickle_kilobytes"] = len(pickle.dumps(model)) / 1024
    return found


def _predict_seconds(model: Any, split: Split) -> float:
    rows = np.resize(split.X_test, (PREDICTED_ROWS, split.X_test.shape[1]))
    model.predict(rows)
    times = []
    for _ in range(_PREDICTIONS):
        began = time.process_time()
        model.predict(rows)
        times.append(time.process_time() - began)
    return statistics.median(times)
