"""The code in the README and the guides runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def run_blocks(name):
    """Run the code of a page, one block after the other; return what it leaves behind."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(block, namespace)
    return blocks, namespace


def test_readme(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks, left = run_blocks("README.md")
    assert len(blocks) == 3
    assert left["merged"].coef_.shape == (1, 30)
    assert capsys.readouterr().out


def test_tables(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks, left = run_blocks("docs/tables.md")
    assert len(blocks) == 4
    assert left["classifier"].score(left["table"], left["table"]["late"]) > 0.7
    # What the page says is printed is printed.
    assert capsys.readouterr().out.strip() in blocks[2]
    assert np.isfinite(left["moments"]["yes"].mean).all()


@pytest.mark.parametrize("page", sorted(p.name for p in (ROOT / "docs").glob("*.md")))
def test_every_page(page, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_blocks(f"docs/{page}")


def test_three_sites():
    script = ROOT / "examples" / "three_sites.py"
    outcome = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, timeout=300
    )
    found = re.search(r"fit to all rows: (\S+)", outcome.stdout)
    assert float(found.group(1)) < 1e-9
