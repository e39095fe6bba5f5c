"""Whether the intervals of `zerone compare` contain the truth in 95 % of all samples.

Samples of a set are drawn without replacement and cross-validated in five folds. The truth of a
mean is the mean that the rules of its folds have on the other rows, and so is that of a difference.
Printed are the coverage and the mean width of both kinds of intervals: from the held-out rows,
which `compare` gives for means, and the corrected ones of the splits, for differences.

Run: python -m evidence.split_intervals [--draws 200] [--sets magic04 covtype] [--rows 500 2000]
     needs the data sets in $ZERONE_DATA
"""

import argparse
import warnings
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from paper.datasets.load import load
from zerone import ZeroOneClassifier
from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.estimates import Estimate, mean_of_splits
from zerone._uncertainty.intervals import Interval
from zerone.comparison._corrected_t import corrected_interval
from zerone.comparison._estimates import PredictedRows, split_estimates
from zerone.metrics import chosen_metric

HEADER = (
    "| set | rows | mean or difference | metric | held-out rows | width | corrected | width |\n"
    "|---|---|---|---|---|---|---|---|"
)
FOLDS = 5
MOST_SCORED = 20_000
METRICS = ("accuracy", "AUC")


def learners() -> dict[str, Any]:
    """Return classifiers: two linear ones, and one that changes much with its rows."""
    return {
        "ZeroOneClassifier": ZeroOneClassifier(refine=None),
        "LDA": LinearDiscriminantAnalysis(),
        "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
    }


def scores_of(model: Any, X: FloatArray) -> FloatArray:
    """Return probabilities of the second class."""
    return np.asarray(model.predict_proba(X)[:, 1])


def measured(
    model: Any, X: FloatArray, y: AnyArray
) -> tuple[dict[str, Estimate], dict[str, float]]:
    """Return accuracy and AUC of a rule as estimates, and as numbers."""
    truth, predicted = (np.searchsorted(model.classes_, own) for own in (y, model.predict(X)))
    rows = PredictedRows(model.classes_, truth, predicted, scores_of(model, X), None, False)
    found = split_estimates(rows, chosen_metric("error", None), None, {})
    return found, {
        "accuracy": float((truth == predicted).mean()),
        "AUC": float(roc_auc_score(truth, scores_of(model, X))),
    }


def trial(X: FloatArray, y: AnyArray, n: int, draw: int) -> dict[str, tuple[Any, FloatArray]]:
    """Return for each learner its estimates in each split, and the truth by split and metric."""
    order = np.random.default_rng(draw).permutation(len(y))[: n + MOST_SCORED]
    own, others = order[:n], order[n:]
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=draw).split(X[own], y[own]))
    found = {}
    for name, model in learners().items():
        estimates, truths = [], []
        for train, test in splits:
            model.fit(X[own][train], y[own][train])
            estimates.append(measured(model, X[own][test], y[own][test])[0])
            truth = measured(model, X[others], y[others])[1]
            truths.append([truth[metric] for metric in METRICS])
        found[name] = estimates, np.array(truths)
    return found


def main() -> None:
    """Print a line for every set, size, learner or pair of learners, and metric."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--sets", nargs="+", default=["magic04", "covtype"])
    parser.add_argument("--rows", nargs="+", type=int, default=[500, 2_000])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(HEADER, flush=True)
    for name in arguments.sets:
        X, y = load(name)
        X = X.toarray() if sp.issparse(X) else X
        for n in arguments.rows:
            trials = [trial(X, y, n, draw) for draw in range(arguments.draws)]
            for line in lines(trials):
                print(f"| {name} | {n:,} | {' | '.join(line)} |", flush=True)


def lines(trials: list[dict[str, Any]]) -> list[list[str]]:
    """Return the cells of a set and size."""
    found = []
    for place, metric in enumerate(METRICS):
        for name in learners():
            by_rows, by_splits = [], []
            for own in trials:
                estimates = [split[metric] for split in own[name][0]]
                truth = float(own[name][1][:, place].mean())
                values = np.array([split.value for split in estimates])
                by_rows.append((mean_of_splits(estimates).interval(), truth))
                by_splits.append((corrected_interval(values), truth))
            found.append([name, metric, *cells(by_rows), *cells(by_splits)])
        for one, other in combinations(learners(), 2):
            by_splits = []
            for own in trials:
                values = np.array(
                    [
                        a[metric].value - b[metric].value
                        for a, b in zip(own[one][0], own[other][0], strict=True)
                    ]
                )
                truth = float((own[one][1] - own[other][1])[:, place].mean())
                by_splits.append((corrected_interval(values), truth))
            found.append([f"{one} − {other}", metric, "–", "–", *cells(by_splits)])
    return found


def cells(intervals: list[tuple[Interval, float]]) -> list[str]:
    """Return coverage and mean width."""
    known = [(own, truth) for own, truth in intervals if own.is_known]
    covered = np.mean([own.low <= truth <= own.high for own, truth in known])
    return [f"{covered:.3f}", f"{np.mean([own.high - own.low for own, _ in known]):.4f}"]


if __name__ == "__main__":
    main()
