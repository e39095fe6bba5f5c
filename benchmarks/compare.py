"""Times of two commits side by side, measured in turns by the benchmarks of this checkout.

Run: python -m benchmarks.compare BASE [HEAD] [--full]
"""

import argparse
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.child import DATA, PLAN, ROOT, run_section
from benchmarks.records import Key, Row, Settings, by_key, seconds

_TURNS = 3
_MOVED = 0.1


def main() -> None:
    """Print the ratio of every case, and mark those that moved."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("base", help="commit to compare with")
    parser.add_argument("head", nargs="?", default="HEAD", help="commit to judge")
    parser.add_argument("--full", action="store_true", help="full sizes: takes half an hour")
    arguments = parser.parse_args()
    with _worktree(arguments.base) as base, _worktree(arguments.head) as head:
        rows = _measured_in_turns((base, head), quick=not arguments.full)
    _print_ratios(*rows, arguments.base, arguments.head)


@contextmanager
def _worktree(commit: str) -> Iterator[Path]:
    """Check a commit out into a temporary folder, which is removed whatever happens."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder).resolve() / "tree"
        _git("worktree", "add", "--quiet", "--detach", os.fspath(tree), commit)
        try:
            yield tree
        finally:
            _git("worktree", "remove", "--force", os.fspath(tree))


def _git(*arguments: str) -> None:
    subprocess.run(["git", "-C", os.fspath(ROOT), *arguments], check=True)


def _measured_in_turns(trees: tuple[Path, Path], *, quick: bool) -> tuple[list[Row], list[Row]]:
    """Return the rows of both trees, whose processes take turns section by section."""
    rows: tuple[list[Row], list[Row]] = ([], [])
    for section, threads in PLAN:
        if section == "memory":
            continue
        settings = Settings(threads, quick, True, DATA)
        for turn in range(_TURNS):
            for side, tree, own in zip(("base", "head"), trees, rows, strict=True):
                print(f"{side}: {section}, threads: {threads}, turn {turn + 1}", flush=True)
                record = run_section(section, settings, tree / "src")
                if Path(record.source) != tree / "src":
                    raise RuntimeError(f"zerone came from {record.source}, not from {tree}")
                own.extend(record.rows)
    return rows


def _print_ratios(base_rows: list[Row], head_rows: list[Row], base: str, head: str) -> None:
    before, after = _fastest(base_rows), _fastest(head_rows)
    print(f"\nms, fastest median of {_TURNS} turns: {base} and {head}")
    for key in before:
        if key not in after:
            continue
        table, case, contestant, threads = key
        ratio = after[key] / before[key]
        mark = "" if abs(ratio - 1) <= _MOVED else "  faster" if ratio < 1 else "  SLOWER"
        print(
            f"{table:8} {case:16} {contestant:36} {threads} "
            f"{1e3 * before[key]:10.3f} {1e3 * after[key]:10.3f} {ratio:6.2f}{mark}"
        )
    for commit, rows in ((base, base_rows), (head, head_rows)):
        for row in dict.fromkeys(row for row in rows if row.note):
            print(f"{commit}: {row.table}, {row.case}, {row.contestant}: {row.note}")


def _fastest(rows: list[Row]) -> dict[Key, float]:
    """Return the fastest of each contestant's medians: what disturbs a run only slows it."""
    times: dict[Key, float] = {}
    for row in rows:
        for key in by_key([row]):
            times[key] = min(seconds(row), times.get(key, seconds(row)))
    return times


if __name__ == "__main__":
    main()
