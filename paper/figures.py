"""The paper's four figures, drawn with matplotlib."""

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from paper.baselines.logistic import LogisticClassifier
from paper.baselines.pairwise_hinge import PairwiseHingeClassifier
from paper.datasets.load import DataNotAvailableError, load
from paper.datasets.scaling import scale_to_unit
from paper.loss_path import LossPathDisplay
from zerone import Frontier, Moments
from zerone._typing import FloatArray
from zerone.inspection import ScoreNormalityDisplay
from zerone.objectives import ExpectedError, RankingLoss, ScalePenalised
from zerone.solvers import run_lbfgs
from zerone.solvers._start import paper_start

NORMALITY_SETS = {"figure1": ("a9a",), "figure2": ("diabetes", "poker", "svmguide3", "segment")}
PATH_SETS = ("colon-cancer", "satimage", "poker", "svmguide3")
_SCALE_PENALTY = 0.001
# The early iterate that is drawn.
_EARLY = 3


def draw_figures(
    data_dir: str | None, sets: Iterable[str] | None, progress: Callable[[str], None]
) -> dict[str, Any]:
    """Return the figures by name, without those that have no data."""
    wanted = None if sets is None else set(sets)
    figures = {}
    for figure, names in NORMALITY_SETS.items():
        for name in names:
            loaded = scaled_set(name, data_dir, wanted)
            if loaded is not None:
                figures[f"{figure}-{name}"] = _normality(name, *loaded)
                progress(f"{figure} {name}")
    for figure, ranks in (("figure3", False), ("figure4", True)):
        for name in PATH_SETS:
            loaded = scaled_set(name, data_dir, wanted)
            if loaded is not None:
                figures[f"{figure}-{name}"] = _loss_paths(name, *loaded, ranks=ranks)
                progress(f"{figure} {name}")
    return figures


def draw_time_against_rows(row_counts: Iterable[int]) -> Any:
    """Return a plot of the time to read moments, to solve, and to fit logistic regression."""
    import matplotlib.pyplot as plt

    counts = list(row_counts)
    rng = np.random.default_rng(0)
    times: dict[str, list[float]] = {"reading moments": [], "exact solver": [], "logistic": []}
    for n in counts:
        y = np.where(rng.random(n) < 0.3, 1.0, -1.0)
        X = rng.standard_normal((n, 20)) + 0.3 * y[:, None]
        began = time.perf_counter()
        moments = Moments.from_data(X, y)
        read = time.perf_counter()
        Frontier(moments).best("error")
        solved = time.perf_counter()
        LogisticClassifier(random_state=0).fit(X, y)
        fitted = time.perf_counter()
        for series, seconds in zip(
            times.values(), (read - began, solved - read, fitted - solved), strict=True
        ):
            series.append(seconds)
    figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    for (label, series), marker in zip(times.items(), "osD", strict=True):
        ax.loglog(counts, series, marker=marker, label=label)
    ax.set(xlabel="rows (20 features)", ylabel="seconds", title="Training time against rows")
    ax.legend(frameon=False)
    return figure


def scaled_set(
    name: str, data_dir: str | None, wanted: Iterable[str] | None
) -> tuple[Any, Any] | None:
    """Return a set scaled as in the paper; None if it is not chosen or not available."""
    if wanted is not None and name not in wanted:
        return None
    try:
        X, y = load(name, data_dir=data_dir, download=False)
    except DataNotAvailableError:
        return None
    return scale_to_unit(X), y


def _iterates(X: Any, y: FloatArray, *, ranks: bool) -> list[FloatArray]:
    """Return the paper's start and every iterate of L-BFGS on the moments of the rows."""
    pair = Moments.from_data(X, y).pair(1.0, -1.0)
    objective = RankingLoss(pair) if ranks else ExpectedError(pair)
    path = [paper_start(objective)]
    run_lbfgs(
        ScalePenalised(objective, _SCALE_PENALTY).value_and_gradient, path[0],
        max_iter=500, tol=1e-4, memory=20, watch=path.append,
    )  # fmt: skip
    return path


def _normality(name: str, X: Any, y: FloatArray) -> Any:
    """Draw the scores at an early and at the last iterate, one row each."""
    import matplotlib.pyplot as plt

    path = _iterates(X, y, ranks=False)
    figure, axes = plt.subplots(2, 3, figsize=(11, 6), layout="constrained")
    for row, (label, rule) in enumerate(
        [
            (f"iterate {min(_EARLY, len(path) - 1)}", path[min(_EARLY, len(path) - 1)]),
            (f"iterate {len(path) - 1}, the last", path[-1]),
        ]
    ):
        scores = X @ rule[:-1] + rule[-1]
        ScoreNormalityDisplay.from_predictions(
            y > 0, scores, labels=("positives", "negatives"), axes=axes[row]
        )
        axes[row][0].set_ylabel(f"{label}\ndensity")
    figure.suptitle(f"{name}: how normal the scores are while F_n01 is minimised")
    return figure


def _loss_paths(name: str, X: Any, y: FloatArray, *, ranks: bool) -> Any:
    """Draw the loss on moments and its rival, each along its own path to its solution."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    path = _iterates(X, y, ranks=ranks)
    LossPathDisplay.from_path(
        X, y, path[0], path[-1], loss="ranking_loss" if ranks else "expected_error", ax=axes[0]
    )
    rival: Any = PairwiseHingeClassifier if ranks else LogisticClassifier
    model = rival(random_state=0).fit(X, y)
    stop = np.append(model.coef_[0], model.intercept_[0])
    LossPathDisplay.from_path(
        X, y, model.start_, stop, loss="hinge" if ranks else "logistic", ax=axes[1]
    )
    figure.suptitle(f"{name}: two smooth losses and the empirical loss, along their own paths")
    return figure
