"""One table written in 47 ways: how many are read at the first try, and as the same rows.

    python -m evidence.rewritten_tables

churn.csv is written with other separators, number formats, encodings, dates, names of rows,
missing labels, compressions and formats. Each file goes through ``zerone fit FILE --target churn``
without another option, and through `ZeroOneClassifier.fit_table`. Where the content is the same,
coefficients are compared with those of the plain file, in units of the largest one.
"""

import bz2
import gzip
import json
import lzma
import os
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from typer.testing import CliRunner

from zerone import ZeroOneClassifier, load_model
from zerone.cli._app import app

TARGET = "churn"
MONEY = ("monthly_charges", "total_charges")
# The categories of a column sum to one, so that their coefficients are known less exactly than the
# scores; where parts of a file end decides the rounding.
_SAME = 1e-6

Variant = Callable[[pd.DataFrame, Path], str]
"""Writes a table into a folder and returns the path or pattern to read."""

VARIANTS: dict[str, Variant] = {}
"""All ways of writing the table, by name."""

OTHER_ROWS = {"unlabelled rows", "a class of one row", "a ragged line"}
"""Ways that add rows."""


def variant(name: str) -> Callable[[Variant], Variant]:
    """Add a way of writing the table."""

    def add(write: Variant) -> Variant:
        VARIANTS[name] = write
        return write

    return add


def _text(frame: pd.DataFrame, **options: Any) -> str:
    return str(frame.to_csv(index=options.pop("index", False), **options))


def _file(folder: Path, content: str | bytes, name: str = "t.csv") -> str:
    data = content if isinstance(content, bytes) else content.encode()
    (folder / name).write_bytes(data)
    return str(folder / name)


def _with_money(frame: pd.DataFrame, form: Callable[[float], str]) -> pd.DataFrame:
    shown = {name: frame[name].map(form, na_action="ignore") for name in MONEY}
    return frame.assign(**shown)


def _german(value: float) -> str:
    return f"{value:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")


def _separated(mark: str, name: str) -> Variant:
    return lambda frame, folder: _file(folder, _text(frame, sep=mark), name)


VARIANTS |= {
    "plain": lambda frame, folder: _file(folder, _text(frame)),
    "semicolons": _separated(";", "t.csv"),
    "tabs": _separated("\t", "t.tsv"),
    "tabs in .txt": _separated("\t", "t.txt"),
    "vertical bars": _separated("|", "t.csv"),
    "no extension": lambda frame, folder: _file(folder, _text(frame), "table"),
    "decimal comma": lambda f, folder: _file(folder, _text(f, sep=";", decimal=",")),
    "decimal comma in quotes": lambda f, folder: _file(
        folder, _text(_with_money(f, lambda v: f"{v:.2f}".replace(".", ",")))
    ),
    "1,234.50": lambda f, folder: _file(folder, _text(_with_money(f, lambda v: f"{v:,.2f}"))),
    "1.234,50": lambda f, folder: _file(folder, _text(_with_money(f, _german), sep=";")),
    "$1,234.50": lambda f, folder: _file(folder, _text(_with_money(f, lambda v: f"${v:,.2f}"))),
    "1.234,50 €": lambda f, folder: _file(
        folder, _text(_with_money(f, lambda v: f"{_german(v)} €"), sep=";")
    ),
    "percents": lambda f, folder: _file(folder, _text(_with_money(f, lambda v: f"{v:.2f}%"))),
    "UTF-8 with a mark": lambda f, folder: _file(folder, _text(f).encode("utf-8-sig")),
    "UTF-16": lambda f, folder: _file(folder, _text(f).encode("utf-16")),
    "Latin-1": lambda f, folder: _file(
        folder, _text(f.rename(columns={"tenure": "Mitgliedschaft für"})).encode("latin1")
    ),
    "CRLF": lambda f, folder: _file(folder, _text(f, lineterminator="\r\n")),
    "all quoted": lambda f, folder: _file(folder, _text(f, quoting=1)),
    "NA for missing": lambda f, folder: _file(folder, _text(f, na_rep="NA")),
    "? for missing": lambda f, folder: _file(folder, _text(f, na_rep="?")),
    "0/1 target": lambda f, folder: _file(
        folder, _text(f.assign(churn=(f[TARGET] == "Yes").astype(int)))
    ),
    "float target": lambda f, folder: _file(
        folder, _text(f.assign(churn=(f[TARGET] == "Yes").astype(float)))
    ),
    "unnamed index": lambda f, folder: _file(folder, _text(f, index=True)),
    "identifiers": lambda f, folder: _file(
        folder, _text(f.assign(id=[f"c-{i * 7919 % 100_003}" for i in range(len(f))]))
    ),
    "constant and empty columns": lambda f, folder: _file(
        folder, _text(f.assign(country="DE", notes=None))
    ),
    "comment lines": lambda f, folder: _file(folder, "# billing\n" + _text(f)),
    "trailing separators": lambda f, folder: _file(folder, _text(f).replace("\n", ",\n")),
    "gzip": lambda f, folder: _file(folder, gzip.compress(_text(f).encode()), "t.csv.gz"),
    "bzip2": lambda f, folder: _file(folder, bz2.compress(_text(f).encode()), "t.csv.bz2"),
    "xz": lambda f, folder: _file(folder, lzma.compress(_text(f).encode()), "t.csv.xz"),
    "zstd": lambda f, folder: _file(
        folder, pa.compress(_text(f).encode(), "zstd", asbytes=True), "t.csv.zst"
    ),
}


@variant("newlines in cells")
def _newlines(frame: pd.DataFrame, folder: Path) -> str:
    split = frame["payment_method"].str.replace(" ", "\n")
    return _file(folder, _text(frame.assign(payment_method=split)))


@variant("spaces around cells and names")
def _spaces(frame: pd.DataFrame, folder: Path) -> str:
    return _file(folder, "\n".join(line.replace(",", " , ") for line in _text(frame).splitlines()))


@variant("booleans")
def _booleans(frame: pd.DataFrame, folder: Path) -> str:
    flags = ("female", "senior_citizen", "partner", "dependents", "phone_service")
    return _file(folder, _text(frame.astype(dict.fromkeys(flags, bool))))


@variant("columns of one name")
def _twice(frame: pd.DataFrame, folder: Path) -> str:
    text = _text(frame)
    head, rest = text.split("\n", 1)
    return _file(folder, head.replace("total_charges", "monthly_charges") + "\n" + rest)


@variant("zip")
def _zip(frame: pd.DataFrame, folder: Path) -> str:
    with zipfile.ZipFile(folder / "t.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("export/t.csv", _text(frame))
    return str(folder / "t.zip")


@variant("workbook")
def _workbook(frame: pd.DataFrame, folder: Path) -> str:
    frame.to_excel(folder / "t.xlsx", index=False)
    return str(folder / "t.xlsx")


@variant("JSON Lines")
def _json_lines(frame: pd.DataFrame, folder: Path) -> str:
    rows = (
        {name: value for name, value in row.items() if not pd.isna(value)}
        for row in frame.to_dict("records")
    )
    return _file(folder, "\n".join(map(json.dumps, rows)), "t.jsonl")


@variant("several parts")
def _parts(frame: pd.DataFrame, folder: Path) -> str:
    for number, start in enumerate(range(0, len(frame), 2_000)):
        _file(folder, _text(frame[start : start + 2_000]), f"part{number}.csv")
    return str(folder / "part*.csv")


@variant("partitioned Parquet")
def _partitioned(frame: pd.DataFrame, folder: Path) -> str:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_to_dataset(table, folder / "t", partition_cols=["contract"])
    return str(folder / "t")


@variant("unlabelled rows")
def _unlabelled(frame: pd.DataFrame, folder: Path) -> str:
    return _file(folder, _text(pd.concat([frame, frame[:100].assign(churn=None)])))


@variant("a class of one row")
def _one_row_class(frame: pd.DataFrame, folder: Path) -> str:
    return _file(folder, _text(pd.concat([frame, frame[:1].assign(churn="Perhaps")])))


@variant("a ragged line")
def _ragged(frame: pd.DataFrame, folder: Path) -> str:
    return _file(folder, _text(frame) + "No,1,0\n")


def _dated(form: str) -> Variant:
    def write(frame: pd.DataFrame, folder: Path) -> str:
        days = pd.Timestamp("2019-01-15") + pd.to_timedelta(np.arange(len(frame)) % 900, "D")
        return _file(folder, _text(frame.assign(since=days.strftime(form))))

    return write


DATED = {
    "dates as 2020-12-31": _dated("%Y-%m-%d"),
    "dates as 2020/12/31": _dated("%Y/%m/%d"),
    "dates as 31.12.2020": _dated("%d.%m.%Y"),
    "dates as 12/31/2020": _dated("%m/%d/%Y"),
}
VARIANTS |= DATED


def tried(frame: pd.DataFrame) -> Iterator[tuple[str, str | None, float]]:
    """Yield for each way of writing the table what went wrong, and the largest difference.

    The difference is that of the coefficients of `ZeroOneClassifier(refine=None)` and is NaN where
    the rows are others.
    """
    references: dict[str, Any] = {}
    for name, write in VARIANTS.items():
        with tempfile.TemporaryDirectory() as folder:
            source = write(frame, Path(folder))
            why = _at_the_command_line(source, Path(folder))
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model = ZeroOneClassifier(refine=None).fit_table(source, target=TARGET)
            except Exception as error:
                yield name, str(error), np.nan
                continue
        kind = "dated" if name in DATED else "plain"
        reference = references.setdefault(kind, model)
        same = len(model.classes_) == 2 and name not in OTHER_ROWS
        yield name, why, _difference(model, reference) if same else np.nan


def _at_the_command_line(source: str, folder: Path) -> str | None:
    output = folder / "model.zerone"
    found = CliRunner().invoke(app, ["fit", source, "--target", TARGET, "-o", str(output)])
    if found.exit_code:
        return found.output.strip().splitlines()[-1]
    load_model(output)
    return None


def _difference(model: Any, reference: Any) -> float:
    """Return how much scores differ, whatever the columns are called and in which order.

    Coefficients are sorted, because names of features are part of what was rewritten.
    """
    own, other = (np.sort(np.append(m.coef_[0], m.intercept_[0])) for m in (model, reference))
    if own.shape != other.shape:
        return np.inf
    return float(np.abs(own - other).max() / np.abs(other).max())


def main() -> None:
    """Print a line for each way."""
    beside = Path(__file__).parents[1].parent / "shared" / "data"
    folder = Path(os.environ.get("ZERONE_DATA", beside)) / "tables"
    frame = pd.read_csv(folder / "churn.csv.xz", keep_default_na=False, na_values=[""])
    n_read = n_same = n_comparable = 0
    for name, why, difference in tried(frame):
        n_read += why is None
        if not np.isnan(difference):
            n_comparable += 1
            n_same += difference < _SAME
        shown = "" if np.isnan(difference) else f"difference {difference:.1e}"
        print(f"{name:32s}{'read' if why is None else why:10.80s} {shown}", flush=True)
    print(f"{n_read} of {len(VARIANTS)} are read at the first try;")
    print(f"{n_same} of {n_comparable} with the same content give the same coefficients.")


if __name__ == "__main__":
    main()
