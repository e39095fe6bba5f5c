"""Run all benchmarks and write their report.

Run: python -m benchmarks [--quick] [--output DIR] [--data-dir DIR]
"""

import argparse
import shlex
import sys
import time
from pathlib import Path

from benchmarks.child import DATA, PLAN, ROOT, run_section
from benchmarks.machine import machine_description
from benchmarks.plots import draw_plots
from benchmarks.records import Settings
from benchmarks.report import FILES, write_report


def main() -> None:
    """Run every section of the plan, then write tables and pictures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute")
    parser.add_argument("--output", type=Path, default=Path("build"))
    parser.add_argument("--data-dir", default=DATA, help="folder of the real data sets")
    arguments = parser.parse_args()
    (arguments.output / FILES).mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    records = []
    for section, threads in PLAN:
        print(f"{section}, threads: {threads}", flush=True)
        settings = Settings(threads, arguments.quick, False, arguments.data_dir)
        records.append(run_section(section, settings))
    command = shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]])
    write_report(arguments.output, command, machine_description(ROOT), records)
    draw_plots(arguments.output / FILES, [row for record in records for row in record.rows])
    elapsed = time.perf_counter() - began
    print(f"{arguments.output / 'benchmarks.md'}: written after {elapsed:.0f} s")


if __name__ == "__main__":
    main()
