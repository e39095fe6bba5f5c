"""Find a data set: in a given folder, in the user's cache, then on the network."""

import os
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from paper.datasets.read import file_bytes, read_libsvm, read_original
from paper.datasets.registry import DATA_SETS, DataSet, Source
from zerone._typing import FloatArray

_VARIABLE = "ZERONE_DATA"


class DataNotAvailableError(OSError):
    """A data set is neither in a folder nor in the cache and cannot be downloaded."""


def load(
    name: str, *, data_dir: str | PathLike[str] | None = None, download: bool = True
) -> tuple[Any, FloatArray]:
    """Return the rows and labels of a data set.

    Parameters
    ----------
    name : str
        A key of `DATA_SETS`.
    data_dir : path, optional
        Folder with files ``NAME.libsvm.xz`` (LIBSVM format, labels -1 and +1; other or no
        compression works too). By default the environment variable ``ZERONE_DATA``.
    download : bool, default=True
        Whether to download a set that is in neither folder nor cache; needs pooch
        and a network.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features), or csr_array for the sparse sets
    y : ndarray of shape (n_rows,)
        -1 and +1.
    """
    if name not in DATA_SETS:
        raise ValueError(f"name: there is no data set {name!r}; choose from {list(DATA_SETS)}")
    data_set = DATA_SETS[name]
    folder = data_dir if data_dir is not None else os.environ.get(_VARIABLE)
    rows, labels = None, None
    if folder is not None:
        path = _file_in(Path(folder), name)
        if path is not None:
            rows, labels = read_libsvm(file_bytes(path), data_set.n_features)
            labels = np.where(labels > 0, 1.0, -1.0)
    if rows is None or labels is None:
        rows, labels = _from_source(data_set, folder, download)
    _verify(data_set, rows, labels)
    if data_set.is_sparse:
        return sp.csr_array(rows), labels
    return (rows.toarray() if sp.issparse(rows) else rows), labels


def _file_in(folder: Path, name: str) -> Path | None:
    if not folder.is_dir():
        raise DataNotAvailableError(
            f"data_dir: there is no folder {os.fspath(folder)!r}; check the path"
        )
    for extension in (".xz", ".bz2", ".gz", ""):
        path = folder / f"{name}.libsvm{extension}"
        if path.is_file():
            return path
    return None


def _from_source(data_set: DataSet, folder: Any, download: bool) -> tuple[Any, FloatArray]:
    looked = f"in {os.fspath(folder)!r}" if folder is not None else f"({_VARIABLE} is not set)"
    advice = (
        f"put {data_set.name}.libsvm.xz into a folder and name the folder in {_VARIABLE}, or "
        "install pooch and try again with a network"
    )
    missing = f"{data_set.name} is not available: no file {looked}"
    if data_set.source is None:
        raise DataNotAvailableError(
            f"{missing}, and it cannot be downloaded; put {data_set.name}.libsvm.xz into a folder "
            f"and name the folder in {_VARIABLE}"
        )
    try:
        import pooch
    except ImportError:
        raise DataNotAvailableError(f"{missing}, and pooch is not installed; {advice}") from None
    cache = Path(pooch.os_cache("zerone"))
    paths = [cache / _cached_name(data_set, url) for url in data_set.source.urls]
    for url, path in zip(data_set.source.urls, paths, strict=True):
        if path.is_file():
            continue
        if not download:
            raise DataNotAvailableError(f"{missing} nor in {os.fspath(cache)!r}; {advice}")
        try:
            pooch.retrieve(url, known_hash=None, fname=path.name, path=cache)
        except Exception as error:  # whatever the transport raises, the user is offline
            raise DataNotAvailableError(
                f"{missing}, and downloading {url} failed ({type(error).__name__}); {advice}"
            ) from error
    return _read_checked(data_set, data_set.source, paths)


def _cached_name(data_set: DataSet, url: str) -> str:
    return f"{data_set.name}-{url.rpartition('/')[2]}"


def _read_checked(data_set: DataSet, source: Source, paths: list[Path]) -> tuple[Any, FloatArray]:
    try:
        rows, labels = read_original(data_set, source, paths)
        _verify(data_set, rows, labels)
    except (ValueError, EOFError, OSError) as error:
        for path in paths:
            path.unlink(missing_ok=True)  # so that the next call downloads anew
        raise DataNotAvailableError(
            f"{data_set.name}: the downloaded file is not what it should be ({error}) and was "
            "removed; try again"
        ) from error
    return rows, labels


def _verify(data_set: DataSet, rows: Any, labels: FloatArray) -> None:
    """Raise unless size and share of positives are those of the registry."""
    expected = (data_set.n_rows, data_set.n_features)
    if rows.shape != expected:
        raise ValueError(f"{data_set.name}: has {rows.shape} rows and features, not {expected}")
    positives = float((labels > 0).mean())
    if abs(positives - data_set.positives) > 0.002:
        raise ValueError(
            f"{data_set.name}: {positives:.3f} of the rows are positive, not {data_set.positives}"
        )
