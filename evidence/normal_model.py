"""What refinement costs where the normal model holds, and moments alone are best.

Classes are normal with unequal covariances. The error of a rule is then known exactly, without a
test part: Φ of its margins under the true moments. Printed are the errors of ``refine=None``,
``"frontier"`` and ``"auto"``, means over draws, and what refinement adds to the first.

Run: python -m evidence.normal_model [--device] [--paper]
     --device: 10 million rows of 100 features, drawn and fitted on a GPU (set SCIPY_ARRAY_API=1)
     --paper: the paper's artificial sets data1 to data9, half of which have swapped labels
"""

import argparse
import warnings
from typing import Any

import numpy as np
from scipy.special import ndtr
from sklearn import config_context

from paper.datasets.artificial import ARTIFICIAL_SETS, make_artificial
from zerone import Moments, ZeroOneClassifier
from zerone._typing import FloatArray

LEVELS = (None, "frontier", "auto")
CASES = ((3_000, 20, 20), (300_000, 20, 3), (300_000, 100, 3))
"""Rows, features, draws."""
PAPER_DRAWS = 3
POSITIVES = 0.4


def true_moments(rng: np.random.Generator, d: int) -> tuple[Moments, list[FloatArray]]:
    """Return two classes with covariances about two of each other, and their square roots."""
    roots = [np.eye(d) + 0.7 * rng.standard_normal((d, d)) / np.sqrt(d) for _ in range(2)]
    delta = rng.standard_normal(d)
    delta *= 0.8 / np.linalg.norm(delta)
    means = [np.zeros(d), delta @ roots[1]]
    covariances = [root.T @ root for root in roots]
    weights = [1 - POSITIVES, POSITIVES]
    parameters = {k: (weights[k], means[k], covariances[k]) for k in (0, 1)}
    return Moments.from_parameters(parameters), roots


def true_error(model: ZeroOneClassifier, truth: Moments) -> float:
    """Return the error of a fitted rule under the true moments."""
    coef = np.asarray(_host(model.coef_)).ravel()
    intercept = float(np.asarray(_host(model.intercept_)).ravel()[0])
    total = sum(m.weight for m in truth.values())
    (low, negative), (high, positive) = (
        (coef @ m.mean + intercept, m) for m in (truth[label] for label in sorted(truth))
    )
    above = ndtr(low / np.sqrt(negative.covariance.quad(coef)))
    below = ndtr(-high / np.sqrt(positive.covariance.quad(coef)))
    return float(negative.weight / total * above + positive.weight / total * below)


def _host(values: Any) -> Any:
    return values.cpu() if hasattr(values, "cpu") else values


def errors(X: Any, y: Any, truth: Moments) -> list[float]:
    """Return the true error of every level."""
    return [true_error(ZeroOneClassifier(refine=level).fit(X, y), truth) for level in LEVELS]


def drawn(rng: np.random.Generator, n: int, d: int) -> tuple[FloatArray, FloatArray, Moments]:
    """Return rows and labels, and the moments they were drawn from."""
    truth, roots = true_moments(rng, d)
    y = (rng.random(n) < POSITIVES).astype(np.int64)
    X = rng.standard_normal((n, d))
    for label in (0, 1):
        own = y == label
        X[own] = X[own] @ roots[label] + truth[label].mean
    return X, y, truth


def on_device(n: int, d: int) -> list[float]:
    """Return the errors of fits to rows that a GPU draws and keeps."""
    import torch

    truth, roots = true_moments(np.random.default_rng(0), d)
    torch.manual_seed(0)
    X = torch.randn((n, d), device="cuda", dtype=torch.float32)
    y = (torch.rand(n, device="cuda") < POSITIVES).to(torch.int64)
    for label in (0, 1):
        own = y == label
        root = torch.tensor(roots[label], device="cuda", dtype=torch.float32)
        X[own] = X[own] @ root + torch.tensor(truth[label].mean, device="cuda").float()
    with config_context(array_api_dispatch=True):
        return errors(X, y, truth)


def _told(what: str, found: list[float]) -> None:
    cells = " | ".join(f"{error:.4f}" for error in found)
    added = ", ".join(f"{error - found[0]:+.4f}" for error in found[1:])
    print(f"| {what} | {cells} | {added} |", flush=True)


def main() -> None:
    """Print a line for every case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", action="store_true")
    parser.add_argument("--paper", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print('| rows × features | None | "frontier" | "auto" | added |\n|---|---|---|---|---|')
    if arguments.device:
        _told("10,000,000 × 100, on a GPU", on_device(10_000_000, 100))
    elif arguments.paper:
        for name in ARTIFICIAL_SETS:
            drawn_sets = (make_artificial(name, random_state=seed) for seed in range(PAPER_DRAWS))
            found = [errors(own.X_train, own.y_train, own.moments) for own in drawn_sets]
            _told(name, np.mean(found, axis=0).tolist())
    else:
        for n, d, draws in CASES:
            rng = np.random.default_rng(0)
            found = [errors(*drawn(rng, n, d)) for _ in range(draws)]
            _told(f"{n:,} × {d}, {draws} draws", np.mean(found, axis=0).tolist())


if __name__ == "__main__":
    main()
