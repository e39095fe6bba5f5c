"""Colours and axes of all pictures."""

from typing import Any

# Okabe and Ito's palette, for colour-blind readers and for print.
POSITIVE = "#D55E00"
NEGATIVE = "#0072B2"
DIFFERENCE = "#009E73"
MODEL = "#CC79A7"
MEASURED = "#000000"
CHANCE = "#777777"


def pyplot() -> Any:
    """Return matplotlib's pyplot; the error says how to install it."""
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
    """Return a string that is drawn as it is: dollar signs would start a formula."""
    return str(text).replace("$", r"\$")


def shortened(name: str, longest: int = 40) -> str:
    """Return a name that leaves room for the picture."""
    return name if len(name) <= longest else name[: longest - 1] + "…"


def legend_below(ax: Any, label_lines: int = 1, **options: Any) -> None:
    """Draw the legend below a label of so many lines: within there is no place always free."""
    # In units of the font, so that the distance does not change with the height of the axes.
    ax.legend(
        loc="upper center", bbox_to_anchor=(0.5, 0.0), borderaxespad=2.4 + 1.4 * label_lines,
        frameon=False, **options,
    )  # fmt: skip
