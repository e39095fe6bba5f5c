"""Which files are read, and in which format; what cannot be guessed is refused."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import dump_svmlight_file

from zerone import Moments, TableFiles


def read(source, **options):
    return Moments.from_table(source, **({"target": "y"} | options))


@pytest.fixture
def parts(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.csv").write_text(f"x,y\n{number},0\n")
    return tmp_path


class TestPaths:
    def test_patterns(self, parts):
        for source in (str(parts / "*.csv"), parts / "[0-2].csv", [str(parts / "?.csv")]):
            assert read(source).weight == 3
        (parts / "more").mkdir()
        (parts / "more" / "4.csv").write_text("x,y\n4,0\n")
        assert read(f"{parts}/*").weight == 3
        assert read(f"{parts}/**/*.csv").weight == 4
        assert read([f"{parts}/0.csv", f"{parts}/more/*.csv"])[0].mean.tolist() == [2.0]

    def test_a_name_that_looks_like_a_pattern(self, tmp_path):
        (tmp_path / "t[1].csv").write_text("x,y\n1,0\n")
        assert read(tmp_path / "t[1].csv").weight == 1

    def test_nothing_matches(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"source: no file matches '.*\*\.csv'"):
            read(tmp_path / "*.csv")
        (tmp_path / "a").mkdir()
        with pytest.raises(ValueError, match="matches folders only; match files"):
            read(f"{tmp_path}/*")

    @pytest.mark.parametrize("url", ["https://example.org/t.csv?a=1", "s3://bucket/*.parquet"])
    def test_urls(self, url):
        with pytest.raises(FileNotFoundError, match=r"is a URL, .*; download it first"):
            read(url)


class TestFormats:
    @pytest.mark.parametrize("name", ["t", "t.txt", "t.data", "T.CSV", "t.2026"])
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_text(self, name, delimiter, tmp_path):
        path = tmp_path / name
        path.write_text("# made by hand\nx,y\n1,0\n".replace(",", delimiter))
        assert read(path).feature_names == ("x",)

    def test_libsvm(self, rng, tmp_path):
        path = tmp_path / "t.txt"
        dump_svmlight_file(rng.random((5, 3)), [0, 1, 0, 1, 1], str(path), zero_based=False)
        assert read(path, target=None).n_features == 3

    @pytest.mark.parametrize("name", ["t", "t.dat"])
    def test_binary_formats(self, name, tmp_path):
        table = pa.table({"x": [1.0], "y": [0]})
        pq.write_table(table, tmp_path / name)
        assert read(tmp_path / name).weight == 1
        with pa.ipc.new_file(tmp_path / name, table.schema) as writer:
            writer.write(table)
        assert read(tmp_path / name).weight == 1

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"the rows of 2026 are here\n", r"cannot be guessed: .*TableFiles\(source, format="),
            (b'[{"x": 1, "y": 0}]', "is one JSON value.*write JSON Lines"),
            (b"<html>", "is HTML or XML"),
            (
                b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
                "old Excel file, or one",
            ),
            (b"\x80\x04\x95" + bytes(100), "is not a text file: it has zero bytes"),
            (b"", "is empty"),
            ("\ufeff\n".encode(), "is empty"),
            (b"# a\n# b\n", "begins with comments only"),
        ],
    )
    def test_no_table(self, content, words, tmp_path):
        path = tmp_path / "t.dat"
        path.write_bytes(content)
        with pytest.raises(ValueError, match=words):
            read(path)

    def test_several_formats(self, parts):
        pq.write_table(pa.table({"x": [1.0], "y": [0]}), parts / "t.parquet")
        with pytest.raises(ValueError, match="have the formats csv, parquet; name files of one"):
            read([parts / "0.csv", parts / "t.parquet"])

    def test_packed_parquet(self, tmp_path):
        import gzip

        path = tmp_path / "t.parquet.gz"
        path.write_bytes(gzip.compress(b"PAR1\0"))
        with pytest.raises(ValueError, match="is a packed parquet file; unpack it"):
            read(path)


class TestInsisting:
    def test_format(self, tmp_path):
        path = tmp_path / "t.parquet"
        path.write_text("x,y\n1,0\n")
        assert read(TableFiles(path, format="csv")).weight == 1
        path.rename(tmp_path / "prose")
        assert read(TableFiles([tmp_path / "prose"], format="csv")).weight == 1

    def test_encoding(self, tmp_path):
        path = tmp_path / "t.csv"
        for encoding, name in (("cp1251", "имя"), ("shift_jis", "名前"), ("latin-1", "größe")):
            path.write_text(f"{name},y\n1,0\n", encoding=encoding)
            assert read(TableFiles(path, encoding=encoding)).feature_names == (name,)
        path.write_bytes("€,y\n1,0\n".encode("cp1252"))
        assert read(TableFiles(path, encoding="latin-1")).feature_names == ("€",)
        with pytest.raises(ValueError, match="is not UTF-8 text; name the encoding"):
            read(TableFiles(path, encoding="utf-8"))
        for encoding in ("utf-16", "utf-16-le", "utf-32", "utf-32-le"):
            path.write_text("名前,y\n1,0\n", encoding=encoding)
            insisted = encoding.removesuffix("-le")
            assert read(TableFiles(path, encoding=insisted)).feature_names == ("名前",)

    def test_comments(self, tmp_path):
        path = tmp_path / "t.csv"
        path.write_text("x,y\n#1,0\n#2,0\n2,0\n")
        assert read(TableFiles(path, comment="#")).weight == 1
        assert read(TableFiles(path, comment="none")).feature_names == ("x=#1", "x=#2", "x=2")
        path.write_text("% by hand\nx,y\n%1,0\n2,0\n")
        assert read(TableFiles(path, comment="%")).weight == 1

    def test_a_checkpoint_knows_how_files_were_read(self, tmp_path):
        path = tmp_path / "t.csv"
        path.write_text("x,y\n1,0\n2,0\n")
        checkpoint = tmp_path / "scan.npz"
        read(TableFiles(path, encoding="latin-1"), checkpoint=checkpoint)
        with pytest.raises(ValueError, match="checkpoint"):
            read(TableFiles(path, encoding="utf-16"), checkpoint=checkpoint)
        with pytest.raises(ValueError, match="checkpoint"):
            read(TableFiles(path, encoding="latin-1", comment="#"), checkpoint=checkpoint)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"paths": []}, r"paths: got \[\]; pass a path or a list"),
            ({"paths": 3}, "paths: got 3"),
            ({"format": "sas"}, "format: got 'sas', expected one of csv"),
            ({"encoding": "utf-9"}, "encoding: got 'utf-9', which is not the name"),
            ({"encoding": "base64"}, "encoding: got 'base64', which is not the name"),
            ({"comment": 3}, "comment: got 3, expected a string"),
            ({"sheet": ""}, "sheet: got '', expected a string"),
        ],
    )
    def test_arguments(self, options, words):
        with pytest.raises((ValueError, TypeError), match=words):
            TableFiles(**({"paths": "t.csv"} | options))

    def test_options_of_other_formats(self, parts):
        with pytest.raises(ValueError, match="sheet: is not for csv files"):
            read(TableFiles(parts / "0.csv", sheet="a"))
        pq.write_table(pa.table({"x": [1.0], "y": [0]}), parts / "t.parquet")
        with pytest.raises(ValueError, match="encoding: is not for parquet files"):
            read(TableFiles(parts / "t.parquet", encoding="utf-16"))
