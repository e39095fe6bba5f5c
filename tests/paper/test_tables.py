import numpy as np
import pytest

from paper.datasets.artificial import ARTIFICIAL_SETS
from paper.datasets.registry import DATA_SETS
from paper.page import make_page
from paper.plan import methods_of, repeats_of, sets_of, tasks_of
from paper.published import paper_table
from paper.store import Store
from paper.table import Table
from paper.tables import LAYOUTS, results_table, sets_table


class TestPlan:
    def test_every_result_is_computed_once(self):
        tasks = list(tasks_of(LAYOUTS, None, quick=False))
        assert len(tasks) == len({task.key for task in tasks})

    def test_every_column_has_its_results(self):
        for target, layout in LAYOUTS.items():
            assert {column.method for column in layout.columns} <= set(methods_of(target))
            assert layout.rival in methods_of(target)

    def test_repeats(self):
        assert repeats_of("a9a", quick=False) == 4
        assert repeats_of("data1", quick=False) == 20
        assert repeats_of("covtype", quick=False) < 4
        assert repeats_of("a9a", quick=True) == 1

    def test_sets(self):
        assert "shuttle" in sets_of("table6")
        assert "shuttle" not in sets_of("table5")
        assert sets_of("table2") == list(ARTIFICIAL_SETS)
        assert sets_of("table5", ["a9a", "data1"]) == ["a9a"]


class TestPaper:
    @pytest.mark.parametrize("target", LAYOUTS)
    def test_the_paper_s_columns_are_found(self, target):
        layout = LAYOUTS[target]
        suffix = "acc" if layout.metric == "accuracy" else "auc"
        rows = paper_table(target)
        for column in layout.columns:
            if column.paper:
                assert any(f"{column.paper}_{suffix}" in row for row in rows.values())

    def test_every_real_set_is_in_a_table(self):
        tables = paper_table("table5") | paper_table("table6")
        names = {s.paper_name for s in DATA_SETS.values() if s.paper_name}
        assert names == set(tables)


def filled_store(tmp_path, better):
    store = Store(tmp_path / "results.jsonl")
    rng = np.random.default_rng(0)
    for repeat in range(4):
        noise = 0.001 * rng.standard_normal(5)
        for method, level in [("error-lbfgs", 0.84 + better), ("logistic", 0.84)]:
            folds = [
                {"accuracy": level + e, "n_iter": 10, "solve_s": 0.5, "moment_s": 0.1}
                for e in noise + 0.001 * rng.standard_normal(5)
            ]
            store.add(f"real/a9a/{method}/{repeat}", {"folds": folds})
    return store


def test_numbers_stand_beside_the_paper_s(tmp_path):
    table = results_table("table5", filled_store(tmp_path, 0.0), ["a9a"], quick=False)
    row = dict(zip(table.columns, table.rows[0], strict=False))
    assert row["data"] == "a9a"
    assert row["F_n01 by L-BFGS"].startswith("0.84")
    assert row["exact solver"] == "not run"
    assert table.rows[0][5] == "0.8376"
    assert float(table.rows[0][6]) == pytest.approx(0.84 - 0.8376, abs=0.001)


@pytest.mark.parametrize(("better", "is_bold"), [(0.02, True), (0.0, False), (-0.02, False)])
def test_bold_is_significant(better, is_bold, tmp_path):
    table = results_table("table5", filled_store(tmp_path, better), ["a9a"], quick=False)
    assert table.rows[0][1].startswith("**") == is_bold


def test_missing_data_keeps_its_row(tmp_path):
    table = results_table(
        "table5", Store(tmp_path / "r.jsonl"), ["gisette", "a9a"], missing={"gisette"}, quick=False
    )
    assert [row[:2] for row in table.rows] == [
        ["a9a", "not run"],
        ["gisette", "data not available"],
    ]
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_tables_of_sets():
    assert len(sets_table("table1").rows) == 9
    assert len(sets_table("table4").rows) == len(DATA_SETS)


def test_formats():
    table = Table("t", "A < B", ["data", "value"], [["x|y", "**1.0**"], ["z", "2"]], ["a note"])
    assert "| x\\|y | **1.0** |" in table.to_markdown()
    assert table.to_csv().splitlines() == ["data,value", "x|y,1.0", "z,2"]


def test_page():
    rows = [["x", "**1,234 ± 5**", "wide"], ["z", "2", ""]]
    table = Table("t1", "A < B", ["data", "value", "note"], rows, ["a note", "another"])
    page = make_page("Title", {"python": "3"}, [table], {})
    assert '<a href="#t1" title="A &lt; B">t1</a>' in page
    assert '<h2 id="t1">A &lt; B</h2>' in page
    assert "a note; another" in page
    assert '<td data-value="1234.0"><strong>1,234 ± 5</strong></td><td>wide</td>' in page
    assert '<td data-value="2.0">2</td>' in page
    assert "python: 3" in page
