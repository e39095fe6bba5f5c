"""One self-contained page with all tables and figures of a run."""

import base64
import html
import io
from typing import Any

from zerone.experiments._table import Table

_STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #ffffff; --line: #c8c8c8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --paper: #161616; --line: #4a4a4a; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.6rem; text-align: right;
  white-space: nowrap; }
th[scope="row"], th:first-child { text-align: left; }
img { max-width: 100%; background: #ffffff; }
nav a { margin-right: 1rem; }
"""


def make_page(
    title: str, facts: dict[str, str], tables: list[Table], figures: dict[str, Any]
) -> str:
    """Return the page; nothing in it refers to anything outside."""
    listed = "".join(
        f"<li>{html.escape(name)}: {html.escape(value)}</li>" for name, value in facts.items()
    )
    links = "".join(f'<a href="#{table.name}">{table.name}</a>' for table in tables)
    pictures = "".join(
        f'<figure id="{name}"><img alt="{html.escape(_description(name))}" '
        f'src="data:image/png;base64,{_png(figure)}"><figcaption>'
        f"{html.escape(_description(name))}</figcaption></figure>"
        for name, figure in figures.items()
    )
    sections = "".join(table.to_html() for table in tables)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{html.escape(title)}</h1>"
        f"<ul>{listed}</ul><nav>{links}</nav>{sections}{pictures}</body></html>"
    )


def _description(name: str) -> str:
    if name == "time-against-rows":
        return "Training time against the number of rows"
    figure, _, data_set = name.partition("-")
    what = {
        "figure1": "score histograms with fitted normals, early and late",
        "figure2": "score histograms with fitted normals, early and late",
        "figure3": "expected error and logistic loss against the empirical error",
        "figure4": "expected ranking loss and pairwise hinge against the empirical ranking loss",
    }[figure]
    return f"Figure {figure[-1]}, {data_set}: {what}"


def _png(figure: Any) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=90)
    return base64.b64encode(buffer.getvalue()).decode()
