"""Lookup order, verification and originals, on small files of the same formats."""

import bz2
import dataclasses
import functools
import http.server
import lzma
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

from paper.datasets.load import DataNotAvailableError, load
from paper.datasets.registry import DATA_SETS, Source

LIBSVM = b"+1 1:0.5 3:2\n-1 2:1\n-1 1:-1\n+1 3:4\n"


@pytest.fixture
def small(monkeypatch):
    """A registry with one small set in place of gisette."""

    def register(source, n_rows=4, n_features=3, positives=0.5, **changes):
        replaced = dataclasses.replace(
            DATA_SETS["gisette"], n_rows=n_rows, n_features=n_features, positives=positives,
            source=source, **changes,
        )  # fmt: skip
        monkeypatch.setitem(DATA_SETS, "gisette", replaced)

    monkeypatch.delenv("ZERONE_DATA", raising=False)
    return register


@pytest.fixture
def cache(tmp_path, monkeypatch):
    import pooch

    folder = tmp_path / "cache"
    monkeypatch.setattr(pooch, "os_cache", lambda name: folder)
    return folder


@pytest.fixture
def server(tmp_path):
    """A web server on loopback and the folder it serves."""
    folder = tmp_path / "web"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        yield folder, f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()
        thread.join()


def test_registry_holds_the_paper_s_sets():
    paper = [data_set for data_set in DATA_SETS.values() if data_set.paper_name]
    assert len(paper) == 22
    assert all(data_set.source is not None for data_set in paper)
    assert {"imdb", "spamassassin", "rcv1_small"} <= set(DATA_SETS)
    assert all(0 < data_set.positives < 1 for data_set in DATA_SETS.values())


@pytest.mark.parametrize("ending", ["", ".xz", ".bz2"])
def test_a_folder_comes_first(ending, small, tmp_path, monkeypatch):
    small(None)
    content = {"": LIBSVM, ".xz": lzma.compress(LIBSVM), ".bz2": bz2.compress(LIBSVM)}[ending]
    (tmp_path / f"gisette.libsvm{ending}").write_bytes(content)
    X, y = load("gisette", data_dir=tmp_path)
    assert X.tolist() == [[0.5, 0, 2], [0, 1, 0], [-1, 0, 0], [0, 0, 4]]
    assert y.tolist() == [1, -1, -1, 1]
    monkeypatch.setenv("ZERONE_DATA", str(tmp_path))
    assert load("gisette")[1].tolist() == [1, -1, -1, 1]


def test_sparse_sets_stay_sparse(small, tmp_path):
    small(None, is_sparse=True)
    (tmp_path / "gisette.libsvm").write_bytes(LIBSVM)
    assert sp.issparse(load("gisette", data_dir=tmp_path)[0])


def test_download_is_cached(small, cache, server):
    folder, address = server
    (folder / "gisette_scale.bz2").write_bytes(bz2.compress(LIBSVM))
    small(Source((f"{address}/gisette_scale.bz2",), ("1",)))
    X, y = load("gisette")
    assert X.shape == (4, 3)
    (folder / "gisette_scale.bz2").unlink()
    assert load("gisette")[1].tolist() == y.tolist()


def test_parts_are_joined_and_labels_chosen(small, cache, server):
    folder, address = server
    (folder / "letter.scale").write_bytes(b"1 1:1\n26 2:1\n")
    (folder / "letter.scale.t").write_bytes(b"2 3:1\n1 1:2\n")
    urls = (f"{address}/letter.scale", f"{address}/letter.scale.t")
    small(Source(urls, ("1",)))
    X, y = load("gisette")
    assert y.tolist() == [1, -1, -1, 1]
    assert X[3].tolist() == [2, 0, 0]


def test_csv_originals(small, cache, server):
    folder, address = server
    (folder / "magic04.data").write_bytes(b"1,2,3,g\n4,5,6,h\n7,8,9,h\n1,1,1,g\n")
    small(Source((f"{address}/magic04.data",), ("h",), "csv"))
    assert load("gisette")[1].tolist() == [-1, 1, 1, -1]
    header = b"names\n\n;;;\n\n\n"
    (folder / "segmentation.data").write_bytes(header + b"SKY,1,2,3\nBRICKFACE,4,5,6\n")
    small(Source((f"{address}/segmentation.data",), ("BRICKFACE",), "csv", 0, 5), n_rows=2)
    X, y = load("gisette")
    assert y.tolist() == [-1, 1]
    assert X[1].tolist() == [4, 5, 6]


def test_offline_says_what_to_do(small, cache):
    small(Source(("http://127.0.0.1:9/gisette",), ("1",)))
    with pytest.raises(DataNotAvailableError, match=r"downloading .* failed.*ZERONE_DATA"):
        load("gisette")
    with pytest.raises(DataNotAvailableError, match=r"not available.*ZERONE_DATA"):
        load("gisette", download=False)


def test_without_pooch(small, monkeypatch):
    import sys

    small(Source(("http://127.0.0.1:9/gisette",), ("1",)))
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(DataNotAvailableError, match=r"pooch is not installed.*install pooch"):
        load("gisette")


def test_sets_that_cannot_be_downloaded(small, tmp_path):
    with pytest.raises(DataNotAvailableError, match=r"imdb\.libsvm\.xz into a folder"):
        load("imdb", data_dir=tmp_path)


def test_a_wrong_download_is_removed(small, cache, server):
    folder, address = server
    (folder / "gisette").write_bytes(LIBSVM[:20])
    small(Source((f"{address}/gisette",), ("1",)))
    with pytest.raises(DataNotAvailableError, match="not what it should be"):
        load("gisette")
    assert not list(cache.iterdir())


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"n_rows": 5}, "rows and features"), ({"positives": 0.9}, "are positive")],
)
def test_files_of_another_size(changes, message, small, tmp_path):
    small(None, **changes)
    (tmp_path / "gisette.libsvm").write_bytes(LIBSVM)
    with pytest.raises(ValueError, match=message):
        load("gisette", data_dir=tmp_path)


def test_unknown_names_and_folders(tmp_path):
    with pytest.raises(ValueError, match="no data set 'iris'"):
        load("iris")
    with pytest.raises(DataNotAvailableError, match="no folder"):
        load("a9a", data_dir=tmp_path / "nowhere")


def test_files_written_by_scikit_learn(small, tmp_path, rng):
    X, y = rng.standard_normal((4, 3)), np.array([1, -1, -1, 1])
    dump_svmlight_file(X, y, str(tmp_path / "gisette.libsvm"), zero_based=False)
    small(None)
    np.testing.assert_allclose(load("gisette", data_dir=tmp_path)[0], X)


@pytest.mark.data
@pytest.mark.parametrize(
    "name", [name for name in DATA_SETS if name not in ("gisette", "rcv1", "real-sim", "covtype")]
)
def test_every_available_set(name, data_folder):
    X, y = load(name, data_dir=data_folder, download=False)
    assert X.shape == (DATA_SETS[name].n_rows, DATA_SETS[name].n_features)
    assert set(y.tolist()) == {-1.0, 1.0}
