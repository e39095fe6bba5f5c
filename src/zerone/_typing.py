"""Type names used across the package."""

from collections.abc import Hashable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
AnyArray: TypeAlias = NDArray[Any]
Label: TypeAlias = Hashable

FitMetric: TypeAlias = Literal["error", "auc"]
"""What a classifier optimises: the error, or the AUC."""

Level: TypeAlias = Literal["frontier", "polish"]
"""How far a fit on rows goes beyond the moments."""
