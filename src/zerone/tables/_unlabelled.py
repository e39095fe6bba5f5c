"""Rows of a table as features, for predicting."""

from collections.abc import Iterator, Sequence
from typing import Any

from zerone.sources import ColumnTable
from zerone.tables._encoding import Encoding
from zerone.tables._libsvm import LibsvmSource
from zerone.tables._open import open_table


def encoded_parts(
    source: Any,
    encoding: Encoding,
    *,
    also: Sequence[str] = (),
    null_values: Sequence[str] = (),
) -> Iterator[tuple[ColumnTable, Any]]:
    """Yield the features of a table's rows, and the other columns that were asked for.

    Parameters
    ----------
    source : as in `zerone.Moments.from_table`
    encoding : Encoding
    also : sequence of str
        Columns that are handed on as they are.
    null_values : as in `zerone.Moments.from_table`

    Yields
    ------
    table : ColumnTable
    rows : TablePart
    """
    from zerone.tables._columns import CategoryColumn
    from zerone.tables._encode import encode
    from zerone.tables._kinds import require_columns

    texts = [column.name for column in encoding.columns if isinstance(column, CategoryColumn)]
    opened = open_table(source, categories=texts, null_values=null_values)
    if isinstance(opened, LibsvmSource):
        raise ValueError("source: LIBSVM text has no named columns, which this model was fitted to")
    require_columns(encoding, opened.schema)
    for part in opened.parts([*encoding.column_names, *also]):
        yield encode(part.rows, encoding, "accept", part.where)[0], part
