"""Columns that bend in a comparison: learned from training rows, recommended where they win."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from tests.comparison.test_verdict import ROLES, around, comparison

from zerone import ZeroOneClassifier
from zerone._data.table_options import ScanOptions, TableOptions
from zerone._rows.table_rows import TableRows
from zerone.comparison import Contestant, compare_table, comparison_report, contestants, verdict
from zerone.comparison._rows import sampled_rows

OURS = [own for own in contestants() if own.role == "ours" and own.name != "AUCClassifier"]
MAJORITY = [own for own in contestants() if own.role == "majority"]


@pytest.fixture(scope="module")
def table():
    """Rows whose classes are the inner and the outer values of a column with gaps."""
    rng = np.random.default_rng(0)
    size = rng.normal(size=400)
    found = pd.DataFrame({"size": size, "rate": rng.normal(size=400)})
    found["late"] = np.where(np.abs(size) + 0.2 * found["rate"] > 0.8, "yes", "no")
    found["size"] = found["size"].mask(rng.random(400) < 0.05)
    found["job"] = rng.choice(["cook", "nurse", "baker"], 400)
    return found


@pytest.fixture(scope="module")
def found(table):
    return compare_table(
        table, target="late", folds=3, contestants=[*OURS, *MAJORITY], time_limit=np.inf
    )


def test_a_split_is_fitted_as_the_table_of_its_training_rows(table):
    opened = TableRows.opened(table, TableOptions(target="late"), ScanOptions())
    rows, _ = sampled_rows(opened, 2**20, 0)
    is_held_out = np.arange(400) % 4 == 0
    split = rows.split(is_held_out)
    model = OURS[1].fitted(split.train.X, split.train.y, None, split.bends)
    twin = ZeroOneClassifier(shapes="auto").fit_table(table[~is_held_out], target="late")
    assert [own.name for own in twin.encoding_.bent_columns] == ["size"]
    assert_allclose(
        model.decision_function(split.test.X),
        twin.decision_function(table[is_held_out]),
        atol=1e-9,
    )


def test_it_is_recommended_where_it_wins(found):
    decided = verdict(found)
    assert decided.recommended == decided.ours == "bent ZeroOneClassifier"
    assert decided.shapes == "auto"
    assert "Columns that bend take accuracy from" in decided.sentence
    page = comparison_report(found, decided, title="t")
    assert 'id="shapes"' in page
    assert "What size adds to the score" in page
    assert "zerone fit TABLE --target late --shapes auto" in page
    assert "Columns that bend" in page


def test_several_classes(table):
    several = table.assign(late=table["late"].mask(table["rate"] > 0.5, "never"))
    result = compare_table(
        several, target="late", folds=3, contestants=[*OURS, *MAJORITY], time_limit=np.inf
    )
    page = comparison_report(result, verdict(result), title="t")
    assert verdict(result).shapes == "auto"
    assert "size above" in page or "size from" in page


def test_tables_without_columns_of_numbers(table, tmp_path):
    given = {"folds": 2, "contestants": [*OURS, *MAJORITY], "time_limit": np.inf}
    assert len(compare_table(table[["job", "late"]], target="late", **given).metrics) == 2
    path = tmp_path / "rows.svm"
    path.write_text("\n".join(f"{i % 2} 1:{i % 7}" for i in range(50)))
    assert len(compare_table(path, **given).metrics) == 2


@pytest.mark.parametrize(
    ("metric", "straight", "params"),
    [
        ("error", "ZeroOneClassifier", None),
        ("auc", "AUCClassifier", None),
        ("f1", "ZeroOneClassifier", None),
        ("average_precision", "AUCClassifier", None),
    ],
)
def test_one_contestant_bends(metric, straight, params):
    bent = [own for own in contestants(metric, params) if own.name.startswith("bent ")]
    assert [own.name for own in bent] == [f"bent {straight}"]
    made = bent[0].make()
    assert (made.shapes, made.metric) == ("auto", metric)
    assert isinstance(bent[0], Contestant)


class TestSentences:
    def of(self, straight, bent, rival, spread=1.0):
        given = comparison(
            **{
                "ZeroOneClassifier": {"accuracy": around(straight)},
                "bent ZeroOneClassifier": {"accuracy": around(bent, spread)},
                "LinearSVC": {"accuracy": around(rival)},
            }
        )
        object.__setattr__(given, "roles", ROLES | {"bent ZeroOneClassifier": "ours"})
        return verdict(given)

    def test_bends_that_help(self):
        decided = self.of(0.8, 0.9, 0.85, 0.9)
        assert decided.recommended == "bent ZeroOneClassifier"
        assert (
            "Columns that bend take accuracy from 0.8000 (ZeroOneClassifier) to 0.9000, which is "
            "significant."
        ) in decided.sentence

    def test_bends_that_do_not(self):
        decided = self.of(0.8, 0.805, 0.7, -1)
        assert decided.recommended == "ZeroOneClassifier"
        assert decided.shapes is None
        assert "are not significantly better than straight lines (0.8050)" in decided.sentence
        worse = self.of(0.9, 0.8, 0.7, 0.9)
        assert "are significantly worse than straight lines (0.8000)" in worse.sentence

    def test_a_better_rival(self):
        decided = self.of(0.7, 0.8, 0.9, 0.9)
        assert (decided.ours, decided.recommended) == ("bent ZeroOneClassifier", "LinearSVC")
