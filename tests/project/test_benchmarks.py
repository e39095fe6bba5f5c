"""The benchmarks' own logic: turns, verdicts, and a report that can be read."""

import csv
import itertools
import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from benchmarks import adapters, promises, race, report
from benchmarks.race import Contestant
from benchmarks.records import Case, Record


def row(case, contestant, seconds, threads=1, **figures):
    return Case("fits", case, threads).row(contestant, median_seconds=seconds, **figures)


def promise(**changes):
    stated = {
        "text": "", "table": "fits", "cases": ("case",), "above": ("rival",), "below": "ours",
        "sense": "at least", "required": 2.0, "goal": 4.0,
    }  # fmt: skip
    return promises.RatioPromise(**stated | changes)


@pytest.mark.parametrize(
    ("seconds", "outcome"), [(9.0, "goal reached"), (3.0, "kept"), (1.5, "broken")]
)
def test_a_promise_to_be_faster(seconds, outcome):
    rows = [row("case", "ours", 1.0), row("case", "rival", seconds)]
    assert promise().verdict(rows)[3:] == (f"{seconds:.2f}", outcome)


def test_the_fastest_rival_and_the_worst_case_count():
    rows = [
        row("one", "ours", 1.0), row("one", "slow", 9.0), row("one", "fast", 5.0),
        row("two", "ours", 1.0), row("two", "slow", 3.0),
    ]  # fmt: skip
    verdict = promise(cases=("one", "two"), above=("slow", "fast")).verdict(rows)
    assert verdict[3:] == ("3.00", "kept")


def test_a_promise_not_to_take_longer():
    rows = [row("case", "ours", 2.0), row("case", "floor", 1.0)]
    below = promise(above=("ours",), below="floor", sense="at most", required=1.5, goal=1.2)
    assert below.verdict(rows)[3:] == ("2.00", "broken")


def test_speed_at_the_cost_of_accuracy_breaks_a_promise():
    rows = [row("case", "ours", 1.0, accuracy=0.80), row("case", "rival", 9.0, accuracy=0.81)]
    assert promise(accuracy_slack=0.02).verdict(rows)[4] == "goal reached"
    assert promise(accuracy_slack=0.0).verdict(rows)[4] == "broken"


def test_what_was_not_measured_is_not_kept():
    assert promise().verdict([row("case", "ours", 1.0)])[4] == "not measured"
    assert promise().verdict([row("case", "ours", 1.0), row("case", "rival", 9.0, 2)])[4] == (
        "not measured"
    )


def test_rounds_take_turns_and_warnings_are_counted(monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr(race.time, "perf_counter", lambda: float(next(clock)))
    turns = []

    def unconverged():
        turns.append("b")
        warnings.warn("not yet", ConvergenceWarning, stacklevel=1)

    contestants = [
        Contestant("a", lambda: turns.append("a")),
        Contestant("b", unconverged, required=False),
    ]
    rows = list(race.race(Case("fits", "case", 1), contestants))
    assert turns == ["a", "b", "a", "b", "a", "b", "a", "a"]
    assert [(r.rounds, r.unconverged) for r in rows] == [(5, 0), (3, 3)]
    assert [r.median_seconds for r in rows] == [1.0, 1.0]


def test_report(tmp_path):
    rows = [
        row("covtype", adapters.ZERONE, 0.1, accuracy=0.6, auc=0.7, rounds=5),
        row("covtype", adapters.LOGISTIC, 1.5, accuracy=0.75, auc=0.8, rounds=5),
    ]
    (tmp_path / report.FILES).mkdir()
    report.write_report(
        tmp_path / "benchmarks.md", "command", {"cores": "2"}, [Record("fits", 1, [1], "", rows)]
    )
    page = (tmp_path / "benchmarks.md").read_text()
    assert "| covtype | LogisticRegression | 1.5 s |" in page
    assert "at least 12 | at least 20 | 15.00 | kept |" in page
    with (tmp_path / report.FILES / "fits.csv").open() as file:
        assert float(list(csv.DictReader(file))[1]["ratio_to_zerone"]) == pytest.approx(15.0)


def test_every_promise_names_a_contestant_that_takes_part():
    names = set(adapters.BY_NAME)
    for stated in promises.PROMISES:
        if isinstance(stated, promises.RatioPromise) and stated.table == "fits":
            assert {*stated.above, stated.below} <= names


def test_pages_of_single_sections_have_only_their_tables(tmp_path):
    rows = [
        Case("rows", "case", 1, n, 20).row(name, median_seconds=n**power / 1e6, rounds=5)
        for name, power in ((adapters.ZERONE, 1.0), (adapters.DEFAULT, 0.5))
        for n in (10_000, 100_000)
    ]
    (tmp_path / report.FILES).mkdir()
    path = tmp_path / "growth.md"
    report.write_report(path, "command", {"cores": "2"}, [Record("growth", 1, [1], "", rows)])
    page = path.read_text()
    assert "grows like n^1.00 for ZeroOneClassifier(refine=None) and n^0.50 for Zero" in page
    assert "## Memory" not in page
    assert "## Promises" not in page
    assert [own.name for own in (tmp_path / report.FILES).iterdir()] == ["rows.csv"]
