"""A self-contained HTML page with a headline, sortable tables, and charts with captions."""

import html
from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from zerone.comparison._assets import asset


@dataclass(frozen=True, eq=False)
class PageTable:
    """A sortable table.

    Attributes
    ----------
    caption : str
    header : sequence of str
    rows : sequence of sequence of (text, number or None)
        Sorted by the number if there is one. A second line of the text is small.
    bold : container of (row, column)
        Cells in bold.
    words : container of int
        Columns of sentences, whose lines are broken.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[tuple[str, float | None]]]
    bold: Container[tuple[int, int]] = ()
    words: Container[int] = ()

    def to_html(self) -> str:
        """Return the table as HTML."""
        head = "".join(
            f'<th scope="col"{self._kind(column)}><button type="button">{html.escape(name)}'
            "</button></th>"
            for column, name in enumerate(self.header)
        )
        body = ""
        for number, row in enumerate(self.rows):
            cells = "".join(
                self._cell(number, column, text, value) for column, (text, value) in enumerate(row)
            )
            body += f"<tr>{cells}</tr>"
        # Outside of the scrolling part, so that it wraps on a phone.
        return (
            f'<p class="caption">{html.escape(self.caption)}</p>'
            f'<div class="wide" tabindex="0" role="group" aria-label="{html.escape(self.caption)}">'
            f'<table aria-label="{html.escape(self.caption)}">'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def _cell(self, row: int, column: int, text: str, value: float | None) -> str:
        number = "" if value is None else f' data-value="{value!r}"'
        shown, _, below = map(html.escape, text.partition("\n"))
        if (row, column) in self.bold:
            shown = f"<strong>{shown}</strong>"
        if below:
            shown += f'<br><span class="below">{below}</span>'
        return f"<td{self._kind(column)}{number}>{shown}</td>"

    def _kind(self, column: int) -> str:
        return ' class="words"' if column in self.words else ""


@dataclass(frozen=True, eq=False)
class Picture:
    """A chart with a caption.

    Attributes
    ----------
    drawing : str
        SVG, or an image element; with a description for screen readers.
    caption : str
        Which rows it shows, and what.
    entries : sequence of (str, str)
        Of the legend: classes in the style sheet, and a name.
    is_broad : bool
        Whether it takes the whole width.
    """

    drawing: str
    caption: str
    entries: Sequence[tuple[str, str]] = ()
    is_broad: bool = False

    def to_html(self) -> str:
        """Return the picture as HTML."""
        kind = ' class="broad"' if self.is_broad else ""
        return (
            f"<figure{kind}>{self.drawing}{legend(self.entries)}"
            f"<figcaption>{html.escape(self.caption)}</figcaption></figure>"
        )


def legend(entries: Sequence[tuple[str, str]]) -> str:
    """Return what lines, points and areas mean, as a list; names are escaped."""
    if not entries:
        return ""
    found = ""
    for kind, name in entries:
        shape, colour = kind.partition(" ")[::2]
        drawn = f'<path class="line {colour}" d="M1 6H27"/>'
        if shape == "point":
            drawn = f'<circle class="point {colour}" cx="14" cy="6" r="5"/>'
        elif shape == "area":
            drawn = f'<rect class="area {colour}" x="1" y="1" width="26" height="10"/>'
        sample = f'<svg viewBox="0 0 28 12" aria-hidden="true">{drawn}</svg>'
        found += f"<li>{sample}<span>{html.escape(name)}</span></li>"
    return f'<ul class="legend">{found}</ul>'


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
    scripts : list of str
        Run at the end of the page.
    """

    title: str
    headline: str
    facts: str
    parts: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    scripts: list[str] = field(default_factory=lambda: [asset("_page.js")])

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

    def definitions(self, given: dict[str, str]) -> None:
        """Add names with what there is to say about them."""
        content = "".join(
            f"<dt>{html.escape(name)}</dt><dd>{html.escape(said)}</dd>"
            for name, said in given.items()
        )
        self.parts.append(f"<dl>{content}</dl>")

    def code(self, text: str, label: str) -> None:
        """Add lines of code; the label is for screen readers."""
        self.parts.append(
            f'<pre tabindex="0" aria-label="{html.escape(label)}">'
            f"<code>{html.escape(text)}</code></pre>"
        )

    def to_html(self) -> str:
        """Return the page; it loads nothing from outside."""
        # With spaces, so that links wrap on a phone.
        links = " ".join(
            f'<a href="#{html.escape(name)}" title="{html.escape(text)}">{html.escape(name)}</a>'
            for name, text in self.links.items()
        )
        scripts = "".join(f"<script>{own}</script>" for own in self.scripts)
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<link rel="icon" href="data:,"><title>{html.escape(self.title)}</title>'
            f"<style>{asset('_page.css')}</style></head><body><main><h1>"
            f"{html.escape(self.title)}</h1>"
            f'<p class="facts">{html.escape(self.facts)}</p>'
            f'<p class="headline">{html.escape(self.headline)}</p>'
            f"{f'<nav>{links}</nav>' if links else ''}{''.join(self.parts)}</main>"
            f"{scripts}</body></html>"
        )
