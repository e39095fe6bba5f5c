"""A self-contained HTML page with a headline, sortable tables, and pictures with captions."""

import base64
import html
import io
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff;
  --card: #f6f8fa; --line: #d0d7de; --mark: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #a0a9b4; --paper: #0d1117;
  --card: #161b22; --line: #3d444d; --mark: #6cb6ff; } }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 4rem; }
h1, p, figcaption { overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
.headline { background: var(--card); border-left: .3rem solid var(--mark); padding: 1rem;
  font-size: 1.1rem; margin: 1rem 0; }
.facts, figcaption, .caption { color: var(--soft); }
nav a { color: var(--mark); margin-right: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: right;
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; white-space: normal; }
tr.best td { font-weight: 600; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0;
  padding: 0; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--mark); }
th[aria-sort="ascending"] button::after { content: " ↑"; }
th[aria-sort="descending"] button::after { content: " ↓"; }
.pictures { display: grid; gap: 1.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
figure { margin: 0; background: var(--card); padding: .8rem; border-radius: .4rem; }
figure.broad { grid-column: 1 / -1; }
img { max-width: 100%; height: auto; display: block; margin: 0 auto .5rem; background: #ffffff;
  border-radius: .25rem; }
@media print { body { max-width: none; } figure, tr { break-inside: avoid; } }
"""

_SCRIPT = """
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th"), table = head.closest("table");
    const index = [...head.parentNode.children].indexOf(head);
    const rising = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", rising ? "ascending" : "descending");
    const key = row => row.children[index].dataset.value ?? row.children[index].textContent;
    const rows = [...table.tBodies[0].rows].sort((a, b) => {
      const [x, y] = [key(a), key(b)], [p, q] = [parseFloat(x), parseFloat(y)];
      const order = isNaN(p) || isNaN(q) ? x.localeCompare(y) : p - q;
      return rising ? order : -order;
    });
    table.tBodies[0].append(...rows);
  });
}
"""


@dataclass(frozen=True, eq=False)
class PageTable:
    """A sortable table.

    Attributes
    ----------
    caption : str
    header : sequence of str
    rows : sequence of sequence of (text, number or None)
        Sorted by the number if there is one.
    best : int or None
        The row in bold.
    bold : container of (row, column)
        Cells in bold.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[tuple[str, float | None]]]
    best: int | None = None
    bold: Container[tuple[int, int]] = ()

    def to_html(self) -> str:
        """Return the table as HTML."""
        head = "".join(
            f'<th scope="col"><button type="button">{html.escape(name)}</button></th>'
            for name in self.header
        )
        body = ""
        for number, row in enumerate(self.rows):
            cells = "".join(
                _cell(text, value, is_bold=(number, column) in self.bold)
                for column, (text, value) in enumerate(row)
            )
            body += f'<tr class="best">{cells}</tr>' if number == self.best else f"<tr>{cells}</tr>"
        # Outside of the scrolling part, so that it wraps on a phone.
        return (
            f'<p class="caption">{html.escape(self.caption)}</p>'
            f'<div class="wide"><table aria-label="{html.escape(self.caption)}">'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )


def _cell(text: str, value: float | None, *, is_bold: bool) -> str:
    number = "" if value is None else f' data-value="{value!r}"'
    shown = html.escape(text)
    return f"<td{number}>{f'<strong>{shown}</strong>' if is_bold else shown}</td>"


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with a caption and a description for screen readers."""

    figure: Any
    caption: str
    description: str
    is_broad: bool = False

    def to_html(self) -> str:
        """Return the picture as HTML, and close its figure."""
        from matplotlib.pyplot import close

        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=110)
        close(self.figure)
        content = base64.b64encode(buffer.getvalue()).decode()
        kind = ' class="broad"' if self.is_broad else ""
        return (
            f'<figure{kind}><img alt="{html.escape(self.description)}" '
            f'src="data:image/png;base64,{content}"><figcaption>{html.escape(self.caption)}'
            "</figcaption></figure>"
        )


@dataclass(eq=False)
class Page:
    """A page to which sections are added.

    Attributes
    ----------
    title, headline : str
    facts : str
        One line below the title.
    parts : list of str
    links : dict name -> title
        Links at the top of the page to sections.
    """

    title: str
    headline: str
    facts: str
    parts: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)

    def heading(self, text: str, *, link: str | None = None) -> None:
        """Start a section; ``link`` is the name of a link to it at the top of the page."""
        anchor = "" if link is None else f' id="{html.escape(link)}"'
        self.parts.append(f"<h2{anchor}>{html.escape(text)}</h2>")
        if link is not None:
            self.links[link] = text

    def paragraph(self, text: str) -> None:
        """Add a paragraph."""
        self.parts.append(f"<p>{html.escape(text)}</p>")

    def table(self, table: PageTable) -> None:
        """Add a table."""
        self.parts.append(table.to_html())

    def pictures(self, pictures: Sequence[Picture]) -> None:
        """Add pictures side by side."""
        content = "".join(picture.to_html() for picture in pictures)
        self.parts.append(f'<div class="pictures">{content}</div>')

    def to_html(self) -> str:
        """Return the page; it loads nothing from outside."""
        # With spaces, so that links wrap on a phone.
        links = " ".join(
            f'<a href="#{html.escape(name)}" title="{html.escape(text)}">{html.escape(name)}</a>'
            for name, text in self.links.items()
        )
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<link rel="icon" href="data:,"><title>{html.escape(self.title)}</title>'
            f"<style>{_STYLE}</style></head><body><main><h1>{html.escape(self.title)}</h1>"
            f'<p class="facts">{html.escape(self.facts)}</p>'
            f'<p class="headline">{html.escape(self.headline)}</p>'
            f"{f'<nav>{links}</nav>' if links else ''}{''.join(self.parts)}</main>"
            f"<script>{_SCRIPT}</script></body></html>"
        )
