"""SQL of Spark."""

from collections.abc import Sequence
from typing import ClassVar

from zerone._sql_text import quoted_string
from zerone.export._dialects._dialect import DATE, TIME, Dialect, Kind, unusable


class Spark(Dialect):
    """Spark SQL, in which settings decide what backslashes, quotes and dollar signs mean."""

    engine = "Spark"
    text = "STRING"
    double = "DOUBLE"
    folds_case = True

    _TYPES: ClassVar[dict[str, str]] = {
        "boolean": "'boolean'",
        "integer": "'tinyint', 'smallint', 'int', 'bigint'",
        "float": "'float', 'double'",
    }

    def name(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def string(self, value: str) -> str:
        # By default a backslash escapes, before Spark 4 two quotes end a string and start another,
        # and ${…} is replaced by a variable.
        if value.isprintable() and not {*value} & {"\\", "'", "$"}:
            return quoted_string(value)
        return f"CAST(X'{value.encode().hex().upper()}' AS STRING)"

    def number(self, value: float) -> str:
        # More digits of the largest number are out of range.
        return f"({float(value)!r}D)"

    def in_steps(self, steps: Sequence[tuple[str, dict[str, str]]], result: str) -> str:
        # A subquery would be put in place of every use of its values; a function is not.
        structs = [
            "named_struct(" + ", ".join(f"'{own}', {value}" for own, value in values.items()) + ")"
            for _, values in steps
        ]
        found, *bodies = *structs, result
        for (name, _), body in zip(steps, bodies, strict=True):
            found = f"element_at(transform(array({found}), {name} -> {body}), 1)"
        return found

    def strict_cast(self, name: str) -> str:
        return self.cast(name)

    def unreadable(self, name: str) -> str | None:
        said = "concat('a column of numbers holds the string ', "
        error = f"raise_error({said}CAST({name} AS STRING)))"
        return f"WHEN typeof({name}) = 'string' AND {name} IS NOT NULL THEN CAST({error} AS DOUBLE)"

    def is_type(self, name: str, kind: Kind) -> str:
        return f"typeof({name}) IN ({self._TYPES[kind]})"

    def is_date(self, name: str, text: str) -> str:
        return f"{text} RLIKE '^{DATE}({TIME})?$'"

    def days(self, name: str, text: str) -> str:
        # Times of the session's zone, as Spark shows them; no function of dates reads a time
        # without a zone in every version.
        def part(first: int, n: int) -> str:
            digits = f"substring({text}, {first}, {n})"
            return f"COALESCE(TRY_CAST(NULLIF({digits}, '') AS DOUBLE), 0D)"

        seconds = f"({part(12, 2)} * 3600 + {part(15, 2)} * 60 + {part(18, 9)})"
        day = f"TRY_CAST(substring({text}, 1, 10) AS DATE)"
        return f"(datediff({day}, DATE'1970-01-01') + {seconds} / 86400)"

    def check_names(self, names: Sequence[str]) -> None:
        super().check_names(names)
        for name in names:
            if "${" in name:
                raise unusable(name, "has ${, which Spark may replace by a variable")
