"""Categories that are floats, or may be taken for such."""

import numpy as np


def as_float(category: str) -> float | None:
    """Return the float that a string may be read as; None if it is none."""
    try:
        return float(category)
    except ValueError:
        return None


def float_of(category: str) -> float | None:
    """Return the float whose category this is, None if there is none.

    A float that is an integer has a category without a decimal point.
    """
    number = as_float(category)
    if number is None or np.isnan(number):
        return None
    return number if category == category_of(number) else None


def category_of(number: float) -> str:
    """Return the category of a float."""
    return str(int(number)) if number.is_integer() else str(number)
