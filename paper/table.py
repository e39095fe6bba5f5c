"""A table of strings, and the formats it is written in."""

import csv
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

    @property
    def is_comparison(self) -> bool:
        """Whether it compares with rivals, which is not in the paper."""
        return self.name.startswith(("rivals-", "metrics-"))

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        lines = [f"## {self.title}", "", _row(self.columns), _row(["---"] * len(self.columns))]
        lines += [_row(row) for row in self.rows]
        lines += ["", *(f"- {note}" for note in self.notes), ""]
        return "\n".join(lines)

    def to_csv(self) -> str:
        """Return the table as CSV, without the bold marks."""
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([cell.strip("*") for cell in row] for row in self.rows)
        return lines.getvalue()


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
