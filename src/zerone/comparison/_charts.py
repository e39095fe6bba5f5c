"""The charts of the reports: ROC, precision and recall, calibration, weights, histograms."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.metrics import precision_recall_curve, roc_curve

from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.delong import delong
from zerone.comparison._page import Picture
from zerone.comparison._svg import Bar, Chart, bar_chart, ticks
from zerone.inspection._calibration import calibration_groups
from zerone.inspection._measured_roc import MeasuredRoc

KINDS = ("c1", "c2 dashed", "c3 dotted", "c4 dashed", "c5 dotted", "c6 dashed")
"""Lines that differ in colour and in their dashes."""

_UNIT = (0.0, 1.0)
_BINS = 10
_BARS = 40


def rivals_roc(
    recalls: Mapping[str, FloatArray], rates: FloatArray, positive: str, rows: str
) -> Picture:
    """Return the mean ROC curve of every contestant.

    Parameters
    ----------
    recalls : mapping name -> ndarray of shape (n_splits, n_rates)
        At most as many as there are ``KINDS``.
    rates : ndarray of shape (n_rates,)
        False-positive rates.
    rows : str
        Which rows these are.
    """
    chart = Chart(_UNIT, _UNIT, "false-positive rate", f"recall of class {_short(positive)}")
    chart.line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "chance")
    entries = []
    # The first one is drawn last, on top of the others.
    for kind, (name, own) in reversed(list(zip(KINDS, recalls.items(), strict=False))):
        mean = own.mean(axis=0)
        chart.line(np.append(0.0, rates), np.append(0.0, mean), kind)
        entries.append((f"line {kind}", name))
    return Picture(
        chart.to_svg(f"Mean ROC curves of {', '.join(recalls)}."),
        f"ROC curves, the mean over the cross-validation splits of {rows}: recall of class "
        f"{positive} by the share of other rows taken for it.",
        entries[::-1],
    )


def score_charts(
    is_positive: AnyArray, scores: FloatArray, probabilities: FloatArray, positive: str, rows: str
) -> list[Picture]:
    """Return ROC, precision and recall, and calibration of scores.

    Parameters
    ----------
    is_positive : bool ndarray of shape (n_rows,)
    scores, probabilities : ndarray of shape (n_rows,)
        Positive scores are predicted positive.
    positive : str
        The class.
    rows : str
        Which rows these are.
    """
    return [
        _roc(is_positive, scores, positive, rows),
        _precision(is_positive, scores, positive, rows),
        _calibration(is_positive, probabilities, positive, rows),
    ]


def _roc(is_positive: AnyArray, scores: FloatArray, positive: str, rows: str) -> Picture:
    own = MeasuredRoc.of(is_positive, scores)
    chart = Chart(_UNIT, _UNIT, "false-positive rate", f"recall of class {_short(positive)}")
    chart.line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "chance")
    chart.area(own.false_positive_rates, own.low, own.high, "c1")
    chart.line(own.false_positive_rates, own.recalls, "c1")
    rate, recall = own.point
    chart.points(np.array([rate]), np.array([recall]), "c2", radius=6)
    told = (
        f"At the rule's threshold the recall of class {positive} is {recall:.1%} and the "
        f"false-positive rate is {rate:.1%}."
    )
    auc = auc_in_words(is_positive, scores)
    return Picture(
        chart.to_svg(f"ROC curve with {auc}. {told}"),
        f"ROC curve on {rows}, with the 95 % interval of each point. {told}",
        [("line c1", auc), ("point c2", "the rule's threshold")],
    )


def auc_in_words(is_positive: AnyArray, scores: FloatArray) -> str:
    """Return the AUC of scores with its interval."""
    found = delong(is_positive, scores)
    interval = found.interval()
    ends = f" ({interval})" if interval.is_known else ""
    return f"AUC {found.values[0]:.4f}{ends}"


def _precision(is_positive: AnyArray, scores: FloatArray, positive: str, rows: str) -> Picture:
    precision, recall, _ = precision_recall_curve(is_positive, scores)
    share = float(is_positive.mean())
    chart = Chart(_UNIT, _UNIT, f"recall of class {_short(positive)}", "precision")
    chart.line(np.array([0.0, 1.0]), np.array([share, share]), "chance")
    chart.line(recall[:-1], precision[:-1], "c1")
    predicted = scores > 0
    entries = [("line c1", "precision"), ("line chance", f"share of the class, {share:.1%}")]
    told = "No row is predicted positive at the rule's threshold."
    if predicted.any():
        point = float(is_positive[predicted].mean()), float(predicted[is_positive].mean())
        chart.points(np.array([point[1]]), np.array([point[0]]), "c2", radius=6)
        entries.append(("point c2", "the rule's threshold"))
        told = f"At the rule's threshold the precision is {point[0]:.1%}."
    return Picture(
        chart.to_svg(f"Precision of class {positive} by its recall. {told}"),
        f"Precision and recall of class {positive} on {rows}. {told}",
        entries,
    )


def _calibration(
    is_positive: AnyArray, probabilities: FloatArray, positive: str, rows: str
) -> Picture:
    found = calibration_groups(is_positive, probabilities, _BINS)
    chart = Chart(
        _UNIT, _UNIT, f"predicted probability of class {_short(positive)}", "share of the class"
    )
    chart.line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "chance")
    for at, *ends in zip(found.predicted, found.low, found.high, strict=True):
        chart.line(np.array([at, at]), np.array(ends), "c1 thin")
    chart.line(found.predicted, found.measured, "c1")
    chart.points(found.predicted, found.measured, "c1")
    gap = found.mean_gap
    return Picture(
        chart.to_svg(f"Calibration of class {positive}; mean gap from the diagonal {gap:.3f}."),
        f"Calibration on {rows}, in {len(found.sizes)} groups of about equal size with 95 % "
        "intervals: how often rows with a given probability belong to the class. The mean gap from "
        f"the diagonal is {gap:.3f}.",
        [("line c1", "measured"), ("line chance", "perfect")],
    )


def weights_chart(
    weights: FloatArray, names: Sequence[str], labels: tuple[str, str], unit: str, most: int = 15
) -> Picture:
    """Return the largest weights of a rule.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
    names : sequence of str
    labels : tuple of str
        What positive and negative weights speak for.
    unit : str
        Of the weights, such as "per standard deviation of the feature".
    most : int
    """
    order = np.argsort(-np.abs(weights), kind="stable")[:most]
    shown = [Bar(str(names[own]), float(weights[own])) for own in order]
    first = ", ".join(own.name for own in shown[:3])
    how_many = f"The {len(shown)} largest of {len(weights)}" if len(weights) > most else "All"
    return Picture(
        bar_chart(shown, f"Bars of the largest weights; {first} come first."),
        f"{how_many} weights {unit}: how much the score changes. Weights to the right speak for "
        f"{labels[0]}, to the left for {labels[1]}. Correlated features share their weight.",
        is_broad=True,
    )


def normal_charts(
    is_positive: AnyArray, scores: FloatArray, labels: tuple[str, str], rows: str
) -> list[Picture]:
    """Return histograms of the scores of both classes with normal densities of the same moments."""
    given = [(is_positive, labels[0], "c1"), (~is_positive, labels[1], "c2")]
    found = []
    for chosen, label, kind in given:
        values = scores[chosen]
        mean, sd = float(values.mean()), float(values.std())
        ends = float(values.min()), float(values.max())
        if sd == 0:
            continue
        heights, edges = np.histogram(values, bins=_BARS, density=True)
        grid = np.linspace(*ends, 200)
        density = norm.pdf(grid, mean, sd)
        top = float(max(heights.max(), density.max())) * 1.05
        chart = Chart(
            ends, (0.0, top), "score", "density", ticks(*ends), ticks(0.0, top), (380.0, 260.0)
        )
        chart.bars(edges, heights, kind)
        chart.line(grid, density, kind)
        found.append(
            Picture(
                chart.to_svg(f"Histogram of the scores of class {label} with a normal density."),
                f"Scores of class {label} on {rows}. The closer the normal density, the better the "
                "moments alone predict error and AUC.",
                [(f"area {kind}", "scores"), (f"line {kind}", "normal density")],
            )
        )
    return found


def frontier_roc(frontier: Any, is_positive: AnyArray, scores: FloatArray, rows: str) -> Picture:
    """Return the ROC curve that the moments predict, beside the measured one."""
    wanted, reached = frontier.roc_curve()
    alarms, found, _ = roc_curve(is_positive, scores)
    chart = Chart(_UNIT, _UNIT, "false-positive rate", "recall", size=(380.0, 260.0))
    chart.line(wanted, reached, "c4 dashed")
    chart.line(alarms, found, "c1")
    return Picture(
        chart.to_svg("ROC curves: what the moments predict, and what was measured."),
        f"ROC curves: what the frontier of the moments predicts, and what was measured on {rows}.",
        [("line c1", "measured"), ("line c4 dashed", "predicted from the moments")],
    )


def _short(label: str) -> str:
    return label if len(label) <= 20 else label[:19] + "…"
