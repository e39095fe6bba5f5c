"""The paper's own numbers."""

import csv
from pathlib import Path

_NUMBERS = Path(__file__).parent / "numbers"


def paper_table(name: str) -> dict[str, dict[str, float]]:
    """Return a table of the paper: data set -> column -> number; missing cells are left out.

    Parameters
    ----------
    name : str
        "table2", "table3", "table5", "table6" or "table7".
    """
    (path,) = _NUMBERS.glob(f"{name}_*.csv")
    rows = csv.DictReader(path.read_text().splitlines())
    return {
        row["name"]: {column: float(cell) for column, cell in row.items()
                      if column != "name" and cell}
        for row in rows
    }  # fmt: skip
