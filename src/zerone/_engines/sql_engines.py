"""What DuckDB and PostgreSQL do differently: quoting, types, transactions, lost connections.

A driver is imported only if a connection of it was passed, or to open a DuckDB file.
"""

import contextlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from zerone._data.containers import is_from
from zerone._errors import ArgumentError, ArgumentFileError, ArgumentTypeError
from zerone._sql_text import quoted_name


class SqlColumn(NamedTuple):
    """A column of a table; ``type`` is the engine's name of its type."""

    type: str
    is_number: bool
    is_boolean: bool


class Engine(ABC):
    """A connection, and the SQL dialect of its engine.

    Attributes
    ----------
    columns_at_once : int
        Most columns of a result.
    placeholder : str
        Marks a parameter in a query.
    fence : str
        Ends a sub-select whose expressions must be computed once per row, not at every use in the
        outer query.
    """

    columns_at_once: ClassVar[int]
    placeholder: ClassVar[str]
    fence: ClassVar[str]

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def identifier(self, name: str) -> str:
        """Return a quoted name."""
        return quoted_name(name)

    @property
    @abstractmethod
    def error(self) -> type[Exception]:
        """The base class of the driver's errors."""

    @abstractmethod
    def transaction(self) -> contextlib.AbstractContextManager[None]:
        """Return a read-only transaction in which all queries see the same rows."""

    @abstractmethod
    def columns(self, table: str) -> dict[str, SqlColumn]:
        """Return the columns of a table or view."""

    @abstractmethod
    def labels(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query without parameters, in the driver's own types."""

    @abstractmethod
    def sums(self, query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Return the rows of a query of numbers, with all digits."""

    def double(self, column: str, kind: SqlColumn) -> str:
        """Return an expression for a column of numbers or booleans in double precision."""
        return f"CAST({column} AS double precision)"

    def as_parameter(self, label: str) -> str:
        """Return an expression whose value, used as a parameter, equals the label."""
        return label

    @abstractmethod
    def interruption(self, error: Exception) -> str | None:
        """Return "lost" or "cancelled" if a query was interrupted, else None."""

    def is_out_of_range(self, error: Exception) -> bool:
        """Whether numbers that are too large or too small made a query fail."""
        return False


class DuckDB(Engine):
    """A DuckDB connection."""

    # There is no limit, but the products of a batch of rows should fit in the cache: with 1,000
    # columns each takes 1.4 times as long, and with 100 the overhead of a query shows.
    columns_at_once = 450
    placeholder = "?"
    # DuckDB computes common expressions once.
    fence = ""

    _NUMBER = re.compile(
        r"U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\)"
    )

    @property
    def error(self) -> type[Exception]:
        import duckdb

        kind: type[Exception] = duckdb.Error
        return kind

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        if self._is_in_transaction():
            yield
            return
        self._connection.execute("BEGIN TRANSACTION READ ONLY")
        try:
            yield
        finally:
            # Nothing was written. A closed connection raises, as it has no transaction.
            with contextlib.suppress(self.error):
                self._connection.execute("ROLLBACK")

    def _is_in_transaction(self) -> bool:
        # BEGIN would abort an open transaction. Without one, every query has its own number.
        query = "SELECT txid_current()"
        return self.labels(query) == self.labels(query)

    def columns(self, table: str) -> dict[str, SqlColumn]:
        described = self.labels(f"DESCRIBE SELECT * FROM {table}")
        return {
            name: SqlColumn(kind, self._NUMBER.fullmatch(kind) is not None, kind == "BOOLEAN")
            for name, kind, *_ in described
        }

    def labels(self, query: str) -> list[tuple[Any, ...]]:
        return self.sums(query, ())

    def sums(self, query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._connection.execute(query, parameters).fetchall()
        return rows

    def interruption(self, error: Exception) -> str | None:
        import duckdb

        if isinstance(error, duckdb.ConnectionException):
            return "lost"
        return "cancelled" if isinstance(error, duckdb.InterruptException) else None


class PostgreSQL(Engine):
    """A psycopg 3 connection."""

    # The server allows 1,664.
    columns_at_once = 1650
    placeholder = "%s"
    fence = "OFFSET 0"

    # Compiling a thousand sums takes ten times as long as computing them. extra_float_digits keeps
    # all digits of numbers cast to strings.
    _SETTINGS: ClassVar[dict[str, str]] = {"jit": "off", "extra_float_digits": "3"}
    _BOOLEAN = 16
    # int8, int2, int4, float4, float8, numeric.
    _NUMBERS = frozenset({20, 21, 23, 700, 701, 1700})

    def __init__(self, connection: Any) -> None:
        from psycopg import Cursor
        from psycopg.rows import tuple_row

        super().__init__(connection)
        # A cursor of its own: the user may have set other cursors or rows for the connection.
        self._cursor: Any = Cursor(connection, row_factory=tuple_row)

    def identifier(self, name: str) -> str:
        # The driver reads % as the start of a placeholder.
        return super().identifier(name).replace("%", "%%")

    @property
    def error(self) -> type[Exception]:
        import psycopg

        kind: type[Exception] = psycopg.Error
        return kind

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        from psycopg.pq import PipelineStatus, TransactionStatus

        if self._connection.info.pipeline_status != PipelineStatus.OFF:
            raise ArgumentError("connection", "is in pipeline mode", "leave pipeline mode first")
        status = self._connection.info.transaction_status
        if status == TransactionStatus.INERROR:
            raise ArgumentError("connection", "its transaction has failed", "roll it back first")
        # Inside a transaction this is a savepoint, so that an error leaves the outer one alive.
        with self._connection.transaction():
            if status == TransactionStatus.IDLE:
                self._run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            else:
                self._require_snapshot()
            before = self._set(self._SETTINGS)
            yield
            self._set(before)

    def _set(self, settings: dict[str, str]) -> dict[str, str]:
        """Change settings until the end of the transaction; return the old values."""
        before = {}
        for name, value in settings.items():
            found = self.labels(f"SELECT current_setting('{name}', true)")[0][0]
            if found is not None:
                before[name] = found
                self._run("SELECT set_config(%s, %s, true)", (name, value))
        return before

    def _require_snapshot(self) -> None:
        """Raise unless all queries of the open transaction see the same rows."""
        level = self.labels("SHOW transaction_isolation")[0][0]
        if level not in ("repeatable read", "serializable"):
            raise ArgumentError(
                "connection",
                f"is inside a transaction of isolation level {level!r}, in which rows may change "
                "between two queries",
                "commit it or roll it back first (without autocommit every SELECT opens one)",
            )

    def columns(self, table: str) -> dict[str, SqlColumn]:
        self._run(f"SELECT * FROM {table} LIMIT 0")
        return {
            column.name: SqlColumn(
                column.type_display,
                column.type_code in self._NUMBERS,
                column.type_code == self._BOOLEAN,
            )
            for column in self._cursor.description or ()
        }

    def labels(self, query: str) -> list[tuple[Any, ...]]:
        self._run(query)
        rows: list[tuple[Any, ...]] = self._cursor.fetchall()
        return rows

    def sums(self, query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        # Binary, because the server may round numbers that it sends as text.
        self._run(query, parameters, binary=True)
        rows: list[tuple[Any, ...]] = self._cursor.fetchall()
        return rows

    def _run(self, query: str, parameters: Sequence[Any] = (), binary: bool = False) -> None:
        # Prepared statements would remain on the server.
        self._cursor.execute(query, parameters, prepare=False, binary=binary)

    def double(self, column: str, kind: SqlColumn) -> str:
        # PostgreSQL cannot cast booleans to double precision.
        return super().double(f"CAST({column} AS integer)" if kind.is_boolean else column, kind)

    def as_parameter(self, label: str) -> str:
        # A string parameter is read as the type of the column, which is exact also for float4;
        # Python would return such a label as a different float8.
        return f"CAST({label} AS text)"

    def interruption(self, error: Exception) -> str | None:
        from psycopg.errors import QueryCanceled

        if self._connection.closed:
            return "lost"
        return "cancelled" if isinstance(error, QueryCanceled) else None

    def is_out_of_range(self, error: Exception) -> bool:
        from psycopg.errors import NumericValueOutOfRange

        return isinstance(error, NumericValueOutOfRange)


@contextlib.contextmanager
def opened_engine(connection: Any) -> Iterator[Engine]:
    """Choose the engine of a connection, or open a DuckDB file and close it afterwards."""
    if isinstance(connection, str | PathLike):
        with contextlib.closing(_opened_file(Path(connection))) as opened:
            yield DuckDB(opened)
    elif is_from(connection, "_duckdb", "DuckDBPyConnection") or is_from(
        connection, "duckdb", "DuckDBPyConnection"
    ):
        yield DuckDB(connection)
    elif is_from(connection, "psycopg", "Connection"):
        yield PostgreSQL(connection)
    else:
        kind = type(connection)
        raise ArgumentTypeError(
            "connection",
            f"got {kind.__module__}.{kind.__qualname__}, expected a connection of DuckDB "
            "(duckdb.connect), a connection of PostgreSQL (psycopg.connect of psycopg 3, not "
            "asynchronous), or the path of a DuckDB file",
        )


def _opened_file(path: Path) -> Any:
    """Open a DuckDB file for reading."""
    if not path.is_file():
        raise ArgumentFileError(
            "connection",
            f"there is no file {str(path)!r}",
            "check the path; for PostgreSQL pass a connection of psycopg",
        )
    import duckdb

    try:
        return duckdb.connect(path, read_only=True)
    except duckdb.Error as error:
        raise ArgumentError(
            "connection",
            f"{str(path)!r} cannot be opened as a DuckDB file ({error})",
            "check the path",
        ) from error
