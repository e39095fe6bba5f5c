"""zerone's levels of refinement against tuned rivals, on the same splits."""

import functools
import hashlib
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from paper.baselines.pairwise_hinge import PairwiseHingeClassifier
from paper.datasets.folder import libsvm_files, read_libsvm_file
from paper.datasets.load import load
from paper.datasets.registry import DATA_SETS
from paper.plan import Task
from zerone import AUCClassifier, ZeroOneClassifier
from zerone._typing import AnyArray
from zerone.comparison import contestants

# The largest sets are sampled, stratified; sets that take minutes get one repeat.
_MOST_ROWS = {"covtype": 100_000, "mnist": 20_000}
_ONE_REPEAT = ("a9a", "covtype", "imdb", "w8a", "mnist")
_REPEATS, _FOLDS = 4, 5

RIVALS = "rivals"
"""Kind of the tasks; tasks of a folder add its digest."""

ERROR_LEVELS = ("error-moments", "error-frontier", "error-polish")
AUC_LEVELS = ("auc-moments", "auc-frontier", "auc-polish")
ERROR_RIVALS = ("logistic", "svm", "lda")
AUC_RIVALS = ("logistic-auc", "hinge")


def _tuned(name: str, metric: str = "error") -> Any:
    """Return a rival of `zerone.comparison` without its scaling, which sparse rows do not get."""
    (rival,) = (own for own in contestants(metric) if own.name == name)
    return rival.make()[-1]


METHODS: dict[str, Callable[[], Any]] = {
    "error-moments": lambda: ZeroOneClassifier(refine=None),
    "error-frontier": lambda: ZeroOneClassifier(refine="frontier"),
    "error-polish": lambda: ZeroOneClassifier(),
    "auc-moments": lambda: AUCClassifier(refine=None),
    "auc-frontier": lambda: AUCClassifier(refine="frontier"),
    "auc-polish": lambda: AUCClassifier(),
    "logistic": lambda: _tuned("LogisticRegressionCV"),
    "logistic-auc": lambda: _tuned("LogisticRegressionCV", "auc"),
    "svm": lambda: _tuned("LinearSVC"),
    "lda": LinearDiscriminantAnalysis,
    "hinge": lambda: PairwiseHingeClassifier(random_state=0),
}
"""Rivals get standardised features unless these are sparse; zerone gets the original features."""


def rival_tasks(sets: Iterable[str] | None, folder: str | None, *, quick: bool) -> Iterator[Task]:
    """Yield a task for every fold of every set, small sets first.

    Parameters
    ----------
    sets : iterable of str, optional
        Restricts the sets.
    folder : path, optional
        Folder of LIBSVM files, used in place of the registered sets.
    """
    kind = RIVALS
    if folder is None:
        known = sorted(DATA_SETS.values(), key=lambda s: s.n_rows * min(s.n_features, 200))
        names = [data_set.name for data_set in known]
    else:
        names = list(libsvm_files(folder))
        # Two folders may have files with the same name; their results must stay separate.
        kind += "-" + hashlib.sha256(str(Path(folder).resolve()).encode()).hexdigest()[:8]
    wanted = None if sets is None else set(sets)
    for name in names:
        if wanted is not None and name not in wanted:
            continue
        once = quick or (folder is None and name in _ONE_REPEAT)
        repeats = 1 if once else _REPEATS
        for repeat in range(repeats):
            for fold in range(_FOLDS):
                yield Task(kind, name, f"fold{fold}", repeat)


def run_rival_task(task: Task, data_dir: str | None, folder: str | None) -> dict[str, Any]:
    """Return accuracy, AUC and seconds of every method on one fold."""
    _warm_up()
    X, y = rival_rows(task.name, data_dir, folder)
    splitter = StratifiedKFold(n_splits=_FOLDS, shuffle=True, random_state=task.repeat)
    train, test = list(splitter.split(np.zeros(len(y)), y))[int(task.method[4:])]
    several = len(np.unique(y)) > 2
    records = {
        method: _trained(make(), X[train], y[train], X[test], y[test], several=several)
        for method, make in METHODS.items()
        if not (method == "lda" and sp.issparse(X))
        and not (several and (method.startswith("auc") or method in AUC_RIVALS))
    }
    return {"methods": records, "rows": len(y), "features": int(X.shape[1])}


@functools.cache
def _warm_up() -> None:
    """Train everything once on tiny data, so that no first fit is slowed by imports."""
    X, y = np.random.default_rng(0).standard_normal((60, 2)), np.arange(60) % 2
    for make in METHODS.values():
        _trained(make(), X, y, X, y, several=False)


def rival_rows(name: str, data_dir: str | None, folder: str | None) -> tuple[Any, AnyArray]:
    """Return the rows of a set; for the largest sets a stratified sample."""
    if folder is None:
        X, y = load(name, data_dir=data_dir, download=False)
    else:
        X, y = read_libsvm_file(libsvm_files(folder)[name])
    most = len(y) if folder is not None else _MOST_ROWS.get(name, len(y))
    if most < len(y):
        sampler = StratifiedShuffleSplit(1, train_size=most, random_state=0)
        chosen = np.sort(next(sampler.split(np.zeros(len(y)), y))[0])
        X, y = X[chosen], y[chosen]
    return X, y


def _trained(
    estimator: Any, X: Any, y: AnyArray, X_test: Any, y_test: AnyArray, *, several: bool
) -> dict[str, float]:
    is_ours = isinstance(estimator, ZeroOneClassifier | AUCClassifier)
    if not (is_ours or sp.issparse(X)):
        estimator = make_pipeline(StandardScaler(), estimator)
    with warnings.catch_warnings():
        # Rivals warn when they reach their iteration limit, or if a class is too rare for tuning.
        warnings.simplefilter("ignore")
        began = time.perf_counter()
        estimator.fit(X, y)
        seconds = time.perf_counter() - began
    record = {
        "seconds": seconds,
        "accuracy": float((estimator.predict(X_test) == y_test).mean()),
    }
    if not several:
        record["auc"] = float(roc_auc_score(y_test, estimator.decision_function(X_test)))
    return record
