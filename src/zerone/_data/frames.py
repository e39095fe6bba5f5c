"""Data frames (pandas, polars, pyarrow) as numeric columns and their names."""

from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np

from zerone._data.containers import is_from
from zerone._data.windows import ColumnTable
from zerone._errors import ArgumentTypeError
from zerone._typing import AnyArray

_NUMERIC_KINDS = "biuf"


def read_frame(X: Any) -> tuple[ColumnTable, tuple[str, ...] | None]:
    """Return the columns of a frame, without a copy where possible, and their names.

    The names are None unless all of them are strings, as in scikit-learn.
    """
    columns = list(_columns(X))
    n_rows = X.num_rows if is_from(X, "pyarrow", "Table", "RecordBatch") else len(X)
    names = tuple(name for name, _ in columns)
    table = ColumnTable([values for _, values in columns], n_rows)
    return table, names if all(isinstance(name, str) for name in names) else None


def data_frame(columns: Mapping[str, Any], index: Any = None, name: str | None = None) -> Any:
    """Return a pandas data frame; the error says that it needs pandas.

    Parameters
    ----------
    columns : mapping name -> values
    index : sequence, optional
    name : str, optional
        Of the index.
    """
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("data frames need pandas; install pandas") from None
    return pd.DataFrame(columns, index=None if index is None else pd.Index(index, name=name))


def one_array(X: Any) -> AnyArray | None:
    """Return a pandas frame as one array; None unless all columns have the same numeric type.

    pandas makes a copy unless it stores the frame as one array.
    """
    if not is_from(X, "pandas", "DataFrame") or not len(X.columns):
        return None
    dtypes = set(X.dtypes)
    dtype = dtypes.pop()
    if dtypes or not isinstance(dtype, np.dtype) or dtype.kind not in _NUMERIC_KINDS:
        return None
    array: AnyArray = X.to_numpy()
    return array


def _columns(X: Any) -> Iterator[tuple[Any, AnyArray]]:
    """Yield each column's name and its values as a numeric array, missing values as NaN."""
    if is_from(X, "pandas", "DataFrame"):
        for name, series in X.items():
            yield name, _numeric_pandas(series, name)
    elif is_from(X, "polars", "DataFrame"):
        for series in X.iter_columns():
            yield series.name, _numeric(series.to_numpy(), series.name, series.dtype)
    else:
        for name, column in zip(X.schema.names, X.columns, strict=True):
            yield name, _numeric(column.to_numpy(zero_copy_only=False), name, column.type)


def _numeric_pandas(series: Any, name: Any) -> AnyArray:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return _numeric(series.to_numpy(), name, dtype)
    from pandas.api.types import is_numeric_dtype  # installed: it made this frame

    if not is_numeric_dtype(dtype):
        # A categorical column may hold numbers.
        return _numeric(np.asarray(series), name, dtype)
    values: AnyArray = series.to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def _numeric(values: AnyArray, name: Any, dtype: Any) -> AnyArray:
    if values.dtype == object and all(v is None or isinstance(v, Real | np.bool_) for v in values):
        # Python numbers, or booleans with missing values.
        return np.array([np.nan if v is None else float(v) for v in values])
    if values.dtype.kind not in _NUMERIC_KINDS:
        raise _not_numeric(name, dtype)
    return values


def _not_numeric(name: Any, dtype: Any) -> TypeError:
    return ArgumentTypeError(
        "X",
        f"column {name!r} has type {dtype}, which is not a number",
        "encode it first, for example with sklearn.preprocessing.OneHotEncoder, or use fit_table "
        "or Moments.from_table, which encode categories",
    )
