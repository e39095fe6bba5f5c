"""Memory and time to solve wide problems: sparse imdb, and 1,000 dense rows of 20,000 features.

Run: python -m evidence.wide [--data FOLDER]
"""

import argparse
import multiprocessing
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from paper.datasets.load import load
from zerone import Frontier, Moments

MEBIBYTE = 2**20
# Where the benchmark data sets are looked for.
DATA = Path(os.environ.get("ZERONE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def additional_memory(path: str, kind: str) -> tuple[float, float, float]:
    """Return MiB beyond the loaded data, seconds, and accuracy on the rows, in a new process."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_solve, (path, kind))


def _solve(path: str, kind: str) -> tuple[float, float, float]:
    with np.load(path) as archive:
        y = archive["y"]
        if kind == "sparse":
            parts = (archive["data"], archive["indices"], archive["indptr"])
            X = sp.csr_array(parts, shape=tuple(archive["shape"]))
        else:
            X = archive["X"]
    before = _status("VmRSS")
    began = time.perf_counter()
    moments = Moments.from_data(X, y)
    variance = np.mean([m.covariance.trace() for m in moments.values()])
    # About one mean eigenvalue: what generalises on text.
    rule = Frontier(moments.with_ridge(variance / min(X.shape))).best("error")
    seconds = time.perf_counter() - began
    extra = _status("VmHWM") - before
    accuracy = float(((X @ rule.coef + rule.intercept > 0) == (y == moments.classes[1])).mean())
    return extra / MEBIBYTE, seconds, accuracy


def _status(name: str) -> int:
    """Return a memory figure of this process in bytes (Linux)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"no {name} in /proc/self/status")


def write_imdb(data: Path, path: Path) -> None:
    """Write the imdb set as arrays that load without temporary copies."""
    X, y = load("imdb", data_dir=data)
    np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)


def write_dense(path: Path, n: int = 1000, d: int = 20_000) -> None:
    """Write dense Gaussian rows with more features than rows."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d))
    X[:, :20] += 0.5 * y[:, None]
    np.savez(path, X=X, y=y)


def main() -> None:
    """Print memory, time and training accuracy of both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    data = parser.parse_args().data
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npz"
        if (data / "imdb.libsvm.xz").exists():
            write_imdb(data, path)
            _report("imdb, 25,000 x 35,005 sparse", path, "sparse")
        else:
            print(f"imdb: not in {data}")
        write_dense(path)
        _report("1,000 x 20,000 dense", path, "dense")


def _report(name: str, path: Path, kind: str) -> None:
    extra, seconds, accuracy = additional_memory(str(path), kind)
    print(
        f"{name}: {extra:.0f} MiB beyond the data, {seconds:.2f} s, accuracy on the training "
        f"rows {accuracy:.4f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
