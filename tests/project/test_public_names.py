import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import zerone

ROOMS = [
    "sources", "tables", "moments", "objectives", "rules", "frontier", "solvers", "refine",
    "estimators", "inspection", "comparison", "cli",
]  # fmt: skip
EXTRAS = [
    "dask", "duckdb", "matplotlib", "onnx", "pandas", "polars", "pyarrow", "pyspark",
    "rich", "torch", "typer",
]  # fmt: skip


def test_top_level_names():
    assert zerone.__all__ == [
        "AUCClassifier", "Encoding", "Frontier", "Moments", "ScanError", "ZeroOneClassifier",
        "__version__",
        "cross_validate_moments", "fold_moments", "load_model",
    ]  # fmt: skip


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_exists_and_is_documented(room):
    module = importlib.import_module(f"zerone.{room}")
    assert module.__doc__
    for name in module.__all__:
        assert inspect.getdoc(getattr(module, name)), f"{room}.{name} has no docstring"


@pytest.mark.parametrize("room", ROOMS)
def test_every_file_behind_a_room_is_private(room):
    folder = Path(importlib.import_module(f"zerone.{room}").__file__).parent
    assert all(path.name.startswith("_") for path in folder.glob("*.py"))


def test_import_loads_no_extra():
    # scikit-learn imports some of them itself; what counts is what zerone adds.
    code = (
        "import sys, sklearn.base, sklearn.utils.multiclass; before = set(sys.modules); "
        f"import zerone; print([m for m in {EXTRAS!r} if m in set(sys.modules) - before])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert found == "[]"


def test_import_works_where_no_extra_is_installed():
    code = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] in {EXTRAS!r}: raise ImportError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import zerone; print(zerone.ZeroOneClassifier().fit([[0.0], [1.0], [3.0]], [0, 0, 1]))"
    )
    outcome = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False)
    assert outcome.returncode == 0


def test_versions_agree():
    root = Path(__file__).parents[2]
    cited = re.search(r"^version: (\S+)$", (root / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited.group(1) == zerone.__version__
    assert f"## {zerone.__version__}" in (root / "CHANGELOG.md").read_text()
