"""JSON Lines are read as the same rows from CSV would be."""

import json

import pytest

from zerone import Moments, TableFiles, ZeroOneClassifier


def write(folder, *lines, name="t.jsonl"):
    path = folder / name
    path.write_text("\n".join(own if isinstance(own, str) else json.dumps(own) for own in lines))
    return path


def read(source, **options):
    return Moments.from_table(source, **({"target": "y"} | options))


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_numbers_and_categories(encoding, tmp_path):
    rows = [
        {"x": i if i < 30 else i / 4, "job": "ä" if i % 3 else "b", "y": i % 2} for i in range(50)
    ]
    path = write(tmp_path, *rows)
    path.write_text(path.read_text(), encoding=encoding)
    found = read(path)
    assert found.feature_names == ("x", "job=b", "job=ä")
    assert found.classes.tolist() == [0, 1]
    assert found.weight == 50
    assert found[0].mean[0] == pytest.approx(sum(row["x"] for row in rows if not row["y"]) / 25)


def test_keys_that_some_lines_lack_and_blank_lines(tmp_path):
    path = write(tmp_path, {"x": 1, "y": 0}, "", "  ", {"y": 0, "z": 4, "x": None}, "\n")
    found = read(path)
    assert found.weight == 2
    assert found.feature_names == ("x", "x is missing", "z", "z is missing")
    with pytest.raises(ValueError, match="2 columns cannot be read as they are: column 'x' has 1"):
        read(path, strict=True)


@pytest.mark.usefixtures("small_parts")
def test_a_key_that_comes_late(tmp_path):
    lines = [{"x": 1, "y": 0}] * 20 + [{"x": 1, "y": 0, "late": 2}]
    path = write(tmp_path, *lines)
    with pytest.raises(ValueError, match="'late' is not among those of the first rows"):
        read(path, strict=True, keep=["x"])
    with pytest.warns(UserWarning, match="columns are left out: 'late': it is in none"):
        found = read(path, keep=["x"])
    last = found.encoding.plan[-1]
    assert (last.column, last.read_as) == ("late", "left out")


def test_files_with_other_keys(tmp_path):
    one = write(tmp_path, {"x": 1, "y": 0}, name="1.jsonl")
    two = write(tmp_path, {"y": 0, "z": 2.5}, name="2.ndjson")
    assert read([one, two]).encoding.column_names == ("x", "z")
    write(tmp_path, {"x": "a", "y": 0}, name="2.ndjson")
    with pytest.raises(ValueError, match="another type of values"):
        read([one, two], strict=True)
    assert read([one, two]).feature_names == ("x=1", "x=a")


def test_nested_values(tmp_path):
    path = write(tmp_path, {"x": 1, "more": {"a": [1]}, "y": 0}, {"x": 2, "more": {"b": 1}, "y": 0})
    with pytest.raises(TypeError, match=r"column 'more' has type struct.*leave it out"):
        read(path, strict=True)
    with pytest.warns(UserWarning, match=r"'more': struct.* is neither a number nor a category"):
        assert read(path).feature_names == ("x",)
    assert read(path, columns=["x"]).weight == 2


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("order", [1, -1])
def test_values_of_several_types(order, tmp_path):
    lines = [{"x": i % 3, "s": "a", "y": 0} for i in range(20)] + [{"x": 1, "s": 5, "y": 0}]
    path = write(tmp_path, *lines[::order])
    if order == 1:
        assert read(path, columns=["x"], strict=True).weight == 21
    with pytest.raises(ValueError, match="values of one type for each key"):
        read(path, strict=True)
    found = read(path)
    assert found.feature_names == ("x", "s=5", "s=a")
    assert found[0].mean[1] == pytest.approx(1 / 21)


@pytest.mark.parametrize(
    "line", ['{"x": 1, "y": 0,}', '{"x": 1, "y": 0', "[1, 0]", "x,y", '{"x": 1 "y": 0}']
)
def test_lines_that_are_no_objects(line, tmp_path):
    path = write(tmp_path, {"x": 1, "y": 0}, line)
    with pytest.raises(ValueError, match=r"from row 1: .*; write one complete JSON object"):
        read(path)


def test_nothing_in_it(tmp_path):
    with pytest.raises(ValueError, match="is empty"):
        read(write(tmp_path, "", ""))


def test_found_by_content(tmp_path):
    path = write(tmp_path, {"x": 1, "y": 0}, name="t.json")
    assert read(path).weight == 1
    assert read(TableFiles(path, format="jsonl")).weight == 1


def test_categories_and_classes_that_look_like_something_else(tmp_path):
    rows = [{"x": i % 3, "y": f"2026-01-0{1 + i % 2}"} for i in range(6)]
    found = read(write(tmp_path, *rows), categorical=["x", "y"])
    assert found.feature_names == ("x=0", "x=1", "x=2")
    assert found.classes.tolist() == ["2026-01-01", "2026-01-02"]


def test_categories_of_integers_are_known_again(tmp_path):
    rows = [{"x": i % 2, "z": i * 7 % 20, "y": i % 2} for i in range(20)]
    path = write(tmp_path, *rows)
    model = ZeroOneClassifier().fit_table(path, target="y", categorical=["x"])
    assert model.encoding_.feature_names == ("x=0", "x=1", "z")
    assert model.score_table(path, target="y") == 1.0
