"""Small array helpers shared by the moment representations."""

import numpy as np

from zerone._typing import AnyArray, FloatArray


def frozen(values: AnyArray) -> FloatArray:
    """Return ``values`` as a read-only float64 array, without a copy where none is needed.

    The caller hands the array over: it must not be written to afterwards.
    """
    array: FloatArray = np.asarray(values, dtype=np.float64)
    array = array.view()
    array.flags.writeable = False
    return array


def exact_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ``a + b`` rounded and what the rounding left out (Knuth's two-sum)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)
