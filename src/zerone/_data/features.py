"""The features of a table for a fitted model, its labels, and its column names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.containers import is_frame, is_from
from zerone._data.encoding import Encoding
from zerone._data.readers.libsvm import LibsvmSource
from zerone._data.readers.open import closed_on_failure, open_table, require_arrow
from zerone._data.windows import ColumnTable
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._typing import AnyArray, FloatArray


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Some rows of a table, encoded for a fitted model; labels and weights only on request."""

    rows: Any
    labels: AnyArray | None
    weights: FloatArray | None


def feature_parts(
    source: Any,
    encoding: Encoding | None,
    n_features: int,
    *,
    target: str | None = None,
    weight: str | None = None,
    has_text_labels: bool = False,
    null_values: Sequence[str] = (),
) -> Iterator[FeatureRows]:
    """Open a table and return an iterator over its features in parts.

    Parameters
    ----------
    source : as in `zerone.Moments.from_table`
    encoding : Encoding or None
        None for features without names; then the source must be LIBSVM text.
    n_features : int
        Of the model.
    target, weight : str, optional
        Columns to return as labels and weights. LIBSVM text always has labels.
    has_text_labels : bool
        Whether labels in CSV are strings even if they look like numbers.
    null_values : as in `zerone.Moments.from_table`
    """
    if encoding is not None and target in encoding.column_names:
        raise ArgumentError(
            "target",
            f"{target!r} is a feature of the model, so it cannot hold the classes",
            "name the column of labels",
        )
    strings = [] if encoding is None else [*encoding.category_names]
    if has_text_labels and target is not None:
        strings.append(target)
    opened = open_table(source, string_columns=strings, null_values=null_values, target=target)
    if isinstance(opened, LibsvmSource):
        if encoding is not None:
            raise ArgumentError(
                "source",
                "LIBSVM text has no named columns, but this model was fitted to named columns",
                "pass a table with these columns",
            )
        if target is not None or weight is not None:
            raise ArgumentError(
                "target, weight",
                "LIBSVM text has no named columns",
                "leave these arguments out; the label is the first value of each line",
            )
        return _libsvm_parts(opened, n_features)
    if encoding is None:
        raise ArgumentError(
            "source",
            "this model was fitted to features without names, so they cannot be matched with the "
            "columns of a table",
            "fit it to a table or a data frame, or predict from an array",
        )
    from zerone._data.arrow_values import require_columns
    from zerone._data.table_options import TableOptions

    with closed_on_failure(opened):
        require_columns(encoding, opened.schema)
        options = TableOptions(target=target, columns=encoding.column_names, weight=weight)
        options.feature_columns(opened.schema.names)
    return _table_parts(opened, encoding, target, weight)


def _table_parts(
    opened: Any, encoding: Encoding, target: str | None, weight: str | None
) -> Iterator[FeatureRows]:
    from zerone._data.arrow_values import labels_of, present_rows
    from zerone._data.encode import encode

    also = [name for name in (target, weight) if name is not None]
    for part in opened.parts([*encoding.column_names, *also]):
        present, weights = present_rows(part.rows, weight, part.where)
        rows = encode(present, encoding, "accept", part.where)[0]
        labels = None
        if target is not None:
            labels, names = labels_of(present.column(target), target, part.where)
            labels = labels if names is None else names[labels]
        yield FeatureRows(rows, labels, weights)


def frame_features(X: Any, encoding: Encoding) -> ColumnTable:
    """Return the features of a frame in memory, for prediction."""
    is_stream = hasattr(X, "__arrow_c_stream__") and not is_from(X, "pandas", "Series")
    if not is_frame(X) and not is_stream:
        raise ArgumentTypeError(
            "X",
            f"got {type(X).__name__}, but this model was fitted to a table",
            f"pass a data frame with the columns {', '.join(map(repr, encoding.column_names))}",
        )
    require_arrow()
    from zerone._data.encode import encode_frame

    return encode_frame(X, encoding, "accept", "X")[0]


def _libsvm_parts(source: LibsvmSource, n_features: int) -> Iterator[FeatureRows]:
    for part in source.parts():
        rows, labels = part.rows
        if rows.shape[1] > n_features:
            raise ArgumentError(
                "source",
                f"{part.where} has a feature {rows.shape[1]}, but the model was fitted to "
                f"{n_features} features",
                "use the features of the training data",
            )
        rows.resize(rows.shape[0], n_features)
        yield FeatureRows(sp.csr_array(rows), labels.astype(np.float64), None)


def labels_of_table(source: Any, target: str | None, *, is_text: bool = False) -> AnyArray:
    """Return the labels of all rows of a table; ``target`` is None for LIBSVM text.

    ``is_text`` says that labels in CSV are strings even if they look like numbers.
    """
    strings = [target] if is_text and target is not None else []
    opened = open_table(source, string_columns=strings, target=target)
    if isinstance(opened, LibsvmSource):
        return np.concatenate([part.rows[1] for part in opened.parts()])
    from zerone._data.arrow_values import labels_of

    with closed_on_failure(opened):
        if target is None or target not in opened.schema.names:
            raise ArgumentError(
                "target",
                f"there is no column {target!r}",
                f"the table has {', '.join(map(repr, opened.schema.names))}",
            )
    found: list[AnyArray] = []
    for part in opened.parts([target]):
        labels, names = labels_of(part.rows.column(target), target, part.where)
        found.append(labels if names is None else names[labels])
    return np.concatenate(found)


def column_names(source: Any) -> list[str]:
    """Return the names of a table's columns; LIBSVM text has none."""
    opened = open_table(source)
    if isinstance(opened, LibsvmSource):
        return []
    if hasattr(opened, "close"):
        opened.close()
    return list(opened.schema.names)
