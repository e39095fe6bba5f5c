"""A restructuring changes no number: fits of every kind, written before it and compared after.

    python -m evidence.golden --write FILE.npz
    python -m evidence.golden --compare FILE.npz [--tolerance 1e-12]

Both classifiers are fitted to eleven data sets, with and without refinement, through every kind
of source. Kept are classes, coefficients, intercepts, and probabilities and scores of 200 rows.
A comparison fits anew and prints the largest differences of each fit: of coefficients relative to
the largest of them, of intercepts relative to max(1, |intercept|), of probabilities and scores as
they are. The exit code is 1 if one is above the tolerance or a fit fails. Compare on the machine
and with the libraries that wrote the file: others round differently.
"""

import argparse
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

# Read by the imports below: arrays on devices are allowed, and sums have one order.
os.environ["SCIPY_ARRAY_API"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import array_api_strict
import dask
import dask.array as da
import numpy as np
import pandas as pd
import scipy.sparse as sp
import sklearn
import sklearn.datasets as bundled

from zerone import AUCClassifier, Moments, ZeroOneClassifier

ESTIMATORS = {"error": ZeroOneClassifier, "auc": AUCClassifier}
LEVELS = (None, "frontier", "auto")
PARTS = ("coefficients", "intercepts", "probabilities", "scores")
# NumPy cannot read the second.
HOST, DEVICE = (array_api_strict.Device(name) for name in ("CPU_DEVICE", "device1"))


@dataclass(frozen=True)
class Fit:
    """A combination of a data set, a source and a classifier, and the metric it is turned to."""

    data: str
    source: str
    target: str
    refine: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    weighted: bool = False
    metric: str | None = None

    def __str__(self) -> str:
        words = [self.data, self.source, self.target, f"refine={self.refine}"]
        words += [f"{name}={value}" for name, value in self.parameters.items()]
        words += ["weighted"] * self.weighted + [f"retarget={self.metric}"] * bool(self.metric)
        return " ".join(words)


def combinations() -> Iterator[Fit]:
    """Yield all fits."""
    arrays = ("wine", "digits", "balanced", "rare", "wide", "lognormal", "unequal")
    tables = ("array", "sparse", "frame", "csv", "parquet", "categories", "dask", "device")
    places = [(data, "array") for data in arrays] + [("sparse", "sparse")]
    places += [(data, source) for data in ("breast_cancer", "iris") for source in tables]
    for target in ESTIMATORS:
        for refine in LEVELS:
            for data, source in places:
                yield Fit(data, source, target, refine)
            yield Fit("rare", "array", target, refine, {"class_weight": "balanced"})
            yield Fit("rare", "array", target, refine, metric="f1")
            yield Fit("lognormal", "array", target, refine, {"shrinkage": 0.1}, weighted=True)
        for source in tables:
            yield Fit("unequal", source, target, "auto", {"cv": 3}, weighted=True)
            yield Fit("wine", source, target, "frontier", metric="balanced_error")
        for source in ("moments", "batches"):
            for data in ("breast_cancer", "iris", "wide", "sparse"):
                yield Fit(data, source, target)
                yield Fit(data, source, target, "auto", weighted=True)
            yield Fit("rare", source, target, metric="balanced_error")
        for data in ("balanced", "iris"):
            yield Fit(data, "array", target, None, {"solver": "lbfgs"})
            yield Fit(data, "array", target, "auto", metric="balanced_error")
        yield Fit("sparse", "sparse", target, "auto", {"class_weight": "balanced"}, weighted=True)
        yield Fit("sparse", "sparse", target, "auto", metric="f1")
        for source in ("array", "parquet", "dask", "device"):
            yield Fit("large", source, target, "auto")


def data_sets() -> dict[str, tuple[Any, np.ndarray]]:
    """Return rows and labels by name; nothing is downloaded, and every call gives the same."""
    rng = np.random.default_rng(0)
    X, y = bundled.load_digits(return_X_y=True)
    three, halves = np.isin(y, (3, 8, 9)), np.arange(500) % 2
    unequal = rng.standard_normal((500, 8))
    unequal[halves == 1] = unequal[halves == 1] @ rng.standard_normal((8, 8)) / 2 + 0.7
    words = rng.random((300, 5000)) * (rng.random((300, 5000)) < 0.01)
    words[:, :40] += (rng.random((300, 40)) < 0.1) * halves[:300, None]
    make = bundled.make_classification
    return {
        "breast_cancer": bundled.load_breast_cancer(return_X_y=True),
        "iris": bundled.load_iris(return_X_y=True),
        "wine": bundled.load_wine(return_X_y=True),
        "digits": (X[three], y[three]),
        "balanced": make(600, 12, n_informative=5, flip_y=0.1, random_state=0),
        "rare": make(600, 12, n_informative=5, n_redundant=0, weights=[0.95], random_state=1),
        "wide": make(60, 300, n_informative=10, random_state=2),
        "lognormal": (np.exp(rng.standard_normal((500, 6)) + halves[:, None] / 2), halves),
        "unequal": (unequal, halves),
        "sparse": (sp.csr_array(words), halves[:300]),
        # So many numbers that tables and arrays elsewhere are refined on a sample.
        "large": make(120_000, 72, n_informative=9, flip_y=0.1, random_state=3),
    }


def frame_of(X: np.ndarray) -> pd.DataFrame:
    """Return a frame of numbers."""
    return pd.DataFrame(X, columns=[f"x{number}" for number in range(X.shape[1])])


def categories_of(X: np.ndarray) -> pd.DataFrame:
    """Return a frame with two columns as categories and with holes in two others."""
    frame, rng = frame_of(X), np.random.default_rng(1)
    frame["x0"] = np.array(["low", "middle", "high"])[pd.qcut(frame["x0"], 3, labels=False)]
    frame["x1"] = pd.qcut(frame["x1"], 4, labels=["a", "b", "c", "d"])
    for name in ("x2", "x3"):
        frame[name] = frame[name].mask(rng.random(len(frame)) < 0.1)
    return frame


# What `fit` takes: the form of rows, and that of labels and weights.
FORMS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "array": (np.asarray, np.asarray),
    "sparse": (sp.csr_array, np.asarray),
    "frame": (frame_of, pd.Series),
    "dask": (lambda X: da.from_array(X, chunks=(67, -1)), lambda y: da.from_array(y, chunks=67)),
    "device": (partial(array_api_strict.asarray, device=DEVICE),) * 2,
}


def fit(model: Any, source: str, X: Any, y: Any, weights: Any, folder: Path) -> Callable[..., Any]:
    """Fit to rows in some form, and return a function that brings rows at positions into it."""
    if source in FORMS:
        form, beside = FORMS[source]
        model.fit(form(X), beside(y), None if weights is None else beside(weights))
        return lambda chosen: form(X[chosen])
    if source in ("moments", "batches"):
        moments = []
        for part in (slice(start, None, 3) for start in range(3)):
            own = None if weights is None else weights[part]
            if source == "moments":
                moments.append(Moments.from_data(X[part], y[part], sample_weight=own))
            else:
                model.partial_fit(X[part], y[part], classes=np.unique(y), sample_weight=own)
        if moments:
            model.fit_moments(moments[0] + moments[1] + moments[2])
        return lambda chosen: X[chosen]
    frame = categories_of(X) if source == "categories" else frame_of(X)
    labels = np.array(["no", "perhaps", "yes"])[y] if source == "categories" else y
    table = frame.assign(label=labels, count=1.0 if weights is None else weights)
    weight = None if weights is None else "count"
    read = partial(model.fit_table, target="label", columns=list(frame), weight=weight)
    if source == "categories":
        read(table)
    elif source == "csv":
        table.to_csv(folder / "table.csv", index=False, float_format="%.17g")
        read(folder / "table.csv")
    else:
        table.to_parquet(folder / "table.parquet", index=False)
        read(folder / "table.parquet")
    return lambda chosen: frame.iloc[chosen]


def on_host(values: Any) -> np.ndarray:
    """Return a NumPy array of one from anywhere."""
    values = values.compute() if isinstance(values, da.Array) else values
    return values if isinstance(values, np.ndarray) else np.asarray(values.to_device(HOST))


def numbers(case: Fit, X: Any, y: np.ndarray, folder: Path) -> dict[str, np.ndarray]:
    """Fit, and return what is kept."""
    rng = np.random.default_rng(2)
    chosen = rng.integers(len(y), size=200)
    weights = rng.integers(0, 4, len(y)).astype(float) if case.weighted else None
    model = ESTIMATORS[case.target](refine=case.refine, **case.parameters)
    with sklearn.config_context(array_api_dispatch=case.source == "device"):
        new = fit(model, case.source, X, y, weights, folder)(chosen)
        model = model if case.metric is None else model.retarget(case.metric)
        answers = model.predict_proba(new), model.decision_function(new)
    found = map(on_host, (model.coef_, model.intercept_, *answers))
    classes = np.array([repr(label) for label in model.classes_.tolist()])
    return dict(zip(PARTS, found, strict=True)) | {"classes": classes}


def differences(found: dict[str, np.ndarray], before: dict[str, np.ndarray]) -> dict[str, float]:
    """Return the largest difference of each part; infinite where they cannot be compared."""
    alike = all(found[part].shape == before[part].shape for part in PARTS)
    if not alike or found["classes"].tolist() != before["classes"].tolist():
        return dict.fromkeys(PARTS, np.inf)
    apart = {part: np.abs(found[part] - before[part]) for part in PARTS}
    apart["coefficients"] /= np.abs(before["coefficients"]).max() or 1.0
    apart["intercepts"] /= np.maximum(1.0, np.abs(before["intercepts"]))
    return {part: float(np.nan_to_num(a, nan=np.inf).max()) for part, a in apart.items()}


def main() -> int:
    """Write the numbers of all fits, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", type=Path, metavar="FILE.npz")
    action.add_argument("--compare", type=Path, metavar="FILE.npz")
    parser.add_argument("--tolerance", type=float, default=1e-12)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    kept: dict[str, Any] = {}
    before = dict(np.load(given.compare)) if given.compare else kept
    data, largest = data_sets(), {key.partition(":")[0]: np.inf for key in before}
    with tempfile.TemporaryDirectory() as folder, dask.config.set(scheduler="synchronous"):
        for case in combinations():
            largest[str(case)] = np.inf
            try:
                found = numbers(case, *data[case.data], Path(folder))
                kept.update({f"{case}:{part}": values for part, values in found.items()})
                expected = {part: before[f"{case}:{part}"] for part in found}
            except Exception as error:
                print(f"{case}: {type(error).__name__}: {error}", flush=True)
                continue
            apart = differences(found, expected)
            largest[str(case)] = max(apart.values())
            if given.compare or largest[str(case)] > given.tolerance:
                said = ", ".join(f"{part} {value:.0e}" for part, value in apart.items())
                print(f"{case}: {said}", flush=True)
    equal = sum(value <= given.tolerance for value in largest.values())
    if given.write:
        np.savez(given.write, **kept)
    else:
        worst = max(largest, key=lambda name: largest[name])
        print(f"{equal} of {len(largest)} combinations equal to {given.tolerance:.0e}; "
              f"largest difference {largest[worst]:.0e} ({worst})")  # fmt: skip
    return 0 if equal == len(largest) else 1


if __name__ == "__main__":
    sys.exit(main())
