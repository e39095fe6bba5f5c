"""Whole fits beside those of scikit-learn, with what they are worth on held-out rows."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

from benchmarks import adapters
from benchmarks.adapters import Adapter, FitMetric
from benchmarks.data import Split, gaussian_split, real_split
from benchmarks.race import Contestant, race
from benchmarks.records import Case, Row, Settings, shape_name
from paper.datasets.load import DataNotAvailableError

# The slowest of those that are required; one thread tells enough.
_ONE_THREAD = (adapters.LDA_SVD, adapters.HINGE)


@dataclass(frozen=True)
class FitCase:
    """A problem to fit.

    Attributes
    ----------
    split : callable
        Folder of data sets -> rows.
    only : tuple of str
        The contestants, all of them with all rounds; empty for everyone who can.
    left_out : mapping name -> reason
    repetitions : int
        Fits per round.
    """

    name: str
    split: Callable[[str], Split]
    target: FitMetric = "error"
    only: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    repetitions: int = 1


def _drawn(n: int, d: int, repetitions: int = 1) -> FitCase:
    return FitCase(shape_name(n, d), lambda _: gaussian_split(n, d), repetitions=repetitions)


def _ranking(name: str) -> FitCase:
    return FitCase(f"{name}, AUC", partial(real_split, name), target="auc")


_SMALL_CASES = (
    _drawn(500, 10, repetitions=20),
    FitCase("w8a, sparse", partial(real_split, "w8a", as_sparse=True)),
    _ranking("a9a"),
    _ranking("ijcnn1"),
)
_QUICK_CASES = (_drawn(20_000, 20), *_SMALL_CASES)
_CASES = (
    _drawn(1_000_000, 20),
    _drawn(200_000, 100),
    FitCase("covtype", partial(real_split, "covtype")),
    FitCase(
        "mnist",
        partial(real_split, "mnist"),
        left_out=dict.fromkeys(
            (adapters.LINEAR_SVC, adapters.NEWTON, adapters.SGD, adapters.LDA_SVD),
            "one fit takes longer than 5 s",
        ),
    ),
    *_SMALL_CASES,
    FitCase(
        "imdb",
        partial(real_split, "imdb"),
        only=(adapters.ZERONE, adapters.LOGISTIC, adapters.LINEAR_SVC),
    ),
    _ranking("w8a"),
)


def fits_section(settings: Settings) -> Iterator[Row]:
    """Yield time, accuracy and AUC of every classifier that can fit a case."""
    for fit_case in _QUICK_CASES if settings.quick else _CASES:
        try:
            split = fit_case.split(settings.data_dir)
        except DataNotAvailableError as error:
            case = Case("fits", fit_case.name, settings.threads)
            yield case.row("all", note=f"skipped: {error}")
            continue
        case = Case("fits", fit_case.name, settings.threads, *split.X.shape)
        contestants = []
        for adapter in adapters.ADAPTERS:
            if not _takes_part(adapter, fit_case, split, settings):
                continue
            reason = _reason_against(adapter, fit_case, settings)
            if reason:
                yield case.row(adapter.name, note=f"left out: {reason}")
            else:
                contestants.append(_contestant(adapter, fit_case, split, settings.threads))
        yield from race(case, contestants, partial(_scored, split, fit_case.target))


def _takes_part(adapter: Adapter, case: FitCase, split: Split, settings: Settings) -> bool:
    if settings.only_ours and not adapter.is_ours:
        return False
    if case.only:
        return adapter.name in case.only
    return (
        case.target in adapter.targets
        and (adapter.takes_sparse or not sp.issparse(split.X))
        and (settings.threads == 1 or (adapter.is_required and adapter.name not in _ONE_THREAD))
    )


def _reason_against(adapter: Adapter, case: FitCase, settings: Settings) -> str:
    if adapter.is_ours and settings.threads > 1 and not adapters.reads_with_workers():
        return "this zerone reads rows with one thread"
    return case.left_out.get(adapter.name, "")


def _contestant(adapter: Adapter, case: FitCase, split: Split, threads: int) -> Contestant:
    return Contestant(
        adapter.name,
        lambda: adapter.make(threads).fit(split.X, split.y),
        required=adapter.is_required or bool(case.only),
        repetitions=case.repetitions,
    )


def _scored(split: Split, target: FitMetric, model: Any) -> dict[str, float]:
    figures = {"auc": float(roc_auc_score(split.y_test, scores_of(model, split.X_test)))}
    # A ranking has no threshold, so its accuracy would mean nothing.
    if target == "error":
        figures["accuracy"] = float((model.predict(split.X_test) == split.y_test).mean())
    return figures


def scores_of(model: Any, X: Any) -> Any:
    """Return what a classifier of two classes ranks rows by."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    # Naive Bayes; its probabilities are too often exactly 0 or 1 to rank by.
    return np.diff(model.predict_joint_log_proba(X), axis=1)[:, 0]
