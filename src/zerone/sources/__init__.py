"""What can be read: arrays, sparse matrices and data frames become a `Batch`.

This is the lowest room of the house. It knows data containers and nothing about
statistics: a `Batch` is a numeric table (dense, columns or CSR), the class of each row
as an integer code, and the row weights.
"""

from zerone.sources._batch import Batch, read_batch
from zerone.sources._columns import ColumnTable
from zerone.sources._dask import (
    dask_width,
    has_no_rows,
    is_dask,
    is_dask_frame,
    per_partition,
    whole_rows,
)
from zerone.sources._device_batch import DeviceBatch, is_on_device, read_device_batch
from zerone.sources._frames import is_frame, is_from, one_array, read_frame
from zerone.sources._labels import label_list, sorted_classes
from zerone.sources._places import (
    Place,
    in_memory,
    is_foreign,
    is_out_of_memory,
    memory_of,
    on_host,
    place_of,
    to_host,
)
from zerone.sources._sharing import shared_places
from zerone.sources._windows import read_columns, read_rows, read_window

__all__ = [
    "Batch",
    "ColumnTable",
    "DeviceBatch",
    "Place",
    "dask_width",
    "has_no_rows",
    "in_memory",
    "is_dask",
    "is_dask_frame",
    "is_foreign",
    "is_frame",
    "is_from",
    "is_on_device",
    "is_out_of_memory",
    "label_list",
    "memory_of",
    "on_host",
    "one_array",
    "per_partition",
    "place_of",
    "read_batch",
    "read_columns",
    "read_device_batch",
    "read_frame",
    "read_rows",
    "read_window",
    "shared_places",
    "sorted_classes",
    "to_host",
    "whole_rows",
]
