"""A table of text cells, and the formats it is written in."""

import csv
import html
import io
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Table:
    """A titled table.

    Attributes
    ----------
    name : str
        Stem of its files.
    title : str
    columns : list of str
    rows : list of list of str
        A cell between ``**`` is printed bold.
    notes : list of str
    """

    name: str
    title: str
    columns: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        lines = [f"## {self.title}", "", _row(self.columns), _row(["---"] * len(self.columns))]
        lines += [_row(row) for row in self.rows]
        lines += ["", *(f"- {note}" for note in self.notes), ""]
        return "\n".join(lines)

    def to_csv(self) -> str:
        """Return the table as CSV, without the bold marks."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([cell.strip("*") for cell in row] for row in self.rows)
        return text.getvalue()

    def to_html(self) -> str:
        """Return the table as an HTML section."""
        head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in self.columns)
        body = "".join(
            "<tr>" + "".join(_cell(cell, first=not position) for position, cell in enumerate(row))
            + "</tr>"
            for row in self.rows
        )  # fmt: skip
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return (
            f'<section id="{self.name}"><h2>{html.escape(self.title)}</h2>'
            f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
            f"</div><ul>{notes}</ul></section>"
        )


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _cell(text: str, *, first: bool) -> str:
    escaped = html.escape(text.strip("*"))
    if text.startswith("**"):
        escaped = f"<strong>{escaped}</strong>"
    return f'<th scope="row">{escaped}</th>' if first else f"<td>{escaped}</td>"
