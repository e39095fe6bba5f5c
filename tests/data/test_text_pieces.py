"""Pieces of text end where lines do."""

import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerone._data.readers.text_file import TextFile
from zerone._data.readers.text_pieces import text_pieces

cells = st.text(st.sampled_from('ab,"\n'), max_size=5)


@given(st.lists(st.lists(cells, min_size=2, max_size=2), max_size=8), st.integers(8, 40))
def test_quoted_lines_stay_whole(tmp_path_factory, rows, size):
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    path = tmp_path_factory.mktemp("text") / "t.csv"
    path.write_text(text.getvalue(), newline="")
    pieces = list(text_pieces(TextFile(path), delimiter=",", size=size))
    assert b"".join(piece.text for piece in pieces) == path.read_bytes()
    found = [csv.reader(io.StringIO(piece.text.decode(), newline="")) for piece in pieces]
    assert [row for own in found for row in own] == rows


@pytest.mark.parametrize("extension", ["", ".gz"])
def test_any_piece_can_be_gone_on_from(extension, tmp_path):
    content = b"".join(b"line %d\n" % i for i in range(100)) + b"the last"
    path = tmp_path / f"t{extension}"
    path.write_bytes(gzip.compress(content) if extension else content)
    pieces = list(text_pieces(TextFile(path), size=64))
    assert len(pieces) > 5
    assert pieces[-1].share == 1.0
    for number, piece in enumerate(pieces[:-1]):
        assert piece.text.endswith(b"\n")
        rest = list(text_pieces(TextFile(path), piece.stop, size=64))
        assert b"".join(p.text for p in rest) == b"".join(p.text for p in pieces[number + 1 :])


def test_a_quote_that_is_never_closed_does_not_hold_everything(tmp_path):
    path = tmp_path / "t"
    path.write_bytes(b'"pipe\n' + b"line\n" * 100)
    pieces = list(text_pieces(TextFile(path), delimiter=",", size=50))
    assert len(pieces) > 5
    assert all(piece.text.endswith(b"\n") for piece in pieces)
