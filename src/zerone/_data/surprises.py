"""Cells of text that were not expected: counted over all parts of a table, and told once."""

from collections import Counter
from dataclasses import dataclass, field

from zerone._errors import AdviceWarning
from zerone._warnings import warn

_SHOWN = 3


@dataclass
class Surprises:
    """Counts of cells that are not read as they stand, by column and by what happens to them."""

    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    _examples: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, column: str, said: str, n_values: int, examples: list[str] | None = None) -> None:
        """Count some cells.

        Parameters
        ----------
        column : str
        said : str
            What they are and what happens to them, such as "are no numbers, read as missing".
        n_values : int
        examples : list of str, optional
        """
        key = (column, said)
        self._counts[key] += n_values
        known = self._examples.setdefault(key, [])
        for example in examples or []:
            if len(known) < _SHOWN and example not in known:
                known.append(example)

    def add_column(self, column: str, said: str) -> None:
        """Tell of a whole column."""
        self._counts[column, said] = 0
        self._examples[column, said] = []

    def told(self) -> list[tuple[str, str, int]]:
        """Return the column, the sentence and the number of cells for every kind of surprise."""
        return [
            (column, said + _such_as(self._examples[column, said]), n_values)
            for (column, said), n_values in self._counts.items()
        ]

    def warn(self) -> None:
        """Warn of all of them, once."""
        found = self.told()
        if found:
            lines = "; ".join(
                f"column {column!r}: {said}{_counted(n_values)}" for column, said, n_values in found
            )
            warn(f"not all is as in training. {lines}", AdviceWarning)


def _such_as(examples: list[str]) -> str:
    return f", such as {', '.join(map(repr, examples))}" if examples else ""


def _counted(n_values: int) -> str:
    return f" ({n_values:,} {'value' if n_values == 1 else 'values'})" if n_values else ""
