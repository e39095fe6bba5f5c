"""Run the benchmarks and write their report.

Run: python -m benchmarks [SECTION ...] [--quick] [--output DIR] [--data-dir DIR]
                          [--lines LINE ...] [--repeats N]

Without sections those of `benchmarks.md` are run. Sections that are named get a page of their own;
`price` and `phases` are run only then.
"""

import argparse
import shlex
import sys
import time
from pathlib import Path

from benchmarks.child import BY_NAME_ONLY, DATA, PLAN, ROOT, run_section
from benchmarks.machine import machine_description
from benchmarks.plots import draw_plots
from benchmarks.price_lines import LINES, chosen_lines
from benchmarks.records import Settings
from benchmarks.report import FILES, write_report


def main() -> None:
    """Run sections, then write tables and pictures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = list(dict.fromkeys(name for name, _ in (*PLAN, *BY_NAME_ONLY)))
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute")
    parser.add_argument("--output", type=Path, default=Path("build"))
    parser.add_argument("--data-dir", default=DATA, help="folder of the real data sets")
    parser.add_argument(
        "--lines",
        nargs="+",
        default=[],
        metavar="LINE",
        help=f"lines of the price table, of {', '.join(line.name for line in LINES)}",
    )
    parser.add_argument(
        "--repeats", type=int, help="fits of each contestant in the price table and in the phases"
    )
    arguments = parser.parse_args()
    for name in arguments.sections:
        if name not in names:
            parser.error(f"there is no section {name!r}; choose from {', '.join(names)}")
    if arguments.repeats is not None and arguments.repeats < 1:
        parser.error(f"--repeats: got {arguments.repeats}, expected at least 1")
    try:
        chosen_lines(arguments.lines, quick=arguments.quick)
    except ValueError as error:
        parser.error(str(error))
    (arguments.output / FILES).mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    plan = [own for own in (*PLAN, *BY_NAME_ONLY) if own[0] in arguments.sections] or PLAN
    records = []
    for section, threads in plan:
        print(f"{section}, threads: {threads}", flush=True)
        settings = Settings(
            threads,
            arguments.quick,
            False,
            arguments.data_dir,
            arguments.lines,
            arguments.repeats,
        )
        records.append(run_section(section, settings))
    command = shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]])
    page = "-".join(arguments.sections) or "benchmarks"
    path = arguments.output / f"{page}.md"
    write_report(path, command, machine_description(ROOT), records)
    draw_plots(arguments.output / FILES, [row for record in records for row in record.rows])
    elapsed = time.perf_counter() - began
    if arguments.sections:
        print(path.read_text(encoding="utf-8"))
    print(f"{path}: written after {elapsed:.0f} s")


if __name__ == "__main__":
    main()
