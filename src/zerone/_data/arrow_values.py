"""Values of Arrow arrays as NumPy arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from zerone._data.cells.null_cells import AMONG_STRINGS, null_mask
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._typing import AnyArray, FloatArray, IntArray


def is_number(arrow_type: Any) -> bool:
    """Whether values are numbers or booleans."""
    return bool(
        types.is_integer(arrow_type)
        or types.is_floating(arrow_type)
        or types.is_boolean(arrow_type)
        or types.is_decimal(arrow_type)
    )


def is_string(arrow_type: Any) -> bool:
    """Whether values are strings."""
    return bool(
        types.is_string(arrow_type)
        or types.is_large_string(arrow_type)
        or types.is_string_view(arrow_type)
    )


def is_text(arrow_type: Any) -> bool:
    """Whether values are strings, also as entries of a dictionary."""
    if types.is_dictionary(arrow_type):
        return is_string(arrow_type.value_type)
    return is_string(arrow_type)


def may_be_category(arrow_type: Any) -> bool:
    """Whether values can be read as categories: all but lists, records and the like."""
    if types.is_dictionary(arrow_type):
        return may_be_category(arrow_type.value_type)
    if types.is_interval(arrow_type) or isinstance(arrow_type, pa.BaseExtensionType):
        return False
    is_coded = types.is_run_end_encoded(arrow_type) or types.is_union(arrow_type)
    return not (types.is_nested(arrow_type) or is_coded)


def decoded_text(array: Any) -> Any:
    """Return an array of strings without a dictionary."""
    return array.dictionary_decode() if types.is_dictionary(array.type) else array


def same_kind(one: pa.DataType, other: pa.DataType) -> bool:
    """Whether values of both types are read in the same way.

    A column with only missing values has no type of its own and matches every type.
    """
    if types.is_null(one) or types.is_null(other):
        return True
    if is_number(one) or is_number(other):
        return is_number(one) and is_number(other)
    categorical = [types.is_dictionary(t) or is_string(t) for t in (one, other)]
    return bool(all(categorical) or one == other)


def numbers_of(array: Any) -> AnyArray:
    """Return numbers, without a copy where that is possible; nulls become NaN.

    Durations are in days.
    """
    if types.is_duration(array.type):
        microseconds = pc.cast(pc.cast(array, pa.duration("us"), safe=False), pa.int64())
        return numbers_of(pc.cast(microseconds, pa.float64(), safe=False)) / 86_400e6
    if array.null_count or types.is_decimal(array.type) or types.is_float16(array.type):
        array = pc.cast(array, pa.float64(), safe=False)
    if types.is_null(array.type):
        return np.full(len(array), np.nan)
    values: AnyArray = array.to_numpy(zero_copy_only=False)
    return values


def missing_among(values: AnyArray) -> AnyArray | None:
    """Return which numbers are NaN; None if none is."""
    if values.dtype.kind != "f":
        return None
    missing = np.isnan(values)
    return missing if missing.any() else None


def codes_of(
    array: Any, null_values: Sequence[str] = (), *, strict: bool = True
) -> tuple[IntArray, list[str | None]]:
    """Return categories as positions in a list of strings; -1 where the value is missing.

    The list holds every entry of the array's dictionary, also those that do not occur. Unless
    ``strict``, spaces around strings are removed, and words for missing values become None.
    """
    if types.is_null(array.type):
        array = pc.cast(array, pa.string())
    encoded = array if types.is_dictionary(array.type) else pc.dictionary_encode(array)
    indices = pc.cast(encoded.indices, pa.int64(), safe=False).fill_null(-1)
    codes: IntArray = indices.to_numpy(zero_copy_only=False)
    values = encoded.dictionary
    if not strict and is_string(values.type):
        values = pc.utf8_trim_whitespace(pc.cast(values, pa.large_string()))
        is_null = null_mask(values, null_values, AMONG_STRINGS)
        values = pc.if_else(is_null, pa.scalar(None, values.type), values)
    return codes, _strings_of(values)


def _strings_of(values: Any) -> list[str | None]:
    """Return the values of an array as strings, the same for every type; None where missing."""
    if is_string(values.type):
        strings: list[str | None] = values.to_pylist()
        return strings
    return [
        None if value is None or value != value else _string(value) for value in values.to_pylist()
    ]


def _string(value: Any) -> str:
    # 1.0 becomes "1": pandas turns integers into floats in columns with missing values.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def labels_of(
    array: Any, name: str, where: str, null_values: Sequence[str] = (), *, strict: bool = True
) -> tuple[AnyArray, AnyArray | None]:
    """Return labels of numbers and None, or positions and the sorted strings they refer to.

    A missing label is an error; `labelled` finds the rows that have one. ``name``, the column, and
    ``where``, which rows these are, are for messages.
    """
    if types.is_dictionary(array.type) and not is_string(array.type.value_type):
        array = array.dictionary_decode()
    if is_text(array.type):
        codes, strings = codes_of(array, null_values, strict=strict)
        # An entry of the dictionary may be missing, too.
        missing = np.array([*(string is None for string in strings), True])[codes]
        _require_all(~missing, "target", name, where)
        values = sorted({string for string in strings if string is not None})
        position = {string: index for index, string in enumerate(values)}
        positions = np.array([position.get(s or "", -1) for s in strings], dtype=np.intp)
        return positions[codes], np.array(values, dtype=np.str_)
    if not is_number(array.type):
        raise ArgumentTypeError(
            "target",
            f"column {name!r} has type {array.type}",
            "convert it: classes are strings, integers or booleans",
        )
    labels = numbers_of(array)
    missing_labels = missing_among(labels)
    if missing_labels is not None:
        _require_all(~missing_labels, "target", name, where)
    if labels.dtype.kind == "f" and (labels != np.rint(labels)).any():
        fraction = labels[np.argmax(labels != np.rint(labels))]
        raise ArgumentError(
            "target",
            f"column {name!r} has {fraction} in {where} (Unknown label type: continuous)",
            "name a column of classes (strings, integers or booleans); a continuous target needs a "
            "regressor",
        )
    return labels, None


def labelled(array: Any, null_values: Sequence[str] = ()) -> AnyArray:
    """Return which labels are not missing."""
    if is_text(array.type):
        codes, strings = codes_of(array, null_values, strict=False)
        return ~np.array([*(string is None for string in strings), True])[codes]
    if types.is_floating(array.type):
        return ~np.isnan(numbers_of(array))
    present: AnyArray = array.is_valid().to_numpy(zero_copy_only=False)
    return present


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
    return without_views(rows).filter(pa.array(present))


def without_views(rows: Any) -> Any:
    """Return rows without views of strings or bytes, of which pyarrow cannot choose some."""
    for position, field in enumerate(rows.schema):
        is_string = types.is_string_view(field.type)
        if is_string or types.is_binary_view(field.type):
            whole = pa.large_string() if is_string else pa.large_binary()
            rows = rows.set_column(position, field.name, pc.cast(rows.column(position), whole))
    return rows


def weights_of(array: Any, name: str, where: str) -> FloatArray:
    """Return row weights; raises where one is missing or negative."""
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
            "remove such rows first",
        )
