"""The features of a table for a fitted model, its labels, and its column names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from zerone._data.containers import is_frame, is_from
from zerone._data.encoding import Encoding
from zerone._data.readers.libsvm import LibsvmSource
from zerone._data.readers.open import closed_on_failure, open_table, require_arrow
from zerone._data.readers.source import followed_parts
from zerone._data.windows import ColumnTable
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._typing import AnyArray, FloatArray

if TYPE_CHECKING:
    from zerone._data.columns.column import Reading
    from zerone._data.table_options import TableOptions


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Some rows of a table, encoded for a fitted model; the rest is there on request.

    ``copied`` is a pyarrow.RecordBatch of columns as they are in the table.
    """

    rows: Any
    labels: AnyArray | None = None
    weights: FloatArray | None = None
    copied: Any = None


def feature_parts(
    source: Any,
    encoding: Encoding | None,
    n_features: int,
    *,
    target: str | None = None,
    weight: str | None = None,
    has_text_labels: bool = False,
    progress: bool | None = False,
    copied: Sequence[str] = (),
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
    progress : bool or None
        Whether progress is shown; None means in a terminal.
    copied : sequence of str
        Columns to return as they are in the table: in CSV as strings.

    Cells that are not as in training follow its plan; a warning after the last part counts them.
    Rows without a label are left out if there is a target.
    """
    if encoding is not None and target in encoding.column_names:
        raise ArgumentError(
            "target",
            f"{target!r} is a feature of the model, so it cannot hold the classes",
            "name the column of labels",
        )
    strings = [] if encoding is None else [*encoding.string_names]
    if has_text_labels and target is not None:
        strings.append(target)
    opened = open_table(
        source,
        string_columns=[*strings, *copied],
        null_values=() if encoding is None else encoding.null_values,
        target=target,
        strict=encoding is not None and encoding.strict,
        # A prediction for every line, or none.
        leaves_out_lines=False,
    )
    if isinstance(opened, LibsvmSource):
        if encoding is not None:
            raise ArgumentError(
                "source",
                "LIBSVM text has no named columns, but this model was fitted to named columns",
                "pass a table with these columns",
            )
        if copied:
            raise ArgumentError("copy", "LIBSVM text has no named columns", "leave it out")
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
    from zerone._data.encode import columns_to_read, reading_of
    from zerone._data.table_options import TableOptions

    reading = reading_of(encoding, "accept", "the table")
    with closed_on_failure(opened):
        found = columns_to_read(encoding, opened.schema, reading)
        options = TableOptions(target=target, columns=found, weight=weight)
        options.feature_columns(opened.schema.names)
        for name in copied:
            if name not in opened.schema.names:
                raise ArgumentError(
                    "copy",
                    f"there is no column {name!r}",
                    f"the table has {', '.join(map(repr, opened.schema.names))}",
                )
    return _table_parts(opened, encoding, reading, options, copied, progress)


def _table_parts(
    opened: Any,
    encoding: Encoding,
    reading: "Reading",
    options: "TableOptions",
    copied: Sequence[str],
    progress: bool | None,
) -> Iterator[FeatureRows]:
    from zerone._data.arrow_values import filtered, labelled, labels_of, present_rows
    from zerone._data.encode import encode

    target = options.target
    read = dict.fromkeys((*(options.columns or ()), *options.other_columns, *copied))
    numbers = {*encoding.column_names} - {*encoding.string_names}
    numbers_copied = [name for name in copied if name in numbers]
    for part in followed_parts(opened.parts([*read]), progress, "rows"):
        present, weights = present_rows(part.rows, options.weight, part.where)
        labels = None
        if target is not None:
            if not encoding.strict:
                has_label = labelled(present.column(target), encoding.null_values)
                if not has_label.all():
                    n_left_out = int(np.count_nonzero(~has_label))
                    reading.surprises.add(target, "rows without a label, left out", n_left_out)
                    present = filtered(present, has_label)
                    weights = None if weights is None else weights[has_label]
            labels, names = labels_of(
                present.column(target),
                target,
                part.where,
                encoding.null_values,
                strict=encoding.strict,
            )
            labels = labels if names is None else names[labels]
        chosen = present.select([*copied]) if copied else None
        for name in numbers_copied:
            present = _with_booleans(present, name)
        rows = encode(present, encoding, replace(reading, where=part.where))[0]
        yield FeatureRows(rows, labels, weights, chosen)
    reading.surprises.warn()


def _with_booleans(rows: Any, name: str) -> Any:
    """Return rows with booleans in a column that was read as strings only to be copied."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from zerone._data.arrow_values import is_string

    position = rows.schema.get_field_index(name)
    column = rows.column(position)
    if not is_string(column.type):
        return rows
    words = pc.utf8_lower(pc.cast(column, pa.large_string()))
    is_known = pc.is_in(words.drop_null(), pa.array(["true", "false"], pa.large_string()))
    if not len(is_known) or not pc.all(is_known).as_py():
        return rows
    return rows.set_column(position, name, pc.equal(words, "true"))


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
    from zerone._data.encode import encode_frame, reading_of

    reading = reading_of(encoding, "accept", "X")
    rows: ColumnTable = encode_frame(X, encoding, reading)[0]
    reading.surprises.warn()
    return rows


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


def column_names(source: Any) -> list[str]:
    """Return the names of a table's columns; LIBSVM text has none."""
    opened = open_table(source)
    if isinstance(opened, LibsvmSource):
        return []
    if hasattr(opened, "close"):
        opened.close()
    return list(opened.schema.names)
