"""What all pictures share."""

from typing import Any

# Okabe and Ito's palette: told apart by the colour-blind and in print.
POSITIVE = "#D55E00"
NEGATIVE = "#0072B2"
DIFFERENCE = "#009E73"
MODEL = "#CC79A7"
MEASURED = "#000000"
CHANCE = "#777777"


def pyplot() -> Any:
    """Return matplotlib's pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("pictures need matplotlib; install zerone[plot]") from None
    return plt


def axes_of(ax: Any, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return figure and axes: those given, or new ones of a size in inches."""
    if ax is not None:
        return ax.figure, ax
    figure, ax = pyplot().subplots(figsize=size, layout="constrained")
    return figure, ax


def plain(text: object) -> str:
    """Return text that is drawn as it is: dollar signs would begin a formula."""
    return str(text).replace("$", r"\$")
