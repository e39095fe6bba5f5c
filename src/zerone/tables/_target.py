"""The labels of a table, or the names of its columns, and nothing else of it."""

from typing import Any

import numpy as np

from zerone._typing import AnyArray
from zerone.tables._libsvm import LibsvmSource
from zerone.tables._open import closed_on_failure, open_table


def labels_of_table(source: Any, target: str | None, *, is_text: bool = False) -> AnyArray:
    """Return the labels of all rows of a table.

    Parameters
    ----------
    source : as in `zerone.Moments.from_table`
    target : str or None
        None for LIBSVM text.
    is_text : bool
        Whether labels of CSV are text though they may look like numbers.
    """
    texts = [target] if is_text and target is not None else []
    opened = open_table(source, categories=texts, target=target)
    if isinstance(opened, LibsvmSource):
        return np.concatenate([part.rows[1] for part in opened.parts()])
    from zerone.tables._arrow_values import labels_of

    with closed_on_failure(opened):
        if target is None or target not in opened.schema.names:
            raise ValueError(
                f"target: there is no column {target!r}; the table has "
                f"{', '.join(map(repr, opened.schema.names))}"
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
