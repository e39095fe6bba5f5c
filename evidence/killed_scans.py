"""Scans that are killed at random moments, and go on, find what a scan finds that is not.

    python -m evidence.killed_scans [--tries 20]

A table with categories and missing values is scanned by processes that are killed (SIGKILL) up to
three times each, then left to finish. The moments must be those of an undisturbed scan, bit by
bit.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from zerone import Moments

ROWS_AT_ONCE, NUMBERS = 250_000, 20
SCAN = """
import sys
from zerone import Moments
path, target, checkpoint, result = sys.argv[1:]
print("begin", flush=True)
Moments.from_table(
    path, target=target, checkpoint=checkpoint, checkpoint_every=0.05, n_jobs=2
).save(result)
"""


def write_table(path: Path, n_rows: int, rng: np.random.Generator) -> None:
    """Write numbers with holes, some of which come late, and categories."""
    writer = None
    for start in range(0, n_rows, ROWS_AT_ONCE):
        y = rng.random(ROWS_AT_ONCE) < 0.3
        columns = {}
        for number in range(NUMBERS):
            values = rng.normal(100, 1 + number, ROWS_AT_ONCE) + y
            if start >= number * ROWS_AT_ONCE:
                values[rng.random(ROWS_AT_ONCE) < 0.01] = np.nan
            columns[f"x{number}"] = values
        columns["category"] = rng.choice(["a", "b", "c"], ROWS_AT_ONCE)
        table = pa.table(columns | {"y": y})
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def bits(path: Path) -> list[object]:
    """Return all that a moments file holds."""
    moments = Moments.load(path)
    found: list[object] = [moments.encoding]
    for label, own in moments.items():
        found += [label, own.weight, own.mean.tobytes(), own.mean_correction.tobytes()]
        found.append(np.asarray(own.covariance).tobytes())
    return found


def main() -> int:
    """Count how many of the scans were right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--rows", type=int, default=3_000_000)
    given = parser.parse_args()
    tries = given.tries
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, checkpoint, result = folder / "t.parquet", folder / "scan.npz", folder / "result.npz"
        write_table(path, given.rows, rng)

        def scan() -> "subprocess.Popen[bytes]":
            arguments = ["-c", SCAN, str(path), "y", str(checkpoint), str(result)]
            process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE)
            assert process.stdout is not None
            process.stdout.readline()
            return process

        process = scan()
        start = time.perf_counter()
        assert process.wait() == 0
        seconds = time.perf_counter() - start
        expected = bits(result)
        print(f"undisturbed: {seconds:.1f} s")
        right = 0
        for number in range(tries):
            checkpoint.unlink(missing_ok=True)
            result.unlink()
            counted = []
            for _ in range(rng.integers(1, 4)):
                process = scan()
                try:
                    process.wait(rng.uniform(0, seconds))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                counted.append(Moments.load(checkpoint).weight if checkpoint.exists() else 0)
            finished = scan().wait() == 0
            same = finished and bits(result) == expected
            right += same
            rows = ", ".join(f"{rows:,.0f}" for rows in counted)
            print(f"try {number + 1}: killed with {rows} rows counted; equal: {same}", flush=True)
    print(f"{right} of {tries} scans that were killed and gone on with equal the undisturbed one")
    return 0 if right == tries else 1


if __name__ == "__main__":
    sys.exit(main())
