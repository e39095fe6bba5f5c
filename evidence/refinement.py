"""What each part of the recipe is worth: variants of it against the recipe as it is.

Every variant is trained on the same splits as the default. Printed are the mean difference of
the test accuracy (AUC), how many sets it makes significantly better or worse (corrected t beyond
2), and the median ratio of the training times.

Run: python -m evidence.refinement [--data FOLDER] [--repeats N] [--sets A,B] [--targets error,auc]
     [--variants "A;B"]
"""

import argparse
import contextlib
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

import zerone._refine.candidates as candidates
import zerone._refine.folds as folds
import zerone._refine.held_out as held_out
import zerone._refine.models as models
import zerone._refine.polish as polish
import zerone._refine.recipe as recipe
import zerone._refine.search as search
import zerone.solvers._block_lbfgs as block_lbfgs
from evidence.wide import DATA
from paper.rivals import rival_rows
from zerone import AUCClassifier, ZeroOneClassifier
from zerone.comparison import corrected_t

SETS = (
    "fourclass", "svmguide1", "diabetes", "vowel", "segment", "svmguide3", "german", "satimage",
    "sonar", "colon-cancer", "magic04", "poker", "letter", "ijcnn1", "shuttle", "a9a", "covtype",
)  # fmt: skip


@contextlib.contextmanager
def replaced(*changes: tuple[Any, str, Any]) -> Iterator[None]:
    """Put other values into modules for a while."""
    before = [(place, name, getattr(place, name)) for place, name, _ in changes]
    for place, name, value in changes:
        setattr(place, name, value)
    try:
        yield
    finally:
        for place, name, value in before:
            setattr(place, name, value)


def with_full_model() -> Any:
    """Add a model of all rows to the mean of the fold models."""
    usable, polish_error = folds.Folds.usable, search.polish_error

    def with_all(self: Any, codes: Any, weights: Any) -> Any:
        kept = usable(self, codes, weights)
        if kept is None:
            return None
        everything = tuple(range(kept.n_cells))
        return folds.Folds(kept.cells, (*kept.train, everything), (*kept.test, ()))

    def padded(signs: Any, weights: Any, whitened: Any, start: Any, thresholds: Any) -> Any:
        return polish_error(
            signs, weights, whitened, start, np.append(thresholds, thresholds.mean())
        )

    return replaced((folds.Folds, "usable", with_all), (search, "polish_error", padded))


def with_plain_whitening() -> Any:
    """Whiten by the oracle approximation whatever shrinkage was chosen."""
    whitener = models.TotalSpread.whitener
    return replaced((models.TotalSpread, "whitener", lambda self, amount: whitener(self, None)))


def with_repeated_folds(n: int) -> dict[str, Any]:
    """Deal small sets into folds three times."""
    splitter = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
    return {"cv": splitter} if n <= 500 else {}


nothing = contextlib.nullcontext
VARIANTS: dict[str, tuple[Callable[[], Any], Callable[[int], dict[str, Any]]]] = {
    "the recipe as it is": (nothing, lambda n: {}),
    "no polish": (nothing, lambda n: {"refine": "frontier", "cv": 5}),
    "moments only": (nothing, lambda n: {"refine": None}),
    "+ a model of all rows": (with_full_model, lambda n: {}),
    "+ three assignments of folds up to 500 rows": (nothing, with_repeated_folds),
    "9 shares instead of 5": (
        lambda: replaced(
            (models, "SHARES", tuple(np.linspace(0, 1, 9))),
            (recipe, "SHARES", tuple(np.linspace(0, 1, 9))),
            (search, "SHARES", tuple(np.linspace(0, 1, 9))),
        ),
        lambda n: {},
    ),
    "3 shares instead of 5": (
        lambda: replaced(
            *((place, "SHARES", (0.0, 0.5, 1.0)) for place in (models, recipe, search))
        ),
        lambda n: {},
    ),
    "OAS only instead of 3 amounts of shrinkage": (
        lambda: replaced((models, "AMOUNTS", ())), lambda n: {},
    ),
    "two folds held out from 20,000 rows on": (
        lambda: replaced((folds, "_ALL_HELD_OUT", {"frontier": 1e3, "polish": 2e4})),
        lambda n: {},
    ),
    "whitened by OAS always": (with_plain_whitening, lambda n: {}),
    "bandwidths from 1 on for the error": (
        lambda: replaced((polish, "ERROR_BANDWIDTHS", (1.0, 0.5, 0.25, 0.12, 0.06))),
        lambda n: {},
    ),
    "bandwidths from 0.25 on for the ranking": (
        lambda: replaced((polish, "RANKING_BANDWIDTHS", (0.25, 0.12, 0.06))), lambda n: {},
    ),
    "three bandwidths, a factor of three apart": (
        lambda: replaced(
            (polish, "ERROR_BANDWIDTHS", (0.5, 0.17, 0.06)),
            (polish, "RANKING_BANDWIDTHS", (1.0, 0.3, 0.1)),
        ),
        lambda n: {},
    ),
    "steps until the loss falls by less than 1e-5": (
        lambda: replaced((block_lbfgs, "_STALLED", 1e-5)), lambda n: {},
    ),
    "the best candidate instead of a mean": (
        lambda: replaced((candidates, "_SOFTNESS", {"error": 1e-6, "auc": 1e-6})),
        lambda n: {},
    ),
    "any gain over one answer is believed": (
        lambda: replaced((held_out, "_EVIDENCE", 0.0)), lambda n: {},
    ),
}  # fmt: skip


def trained(variant: str, target: str, rows: tuple[Any, ...]) -> tuple[float, float]:
    """Return test accuracy or AUC, and seconds."""
    X, y, X_test, y_test = rows
    context, parameters = VARIANTS[variant]
    classifier = ZeroOneClassifier if target == "error" else AUCClassifier
    with context():
        model = classifier(**parameters(len(y)))
        began = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - began
    if target == "error":
        return float(model.score(X_test, y_test)), seconds
    return float(roc_auc_score(y_test, model.decision_function(X_test))), seconds


def compared(
    variant: str, target: str, X: Any, y: Any, repeats: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and seconds of the recipe and of a variant on every fold, in turn."""
    first = next(iter(VARIANTS))
    found = []
    for repeat in range(repeats):
        for train, test in StratifiedKFold(5, shuffle=True, random_state=repeat).split(X, y):
            rows = X[train], y[train], X[test], y[test]
            found.append([trained(name, target, rows) for name in (first, variant)])
    scores, seconds = np.array(found).transpose(2, 1, 0)
    return scores, seconds


def main() -> None:
    """Print a line for every variant and target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--targets", default="error,auc")
    parser.add_argument("--variants", default=";".join(list(VARIANTS)[1:]))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = {name: rival_rows(name, str(arguments.data), None) for name in arguments.sets.split(",")}
    print("| variant | target | mean difference | better on | worse on | time |")
    print("|---|---|---|---|---|---|")
    for target in arguments.targets.split(","):
        for variant in arguments.variants.split(";"):
            differences, ratios = [], []
            better, worse = [], []
            for name, (X, y) in rows.items():
                scores, seconds = compared(variant, target, X, y, arguments.repeats)
                differences.append((scores[1] - scores[0]).mean())
                ratios.append(seconds[1].sum() / seconds[0].sum())
                t = corrected_t(scores[1], scores[0])
                if abs(t) > 2:
                    (better if t > 0 else worse).append(f"{name} {differences[-1]:+.4f}")
            print(
                f"| {variant} | {'accuracy' if target == 'error' else 'AUC'} "
                f"| {np.mean(differences):+.4f} | {', '.join(better) or 'none'} "
                f"| {', '.join(worse) or 'none'} | {np.median(ratios):.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
