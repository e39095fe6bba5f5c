"""One self-contained page with all tables and figures of a run."""

import base64
import html
import io
from typing import Any

from paper.table import Table
from zerone.comparison import Page, PageTable, Picture


def make_page(
    title: str, facts: dict[str, str], tables: list[Table], figures: dict[str, Any]
) -> str:
    """Return the page; it loads nothing from outside."""
    listed = "; ".join(f"{name}: {value}" for name, value in facts.items())
    page = Page(title, _headline(tables, figures), listed)
    for table in tables:
        page.heading(table.title, link=table.name)
        page.table(_sortable(table))
    if figures:
        page.heading("Figures", link="figures")
        described = {name: _description(name) for name in figures}
        page.pictures(
            [
                Picture(_image(figure, described[name]), described[name], is_broad=True)
                for name, figure in figures.items()
            ]
        )
    return page.to_html()


def _image(figure: Any, description: str) -> str:
    """Return a figure of matplotlib as an image element, and close it."""
    from matplotlib.pyplot import close

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    close(figure)
    content = base64.b64encode(buffer.getvalue()).decode()
    source = f"data:image/png;base64,{content}"
    return f'<img alt="{html.escape(description)}" src="{source}">'


def _headline(tables: list[Table], figures: dict[str, Any]) -> str:
    if tables and all(table.is_comparison for table in tables) and not figures:
        return "All classifiers were trained and tested on the same rows."
    return "The numbers of the paper are shown beside those computed here."


def _sortable(table: Table) -> PageTable:
    """Return the table for the page; cells are sorted by their first number."""
    rows = [[(cell.strip("*"), _number(cell)) for cell in row] for row in table.rows]
    bold = {
        (number, column)
        for number, row in enumerate(table.rows)
        for column, cell in enumerate(row)
        if cell.startswith("**")
    }
    caption = "; ".join(table.notes) or table.title
    return PageTable(caption, table.columns, rows, bold=bold)


def _number(cell: str) -> float | None:
    first = cell.strip("*").partition(" ")[0].replace(",", "")
    try:
        return float(first)
    except ValueError:
        return None


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
