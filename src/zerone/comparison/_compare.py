"""Every contestant on every fold of a table."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold

from zerone._data.labelled import labelled_table
from zerone._data.readers.source import START
from zerone._data.sample import encoded_rows
from zerone._moments.moments import Moments
from zerone._typing import AnyArray, FloatArray
from zerone.comparison._contestants import CONTESTANTS, Contestant

# How many numbers the rows that are compared on may have: 64 MB.
_MOST_VALUES = 2**23


@dataclass(frozen=True, eq=False)
class Comparison:
    """What every contestant made of every fold.

    Attributes
    ----------
    measures : dict name -> dict measure -> ndarray of shape (n_splits,)
        Of ``accuracy``, ``balanced error``, ``seconds`` and, for two classes, ``AUC``. A contestant
        that failed is not among them.
    failures : dict name -> str
    moments : Moments
        Of all rows of the table.
    X, y : ndarray
        Features and labels of the rows that were compared on.
    is_sample : bool
        Whether these are not all.
    folds : int
        Of the cross-validation.
    """

    measures: dict[str, dict[str, FloatArray]]
    failures: dict[str, str]
    moments: Moments
    X: FloatArray
    y: AnyArray
    is_sample: bool
    folds: int

    @property
    def n_rows(self) -> int:
        """Rows that were compared on."""
        return len(self.y)

    def mean(self, name: str, measure: str) -> float:
        """Return the mean of a measure over the splits."""
        return float(self.measures[name][measure].mean())


def compare_table(
    source: Any,
    *,
    target: str | None,
    folds: int = 5,
    repeats: int = 1,
    contestants: Sequence[Contestant] = CONTESTANTS,
    random_state: int = 0,
    progress: Callable[[int, int, str], None] | None = None,
    **options: Any,
) -> Comparison:
    """Cross-validate zerone and rivals on a table.

    Parameters
    ----------
    source, target : as in `zerone.Moments.from_table`
    folds, repeats : int
        Of the stratified cross-validation.
    contestants : sequence of Contestant
    random_state : int, default=0
        Deals the folds; of large tables also the sample of rows.
    progress : callable, optional
        Called with fits done, fits in all, and what comes next.
    **options
        How columns are read, as in `zerone.Moments.from_table`. What missing numbers count as is
        learned from all rows. Rows have no weights here: not every rival takes them.
    """
    if options.get("weight") is not None:
        raise ValueError("weight: classifiers are compared on rows without weights; leave it out")
    moments = Moments.from_table(source, target=target, **options)
    if len(moments) < 2:
        raise ValueError(f"target: column {target!r} has only one class, {next(iter(moments))!r}")
    rarest = min(own.weight for own in moments.values())
    if rarest < folds:
        label = next(label for label, own in moments.items() if own.weight == rarest)
        raise ValueError(
            f"target: class {label!r} has {rarest:g} rows, too few for {folds} folds; use fewer "
            "folds, or leave the class out"
        )
    X, y = _rows(source, target, moments, random_state, options)
    chosen = [c for c in contestants if len(moments) == 2 or not c.needs_two_classes]
    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=random_state)
    found: dict[str, list[dict[str, float]]] = {c.name: [] for c in chosen}
    failures: dict[str, str] = {}
    total, done = folds * repeats * len(chosen), 0
    for train, test in splitter.split(X, y):
        for contestant in chosen:
            if progress is not None:
                progress(done, total, contestant.name)
            done += 1
            if contestant.name in failures:
                continue
            try:
                found[contestant.name].append(_measured(contestant, X, y, train, test))
            except (ValueError, np.linalg.LinAlgError) as error:
                failures[contestant.name] = str(error).partition("\n")[0]
    measures = {
        name: {measure: np.array([own[measure] for own in splits]) for measure in splits[0]}
        for name, splits in found.items()
        if name not in failures
    }
    is_sample = len(y) < round(moments.weight)
    return Comparison(measures, failures, moments, X, y, is_sample, folds)


def _rows(
    source: Any, target: str | None, moments: Moments, random_state: int, options: dict[str, Any]
) -> tuple[FloatArray, AnyArray]:
    """Return the features and labels of a table, of a large one those of some rows."""
    most = max(1, _MOST_VALUES // moments.n_features)
    share = min(1.0, most / max(moments.weight, 1.0))
    random = np.random.RandomState(random_state)
    table = labelled_table(source, target=target, **options)
    rows, labels = [], []
    for part in table.parts(START, moments.encoding):
        codes = part.batch.codes
        taken = np.flatnonzero((random.random_sample(len(codes)) < share) & (codes >= 0))
        rows.append(encoded_rows(part, taken, moments.encoding, moments.n_features))
        labels.append(part.batch.classes[codes[taken]])
    return np.concatenate(rows), np.concatenate(labels)


def _measured(
    contestant: Contestant, X: FloatArray, y: AnyArray, train: AnyArray, test: AnyArray
) -> dict[str, float]:
    estimator = contestant.make()
    with warnings.catch_warnings():
        # Rivals that run out of iterations, or classes rarer than the tuning folds.
        warnings.simplefilter("ignore")
        began = time.perf_counter()
        estimator.fit(X[train], y[train])
        seconds = time.perf_counter() - began
        predicted = estimator.predict(X[test])
        measures = {
            "accuracy": float((predicted == y[test]).mean()),
            "balanced error": 1 - float(balanced_accuracy_score(y[test], predicted)),
            "seconds": seconds,
        }
        if len(estimator.classes_) == 2:
            is_second = y[test] == estimator.classes_[1]
            scores = estimator.decision_function(X[test])
            measures["AUC"] = float(roc_auc_score(is_second, scores))
    return measures
