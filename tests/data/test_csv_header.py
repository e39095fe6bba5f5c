"""Comment lines are left out where they cannot be rows."""

import pytest

from zerone import Moments


def read(folder, text, **options):
    path = folder / "t.csv"
    path.write_text(text)
    return Moments.from_table(path, **({"target": "y"} | options))


@pytest.mark.usefixtures("small_parts")
def test_comments_before_the_header_and_between_rows(tmp_path):
    rows = '1,"a\n#,1,0",0\n# 2,b,0\n#,"\n3,b,1\n#\n' * 20
    found = read(tmp_path, "# who, when\n\n#made by hand\nx,s,y\n" + rows)
    assert found.weight == 40
    assert found.feature_names == ("x", "s=a\n#,1,0", "s=b")


@pytest.mark.usefixtures("small_parts")
def test_comments_between_rows_only(tmp_path):
    found = read(tmp_path, "x,y\n" + "1,0\n# note\n" * 30)
    assert found.weight == 30


def test_a_line_that_may_be_a_row(tmp_path):
    text = "x,y\n#1,0\n#2,0\n"
    with pytest.raises(ValueError, match=r"the line '#1,0' may be a comment or a row; .*comment="):
        read(tmp_path, text)


def test_a_header_that_begins_as_a_comment(tmp_path):
    found = read(tmp_path, "#x,z,y\n1,2,0\n")
    assert found.feature_names == ("#x", "z")
    with pytest.raises(ValueError, match="may be '#x,y' or the line below"):
        read(tmp_path, "#x,y\na,b\n")


def test_comments_only(tmp_path):
    with pytest.raises(ValueError, match="begins with comments only"):
        read(tmp_path, "# nothing\n# here\n")


def test_lines_that_end_in_a_delimiter(tmp_path):
    assert read(tmp_path, "x,y,\n1,0,\n2,0,\n").feature_names == ("x",)
    with pytest.raises(ValueError, match="as many cells as the header"):
        read(tmp_path, "x,y\n1,0,\n")
