"""Run tasks in worker processes with one BLAS thread each; store results as they come."""

import functools
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from paper.datasets.artificial import make_artificial
from paper.datasets.load import load
from paper.datasets.scaling import scale_to_unit
from paper.methods import Record, measure_rule, train_and_measure
from paper.metric_rivals import run_metric_rivals_task
from paper.metrics import METRIC_RIVALS, METRICS, run_metric_task
from paper.plan import Task
from paper.rivals import RIVALS, run_rival_task
from paper.store import Store
from zerone import Frontier
from zerone._typing import FloatArray
from zerone.objectives import ExpectedError, RankingLoss
from zerone.solvers import LBFGS

# Features of the artificial sets in a quick run.
_QUICK_FEATURES = 50


def run_tasks(
    tasks: Iterable[Task],
    store: Store,
    *,
    data_dir: str | None,
    folder: str | None = None,
    quick: bool,
    n_jobs: int,
    progress: Callable[[Task], None],
) -> None:
    """Run the tasks whose results are not in the store yet."""
    pending = [task for task in tasks if task.key not in store]
    if not pending:
        return
    with ProcessPoolExecutor(max_workers=n_jobs, initializer=_one_thread) as pool:
        futures = {
            pool.submit(run_task, task, data_dir=data_dir, folder=folder, quick=quick): task
            for task in pending
        }
        for future in as_completed(futures):
            store.add(futures[future].key, future.result())
            progress(futures[future])


def run_task(task: Task, *, data_dir: str | None, folder: str | None = None, quick: bool) -> Record:
    """Return the record of one task: a list of folds, or one artificial draw."""
    if task.kind.startswith(RIVALS):
        return run_rival_task(task, data_dir, folder)
    if task.kind == METRICS:
        return run_metric_task(task, data_dir)
    if task.kind == METRIC_RIVALS:
        return run_metric_rivals_task(task, data_dir)
    if task.kind == "artificial":
        return {"folds": [_artificial(task, quick)]}
    X, y = _scaled_set(task.name, data_dir)
    splits = StratifiedKFold(n_splits=5, shuffle=True, random_state=task.repeat).split(X, y)
    folds = [
        train_and_measure(
            task.method, task.name, 5 * task.repeat + fold, X[train], y[train], X[test], y[test]
        )
        for fold, (train, test) in enumerate(splits)
    ]
    return {"folds": folds}


def _artificial(task: Task, quick: bool) -> Record:
    n_features = _QUICK_FEATURES if quick else None
    drawn = make_artificial(task.name, random_state=task.repeat, n_features=n_features)
    if not task.method.endswith("-true-moments"):
        return train_and_measure(
            task.method, task.name, task.repeat,
            drawn.X_train, drawn.y_train, drawn.X_test, drawn.y_test,
        )  # fmt: skip
    pair = drawn.moments.pair(1.0, -1.0)
    objective: Any = ExpectedError(pair) if task.method.startswith("error") else RankingLoss(pair)
    began = time.perf_counter()
    result = LBFGS(scale_penalty=0.0).solve(objective)
    seconds = time.perf_counter() - began
    best = Frontier(pair).best("error" if task.method.startswith("error") else "auc")
    record = measure_rule(result.coef, result.intercept, drawn.X_test, drawn.y_test)
    exact = measure_rule(best.coef, best.intercept, drawn.X_test, drawn.y_test)
    return {
        **record,
        "solve_s": seconds,
        "n_iter": result.n_iter,
        "exact_accuracy": exact["accuracy"],
        "exact_auc": exact["auc"],
    }


@functools.lru_cache(maxsize=1)
def _scaled_set(name: str, data_dir: str | None) -> tuple[Any, FloatArray]:
    X, y = load(name, data_dir=data_dir, download=False)
    return scale_to_unit(X), np.asarray(y)


def _one_thread() -> None:
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)  # without a context it lasts as long as the worker
