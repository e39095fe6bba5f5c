"""SQL of the standard, for engines without a dialect of their own."""

from collections.abc import Sequence

from zerone._errors import ArgumentError
from zerone.export._dialects._dialect import Dialect, Kind, without_underflow
from zerone.export._dialects._numbers import as_float


class Ansi(Dialect):
    """Standard SQL, which cannot ask for the type of a cell."""

    engine = "ANSI SQL"
    text = "VARCHAR"
    double = "DOUBLE PRECISION"
    knows_types = False
    # Some of its engines do, and some cut names as PostgreSQL does.
    folds_case = True
    longest = 63
    once = "DISTINCT "

    def number(self, value: float) -> str:
        return f"CAST({float(value):.17e} AS DOUBLE PRECISION)"

    def product(self, factor: float, value: str) -> str:
        return without_underflow(self, factor, value)

    def least(self, one: str, other: str) -> str:
        return f"CASE WHEN {one} < {other} THEN {one} ELSE {other} END"

    def greatest(self, one: str, other: str) -> str:
        return f"CASE WHEN {one} > {other} THEN {one} ELSE {other} END"

    def cast(self, name: str) -> str:
        # Strings cannot be added, so that they are an error and not read as numbers.
        return f"CAST((0 + {name}) AS DOUBLE PRECISION)"

    def strict_cast(self, name: str) -> str:
        return self.cast(name)

    def is_type(self, name: str, kind: Kind) -> str:
        raise NotImplementedError

    def is_date(self, name: str, text: str) -> str:
        raise self._no_dates()

    def days(self, name: str, text: str) -> str:
        raise self._no_dates()

    def _no_dates(self) -> ArgumentError:
        return ArgumentError(
            "dialect",
            "ANSI SQL has no function for the days between two dates that databases share",
            "choose the dialect of the database, or leave columns of dates out",
        )

    def check_categories(self, column: str, categories: Sequence[str]) -> None:
        super().check_categories(column, categories)
        for category in categories:
            if as_float(category) is not None or category.lower() in ("true", "false"):
                raise ArgumentError(
                    "dialect",
                    f"column {column!r} has the category {category!r}, which may be a string, a "
                    "number or a boolean, and ANSI SQL cannot ask which",
                    "choose the dialect of the database",
                )
