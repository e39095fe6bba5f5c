import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import zerone

# What users may import beside `zerone` itself. All else begins with an underscore.
PACKAGES = [
    "rules", "objectives", "solvers", "frontier", "estimators", "export", "inspection",
    "comparison", "scorecards", "cli",
]  # fmt: skip
MODULES = ["metrics"]
EXTRAS = [
    "dask", "duckdb", "matplotlib", "onnx", "openpyxl", "pandas", "polars", "pyarrow", "pyspark",
    "rich", "torch", "typer",
]  # fmt: skip


def test_top_level_names():
    assert zerone.__all__ == [
        "AUCClassifier", "Encoding", "Frontier", "Moments", "ScanError", "TableFiles",
        "ZeroOneClassifier", "__version__",
        "cross_validate_moments", "feature_path", "fold_moments", "load_model",
    ]  # fmt: skip


@pytest.mark.parametrize("name", PACKAGES)
def test_every_public_name_exists_and_is_documented(name):
    package = importlib.import_module(f"zerone.{name}")
    assert package.__doc__
    for own in package.__all__:
        assert inspect.getdoc(getattr(package, own)), f"{name}.{own} has no docstring"


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_of_a_module_is_documented(name):
    module = importlib.import_module(f"zerone.{name}")
    assert module.__doc__
    for own, value in vars(module).items():
        if getattr(value, "__module__", None) == module.__name__ and not own.startswith("_"):
            assert inspect.getdoc(value), f"{name}.{own} has no docstring"


def test_every_other_package_and_module_is_private():
    found = {module.name for module in pkgutil.iter_modules(zerone.__path__)}
    assert {name for name in found if not name.startswith("_")} == {*PACKAGES, *MODULES}


@pytest.mark.parametrize("name", PACKAGES)
def test_every_file_of_a_public_package_is_private(name):
    folder = Path(importlib.import_module(f"zerone.{name}").__file__).parent
    assert all(path.name.startswith("_") for path in folder.rglob("*.py"))
    assert all(path.name.startswith("_") for path in folder.iterdir() if path.is_dir())


def test_importing_a_private_package_imports_nothing_else():
    for name in (module.name for module in pkgutil.iter_modules(zerone.__path__) if module.ispkg):
        if name.startswith("_"):
            package = importlib.import_module(f"zerone.{name}")
            source = Path(package.__file__).read_text()
            assert package.__doc__
            assert "import" not in source.replace(package.__doc__, ""), name


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
