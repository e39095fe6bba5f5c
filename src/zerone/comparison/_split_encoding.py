"""The features of a split: the encoding is learned from its training rows."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.columns.filled import FilledColumn
from zerone._data.encode import encode, reading_of
from zerone._data.encoding import Encoding
from zerone._data.plan import planned_encoding
from zerone._data.readers.source import START, Position, TablePart, TextFacts
from zerone._data.table_options import TableOptions
from zerone._data.windows import read_rows
from zerone._rows.table_rows import SampledColumns
from zerone._typing import FloatArray
from zerone.comparison._bent import bends_of_features


def encoded_split(
    train: SampledColumns, test: SampledColumns
) -> tuple[Any, Any, Encoding, Encoding]:
    """Return the features of training rows and of held-out rows, and their encoding.

    As in `fit_table` on the training rows and `predict` for the others: arrays, or sparse rows if a
    column is hashed. Last comes where these features may bend.
    """
    with warnings.catch_warnings():
        # What is left out was told for the whole table.
        warnings.simplefilter("ignore")
        bent = planned_encoding(_InMemory(train.columns, train.facts), _of_features(train))
    planned = bent.straight_but()
    reading = reading_of(planned, "refuse", "the training rows")
    rows, encoding = encode(train.columns, planned, reading)
    if train.weights is not None and not encoding.strict:
        # So far missing numbers are replaced by means without weights.
        encoding = encoding.with_fills(_weighted_means(rows, encoding, train.weights))
        rows, _ = encode(train.columns, encoding, reading)
    held_out, _ = encode(test.columns, encoding, reading_of(encoding, "accept", "held-out rows"))
    return _readable(rows), _readable(held_out), encoding, bends_of_features(bent, encoding)


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
        shapes="bends",
        categorical=read(given.categorical),
        keep=read(given.keep),
        hashed=read(given.hashed),
        text=read(given.text),
    )


def _readable(rows: Any) -> Any:
    """Return a table of columns as an array; sparse rows are that already."""
    return rows if sp.issparse(rows) else read_rows(rows, np.arange(rows.shape[0]))


def _weighted_means(rows: Any, encoding: Encoding, weights: FloatArray) -> dict[str, float]:
    """Return the weighted mean of the known values of each column of numbers or dates."""
    means, start = {}, 0
    columns = rows.tocsc() if sp.issparse(rows) else _readable(rows)
    for column in encoding.columns:
        width = len(column.feature_names)
        if isinstance(column, FilledColumn):
            known = weights
            if column.has_indicator:
                known = weights * (1.0 - _feature(columns, start + width - 1))
            if known.any():
                parts = [_feature(columns, start + own) for own in range(len(column.value_names))]
                values = column.number_of(np.stack(parts, axis=1))
                means[column.name] = float(np.average(values, weights=known))
        start += width
    return means


def _feature(columns: Any, position: int) -> FloatArray:
    chosen = columns[:, [position]]
    values: FloatArray = chosen.toarray() if sp.issparse(chosen) else chosen
    return values.ravel()


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
