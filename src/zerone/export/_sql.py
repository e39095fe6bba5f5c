"""A classifier as an SQL expression over the columns of a table."""

from typing import Any, Literal, TypeAlias, cast, get_args

from zerone._data.encoding import Encoding
from zerone._errors import AdviceError, ArgumentError
from zerone._moments.pair import class_pairs
from zerone._probability.curves import Curve
from zerone._typing import FloatArray
from zerone.estimators._state import fitted_votes, table_encoding
from zerone.export._column_terms import ColumnTerms
from zerone.export._curve_terms import probability
from zerone.export._dialects import DIALECTS, Dialect

SqlOutput: TypeAlias = Literal["label", "score", "probability"]


def to_sql(classifier: Any, output: str = "label", dialect: str = "duckdb") -> str:
    """Return a fitted classifier as an SQL expression; see `ZeroOneClassifier.to_sql`."""
    for argument, given, allowed in (
        ("output", output, get_args(SqlOutput)),
        ("dialect", dialect, tuple(DIALECTS)),
    ):
        if given not in allowed:
            raise ArgumentError(argument, f"got {given!r}, expected one of {list(allowed)}")
    votes = fitted_votes(classifier)
    labels = tuple(classifier.classes_.tolist())
    encoding = table_encoding(classifier)
    if encoding is None:
        raise AdviceError(
            "an SQL expression needs column names, and this classifier was fitted to features "
            "without names",
            "fit it to a data frame or a table",
        )
    if len(labels) == 2:
        curve: Any = votes.posterior.curves[0]
        rule = classifier.coef_[0], float(classifier.intercept_[0])
        return sql_expression(encoding, *rule, curve, labels, cast(SqlOutput, output), dialect)
    if output != "label":
        raise AdviceError(
            f"of {len(labels)} classes SQL gives only the label: each pair of them has a score, "
            "and no single expression computes their probabilities",
            "⟨only labels⟩",
        )
    write = DIALECTS[dialect]
    terms = ColumnTerms(encoding, write)
    rules = zip(classifier.coef_, classifier.intercept_.tolist(), strict=True)
    scores = [terms.score(coef, intercept) for coef, intercept in rules]
    return _most_votes(scores, votes.decision.curves, labels, write)


def sql_expression(
    encoding: Encoding,
    coef: FloatArray,
    intercept: float,
    curve: Curve,
    labels: tuple[Any, ...],
    output: SqlOutput,
    dialect: str = "duckdb",
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
    dialect : str
    """
    write = DIALECTS[dialect]
    score = ColumnTerms(encoding, write).score(coef, intercept)
    if output == "score":
        return score
    if output == "label":
        first, second = (sql_literal(own, write) for own in labels)
        # NULL if the score is NULL. What is not a number counts as in `predict`: not positive,
        # while it is greater than all numbers to some databases, also if its sign is turned.
        return f"CASE WHEN -{score} < 0 THEN {second} WHEN {score} IS NOT NULL THEN {first} END"
    # A subquery would compute the score once, but may change the order of the rows.
    return f"({probability(curve, score, write)})"


def _most_votes(
    scores: list[str], curves: tuple[Curve | None, ...], labels: tuple[Any, ...], write: Dialect
) -> str:
    """Return the class with the largest sum of pairwise probabilities.

    Subqueries without a table compute each score and each sum once per row.
    """
    listed = ", ".join(f"{score} AS zerone_z{pair}" for pair, score in enumerate(scores))
    shares, sums = [], [write.number(0) for _ in labels]
    pairs = zip(class_pairs(len(labels)), curves, strict=True)
    for pair, ((negative, positive), curve) in enumerate(pairs):
        if curve is None:
            continue
        shares.append(f"{probability(curve, f'zerone_z{pair}', write)} AS zerone_p{pair}")
        sums[negative] += f" + ({write.number(1)} - zerone_p{pair})"
        sums[positive] += f" + zerone_p{pair}"
    votes = ", ".join(f"{own} AS zerone_s{label}" for label, own in enumerate(sums))
    cases = []
    for first, label in enumerate(labels[:-1]):
        # Earlier classes were no larger, and of equal ones the first is chosen.
        rest = range(first + 1, len(labels))
        is_most = " AND ".join(f"zerone_s{first} >= zerone_s{other}" for other in rest)
        cases.append(f"WHEN {is_most} THEN {sql_literal(label, write)}")
    known = " AND ".join(f"zerone_s{own} IS NOT NULL" for own in range(len(labels)))
    chosen = f"CASE {' '.join(cases)} ELSE {sql_literal(labels[-1], write)} END"
    return (
        f"(SELECT CASE WHEN {known} THEN {chosen} END "
        f"FROM (SELECT {votes} FROM (SELECT {', '.join(shares)} "
        f"FROM (SELECT {listed}) AS zerone_scores) AS zerone_shares) AS zerone_sums)"
    )


def sql_literal(label: Any, write: Dialect) -> str:
    """Return a label as a literal."""
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    if isinstance(label, int | float):
        return repr(label)
    return write.string(str(label))
