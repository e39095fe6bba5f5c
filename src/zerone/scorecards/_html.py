"""A card as a page for print: a table of points, the threshold, and a table of probabilities."""

import html
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from zerone.scorecards._scorecard import Scorecard

_STYLE = """
.card{font:15px/1.45 system-ui,sans-serif;color:#111;background:#fff;max-width:52em}
.card table{border-collapse:collapse;margin:0 0 1.2em;width:100%}
.card caption{text-align:left;font-weight:600;padding:.3em 0}
.card th,.card td{border-bottom:1px solid #bbb;padding:.28em .7em;text-align:left;
vertical-align:top}
.card thead th{border-bottom:2px solid #111}
.card tr.first>*{border-top:2px solid #777}
.card .points{text-align:right;font-variant-numeric:tabular-nums;width:5em}
.card .own{width:6em}
.card .decision{font-size:1.15em;font-weight:600}
.card .yes td{background:#f4e3d7}
.card .chances{width:auto;min-width:18em}
.card .facts{color:#444}
@media print{.card{font-size:11pt;max-width:none}.card tr{break-inside:avoid}}
"""


def card_page(card: "Scorecard", title: str) -> str:
    """Return a card as a page."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{html.escape(title)}</title></head>'
        f"<body>{card_body(card, title)}</body></html>"
    )


def card_body(card: "Scorecard", title: str | None = None) -> str:
    """Return a card as a part of a page."""
    last = html.escape(str(card.classes[1]))
    first = html.escape(str(card.classes[0]))
    decision = (
        f"From {card.threshold} of {card.most} points on: <strong>{last}</strong>; "
        f"below: <strong>{first}</strong>."
    )
    if not 0 < card.threshold <= card.most:
        always = first if card.threshold > card.most else last
        decision = f"Whatever the total: <strong>{always}</strong> is always predicted."
    parts = [
        f"<style>{_STYLE}</style>",
        '<main class="card">',
        "" if title is None else f"<h1>{html.escape(title)}</h1>",
        _points(card),
        f'<p class="decision">{decision}</p>',
        _probabilities(card, last),
        _facts(card),
        "</main>",
    ]
    return "".join(parts)


def _points(card: "Scorecard") -> str:
    rows = []
    for own in card.columns:
        cases = own.cases
        name = f'<th scope="rowgroup" rowspan="{len(cases)}">{html.escape(own.column.name)}</th>'
        for number, (case, points) in enumerate(cases):
            row = f'<td>{html.escape(case)}</td><td class="points">{points}</td>'
            if number:
                rows.append(f"<tr>{row}</tr>")
                continue
            own_cell = f'<td class="own" rowspan="{len(cases)}"></td>'
            rows.append(f'<tr class="first">{name}{row}{own_cell}</tr>')
    return (
        "<table><caption>Points</caption><thead><tr><th>column</th><th>value</th>"
        '<th class="points">points</th><th class="own">this case</th></tr></thead><tbody>'
        f'{"".join(rows)}</tbody><tfoot><tr class="first"><th colspan="3">total</th>'
        '<td class="own"></td></tr></tfoot></table>'
    )


def _probabilities(card: "Scorecard", last: str) -> str:
    totals = np.arange(card.most + 1)
    rows = "".join(
        f"<tr{_marked(total >= card.threshold)}>"
        f'<td class="points">{total}</td><td class="points">{_percent(float(chance))}</td></tr>'
        for total, chance in zip(totals.tolist(), card.probability(totals), strict=True)
    )
    return (
        f'<table class="chances"><caption>Probability of {last} by total points</caption>'
        "<thead><tr>"
        '<th class="points">total</th><th class="points">probability</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _marked(is_last: bool) -> str:
    return ' class="yes"' if is_last else ""


def _percent(share: float) -> str:
    if share < 0.001:
        return "below 0.1 %"
    if share > 0.999:
        return "above 99.9 %"
    return f"{share:.1%}".replace("%", " %")


def _facts(card: "Scorecard") -> str:
    if not card.held_out:
        return ""
    said = ", ".join(f"{name} {value:.4f}" for name, value in card.held_out.items())
    return (
        f'<p class="facts">On held-out rows, with cards that were made without them: '
        f"{html.escape(said)}.</p>"
    )
