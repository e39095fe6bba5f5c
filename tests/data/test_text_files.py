"""Text is found whatever its encoding and compression are, and what is no text is refused."""

import bz2
import gzip
import lzma
import zipfile
from codecs import BOM_UTF8

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerone import Moments
from zerone._data.readers.text_file import TextFile
from zerone._data.readers.text_pieces import text_pieces
from zerone._errors import AdviceWarning

TEXT = "größe,job,preis in €,y\n" + "".join(
    f"{i * 7 % 60},{'Bäcker' if i % 3 else 'Köchin'},{i / 2},{i % 2}\n" for i in range(60)
)


def read(path, **options):
    return Moments.from_table(path, **({"target": "y"} | options))


def zstd(content):
    return pa.compress(content, codec="zstd", asbytes=True)


COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd}


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16-le", "utf-16-be", "utf-16", "utf-32"])
def test_an_encoding_that_its_bytes_show(encoding, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TEXT)
    expected = read(path)
    path.write_text(TEXT, encoding=encoding)
    found = read(path)
    assert found.feature_names == expected.feature_names
    assert found.feature_names == ("größe", "job=Bäcker", "job=Köchin", "preis in €")
    assert found[1].mean.tolist() == expected[1].mean.tolist()


def test_a_big_endian_mark(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xfe\xff" + TEXT.encode("utf-16-be"))
    assert read(path).feature_names[0] == "größe"


@pytest.mark.usefixtures("small_parts")
def test_windows_text_is_read_with_a_note(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TEXT, encoding="cp1252")
    with pytest.warns(AdviceWarning, match=r"is read as Latin-1 .*TableFiles\(source, encoding="):
        found = read(path)
    assert found.feature_names == ("größe", "job=Bäcker", "job=Köchin", "preis in €")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_another_script_in_utf_16_without_a_mark(encoding, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("имя,y\nПётр,0\nОльга,1\n", encoding=encoding)
    assert read(path).feature_names == ("имя=Ольга", "имя=Пётр")


def test_damaged_utf_8(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("größe,y\n1,0\n".encode() + b"\xff,0\n")
    with pytest.raises(ValueError, match="is UTF-8 text, but 1 of its characters are damaged"):
        read(path)


def test_a_binary_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(bytes(range(256)) * 20)
    with pytest.raises(ValueError, match=r"is not a text file: it has zero bytes"):
        read(path)


@pytest.mark.parametrize("extension", COMPRESS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_any_piece_of_a_packed_file_can_be_gone_on_from(extension, encoding, tmp_path):
    path = tmp_path / f"t.csv{extension}"
    # Two frames in one file, as some programs write them.
    path.write_bytes(b"".join(map(COMPRESS[extension], _halves(TEXT.encode(encoding)))))
    text = TextFile(path)
    pieces = list(text_pieces(text, size=64))
    assert b"".join(p.text for p in pieces).decode().removeprefix("\ufeff") == TEXT
    assert len(pieces) > 5
    assert pieces[-1].share == 1.0
    for number, piece in enumerate(pieces[:-1]):
        rest = [p.text for p in text_pieces(text, piece.stop, size=64)]
        assert rest == [p.text for p in pieces[number + 1 :]]


@given(
    st.lists(st.text(st.sampled_from("aé€名𝄞,#"), max_size=9), max_size=20),
    st.sampled_from(["utf-16", "utf-16-be", "utf-32", "shift_jis", "gb18030", "latin-1"]),
    st.integers(5, 40),
)
def test_pieces_do_not_depend_on_the_encoding(tmp_path_factory, lines, encoding, size):
    text = "\n".join(lines).encode(encoding, errors="ignore")
    expected = text.decode(encoding).encode()
    folder = tmp_path_factory.mktemp("text")
    (folder / "other").write_bytes(text)
    (folder / "utf8").write_bytes(expected)
    insisted = "cp1252" if encoding == "latin-1" else encoding
    other = TextFile(folder / "other", insisted=insisted)
    for start in (0, *(p.stop for p in text_pieces(other, size=size))):
        found, twin = (
            [(p.text.removeprefix(BOM_UTF8), p.stop) for p in text_pieces(file, start, size=size)]
            for file in (other, TextFile(folder / "utf8", insisted="utf-8"))
        )
        if encoding not in ("utf-16", "utf-32"):  # with a mark, pieces end elsewhere
            assert found == twin
        elif start == 0:
            assert b"".join(p for p, _ in found) == expected


def _halves(content):
    return content[: len(content) // 2], content[len(content) // 2 :]


@pytest.mark.parametrize("extension", COMPRESS)
def test_a_truncated_file(extension, tmp_path):
    path = tmp_path / f"t.csv{extension}"
    path.write_bytes(COMPRESS[extension](TEXT.encode() * 20)[:-8])
    with pytest.raises(ValueError, match=rf"t\.csv\{extension}' is damaged \(.*\); write it again"):
        read(path)


def test_names_that_lie_about_compression(tmp_path):
    (tmp_path / "t.csv").write_bytes(gzip.compress(b"x,y\n1,0\n"))
    (tmp_path / "t.csv.gz").write_bytes(b"x,y\n1,0\n")
    for path in tmp_path.iterdir():
        assert read(path).weight == 1


@pytest.mark.parametrize("name", ["BZh", "BZh9", "PK", "PAR1", "ARROW1"])
def test_columns_named_as_packed_files_begin(name, tmp_path):
    for file in ("t", "t.csv"):
        (tmp_path / file).write_text(f"{name},y\n1,0\n")
        assert read(tmp_path / file).feature_names == (name,)


class TestZip:
    def write(self, folder, **members):
        path = folder / "t.csv.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name.replace("__", "/"), content)
        return path

    @pytest.mark.usefixtures("small_parts")
    def test_one_member(self, tmp_path):
        members = {"data__": "", "data__t": TEXT, "data__.hidden": "!", "_x__t": "!"}
        found = read(self.write(tmp_path, **members))
        assert found.weight == 60

    @pytest.mark.usefixtures("small_parts")
    def test_several_parts(self, tmp_path):
        found = read(self.write(tmp_path, a="x,z,y\n1,2,0\n", b="y;x;z\n0;3;6\n"))
        assert found.weight == 2
        assert found[0].mean.tolist() == [2.0, 4.0]
        with pytest.raises(ValueError, match=r"header of '.*zip/b' differs .*: it lacks 'x'"):
            read(self.write(tmp_path, a="x,y\n1,0\n", b="z,y\n1,0\n"))

    def test_nothing_in_it(self, tmp_path):
        with pytest.raises(ValueError, match="has no file in it"):
            read(self.write(tmp_path, folder__=""))

    def test_a_password(self, tmp_path):
        content = bytearray(self.write(tmp_path, a="x,y\n1,0\n").read_bytes())
        for beginning, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            content[content.index(beginning) + at] |= 1
        (tmp_path / "t.csv.zip").write_bytes(content)
        with pytest.raises(ValueError, match="is protected by a password; unpack it first"):
            read(tmp_path / "t.csv.zip")

    def test_damaged(self, tmp_path):
        path = self.write(tmp_path, a=TEXT)
        content = path.read_bytes()
        path.write_bytes(content[:-30])
        with pytest.raises(ValueError, match="is damaged"):
            read(path)
        middle = len(content) // 3
        path.write_bytes(content[:middle] + bytes(40) + content[middle + 40 :])
        with pytest.raises(ValueError, match="is damaged"):
            read(path)
