"""Moments of a table in a database: the database sums its rows, and only sums leave it.

One transaction has three kinds of queries. They return the classes; the mean of every feature in
each class, which becomes the shift; and the sums of differences from the shift and of their
products, so that means far from zero cost no digits. A result has a limited number of columns, so
that many features take several queries (tiles), each for a few features.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from zerone._data.table_options import TableOptions
from zerone._engines.sql_checks import MOST_CLASSES, checked_labels, require_weights, table_parts
from zerone._engines.sql_engines import Engine, SqlColumn, opened_engine
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._kernels.accumulate import Shifted
from zerone._kernels.dense import FeatureError, finish
from zerone._moments.moments import Moments
from zerone._typing import FloatArray, IntArray

# Largest difference of two sums of the same rows, relative to their largest possible value.
_SAME_SUM = 1e-9
# Columns before the sums in every result: the number of the class and its rows.
_HEAD = 2


def moments_from_sql(
    connection: Any, table: str | tuple[str, ...], options: TableOptions
) -> Moments:
    """Return the moments of a table in a database; see `Moments.from_sql` for the parameters."""
    parts = table_parts(table)
    if options.target is None:
        raise ArgumentTypeError("target", "got None, expected the name of a column, a string")
    with opened_engine(connection) as engine:
        scan = _Scan(engine, ".".join(map(engine.identifier, parts)))
        try:
            with engine.transaction():
                scan.look(options)
                scan.find_classes()
                sums = scan.sums_around(scan.means())
        except engine.error as error:
            failure = scan.failure(error)
            if failure is None:
                raise
            raise failure from error
    try:
        by_class = [finish(own) for own in sums]
    except FeatureError as error:
        raise ArgumentError("columns", f"{scan.names[error.feature]!r} {error.problem}") from None
    return Moments(dict(zip(scan.labels, by_class, strict=True)), tuple(scan.names))


class _Scan:
    """The queries for one table, and their results so far."""

    def __init__(self, engine: Engine, table: str) -> None:
        self.engine = engine
        self.table = table
        self.names: list[str] = []
        self.labels: list[Any] = []
        self._n_asked = 0
        self._n_planned: int | None = None

    def look(self, options: TableOptions) -> None:
        """Find the columns; raises if a name or a type is wrong."""
        self._n_asked += 1
        available = self.engine.columns(self.table)
        self.names = options.feature_columns(list(available))
        target, weight = options.target, options.weight
        assert target is not None, "checked by the caller"
        self._target_name = target
        self._target = self._column(target)
        self._features = [self._number("columns", name, available[name]) for name in self.names]
        self._weight_name = weight
        self._weight = None if weight is None else self._number("weight", weight, available[weight])
        most = self.engine.columns_at_once - _HEAD
        n = len(self.names)
        self._parts = np.array_split(np.arange(n), -(-2 * n // most))
        self._tiles = _tiles(n, most)
        self._n_planned = 2 + len(self._parts) + len(self._tiles)

    def find_classes(self) -> None:
        """Find the labels and count their rows; raises if a label or a weight is wrong."""
        engine = self.engine
        weighed = ", min(row_weight), sum(row_weight), count(row_weight)" if self._weight else ""
        present = self._rows(f"{self._target} AS label", [])
        self._n_asked += 1
        rows = engine.labels(
            f"SELECT label, {engine.as_parameter('label')}, count(*){weighed} "
            f"FROM ({present}) AS present GROUP BY label LIMIT {MOST_CLASSES + 1}"
        )
        if self._weight_name is not None:
            require_weights(self._weight_name, rows)
        self.labels = checked_labels(self._target_name, rows)
        self._parameters = [row[1] for row in rows]
        self._counts = [row[2] for row in rows]
        self._weights = [float(row[4] if self._weight else row[2]) for row in rows]

    def means(self) -> FloatArray:
        """Return the mean of every class; raises if a value is missing or not finite."""
        means = np.empty((len(self.labels), len(self.names)))
        n_missing = np.zeros(len(self.names), dtype=np.int64)
        value, total = ("row_weight * ", "sum(row_weight)") if self._weight else ("", "count(*)")
        for part in self._parts:
            # Exact for constant features, so that their variance is exactly zero.
            asked = [
                f"count(x{i}), CASE WHEN min(x{i}) = max(x{i}) THEN min(x{i}) "
                f"ELSE sum({value}x{i}) / {total} END"
                for i in part
            ]
            present = self._rows(self._class_number(), part)
            for index, row in self._sums_by_class(asked, present):
                n_missing[part] += self._counts[index] - np.array(row[::2], dtype=np.int64)
                means[index, part] = np.array(row[1::2], dtype=float)
        for name, n in zip(self.names, n_missing.tolist(), strict=True):
            if n:
                raise ArgumentError(
                    "columns",
                    f"{name!r} is NULL in {n} rows",
                    "fill it with COALESCE in a view, or ⟨leave out⟩",
                )
        for name, values in zip(self.names, means.T, strict=True):
            if not np.isfinite(values).all():
                raise ArgumentError(
                    "columns",
                    f"{name!r} contains NaN or infinity (or overflows float64)",
                    "replace them in a view, or ⟨leave out⟩",
                )
        return means

    def sums_around(self, shifts: FloatArray) -> list[Shifted]:
        """Return the sums over the rows of every class, around its shift."""
        n_classes, d = shifts.shape
        sums, scatter = np.empty((n_classes, d)), np.empty((n_classes, d, d))
        again: list[tuple[int, IntArray, FloatArray]] = []
        for first, second in self._tiles:
            if first is second:
                i, j = (first[positions] for positions in np.triu_indices(len(first)))
                used, own = first, first
            else:
                i, j = (pairs.ravel() for pairs in np.meshgrid(first, second, indexing="ij"))
                used, own = np.concatenate([first, second]), first[:0]
            left = "weighted" if self._weight else "d"
            # One sum of each group is repeated, to check that the rows are still the same.
            summed = own if own.size else np.array([first[0], second[0]])
            asked = [f"sum({left}{k})" for k in summed]
            asked += [f"sum({left}{k} * d{m})" for k, m in zip(i, j, strict=True)]
            weighted = used if summed is not own else first
            for index, row in self._sums_by_class(asked, self._differences(shifts, used, weighted)):
                scatter[index, i, j] = scatter[index, j, i] = row[len(summed) :]
                if own.size:
                    sums[index, own] = row[: len(own)]
                else:
                    again.append((index, summed, np.array(row[: len(summed)], dtype=float)))
        self._require_same_rows(sums, scatter, again)
        return [
            Shifted(weight, *own)
            for weight, *own in zip(
                self._weights, shifts, sums / np.array(self._weights)[:, None], scatter, strict=True
            )
        ]

    def _require_same_rows(
        self,
        sums: FloatArray,
        scatter: FloatArray,
        again: list[tuple[int, IntArray, FloatArray]],
    ) -> None:
        """Raise if repeated sums differ by more than rounding."""
        for index, columns, found in again:
            spread = np.sqrt(self._weights[index] * scatter[index, columns, columns])
            if (np.abs(found - sums[index, columns]) > _SAME_SUM * spread).any():
                raise _other_rows()

    def failure(self, error: Exception) -> Exception | None:
        """Return the error to raise for an error of the driver; None for that error itself."""
        query = f"query {max(self._n_asked, 1)}"
        if self._n_planned is not None:
            query += f" of {self._n_planned}"
        reason = str(error).strip()
        match self.engine.interruption(error):
            case "lost":
                return ConnectionError(
                    f"connection: lost in {query} ({reason}), no sums were kept; connect again and "
                    "call again"
                )
            case "cancelled":
                return ConnectionError(
                    f"connection: {query} was cancelled ({reason}), no sums were kept; call again"
                )
        if self.engine.is_out_of_range(error):
            return ArgumentError(
                "columns",
                "numbers, or products of their differences from the mean, are too large or too "
                f"small for float64 ({reason})",
                "rescale them in a view",
            )
        return ArgumentError("table", f"cannot be read: {reason}") if self._n_asked == 1 else None

    # -- parts of queries --------------------------------------------------------------------

    def _sums_by_class(
        self, asked: list[str], sub_select: str
    ) -> list[tuple[int, tuple[Any, ...]]]:
        """Return the results of a query over a sub-select, with the number of the class."""
        self._n_asked += 1
        rows = self.engine.sums(
            f"SELECT class_number, count(*), {', '.join(asked)} "
            f"FROM ({sub_select} {self.engine.fence}) AS summed GROUP BY class_number",
            self._parameters,
        )
        found = {number: count for number, count, *_ in rows}
        if found != dict(enumerate(self._counts)):
            raise _other_rows(
                f"; if no row changes, the labels of {self._target_name!r} cannot be compared: "
                "convert them to integers or strings in a view"
            )
        return [(row[0], row[_HEAD:]) for row in rows]

    def _class_number(self) -> str:
        equal = f"{self._target} = {self.engine.placeholder}"
        cases = " ".join(f"WHEN {equal} THEN {index}" for index in range(len(self.labels)))
        return f"CASE {cases} END AS class_number"

    def _rows(self, first: str, features: Sequence[int] | IntArray) -> str:
        """Return a select of ``first``, the weight and some features, of rows with a weight."""
        selected = [first, *(f"{self._features[i]} AS x{i}" for i in features)]
        where = ""
        if self._weight:
            selected.append(f"{self._weight} AS row_weight")
            where = f" WHERE {self._weight} IS DISTINCT FROM 0"
        return f"SELECT {', '.join(selected)} FROM {self.table} AS source{where}"

    def _differences(self, shifts: FloatArray, used: IntArray, first: IntArray) -> str:
        """Return a select of differences from the class shift, for ``first`` also weighted."""
        listed = ", ".join(
            f"({', '.join([str(index), *map(_literal, shift)])})"
            for index, shift in enumerate(shifts[:, used].tolist())
        )
        moved = [f"present.x{i} - shifts.s{i} AS d{i}" for i in used]
        if self._weight:
            moved += [f"row_weight * (present.x{i} - shifts.s{i}) AS weighted{i}" for i in first]
        # Every row has a shift, but for an inner join PostgreSQL would expect few rows and sort
        # them.
        return (
            f"SELECT present.class_number, {', '.join(moved)} "
            f"FROM ({self._rows(self._class_number(), used)}) AS present "
            f"LEFT JOIN (VALUES {listed}) AS shifts(class_number, "
            f"{', '.join(f's{i}' for i in used)}) ON present.class_number = shifts.class_number"
        )

    def _column(self, name: str) -> str:
        return f"source.{self.engine.identifier(name)}"

    def _number(self, argument: str, name: str, column: SqlColumn) -> str:
        """Return a column in double precision; raises if it does not hold numbers or booleans."""
        if not (column.is_number or column.is_boolean):
            raise ArgumentTypeError(
                argument,
                f"column {name!r} has type {column.type}, expected numbers or booleans",
                "convert it to numbers in a view, or leave it out",
            )
        return self.engine.double(self._column(name), column)


def _other_rows(more_advice: str = "") -> ValueError:
    return ArgumentError(
        "table",
        "returns different rows to different queries, like a view with random rows or a LIMIT",
        f"write its rows to a table first{more_advice}",
    )


def _tiles(n_features: int, most: int) -> list[tuple[IntArray, IntArray]]:
    """Return pairs of groups of features that cover all products, at most ``most`` per pair."""
    n_groups = 1
    if n_features * (n_features + 3) // 2 > most:
        n_groups = next(n for n in itertools.count(2) if (-(-n_features // n)) ** 2 + 2 <= most)
    groups = np.array_split(np.arange(n_features), n_groups)
    return list(itertools.combinations_with_replacement(groups, 2))


def _literal(value: float) -> str:
    return f"CAST('{value!r}' AS double precision)"
