"""What cannot be read is refused with a sentence that says what to do."""

import lzma

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from zerone import Encoding, Moments, ScanError


def read(source, **options):
    return Moments.from_table(source, **({"target": "y"} | options))


def write(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


class TestParquet:
    def test_truncated(self, tmp_path):
        path = write(tmp_path / "t.parquet", x=np.arange(1000.0), y=[0] * 1000)
        path.write_bytes(path.read_bytes()[:-100])
        with pytest.raises(ValueError, match=r"t\.parquet' is not a complete Parquet file"):
            read(path)

    def test_damaged_in_the_middle_keeps_what_was_counted(self, tmp_path, small_parts):
        path = tmp_path / "t.parquet"
        table = pa.table({"x": np.random.default_rng(0).random(3000), "y": [0] * 3000})
        pq.write_table(table, path, row_group_size=1000, compression="zstd", use_dictionary=False)
        start = pq.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
        content = bytearray(path.read_bytes())
        content[start : start + 600] = bytes(600)
        path.write_bytes(content)
        checkpoint = tmp_path / "scan.npz"
        # The look at all columns reads all rows, too; nothing is counted before it.
        with pytest.raises(ValueError, match="is damaged, or changed while it was read"):
            read(path)
        encoding = Encoding.from_table(table, target="y")
        with pytest.raises(ScanError, match="is damaged, or changed while it was read") as caught:
            read(path, checkpoint=checkpoint, encoding=encoding)
        assert caught.value.rows == caught.value.moments.weight == 1000
        assert Moments.load(checkpoint).weight == 1000
        expected = Moments.from_table(table[:1000], target="y")
        assert caught.value.moments[0].mean == pytest.approx(expected[0].mean)

    def test_schema_changes_between_files(self, tmp_path):
        write(tmp_path / "1.parquet", x=[1.0], y=[0])
        write(tmp_path / "2.parquet", x=["a"], y=[0])
        with pytest.raises(ValueError, match=r"'x' is double in .*1\.parquet' and string in .*2\."):
            read(tmp_path)
        write(tmp_path / "2.parquet", z=[1.0], x=[2.0], y=[0])
        with pytest.raises(ValueError, match="'z' is absent in"):
            read(tmp_path)

    def test_other_files_in_the_folder(self, tmp_path):
        write(tmp_path / "1.parquet", x=[1.0], y=[0])
        (tmp_path / "notes.txt").write_text("!")
        with pytest.raises(ValueError, match=r"notes\.txt' does not have the file extension"):
            read(tmp_path)

    def test_folders_that_name_other_columns(self, tmp_path):
        for folder in ("a=1", "b=2"):
            (tmp_path / folder).mkdir()
            write(tmp_path / folder / "1.parquet", x=[1.0], y=[0])
        with pytest.raises(ValueError, match="folders name the columns"):
            read(tmp_path)

    def test_an_empty_folder(self, tmp_path):
        with pytest.raises(ValueError, match="no Parquet file"):
            read(tmp_path)


def test_arrow_files(tmp_path):
    path = tmp_path / "t.arrow"
    for number, names in enumerate((["x", "y"], ["z", "y"])):
        own = tmp_path / f"{number}.arrow"
        with pa.ipc.new_file(own, pa.schema([(n, pa.float64()) for n in names])) as writer:
            writer.write(pa.record_batch([[1.0], [0.0]], names=names))
    with pytest.raises(ValueError, match=r"schema of .*1\.arrow' differs"):
        read([tmp_path / "0.arrow", tmp_path / "1.arrow"])
    path.write_bytes((tmp_path / "0.arrow").read_bytes()[:-30])
    with pytest.raises(ValueError, match="is not a complete Arrow file"):
        read(path)


class TestText:
    def write(self, folder, content, name="t.csv"):
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def test_other_encodings(self, tmp_path):
        # The first megabytes are ASCII, so that nothing could be found there.
        text = b"x,job,y\n" + b"1,Baker,0\n" * 900_000 + "1,Bäcker,0\n".encode("latin1")
        path = self.write(tmp_path, text)
        with pytest.raises(ValueError, match=r"t\.csv'.* is not UTF-8 text; name the encoding"):
            read(path)
        path = self.write(tmp_path, "имя,y\nПётр,0\n".encode("cp1251"))
        with pytest.raises(ValueError, match=r"cannot be guessed; .*TableFiles\(source, encoding="):
            read(path)

    def test_lines_that_are_too_short(self, tmp_path):
        path = self.write(tmp_path, "x,y\n1,0\n2\n3,0\n")
        with pytest.raises(ValueError, match=r"Expected 2 columns, got 1.*as the header"):
            read(path, strict=True)
        with pytest.warns(
            UserWarning, match=r"lines with more or fewer cells .* are left out \(1\)"
        ):
            found = read(path)
        assert found[0].mean.tolist() == [2.0]
        assert found.encoding.plan[-1].assumed[0].startswith("lines with more or fewer cells")
        # So many are another format, and a prediction needs every line.
        path = self.write(tmp_path, "x,y\n" + "1,0\n2\n" * 10)
        with pytest.raises(ValueError, match="10 lines have more or fewer cells than the header"):
            read(path)

    @pytest.mark.usefixtures("small_parts")
    def test_text_among_numbers(self, tmp_path):
        path = self.write(tmp_path, "x,y\n" + "1,0\n" * 100 + "none,0\n")
        with pytest.raises(ValueError, match=r"column 'x': .*'none'.*null_values"):
            read(path, strict=True)
        encoding = Encoding.from_table(path, target="y", keep=["x"])
        assert encoding.plan[0].assumed == ("missing (1)",)
        path = self.write(tmp_path, "x,y\n" + "1,0\n2,0\n" * 50 + "two,0\n")
        encoding = Encoding.from_table(path, target="y")
        assert encoding.plan[0].assumed == (
            "values such as 'two' are no numbers: read as missing (1)",
        )
        assert read(path)[0].mean.tolist() == [1.5, pytest.approx(1 / 101)]

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            ("", "is empty"),
            ("x,y\n", "a header but no rows"),
            ("<!DOCTYPE html>\n<html>", "is HTML or XML"),
            ("\ufeff", "is empty"),
            ("x,z\n1,2\n", "target: there is no column 'y'; the table has 'x', 'z'"),
            ("x,y\n1,\n", "target: column 'y' has no value in any row"),
            ("y\n1\n", "no column is left"),
            ("x,y\r1,0\r", "is not one line that ends in a newline"),
            ('x,"y\nz"\n1,0\n', "is not one line that ends in a newline"),
        ],
    )
    def test_contents(self, content, words, tmp_path):
        with pytest.raises((ValueError, TypeError), match=words):
            read(self.write(tmp_path, content))

    def test_other_header(self, tmp_path):
        paths = [
            self.write(tmp_path, "x,y\n1,0\n", "1.csv"),
            self.write(tmp_path, "z,y\n1,0\n", "2.csv"),
        ]
        with pytest.raises(ValueError, match=r"header of .*2\.csv' differs"):
            read(paths)

    def test_a_damaged_archive(self, tmp_path):
        path = self.write(tmp_path, lzma.compress(b"x,y\n" + b"1,0\n" * 5000)[:-20], "t.csv.xz")
        with pytest.raises(ValueError, match="is damaged"):
            read(path)

    def test_libsvm(self, tmp_path):
        path = self.write(tmp_path, "1 1:2\nhello\n", "t.libsvm")
        with pytest.raises(ValueError, match="is not LIBSVM text"):
            read(path, target=None)
        with pytest.raises(ValueError, match="no named columns"):
            read(path)
        path = self.write(tmp_path, "1 20000:2\n", "t.libsvm")
        with pytest.raises(ValueError, match="20000 features are too many"):
            read(path, target=None)


class TestSources:
    def test_nothing_there(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="no file"):
            read(tmp_path / "t.parquet")
        with pytest.raises(FileNotFoundError, match="no file"):
            read([tmp_path, tmp_path])
        with pytest.raises(FileNotFoundError, match=r"source: there is no file '.*t'"):
            read(tmp_path / "t")
        with pytest.raises(FileNotFoundError, match="empty path"):
            read("")

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"target": 2}, "target: got 2, expected the name"),
            ({"weight": 2}, "weight: got 2"),
            ({"encoding": "x"}, "encoding: got str"),
            ({"checkpoint": 5}, "checkpoint: got 5"),
        ],
    )
    def test_arguments_of_other_types(self, options, words):
        with pytest.raises(TypeError, match=words):
            read(pd.DataFrame({"x": [1.0], "y": [0]}), **options)

    def test_two_columns_of_one_name(self):
        with pytest.raises(ValueError, match="two columns are named 'y'"):
            read(pa.table([[1], [2], [3]], names=["x", "y", "y"]))
        with pytest.raises(TypeError, match="a name of its own"):
            read(pd.DataFrame([[1, 2]], columns=["y", "y"]))

    @pytest.mark.parametrize("source", [3, [], [1, 2], np.ones((2, 2)), None, pd.Series([1])])
    def test_no_table(self, source):
        with pytest.raises(TypeError, match=r"source: got .*, expected a path"):
            read(source)

    def test_lazy_frames(self):
        with pytest.raises(TypeError, match=r"lazy LazyFrame; call \.collect"):
            read(pl.LazyFrame({"x": [1.0], "y": [1]}))

    def test_columns_of_mixed_types(self):
        frame = pd.DataFrame({"x": [1, "a", True, 2.5], "y": 0})
        assert read(frame).feature_names == ("x=1", "x=2.5", "x=True", "x=a")
        with pytest.raises(TypeError, match="values of one type"):
            read(pd.DataFrame({"x": [1, object()], "y": [0, 1]}))

    def test_no_target(self):
        with pytest.raises(
            ValueError, match=r"target: got None, expected the name of the column .* 'x', 'y'"
        ):
            read(pd.DataFrame({"x": [1.0], "y": [0]}), target=None)

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            ([1.0, None], "no value in row 1"),
            (["a", "b"], "expected numbers"),
            ([-1.0, 2.0], "cannot"),
            ([0.0, 0.0], "source: all sample weights are zero, or the source is empty"),
        ],
    )
    def test_weights(self, values, words):
        frame = pd.DataFrame({"x": [1.0, 2.0], "w": values, "y": [0, 1]})
        with pytest.raises((ValueError, TypeError), match=words):
            read(frame, weight="w")

    def test_targets(self):
        frame = pd.DataFrame({"x": [1.0, 2.0], "y": pd.to_datetime(["2026-01-01"] * 2)})
        with pytest.raises(TypeError, match="classes are strings, integers or booleans"):
            read(frame)
        for labels in ([0, None], ["a", None]):
            with pytest.raises(ValueError, match="no value in row 1"):
                read(frame.assign(y=labels), strict=True)
            with pytest.warns(UserWarning, match=r"rows without a label are left out \(1\)"):
                assert read(frame[["x"]].assign(y=labels)).weight == 1

    def test_no_rows(self):
        with pytest.raises(ValueError, match="source: all sample weights are zero"):
            read(pa.table({"x": pa.array([], pa.float64()), "y": pa.array([], pa.int64())}))

    def test_encodings_that_do_not_fit(self):
        frame = pd.DataFrame({"x": [1.0], "job": ["a"], "y": [0]})
        encoding = Encoding.from_table(frame, target="y")
        with pytest.raises(ValueError, match="leave out columns"):
            read(frame, encoding=encoding, columns=["x"])
        with pytest.raises(ValueError, match="columns: there is no column 'job'"):
            read(frame[["x", "y"]], encoding=encoding)
        with pytest.raises(TypeError, match="takes it for numbers"):
            read(frame.assign(x=b"b"), encoding=encoding)
        with pytest.warns(UserWarning, match=r"'x': no numbers, read as missing, such as 'b' \(1"):
            read(frame.assign(x="b"), encoding=encoding)
        with pytest.raises(ValueError, match=r"category 'b' in .*Encoding\.from_table"):
            read(frame.assign(job="b"), encoding=encoding)
