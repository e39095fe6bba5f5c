"""
Columns that bend
=================

A linear rule adds up one straight line per column. With `shapes`, columns of numbers become curves
where that pays: the rule is still a sum that can be read column by column, and a sum of pieces of
straight lines is still found in one pass over the rows.
"""

# %%
# The data: whether a machine fails depends on its temperature, where both ends are bad, on its age,
# where only the first months and the last years are, on its load, and on its maker.

import numpy as np
import pandas as pd

from zerone import ZeroOneClassifier
from zerone.inspection import ShapeDisplay

rng = np.random.default_rng(0)


def machines(n):
    """Return n machines, and whether they fail."""
    frame = pd.DataFrame(
        {
            "temperature": rng.normal(60, 15, n),
            "age": rng.exponential(5, n),
            "load": rng.uniform(0, 100, n),
            "maker": rng.choice(["A", "B", "C"], n),
        }
    )
    risk = (
        np.abs(frame["temperature"] - 60) / 12
        + 2 * np.exp(-frame["age"]) + np.maximum(frame["age"] - 8, 0) / 3
        + frame["load"] / 60
        + (frame["maker"] == "C")
    )  # fmt: skip
    return frame.assign(fails=np.where(risk + rng.logistic(0, 0.5, n) > 3.5, "yes", "no"))


train, test = machines(5_000), machines(50_000)

# %%
# `shapes="auto"` bends the columns that are worth it, as far as held-out rows prefer that to
# straight lines.

for shapes in (None, "auto"):
    classifier = ZeroOneClassifier(shapes=shapes).fit_table(train, target="fails")
    error = 1 - classifier.score_table(test, target="fails")
    print(f"shapes={shapes!r}: {error:.3f} of the new machines are predicted wrongly")
print("columns that bend:", [column.name for column in classifier.encoding_.bent_columns])

# %%
# One picture per column: what it adds to the score, with an interval of 95 % for each value. The
# marks at the bottom are the knots, between which lie about as many rows. The load stays a straight
# line, and categories are bars.

ShapeDisplay.from_estimator(classifier)

# %%
# `explain` says the same of single rows, and which value would change the answer: here with curves,
# there may be two, and the nearer one is found.

explanation = classifier.explain(test[:3])
for reasons, column, value in zip(
    explanation.reasons(3), explanation.flip_columns, explanation.flip_values, strict=True
):
    print("; ".join(reasons), "-> another answer with", column, "=", value)

# %%
# The rule as SQL is one expression with the same curves.

print(classifier.to_sql("score")[:300], "…")
