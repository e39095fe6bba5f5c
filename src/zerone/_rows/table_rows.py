"""Rows of a table in a file, a frame or a stream, sampled in a second pass."""

from collections import Counter
from functools import partial
from typing import Any

import numpy as np

from zerone._data.encoding import Encoding
from zerone._data.labelled import LabelledLibsvm, LabelledPart, LabelledTable, labelled_table
from zerone._data.labels import label_list
from zerone._data.readers.source import START
from zerone._data.reencoding import reencoding
from zerone._data.sample import ClassSampler
from zerone._data.table_options import ScanOptions, TableOptions
from zerone._data.windows import read_rows
from zerone._engines.scan import scan
from zerone._moments.moments import Moments
from zerone._rows.array_rows import ArrayRows
from zerone._rows.rows import Rows
from zerone._typing import FloatArray, IntArray, Label

_FEW_ROWS = 1_000


class TableRows(Rows):
    """The rows of a table; ``scanned`` are the options of the first pass."""

    def __init__(self, table: LabelledTable | LabelledLibsvm, scanned: ScanOptions) -> None:
        self._table = table
        self._scanned = scanned
        self.can_be_sampled = table.is_rereadable

    @classmethod
    def opened(cls, source: Any, options: TableOptions, scanned: ScanOptions) -> "TableRows":
        """Open a table; only its header or schema is read."""
        return cls(labelled_table(source, options), scanned)

    def _summed(self) -> Moments:
        return scan(self._table, self._scanned)

    def sample(self, max_values: int, random: np.random.RandomState) -> ArrayRows:
        """Return a sample, drawn in another pass over the table."""
        moments = self.moments()
        encoding, n_features = moments.encoding, moments.n_features
        sampler = ClassSampler(self._sizes(), int(max_values // self._values_per_row(encoding)))
        parts = []
        for part in self._table.parts(START, encoding):
            read = partial(_encoded_rows, part, encoding, n_features)
            drawn = sampler.draw(part.batch, random, read)
            if drawn is not None:
                parts.append(drawn)
        totals = {label: own.weight for label, own in moments.items()}
        batch = sampler.joined(parts, totals)
        return ArrayRows(batch, n_jobs=self._scanned.n_jobs, is_sample=not sampler.is_whole)

    def _values_per_row(self, encoding: Encoding | None) -> float:
        """Return how many numbers a row takes; of hashed columns, only those that are not zero."""
        if encoding is None or not encoding.is_sparse:
            return self.moments().n_features
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


def _encoded_rows(
    part: LabelledPart, encoding: Encoding | None, n_features: int, taken: IntArray
) -> Any:
    """Return some rows of a part as floats, with the features of the complete scan.

    Rows with hashed columns are sparse, and have the features of a complete scan already.
    """
    if encoding is not None and encoding.is_sparse:
        return part.batch.rows[taken].astype(np.float64)
    rows: Any = read_rows(part.batch.rows, taken)
    if encoding is not None and part.encoding is not None and part.encoding != encoding:
        found = reencoding(part.encoding, encoding)
        rows = rows if found is None else rows @ found[0].T + found[1]
    features: FloatArray = np.pad(rows, ((0, 0), (0, n_features - rows.shape[1])))
    return features
