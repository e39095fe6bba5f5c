"""The plan of a table: its encoding, with what was assumed about every column."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from zerone._data.arrow_values import may_be_category
from zerone._data.encoding import Encoding, Note
from zerone._data.look import look_at
from zerone._data.planner import Planner
from zerone._data.readers.open import closed_on_failure
from zerone._data.readers.source import TextFacts
from zerone._data.table_options import TableOptions
from zerone._errors import AdviceError, AdviceWarning, ArgumentError, ArgumentTypeError
from zerone._progress import ProgressReport
from zerone._warnings import warn


def planned_encoding(
    source: Any, options: TableOptions, progress: bool | ProgressReport | None = None
) -> Encoding:
    """Return the encoding of a table, from one look at its rows.

    A stream that can be read only once is looked at no further than its first rows; its encoding
    grows as it is read.
    """
    with closed_on_failure(source):
        names = options.feature_columns(source.schema.names)
        _require_known(options, names)
        _require_categories(options, source.schema)
    look = look_at(source, names, options, progress)
    if look.n_unlabelled and not look.n_rows:
        raise ArgumentError(
            "target",
            f"column {options.target!r} has no value in any row",
            "name the column that holds the classes",
        )
    facts = source.facts or TextFacts()
    planner = Planner(look, options, facts)
    found = [planner.column(look.columns[name]) for name in names]
    if planner.problems:
        raise _all_of(planner.problems)
    columns = tuple(column for column in found if column is not None)
    if options.has_bends:
        columns = planner.bent(columns)
    notes = (*(Note(*own) for own in facts.notes), *planner.notes)
    if options.target is not None and look.n_unlabelled:
        said = "rows without a label are left out"
        notes = (*notes, Note(options.target, said, look.n_unlabelled))
    encoding = Encoding(
        columns,
        options.strict,
        tuple(options.null_values),
        notes,
        options.target,
        options.weight,
    )
    if not columns and look.n_rows:
        left_out = "; ".join(f"{own.column!r}: {own.said}" for own in notes if own.is_left_out)
        raise AdviceError(
            f"no column is left to become a feature ({left_out})", "name some in ⟨keep⟩"
        )
    if not look.is_complete:
        # Raises for duplicate feature names now, not at the first missing value.
        replace(encoding, columns=tuple(column.widest() for column in columns))
    _tell(notes)
    return encoding


def _require_known(options: TableOptions, names: Sequence[str]) -> None:
    """Raise if an option names a column that is not read."""
    for argument in ("categorical", "keep", "hashed", "text"):
        for name in getattr(options, argument):
            is_label = argument == "categorical" and name == options.target
            if name not in names and not is_label:
                raise ArgumentError(
                    argument,
                    f"{name!r} is not among the columns that are read",
                    f"these are {', '.join(map(repr, names))}",
                )


def _require_categories(options: TableOptions, schema: Any) -> None:
    """Raise if an option names a column whose values cannot be categories."""
    for argument in ("categorical", "hashed", "text"):
        for name in getattr(options, argument):
            arrow_type = schema.field(name).type
            if not may_be_category(arrow_type):
                raise ArgumentTypeError(
                    argument,
                    f"column {name!r} has type {arrow_type}",
                    "convert it to strings first",
                )


def _all_of(problems: Sequence[Exception]) -> Exception:
    """Return one error for all problems of a table."""
    if len(problems) == 1:
        return problems[0]
    told = "; ".join(str(getattr(own, "problem", own)) for own in problems)
    return AdviceError(
        f"{len(problems)} columns cannot be read as they are: {told}",
        "correct them, ⟨leave out⟩, or ⟨not strict⟩, so that they are read with a note each",
    )


def _tell(notes: Sequence[Note]) -> None:
    """Warn of what may surprise: columns and rows that are left out, values that are not read."""
    told = [f"{note.column!r}: {note.said}" for note in notes if note.is_left_out]
    if told:
        warn(
            f"columns are left out: {'; '.join(told)}. To read one, name it in ⟨keep⟩", PlanWarning
        )
    for note in notes:
        if not note.is_left_out and note.n_values and "left out" in note.said:
            warn(f"{note.said} ({note.n_values:,})", PlanWarning)


class PlanWarning(AdviceWarning):
    """What was assumed about a table; its plan says the same."""
