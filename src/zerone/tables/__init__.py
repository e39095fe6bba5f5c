"""Tables with named columns of any type, in files and streams, as labelled batches of numbers.

An `Encoding` says which columns are read and which features they become. Parquet, CSV, LIBSVM text
and anything with the Arrow C stream interface are read in parts of bounded size, always in the same
order, so that reading can go on where it stopped. pyarrow is imported only where a table is opened.
"""

from zerone.tables._chosen import chosen_columns
from zerone.tables._columns import CategoryColumn, NumericColumn
from zerone.tables._encoding import Encoding
from zerone.tables._features import FeatureRows, feature_parts, frame_features
from zerone.tables._labelled import (
    LabelledBatches,
    LabelledPart,
    LabelledSource,
    labelled_table,
)
from zerone.tables._open import open_parquet
from zerone.tables._reencoding import reencoding
from zerone.tables._sample import encoded_rows, sampled_batch
from zerone.tables._source import START, Position
from zerone.tables._target import column_names, labels_of_table
from zerone.tables._text_pieces import OPENERS

__all__ = [
    "OPENERS",
    "START",
    "CategoryColumn",
    "Encoding",
    "FeatureRows",
    "LabelledBatches",
    "LabelledPart",
    "LabelledSource",
    "NumericColumn",
    "Position",
    "chosen_columns",
    "column_names",
    "encoded_rows",
    "feature_parts",
    "frame_features",
    "labelled_table",
    "labels_of_table",
    "open_parquet",
    "reencoding",
    "sampled_batch",
]
