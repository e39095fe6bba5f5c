"""Parquet: files or a folder; names of folders such as year=2026 become columns."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import dataset, types

from zerone._data.arrow_values import is_string, same_kind
from zerone._data.readers.source import START, Position, TablePart, file_identity, rows_per_part
from zerone._errors import ArgumentError

# Small row groups are read together, with rows for this many parts.
_PARTS_PER_RUN = 8
_EXTENSIONS = (".parquet", ".pq")


class ParquetSource:
    """Files with the same schema, or a folder of them, read row group by row group.

    The footers of all files are read first, so that a damaged file or another schema is found
    before hours of work.
    """

    is_rereadable = True
    facts = None

    def __init__(self, paths: Sequence[Path]) -> None:
        is_folder = len(paths) == 1 and paths[0].is_dir()
        self._files = _files_within(paths[0]) if is_folder else list(paths)
        self.schema: Any = None
        self._n_rows: list[int] = []
        for file in self._files:
            self._check(file)
        self._total = sum(self._n_rows)
        self._partitions: list[dict[str, Any]] = [{} for _ in self._files]
        self._key_types: dict[str, Any] = {}
        if is_folder:
            self._partitions, self._key_types = _partition_keys(self._files, paths[0])
        schema: Any = self.schema
        for name, arrow_type in self._key_types.items():
            if name not in schema.names:
                schema = schema.append(pa.field(name, arrow_type))
        self.schema = schema

    @property
    def identity(self) -> Any:
        """Names, sizes and modification times of the files."""
        return file_identity(self._files)

    def parts(self, columns: Sequence[str], start: Position = START) -> Iterator[TablePart]:
        """Yield the rows from a position on, with some of the columns."""
        first_file, _, first_row = start
        before = sum(self._n_rows[:first_file]) + first_row
        for number in range(first_file, len(self._files)):
            row = first_row if number == first_file else 0
            for rows in self._rows_of(number, columns, row):
                where = f"{str(self._files[number])!r} from row {row}"
                row += rows.num_rows
                before += rows.num_rows
                share = before / self._total if self._total else 1.0
                yield TablePart(rows, where, (number, row, row), share)

    def _rows_of(self, number: int, columns: Sequence[str], skipped: int) -> Iterator[Any]:
        """Yield the rows of one file after the first ``skipped`` ones."""
        path, keys = self._files[number], self._partitions[number]
        strings = [f.name for f in self.schema if is_string(f.type) and f.name not in keys]
        step = rows_per_part(len(columns))
        stored = [name for name in columns if name not in keys]
        try:
            # pre_buffer=False: only the bytes of a batch are in memory, not the whole file.
            with pq.ParquetFile(path, pre_buffer=False, read_dictionary=strings) as file:
                for groups, n_rows in _runs(file.metadata, _PARTS_PER_RUN * step):
                    if skipped >= n_rows:
                        skipped -= n_rows
                        continue
                    for batch in file.iter_batches(step, row_groups=groups, columns=stored):
                        rows = batch.slice(skipped)
                        skipped = max(0, skipped - batch.num_rows)
                        if rows.num_rows:
                            yield self._with_keys(rows, keys, columns)
        except (pa.ArrowException, OSError) as error:
            raise ArgumentError(
                "source",
                f"{str(path)!r} is damaged, or changed while it was read ({error})",
                "write it again",
            ) from None

    def _with_keys(self, rows: Any, keys: dict[str, Any], columns: Sequence[str]) -> Any:
        """Return a batch with the columns from its folder names, in the given order."""
        arrays = [
            pa.repeat(pa.scalar(keys[name], self._key_types[name]), rows.num_rows)
            if name in keys
            else rows.column(name)
            for name in columns
        ]
        return pa.RecordBatch.from_arrays(arrays, names=list(columns))

    def _check(self, path: Path) -> None:
        """Read a file's footer and compare its schema with that of the first file."""
        try:
            with pq.ParquetFile(path) as file:
                schema, n_rows = file.schema_arrow, file.metadata.num_rows
        except (pa.ArrowException, OSError) as error:
            raise ArgumentError(
                "source",
                f"{str(path)!r} is not a complete Parquet file ({error})",
                "write it again or take it out of the folder",
            ) from None
        self._n_rows.append(n_rows)
        if self.schema is None:
            self.schema = schema
            return
        for name in {*self.schema.names, *schema.names}:
            pair = [s.field(name).type if name in s.names else None for s in (self.schema, schema)]
            if pair[0] is None or pair[1] is None or not same_kind(*pair):
                raise ArgumentError(
                    "source",
                    f"the schema changes between files: column {name!r} is {pair[0] or 'absent'} "
                    f"in {str(self._files[0])!r} and {pair[1] or 'absent'} in {str(path)!r}",
                    "convert one of them, or read them separately and add the moments",
                )
            if types.is_null(pair[0]):
                # A column with only missing values has no type; the other file decides.
                at = self.schema.get_field_index(name)
                self.schema = self.schema.set(at, schema.field(name))


def _runs(metadata: Any, least: int) -> Iterator[tuple[list[int], int]]:
    """Yield consecutive row groups with at least ``least`` rows in total, and their rows.

    Parts are counted from the start of a run, so that they are the same wherever reading starts.
    """
    groups: list[int] = []
    n_rows = 0
    for group in range(metadata.num_row_groups):
        groups.append(group)
        n_rows += metadata.row_group(group).num_rows
        if n_rows >= least or group == metadata.num_row_groups - 1:
            yield groups, n_rows
            groups, n_rows = [], 0


def _files_within(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder and its subfolders, in a fixed order."""
    inside = [file.relative_to(folder) for file in folder.rglob("*") if file.is_file()]
    # As in other libraries, names that begin with a dot or an underscore are not data.
    listed = sorted(name for name in inside if not any(p[0] in "._" for p in name.parts))
    other = [name for name in listed if name.suffix not in _EXTENSIONS]
    if other:
        raise ArgumentError(
            "source",
            f"{str(folder / other[0])!r} does not have the file extension of a Parquet file",
            f"keep only files with the extension {' or '.join(_EXTENSIONS)} in the folder",
        )
    if not listed:
        problem = f"there is no Parquet file in {str(folder)!r}"
        raise ArgumentError("source", problem, "check the path")
    return [folder / name for name in listed]


def _partition_keys(files: list[Path], folder: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return values and types of the columns in folder names such as ``year=2026``."""
    found = dataset.dataset(
        [str(file) for file in files],
        format="parquet",
        partitioning=dataset.partitioning(flavor="hive"),
        partition_base_dir=str(folder),
    )
    keys = [dataset.get_partition_keys(f.partition_expression) for f in found.get_fragments()]
    for own in keys[1:]:
        if own.keys() != keys[0].keys():
            raise ArgumentError(
                "source",
                f"some folders name the columns {sorted(keys[0])}, others {sorted(own)}",
                "name the same columns for every file",
            )
    # In the order of the folders.
    return keys, {field.name: field.type for field in found.schema if field.name in keys[0]}
