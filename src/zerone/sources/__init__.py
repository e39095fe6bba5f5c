"""What can be read: arrays, sparse matrices and data frames become a `Batch`.

This is the lowest room of the house. It knows data containers and nothing about
statistics: a `Batch` is a numeric matrix (dense or CSR), the class of each row
as an integer code, and the row weights.
"""

from zerone.sources._batch import Batch, read_batch
from zerone.sources._labels import label_list, sorted_classes

__all__ = ["Batch", "label_list", "read_batch", "sorted_classes"]
