"""A rule as an SQL expression over the columns of a table."""

import itertools
import re
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from zerone._data.cells.date_cells import SECONDS_PER_DAY
from zerone._data.cells.null_cells import AMONG_STRINGS
from zerone._data.columns.category import CategoryColumn
from zerone._data.columns.dates import CYCLES, DateColumn
from zerone._data.columns.numeric import NumericColumn
from zerone._data.encoding import Encoding
from zerone._errors import AdviceError, ArgumentError
from zerone._probability.curves import Curve, Lines, Parabola
from zerone._sql_text import quoted_name, quoted_string
from zerone._typing import FloatArray
from zerone.estimators._state import fitted_votes, table_encoding

SqlOutput: TypeAlias = Literal["label", "score", "probability"]

# Larger log-odds would overflow the exponential; the probability is 0 or 1 there.
_MOST_ODDS = 700


def to_sql(classifier: Any, output: str = "label") -> str:
    """Return the rule of a fitted classifier of two classes as an SQL expression.

    Parameters
    ----------
    classifier : ZeroOneClassifier or AUCClassifier
        Fitted to named columns.
    output : {"label", "score", "probability"}, default="label"
    """
    if output not in get_args(SqlOutput):
        raise ArgumentError(
            "output", f"got {output!r}, expected one of {list(get_args(SqlOutput))}"
        )
    votes = fitted_votes(classifier)
    n_classes = len(classifier.classes_)
    if n_classes != 2:
        raise AdviceError(
            f"an SQL expression is one rule, and {n_classes} classes are decided by "
            f"{len(classifier.coef_)}",
            "⟨not sql⟩",
        )
    encoding = table_encoding(classifier)
    if encoding is None:
        raise AdviceError(
            "an SQL expression needs column names, and this classifier was fitted to features "
            "without names",
            "fit it to a data frame or a table",
        )
    curve: Any = votes.posterior.curves[0]
    return sql_expression(
        encoding,
        classifier.coef_[0],
        float(classifier.intercept_[0]),
        curve,
        tuple(classifier.classes_.tolist()),
        cast(SqlOutput, output),
    )


def sql_expression(
    encoding: Encoding,
    coef: FloatArray,
    intercept: float,
    curve: Curve,
    labels: tuple[Any, Any],
    output: SqlOutput,
) -> str:
    """Return the expression of a rule for two classes; see `to_sql`.

    Parameters
    ----------
    encoding : Encoding
        How columns become features.
    coef, intercept : the rule
    curve : Curve
        Log-odds of the second class as a function of the score.
    labels : tuple
        The two classes.
    output : {"label", "score", "probability"}
    """
    score = _score(encoding, coef, intercept)
    if output == "score":
        return score
    if output == "label":
        second, first = sql_literal(labels[1]), sql_literal(labels[0])
        # NULL if the score is NULL.
        return f"CASE WHEN {score} > 0 THEN {second} WHEN {score} <= 0 THEN {first} END"
    # A subquery would compute the score once, but may change the order of the rows.
    odds = f"LEAST(GREATEST({_odds(curve, score)}, {-_MOST_ODDS}), {_MOST_ODDS})"
    return f"(1 / (1 + EXP(-{odds})))"


def _score(encoding: Encoding, coef: FloatArray, intercept: float) -> str:
    terms = [literal_number(intercept)]
    position = 0
    for column in encoding.columns:
        own = coef[position : position + len(column.feature_names)]
        position += len(own)
        if not own.any():
            # A rule of a few columns needs no others in the table.
            continue
        if isinstance(column, NumericColumn):
            terms.append(_numeric_term(column, own, encoding))
        elif isinstance(column, CategoryColumn):
            terms.append(_category_term(column, own, encoding))
        elif isinstance(column, DateColumn) and can_cast_dates(column):
            terms += _date_terms(column, own, encoding)
        else:
            raise AdviceError(
                f"SQL cannot read column {column.name!r} as the model does ({column.read_as})",
                "⟨not sql or onnx⟩, or leave the column out",
            )
    return "(" + " + ".join(term for term in terms if term) + ")"


def number_of_column(name: str) -> str:
    """Return the number of a column; NULL or NaN if it is missing."""
    return f"CAST({quoted_name(name)} AS DOUBLE PRECISION)"


def is_missing_number(number: str) -> str:
    """Return the condition that a number is missing."""
    # NaN is the largest number to databases that know it. SQLite does not, and reads 'Infinity' as
    # zero, so that a second limit is needed.
    is_nan = f"{number} > CAST('Infinity' AS DOUBLE PRECISION) AND {number} > 1e308"
    return f"{number} IS NULL OR {is_nan}"


def _numeric_term(column: NumericColumn, coef: FloatArray, encoding: Encoding) -> str:
    """Return what a number adds to the score; what is missing adds another constant."""
    number = number_of_column(column.name)
    missing = "NULL"
    if not encoding.strict:
        # Parts of the value that replaces it, and the indicator.
        own = np.append(column.missing_values, [1.0] * column.has_indicator)
        missing = literal_number(float(own @ coef))
    known = (
        _lines(column, coef, number)
        if column.knots
        else f"ELSE {literal_number(coef[0])} * {number}"
    )
    return f"CASE WHEN {is_missing_number(number)} THEN {missing} {known} END"


def _lines(column: NumericColumn, coef: FloatArray, number: str) -> str:
    """Return a straight line for each part of a column, as cases of its number."""
    slopes = coef[: len(column.value_names)].tolist()
    starts = (column.knots[0], *column.knots)
    heights = [slopes[0] * starts[0]]
    for slope, (start, end) in zip(slopes[1:-1], itertools.pairwise(column.knots), strict=True):
        heights.append(heights[-1] + slope * (end - start))
    heights.insert(0, heights[0])
    lines = [
        f"{literal_number(height)} + {literal_number(slope)} * ({number} - {literal_number(start)})"
        for height, slope, start in zip(heights, slopes, starts, strict=True)
    ]
    cases = [
        f"WHEN {number} <= {literal_number(end)} THEN {line}"
        for end, line in zip(column.knots, lines[:-1], strict=True)
    ]
    return f"{' '.join(cases)} ELSE {lines[-1]}"


def can_cast_dates(column: DateColumn) -> bool:
    """Whether databases read the dates of a column as the model does: not times without a day."""
    return column.order in (None, "year first") and column.first_day != "midnight"


def _days(column: DateColumn, encoding: Encoding) -> str:
    name = quoted_name(column.name)
    date = f"CAST({name} AS TIMESTAMP)"
    if column.order is not None:
        date = f"CASE WHEN {_is_missing(name, encoding)} THEN NULL ELSE {date} END"
    return f"(CAST(EXTRACT(EPOCH FROM {date}) AS DOUBLE PRECISION) / {SECONDS_PER_DAY})"


def date_value(column: DateColumn, encoding: Encoding) -> str:
    """Return the days of a date since the first one; NULL if it is missing."""
    return f"({_days(column, encoding)} - {literal_number(column.origin)})"


def _date_terms(column: DateColumn, coef: FloatArray, encoding: Encoding) -> list[str]:
    days, value = _days(column, encoding), date_value(column, encoding)
    if not encoding.strict:
        value = f"COALESCE({value}, {literal_number(column.fill or 0.0)})"
    terms = [f"{literal_number(coef[0])} * {value}"]
    for position, cycle in enumerate(column.cycles):
        turns = f"{days} / {literal_number(CYCLES[cycle])}"
        angle = f"{literal_number(2 * np.pi)} * ({turns} - FLOOR({turns}))"
        sine, cosine = (literal_number(coef[1 + 2 * position + own]) for own in (0, 1))
        terms.append(f"COALESCE({sine} * SIN({angle}) + {cosine} * COS({angle}), 0)")
    if column.has_indicator:
        terms.append(f"CASE WHEN {days} IS NULL THEN {literal_number(coef[-1])} ELSE 0 END")
    return terms


def _is_missing(name: str, encoding: Encoding) -> str:
    """Return the condition that a cell of text means a missing value."""
    if encoding.strict:
        return f"{name} IS NULL"
    cells = ", ".join(map(quoted_string, [*AMONG_STRINGS, *encoding.null_values]))
    return f"{name} IS NULL OR TRIM(CAST({name} AS VARCHAR)) IN ({cells})"


def _category_term(column: CategoryColumn, coef: FloatArray, encoding: Encoding) -> str:
    """Return the coefficient of a category; zero for categories without a feature."""
    n_categories = len(column.categories)
    infrequent = coef[n_categories] if column.has_infrequent else 0.0
    missing = coef[-1] if column.has_missing else 0.0
    values = list(map(literal_number, coef[:n_categories].tolist()))
    others = literal_number(float(infrequent)), literal_number(float(missing))
    return category_cases(column, values, *others, encoding)


def category_cases(
    column: CategoryColumn,
    values: Sequence[str],
    infrequent: str,
    missing: str,
    encoding: Encoding,
) -> str:
    """Return an expression with a value for each category, for any other, and for none."""
    name = quoted_name(column.name)
    cases = [
        f"WHEN {sql_literal(spelling)} THEN {value}"
        for category, value in zip(column.categories, values, strict=True)
        for spelling in _spellings(category)
    ]
    text = f"CAST({name} AS VARCHAR)"
    text = text if encoding.strict else f"TRIM({text})"
    term = f"CASE {text} {' '.join(cases)} ELSE {infrequent} END"
    return f"CASE WHEN {_is_missing(name, encoding)} THEN {missing} ELSE {term} END"


def _spellings(category: str) -> list[str]:
    """Return the strings that databases write for a category of booleans or integers."""
    if category in ("True", "False"):
        return [category, category.lower()]
    return [category, f"{category}.0"] if re.fullmatch(r"-?\d+", category) else [category]


def _odds(curve: Curve, score: str) -> str:
    """Return the log-odds of the second class."""
    odds = _on_parabola(curve, score) if isinstance(curve, Parabola) else _on_lines(curve, score)
    if not curve.follows_threshold or curve.passes_zero:
        return odds
    return f"CASE WHEN {score} > 0 THEN GREATEST({odds}, 1e-15) ELSE LEAST({odds}, 0) END"


def _on_parabola(curve: Parabola, score: str) -> str:
    distance = f"({score} - {literal_number(curve.centre)})"
    if np.isfinite(curve.lowest):
        distance = f"GREATEST({distance}, {literal_number(curve.lowest)})"
    if np.isfinite(curve.highest):
        distance = f"LEAST({distance}, {literal_number(curve.highest)})"
    if curve.is_anchored:
        centre, slope, bend = map(literal_number, (curve.centre, curve.slope, curve.bend))
        return f"({distance} + {centre}) * ({slope} + {bend} * ({distance} - {centre}))"
    value, slope, bend = map(literal_number, (curve.at_centre, curve.slope, curve.bend))
    return f"({value} + ({bend} * {distance} + {slope}) * {distance})"


def _on_lines(curve: Lines, score: str) -> str:
    knots, values = curve.knots, curve.values
    starts = zip((knots[0], *knots), (values[0], *values), strict=True)
    lines = [
        f"{literal_number(value)} + {literal_number(slope)} * ({score} - {literal_number(start)})"
        for (start, value), slope in zip(
            starts, (curve.below, *curve.slopes, curve.above), strict=True
        )
    ]
    cases = [
        f"WHEN {score} <= {literal_number(end)} THEN {line}"
        for end, line in zip(knots, lines[:-1], strict=True)
    ]
    return f"(CASE {' '.join(cases)} ELSE {lines[-1]} END)"


def literal_number(value: float) -> str:
    """Return a number as a literal in double precision."""
    # With an exponent a literal is a float; without, an exact decimal number.
    return f"({float(value):.17e})"


def sql_literal(label: Any) -> str:
    """Return a label or a category as a literal."""
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    if isinstance(label, int | float):
        return repr(label)
    return quoted_string(str(label))
