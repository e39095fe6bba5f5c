"""Reports as one HTML page: of a comparison, or of a model on labelled rows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from zerone import AUCClassifier, ZeroOneClassifier
from zerone._typing import AnyArray, FloatArray
from zerone.comparison._compare import Comparison
from zerone.comparison._normality import normality_verdict
from zerone.comparison._page import Page, PageTable, Picture
from zerone.comparison._rows import ComparedRows, Part
from zerone.comparison._verdict import Verdict
from zerone.comparison._words import has_row_weights, what_was_compared
from zerone.inspection import (
    CalibrationDisplay,
    FrontierDisplay,
    ScoreNormalityDisplay,
    WeightsDisplay,
)

_TEST_SHARE = 0.25


def comparison_report(comparison: Comparison, verdict: Verdict, *, title: str) -> str:
    """Return a comparison as a self-contained HTML page.

    Pictures show a classifier fitted to three quarters of the rows, on the other quarter.
    """
    encoding, moments = comparison.moments.encoding, comparison.moments
    sizes = ", ".join(f"{label}: {own.weight:,.10g}" for label, own in moments.items())
    sample = " (a sample of the table)" if comparison.is_sample else ""
    weighted = "weights of " if has_row_weights(comparison) else ""
    page = Page(
        title,
        verdict.sentence,
        f"{comparison.n_rows:,} rows{sample}, {moments.n_features} features, {weighted}classes "
        f"{sizes}",
    )
    page.heading("Comparison")
    page.table(_comparison_table(comparison, verdict))
    for told in what_was_compared(comparison):
        page.paragraph(told)
    for name, why in comparison.failures.items():
        page.paragraph(f"{name} could not be fitted: {why}")
    for name, why in comparison.stopped.items():
        page.paragraph(f"{name} was {why}.")
    kind = AUCClassifier if comparison.metric.is_ranking else ZeroOneClassifier
    model = kind(
        metric=comparison.metric.name,
        metric_params=comparison.metric.metric_params,
        positive=comparison.positive,
    )
    split = comparison.rows.split(_is_test(comparison.rows))
    train, test = split.train, _unweighted(split.test)
    model.fit(train.X, train.y, train.weights)
    names = split.feature_names or [f"feature {i}" for i in range(train.X.shape[1])]
    if len(moments) == 2:
        _two_class_sections(page, model, names, test)
        _normality_section(page, train, test)
    else:
        page.heading("Largest weights")
        page.pictures(_weights(model, names))
    if encoding is not None:
        page.heading("Columns")
        page.table(_column_table(encoding))
    return page.to_html()


def evaluation_report(
    model: Any,
    figures: dict[str, Any],
    scores: FloatArray,
    probabilities: FloatArray,
    labels: AnyArray,
    *,
    title: str,
    tables: Sequence[PageTable] = (),
) -> str:
    """Return the results of a model on labelled rows as a self-contained HTML page.

    Parameters
    ----------
    model : fitted classifier
    figures : dict name -> number
        Metrics for the table.
    scores, probabilities : ndarray
        From ``decision_function`` and ``predict_proba``.
    labels : ndarray
    title : str
    tables : sequence of PageTable
        To show below the metrics.
    """
    accuracy = figures["accuracy"]
    page = Page(
        title,
        f"{accuracy:.1%} of {len(labels):,} rows are classified correctly.",
        f"{type(model).__name__}, classes {', '.join(map(str, model.classes_.tolist()))}",
    )
    page.heading("Metrics")
    rows = [
        [(name, None), (f"{value:.4f}" if isinstance(value, float) else f"{value:,}", float(value))]
        for name, value in figures.items()
        if isinstance(value, int | float)
    ]
    page.table(PageTable("Measured on these rows", ["metric", "value"], rows))
    for table in tables:
        page.table(table)
    if len(model.classes_) == 2:
        known = np.isin(labels, model.classes_)
        is_second = labels[known] == model.classes_[1]
        if is_second.any() and not is_second.all():
            _pictures_of_scores(page, model, is_second, scores[known], probabilities[known, 1])
    page.heading("Largest weights")
    page.pictures(_weights(model, None))
    return page.to_html()


def _comparison_table(comparison: Comparison, verdict: Verdict) -> PageTable:
    names, shown = list(comparison.metrics), comparison.shown
    rows = []
    for name in names:
        row: list[tuple[str, float | None]] = [(name, None)]
        for metric in shown:
            values = comparison.metrics[name][metric]
            spread = f" ± {values.std(ddof=1):.4f}" if len(values) > 1 else ""
            row.append((f"{values.mean():.4f}{spread}", float(values.mean())))
        rows.append(row)
    n_splits = len(comparison.metrics[names[0]][shown[0]])
    test = ""
    if verdict.rival is not None:
        test = (
            f"Corrected t of {verdict.ours} against {verdict.rival} in {verdict.metric}: "
            f"{verdict.t:.1f}; beyond ±{verdict.least:.1f} is significant (5 %)."
        )
    caption = (
        f"Means and standard deviations over {n_splits} cross-validation splits; the best in bold. "
        + test
    )
    header = ["classifier", *("seconds to fit" if m == "seconds" else m for m in shown)]
    return PageTable(caption, header, rows, names.index(verdict.best))


def _column_table(encoding: Any) -> PageTable:
    rows: list[Sequence[tuple[str, float | None]]] = [
        [
            (own.column, None),
            (own.read_as, None),
            (str(own.n_features), float(own.n_features)),
            ("; ".join(own.assumed), None),
        ]
        for own in encoding.plan
    ]
    headings = ["column", "read as", "features", "assumed"]
    return PageTable("How each column is read", headings, rows)


def _is_test(rows: ComparedRows) -> AnyArray:
    """Return which rows are held out: a quarter, with the class shares of the table."""
    numbers = np.arange(len(rows.y))
    _, test = train_test_split(numbers, test_size=_TEST_SHARE, random_state=0, stratify=rows.y)
    return np.isin(numbers, test)


def _unweighted(test: Part) -> Part:
    """Return rows for pictures, which take no weights: drawn as often as the weights say.

    As many rows as count with these weights. Should a class get none, all rows are returned.
    """
    if test.weights is None:
        return test
    order = np.argsort(test.y, kind="stable")
    weights = test.weights[order]
    total = weights.sum()
    n_drawn = max(1, round(float(total**2 / (weights @ weights))))
    places = (np.arange(n_drawn) + 0.5) / n_drawn * total
    drawn = order[np.searchsorted(np.cumsum(weights), places)]
    if len(np.unique(test.y[drawn])) < len(np.unique(test.y)):
        drawn = order
    return replace(test[drawn], weights=None)


def _two_class_sections(page: Page, model: Any, names: Sequence[str], test: Part) -> None:
    is_second = test.y == model.classes_[1]
    scores, probabilities = model.decision_function(test.X), model.predict_proba(test.X)[:, 1]
    _pictures_of_scores(page, model, is_second, scores, probabilities)
    page.heading("Largest weights")
    page.pictures(_weights(model, names))


def _pictures_of_scores(
    page: Page, model: Any, is_second: AnyArray, scores: FloatArray, probabilities: FloatArray
) -> None:
    from zerone import Frontier

    negative, positive = (str(label) for label in model.classes_.tolist())
    moments = getattr(model, "moments_", None)
    roc = FrontierDisplay.from_predictions(
        is_second,
        scores,
        frontier=None if moments is None else Frontier(moments),
        labels=(positive, negative),
    )
    calibration = CalibrationDisplay.from_predictions(is_second, probabilities, label=positive)
    histograms = ScoreNormalityDisplay.from_predictions(
        is_second, scores, labels=(f"class {positive}", f"class {negative}")
    )
    false_positive_rate, recall = roc.point
    page.heading("Scores and probabilities")
    page.pictures(
        [
            Picture(
                roc.figure_,
                "ROC curves: what the frontier predicts, and what was measured on the rows.",
                f"ROC curves. At the rule's threshold the recall of class {positive} is "
                f"{recall:.1%} and the false-positive rate is {false_positive_rate:.1%}.",
            ),
            Picture(
                calibration.figure_,
                "Calibration: how often rows with a given probability belong to the class.",
                f"Reliability curve of the probability of class {positive}; mean difference from "
                f"the diagonal {calibration.mean_gap_:.3f}.",
            ),
            Picture(
                histograms.figure_,
                "Scores of both classes, and differences of random pairs, with fitted normal "
                "densities. The closer the fit, the better the moments predict the error and AUC.",
                "Three histograms of scores with fitted normal densities.",
                is_broad=True,
            ),
        ]
    )


def _normality_section(page: Page, train: Part, test: Part) -> None:
    given = train.X, train.y, train.weights
    moments_only = ZeroOneClassifier(refine=None).fit(*given)
    refined = ZeroOneClassifier().fit(*given)
    measured = [1 - float(model.score(test.X, test.y)) for model in (moments_only, refined)]
    page.heading("Predicted against measured error")
    rows = []
    for name, model, error in zip(
        ("moments only", "refined on rows"), (moments_only, refined), measured, strict=True
    ):
        held_out = float(model.held_out_error_)
        rows.append(
            [
                (name, None),
                (f"{float(model.expected_error_):.4f}", float(model.expected_error_)),
                ("–" if np.isnan(held_out) else f"{held_out:.4f}", None),
                (f"{error:.4f}", error),
            ]
        )
    header = ["rule", "expected if scores are normal", "on held-out training rows", "on test rows"]
    page.table(PageTable(f"Errors of two rules; {len(test):,} test rows", header, rows))
    page.paragraph(normality_verdict(float(moments_only.expected_error_), measured[0], len(test)))


def _weights(model: Any, names: Sequence[str] | None) -> list[Picture]:
    display = WeightsDisplay.from_estimator(model, names=names)
    largest = [display.names[i] for i in display.order_[:3]]
    return [
        Picture(
            display.figure_,
            "How much the score changes with each feature. Correlated features share their weight.",
            f"Bar chart of the largest weights: {', '.join(largest)} come first.",
            is_broad=True,
        )
    ]
