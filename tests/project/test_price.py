"""The price of a default fit and its phases: what is measured, and the tables."""

import json
import subprocess
import sys

import numpy as np
import pytest

from benchmarks import phases, plots, price, price_lines, price_tables
from benchmarks.adapters import DEFAULT, LOGISTIC, ZERONE
from benchmarks.records import Settings
from zerone import ZeroOneClassifier


@pytest.fixture(scope="module")
def rows():
    settings = Settings(1, True, False, "no such folder", ("500x10", "letter", "digits"), 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(price, "_SHORTEST_ROUND", 0.0)
        return list(price.price_section(settings))


@pytest.mark.slow
def test_every_line_has_both_sides(rows):
    by_case = {}
    for row in rows:
        by_case.setdefault(row.case, {})[row.contestant] = row
    assert list(by_case) == ["500 × 10", "letter, 26 classes", "digits, 10 classes"]
    two, several = by_case["500 × 10"], by_case["digits, 10 classes"]
    assert {LOGISTIC, DEFAULT, price.DEFAULT_AUC, ZERONE, *price.PEERS} == set(two)
    assert price.DEFAULT_AUC not in several
    assert all(row.auc > 0.8 for row in two.values())
    assert all(row.accuracy > 0.7 for row in several.values())
    assert several[DEFAULT].predict_seconds > 0
    assert several[DEFAULT].pickle_kilobytes > 10
    assert two[DEFAULT].predict_seconds is None
    assert by_case["letter, 26 classes"]["all"].note.startswith("skipped: there is no file letter")


@pytest.mark.slow
def test_the_tables(rows):
    page = price_tables.price_lines(rows)
    [of_two] = [line for line in page if line.startswith("| 500 × 10") and line.count("|") == 11]
    cells = [cell.strip() for cell in of_two.strip("|").split("|")]
    by_name = {row.contestant: row for row in rows if row.case == "500 × 10"}
    ratio = by_name[LOGISTIC].median_seconds / by_name[DEFAULT].median_seconds
    assert float(cells[4]) == pytest.approx(ratio, abs=0.01)
    assert float(cells[5]) == pytest.approx(by_name[DEFAULT].accuracy, abs=1e-4)
    assert float(cells[7]) == pytest.approx(by_name[price.DEFAULT_AUC].auc, abs=1e-4)
    assert "## Many classes" in page
    assert any(line.startswith("- letter, 26 classes: skipped: there is no file") for line in page)


@pytest.mark.parametrize("line", price_lines.QUICK_LINES, ids=lambda line: line.name)
def test_lines_are_standardised_and_hold_rows_out(line):
    split = line.split("")
    n, d = (int(number) for number in line.name.split("x"))
    assert split.X.shape == (n, d)
    assert len(split.X_test) >= 1000
    np.testing.assert_allclose(split.X.mean(axis=0), 0, atol=1e-9)


def test_many_classes_can_be_drawn():
    split = price_lines.drawn_split(600, 20, 50)
    assert len(np.unique(split.y)) == 50


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["prices"], "there is no section 'prices'; choose from moments,"),
        (["price", "--lines", "a10a"], "--lines: there is no line 'a10a'; choose from ['500x10'"),
        (["price", "--repeats", "0"], "--repeats: got 0, expected at least 1"),
    ],
)
def test_arguments_that_cannot_be_used(arguments, words):
    command = [sys.executable, "-m", "benchmarks", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())


class TestPhases:
    def test_they_add_up_and_leave_nothing_behind(self, rng, monkeypatch):
        X = rng.normal(size=(2000, 5))
        y = X[:, 0] + rng.normal(size=2000) > 0
        before = [
            owner.__dict__[name]
            for _, places in phases.PHASES
            for owner, name in map(phases._found, places)
        ]
        clock = phases.PhaseClock()
        with clock.watching():
            classifier = ZeroOneClassifier()
            found = clock.total(lambda: classifier.fit(X, y))
            # Watching changes nothing.
        expected = ZeroOneClassifier().fit(X, y)
        np.testing.assert_array_equal(classifier.coef_, expected.coef_)
        assert list(found) == [*(name for name, _ in phases.PHASES), phases.REST]
        # Every phase is there, so that no function has lost its name.
        assert all(seconds > 0 for seconds in found.values())
        after = [
            owner.__dict__[name]
            for _, places in phases.PHASES
            for owner, name in map(phases._found, places)
        ]
        assert all(a is b for a, b in zip(before, after, strict=True))

    def test_time_counts_once(self, monkeypatch):
        clock = iter([0.0, 0.0, 1.0, 3.0, 6.0, 10.0, 15.0])
        monkeypatch.setattr(phases.time, "process_time", lambda: next(clock))
        own = phases.PhaseClock()
        inner = own._watched("polish", lambda: None)
        outer = own._watched("frontier", inner)
        found = own.total(outer)
        assert found["polish"] == 3.0
        assert found["frontier"] == 2.0 + 4.0
        assert found[phases.REST] == 1.0 + 5.0

    def test_a_function_that_has_gone_is_named(self, monkeypatch):
        place = "zerone._refine.search:RowSearch.polishing"
        monkeypatch.setattr(phases, "PHASES", (("polish", (place,)),))
        with (
            pytest.raises(LookupError, match=r"there is no .*polishing"),
            phases.PhaseClock().watching(),
        ):
            pass

    def test_the_picture(self, tmp_path, monkeypatch):
        monkeypatch.setattr(phases, "QUICK_MEMORY_ROWS", (1000, 2000))
        rows = list(phases.phases_section(Settings(1, True, False, "", (), 1)))
        assert len(rows) == 2 * (len(phases.PHASES) + 1)
        assert json.dumps([row.median_seconds for row in rows])
        plots.draw_plots(tmp_path, rows)
        assert [path.name for path in tmp_path.iterdir()] == ["phases.png"]
