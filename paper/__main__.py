"""The paper's experiments, and the comparisons with tuned rivals.

Run in a checkout: python -m paper PART ... [--quick] [--sets A,B] [--output DIR]
[--data-dir DIR] [--folder DIR] [--jobs N]; python -m paper alone lists the parts.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from paper.datasets.load import DataNotAvailableError, load
from paper.datasets.registry import DATA_SETS
from paper.plan import PAPER_TARGETS, TARGETS
from paper.reproduce import reproduce

WRONG_INPUT = 2
INTERRUPTED = 130
ALL = "all"
DATASETS = "datasets"
KNOWN = (*TARGETS, ALL, DATASETS)

# What each part is, and its time in full and with --quick. Measured with two workers on two cores
# that also did other work: upper bounds. The quick time of "all" is the sum of its parts. "rivals"
# and "metrics" were timed with one worker, and without gisette, rcv1 and real-sim.
_PARTS = {
    "table1": ("the artificial data sets", "2 s", "2 s"),
    "table2": ("accuracy on artificial data", "see all", "2 s"),
    "table3": ("AUC on artificial data", "see all", "2 s"),
    "table4": ("the real data sets", "2 s", "2 s"),
    "table5": ("accuracy on real data", "see all", "1.5 min"),
    "table6": ("AUC on real data", "see all", "4 min"),
    "table7": ("accuracy beside LDA and Adam", "see all", "7 min"),
    "figures": ("figures 1 to 4", "16 s", "16 s"),
    "claims": ("other claims of the paper", "21 s", "10 s"),
    ALL: ("all of the above in one run", "31 min", "13 min"),
    "rivals": ("zerone against tuned rivals, not in the paper", "33 min or more", "21 min or more"),
    "metrics": (
        "training for a metric, against tuned rivals, not in the paper",
        "16 min or more",
        "",
    ),
    DATASETS: ("the real data sets, and which are available", "26 s", ""),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the given parts, or list all parts; return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if not given:
        print(overview())
        return 0
    options = _parser().parse_args(given)
    try:
        _check(options)
        if options.parts == [DATASETS]:
            print(_table_of_sets(options.data_dir, download=options.download))
        else:
            _run(options)
    except (ValueError, OSError, ImportError) as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return WRONG_INPUT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    return 0


def overview() -> str:
    """Return a list of the parts and their times."""
    rows = [("part", "what", "full", "--quick")]
    rows += [(name, *told) for name, told in _PARTS.items()]
    return "\n".join(
        [
            "python -m paper PART ... computes what the paper reports, beside its own numbers.",
            "",
            *_aligned(rows),
            "",
            "Times are for two cores, with the data sets downloaded; --sets A,B shortens them.",
            'Parts with "see all" were timed only as part of "all"; rivals and metrics with one',
            "worker, without the largest sparse sets.",
            "A run that was stopped continues where it was. --help lists the options.",
        ]
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m paper",
        description="Compute the paper's tables and figures and show them beside its own numbers. "
        "A run that was stopped continues where it was when started again with the same --output.",
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of {', '.join(KNOWN)}")
    parser.add_argument("--quick", action="store_true", help="one repeat, small artificial sets")
    parser.add_argument("--sets", help="only these data sets, separated by commas")
    parser.add_argument(
        "--output", type=Path, default=Path("results"), help="folder for the results"
    )
    parser.add_argument(
        "--data-dir",
        type=Path,
        help="folder of the real data sets (default: environment variable ZERONE_DATA)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        help="folder of LIBSVM files for the part rivals, in place of the data sets",
    )
    parser.add_argument("--jobs", type=int, default=2, help="worker processes (default: 2)")
    parser.add_argument(
        "--download", action="store_true", help="with the part datasets: download what is missing"
    )
    return parser


def _check(options: argparse.Namespace) -> None:
    """Raise unless the options can be used together."""
    unknown = [part for part in options.parts if part not in KNOWN]
    if unknown:
        raise ValueError(f"there is no part {unknown[0]!r}; choose from {', '.join(KNOWN)}")
    if not options.parts:
        raise ValueError(f"name a part: {', '.join(KNOWN)}")
    if DATASETS in options.parts and options.parts != [DATASETS]:
        raise ValueError(f"{DATASETS}: cannot be combined with other parts; run it alone")
    if options.download and options.parts != [DATASETS]:
        raise ValueError(f"--download: is for the part {DATASETS}; leave it out")
    if options.jobs < 1:
        raise ValueError(f"--jobs: got {options.jobs}, expected at least 1")


def _run(options: argparse.Namespace) -> None:
    named = (PAPER_TARGETS if part == ALL else (part,) for part in options.parts)
    missing = reproduce(
        dict.fromkeys(target for targets in named for target in targets),
        output=options.output,
        sets=None if options.sets is None else options.sets.split(","),
        data_dir=options.data_dir,
        folder=options.folder,
        quick=options.quick,
        n_jobs=options.jobs,
        progress=_told,
    )
    if missing:
        print(
            f"not available, marked in the tables: {', '.join(missing)}\n(give their folder with "
            "--data-dir, or download them with `python -m paper datasets --download`)",
            file=sys.stderr,
        )
    print(options.output / "index.html")


def _told(done: int, total: int, what: str) -> None:
    print(f"{done} of {total}: {what}", file=sys.stderr, flush=True)


def _table_of_sets(data_dir: Path | None, *, download: bool) -> str:
    """Return the real data sets and whether they are available here."""
    rows = [("name", "rows", "features", "P+", "available", "origin")]
    for data_set in DATA_SETS.values():
        try:
            load(data_set.name, data_dir=data_dir, download=download)
            available = "yes"
        except (DataNotAvailableError, ValueError):
            available = "no"
        rows.append(
            (
                data_set.name,
                f"{data_set.n_rows:,}",
                f"{data_set.n_features:,}",
                f"{data_set.positives:.3f}",
                available,
                data_set.origin,
            )
        )
    return "\n".join(_aligned(rows))


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterable[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(padded).rstrip()


if __name__ == "__main__":
    sys.exit(main())
