"""One section in a process of its own, whose thread counts are set before BLAS is loaded.

`run_section` starts the process; run as a module, this is the process.
"""

import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from threadpoolctl import threadpool_info

import zerone
from benchmarks.fits import fits_section
from benchmarks.growth import growth_section, memory_section
from benchmarks.kernels import moments_section, solve_section, workers_section
from benchmarks.phases import phases_section
from benchmarks.prediction import prediction_section
from benchmarks.price import price_section
from benchmarks.records import Record, Row, Settings

ROOT = Path(__file__).parents[1]
DATA = os.environ.get("ZERONE_DATA", os.path.relpath(ROOT.parent / "shared" / "data"))
_THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_SECTIONS: dict[str, Callable[[Settings], Iterator[Row]]] = {
    "moments": moments_section,
    "workers": workers_section,
    "solve": solve_section,
    "fits": fits_section,
    "prediction": prediction_section,
    "growth": growth_section,
    "memory": memory_section,
    "price": price_section,
    "phases": phases_section,
}

PLAN = (
    ("moments", 1),
    ("workers", 1),
    ("solve", 1),
    ("fits", 1),
    ("fits", 2),
    ("prediction", 1),
    ("growth", 1),
    ("memory", 1),
)
"""Sections and thread counts, in the order in which they are run."""

BY_NAME_ONLY = (("price", 1), ("phases", 1))
"""Sections that are run only if they are named; pages of their own."""


def run_section(section: str, settings: Settings, source: Path = ROOT / "src") -> Record:
    """Run a section in a process of its own and return what it found.

    Parameters
    ----------
    source : path
        The folder that zerone is imported from.
    """
    environment = os.environ | dict.fromkeys(_THREAD_VARIABLES, str(settings.threads))
    environment["PYTHONPATH"] = os.pathsep.join([os.fspath(source), os.fspath(ROOT)])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "record.json"
        command = [sys.executable, "-m", "benchmarks.child", section]
        command += [json.dumps(asdict(settings)), os.fspath(file)]
        subprocess.run(command, env=environment, check=True)
        found = json.loads(file.read_text())
    return Record(**found | {"rows": [Row(**row) for row in found["rows"]]})


def main() -> None:
    """Run the section named on the command line and write its record to the file named there."""
    section, settings_text, file = sys.argv[1:]
    # Or every collection between two rounds would visit all that was imported.
    gc.freeze()
    settings = Settings(**json.loads(settings_text))
    record = Record(
        section,
        settings.threads,
        [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"],
        os.fspath(Path(zerone.__file__).parents[1]),
        list(_SECTIONS[section](settings)),
    )
    Path(file).write_text(json.dumps(asdict(record)))


if __name__ == "__main__":
    main()
