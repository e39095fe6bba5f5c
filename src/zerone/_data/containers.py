"""Which library an object comes from, without importing any library."""

from typing import Any

import numpy as np


def is_from(X: object, package: str, *names: str) -> bool:
    """Whether ``X`` is an instance of a class of a package, of one with these names if given."""
    return any(
        (not names or cls.__name__ in names) and cls.__module__.partition(".")[0] == package
        for cls in type(X).__mro__
    )


def is_frame(X: object) -> bool:
    """Whether ``X`` is a pandas, polars or pyarrow table."""
    return (
        is_from(X, "pandas", "DataFrame")
        or is_from(X, "polars", "DataFrame")
        or is_from(X, "pyarrow", "Table", "RecordBatch")
    )


def is_dask(X: object) -> bool:
    """Whether ``X`` is a Dask collection."""
    return is_from(X, "dask")


def is_dask_frame(X: Any) -> bool:
    """Whether ``X`` is a Dask data frame."""
    return is_from(X, "dask", "DataFrame")


def is_foreign(X: Any) -> bool:
    """Whether ``X`` is an array of another library that follows the array API standard."""
    if isinstance(X, np.ndarray | np.generic):
        return False
    # torch and cupy follow the standard only through array_api_compat.
    is_wrapped = library_of(X) in ("torch", "cupy") and hasattr(X, "dtype") and hasattr(X, "shape")
    return is_wrapped or hasattr(X, "__array_namespace__")


def library_of(X: object) -> str:
    """Return the name of the library of an object's class."""
    return type(X).__module__.partition(".")[0]


def in_memory(values: Any) -> Any:
    """Return an array of another library as a NumPy array, and anything else as it is."""
    if not is_foreign(values):
        return values
    from zerone._data.devices import to_host

    return to_host(values)
