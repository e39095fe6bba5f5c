"""Comment lines are left out where they cannot be rows."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerone import Moments
from zerone._data.readers.csv_header import header_of
from zerone._data.readers.text_file import TextFile
from zerone._data.readers.text_pieces import text_pieces


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
    found = read(tmp_path, "x,y\n" + "1,0\n# note\n2,0\n" * 15)
    assert found.weight == 30


texts = st.text(st.sampled_from('a,"\n#'), max_size=5)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=8), st.data())
def test_comments_change_nothing(tmp_path_factory, rows, data):
    lines = []
    for row in [("x", "y"), *rows]:
        comments = data.draw(st.lists(st.text(st.sampled_from('a,"#'), max_size=5), max_size=2))
        lines += [f"#{own}\n" for own in (["first", *comments] if not lines else comments)]
        text = io.StringIO()
        csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(row)
        lines.append(text.getvalue())
    path = tmp_path_factory.mktemp("text") / "t.csv"
    path.write_text("".join(lines))
    text = TextFile(path)
    header = header_of(text, "#")
    found = []
    for piece in text_pieces(text, header.begin, delimiter=",", comment=b"#", size=16):
        kept = header.without_comments(piece.text, "t").decode()
        found += [tuple(row) for row in csv.reader(io.StringIO(kept, newline=""))]
    assert found == rows


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
    assert read(tmp_path, "x,y\n1,0,\n").feature_names == ("x",)
    # R names the rows, and not their names.
    assert read(tmp_path, "x,y\na,1,0\n").feature_names == ("column 1=a", "x")
