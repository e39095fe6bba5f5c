"""The comparison with rivals, on files written for the test."""

import csv

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from paper.datasets.folder import libsvm_files, read_libsvm_file
from paper.reproduce import reproduce
from paper.rival_tables import rival_tables
from paper.rivals import METHODS, rival_tasks
from paper.store import Store


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("libsvm")
    rng = np.random.default_rng(0)
    for name, classes in (("two", 2), ("three", 3)):
        y = np.arange(90) % classes
        X = rng.standard_normal((90, 3)) + 1.5 * y[:, None]
        dump_svmlight_file(X, y, str(path / f"{name}.libsvm"), zero_based=False)
    (path / "notes.txt").write_text("not a data set")
    return path


def test_any_folder_of_files(folder):
    assert list(libsvm_files(folder)) == ["three", "two"]
    X, y = read_libsvm_file(libsvm_files(folder)["three"])
    assert X.shape == (90, 3)
    assert sorted(set(y)) == [0.0, 1.0, 2.0]
    (folder / "labels.txt").write_text("1\n2\n")
    assert list(libsvm_files(folder)) == ["three", "two"]
    with pytest.raises(ValueError, match="folder: there is no folder"):
        libsvm_files(folder / "elsewhere")


def test_a_folder_without_files(tmp_path):
    with pytest.raises(ValueError, match="no LIBSVM file"):
        libsvm_files(tmp_path)
    (tmp_path / "a.txt").write_text("1 1:0.5\n")
    assert list(libsvm_files(tmp_path)) == ["a"]
    (tmp_path / "a.libsvm").write_text("1 1:0.5\n")
    with pytest.raises(ValueError, match="have the same name"):
        libsvm_files(tmp_path)


def test_results_of_two_folders_are_kept_apart(folder, tmp_path):
    (tmp_path / "two.libsvm").write_text("1 1:0.5\n")
    here, there = (next(rival_tasks(["two"], f, quick=True)).key for f in (folder, tmp_path))
    assert here != there
    assert next(rival_tasks(["magic04"], None, quick=True)).key.startswith("rivals/magic04/")


def test_wide_files_stay_sparse(tmp_path, rng):
    X = np.zeros((20, 1500))
    X[np.arange(20), rng.integers(0, 1500, 20)] = 1.0
    X[0, 1499] = 1.0
    dump_svmlight_file(X, np.arange(20) % 2, str(tmp_path / "wide.libsvm"), zero_based=False)
    rows, _ = read_libsvm_file(tmp_path / "wide.libsvm")
    assert rows.format == "csr"
    assert rows.indices.dtype == np.int32


@pytest.mark.slow
def test_tables_of_a_run(folder, tmp_path):
    reproduce(["rivals"], folder=folder, output=tmp_path, quick=True, n_jobs=2)
    with (tmp_path / "rivals-accuracy.csv").open() as file:
        rows = {row["data"]: row for row in csv.DictReader(file)}
    assert set(rows) == {"two", "three"}
    assert float(rows["two"]["zerone (default)"]) > 0.8
    with (tmp_path / "rivals-auc.csv").open() as file:
        assert [row["data"] for row in csv.DictReader(file)] == ["two"]
    page = (tmp_path / "index.html").read_text()
    assert "zerone against tuned rivals" in page
    assert "LogisticRegressionCV" in page
    with pytest.raises(ValueError, match="there is no data set 'four'"):
        reproduce(["rivals"], folder=folder, sets=["four"], output=tmp_path)


def test_every_registered_set_is_compared():
    names = [task.name for task in rival_tasks(None, None, quick=True)]
    assert names.count("magic04") == 5
    assert len(list(rival_tasks(["magic04"], None, quick=False))) == 20
    assert len(list(rival_tasks(["mnist"], None, quick=False))) == 5


def stored(tmp_path, ours, theirs):
    store = Store(tmp_path / "results.jsonl")
    tasks = list(rival_tasks(["magic04"], None, quick=True))
    for task, mine, yours in zip(tasks, ours, theirs, strict=True):
        methods = {method: {"accuracy": yours, "auc": yours, "seconds": 2.0} for method in METHODS}
        methods["error-polish"] = {"accuracy": mine, "auc": mine, "seconds": 1.0}
        store.add(task.key, {"methods": methods, "rows": 10, "features": 2})
    return rival_tables(store, tasks, missing=["rcv1"])


def test_wins_ties_and_losses_are_counted(tmp_path):
    tables = {table.name: table for table in stored(
        tmp_path, [0.90, 0.91, 0.92, 0.91, 0.90], [0.80, 0.80, 0.81, 0.80, 0.81]
    )}  # fmt: skip
    verdicts = tables["rivals-accuracy-verdicts"].rows
    assert verdicts[0][:4] == ["LogisticRegressionCV", "1", "0", "0"]
    assert tables["rivals-auc-verdicts"].rows[0][1:4] == ["0", "1", "0"]
    scores = tables["rivals-accuracy"].rows
    assert scores[0][:2] == ["rcv1", "data not available"]
    assert scores[1][6].startswith("**0.8040 (+")
    assert "0.50 times as long" in tables["rivals-accuracy-times"].notes[0]
