"""A sheet of a workbook is read as the CSV that it could be saved as."""

import datetime
import sys

import openpyxl
import pytest

from zerone import Encoding, Moments, TableFiles, ZeroOneClassifier
from zerone._errors import AdviceWarning


def write(folder, *rows, name="t.xlsx", **others):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for title, own in others.items():
        sheet = book.create_sheet(title)
        for row in own:
            sheet.append(row)
    book.save(folder / name)
    return folder / name


def read(source, **options):
    return Moments.from_table(source, **({"target": "y"} | options))


def test_values(tmp_path):
    header = ["x", "job; or none", "left\nearly", "y"]
    rows = [[1, "Bäcker, Koch", True, "no"], [2.5, 'the "cook"', False, "yes"]]
    found = read(write(tmp_path, header, *rows))
    assert found.feature_names == (
        "x", "job; or none=Bäcker, Koch", 'job; or none=the "cook"', "left early"
    )  # fmt: skip
    assert found["yes"].mean.tolist() == [2.5, 0.0, 1.0, 0.0]


def test_missing_cells_and_empty_rows(tmp_path):
    rows = [[None], [], ["x", "z", "y"], [None, 3, 0], [], ["?", 3, 0], [3, 3, 1, None]]
    path = write(tmp_path, *rows)
    found = read(path, null_values=["?"])
    assert found.weight == 3
    assert found[0].mean.tolist() == [3.0, 1.0, 3.0]


def test_several_sheets(tmp_path):
    path = write(tmp_path, ["x", "y"], [1, 0], other=[["z", "y"], [2, 0], [3, 0]])
    with pytest.warns(AdviceWarning, match=r"has the sheets 'Sheet', 'other'; 'Sheet' is read"):
        assert read(path).weight == 1
    assert read(TableFiles(path, sheet="other")).feature_names == ("z",)
    with pytest.raises(ValueError, match=r"sheet: there is no sheet 'b' in .*; it has 'Sheet', 'o"):
        read(TableFiles(path, sheet="b"))


def test_several_workbooks(tmp_path):
    paths = [
        write(tmp_path, ["x", "y"], [1, 0]),
        write(tmp_path, ["y", "x"], [0, 3], name="u.xlsx"),
    ]
    assert read(paths)[0].mean.tolist() == [2.0]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "is empty"),
        ([["x", "y"]], "has a header but no rows"),
        ([["x", "z"], [1, 0]], "there is no column 'y'"),
    ],
)
def test_no_table(rows, words, tmp_path):
    with pytest.raises((ValueError, TypeError), match=words):
        read(write(tmp_path, *rows))


def test_merged_cells_of_a_header(tmp_path):
    book = openpyxl.Workbook()
    for row in (["who", None, "y"], [1, 2, 0]):
        book.active.append(row)
    book.active.merge_cells("A1:B1")
    book.save(tmp_path / "t.xlsx")
    encoding = Encoding.from_table(tmp_path / "t.xlsx", target="y")
    assert encoding.feature_names == ("who", "column 2")
    assert encoding.plan[1].assumed == ("has no name in the header, and is called by its number",)


def test_titles_above_the_header(tmp_path):
    path = write(tmp_path, ["report of 2026"], [], ["all sites"], ["x", "y"], [1, 0], [3, 0])
    with pytest.warns(UserWarning, match="first rows are titles: 'report of 2026', 'all sites'"):
        assert read(path)[0].mean.tolist() == [2.0]


def test_dates_and_columns_of_one_name(tmp_path):
    day = datetime.datetime(2026, 1, 2)
    path = write(tmp_path, ["x", "x", "d", "y"], [1, 2, day, 0], [3, 5, None, 0])
    assert read(path).feature_names == (
        "x", "x (2)", "d: days since 2026-01-02", "d is missing",
    )  # fmt: skip


def test_no_workbook(tmp_path):
    path = tmp_path / "t.xlsx"
    for content in (b"", b"x,y\n1,0\n", b"\xd0\xcf\x11\xe0" + bytes(600)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is not a workbook"):
            read(path)
    content = write(tmp_path, ["x", "y"], [1, 0]).read_bytes()
    path.write_bytes(content[:-50])
    with pytest.raises(ValueError, match="is damaged"):
        read(path)


def test_without_the_extra(tmp_path, monkeypatch):
    path = write(tmp_path, ["x", "y"], [1, 0])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"zerone\[excel\]"):
        read(path)


def test_found_by_content_and_used_by_a_classifier(tmp_path):
    rows = [[i / 2, i % 2, "yes" if i > 9 else "no"] for i in range(20)]
    path = write(tmp_path, ["x", "z", "late"], *rows, name="t")
    model = ZeroOneClassifier().fit_table(path, target="late")
    assert model.score_table(path, target="late") == 1.0
