"""The rows that tell most about a rule: errors that it was sure of, and rows near its threshold."""

from typing import Any

import numpy as np

from zerone._typing import AnyArray, IntArray
from zerone.comparison._page import Page, PageTable
from zerone.inspection._explanation import Explanation, explained_features

_ROWS = 10
_REASONS = 3
# Wider rows of text would all be made dense.
_MOST_FEATURES = 20_000


def add_telling_rows(page: Page, model: Any, X: Any, y: AnyArray, rows: str) -> None:
    """Add ten rows with their reasons: half of them errors with large scores, half borderline.

    Parameters
    ----------
    model : classifier
        With the columns of the features, if they have names.
    X, y : features and labels
    rows : str
        Which rows these are.
    """
    if X.shape[1] > _MOST_FEATURES:
        return
    chosen, n_errors = telling_rows(model, X, y)
    found = explained_features(model, X[chosen])
    page.heading("Telling rows", link="rows")
    page.paragraph(
        f"Of {rows}: first {n_errors} that are predicted wrong most surely, which may have a wrong "
        "label or need a column that is not there; then those nearest to the threshold, where "
        "little decides. A reason is a column with its value, and what it adds to "
        "the score beside a row of means."
    )
    page.table(_table(found, y[chosen]))


def telling_rows(model: Any, X: Any, y: AnyArray) -> tuple[IntArray, int]:
    """Return the positions of the rows, and how many of them, the first, are errors."""
    # The scores alone would do for two classes; of several, that of the deciding pair counts.
    found = explained_scores(model, X)
    size, is_wrong = np.abs(found[0]), found[1] != y
    by_size = np.argsort(-size, kind="stable")
    errors = by_size[is_wrong[by_size]][: _ROWS // 2]
    others = by_size[::-1]
    near = others[~np.isin(others, errors)][: _ROWS - len(errors)]
    return np.concatenate([errors, near]), len(errors)


def explained_scores(model: Any, X: Any) -> tuple[AnyArray, AnyArray]:
    """Return the score and the prediction of each row; of several classes the surest margin."""
    from zerone.estimators._prediction import outcome_of_rows

    scores = outcome_of_rows(model, "decision_function", X)
    predicted = outcome_of_rows(model, "predict", X)
    if scores.ndim == 1:
        return scores, predicted
    two = np.sort(scores, axis=1)[:, -2:]
    return two[:, 1] - two[:, 0], predicted


def _table(found: Explanation, truth: AnyArray) -> PageTable:
    rows = []
    given = zip(truth, found.predicted, found.scores, found.reasons(_REASONS), strict=True)
    for place, (label, predicted, score, reasons) in enumerate(given):
        rows.append(
            [
                (f"{label}, predicted {'right' if label == predicted else predicted}", None),
                (f"{score:+.2f}", float(score)),
                ("; ".join(reasons), None),
                (_flip(found, place), None),
            ]
        )
    header = ["class", "score", "reasons", "predicted otherwise with"]
    return PageTable("Rows with their reasons", header, rows, words={2, 3})


def _flip(found: Explanation, row: int) -> str:
    column, value = found.flip_columns[row], found.flip_values[row]
    if column is None:
        return "no single column"
    shown = f"{value:.6g}" if isinstance(value, int | float | np.number) else str(value)
    return f"{column} = {shown}"
