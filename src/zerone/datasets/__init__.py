"""The paper's data sets: a registry of the real ones, a generator of the artificial ones.

Real sets are looked for in a folder (argument ``data_dir``, or the environment variable
``ZERONE_DATA``), then in the user's cache, then downloaded (extra ``datasets``).
"""

from zerone.datasets._artificial import ARTIFICIAL_SETS, ArtificialSet, make_artificial
from zerone.datasets._folder import libsvm_files, read_libsvm_file
from zerone.datasets._load import DataNotAvailableError, load
from zerone.datasets._registry import DATA_SETS, DataSet
from zerone.datasets._scaling import scale_to_unit

__all__ = [
    "ARTIFICIAL_SETS",
    "DATA_SETS",
    "ArtificialSet",
    "DataNotAvailableError",
    "DataSet",
    "libsvm_files",
    "load",
    "make_artificial",
    "read_libsvm_file",
    "scale_to_unit",
]
