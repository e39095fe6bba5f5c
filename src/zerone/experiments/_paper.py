"""The paper's own numbers."""

import csv
from importlib.resources import files


def paper_table(name: str) -> dict[str, dict[str, float]]:
    """Return a table of the paper: data set -> column -> number; missing cells are left out.

    Parameters
    ----------
    name : str
        "table2", "table3", "table5", "table6" or "table7".
    """
    folder = files("zerone.experiments") / "paper"
    (entry,) = (path for path in folder.iterdir() if path.name.startswith(f"{name}_"))
    rows = csv.DictReader(entry.read_text().splitlines())
    return {
        row["name"]: {column: float(cell) for column, cell in row.items()
                      if column != "name" and cell}
        for row in rows
    }  # fmt: skip
