"""Reports as one HTML page: of a comparison, or of a model on labelled rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from zerone import ZeroOneClassifier
from zerone._data.labels import label_list
from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.intervals import Interval
from zerone.comparison._bent import features_of, fitted_bends, named_columns
from zerone.comparison._charts import KINDS, rivals_roc
from zerone.comparison._column_path import add_column_path
from zerone.comparison._compare import Comparison
from zerone.comparison._comparison_tables import table_of_differences, table_of_means
from zerone.comparison._explorer import add_explorer
from zerone.comparison._model_card import add_card_of_evaluation, add_model_card
from zerone.comparison._normality import normality_verdict
from zerone.comparison._page import Page, PageTable, Picture
from zerone.comparison._recipe import Recipe
from zerone.comparison._rows import ComparedRows, Part, Split
from zerone.comparison._sections import (
    ScoresOfClass,
    add_normal_scores,
    add_scores,
    add_weights,
    column_table,
)
from zerone.comparison._several_classes import add_class_weights, add_classes, add_one_vs_rest
from zerone.comparison._telling_rows import add_telling_rows
from zerone.comparison._trial import ROC_GRID
from zerone.comparison._verdict import Verdict
from zerone.comparison._words import has_row_weights, what_was_compared
from zerone.inspection._weights import feature_names

_TEST_SHARE = 0.25


def comparison_report(
    comparison: Comparison, verdict: Verdict, *, title: str, recipe: Recipe | None = None
) -> str:
    """Return a comparison as a self-contained HTML page.

    Charts show a classifier fitted to three quarters of the rows, on the other quarter; the
    explorer shows one that is fitted to all rows, on rows that were held out from its parts.

    Parameters
    ----------
    comparison : Comparison
    verdict : Verdict
    title : str
    recipe : Recipe, optional
        The commands that make the report and the model again.
    """
    shapes = verdict.shapes
    recipe = Recipe.of_comparison(comparison, shapes) if recipe is None else recipe
    moments = comparison.moments
    sizes = ", ".join(f"{label}: {own.weight:,.10g}" for label, own in moments.items())
    sample = " (a sample of the table)" if comparison.is_sample else ""
    weighted = "weights of " if has_row_weights(comparison) else ""
    page = Page(
        title,
        verdict.sentence,
        f"{comparison.n_rows:,} rows{sample}, {moments.n_features} features, {weighted}classes "
        f"{sizes}",
    )
    page.heading("Comparison", link="comparison")
    page.table(table_of_means(comparison))
    page.table(table_of_differences(comparison, verdict))
    for told in what_was_compared(comparison):
        page.paragraph(told)
    for name, why in comparison.failures.items():
        page.paragraph(f"{name} could not be fitted: {why}")
    for name, why in comparison.stopped.items():
        page.paragraph(f"{name} was {why}.")
    split = comparison.rows.split(_is_test(comparison.rows))
    split = replace(split, train=split.train.as_array, test=split.test.as_array)
    model = comparison.classifier(shapes)
    given = split.train.X, split.train.y, split.train.weights
    if shapes is not None and split.bends is not None:
        fitted_bends(model, *given, split.bends)
    else:
        model.fit(*given)
    named, fitted = named_columns(model, split.encoding), comparison.fitted(shapes)
    test = _unweighted(split.test)
    rows = (
        f"{len(test):,} test rows, a quarter of the table that the {type(model).__name__} of this "
        "section has not seen"
    )
    if len(moments) == 2:
        if fitted is not None:
            add_explorer(page, fitted, recipe)
        _two_class_sections(page, comparison, verdict, model, split, test, rows)
    else:
        _several_class_sections(page, model, split, test, rows)
    features = features_of(model, test.X)
    add_telling_rows(page, named, features, test.y, f"{len(test):,} test rows")
    add_column_path(page, split, is_ranking=comparison.metric.is_ranking)
    if moments.encoding is not None:
        page.heading("Columns", link="columns")
        page.table(column_table(moments.encoding if fitted is None else fitted.encoding_))
    add_model_card(page, comparison, fitted or model, recipe)
    if len(moments) == 2:
        page.heading("Appendix: are scores normal?", link="appendix")
        _normality_section(page, split.train, test)
        scores = model.decision_function(test.X), model.predict_proba(test.X), test.y
        add_normal_scores(page, model, ScoresOfClass.of(model, *scores), f"{len(test):,} test rows")
    return page.to_html()


def evaluation_report(
    model: Any,
    figures: dict[str, Any],
    scores: FloatArray,
    probabilities: FloatArray,
    labels: AnyArray,
    *,
    title: str,
    intervals: Mapping[str, Interval] | None = None,
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
    intervals : mapping name -> Interval, optional
        Of the metrics, 95 %.
    tables : sequence of PageTable
        To show below the metrics.
    """
    accuracy = figures["accuracy"]
    names = [str(own) for own in label_list(model.classes_)]
    page = Page(
        title,
        f"{accuracy:.1%} of {len(labels):,} rows are classified correctly.",
        f"{type(model).__name__}, classes {', '.join(names)}",
    )
    page.heading("Metrics", link="metrics")
    known_intervals = intervals or {}
    body: list[list[tuple[str, float | None]]] = [
        [
            (name, None),
            (f"{value:.4f}" if isinstance(value, float) else f"{value:,}", float(value)),
            (str(known_intervals.get(name, "")), None),
        ]
        for name, value in figures.items()
        if isinstance(value, int | float)
    ]
    page.table(PageTable("Measured on these rows", ["metric", "value", "95 % interval"], body))
    for table in tables:
        page.table(table)
    known = np.isin(labels, model.classes_)
    truth = np.searchsorted(model.classes_, labels[known])
    rows = f"the {int(known.sum()):,} rows of this table"
    given = scores, probabilities, labels
    has_two = len(names) == 2 and len(np.unique(truth)) == 2
    if has_two:
        add_scores(page, ScoresOfClass.of(model, *(own[known] for own in given)), rows)
    if len(names) == 2:
        add_weights(page, model)
    else:
        add_one_vs_rest(page, names, truth, probabilities[known], rows)
        add_class_weights(page, model, feature_names(model), None, rows)
    if getattr(model, "encoding_", None) is not None:
        page.heading("Columns", link="columns")
        page.table(column_table(model.encoding_))
    add_card_of_evaluation(page, model, len(labels))
    if has_two:
        page.heading("Appendix: are scores normal?", link="appendix")
        of_class = ScoresOfClass.of(model, *(own[known] for own in given))
        add_normal_scores(page, model, of_class, rows)
    return page.to_html()


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


def _two_class_sections(
    page: Page,
    comparison: Comparison,
    verdict: Verdict,
    model: Any,
    split: Split,
    test: Part,
    rows: str,
) -> None:
    names = [verdict.ours, *comparison.named("rival", "nonlinear", "ours")]
    recalls = {name: comparison.recalls[name] for name in names if name in comparison.recalls}
    given = model.decision_function(test.X), model.predict_proba(test.X), test.y
    scores = ScoresOfClass.of(model, *given)
    before: list[Picture] = []
    if recalls:
        shown = dict(list(recalls.items())[: len(KINDS)])
        compared = f"{comparison.n_rows:,} rows"
        before.append(rivals_roc(shown, ROC_GRID, scores.labels[0], compared))
    add_scores(page, scores, rows, before)
    named = named_columns(model, split.encoding)
    add_weights(page, named, split.feature_names, split.train.X)


def _several_class_sections(page: Page, model: Any, split: Split, test: Part, rows: str) -> None:
    labels = [str(own) for own in label_list(model.classes_)]
    truth, predicted = (
        np.searchsorted(model.classes_, own) for own in (test.y, model.predict(test.X))
    )
    add_classes(page, labels, truth, predicted, f"{len(test):,} test rows")
    add_one_vs_rest(page, labels, truth, model.predict_proba(test.X), rows)
    names = feature_names(named_columns(model, split.encoding))
    add_class_weights(page, model, names, test.X, f"{len(test):,} test rows")


def _normality_section(page: Page, train: Part, test: Part) -> None:
    given = train.X, train.y, train.weights
    moments_only = ZeroOneClassifier(refine=None).fit(*given)
    refined = ZeroOneClassifier().fit(*given)
    measured = [1 - float(model.score(test.X, test.y)) for model in (moments_only, refined)]
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
