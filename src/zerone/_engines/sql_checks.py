"""Checks of table names, weights and labels in a database."""

from decimal import Decimal
from typing import Any

import numpy as np

from zerone._data.labels import sorted_classes
from zerone._errors import ArgumentError, ArgumentTypeError

# A column with more values hardly holds classes, and each class costs a comparison per row.
MOST_CLASSES = 1000


def table_parts(table: Any) -> tuple[str, ...]:
    """Return the parts of a table's name."""
    parts = tuple(table.split(".")) if isinstance(table, str) else table
    if not isinstance(parts, tuple) or not all(isinstance(part, str) for part in parts):
        raise ArgumentTypeError(
            "table",
            f"got {table!r}, expected a name, or a tuple of its parts, such as ('schema', 'name')",
        )
    if not parts or not all(parts):
        raise ArgumentError("table", f"got {table!r}, in which a name is empty", "fill it in")
    return parts


def require_weights(name: str, rows: list[tuple[Any, ...]]) -> None:
    """Raise if a class has a weight that is missing, negative or not finite."""
    for _, _, count, smallest, total, n_present in rows:
        if n_present < count:
            problem = f"is NULL in {count - n_present} rows of one class"
        elif smallest < 0:
            problem = f"has {smallest:g}"
        elif not np.isfinite(total):
            problem = "has NaN or infinity"
        else:
            continue
        raise ArgumentError(
            "weight",
            f"column {name!r} {problem}",
            "weights are counts, zero for a row to leave out; correct them in a view",
        )


def checked_labels(name: str, rows: list[tuple[Any, ...]]) -> list[Any]:
    """Return labels as plain values; raises where they cannot be classes."""
    if not rows:
        raise ArgumentError(
            "table",
            "all sample weights are zero, or the table is empty",
            "at least one row with a positive weight is needed",
        )
    if len(rows) > MOST_CLASSES:
        raise ArgumentError(
            "target",
            f"column {name!r} has more than {MOST_CLASSES} different values",
            "name a column of classes",
        )
    for label, _, count, *_ in rows:
        if label is None or label != label:
            raise ArgumentError(
                "target",
                f"column {name!r} is {'NULL' if label is None else 'NaN'} in {count} rows",
                "leave out rows without a label, in a view",
            )
    labels = [_plain(label) for label, *_ in rows]
    try:
        sorted_classes(labels)
        dict.fromkeys(labels)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            "target",
            f"column {name!r} has labels that cannot be classes ({error})",
            "convert them to integers or strings in a view",
        ) from error
    return labels


def _plain(label: Any) -> Any:
    """Return a decimal number as an integer or a float, and anything else as it is."""
    if not isinstance(label, Decimal):
        return label
    is_integer = label.is_finite() and label == label.to_integral_value()
    return int(label) if is_integer else float(label)
