"""The code in the README and the guides runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from zerone import Moments
from zerone.cli._app import app

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
    assert len(blocks) == 6
    assert left["classifier"].score(left["table"], left["table"]["late"]) > 0.7
    # What the page says is printed is printed.
    said = [line.removeprefix("# ") for line in "\n".join(blocks).splitlines() if line[:2] == "# "]
    assert said == capsys.readouterr().out.splitlines()
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


def commands_of(page):
    """Return the lines of a page that call the command line, without comments."""
    lines = re.findall(r"^    (zerone .*)$", (ROOT / page).read_text(), re.MULTILINE)
    return [part for line in lines for part in line.partition("#")[0].strip().split(" && ")]


@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_commands(page, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = table.rename(columns={"late": "y"})
    for name in ("train", "test", "new"):
        table.to_csv(f"{name}.csv", index=False)
    for number, part in enumerate((table[:100], table[100:])):
        part.to_parquet(f"part{number + 1}.parquet")
    Moments.from_table("part2.parquet", target="y").save("part2.npz")
    commands = commands_of(page)
    assert len(commands) >= 3
    for command in commands:
        # Two lines of a page may write the same file.
        forced = [] if " --output " not in command else ["--force"]
        result = CliRunner().invoke(app, [*command.split()[1:], *forced])
        assert result.exit_code == 0, (command, result.output)
