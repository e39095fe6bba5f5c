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
from zerone.export._dialects import DIALECTS, require_dialect
from zerone.export._dialects._dialect import Dialect

SqlOutput: TypeAlias = Literal["label", "score", "probability"]


def to_sql(classifier: Any, output: str = "label", dialect: str = "duckdb") -> str:
    """Return a fitted classifier as an SQL expression; see `ZeroOneClassifier.to_sql`."""
    if output not in get_args(SqlOutput):
        raise ArgumentError(
            "output", f"got {output!r}, expected one of {list(get_args(SqlOutput))}"
        )
    require_dialect(dialect)
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
    """Return the class with the largest sum of pairwise probabilities."""
    free = _free_name(scores)
    steps: list[tuple[str, dict[str, str]]] = [
        (f"{free}_{step}", {}) for step in ("scores", "shares", "votes")
    ]
    (of_scores, own_scores), (of_shares, own_shares), (of_votes, votes) = steps
    sums = [write.number(0) for _ in labels]
    pairs = zip(class_pairs(len(labels)), scores, curves, strict=True)
    for pair, ((negative, positive), score, curve) in enumerate(pairs):
        if curve is None:
            continue
        own_scores[f"{free}_z{pair}"] = score
        share = probability(curve, f"{of_scores}.{free}_z{pair}", write)
        own_shares[f"{free}_p{pair}"] = share
        sums[negative] += f" + ({write.number(1)} - {of_shares}.{free}_p{pair})"
        sums[positive] += f" + {of_shares}.{free}_p{pair}"
    votes |= {f"{free}_s{number}": own for number, own in enumerate(sums)}
    names = [f"{of_votes}.{own}" for own in votes]
    cases = []
    for first, (own, label) in enumerate(zip(names[:-1], labels, strict=False)):
        # Earlier classes have less than a later one, and of equal ones the first is chosen.
        is_most = " AND ".join(f"{own} >= {other}" for other in names[first + 1 :])
        cases.append(f"WHEN {is_most} THEN {sql_literal(label, write)}")
    chosen = f"CASE {' '.join(cases)} ELSE {sql_literal(labels[-1], write)} END"
    known = " AND ".join(f"{own} IS NOT NULL" for own in names)
    return write.in_steps(steps, f"CASE WHEN {known} THEN {chosen} END")


def _free_name(expressions: list[str]) -> str:
    """Return a name that begins no column: some databases would take the column instead."""
    free = "zerone"
    while any(f"{free}_" in own.lower() for own in expressions):
        free = f"{free}_"
    return free


def sql_literal(label: Any, write: Dialect) -> str:
    """Return a label as a literal."""
    if isinstance(label, bool):
        return write.boolean(label)
    if isinstance(label, int | float):
        return repr(label)
    return write.string(str(label))
