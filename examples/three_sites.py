"""Three sites train one classifier; each shares its moments and no row."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from zerone import Encoding, Moments, ZeroOneClassifier, cross_validate_moments


def three_tables() -> list[pd.DataFrame]:
    """Return the tables of three hospitals, the third of which has a scanner of its own."""
    rng = np.random.default_rng(0)
    table = load_breast_cancer(as_frame=True).frame
    table["diagnosis"] = np.where(table.pop("target") == 0, "malignant", "benign")
    table = table.sample(frac=1, random_state=0, ignore_index=True)
    scanner = rng.choice(["alpha", "beta"], len(table))
    third = np.arange(len(table)) >= 380
    table["scanner"] = np.where(third & (rng.random(len(table)) < 0.5), "gamma", scanner)
    table.loc[rng.random(len(table)) < 0.1, "mean texture"] = np.nan
    return [table[:190], table[190:380], table[380:]]


def main() -> None:
    """Play all parties, one after the other."""
    tables = three_tables()

    # Each site tells its columns and categories; the joined encoding goes back to all of them.
    told = [Encoding.from_table(t, target="diagnosis") for t in tables]
    common = told[0] | told[1] | told[2]

    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, table in enumerate(tables):
            moments = Moments.from_table(table, target="diagnosis", encoding=common)
            files.append(Path(folder) / f"site{number + 1}.npz")
            moments.save(files[-1], min_count=3)
            size = files[-1].stat().st_size / 1024
            print(f"site {number + 1}: {moments}, a file of {size:.0f} KiB")

        # One party has nothing but the files.
        received = [Moments.load(file) for file in files]
    together = ZeroOneClassifier().fit_moments(sum(received))
    predicted = cross_validate_moments(ZeroOneClassifier(), received)
    print(f"\npredicted error at each site of a fit to the others: {predicted.round(3)}")

    # What nobody could do, for comparison: one table with all rows.
    pooled = pd.concat(tables)
    direct = ZeroOneClassifier(refine=None).fit_table(pooled, target="diagnosis")
    difference = np.abs(together.coef_ - direct.coef_).max() / np.abs(direct.coef_).max()
    print(f"largest difference of a coefficient to a fit to all rows: {difference:.0e}")

    for number, table in enumerate(tables):
        others = [moments for moments in received if moments is not received[number]]
        scores = [
            ZeroOneClassifier().fit_moments(moments).score_table(table, target="diagnosis")
            for moments in (sum(others), *others)
        ]
        print(
            f"accuracy at site {number + 1}: {scores[0]:.3f} of the two others together, "
            f"{scores[1]:.3f} and {scores[2]:.3f} of each alone"
        )


if __name__ == "__main__":
    main()
