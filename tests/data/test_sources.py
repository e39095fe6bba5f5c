"""The same rows give the same moments, whatever they are read from."""

import bz2
import gzip
import lzma
import zipfile

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import dump_svmlight_file

from zerone import Moments

FEATURES = ["age", "pay", "left"]


def arrow(table):
    return pa.Table.from_pandas(table, preserve_index=False)


def parquet(table, folder):
    path = folder / "table.parquet"
    pq.write_table(arrow(table), path, row_group_size=33)
    return path


def parquet_folder(table, folder):
    (folder / "parts" / "deeper").mkdir(parents=True)
    (folder / "parts" / "_SUCCESS").touch()
    pq.write_table(arrow(table[:70]), folder / "parts" / "a.parquet")
    # Columns in another order and with other widths are the same columns.
    rest = arrow(table[70:]).select(table.columns[::-1].tolist())
    at = rest.schema.get_field_index("age")
    rest = rest.set_column(at, "age", rest.column("age").cast(pa.int16()))
    pq.write_table(rest, folder / "parts" / "deeper" / "b.pq")
    return folder / "parts"


def partitioned(table, folder):
    pq.write_to_dataset(arrow(table), folder / "cities", partition_cols=["city"])
    return folder / "cities"


def feather(table, folder):
    path = folder / "table.arrow"
    with pa.ipc.new_file(path, arrow(table).schema) as writer:
        for batch in arrow(table).to_batches(max_chunksize=33):
            writer.write(batch)
    return path


def csv(table, folder, name="table.csv", **options):
    table.to_csv(folder / name, index=False, **options)
    return folder / name


def two_csv(table, folder):
    return [csv(table[:90], folder, "1.csv"), csv(table[90:], folder, "2.csv")]


def csv_folder(table, folder):
    (folder / "texts").mkdir()
    two_csv(table, folder / "texts")
    return folder / "texts"


def marked_csv(table, folder):
    path = csv(table, folder, lineterminator="\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    return path


def compressed(extension, module):
    def write(table, folder):
        path = folder / f"table.csv{extension}"
        path.write_bytes(module.compress(csv(table, folder).read_bytes()))
        return path

    return write


def zstd(table, folder):
    path = folder / "table.csv.zst"
    path.write_bytes(pa.compress(csv(table, folder).read_bytes(), codec="zstd", asbytes=True))
    return path


def zipped(table, folder):
    path = folder / "table.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in two_csv(table, folder):
            archive.write(part, part.name)
    return path


def commented(table, folder):
    path = csv(table, folder, sep=";")
    lines = path.read_text().splitlines()
    text = "\n# see below\n".join(["# made by hand", "#", *lines])
    path = folder / "table.txt"
    path.write_text(text)
    return path


def json_lines(table, folder):
    table.to_json(folder / "table.jsonl", orient="records", lines=True, double_precision=15)
    return folder / "table.jsonl"


def workbook(table, folder):
    table.to_excel(folder / "table.xlsx", index=False)
    return folder / "table.xlsx"


def relation(table, folder):
    return duckdb.connect().from_arrow(arrow(table))


SOURCES = {
    "pandas": lambda table, folder: table.set_index(np.arange(len(table)) + 5),
    "polars": lambda table, folder: pl.from_pandas(table),
    "pyarrow table": lambda table, folder: arrow(table),
    "pyarrow batch": lambda table, folder: arrow(table).combine_chunks().to_batches()[0],
    "reader": lambda table, folder: arrow(table).to_reader(max_chunksize=50),
    "duckdb": relation,
    "parquet": parquet,
    "parquet folder": parquet_folder,
    "partitioned": partitioned,
    "arrow file": feather,
    "csv": csv,
    "csv as text": lambda table, folder: str(csv(table, folder)),
    "csv with semicolons": lambda table, folder: csv(table, folder, sep=";"),
    "csv from a spreadsheet": marked_csv,
    "tsv": lambda table, folder: csv(table, folder, "table.tsv", sep="\t"),
    "two csv": two_csv,
    "csv folder": csv_folder,
    "csv.gz": compressed(".gz", gzip),
    "csv.xz": compressed(".xz", lzma),
    "csv.bz2": compressed(".bz2", bz2),
    "csv.zst": zstd,
    "zip": zipped,
    "utf-16": lambda table, folder: csv(table, folder, "table", encoding="utf-16"),
    "text with comments": commented,
    "json lines": json_lines,
    "workbook": workbook,
}


def assert_same(a, b, **tolerance):
    tolerance = {"rtol": 1e-12, "atol": 1e-12} | tolerance
    assert a.classes.tolist() == b.classes.tolist()
    for label in b:
        assert a[label].weight == pytest.approx(b[label].weight, rel=1e-12)
        scale = np.sqrt(np.maximum(b[label].covariance.diagonal(), 0.0))
        scale[scale < 1e-6] = 1.0  # constant, but for the rounding of a subtraction
        assert_allclose(a[label].mean / scale, b[label].mean / scale, **tolerance)
        products = np.multiply.outer(scale, scale)
        covariances = [np.asarray(m[label].covariance) / products for m in (a, b)]
        assert_allclose(*covariances, **tolerance)


def one_hot(table):
    """The features of the table, computed by pandas."""
    numbers = table[FEATURES].astype(float)
    dummies = pd.get_dummies(table[["job", "city"]], prefix_sep="=", dtype=float)
    return pd.concat([numbers, dummies], axis=1)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("weighted", [False, True])
def test_every_source(kind, weighted, table, tmp_path):
    columns = [*FEATURES, "job", "city"]
    weight = "count" if weighted else None
    found = Moments.from_table(
        SOURCES[kind](table, tmp_path), target="late", columns=columns, weight=weight
    )
    features = one_hot(table)
    assert found.feature_names == tuple(features.columns)
    weights = table["count"] if weighted else None
    expected = Moments.from_data(features, table["late"], sample_weight=weights)
    assert_same(found, expected)


def test_all_other_columns_are_features_by_default(table):
    found = Moments.from_table(table, target="late", weight="count")
    assert found.encoding.column_names == ("age", "pay", "job", "city", "left")


def test_parquet_has_two_extensions(table, tmp_path):
    path = parquet(table, tmp_path).rename(tmp_path / "table.pq")
    assert_same(Moments.from_table(path, target="late"), Moments.from_table(table, target="late"))


def test_partitions_may_be_numbers_text_or_missing(tmp_path):
    for year, place, rows in (("2025", "a%20b", [1.0]), ("2026", "c", [2.0, 3.0])):
        folder = tmp_path / f"year={year}" / f"place={place}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"x": rows, "y": [0] * len(rows)}), folder / "1.parquet")
    found = Moments.from_table(tmp_path, target="y")
    assert found.feature_names == ("x", "year", "place=a b", "place=c")
    assert_allclose(found[0].mean, [2.0, 2025 + 2 / 3, 1 / 3, 2 / 3])
    folder = tmp_path / "year=2027" / "place=__HIVE_DEFAULT_PARTITION__"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"x": [9.0], "y": [0]}), folder / "1.parquet")
    assert Moments.from_table(tmp_path, target="y").feature_names[-1] == "place is missing"
    with pytest.raises(ValueError, match="'place' has 1 missing value"):
        Moments.from_table(tmp_path, target="y", strict=True)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("extension", ["", ".xz"])
def test_libsvm_text_whose_last_features_come_late(extension, rng, tmp_path):
    X = rng.random((40, 6)) * (rng.random((40, 6)) < 0.5)
    X[:20, 4:] = 0.0
    y = rng.integers(0, 3, 40)
    path = tmp_path / "rows.libsvm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    if extension:
        compressed_path = tmp_path / "rows.libsvm.xz"
        compressed_path.write_bytes(lzma.compress(path.read_bytes()))
        path = compressed_path
    found = Moments.from_table(path)
    assert found.classes.dtype.kind == "i"
    assert_same(found, Moments.from_data(X, y), rtol=1e-9)


def test_a_target_of_any_kind_keeps_its_kind(tmp_path):
    values = {"int": [0, 1, 1], "bool": [True, False, True], "text": ["b", "a", "b"]}
    for name, labels in values.items():
        frame = pd.DataFrame({"x": [1.0, 2.0, 4.0], "y": labels})
        path = csv(frame, tmp_path, f"{name}.csv")
        for source in (frame, path, frame.astype({"y": "category"})):
            found = Moments.from_table(source, target="y")
            assert found.classes.tolist() == sorted(set(labels))
            assert type(found.classes.tolist()[0]) is type(labels[0])


def test_numbers_of_every_type():
    types = [pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.decimal128(25, 1), pa.bool_()]
    values = np.array([1, 0, 1, 1])
    columns = [
        pa.array(values).cast(pa.int64()).cast(t)
        if t != pa.float16()
        else pa.array(values.astype(np.float16))
        for t in types
    ]
    table = pa.table([*columns, pa.array([0, 0, 1, 1])], names=[*map(str, types), "y"])
    found = Moments.from_table(table, target="y")
    assert found[0].mean.tolist() == [0.5] * len(types)


def test_a_stream_can_be_read_only_once(table):
    reader = arrow(table).to_reader()
    Moments.from_table(reader, target="late")
    with pytest.raises(ValueError, match=r"is empty|read"):
        Moments.from_table(reader, target="late")


def test_files_whose_headers_take_other_bytes(tmp_path):
    texts = ["x,y\r\n1000,0\r\n", "x,y\n2000,0\n", '\ufeff"x","y"\n3000,0\n']
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.csv").write_bytes(text.encode())
    found = Moments.from_table([tmp_path / f"{i}.csv" for i in range(3)], target="y")
    assert found[0].mean.tolist() == [2000.0]
    assert found.weight == 3


@pytest.mark.usefixtures("small_parts")
def test_quotes_that_stand_for_themselves_beside_cells_of_several_lines(tmp_path):
    lines = ['a,1,5" pipe', 'b,2,"see\nb,99,old"', "a,3,plain", 'b,4,"say ""hi"", 5\n"']
    path = tmp_path / "t.csv"
    path.write_text("y,x,s\n" + "\n".join(lines * 10) + "\n")
    found = Moments.from_table(path, target="y", columns=["x"])
    assert_same(found, Moments.from_table(pd.read_csv(path), target="y", columns=["x"]))
    assert found.weight == 40


def test_text_in_folders_of_folders(table, tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    csv(table[:50], tmp_path / "a", "1.csv")
    csv(table[50:], tmp_path / "a" / "b", "2.csv")
    assert Moments.from_table(tmp_path / "a", target="late").weight == 200


def test_a_list_of_parquet_files(table, tmp_path):
    paths = [tmp_path / "1.parquet", tmp_path / "2.pq"]
    pq.write_table(arrow(table[:50]), paths[0])
    pq.write_table(arrow(table[50:]), paths[1])
    assert Moments.from_table(paths, target="late").weight == 200


def test_partitions_of_numbers_without_a_value(tmp_path):
    for name, x in (("1", 1.0), ("__HIVE_DEFAULT_PARTITION__", 2.0)):
        folder = tmp_path / f"part={name}"
        folder.mkdir()
        pq.write_table(pa.table({"x": [x], "y": [0]}), folder / "1.parquet")
    found = Moments.from_table(tmp_path, target="y")
    assert found.feature_names == ("x", "part", "part is missing")
    assert found[0].mean.tolist() == [1.5, 1.0, 0.5]


def test_large_whole_numbers_are_different_classes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,9007199254740992\n2,9007199254740993\n")
    assert Moments.from_table(path, target="y").classes.tolist() == [2**53, 2**53 + 1]


def test_a_target_of_csv_may_be_text_whatever_it_looks_like(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2026-01-01\n2,2026-01-02\n")
    found = Moments.from_table(path, target="y", categorical=["y"])
    assert found.classes.tolist() == ["2026-01-01", "2026-01-02"]


def test_frames_of_other_classes_have_no_index_either(table):
    class Frame(pd.DataFrame):
        pass

    frame = Frame(table).set_index(np.arange(200)[::-1])
    found = Moments.from_table(frame, target="late")
    assert_same(found, Moments.from_table(table, target="late"))
    assert found.feature_names == Moments.from_table(table, target="late").feature_names


def test_rows_without_weight_are_absent_whatever_they_hold():
    frame = pd.DataFrame(
        {"x": [1.0, None, 2.0], "job": ["a", "b", None], "w": [2, 0, 0], "y": ["p", None, "q"]}
    )
    for strict in (True, False):
        found = Moments.from_table(frame, target="y", weight="w", strict=strict)
        assert found.feature_names == ("x", "job=a")
        assert dict(found).keys() == {"p"}


def test_a_file_in_which_a_column_has_no_value(table, tmp_path):
    empty = table[:50].assign(job=None, pay=None)
    for order in ((empty, table[50:]), (table[50:], empty)):
        for number, part in enumerate(order):
            pq.write_table(arrow(part), tmp_path / f"{number}.parquet")
        found = Moments.from_table(tmp_path, target="late")
        whole = pd.concat([table[:50].assign(job=None, pay=np.nan), table[50:]])
        assert_same(found, Moments.from_table(whole, target="late"))


@pytest.mark.usefixtures("small_parts")
def test_csv_that_begins_with_an_empty_line(table, tmp_path):
    path = csv(table, tmp_path)
    path.write_bytes(b"\r\n\n" + path.read_bytes())
    assert_same(Moments.from_table(path, target="late"), Moments.from_table(table, target="late"))
