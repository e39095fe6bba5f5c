"""Rows of a table in a file, a frame or a stream, sampled in a second pass."""

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from zerone._data.encoding import Encoding
from zerone._data.labelled import LabelledLibsvm, LabelledPart, LabelledTable, labelled_table
from zerone._data.labels import label_list
from zerone._data.readers.source import START, TextFacts
from zerone._data.reencoding import reencoding
from zerone._data.sample import ClassSampler
from zerone._data.table_options import ScanOptions, TableOptions
from zerone._data.windows import read_rows
from zerone._engines.scan import scan
from zerone._errors import ArgumentError
from zerone._moments.moments import Moments
from zerone._progress import followed
from zerone._rows.array_rows import ArrayRows
from zerone._rows.rows import Rows
from zerone._typing import AnyArray, FloatArray, IntArray, Label

_FEW_ROWS = 1_000
# So many different numbers as labels, with fewer rows each, are a quantity.
_MANY_NUMBERS = 100
_ROWS_OF_A_CLASS = 100


class TableRows(Rows):
    """The rows of a table; ``scanned`` are the options of the first pass."""

    def __init__(self, table: LabelledTable | LabelledLibsvm, scanned: ScanOptions) -> None:
        self._table = table
        self._scanned = scanned
        self.can_be_sampled = table.is_rereadable

    @classmethod
    def opened(cls, source: Any, options: TableOptions, scanned: ScanOptions) -> "TableRows":
        """Open a table; only its header or schema is read."""
        return cls(labelled_table(source, options, scanned.progress), scanned)

    def _summed(self) -> Moments:
        moments = scan(self._table, self._scanned)
        if isinstance(self._table, LabelledTable):
            target = self._table.target
            if target not in self._table.options.categorical:
                _require_classes(moments, target)
        return moments

    def sample(self, max_values: int, random: np.random.RandomState) -> ArrayRows:
        """Return a sample, drawn in another pass over the table."""
        moments = self.moments()
        encoding, n_features = moments.encoding, moments.n_features
        sizes = self._sizes()
        # Wide sparse rows are solved approximately, so that few of them become an array.
        is_small, per_row = sum(sizes.values()) * n_features <= max_values, float(n_features)
        is_sparse = encoding is not None and encoding.is_sparse and not is_small
        if encoding is not None and is_sparse:
            per_row = self._values_per_row(encoding)
        sampler = ClassSampler(sizes, int(max_values // per_row))
        parts = []
        passed = followed(
            self._table.parts(START, encoding),
            self._scanned.progress,
            "rows to refine on",
            lambda part: part.n_rows,
            lambda part: part.share,
        )
        for part in passed:
            read = partial(_encoded_rows, part, encoding, n_features, is_sparse)
            drawn = sampler.draw(part.batch, random, read)
            if drawn is not None:
                parts.append(drawn)
        totals = {label: own.weight for label, own in moments.items()}
        batch = sampler.joined(parts, totals)
        return ArrayRows(batch, n_jobs=self._scanned.n_jobs, is_sample=not sampler.is_whole)

    def sampled_columns(self, max_values: int, random: np.random.RandomState) -> "SampledColumns":
        """Return a sample as in `sample`, with the cells of the columns as they were read.

        Only columns that become features are there; LIBSVM text has none. The sample is for arrays,
        also where columns are hashed.
        """
        from pyarrow import concat_tables
        from pyarrow import table as arrow_table

        assert isinstance(self._table, LabelledTable), "LIBSVM text has no columns"
        moments = self.moments()
        assert moments.encoding is not None, "the moments of a table have one"
        names = moments.encoding.column_names
        sampler = ClassSampler(self._sizes(), max_values // moments.n_features)
        parts = []
        passed = followed(
            self._table.unencoded_parts(names),
            self._scanned.progress,
            "rows to compare",
            lambda part: part.n_rows,
            lambda part: part.share,
        )
        for part in passed:
            drawn = sampler.draw(part.batch, random, part.batch.rows.take)
            if drawn is not None:
                parts.append(drawn)
        totals = {label: own.weight for label, own in moments.items()}
        labels, weights = sampler.labels_and_weights(parts, totals)
        tables = [arrow_table(part.rows.columns, part.rows.schema.names) for part in parts]
        columns = concat_tables(tables, promote_options="permissive").unify_dictionaries()
        facts = self._table.source.facts
        return SampledColumns(
            columns.combine_chunks().to_batches()[0],
            labels,
            weights,
            replace(self._table.options, columns=names),
            TextFacts() if facts is None else facts,
            not sampler.is_whole,
        )

    @property
    def has_columns(self) -> bool:
        """Whether the table has columns with names, which LIBSVM text has not."""
        return isinstance(self._table, LabelledTable)

    def _values_per_row(self, encoding: Encoding) -> float:
        """Return how many features of a row with hashed columns are not zero."""
        from zerone._data.encode import encode, reading_of

        # Text takes long to hash, and some rows are enough to know how long it is.
        part = next(self._table.source.parts(encoding.column_names))
        few = part.rows.slice(0, _FEW_ROWS)
        rows, _ = encode(few, encoding, reading_of(encoding, "accept", part.where))
        per_row: float = rows.nnz / max(rows.shape[0], 1)
        return max(per_row, 1.0)

    def _sizes(self) -> dict[Label, int]:
        """Return the number of rows of each class."""
        if isinstance(self._table, LabelledLibsvm) or self._table.options.weight is None:
            return {label: int(m.weight) for label, m in self.moments().items()}
        # The number of rows does not follow from their weights.
        sizes: Counter[Label] = Counter()
        for classes, counts in self._table.class_counts():
            sizes.update(dict(zip(label_list(classes), counts.tolist(), strict=True)))
        return dict(sizes)


@dataclass(frozen=True, eq=False)
class SampledColumns:
    """Rows of a table whose columns are not encoded yet.

    Attributes
    ----------
    columns : pyarrow.RecordBatch
    labels : ndarray of shape (n_rows,)
    weights : ndarray of shape (n_rows,) or None
        Row weights times the number of rows that each row of a sample stands for.
    options : TableOptions
        How the columns are read; ``columns`` are those of ``columns``.
    facts : TextFacts
        What reading the text has shown.
    is_sample : bool
        Whether these are only some of the rows.
    """

    columns: Any
    labels: AnyArray
    weights: FloatArray | None
    options: TableOptions
    facts: TextFacts
    is_sample: bool


def _require_classes(moments: Moments, target: str) -> None:
    """Raise if the target is a quantity in whole numbers, such as a price."""
    n_classes = len(moments)
    if moments.classes.dtype.kind not in "iuf" or n_classes <= _MANY_NUMBERS:
        return
    if moments.weight < _ROWS_OF_A_CLASS * n_classes:
        raise ArgumentError(
            "target",
            f"column {target!r} has {n_classes:,} different numbers, so it is taken for a quantity",
            "name a column of classes, or make a few classes of it; if the numbers are names, list "
            "the column in ⟨categorical⟩",
        )


def _encoded_rows(
    part: LabelledPart,
    encoding: Encoding | None,
    n_features: int,
    is_sparse: bool,
    taken: IntArray,
) -> Any:
    """Return some rows of a part as floats, with the features of the complete scan.

    Sparse rows have the features of a complete scan already.
    """
    if is_sparse:
        return part.batch.rows[taken].astype(np.float64)
    rows: Any = read_rows(part.batch.rows, taken)
    if encoding is not None and part.encoding is not None and part.encoding != encoding:
        found = reencoding(part.encoding, encoding)
        rows = rows if found is None else rows @ found[0].T + found[1]
    features: FloatArray = np.pad(rows, ((0, 0), (0, n_features - rows.shape[1])))
    return features
