"""Warnings that point to the line of user code that caused them."""

import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parent)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, and point to the nearest line of code outside the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    # As an instance, so that filters see the message as it is worded.
    warnings.warn(category(message), stacklevel=level)
