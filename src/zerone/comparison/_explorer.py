"""The explorer: the best rule for costs, a prevalence and a limit that the reader chooses."""

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from zerone.comparison._assets import asset
from zerone.comparison._explorer_data import explorer_data
from zerone.comparison._page import Page, legend
from zerone.comparison._recipe import Recipe
from zerone.comparison._svg import Chart


@dataclass(frozen=True)
class _Slider:
    """A slider with a box for the number itself."""

    name: str
    label: str
    ends: tuple[float, float]
    step: float
    unit: str
    help: str

    def to_html(self) -> str:
        """Return both controls, with a label."""
        low, high = self.ends
        identity = f"explorer-{self.name}"
        return (
            f'<div class="control"><label for="{identity}">{self.label}</label>'
            f'<div class="inputs"><input type="range" id="{identity}" min="{low:g}" max="{high:g}" '
            f'step="{self.step:g}" aria-describedby="{identity}-help" '
            f'data-part="{self.name}-slider"><span><input type="number" step="any" '
            f'aria-label="{self.label}, as a number" data-part="{self.name}-box"> {self.unit}'
            f'</span></div><p class="help" id="{identity}-help">{self.help}</p></div>'
        )


def add_explorer(page: Page, model: Any, recipe: Recipe) -> bool:
    """Add the explorer to a page, unless the model has no held-out scores of two classes.

    Returns
    -------
    bool
        Whether there is one.
    """
    data = explorer_data(model)
    if data is None:
        return False
    data |= {
        "fit_command": recipe.fit,
        "fit_python": 'from zerone import load_model\n\nclassifier = load_model("model.zerone")',
    }
    positive, negative = html.escape(data["positive"]), html.escape(data["negative"])
    counts = [f"{own:,.10g}" for own in data["counts"]]
    page.heading("Choose a rule", link="choose")
    page.paragraph(
        f"{type(model).__name__} was fitted to all rows and keeps the scores that its "
        f"{len(data['directions'])} candidate directions give to rows that were held out from "
        "them. For every point of use these choose a direction and a threshold; no row is needed. "
        f"All figures of this section are those of {counts[0]} held-out rows of class "
        f"{data['positive']} and {counts[1]} of class {data['negative']}. They chose the rule, so "
        "they are slightly optimistic."
    )
    page.parts.append(
        '<div id="explorer"><p class="told" data-part="told"></p>'
        '<p class="unseen" role="status" aria-live="polite" data-part="status"></p>'
        f'<div class="controls">{_controls(positive, negative)}</div><div>'
        f"{_confusion(positive, negative)}"
        f'<div class="pictures">{_roc(positive, negative)}{_precisions(positive)}</div>'
        f"{_figures(positive)}{_weights(data['weights'], positive)}</div></div>"
        f"{_recipes()}"
        f'<script type="application/json" id="explorer-data">{as_json(data)}</script>'
    )
    page.scripts.append(asset("_explorer.js"))
    return True


def as_json(data: Any) -> str:
    """Return JSON that cannot end the element that it stands in."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _controls(positive: str, negative: str) -> str:
    ratio = _Slider(
        "ratio", "Cost ratio, false negative to false positive", (-2, 2), 0.02, "to 1",
        f"What a row of class {positive} that is missed costs, if a row of class {negative} that "
        f"is taken for {positive} costs 1.",
    )  # fmt: skip
    prevalence = _Slider(
        "prevalence", f"Prevalence of {positive} in use", (-7, 7), 0.05, "%",
        f"The share of class {positive} among the rows that the rule will see; first that of "
        "training.",
    )  # fmt: skip
    limit = _Slider(
        "limit", "Largest false-positive rate", (-3, -0.1), 0.02, "%",
        f"The share of class {negative} that may be taken for {positive}.",
    )  # fmt: skip
    moved = _Slider(
        "moved", "Threshold, moved from the best", (-4, 4), 0.02, "s.d.",
        "In standard deviations of the score; 0 is the best rule for the point above.",
    )  # fmt: skip
    return (
        f"{ratio.to_html()}{prevalence.to_html()}"
        '<label class="check"><input type="checkbox" data-part="has-limit"> '
        f"Limit the false-positive rate</label>{limit.to_html()}{moved.to_html()}"
        '<button type="button" data-part="reset">Back to the start</button>'
    )


def _confusion(positive: str, negative: str) -> str:
    return (
        '<p class="caption">Rows per thousand in use, by true and predicted class</p>'
        '<div class="wide"><table class="confusion"><thead><tr><th scope="col">true class</th>'
        f'<th scope="col">predicted {positive}</th><th scope="col">predicted {negative}</th></tr>'
        f'</thead><tbody><tr><th scope="row">{positive}</th>'
        f'<td class="right">{_value("true-positive")}</td><td>{_value("false-negative")}</td></tr>'
        f'<tr><th scope="row">{negative}</th><td>{_value("false-positive")}</td>'
        f'<td class="right">{_value("true-negative")}</td></tr></tbody></table></div>'
    )


def _figures(positive: str) -> str:
    rows = [
        (f"recall of class {positive}", "recall", "recall-interval"),
        ("false-positive rate", "false-positive-rate", "false-positive-interval"),
        ("precision", "precision", ""),
        ("error", "error", ""),
        ("cost per 1,000 rows", "cost", ""),
        ("… of the rule as it was fitted", "cost-fitted", ""),
        (f"… of never predicting {positive}", "cost-never", ""),
        (f"… of always predicting {positive}", "cost-always", ""),
    ]
    body = "".join(
        f'<tr><th scope="row">{name}</th><td>{_value(value)}</td>'
        f"<td>{_value(interval) if interval else ''}</td></tr>"
        for name, value, interval in rows
    )
    return (
        '<div class="wide"><table class="figures"><thead><tr><th scope="col">figure</th>'
        '<th scope="col">value</th><th scope="col">95 % interval</th></tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _weights(weights: dict[str, Any], positive: str) -> str:
    body = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th><td>{_value(f"weight-fitted-{place}")}</td>'
        f"<td>{_value(f'weight-{place}')}</td></tr>"
        for place, name in enumerate(weights["names"])
    )
    return (
        f'<p class="caption">Largest weights {weights["unit"]}; positive ones speak for {positive}'
        '</p><div class="wide"><table><thead><tr><th scope="col">feature</th><th scope="col">'
        'fitted</th><th scope="col">chosen direction</th></tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _roc(positive: str, negative: str) -> str:
    chart = Chart((0.0, 1.0), (0.0, 1.0), "false-positive rate", "recall", name="explorer-roc")
    chart.parts.append(_diagonal(chart))
    chart.empty("area c1", "band")
    chart.empty("line limit", "limit")
    chart.empty("line c1", "curve")
    chart.empty("point c4 open", "fitted", "circle")
    chart.empty("point c2", "chosen", "circle")
    entries = [
        ("line c1", "chosen direction, 95 % intervals"),
        ("point c2", "chosen rule"),
        ("point c4 open", "the rule as it was fitted"),
        ("line limit", "limit"),
    ]
    return _figure(
        chart, "ROC curve of the chosen direction on held-out rows, with the chosen rule.",
        f"ROC curve: recall of class {positive} by the share of class {negative} taken for it. The "
        "band has the Wilson interval of each recall, point by point.", entries,
    )  # fmt: skip


def _precisions(positive: str) -> str:
    chart = Chart((0.0, 1.0), (0.0, 1.0), "recall", "precision", name="explorer-precision")
    chart.empty("line chance", "chance")
    chart.empty("line c1", "curve")
    chart.empty("point c4 open", "fitted", "circle")
    chart.empty("point c2", "chosen", "circle")
    entries = [
        ("line c1", "chosen direction"),
        ("point c2", "chosen rule"),
        ("point c4 open", "the rule as it was fitted"),
        ("line chance", "the prevalence"),
    ]
    return _figure(
        chart, "Precision by recall of the chosen direction, at the chosen prevalence.",
        f"Precision and recall of class {positive} on held-out rows, at the prevalence in use.",
        entries,
    )  # fmt: skip


def _figure(
    chart: Chart, description: str, caption: str, entries: Sequence[tuple[str, str]]
) -> str:
    return (
        f"<figure>{chart.to_svg(description)}{legend(entries)}"
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _diagonal(chart: Chart) -> str:
    left, top, width, height = chart.plot
    return f'<path class="line chance" d="M{left:g} {top + height:g}L{left + width:g} {top:g}"/>'


def _recipes() -> str:
    parts = [
        (
            "Command line",
            "command",
            "Fits to all rows, then moves the model without them. A fit with the same metric, by "
            "the options of zerone fit, polishes for it, too, which is often a little better.",
        ),
        ("Python", "python", "The model file is that of the command above."),
        ("SQL", "sql", "An expression over the columns of the table that predicts the class."),
    ]
    return "".join(
        f"<details><summary>{title}</summary><p>{told}</p>"
        f'<pre tabindex="0" aria-label="{title}"><code data-part="{name}"></code></pre></details>'
        for title, name, told in parts
    )


def _value(name: str) -> str:
    return f'<span data-part="{name}"></span>'
