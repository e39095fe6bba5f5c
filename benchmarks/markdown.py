"""Tables and numbers in Markdown."""

from collections.abc import Iterable, Sequence


def grid(header: Sequence[str], body: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table, and an empty one."""
    rule = ["---"] * len(header)
    return [f"| {' | '.join(cells)} |" for cells in (header, rule, *body)] + [""]


def time_text(value: float | None) -> str:
    """Return a time in the largest unit that leaves no zero before the point."""
    if value is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-6:.3g} µs"


def number(value: float | None, digits: int) -> str:
    """Return a number, or nothing for None."""
    return "" if value is None else f"{value:.{digits}f}"
