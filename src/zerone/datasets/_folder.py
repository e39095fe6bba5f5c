"""Any folder of LIBSVM files."""

from os import PathLike
from pathlib import Path
from typing import Any

from zerone._typing import FloatArray
from zerone.datasets._read import file_bytes, read_libsvm

_ENDINGS = (".libsvm", ".libsvm.xz", ".libsvm.bz2", ".libsvm.gz")
# With at most so many features, or so full, rows are made dense.
_DENSE_FEATURES = 1_000
_DENSE_SHARE = 0.1


def libsvm_files(folder: str | PathLike[str]) -> dict[str, Path]:
    """Return the LIBSVM files of a folder by name, without ``.libsvm`` and compression.

    Parameters
    ----------
    folder : path
    """
    path = Path(folder)
    if not path.is_dir():
        raise ValueError(f"folder: there is no folder {str(path)!r}")
    found = {}
    for file in sorted(path.iterdir()):
        for ending in _ENDINGS:
            if file.name.endswith(ending):
                found[file.name.removesuffix(ending)] = file
    return found


def read_libsvm_file(path: str | PathLike[str]) -> tuple[Any, FloatArray]:
    """Return rows and numeric labels of a LIBSVM file, compressed or not.

    Feature indices start at 1. Rows are dense with at most 1,000 features, or if more than a
    tenth of the entries are not zero, and a csr_array otherwise.

    Parameters
    ----------
    path : path
    """
    rows, labels = read_libsvm(file_bytes(Path(path)), None)
    full = rows.nnz > _DENSE_SHARE * rows.shape[0] * rows.shape[1]
    return (rows.toarray() if full or rows.shape[1] <= _DENSE_FEATURES else rows), labels
