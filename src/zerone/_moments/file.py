"""Moments in a file: an ``.npz`` archive of plain arrays, no pickle.

Format version 1. Every file holds

=================  =====================================================================
``format``         the string ``zerone-moments``
``version``        the integer 1
``classes``        K labels (strings, integers, floats or booleans), sorted
``feature_names``  d strings, or an empty array where there are none
``encoding``       a JSON string of `zerone.Encoding.to_json`; empty if the data was no table
``weights``        K floats: total weight of each class
``means``          K x d floats; NaN for a class of weight 0
``corrections``    K x d floats: what rounding left out of ``means``
``kinds``          K strings: ``explicit``, ``implicit``, ``factored`` or ``empty``
=================  =====================================================================

and for the class at position k, counted from 0, depending on its kind

============  ==========================================================================
``explicit``  ``k_covariance``, d x d floats
``factored``  ``k_factor``, r x d floats with covariance = factorᵀ · factor, ``k_noise``
``implicit``  ``k_data``, ``k_indices``, ``k_indptr`` (the rows in CSR form), ``k_shares``
              (each row's share of the class), ``k_centre``, ``k_noise``
``empty``     nothing
============  ==========================================================================

``k_noise`` is d floats to be added to the diagonal, or an empty array.
"""

import os
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.encoding import Encoding
from zerone._errors import AdviceError, ArgumentError, ArgumentFileError
from zerone._files import READ_ERRORS, write_at_once
from zerone._moments.class_moments import ClassMoments
from zerone._moments.covariance import Covariance, ExplicitCovariance
from zerone._moments.encoded import imputed
from zerone._moments.factored import FactoredCovariance
from zerone._moments.implicit import ImplicitCovariance
from zerone._moments.moments import Moments
from zerone._typing import AnyArray, FloatArray

_FORMAT = "zerone-moments"
_VERSION = 1


def save_moments(
    moments: Moments,
    path: str | PathLike[str],
    *,
    include_rows: bool,
    extra: dict[str, AnyArray] | None = None,
) -> None:
    """Write ``moments`` to ``path``; the docstring of this module describes the format.

    ``extra`` arrays are written too. The file is then not compressed, because checkpoints are
    written often.
    """
    if moments.carries_rows and not include_rows:
        raise AdviceError(
            "these moments carry training rows (implicit or factored covariance)",
            "pass include_rows=True to write the rows too, or compute the moments with "
            "covariance='explicit'",
        )
    if moments.classes.dtype.kind not in "UiufbS":
        raise AdviceError(
            f"labels of type {moments.classes.dtype} cannot be written",
            "use strings, numbers or booleans",
        )
    encoding, is_checkpoint = moments.encoding, extra is not None
    # What was assumed about single cells is in a checkpoint, and not in files that are shared.
    columns = "" if encoding is None else encoding.to_json(with_notes=is_checkpoint)
    arrays: dict[str, Any] = {
        "format": np.array(_FORMAT),
        "version": np.array(_VERSION),
        "classes": moments.classes,
        "feature_names": np.array(moments.feature_names or (), dtype=np.str_),
        "encoding": np.array(columns),
        "weights": np.array([m.weight for m in moments.values()]),
        "means": np.stack([m.mean for m in moments.values()]),
        "corrections": np.stack([m.mean_correction for m in moments.values()]),
        "kinds": np.array([_kind(m) for m in moments.values()]),
    }
    for position, m in enumerate(moments.values()):
        for name, array in _covariance_arrays(m).items():
            arrays[f"{position}_{name}"] = array
    if not is_checkpoint:
        write_at_once(Path(path), lambda file: np.savez_compressed(file, **arrays))
    else:
        write_at_once(Path(path), lambda file: np.savez(file, **arrays | (extra or {})))


def load_moments(path: str | PathLike[str]) -> Moments:
    """Return the moments that `save_moments` wrote; raises for any other file."""
    # A checkpoint holds provisional fill values for missing numbers.
    return imputed(read_arrays(path)[0])


def read_arrays(path: str | PathLike[str]) -> tuple[Moments, dict[str, AnyArray]]:
    """Return moments and all arrays of their file; raises for a file of another kind."""
    where = os.fspath(path)
    if not Path(path).exists():
        raise ArgumentFileError("path", f"there is no file {where!r}", "check the path")
    try:
        with open(path, "rb") as file:
            archive = np.load(file, allow_pickle=False)
            if isinstance(archive, np.ndarray) or "format" not in archive:
                raise _foreign(where)
            arrays = {name: archive[name] for name in archive.files}
    except READ_ERRORS as error:
        if isinstance(error, _ForeignFileError):
            raise
        raise ArgumentError(
            "path",
            f"{where!r} is not a moments file or is damaged ({error})",
            "write it again with Moments.save",
        ) from None
    if str(arrays["format"]) != _FORMAT:
        raise _foreign(where)
    if str(arrays.get("version")) != str(_VERSION):
        raise ArgumentError(
            "path",
            f"{where!r} has format version {arrays.get('version')}, expected {_VERSION}",
            "read it with the release of zerone that wrote it",
        )
    try:
        return _assemble(arrays), arrays
    except (KeyError, ValueError, IndexError, TypeError) as error:
        raise ArgumentError(
            "path", f"{where!r} is damaged ({error})", "write it again with Moments.save"
        ) from None


class _ForeignFileError(ArgumentError):
    pass


def _foreign(where: str) -> _ForeignFileError:
    return _ForeignFileError(
        "path", f"{where!r} was not written by Moments.save", "pass a file that was"
    )


def _kind(moments: ClassMoments) -> str:
    if moments.weight == 0:
        return "empty"
    names: dict[type[Covariance], str] = {
        ExplicitCovariance: "explicit",
        ImplicitCovariance: "implicit",
        FactoredCovariance: "factored",
    }
    return names[type(moments.covariance)]


def _covariance_arrays(moments: ClassMoments) -> dict[str, AnyArray]:
    covariance = moments.covariance
    if moments.weight == 0:
        return {}
    if isinstance(covariance, ImplicitCovariance):
        return {
            "data": covariance.rows.data,
            "indices": covariance.rows.indices,
            "indptr": covariance.rows.indptr,
            "shares": covariance.shares,
            "centre": covariance.centre,
            "noise": _or_empty(covariance.noise),
        }
    if isinstance(covariance, FactoredCovariance):
        return {"factor": covariance.factor, "noise": _or_empty(covariance.noise)}
    return {"covariance": covariance.toarray()}


def _or_empty(noise: FloatArray | None) -> FloatArray:
    return np.empty(0) if noise is None else noise


def _assemble(arrays: dict[str, AnyArray]) -> Moments:
    for name, array in arrays.items():
        numbers = name in ("weights", "means", "corrections") or name[0].isdigit()
        _require(not numbers or array.dtype.kind in "fiu", f"{name} does not hold numbers")
        finite = name == "means" or not numbers or bool(np.isfinite(array).all())
        _require(finite, f"{name} is not finite")
    _require(arrays["feature_names"].dtype.kind == "U", "feature_names does not hold strings")
    classes, weights, means = arrays["classes"], arrays["weights"], arrays["means"]
    n_classes, d = means.shape
    _require(classes.shape == weights.shape == (n_classes,), "classes, weights and means disagree")
    _require(np.unique(classes).size == n_classes, "a class occurs twice")
    _require(arrays["corrections"].shape == (n_classes, d), "means and corrections disagree")
    _require(bool(np.isfinite(weights).all() and (weights >= 0).all()), "a weight is not valid")
    by_label = {}
    for position, label in enumerate(classes.tolist()):
        part = {
            name.partition("_")[2]: array
            for name, array in arrays.items()
            if name.startswith(f"{position}_")
        }
        kind = str(arrays["kinds"][position])
        _require((kind == "empty") == (weights[position] == 0), "weights and kinds disagree")
        if kind == "empty":
            by_label[label] = ClassMoments.empty(d)
            continue
        mean = means[position]
        _require(bool(np.isfinite(mean).all()), f"the mean of class {label!r} is not finite")
        covariance = _read_covariance(kind, part, d)
        _require(
            bool(np.isfinite(covariance.diagonal()).all() and (covariance.diagonal() >= 0).all()),
            f"the covariance of class {label!r} is not valid",
        )
        by_label[label] = ClassMoments(
            float(weights[position]), mean, covariance, arrays["corrections"][position]
        )
    names = arrays["feature_names"]
    json = str(arrays["encoding"])
    encoding = Encoding.from_json(json) if json else None
    return Moments(by_label, tuple(names.tolist()) if names.size else None, encoding)


def _read_covariance(kind: str, part: dict[str, AnyArray], d: int) -> Covariance:
    if kind == "explicit":
        matrix = part["covariance"]
        _require(matrix.shape == (d, d), "a covariance has the wrong shape")
        sd = np.sqrt(np.maximum(matrix.diagonal(), 0.0))
        unequal = np.abs(matrix - matrix.T) > 1e-8 * np.multiply.outer(sd, sd)
        _require(not unequal.any(), "a covariance is not symmetric")
        return ExplicitCovariance(matrix)
    noise = part["noise"] if part["noise"].size else None
    _require(noise is None or noise.shape == (d,), "a ridge has the wrong shape")
    if kind == "factored":
        factor = part["factor"]
        _require(factor.ndim == 2 and factor.shape[1] == d, "a factor has the wrong shape")
        return FactoredCovariance(factor, noise)
    _require(kind == "implicit", f"the covariance kind {kind!r} is unknown")
    shares, centre = part["shares"], part["centre"]
    rows = sp.csr_array((part["data"], part["indices"], part["indptr"]), shape=(shares.size, d))
    rows.check_format(full_check=True)
    _require(centre.shape == (d,), "a centre has the wrong shape")
    return ImplicitCovariance(rows, shares, centre, noise)


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(what)
