"""What each column adds to the score, as charts of a report."""

from typing import Any

import numpy as np

from zerone._data.labels import label_list
from zerone.comparison._page import Page, Picture
from zerone.comparison._svg import Bar, Chart, bar_chart, shortened, ticks
from zerone.inspection._shapes import Shape, shapes_of

_MOST_COLUMNS = 12
_MOST_BARS = 12
_SIZE = (380.0, 250.0)


def add_shapes(page: Page, model: Any) -> None:
    """Add the shapes of the columns that contribute most to a rule of two classes."""
    shapes = shapes_of(model)
    shown = shapes[:_MOST_COLUMNS]
    if not shown:
        return
    negative, positive = (str(own) for own in label_list(model.classes_))
    more = f"; the {len(shown)} of {len(shapes)} that add most" if len(shapes) > len(shown) else ""
    page.heading("What the columns add", link="shapes")
    bands = ""
    if shown[0].low is not None:
        bands = " Bands are intervals of 95 % for each value, from the models that held rows out."
    page.paragraph(
        f"The score is a sum over the columns{more}. Above zero a value speaks for {positive}, "
        f"below for {negative}; zero is the mean in training. All have one scale.{bands}"
    )
    curves = [own.contributions for own in shown if own.is_curve]
    ends = (min(map(np.min, curves)), max(map(np.max, curves))) if curves else (0.0, 1.0)
    room = 0.1 * (ends[1] - ends[0]) or 1.0
    scale = float(ends[0] - room), float(ends[1] + room)
    longest = max(float(np.abs(own.contributions).max()) for own in shown)
    page.pictures([_curve(own, scale) if own.is_curve else _bars(own, longest) for own in shown])


def _curve(shape: Shape, scale: tuple[float, float]) -> Picture:
    if shape.values.dtype.kind == "M":
        years = shape.values.astype("datetime64[s]").astype(float) / (86400 * 365.2425)
        values = 1970.0 + years
    else:
        values = shape.values
    low, high = float(values[0]), float(values[-1])
    if not high > low:
        high = low + 1.0
    chart = Chart(
        (low, high), scale, shortened(shape.name, 40), "added to the score",
        ticks(low, high), ticks(*scale), _SIZE,
    )  # fmt: skip
    chart.line(np.array([low, high]), np.zeros(2), "chance")
    if shape.low is not None and shape.high is not None:
        chart.area(values, shape.low, shape.high, "c1")
    chart.line(values, shape.contributions, "c1")
    if shape.knots:
        knots = np.array(shape.knots)
        at_knots = np.interp(knots, values, shape.contributions)
        chart.points(knots, at_knots, "c1", radius=2.5)
    told = f"It bends at {len(shape.knots)} values. " if shape.knots else ""
    missing = "" if shape.missing is None else f" A missing value adds {shape.missing:+.3f}."
    return Picture(
        chart.to_svg(
            f"What {shape.name} adds to the score: from {shape.contributions[0]:+.2f} at {low:.4g} "
            f"to {shape.contributions[-1]:+.2f} at {high:.4g}."
        ),
        f"{shape.name}. {told}Standard deviation of what it adds: {shape.deviation:.3f}.{missing}",
    )


def _bars(shape: Shape, longest: float) -> Picture:
    largest = np.sort(np.argsort(-np.abs(shape.contributions), kind="stable")[:_MOST_BARS])
    bars = [Bar(str(shape.values[own]), float(shape.contributions[own])) for own in largest]
    n_values = len(shape.values)
    more = f" The {len(bars)} largest of {n_values}." if n_values > len(bars) else ""
    return Picture(
        bar_chart(bars, f"What the categories of {shape.name} add to the score.", longest),
        f"{shape.name}.{more} Standard deviation of what it adds: {shape.deviation:.3f}.",
    )
