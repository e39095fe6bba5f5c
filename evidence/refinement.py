"""What each part of the recipe is worth: variants of it against the recipe as it is.

Every variant is trained on the same splits as the default. Printed are the mean difference of
the test accuracy (AUC), how many sets it makes significantly better or worse (corrected t beyond
2), and the median ratio of the training times. With ``--rows`` only so many rows train, and the
others, at most 5,000, test; there a plain paired t beyond 2.8 counts.

Run: python -m evidence.refinement [--data FOLDER] [--repeats N] [--sets A,B] [--targets error,auc]
     [--rows N] [--variants "A;B"]
"""

import argparse
import contextlib
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import ttest_rel
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

import zerone._refine.choice as choice
import zerone._refine.evidence as held_out_evidence
import zerone._refine.folds as folds
import zerone._refine.judges as judges
import zerone._refine.search as search
import zerone._refine.thresholds as thresholds
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


def without_rules(left_out: slice) -> Any:
    """Leave some of the combined rules out: moments, logistic (one or two), refined."""
    combined = choice.combined

    def fewer(rules: Any, rows: Any, metric: Any) -> Any:
        kept = list(rules)
        del kept[left_out]
        return combined(kept or rules, rows, metric)

    return replaced((choice, "combined", fewer))


def with_slope(slope: float) -> Any:
    """Let weights fall with the loss at another rate."""
    return replaced((judges.ErrorJudge, "slope", slope), (judges.RankingJudge, "slope", slope))


def with_positions() -> Any:
    """Deal folds by the positions of rows, as splitters do."""
    import zerone.estimators._fit_rows as fit_rows

    return replaced((fit_rows, "ordered_groups", lambda batch: None))


def with_all_bandwidths() -> Any:
    """Polish down to the narrowest bandwidth however few rows there are."""
    return replaced((judges, "_NARROWEST", 0.0))


def with_mean_of_folds() -> Any:
    """Publish the mean of the fold models' refined directions, not those of all rows."""
    candidates = search.RowSearch._candidates

    def averaged(self: Any, directions: list[Any]) -> Any:
        return candidates(self, [*directions[:-1], np.mean(directions[:-1], axis=0)])

    return replaced((search.RowSearch, "_candidates", averaged))


nothing = contextlib.nullcontext
VARIANTS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "the recipe as it is": (nothing, {}),
    "no polish": (nothing, {"refine": "frontier"}),
    "moments only": (nothing, {"refine": None}),
    "without the rule of the moments": (lambda: without_rules(slice(0, 1)), {}),
    "without the logistic rule": (lambda: without_rules(slice(1, -1)), {}),
    "without the refined rule": (lambda: without_rules(slice(-1, None)), {}),
    "without the constant answer": (
        lambda: replaced((held_out_evidence, "CONSTANT_WEIGHT", 0.0)), {},
    ),
    "the constant answer as a rule like others": (
        lambda: replaced((held_out_evidence, "CONSTANT_WEIGHT", 1.0)), {},
    ),
    "the best rule instead of a sum": (lambda: with_slope(1e6), {}),
    "the plain mean of the rules": (lambda: with_slope(0.0), {}),
    "weights half as steep": (lambda: with_slope(0.75), {}),
    "weights twice as steep": (lambda: with_slope(3.0), {}),
    "thresholds half as smooth": (
        lambda: replaced((thresholds, "_BANDWIDTH", 0.35)), {},
    ),
    "thresholds twice as smooth": (
        lambda: replaced((thresholds, "_BANDWIDTH", 1.4)), {},
    ),
    "one logistic rule for the AUC": (
        lambda: replaced((judges.RankingJudge, "penalties", (1.0,))), {},
    ),
    "OAS only instead of 3 amounts for the AUC": (
        lambda: replaced((judges.RankingJudge, "tries_shrinkage", False)), {},
    ),
    "folds by positions": (with_positions, {}),
    "all bandwidths": (with_all_bandwidths, {}),
    "the mean of the fold models": (with_mean_of_folds, {}),
    "two folds held out from 2,000 rows on": (
        lambda: replaced((folds, "_ALL_HELD_OUT", 2e3)), {},
    ),
    "three folds held out from 2,000 rows on": (
        lambda: replaced((folds, "_ALL_HELD_OUT", 2e3), (folds, "_HELD_OUT_OF_MANY", 3)), {},
    ),
}  # fmt: skip


def trained(variant: str, target: str, rows: tuple[Any, ...]) -> tuple[float, float]:
    """Return test accuracy or AUC, and seconds."""
    X, y, X_test, y_test = rows
    context, parameters = VARIANTS[variant]
    classifier = ZeroOneClassifier if target == "error" else AUCClassifier
    with context():
        model = classifier(**parameters)
        began = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - began
    if target == "error":
        return float(model.score(X_test, y_test)), seconds
    return float(roc_auc_score(y_test, model.decision_function(X_test))), seconds


def splits(X: Any, y: Any, repeats: int, n_rows: int | None) -> Iterator[Any]:
    """Yield training and test positions: folds, or draws of a given number of training rows."""
    if n_rows is None:
        for repeat in range(repeats):
            yield from StratifiedKFold(5, shuffle=True, random_state=repeat).split(X, y)
    else:
        test = min(5_000, len(y) - n_rows)
        yield from StratifiedShuffleSplit(
            5 * repeats, train_size=n_rows, test_size=test, random_state=0
        ).split(X, y)


def compared(
    variant: str, target: str, X: Any, y: Any, repeats: int, n_rows: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and seconds of the recipe and of a variant on every split, in turn."""
    first = next(iter(VARIANTS))
    found = []
    for train, test in splits(X, y, repeats, n_rows):
        rows = X[train], y[train], X[test], y[test]
        found.append([trained(name, target, rows) for name in (first, variant)])
    scores, seconds = np.array(found).transpose(2, 1, 0)
    return scores, seconds


def is_usable(y: Any, n_rows: int | None) -> bool:
    """Whether so many rows leave a test part, with three rows of every class to train on."""
    if n_rows is None:
        return True
    rarer = min((y > 0).mean(), (y < 0).mean())
    return bool(n_rows <= 0.8 * len(y) and rarer * n_rows >= 3)


def main() -> None:
    """Print a line for every variant and target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--rows", type=int)
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
                if not is_usable(y, arguments.rows):
                    continue
                scores, seconds = compared(variant, target, X, y, arguments.repeats, arguments.rows)
                differences.append((scores[1] - scores[0]).mean())
                ratios.append(seconds[1].sum() / seconds[0].sum())
                # Draws of a few rows hardly overlap, and there are many of them.
                plain = ttest_rel(scores[1], scores[0]).statistic / 1.4
                t = corrected_t(scores[1], scores[0]) if arguments.rows is None else plain
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
