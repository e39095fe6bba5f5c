"""The features of a split: the encoding is learned from its training rows."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from zerone._data.columns.filled import FilledColumn
from zerone._data.encode import encode, reading_of
from zerone._data.encoding import Encoding
from zerone._data.plan import planned_encoding
from zerone._data.readers.source import START, Position, TablePart, TextFacts
from zerone._data.table_options import TableOptions
from zerone._data.windows import read_rows
from zerone._rows.table_rows import SampledColumns
from zerone._typing import FloatArray


def encoded_split(
    train: SampledColumns, test: SampledColumns
) -> tuple[FloatArray, FloatArray, Encoding]:
    """Return the features of training rows and of held-out rows, and their encoding.

    As in `fit_table` on the training rows and `predict` for the others.
    """
    with warnings.catch_warnings():
        # What is left out was told for the whole table.
        warnings.simplefilter("ignore")
        planned = planned_encoding(_InMemory(train.columns, train.facts), _of_features(train))
    reading = reading_of(planned, "refuse", "the training rows")
    rows, encoding = encode(train.columns, planned, reading)
    X = _as_array(rows)
    encoding = _with_weighted_fills(X, encoding, train.weights)
    held_out, _ = encode(test.columns, encoding, reading_of(encoding, "accept", "held-out rows"))
    return X, _as_array(held_out), encoding


def _of_features(train: SampledColumns) -> TableOptions:
    """Return the options of the table without its target and its weights, which are read."""
    given, names = train.options, train.columns.schema.names

    def read(wanted: Sequence[str]) -> list[str]:
        return [name for name in wanted if name in names]

    return replace(
        given,
        target=None,
        weight=None,
        columns=names,
        categorical=read(given.categorical),
        keep=read(given.keep),
        hashed=read(given.hashed),
        text=read(given.text),
    )


def _as_array(rows: Any) -> FloatArray:
    return read_rows(rows, np.arange(rows.shape[0]))


def _with_weighted_fills(X: FloatArray, encoding: Encoding, weights: FloatArray | None) -> Encoding:
    """Return the encoding with weighted means for missing numbers, and write them into ``X``.

    So far they are means without weights.
    """
    if weights is None or encoding.strict:
        return encoding
    fills, start = {}, 0
    for column in encoding.columns:
        width = len(column.feature_names)
        if isinstance(column, FilledColumn):
            is_known = np.ones(len(X), dtype=bool)
            if column.has_indicator:
                is_known = X[:, start + width - 1] == 0
            if is_known.any():
                own = np.average(X[is_known, start], weights=weights[is_known])
                fills[column.name] = float(own)
                X[~is_known, start] = own
        start += width
    return encoding.with_fills(fills)


class _InMemory:
    """Rows in memory as a `TableSource`, with what reading their text has shown."""

    is_rereadable = True
    identity = None

    def __init__(self, rows: Any, facts: TextFacts) -> None:
        self._rows = rows
        self.schema = rows.schema
        # Notes on lines and cells were told for the whole table.
        self.facts = replace(facts, notes=[], mixed=set(), null_cells={})

    def parts(self, columns: Sequence[str], start: Position = START) -> Iterator[TablePart]:
        """Yield all rows as one part, with some of the columns."""
        n_rows = self._rows.num_rows
        where = (0, n_rows, n_rows)
        yield TablePart(self._rows.select(list(columns)), "the training rows", where, 1.0)
