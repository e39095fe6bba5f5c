"""Reading the files that data sets come in: LIBSVM format and CSV, also compressed."""

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from paper.datasets.registry import DataSet, Source
from zerone._typing import AnyArray, FloatArray

_OPENERS: dict[str, Callable[..., Any]] = {".xz": lzma.open, ".bz2": bz2.open, ".gz": gzip.open}


def file_bytes(path: Path) -> bytes:
    """Return the content of a file, decompressed by its extension."""
    opener = _OPENERS.get(path.suffix)
    if opener is None:
        return path.read_bytes()
    with opener(path, "rb") as file:
        content: bytes = file.read()
    return content


def first_line(path: Path) -> bytes:
    """Return the first line of a file, decompressed; empty if it cannot be read."""
    try:
        with _OPENERS.get(path.suffix, open)(path, "rb") as file:
            line: bytes = file.readline()
    except (OSError, EOFError, lzma.LZMAError):
        return b""
    return line


def read_libsvm(content: bytes, n_features: int | None) -> tuple[Any, FloatArray]:
    """Return sparse rows and numeric labels from LIBSVM format; feature indices start at 1."""
    rows, labels = load_svmlight_file(io.BytesIO(content), n_features=n_features, zero_based=False)
    return _narrow(sp.csr_array(rows)), labels


def _narrow(rows: Any) -> Any:
    """Return sparse rows with 32-bit positions, which is all that some solvers take."""
    if max(rows.nnz, *rows.shape) < 2**31:
        rows.indices = rows.indices.astype(np.int32, copy=False)
        rows.indptr = rows.indptr.astype(np.int32, copy=False)
    return rows


def read_original(data_set: DataSet, source: Source, paths: list[Path]) -> tuple[Any, FloatArray]:
    """Return rows and labels of -1 and +1 from the files of a set's original source."""
    parts = [_read_part(file_bytes(path), source, data_set.n_features) for path in paths]
    matrices, labels = zip(*parts, strict=True)
    joined = np.concatenate(labels)
    rows = sp.vstack(matrices, format="csr") if sp.issparse(matrices[0]) else np.vstack(matrices)
    return rows, np.where(np.isin(joined, source.positive), 1.0, -1.0)


def _read_part(content: bytes, source: Source, n_features: int) -> tuple[Any, AnyArray]:
    """Return rows and their original labels as strings."""
    if source.format == "libsvm":
        rows, labels = read_libsvm(content, n_features)
        return rows, np.array([f"{label:g}" for label in labels])
    lines = content.decode().split("\n")[source.skip_rows :]
    cells = [[cell.strip() for cell in line.split(",")] for line in lines if line.strip()]
    names = [row.pop(source.label_column) for row in cells]
    return np.array(cells, dtype=np.float64), np.array(names)
