"""What a column of very many categories costs, and a column of text.

    python -m evidence.many_categories

Two million rows in Parquet with and without a column of 100,000 categories, each fitted in a
process of its own, which prints the time and the peak of its memory; then 100,000 rows with a
column of text, left out and read as text.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

_CHILD = """
import resource, sys, time, warnings
from zerone import ZeroOneClassifier
warnings.simplefilter("ignore")
path, drop, options = sys.argv[1], sys.argv[2], eval(sys.argv[3])
if drop:
    import pyarrow.parquet as pq
    names = [n for n in pq.read_schema(path).names if n not in (drop, "y")]
    options["columns"] = names
began = time.perf_counter()
model = ZeroOneClassifier().fit_table(path, target="y", **options)
seconds = time.perf_counter() - began
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{seconds:6.1f} s {peak:8,.0f} MiB   {model.coef_.shape[1]:5d} features, "
      f"held-out error {float(model.held_out_error_):.4f}")
"""


def _fitted(path: Path, name: str, drop: str = "", options: str = "{}") -> None:
    command = [sys.executable, "-c", _CHILD, str(path), drop, options]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    print(f"{name:44s}{found.stdout.strip()}", flush=True)


def main() -> None:
    """Print time, memory, features and held-out error of each fit."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        n = 2_000_000
        columns = {f"x{i}": rng.normal(size=n) for i in range(10)}
        # Frequencies of categories fall as those of words and shops do.
        category = np.minimum(rng.zipf(1.3, n), 100_000)
        effect = rng.normal(size=100_001)
        score = columns["x0"] + effect[category] + rng.normal(size=n)
        columns["shop"] = np.array([f"shop {i}" for i in range(100_001)])[category]
        pq.write_table(pa.table({**columns, "y": score > 0}), path)
        _fitted(path, "2,000,000 rows, without the column", drop="shop")
        _fitted(path, "100,000 categories, 99 kept")
        _fitted(path, "100,000 categories, hashed", options='{"hashed": ["shop"]}')
        n = 100_000
        words = np.array([f"word{i}" for i in range(5_000)])
        chosen = np.minimum(rng.zipf(1.2, (n, 12)), 5_000) - 1
        weights = rng.normal(size=5_000)
        x = rng.normal(size=n)
        y = x + weights[chosen].mean(axis=1) * 2 + rng.normal(size=n) > 0
        text = [" ".join(own) for own in words[chosen]]
        pq.write_table(pa.table({"x": x, "text": text, "y": y}), path)
        _fitted(path, "100,000 rows, text left out")
        _fitted(path, "100,000 rows, text read", options='{"text": ["text"]}')


if __name__ == "__main__":
    main()
