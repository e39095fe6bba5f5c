import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from evidence.problems import sparse_rows
from zerone import Moments


def assert_identical(a, b):
    assert a.classes.tolist() == b.classes.tolist()
    assert a.feature_names == b.feature_names
    for label in a:
        assert a[label].weight == b[label].weight
        assert_array_equal(a[label].mean, b[label].mean)
        assert_array_equal(a[label].mean_correction, b[label].mean_correction)
        assert type(a[label].covariance) is type(b[label].covariance)
        assert_array_equal(np.asarray(a[label].covariance), np.asarray(b[label].covariance))


def saved_with(moments, folder, **arrays):
    """Save moments and replace some of the arrays in the file."""
    path = folder / "m.npz"
    moments.save(path)
    with np.load(path) as archive:
        changed = {**archive, **arrays}
    np.savez(path, **changed)
    return path


@pytest.fixture
def moments(rng):
    return Moments.from_data(rng.standard_normal((30, 3)) + 1e6, np.arange(30) % 2)


@pytest.mark.parametrize(
    "labels", [[0, 1], [0.5, 1.5], [False, True], ["no", "yes"],
               np.array(["no", "yes"], dtype=object)]
)  # fmt: skip
def test_round_trip(labels, tmp_path, rng):
    X = pd.DataFrame(rng.standard_normal((20, 3)), columns=["a", "b", "ü"])
    saved = Moments.from_data(X, np.asarray(labels)[np.arange(20) % 2])
    saved.save(tmp_path / "m.npz")
    assert_identical(Moments.load(tmp_path / "m.npz"), saved)


@pytest.mark.parametrize("kind", ["implicit", "factored"])
@pytest.mark.parametrize("ridge", [0, 2.5])
def test_rows_are_written_only_on_request(kind, ridge, tmp_path, rng):
    X = sparse_rows(rng, (10, 30), 0.2)
    saved = Moments.from_data(X, np.arange(10) % 2, classes=[0, 1, 2], covariance=kind)
    if ridge:
        saved = saved.with_ridge(ridge)
    path = tmp_path / "m.npz"
    with pytest.raises(ValueError, match="include_rows=True"):
        saved.save(path)
    assert not path.exists()
    saved.save(path, include_rows=True)
    assert_identical(Moments.load(path), saved)


def test_the_name_is_taken_as_it_is(moments, tmp_path):
    moments.save(tmp_path / "moments.dat")
    assert [path.name for path in tmp_path.iterdir()] == ["moments.dat"]


def test_saving_replaces_at_once_or_not_at_all(moments, tmp_path, monkeypatch):
    path = tmp_path / "m.npz"
    moments.save(path)

    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="disk full"):
        moments.save(path)
    monkeypatch.undo()
    assert_identical(Moments.load(path), moments)
    assert len(list(tmp_path.iterdir())) == 1


def test_missing_files_and_folders(moments, tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        Moments.load(tmp_path / "nothing.npz")
    with pytest.raises(FileNotFoundError, match="no folder"):
        moments.save(tmp_path / "nowhere" / "m.npz")


@pytest.mark.parametrize("keep", [0, 10, 0.3, 0.7, 0.99])
def test_truncated_files(keep, moments, tmp_path):
    path = tmp_path / "m.npz"
    moments.save(path)
    content = path.read_bytes()
    path.write_bytes(content[: keep if isinstance(keep, int) else int(keep * len(content))])
    with pytest.raises(ValueError, match=r"m\.npz.*(damaged|not written)"):
        Moments.load(path)


def test_flipped_bits(moments, tmp_path):
    path = tmp_path / "m.npz"
    moments.save(path)
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo("0_covariance.npy")
    content[entry.header_offset + 80] ^= 0xFF
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match="damaged"):
        Moments.load(path)


def test_foreign_files(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.ones(3))
    np.save(tmp_path / "b.npy", np.ones(3))
    (tmp_path / "c.npz").write_text("label,value\n1,2\n")
    for name in ["a.npz", "b.npy", "c.npz"]:
        with pytest.raises(ValueError, match=r"not (written by Moments|a moments file)"):
            Moments.load(tmp_path / name)


def test_a_newer_version_is_named(moments, tmp_path):
    path = saved_with(moments, tmp_path, version=np.array(99))
    with pytest.raises(ValueError, match="format version 99"):
        Moments.load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weights", np.array([1.0, -1.0])),
        ("weights", np.array([1.0])),
        ("means", np.full((2, 3), np.nan)),
        ("means", np.zeros((2, 4))),
        ("0_covariance", np.eye(2)),
        ("0_covariance", -np.eye(3)),
        ("kinds", np.array(["explicit", "magic"])),
        ("feature_names", np.array(["only one"])),
        ("classes", np.array([1, 1])),
    ],
)
def test_arrays_that_disagree(name, value, moments, tmp_path):
    path = saved_with(moments, tmp_path, **{name: value})
    with pytest.raises(ValueError, match=r"m\.npz.*damaged"):
        Moments.load(path)


class _Bomb:
    def __reduce__(self):
        return (exec, ("raise SystemExit('the file ran code')",))


def test_a_pickle_inside_is_refused_and_not_run(moments, tmp_path):
    path = tmp_path / "m.npz"
    moments.save(path)
    with np.load(path) as archive:
        arrays = {**archive, "classes": np.array([_Bomb(), 1], dtype=object)}
    np.savez(path, allow_pickle=True, **arrays)
    with pytest.raises(ValueError, match="damaged"):
        Moments.load(path)
    path.write_bytes(pickle.dumps(_Bomb()))
    with pytest.raises(ValueError, match="not a moments file"):
        Moments.load(path)


def test_labels_that_cannot_be_written(tmp_path):
    moments = Moments.from_parameters({(1, 2): (1, [0.0], [[1.0]])})
    with pytest.raises(ValueError, match="cannot be written"):
        moments.save(tmp_path / "m.npz")


def test_any_changed_byte_is_refused_or_harmless(moments, tmp_path):
    path = tmp_path / "m.npz"
    moments.save(path)
    content = path.read_bytes()
    for position in range(0, len(content), 7):
        changed = bytearray(content)
        changed[position] ^= 0xFF
        path.write_bytes(bytes(changed))
        try:
            loaded = Moments.load(path)
        except ValueError as error:
            assert "m.npz" in str(error)  # noqa: PT017
        else:
            assert_identical(loaded, moments)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("corrections", np.full((2, 3), np.nan)),
        ("0_covariance", np.where(np.eye(3) > 0, 1.0, np.nan)),
        ("0_covariance", np.triu(np.ones((3, 3)))),
        ("0_covariance", np.eye(3).astype(str)),
        ("0_covariance", np.eye(3).astype(complex)),
        ("feature_names", np.arange(3)),
        ("version", np.array([1, 2])),
        ("version", np.array("x")),
    ],
)
def test_values_that_cannot_be(name, value, moments, tmp_path):
    path = saved_with(moments, tmp_path, **{name: value})
    with pytest.raises(ValueError, match=r"m\.npz"):
        Moments.load(path)


def test_links_stay_links(moments, tmp_path):
    target, link = tmp_path / "target.npz", tmp_path / "link.npz"
    target.write_text("old")
    link.symlink_to(target)
    moments.save(link)
    assert link.is_symlink()
    assert_identical(Moments.load(target), moments)
