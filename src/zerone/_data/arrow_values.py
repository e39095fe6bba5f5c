"""Values of Arrow arrays as NumPy has them."""

from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from zerone._data.encoding import Encoding, NumericColumn
from zerone._errors import AdviceTypeError, ArgumentError, ArgumentTypeError
from zerone._typing import AnyArray, FloatArray, IntArray


def kind_of(name: str, arrow_type: Any) -> Literal["numeric", "category"]:
    """Return how a column is read; raises, with advice, for a type that cannot be."""
    if is_number(arrow_type):
        return "numeric"
    if types.is_dictionary(arrow_type) or is_text(arrow_type):
        return "category"
    if types.is_temporal(arrow_type):
        raise AdviceTypeError(
            f"column {name!r} has type {arrow_type}: a date is not a number that a linear rule "
            "could weigh",
            "turn it into numbers first, such as days since a day, the month or the weekday, or "
            "⟨leave out⟩",
        )
    if types.is_null(arrow_type):
        raise AdviceTypeError(f"column {name!r} holds no values at all", "⟨leave out⟩")
    raise AdviceTypeError(
        f"column {name!r} has type {arrow_type}, which is neither a number nor a category",
        "convert it first, or ⟨leave out⟩",
    )


def is_number(arrow_type: Any) -> bool:
    """Whether values are numbers or truth values."""
    return bool(
        types.is_integer(arrow_type)
        or types.is_floating(arrow_type)
        or types.is_boolean(arrow_type)
        or types.is_decimal(arrow_type)
    )


def is_text(arrow_type: Any) -> bool:
    """Whether values are text."""
    return bool(
        types.is_string(arrow_type)
        or types.is_large_string(arrow_type)
        or types.is_string_view(arrow_type)
    )


def same_kind(one: pa.DataType, other: pa.DataType) -> bool:
    """Whether values of both types are read alike, whatever their width.

    A column without any value is of no type, and goes with all.
    """
    if types.is_null(one) or types.is_null(other):
        return True
    if is_number(one) or is_number(other):
        return is_number(one) and is_number(other)
    categorical = [types.is_dictionary(t) or is_text(t) for t in (one, other)]
    return bool(all(categorical) or one == other)


def require_columns(encoding: Encoding, schema: Any) -> None:
    """Raise unless a table has the columns of an encoding, with values of their kinds."""
    for column in encoding.columns:
        if column.name not in schema.names:
            raise ArgumentError(
                "source",
                f"there is no column {column.name!r}, which the encoding reads",
                f"the table has {', '.join(map(repr, schema.names))}",
            )
        arrow_type = schema.field(column.name).type
        if types.is_null(arrow_type):
            continue  # every value is missing; whether that may be is seen later
        if isinstance(column, NumericColumn) and kind_of(column.name, arrow_type) != "numeric":
            raise TypeError(
                f"column {column.name!r} has type {arrow_type}, but the encoding takes it for "
                "numbers"
            )


def numbers_of(array: Any) -> AnyArray:
    """Return numbers as they lie where that is possible; nulls become NaN."""
    if array.null_count or types.is_decimal(array.type) or types.is_float16(array.type):
        array = pc.cast(array, pa.float64(), safe=False)
    values: AnyArray = array.to_numpy(zero_copy_only=False)
    return values


def missing_among(values: AnyArray) -> AnyArray | None:
    """Return which numbers are NaN; None if none is."""
    if values.dtype.kind != "f":
        return None
    missing = np.isnan(values)
    return missing if missing.any() else None


def codes_of(array: Any) -> tuple[IntArray, list[str | None]]:
    """Return categories as positions in a list of texts; -1 where the value is missing.

    The list holds every entry of the array's dictionary, whether it occurs or not.
    """
    encoded = array if types.is_dictionary(array.type) else pc.dictionary_encode(array)
    indices = pc.cast(encoded.indices, pa.int64(), safe=False).fill_null(-1)
    codes: IntArray = indices.to_numpy(zero_copy_only=False)
    return codes, texts_of(encoded.dictionary)


def texts_of(values: Any) -> list[str | None]:
    """Return the values of an array as text, the same from every type; None where missing."""
    if is_text(values.type):
        texts: list[str | None] = values.to_pylist()
        return texts
    return [
        None if value is None or value != value else _text(value) for value in values.to_pylist()
    ]


def _text(value: Any) -> str:
    # Integers that had to become floats beside missing values keep their names.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def labels_of(array: Any, name: str, where: str) -> tuple[AnyArray, AnyArray | None]:
    """Return labels as they are, or as positions in an array of sorted texts.

    Parameters
    ----------
    array : Arrow array
    name : str
        Of the column, for messages.
    where : str
        Which rows these are, for messages.

    Returns
    -------
    labels : ndarray
    texts : ndarray or None
        What positions stand for; None where the labels are no positions.
    """
    if types.is_dictionary(array.type) and not is_text(array.type.value_type):
        array = array.dictionary_decode()
    if types.is_dictionary(array.type) or is_text(array.type):
        codes, texts = codes_of(array)
        # An entry of the dictionary may be missing, too.
        missing = np.array([*(text is None for text in texts), True])[codes]
        _require_all(~missing, "target", name, where)
        values = sorted({text for text in texts if text is not None})
        position = {text: index for index, text in enumerate(values)}
        positions = np.array([position.get(text or "", -1) for text in texts], dtype=np.intp)
        return positions[codes], np.array(values, dtype=np.str_)
    if not is_number(array.type):
        raise ArgumentTypeError(
            "target",
            f"column {name!r} has type {array.type}",
            "classes are text, whole numbers or truth values",
        )
    labels = numbers_of(array)
    missing_labels = missing_among(labels)
    if missing_labels is not None:
        _require_all(~missing_labels, "target", name, where)
    if labels.dtype.kind == "f" and (labels != np.rint(labels)).any():
        fraction = labels[np.argmax(labels != np.rint(labels))]
        raise ArgumentError(
            "target",
            f"column {name!r} has {fraction} in {where}: Unknown label type: continuous. Classes "
            "are whole numbers or text",
            "a classifier cannot fit a regression",
        )
    return labels, None


def present_rows(rows: Any, weight: str | None, where: str) -> tuple[Any, FloatArray | None]:
    """Return the rows whose weight is not zero, and their weights; all rows without weights."""
    if weight is None:
        return rows, None
    weights = weights_of(rows.column(weight), weight, where)
    present = weights != 0
    if present.all():
        return rows, weights
    return filtered(rows, present), weights[present]


def filtered(rows: Any, present: AnyArray) -> Any:
    """Return some of the rows."""
    for position, field in enumerate(rows.schema):
        if types.is_string_view(field.type):
            # Which cannot be filtered.
            text = pc.cast(rows.column(position), pa.large_string())
            rows = rows.set_column(position, field.name, text)
    return rows.filter(pa.array(present))


def weights_of(array: Any, name: str, where: str) -> FloatArray:
    """Return row weights; raises where one is missing."""
    if not is_number(array.type):
        raise ArgumentTypeError(
            "weight", f"column {name!r} has type {array.type}, expected numbers"
        )
    weights: FloatArray = numbers_of(array).astype(np.float64)
    _require_all(~np.isnan(weights), "weight", name, where)
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ArgumentError(
            "weight",
            f"column {name!r} has {weights[row]:g} in row {row} of {where}",
            "weights are counts and cannot be negative",
        )
    return weights


def _require_all(present: AnyArray, argument: str, name: str, where: str) -> None:
    if not present.all():
        raise ArgumentError(
            argument,
            f"column {name!r} has no value in row {int(np.argmin(present))} of {where}",
            "leave out such rows first",
        )
