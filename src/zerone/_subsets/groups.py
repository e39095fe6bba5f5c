"""Which features belong together: those of one column of a table."""

import numpy as np

from zerone._moments.moments import Moments
from zerone._typing import IntArray


def feature_groups(moments: Moments) -> IntArray:
    """Return the number of the column of each feature; without a table each is its own column."""
    if moments.encoding is None:
        return np.arange(moments.n_features)
    widths = [len(column.feature_names) for column in moments.encoding.columns]
    return np.repeat(np.arange(len(widths)), widths)


def group_names(moments: Moments) -> list[str]:
    """Return the names of the columns; positions for features that have none."""
    if moments.encoding is not None:
        return list(moments.encoding.column_names)
    names = moments.feature_names
    return [f"feature {i}" for i in range(moments.n_features)] if names is None else list(names)
