"""From a CSV to a model, a picture of why it is good, and a file to deploy.

Run: make demo
"""

import subprocess
import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer

FOLDER = Path("build") / "demo"


def write_table(path: Path) -> None:
    """Write a data set that ships inside scikit-learn as a table that users might have."""
    data = load_breast_cancer(as_frame=True)
    table = data.frame
    table["diagnosis"] = data.target_names[table.pop("target")]
    table.to_csv(path, index=False)


def zerone(*arguments: str) -> None:
    """Run the command line as users do."""
    print(f"\n$ zerone {' '.join(arguments)}\n", flush=True)
    subprocess.run([sys.executable, "-m", "zerone", *arguments], check=True)


def main() -> None:
    """Compare, fit, predict."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    table, model = str(FOLDER / "tumours.csv"), str(FOLDER / "tumours.zerone")
    write_table(Path(table))
    report = str(FOLDER / "report.html")
    zerone("compare", table, "--target", "diagnosis", "--report", report, "--force")
    zerone("fit", table, "--target", "diagnosis", "--output", model, "--force")
    scores = str(FOLDER / "scores.csv")
    zerone("predict", model, table, "--output", scores, "--force")
    print(f"\nA report is in {report}, predictions are in {scores}.")


if __name__ == "__main__":
    main()
