"""What an Arrow type means: a number, a category, or nothing a linear rule can use."""

from typing import Any, Literal

import pyarrow as pa
from pyarrow import types

from zerone.tables._columns import NumericColumn
from zerone.tables._encoding import Encoding


def kind_of(name: str, arrow_type: Any) -> Literal["numeric", "category"]:
    """Return how a column is read; raises, with advice, for a type that cannot be."""
    if is_number(arrow_type):
        return "numeric"
    if types.is_dictionary(arrow_type) or is_text(arrow_type):
        return "category"
    leave_out = "or leave it out of columns"
    if types.is_temporal(arrow_type):
        raise TypeError(
            f"column {name!r} has type {arrow_type}: a date is no number that a linear rule could "
            "weigh; turn it into numbers first, such as days since a day, the month or the "
            f"weekday, {leave_out}"
        )
    if types.is_null(arrow_type):
        raise TypeError(f"column {name!r} holds no values at all; leave it out of columns")
    raise TypeError(
        f"column {name!r} has type {arrow_type}, which is neither a number nor a category; "
        f"convert it first, {leave_out}"
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
    categories = [types.is_dictionary(t) or is_text(t) for t in (one, other)]
    return bool(all(categories) or one == other)


def require_columns(encoding: Encoding, schema: Any) -> None:
    """Raise unless a table has the columns of an encoding, with values of their kinds."""
    for column in encoding.columns:
        if column.name not in schema.names:
            raise ValueError(
                f"source: there is no column {column.name!r}, which the encoding reads; the table "
                f"has {', '.join(map(repr, schema.names))}"
            )
        arrow_type = schema.field(column.name).type
        if types.is_null(arrow_type):
            continue  # every value is missing; whether that may be is seen later
        if isinstance(column, NumericColumn) and kind_of(column.name, arrow_type) != "numeric":
            raise TypeError(
                f"column {column.name!r} has type {arrow_type}, but the encoding takes it for "
                "numbers"
            )
