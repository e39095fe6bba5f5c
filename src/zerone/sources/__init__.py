"""What can be read: arrays, sparse matrices and data frames become a `Batch`.

This is the lowest room of the house. It knows data containers and nothing about
statistics: a `Batch` is a numeric table (dense, columns or CSR), the class of each row
as an integer code, and the row weights.
"""

from zerone.sources._batch import Batch, read_batch
from zerone.sources._columns import ColumnTable
from zerone.sources._frames import is_frame, is_from, one_array, read_frame
from zerone.sources._labels import label_list, sorted_classes
from zerone.sources._windows import read_columns, read_rows, read_window

__all__ = [
    "Batch",
    "ColumnTable",
    "is_frame",
    "is_from",
    "label_list",
    "one_array",
    "read_batch",
    "read_columns",
    "read_frame",
    "read_rows",
    "read_window",
    "sorted_classes",
]
