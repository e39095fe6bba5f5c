"""Partial AUC and average precision: zerone beside LibAUC's losses for a linear model.

LibAUC trains `torch.nn.Linear(d, 1)` with its own losses, optimisers and sampler. Tuned are the
step size, the number of epochs and whether the loss sees probabilities (a sigmoid of the scores,
as in LibAUC's own training loop) or the scores, by the metric itself on a stratified fifth of the
training rows; the chosen model is then trained on all training rows. The step size is divided by
ten after half and after three quarters of the epochs, however many they are. Rows and folds are
those of `paper.metrics`, five folds of the first repeat. LibAUC gets standardised features, zerone
the original ones. Seconds are processor time of one core: for LibAUC scaling, tuning and the final
training, for zerone the fit. A positive t is in favour of zerone.

LibAUC asks for many packages that its losses do not use, so leave its dependencies out. A torch
without CUDA is enough. From the folder of this repository:

    python -m venv libauc-venv
    libauc-venv/bin/pip install torch==2.13.0 scikit-learn tqdm
    libauc-venv/bin/pip install --no-deps libauc==2.0.1 .

Run: OMP_NUM_THREADS=1 libauc-venv/bin/python -m evidence.libauc_rivals --data-dir FOLDER
     [--sets magic04,letter]
"""

import argparse
import contextlib
import importlib
import io
import math
import sys
import time
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from paper.metrics import MEASURES, METRICS, Fold, Measure, fold_of, tiny_fold
from paper.plan import Task
from zerone import AUCClassifier
from zerone._typing import AnyArray, FloatArray
from zerone.comparison import corrected_t

SETS = ("magic04", "ijcnn1", "letter", "satimage", "w8a")
FOLDS = 5
MAX_FPR = 0.05

STEP_SIZES = (1e-1, 1e-2, 1e-3)
BATCH = 256
LEAST_EPOCHS, LEAST_STEPS = 30, 2_000
SHORT = 1 / 3
"""Part of these epochs that is tried as well: LibAUC may overfit, or drift away."""
DECAYS = (0.5, 0.75)
"""Parts of the training after which the step size is divided by ten."""
HELD_OUT = 0.2

Make = Callable[[Any, int, int, bool], Any]


@dataclass(frozen=True)
class Loss:
    """A loss of LibAUC and the optimiser that belongs to it.

    Attributes
    ----------
    name : str
    measure : str
        What it is meant for, a name of `paper.metrics`.
    optimiser : str
    make : callable (libauc.losses, rows, positives, whether of probabilities) -> loss
    """

    name: str
    measure: str
    optimiser: str
    make: Make


# Losses of scores are larger than those of probabilities: their exponentials and dual variables
# need another scale. The other parameters have LibAUC's defaults.
LOSSES = (
    Loss(
        "pAUC_DRO_Loss", "partial_auc", "SOPAs",
        lambda own, rows, positives, of_probabilities: own.pAUC_DRO_Loss(
            data_len=rows, Lambda=0.1 if of_probabilities else 1.0
        ),
    ),
    Loss(
        "pAUC_CVaR_Loss", "partial_auc", "SOPA",
        lambda own, rows, positives, of_probabilities: own.pAUC_CVaR_Loss(
            data_len=rows, pos_len=positives, beta=MAX_FPR, eta=0.01 if of_probabilities else 0.1
        ),
    ),
    Loss(
        "APLoss", "average_precision", "SOAP",
        lambda own, rows, positives, of_probabilities: own.APLoss(data_len=rows),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """What is tuned."""

    step_size: float
    of_probabilities: bool
    epochs: int


@dataclass(frozen=True)
class Record:
    """Values of a tuned and trained model, and its seconds.

    Attributes
    ----------
    held_out, test : float
    tuning, final : float
    """

    held_out: float
    test: float
    tuning: float
    final: float


def libauc(part: str) -> Any:
    """Return a module of LibAUC.

    Its sampler imports torchvision to read the labels of folders of images; an empty module does.
    """
    sys.modules.setdefault("torchvision", types.ModuleType("torchvision"))
    return importlib.import_module(f"libauc.{part}")


def sampler_of(y: AnyArray) -> Any:
    """Return LibAUC's sampler, which draws somewhat more positives than there are."""
    rate = 0.5 if y.mean() > 0.2 else 0.2
    return libauc("sampler").DualSampler(None, BATCH, labels=y, sampling_rate=rate, random_seed=0)


def settings_for(y: AnyArray) -> list[Setting]:
    """Return what is tried on some rows, such that there are enough steps."""
    most = max(LEAST_EPOCHS, math.ceil(LEAST_STEPS / int(sampler_of(y).num_batches)))
    lengths = (most, math.ceil(SHORT * most))
    return [Setting(*own) for own in product(STEP_SIZES, (True, False), lengths)]


def trained(loss: Loss, setting: Setting, X: FloatArray, y: AnyArray) -> FloatArray:
    """Return the coefficients."""
    torch: Any = importlib.import_module("torch")
    torch.manual_seed(0)
    model = torch.nn.Linear(X.shape[1], 1)
    of_batch = loss.make(libauc("losses"), len(y), int(y.sum()), setting.of_probabilities)
    make_optimiser = getattr(libauc("optimizers"), loss.optimiser)
    optimiser = make_optimiser(model.parameters(), lr=setting.step_size, mode="adam")
    sampler = sampler_of(y)
    rows, labels = torch.from_numpy(X.astype(np.float32)), torch.from_numpy(y)
    for epoch in range(setting.epochs):
        if epoch in [int(part * setting.epochs) for part in DECAYS]:
            # It prints what it does.
            with contextlib.redirect_stdout(io.StringIO()):
                optimiser.update_lr(decay_factor=10)
        drawn = np.fromiter(sampler, dtype=np.int64).reshape(-1, BATCH)
        for index in torch.from_numpy(drawn):
            scores = model(rows[index])
            seen = torch.sigmoid(scores) if setting.of_probabilities else scores
            value = of_batch(seen, labels[index], index)
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
    return np.asarray(model.weight.detach().numpy(), dtype=np.float64).ravel()


def value_of(measure: Measure, X: FloatArray, y: AnyArray, coef: FloatArray) -> float:
    """Return the metric on some rows, and less than any metric after a numerical overflow."""
    if not np.isfinite(coef).all():
        return -np.inf
    decision = X @ coef
    return measure.value(y == 1, decision, decision > 0)


def tuned(loss: Loss, measure: Measure, fold: Fold) -> Record:
    """Return what LibAUC reaches with a loss."""
    began = time.process_time()
    scaler = StandardScaler().fit(fold.X)
    X, y = scaler.transform(fold.X), (fold.y == np.unique(fold.y)[-1]).astype(np.int64)
    fit, held, y_fit, y_held = train_test_split(
        X, y, test_size=HELD_OUT, stratify=y, random_state=0
    )
    settings = settings_for(y_fit)
    values = [
        value_of(measure, held, y_held, trained(loss, setting, fit, y_fit)) for setting in settings
    ]
    best = settings[int(np.argmax(values))]
    tuning = time.process_time() - began
    began = time.process_time()
    coef = trained(loss, best, X, y)
    final = time.process_time() - began
    test = value_of(measure, scaler.transform(fold.X_test), fold.positive_test.astype(int), coef)
    print(
        f"{loss.name}: {best}, held out {max(values):.4f}, test {test:.4f}",
        file=sys.stderr,
        flush=True,
    )
    return Record(max(values), test, tuning, final)


def ours(measure: Measure, fold: Fold) -> tuple[float, float]:
    """Return the value and the seconds of zerone."""
    model = AUCClassifier(metric=measure.metric, metric_params=dict(measure.parameters) or None)
    began = time.process_time()
    model.fit(fold.X, fold.y)
    seconds = time.process_time() - began
    decision = np.asarray(model.decision_function(fold.X_test), dtype=np.float64)
    return measure.value(fold.positive_test, decision, decision > 0), seconds


def lines(name: str, measure: Measure, data_dir: str | None) -> Iterator[str]:
    """Yield a line of the table for every loss, and one for the better of two losses."""
    folds = [fold_of(Task(METRICS, name, f"fold{k}", 0), data_dir) for k in range(FOLDS)]
    zerone, seconds = np.array([ours(measure, fold) for fold in folds]).T
    columns: dict[str, list[tuple[float, float]]] = {}
    for fold in folds:
        records = {
            loss.name: tuned(loss, measure, fold) for loss in LOSSES if loss.measure == measure.name
        }
        for loss_name, own in records.items():
            columns.setdefault(loss_name, []).append((own.test, own.tuning + own.final))
        if len(records) > 1:
            best = max(records.values(), key=lambda own: own.held_out)
            total = sum(own.tuning for own in records.values()) + best.final
            columns.setdefault("the better one held out", []).append((best.test, total))
    for loss_name, found in columns.items():
        values, rival_seconds = np.array(found).T
        yield (
            f"| {name} | {measure.name} | {loss_name} | {values.mean():.4f} | {zerone.mean():.4f} "
            f"| {corrected_t(zerone, values):+.1f} | {rival_seconds.mean():.1f} "
            f"| {seconds.mean():.2f} | {rival_seconds.mean() / seconds.mean():.0f} |"
        )


def main() -> None:
    """Print a line for every set, metric and loss."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir")
    parser.add_argument("--sets", default=",".join(SETS))
    arguments = parser.parse_args()
    # zerone warns where the best rule is that of one class for every row.
    warnings.simplefilter("ignore")
    measures = [own for own in MEASURES if own.is_ranking]
    for measure in measures:
        ours(measure, tiny_fold())
    print("| set | metric | loss | LibAUC | zerone | t | LibAUC s | zerone s | ratio |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in arguments.sets.split(","):
        for measure in measures:
            for line in lines(name, measure, arguments.data_dir):
                print(line, flush=True)


if __name__ == "__main__":
    main()
