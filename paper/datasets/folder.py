"""Any folder of LIBSVM files."""

import re
from os import PathLike
from pathlib import Path
from typing import Any

from paper.datasets.read import file_bytes, first_line, read_libsvm
from zerone._typing import FloatArray

_COMPRESSED = (".xz", ".bz2", ".gz")
_EXTENSIONS = (".libsvm", ".svm", ".txt")
# A label, then at least one index:value.
_FIRST_LINE = re.compile(rb"\s*[-+0-9.eE]+(\s+\d+:\S+)+\s*(#.*)?$")
# Rows with at most this many features, or at least this density, are made dense.
_DENSE_FEATURES = 1_000
_DENSE_SHARE = 0.1


def libsvm_files(folder: str | PathLike[str]) -> dict[str, Path]:
    """Return the LIBSVM files of a folder by name, without file extensions.

    The first line of a LIBSVM file is a label and pairs of index and value.

    Parameters
    ----------
    folder : path
    """
    path = Path(folder)
    if not path.is_dir():
        raise ValueError(f"folder: there is no folder {str(path)!r}; check the path")
    found: dict[str, Path] = {}
    for file in sorted(path.iterdir()):
        if not file.is_file() or not _FIRST_LINE.match(first_line(file)):
            continue
        name = file.name.removesuffix(file.suffix) if file.suffix in _COMPRESSED else file.name
        for extension in _EXTENSIONS:
            name = name.removesuffix(extension)
        if name in found:
            raise ValueError(
                f"folder: {found[name].name!r} and {file.name!r} have the same name; remove one"
            )
        found[name] = file
    if not found:
        raise ValueError(f"folder: there is no LIBSVM file in {str(path)!r}; name another folder")
    return found


def read_libsvm_file(path: str | PathLike[str]) -> tuple[Any, FloatArray]:
    """Return rows and numeric labels of a LIBSVM file, compressed or not.

    Feature indices start at 1. Rows are dense with at most 1,000 features, or if more than a
    tenth of the entries are not zero, and a csr_array otherwise.

    Parameters
    ----------
    path : path
    """
    try:
        rows, labels = read_libsvm(file_bytes(Path(path)), None)
    except ValueError as error:
        raise ValueError(f"{Path(path).name}: {error}") from error
    full = rows.nnz > _DENSE_SHARE * rows.shape[0] * rows.shape[1]
    return (rows.toarray() if full or rows.shape[1] <= _DENSE_FEATURES else rows), labels
