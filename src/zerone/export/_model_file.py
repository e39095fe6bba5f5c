"""Model files: JSON and plain arrays in a zip archive, no pickle.

Format version 1. A ``.zerone`` file is a zip archive. `numpy.load` and any zip program can read its
members:

=================  ====================================================================
``coef.npy``       float64, a row for each pair of classes (0, 1), (0, 2), …, (1, 2), …
``intercept.npy``  float64, one number per pair
``held_out.npz``   what `retarget` needs, see `_held_out_file`; only after a refined fit
``model.json``     everything else, as UTF-8 text
=================  ====================================================================

The scores of rows are ``X @ coef.T + intercept``. With two classes, a row with a positive score
belongs to the second class. ``model.json`` holds

=================  ====================================================================
``format``         ``zerone-model``
``version``        1
``zerone``         the release of zerone that wrote the file
``estimator``      ``ZeroOneClassifier`` or ``AUCClassifier``
``parameters``     parameters of the estimator that are plain values
``classes``        the labels, sorted, and ``classes_type``, NumPy's name of their type
``columns``        names of the columns that `predict` needs, or null
``n_columns``      their number
``features``       names of the features that the columns become, or null
``encoding``       how columns become features (`zerone.Encoding.to_json`), or null
``means``          mean of each feature in training, or null
``deviations``     standard deviation of each feature in training, or null
``pairs``          for each pair the log-odds of the later class as functions of the score:
                   ``decision`` to choose among several classes, ``posterior`` for
                   probabilities; null if a class had no rows
``fitted``         other fitted attributes, such as ``status_``
=================  ====================================================================

A curve of kind ``lines`` has ``values`` at rising scores, its ``knots``, straight lines between
them, and the slopes ``below`` and ``above`` beyond the first and the last. One of kind ``parabola``
is ``at_centre + slope · t + bend · t²`` with t = score − ``centre``, clipped to ``lowest`` and
``highest`` (null: no limit); if it ``is_anchored``, the value at a score of zero (t = −``centre``)
is subtracted. If it ``follows_threshold``, log-odds of scores up to zero are at most zero, and
those of positive scores at least 1e-15.
"""

import io
import json
import os
import zipfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from zerone._data.encoding import Encoding
from zerone._data.labels import positive_position
from zerone._errors import AdviceError, ArgumentError, ArgumentFileError
from zerone._files import READ_ERRORS, write_at_once
from zerone._probability.curves import Curve, curve_from_dict, curve_to_dict
from zerone._probability.pairwise import PairwiseVote, Votes
from zerone._typing import AnyArray
from zerone.estimators._auc import AUCClassifier
from zerone.estimators._classifier import LinearClassifier
from zerone.estimators._feature_statistics import FeatureStatistics, feature_statistics
from zerone.estimators._state import fitted_votes
from zerone.estimators._zero_one import ZeroOneClassifier
from zerone.export._held_out_file import HELD_OUT, held_out_bytes, kept_of_bytes
from zerone.metrics import chosen_metric

_FORMAT = "zerone-model"
_VERSION = 1
_WRITE_AGAIN = "write it again with the save method of a fitted classifier"
_ESTIMATORS: dict[str, type[LinearClassifier]] = {
    "ZeroOneClassifier": ZeroOneClassifier,
    "AUCClassifier": AUCClassifier,
}


def save_model(estimator: LinearClassifier, path: str | PathLike[str]) -> None:
    """Write a fitted classifier to a file; the module docstring describes the format."""
    text = json.dumps(_described(estimator), ensure_ascii=False, indent=1, allow_nan=False)
    held_out = held_out_bytes(estimator._kept)

    def write(file: Any) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("model.json", text)
            if held_out is not None:
                archive.writestr(HELD_OUT, held_out)
            for name in ("coef", "intercept"):
                buffer = io.BytesIO()
                np.save(buffer, getattr(estimator, f"{name}_"), allow_pickle=False)
                archive.writestr(f"{name}.npy", buffer.getvalue())

    write_at_once(Path(path), write)


def load_model(path: str | PathLike[str]) -> LinearClassifier:
    """Return the classifier of a model file that ``save`` has written; runs no code from the file.

    It predicts and, after a refined fit, can be retargeted. It has no moments of training, so
    `partial_fit` raises an error.

    Parameters
    ----------
    path : path

    Returns
    -------
    ZeroOneClassifier or AUCClassifier

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from zerone import ZeroOneClassifier, load_model
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = ZeroOneClassifier().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     classifier.save(Path(folder) / "iris.zerone")
    ...     loaded = load_model(Path(folder) / "iris.zerone")
    >>> bool((loaded.predict_proba(X) == classifier.predict_proba(X)).all())
    True
    """
    where = os.fspath(path)
    if not Path(path).is_file():
        raise ArgumentFileError("path", f"there is no file {where!r}", "check the path")
    try:
        with zipfile.ZipFile(path) as archive:
            model = json.loads(archive.read("model.json"))
            arrays = {name: _array(archive, name) for name in ("coef", "intercept")}
            held_out = archive.read(HELD_OUT) if HELD_OUT in archive.namelist() else None
        if model["format"] != _FORMAT:
            raise ValueError(f"its format is {model['format']!r}")
        version = model["version"]
    except READ_ERRORS as error:
        raise ArgumentError(
            "path",
            f"{where!r} is not a zerone model or is damaged ({error})",
            _WRITE_AGAIN,
        ) from None
    if version != _VERSION:
        raise ArgumentError(
            "path",
            f"{where!r} has format version {version}",
            f"install another release of zerone: this one reads version {_VERSION}",
        )
    try:
        return _assembled(model, arrays, held_out)
    except (*READ_ERRORS, AttributeError, IndexError, OverflowError) as error:
        raise ArgumentError("path", f"{where!r} is damaged ({error})", _WRITE_AGAIN) from None


def _described(estimator: LinearClassifier) -> dict[str, Any]:
    """Return everything except the arrays as plain values."""
    votes = fitted_votes(estimator)
    classes = _plain_labels(estimator.classes_)
    if classes.dtype.kind not in "Uiufb":
        raise AdviceError(
            f"labels of type {classes.dtype} cannot be written", "use strings, numbers or booleans"
        )
    from zerone import __version__

    encoding = estimator.encoding_
    names = getattr(estimator, "feature_names_in_", None)
    columns = None if names is None else [str(name) for name in names]
    known = feature_statistics(estimator)
    models = zip(votes.decision.curves, votes.posterior.curves, strict=True)
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "zerone": __version__,
        "estimator": type(estimator).__name__,
        "parameters": _parameters(estimator),
        "classes": classes.tolist(),
        "classes_type": classes.dtype.str,
        "columns": columns,
        "n_columns": int(estimator.n_features_in_),
        "features": columns if encoding is None else list(encoding.feature_names),
        "encoding": None if encoding is None else json.loads(encoding.to_json(with_notes=True)),
        "means": None if known is None else known.means.tolist(),
        "deviations": None if known is None else known.deviations.tolist(),
        "pairs": [
            {"decision": _curve(decision), "posterior": _curve(posterior)}
            for decision, posterior in models
        ],
        "fitted": {name: _plain(getattr(estimator, name)) for name in _said(estimator)},
    }


def _plain_labels(classes: AnyArray) -> AnyArray:
    """Return strings that came as objects, as those of pandas do, as an array of strings."""
    if classes.dtype == object and all(isinstance(label, str) for label in classes.tolist()):
        return classes.astype(np.str_)
    return classes


def _said(estimator: LinearClassifier) -> list[str]:
    metric = "auc" if estimator._is_ranking else "error"
    return [
        "refine_",
        "status_",
        "n_iter_",
        "shrinkage_",
        f"expected_{metric}_",
        f"held_out_{metric}_",
        "expected_metric_",
        "held_out_metric_",
        "held_out_interval_",
    ]


def _parameters(estimator: LinearClassifier) -> dict[str, Any]:
    """Return the parameters that JSON can hold; a label is kept as a Python value."""
    given = estimator.get_params()
    params = given.pop("metric_params")
    if params is not None:
        given["metric_params"] = {
            name: np.asarray(value).tolist() for name, value in params.items()
        }
    if isinstance(given["positive"], np.generic):
        given["positive"] = given["positive"].item()
    return {name: value for name, value in given.items() if _is_plain(value)}


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(name, str) for name in value)
    return value is None or isinstance(value, bool | int | float | str)


def _plain(value: Any) -> Any:
    """Return numbers for JSON; NaN becomes null."""
    if isinstance(value, np.ndarray | list):
        return [_plain(own) for own in np.asarray(value).tolist()]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _curve(curve: Any) -> dict[str, Any] | None:
    return None if curve is None else curve_to_dict(curve)


def _array(archive: zipfile.ZipFile, name: str) -> AnyArray:
    array: AnyArray = np.load(io.BytesIO(archive.read(f"{name}.npy")), allow_pickle=False)
    if array.dtype != np.float64 or not np.isfinite(array).all():
        raise ValueError(f"{name} does not hold finite float64 numbers")
    return array


def _assembled(
    model: dict[str, Any], arrays: dict[str, AnyArray], held_out: bytes | None
) -> LinearClassifier:
    if model["estimator"] not in _ESTIMATORS:
        raise ValueError(f"its estimator is {model['estimator']!r}")
    classes = _classes(model["classes"], model["classes_type"])
    n_classes = len(classes)
    given = model["encoding"]
    encoding = None if given is None else Encoding.from_json(json.dumps(given))
    n_columns, columns = int(model["n_columns"]), model["columns"]
    if columns is not None and len(columns) != n_columns:
        raise ValueError("columns and n_columns disagree")
    if encoding is not None and not _fits(encoding, columns, n_columns):
        raise ValueError("columns and encoding disagree")
    n_features = n_columns if encoding is None else encoding.n_features
    n_pairs = n_classes * (n_classes - 1) // 2
    pairs = model["pairs"]
    if arrays["coef"].shape != (n_pairs, n_features) or len(pairs) != n_pairs:
        raise ValueError("the coefficients do not fit the classes and features")
    if arrays["intercept"].shape != (n_pairs,):
        raise ValueError("the intercepts do not fit the classes")
    votes = Votes(*(_vote(pairs, name, n_classes) for name in ("decision", "posterior")))
    estimator = _ESTIMATORS[model["estimator"]](**model["parameters"])
    chosen_metric(estimator.metric, estimator.metric_params)
    if estimator.positive is not None:
        positive_position(estimator.positive, classes.tolist())
    estimator.classes_ = classes
    estimator.coef_, estimator.intercept_ = arrays["coef"], arrays["intercept"]
    estimator.encoding_ = encoding
    estimator.n_features_in_ = n_columns
    if columns is not None:
        estimator.feature_names_in_ = np.array(columns, dtype=object)
    for name in _said(estimator):
        value = model["fitted"][name]
        is_number = name.startswith(("expected_", "held_out_"))
        setattr(estimator, name, np.nan if value is None and is_number else _as_numbers(value))
    estimator._votes, estimator._kept, estimator._fold_rules = votes, None, None
    estimator._feature_statistics = _statistics(model["means"], model["deviations"], n_features)
    if held_out is not None:
        estimator._kept = kept_of_bytes(
            held_out,
            classes,
            n_features,
            shrinkage=estimator.shrinkage_,
            n_iter=estimator.n_iter_,
            level=estimator.refine_,
        )
    return estimator


def _fits(encoding: Encoding, columns: list[str] | None, n_columns: int) -> bool:
    """Whether an encoding is that of the columns; an array without names has its own ones."""
    if columns is None:
        return encoding.is_positional and len(encoding.columns) == n_columns
    return columns == list(encoding.column_names)


def _statistics(means: Any, deviations: Any, n_features: int) -> FeatureStatistics | None:
    if means is None or deviations is None:
        return None
    found = [np.array(values, dtype=np.float64) for values in (means, deviations)]
    if not all(own.shape == (n_features,) and np.isfinite(own).all() for own in found):
        raise ValueError("means and standard deviations do not fit the features")
    return FeatureStatistics(*found)


def _classes(labels: Any, type_name: str) -> AnyArray:
    """Return the labels as an array of their original type."""
    kind = np.dtype(type_name)
    own: dict[str, type] = {"U": str, "b": bool, "i": int, "u": int, "f": float}
    if kind.kind not in own or not all(type(label) is own[kind.kind] for label in labels):
        raise ValueError(f"its labels are not of the type {kind}")
    # Strings get their actual width: a wrong width in the file could fill the memory.
    classes: AnyArray = np.array(labels, dtype=np.str_ if kind.kind == "U" else kind)
    if classes.ndim != 1 or len(classes) < 2 or classes.tolist() != sorted({*labels}):
        raise ValueError("its classes are not at least two sorted labels")
    return classes


def _vote(pairs: list[dict[str, Any]], name: str, n_classes: int) -> PairwiseVote:
    curves: list[Curve | None] = [
        None if pair[name] is None else curve_from_dict(pair[name]) for pair in pairs
    ]
    if all(curve is None for curve in curves):
        raise ValueError(f"it has no {name} curve")
    return PairwiseVote(n_classes, tuple(curves))


def _as_numbers(value: Any) -> Any:
    """Return lists as arrays; null in them is NaN."""
    if isinstance(value, list):
        return np.array([np.nan if own is None else own for own in value], dtype=np.float64)
    return value
