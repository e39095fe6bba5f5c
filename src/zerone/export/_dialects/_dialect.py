"""`Dialect`: how expressions are written for a database, by default as in standard SQL."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from zerone._errors import ArgumentError
from zerone._sql_text import quoted_name, quoted_string

Kind: TypeAlias = Literal["boolean", "integer", "float"]
WHITESPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What is removed around strings."""

DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
TIME = "[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"
ZONE = "([+-][0-9]{2}(:[0-9]{2})?)"
"""Regular expressions of dates in ISO format, of times behind them, and of their zones."""

_LARGEST = float(np.finfo(np.float64).max)
_SMALLEST = float(np.finfo(np.float64).tiny)


class Dialect(ABC):
    """How expressions are written for a database.

    Attributes
    ----------
    engine : str
        Its name in messages.
    text, double : str
        Its types for strings, and for numbers in double precision.
    knows_types : bool
        Whether an expression can ask for the type of a cell, so that one of strings with "1.0" is
        not one of numbers with 1.0.
    folds_case : bool
        Whether quoted names that differ only in their case are the same.
    longest : int or None
        Names with more bytes may be cut.
    once, fence : str
        Follow SELECT, and end a subquery, whose values are computed once, not at every use outside.
    """

    engine: ClassVar[str]
    text: ClassVar[str]
    double: ClassVar[str]
    knows_types: ClassVar[bool] = True
    folds_case: ClassVar[bool] = False
    longest: ClassVar[int | None] = None
    once: ClassVar[str] = ""
    fence: ClassVar[str] = ""

    # -- what is written -------------------------------------------------------------------------

    def name(self, name: str) -> str:
        """Return the quoted name of a column."""
        return quoted_name(name)

    def string(self, value: str) -> str:
        """Return a string literal, the same in every setting of the engine."""
        return quoted_string(value)

    def boolean(self, value: bool) -> str:
        """Return a literal for a boolean."""
        return "TRUE" if value else "FALSE"

    def number(self, value: float) -> str:
        """Return a literal in double precision."""
        # With an exponent a literal is a float; without, an exact decimal number.
        return f"({float(value):.17e})"

    def category(self, value: float) -> str:
        """Return a literal that is a float exactly."""
        return self.number(value)

    def product(self, factor: float, value: str) -> str:
        """Return a number times an expression."""
        return f"{self.number(factor)} * {value}"

    def least(self, one: str, other: str) -> str:
        """Return the smaller one of two numbers that are not NULL."""
        return f"LEAST({one}, {other})"

    def greatest(self, one: str, other: str) -> str:
        """Return the larger one of two numbers that are not NULL."""
        return f"GREATEST({one}, {other})"

    def in_steps(self, steps: Sequence[tuple[str, dict[str, str]]], result: str) -> str:
        """Return an expression of values that are computed step by step, each once per row.

        Parameters
        ----------
        steps : sequence of (str, dict)
            A name, and the expressions by their names; later steps write ``step.name``.
        result : str
            The expression of the values of the last step.
        """
        inner = ""
        for name, values in steps:
            listed = ", ".join(f"{value} AS {own}" for own, value in values.items())
            inner = f" FROM (SELECT {self.once}{listed}{inner}{self.fence}) AS {name}"
        return f"(SELECT {result}{inner})"

    # -- what is read ----------------------------------------------------------------------------

    def cast(self, name: str) -> str:
        """Return a cell of numbers or booleans in double precision."""
        return f"CAST({name} AS {self.double})"

    def strict_cast(self, name: str) -> str:
        """Return the same; an error if the column has strings, also if they look like numbers."""
        return self.cast(f"(0 + {name})")

    def unreadable(self, name: str) -> str | None:
        """Return a case of cells that are no numbers but that `cast` would take for such."""
        return None

    def as_text(self, name: str) -> str:
        """Return a cell as a string that is compared character by character."""
        return f"CAST({name} AS {self.text})"

    def trimmed(self, text: str) -> str:
        """Return a string without white space around it."""
        return f"TRIM(BOTH {self.whitespace} FROM {text})"

    @property
    def whitespace(self) -> str:
        """All characters that `trimmed` removes, as a string."""
        return self.string(WHITESPACE)

    @abstractmethod
    def is_type(self, name: str, kind: Kind) -> str:
        """Return the condition that a cell has a type."""

    def float_cell(self, name: str) -> str:
        """Return a cell in double precision where it has such a type."""
        return f"TRY_CAST({name} AS {self.double})"

    def true_or_false(self, name: str) -> tuple[str, str, str]:
        """Return an expression for a cell of booleans, and what it is for true and for false."""
        return f"CAST({name} AS {self.text})", self.string("true"), self.string("false")

    @abstractmethod
    def is_date(self, name: str, text: str) -> str:
        """Return the condition that a cell, as a string ``text``, is one that `days` reads."""

    @abstractmethod
    def days(self, name: str, text: str) -> str:
        """Return the days since 1970-01-01, NULL for days that the calendar does not have.

        Parameters
        ----------
        name : str
            The quoted column.
        text : str
            Its cell as a string; `is_date` holds.
        """

    # -- what is refused -------------------------------------------------------------------------

    def check_names(self, names: Sequence[str]) -> None:
        """Raise if the engine cannot have columns of these names, or would mix them up."""
        seen: dict[str, str] = {}
        for name in names:
            if "\0" in name:
                raise unusable(name, "has the character NUL, which no database can hold")
            if not name:
                raise unusable(name, "is empty, which SQL does not allow")
            if self.longest is not None and len(name.encode()) > self.longest:
                said = f"is longer than {self.longest} bytes, after which {self.engine} may cut it"
                raise unusable(name, said)
            other = seen.setdefault(name.casefold() if self.folds_case else name, name)
            if other != name:
                said = f"{self.engine} takes {other!r} and {name!r} for one name"
                raise ArgumentError(
                    "dialect", f"{said}, and both are columns of the model", "rename one of them"
                )

    def check_categories(self, column: str, categories: Sequence[str]) -> None:
        """Raise if the engine cannot tell the categories of a column apart."""
        for category in categories:
            if "\0" in category:
                raise ArgumentError(
                    "dialect",
                    f"column {column!r} has the category {category!r} with the character NUL, "
                    "which no database can hold",
                    "⟨not sql⟩",
                )


def unusable(name: str, why: str) -> ArgumentError:
    """Return the error for the name of a column."""
    return ArgumentError("dialect", f"the name of column {name!r} {why}", "rename the column")


def without_underflow(write: Dialect, factor: float, value: str) -> str:
    """Return a product for engines in which one that rounds to zero is an error."""
    product = f"{write.number(factor)} * {value}"
    if not factor:
        return product
    limit = write.number(min(_SMALLEST / abs(factor), _LARGEST))
    return f"CASE WHEN ABS({value}) < {limit} THEN {write.number(0)} ELSE {product} END"
