"""A file can be refused if it would describe groups of a few rows."""

import numpy as np
import pandas as pd
import pytest

from zerone import Moments


def moments(jobs, labels, **options):
    frame = pd.DataFrame({"job": jobs, "x": np.arange(len(jobs)) * 1.0, "y": labels})
    return Moments.from_table(frame, target="y", **options)


def test_classes():
    few = Moments.from_data(np.arange(12.0)[:, None], ["a"] * 10 + ["b"] * 2)
    with pytest.raises(ValueError, match="class 'b' has a weight of 2, less than 3"):
        few.save("never.npz", min_count=3)


@pytest.mark.parametrize(
    ("jobs", "words"),
    [
        (["p"] * 8 + ["q"] * 2, "2 rows with 'job=q'"),
        (["p"] * 5 + ["q"] * 4 + [None], "1 rows with 'job is missing'"),
        (["q"] + ["p"] * 9, "1 rows with 'job=q'|1 rows without 'job=p'"),
    ],
)
def test_categories(jobs, words, tmp_path):
    found = moments(jobs, 0)
    with pytest.raises(ValueError, match=words):
        found.save(tmp_path / "m.npz", min_count=3)
    assert not (tmp_path / "m.npz").exists()


def test_large_groups_and_empty_ones_are_written(tmp_path):
    found = moments(["p"] * 5 + ["q"] * 5 + ["p"] * 5, [0] * 10 + [1] * 5)
    found.save(tmp_path / "m.npz", min_count=5)
    assert Moments.load(tmp_path / "m.npz").weight == 15


@pytest.mark.parametrize("least", [-1, np.nan])
def test_the_number_is_checked(least, tmp_path):
    with pytest.raises(ValueError, match="min_count: got"):
        moments(["a"], 0).save(tmp_path / "m.npz", min_count=least)


def test_a_file_of_moments_has_no_cells_as_examples(tmp_path):
    codes = ["12", "13"] * 50 + ["secret"]
    frame = pd.DataFrame({"x": codes, "z": np.arange(101) % 3, "y": 0})
    moments = Moments.from_table(frame, target="y")
    assert "'secret'" in moments.encoding.plan[0].assumed[0]
    moments.save(tmp_path / "m.npz")
    content = Moments.load(tmp_path / "m.npz").encoding.to_json(with_notes=True)
    assert "secret" not in content
    assert "secret" not in moments.encoding.to_json()


def test_truth_values_are_groups_too(tmp_path):
    frame = pd.DataFrame({"x": np.arange(20.0) % 7, "smokes": np.arange(20) < 2, "y": 0})
    with pytest.raises(ValueError, match="2 rows with 'smokes'"):
        Moments.from_table(frame, target="y").save(tmp_path / "m.npz", min_count=3)
    with pytest.raises(ValueError, match="2 rows with 'feature 0'"):
        Moments.from_data(frame[["smokes"]].to_numpy(), frame["y"]).save("m", min_count=3)
