import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from paper.datasets.registry import DATA_SETS
from paper.plan import TARGETS
from paper.reproduce import reproduce

ROOT = Path(__file__).parents[2]


@pytest.fixture
def data_dir(tmp_path, rng):
    """A folder with made-up sets of the size of fourclass, sonar and diabetes."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("fourclass", "sonar", "diabetes"):
        data_set = DATA_SETS[name]
        n_positive = round(data_set.positives * data_set.n_rows)
        y = np.where(np.arange(data_set.n_rows) < n_positive, 1, -1)
        X = rng.standard_normal((data_set.n_rows, data_set.n_features)) + 0.5 * y[:, None]
        dump_svmlight_file(X, y, str(folder / f"{name}.libsvm"), zero_based=False)
    return folder


def test_tables_page_and_store(data_dir, tmp_path):
    seen = []
    missing = reproduce(
        ["table4", "table5", "table6"],
        output=tmp_path / "out",
        sets=["fourclass", "sonar", "gisette"],
        data_dir=data_dir,
        quick=True,
        progress=lambda done, total, what: seen.append((done, total, what)),
    )
    assert missing == ["gisette"]
    assert seen[-1][:2] == (16, 16)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "results-quick.jsonl", "results.md", "index.html", "table4.csv", "table5.csv", "table6.csv",
    }  # fmt: skip
    page = (tmp_path / "out" / "index.html").read_text()
    assert "data not available" in page
    assert not re.search(r'(src|href)="(?!data:|#)', page), "the page refers to something outside"
    text = (tmp_path / "out" / "results.md").read_text()
    assert "| fourclass |" in text
    assert "scikit-learn" in text


def test_figures(data_dir, tmp_path):
    reproduce(["figures"], output=tmp_path / "out", sets=["diabetes"], data_dir=data_dir)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"figure2-diabetes.png", "figure2-diabetes.svg"} <= names
    assert "data:image/png;base64," in (tmp_path / "out" / "index.html").read_text()


def test_artificial_sets_need_no_data(tmp_path):
    missing = reproduce(["table2", "table3"], output=tmp_path, sets=["data2"], quick=True)
    assert missing == []
    rows = (tmp_path / "table2.csv").read_text().splitlines()
    assert rows[1].startswith("data2,0.9")


def test_unknown_names(tmp_path):
    with pytest.raises(ValueError, match="targets: there is no 'table9'"):
        reproduce(["table9"], output=tmp_path)
    with pytest.raises(ValueError, match="sets: there is no data set 'iris'"):
        reproduce(["table5"], output=tmp_path, sets=["iris"])
    assert "table5" in TARGETS


@pytest.mark.slow
def test_a_killed_run_loses_no_finished_result(data_dir, tmp_path):
    code = (
        "import sys; from paper.reproduce import reproduce; "
        "reproduce(['table5', 'table7'], output=sys.argv[1], data_dir=sys.argv[2], "
        "sets=['fourclass', 'sonar', 'diabetes'])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "out"), str(data_dir)]
    path = tmp_path / "out" / "results.jsonl"
    process = subprocess.Popen(command, start_new_session=True, cwd=ROOT)
    while not path.exists() or path.stat().st_size < 2000:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = path.read_bytes()
    finished = before[: before.rfind(b"\n") + 1]
    assert finished
    assert not (tmp_path / "out" / "results.md").exists()
    subprocess.run(command, check=True, cwd=ROOT)
    after = path.read_bytes()
    assert after.startswith(finished)
    keys = [json.loads(line)["key"] for line in after.splitlines()]
    assert len(keys) == len(set(keys)) == 3 * 6 * 4


def test_claims(data_dir, tmp_path):
    reproduce(["claims"], output=tmp_path, data_dir=data_dir, quick=True)
    text = (tmp_path / "results.md").read_text()
    assert text.count("| diabetes | 0.") == 4
    assert text.count("| a9a | data not available |") == 4
    assert (tmp_path / "time-against-rows.png").exists()
