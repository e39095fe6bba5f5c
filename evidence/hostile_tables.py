"""Tables that SQL is likely to read otherwise than `predict`, and the engines that read them."""

import datetime
import sqlite3
import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

from zerone import AUCClassifier, ZeroOneClassifier

N_TRAINING = 160
ROW = "zerone row"

_NAMES = (
    'a "b"', "select", "Order", "naïve", "日本", "back\\slash", "it's", "`tick`", "semi;--", "%s",
    ":name", "{x}", "$1", "a.b", " lead", "x" * 63, "emoji😀", "null", "true", "1", "a]b",
    "line\nbreak", "tab\t", "from", "group", "zerone_z0", "--", "/* c */", "?", "a'b\"c`d", "𝒙",
)  # fmt: skip
# In some databases these cannot be told apart, are cut, or may be replaced.
_REFUSED_NAMES = ("x" * 200, "${env:HOME}", "Select", "FROM")
_LEVELS = (
    "1", "1.0", "01", "1e0", "0", "-0", "0.0", "-1", "2.5", "2.50", ".5", "1e5", "100000", "inf",
    "Infinity", "True", "true", "TRUE", "False", "false", "t", "f", "yes", "it's", "''", "ß",
    'say "hi"', "back\\slash", "\\", "\\'", "\\\\", "\\n", "\\u0041", "%", "_", "a%b", "--",
    "/* */",
    ";", "naïve", "NAÏVE", "nai\u0308ve", "日本", "😀", "e\u0301", "é", "select", "NULL!", "null?",
    "x" * 5000, "a b", "A B", "a  b", "a\tb", "a\nb", "${env:HOME}", "$1", "{x}", ":a", "?x", "SS",
    "ss", "I", "ı", "i", "İ", "\ufeffa", "a", "A", "0x1", "1_000", "1,000", "٣", "½",
    "9007199254740993", "-NA", "\\N\\N", "a\u0085b", "x" * 4999 + "y", "\u200b",
)  # fmt: skip
_OTHER_SPELLINGS = (
    "\\N", "?", "", "NA", " NaN ", "nan", "NaT", "\t1\n", "\u00a01\u3000", " True", "\u200b1",
    "n/a", "None", "NULL", "N", "unheard of", "1.00", "\x1f", "2020-01-05", "\u2003it's\u2028",
)  # fmt: skip
_EXTREME = (1e300, 1e308, -1e308, 1.7976931348623157e308, -1.7976931348623157e308)
_NUMBERS = (
    0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e-300, 9007199254740993.0, 1e22, 0.1, 1 / 3,
    np.nan, np.inf, -np.inf,
)  # fmt: skip
_FLOATS = (0.1, 1.0, -0.0, 2.5, 1e6, 1e-5, -3.0, 1e16, 0.3, 1e22, 123456.789, -1e-7)
_INTEGERS = (0, 1, -1, 2**53 + 1, -(2**63), 2**63 - 1, 10, 100)


@dataclass
class HostileTable:
    """A classifier, and rows to predict.

    Attributes
    ----------
    model : ZeroOneClassifier or AUCClassifier
    rows : data frame
        Without what makes scores overflow.
    extreme : data frame
        Rows with the largest numbers that there are.
    """

    model: Any
    rows: pd.DataFrame
    extreme: pd.DataFrame

    def predicted(self, rows: pd.DataFrame) -> list[Any]:
        """Return the labels of some rows."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: list[Any] = self.model.predict(rows).tolist()
            return found


def hostile_table(seed: int, *, is_ansi: bool = False) -> HostileTable:
    """Return a table of some seed; mostly without what ANSI SQL refuses if it is for that."""
    return _Maker(np.random.default_rng(seed), is_ansi).table()


class _Maker:
    """Makes one table: columns for training, and the same with other rows."""

    def __init__(self, rng: np.random.Generator, is_ansi: bool) -> None:
        self.rng = rng
        self.is_strict = rng.random() < 0.15
        self.is_ansi = is_ansi and rng.random() < 0.9
        self.categorical: list[str] = []
        self.extreme: list[str] = []

    def table(self) -> HostileTable:
        rng = self.rng
        names = [str(own) for own in rng.permutation(_NAMES)]
        if rng.random() < 0.1:
            names.insert(0, str(rng.choice(_REFUSED_NAMES)))
        n_columns = int(rng.integers(3, 7))
        training, rows = {}, {}
        for name in names[:n_columns]:
            kinds = ["strings", "strings", "numbers", "counts", "singles"]
            if not self.is_ansi:
                kinds += ["floats", "integers", "booleans", "flags"]
                kinds += ["days", "times"] * (not self.is_strict)
            kind = str(rng.choice(kinds))
            training[name], rows[name] = getattr(self, f"_{kind}")(name)
        names_ = names[n_columns]
        training[names_], rows[names_] = self._numbers(names_)
        frame = pd.DataFrame(training)
        y = self._target(frame)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = self._fitted(frame, y)
        found = pd.DataFrame(rows)
        return HostileTable(model, found, self._extreme_rows(found))

    def _fitted(self, frame: pd.DataFrame, y: Any) -> Any:
        kind = AUCClassifier if self.rng.random() < 0.2 else ZeroOneClassifier
        options = {"refine": None} if self.rng.random() < 0.8 else {}
        shapes = "bends" if self.rng.random() < 0.3 and not self.is_strict else None
        model = kind(**options) if shapes is None else kind(shapes=shapes, **options)
        target = "the target"
        spelled = ["yes"] if self.is_ansi else ["yes", "100000"]
        null_values = spelled if self.rng.random() < 0.2 and not self.is_strict else []
        return model.fit_table(
            frame.assign(**{target: y}), target=target, categorical=self.categorical,
            keep=[*frame.columns], strict=self.is_strict, null_values=null_values,
        )  # fmt: skip

    def _target(self, frame: pd.DataFrame) -> Any:
        odds = self.rng.normal(size=len(frame))
        for name in frame:
            codes = pd.factorize(frame[name])[0] % 5
            odds = odds + self.rng.normal() * codes
        n_classes = 3 if self.rng.random() < 0.3 else 2
        codes = np.digitize(odds, np.quantile(odds, np.arange(1, n_classes) / n_classes))
        labels: list[Any] = [
            ["it's", "back\\slash", "日本"], [0, 1, 2], [False, True, True], [-5, 7, 2**40],
            ["1", "1.0", "true"],
        ][int(self.rng.integers(5))]  # fmt: skip
        if n_classes == 3 and labels[2] is True:
            labels = [0, 1, 2]
        return np.array(labels[:n_classes])[codes]

    def _extreme_rows(self, rows: pd.DataFrame) -> pd.DataFrame:
        found = rows.head(len(_EXTREME) * 2).copy()
        for name in self.extreme:
            found[name] = self.rng.choice(_EXTREME, len(found))
        return found if self.extreme else found.head(0)

    # -- kinds of columns: cells for training, and for prediction -------------------------------

    def _cells(self, levels: Any, n: int) -> list[Any]:
        return [levels[own] for own in self.rng.integers(0, len(levels), n)]

    def _strings(self, name: str) -> tuple[Any, Any]:
        self.categorical.append(name)
        levels = [*self.rng.permutation(_LEVELS)]
        if self.is_ansi:
            levels = [own for own in levels if not _may_be_typed(own)]
        levels = [str(own) for own in levels[: self.rng.integers(2, 8)]]
        training = [*levels, *self._cells(levels, N_TRAINING - len(levels))]
        if self.is_strict:
            return _text(training), _text([*levels, *self._cells(_LEVELS, 60 - len(levels))])
        if self.rng.random() < 0.5:
            training[-5:] = ["?", None, "", "NA", "\\N"]
        kind = self.rng.random()
        if kind < 0.15:
            # The database may have another type than the table of training.
            return _text(training), np.array(self._cells((0, 1, -1, 100000), 60))
        if kind < 0.25:
            return _text(training), self.rng.random(60) < 0.5
        if kind < 0.4:
            return _text(training), np.array(self._cells((*_FLOATS, np.nan, np.inf), 60))
        others = [*levels, *_OTHER_SPELLINGS, None, *(f" {own}\t" for own in levels)]
        return _text(training), _text(self._cells([*others, *_LEVELS], 60))

    def _floats(self, name: str) -> tuple[Any, Any]:
        self.categorical.append(name)
        levels = self.rng.permutation(_FLOATS)[: self.rng.integers(2, 6)].tolist()
        missing = [] if self.is_strict else [np.nan]
        training = [*levels, *self._cells([*levels, *missing], N_TRAINING - len(levels))]
        if self.rng.random() < 0.3 and not self.is_strict:
            spelled = ["1", "1.0", "0.1", "0.10", "-0.0", "0", "1e5", "100000", "2.5", None]
            return np.array(training), _text(self._cells(spelled, 60))
        return np.array(training), np.array(self._cells([*_FLOATS, *missing], 60))

    def _integers(self, name: str) -> tuple[Any, Any]:
        self.categorical.append(name)
        levels = self.rng.permutation(_INTEGERS)[: self.rng.integers(2, 6)].tolist()
        training = [*levels, *self._cells(levels, N_TRAINING - len(levels))]
        return np.array(training), np.array(self._cells(_INTEGERS, 60))

    def _booleans(self, name: str) -> tuple[Any, Any]:
        self.categorical.append(name)
        return self.rng.random(N_TRAINING) < 0.5, self.rng.random(60) < 0.5

    def _flags(self, name: str) -> tuple[Any, Any]:
        return self.rng.random(N_TRAINING) < 0.5, self.rng.random(60) < 0.5

    def _numbers(self, name: str) -> tuple[Any, Any]:
        training = self.rng.normal(size=N_TRAINING)
        rows = self.rng.normal(size=60)
        self.extreme.append(name)
        if not self.is_strict:
            rows[:30] = self._cells(_NUMBERS, 30)
            if self.rng.random() < 0.5:
                training[:10] = np.nan
        return training, rows

    def _counts(self, name: str) -> tuple[Any, Any]:
        return self.rng.integers(-50, 50, N_TRAINING), np.array(self._cells(_INTEGERS, 60))

    def _singles(self, name: str) -> tuple[Any, Any]:
        return (
            self.rng.normal(size=N_TRAINING).astype(np.float32),
            self.rng.normal(size=60).astype(np.float32),
        )

    def _days(self, name: str) -> tuple[Any, Any]:
        days = np.datetime64("2019-01-01") + self.rng.integers(0, 900, N_TRAINING)
        rows = np.datetime64("1969-01-01") + self.rng.integers(0, 30_000, 60)
        return days.astype("datetime64[s]"), rows.astype("datetime64[s]")

    def _times(self, name: str) -> tuple[Any, Any]:
        start = np.datetime64("2019-01-01T00:00:00", "ms")
        times = start + self.rng.integers(0, 10**11, N_TRAINING)
        rows = start + self.rng.integers(0, 10**12, 60)
        if self.rng.random() < 0.5:
            written = [*np.datetime_as_string(rows[:50]), *("2020-02-31 10:00",) * 5, *("NA", None)]
            spelled = [None if own is None else str(own).replace("T", " ") for own in written]
            days = np.datetime_as_string(times.astype("datetime64[s]"))
            return _text([str(own) for own in days]), _text([*spelled, "-", "..", "unknown"])
        return times, rows


def _may_be_typed(level: str) -> bool:
    """Whether a level may be a number or a boolean, too."""
    try:
        float(level)
    except ValueError:
        return level.lower() in ("true", "false")
    return True


def _text(cells: list[Any]) -> Any:
    found = np.empty(len(cells), dtype=object)
    found[:] = cells
    return found


# -- engines -------------------------------------------------------------------------------------


class SqlEngine(ABC):
    """Something that evaluates an expression over the rows of a frame."""

    dialect: str

    @abstractmethod
    def answers(self, rows: pd.DataFrame, expression: str) -> list[Any]:
        """Return the value of an expression for each row, in order."""

    def held(self, rows: pd.DataFrame, model: Any) -> pd.DataFrame:
        """Return rows as the engine holds them."""
        return rows


def _kind(values: Any) -> str:
    kind = str(values.dtype)
    return kind if kind in ("bool", "int64", "float64", "float32") else values.dtype.kind


def _python(rows: pd.DataFrame) -> list[list[Any]]:
    """Return cells as drivers take them: NaN stays, and None is NULL."""
    columns = []
    for name in rows:
        values = rows[name]
        if values.dtype.kind == "M":
            columns.append([own.to_pydatetime() for own in values])
        else:
            columns.append(
                [None if own is None or own is pd.NA else own for own in values.tolist()]
            )
            if values.dtype.kind not in "biuf":
                columns[-1] = [own if isinstance(own, str) else None for own in columns[-1]]
    return [[number, *cells] for number, cells in enumerate(zip(*columns, strict=True))]


@dataclass
class DuckDBEngine(SqlEngine):
    """DuckDB in this process."""

    connection: Any
    dialect: str = "duckdb"

    def answers(self, rows: pd.DataFrame, expression: str) -> list[Any]:
        """Return the value of an expression for each row, in order."""
        cells = [*zip(*_python(rows), strict=True)]
        types = {"bool": pa.bool_(), "int64": pa.int64(), "float64": pa.float64()}
        types |= {"float32": pa.float32(), "M": pa.timestamp("us")}
        arrays = [pa.array(cells[0])]
        for name, own in zip(rows, cells[1:], strict=True):
            arrays.append(
                pa.array(own, types.get(_kind(rows[name]), pa.string()), from_pandas=False)
            )
        table = pa.table(arrays, names=[ROW, *rows.columns])
        self.connection.register("hostile", table)
        found = self.connection.execute(f'SELECT {expression} FROM hostile ORDER BY "{ROW}"')
        return [own for (own,) in found.fetchall()]


class _Tables(SqlEngine):
    """A database that has to be filled."""

    types: ClassVar[dict[str, str]]
    mark: ClassVar[str]
    connection: Any

    def answers(self, rows: pd.DataFrame, expression: str) -> list[Any]:
        """Return the value of an expression for each row, in order."""
        run, types = self.connection.execute, self.types
        quoted = ['"' + name.replace('"', '""') + '"' for name in (ROW, *rows.columns)]
        kinds = ["bigint", *(types.get(_kind(rows[own]), types["O"]) for own in rows)]
        listed = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, kinds, strict=True))
        run("DROP TABLE IF EXISTS hostile")
        run(f"CREATE TABLE hostile ({listed})")
        marks = ", ".join([self.mark] * len(quoted))
        cursor = self.connection.cursor()
        cursor.executemany(f"INSERT INTO hostile VALUES ({marks})", self._cells(rows))
        found = run(f'SELECT {expression} FROM hostile ORDER BY "{ROW}"').fetchall()
        return [own for (own,) in found]

    def _cells(self, rows: pd.DataFrame) -> list[list[Any]]:
        return _python(rows)


@dataclass
class PostgresEngine(_Tables):
    """A connection of psycopg in autocommit mode."""

    connection: Any
    dialect: str = "postgresql"
    types: ClassVar[dict[str, str]] = {
        "bool": "boolean", "int64": "bigint", "float64": "double precision", "float32": "real",
        "M": "timestamp", "O": "text",
    }  # fmt: skip
    mark: ClassVar[str] = "%s"


@dataclass
class SQLiteEngine(_Tables):
    """A connection of sqlite3."""

    connection: Any
    dialect: str = "sqlite"
    types: ClassVar[dict[str, str]] = {
        "bool": "INTEGER", "int64": "INTEGER", "float64": "REAL", "float32": "REAL", "O": "TEXT",
    }  # fmt: skip
    mark: ClassVar[str] = "?"

    def held(self, rows: pd.DataFrame, model: Any) -> pd.DataFrame:
        """Return rows with 1 and 0 for booleans, but in columns of nothing but True and False."""
        integers = [
            column.name
            for column in model.encoding_.columns
            if rows[column.name].dtype.kind == "b"
            and not {*getattr(column, "categories", ())} <= {"True", "False"}
        ]
        return rows.astype(dict.fromkeys(integers, "int64"))

    def _cells(self, rows: pd.DataFrame) -> list[list[Any]]:
        return [
            [str(own) if isinstance(own, datetime.datetime) else own for own in cells]
            for cells in super()._cells(rows)
        ]


def sqlite_engine() -> SQLiteEngine:
    """Return an engine with an empty database in memory."""
    return SQLiteEngine(sqlite3.connect(":memory:"))


@dataclass
class SparkEngine(SqlEngine):
    """A session of Spark."""

    session: Any
    dialect: str = "spark"

    def answers(self, rows: pd.DataFrame, expression: str) -> list[Any]:
        """Return the value of an expression for each row, in order."""
        from pyspark.sql import types as t

        kinds = {
            "bool": t.BooleanType(), "int64": t.LongType(), "float64": t.DoubleType(),
            "float32": t.FloatType(), "M": t.TimestampNTZType(),
        }  # fmt: skip
        fields = [t.StructField(ROW, t.LongType())]
        fields += [t.StructField(n, kinds.get(_kind(rows[n]), t.StringType())) for n in rows]
        cells = [[number, *own] for number, *own in _python(rows)]
        frame = self.session.createDataFrame(cells, t.StructType(fields)).coalesce(1)
        frame.createOrReplaceTempView("hostile")
        found = self.session.sql(f"SELECT `{ROW}`, {expression} AS zerone_found FROM hostile")
        return [row[1] for row in sorted(found.collect(), key=lambda row: row[0])]
