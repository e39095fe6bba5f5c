"""The state of a scan in a file, from which an interrupted scan continues."""

import json
import os
import time
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from zerone._data.readers.source import START, Position
from zerone._errors import ArgumentError, ArgumentFileError
from zerone._files import remove_unfinished
from zerone._moments.file import read_arrays, save_moments
from zerone._moments.moments import Moments


@dataclass(frozen=True, eq=False)
class ScanState:
    """The moments so far, where reading continues, and the rows so far."""

    moments: Moments | None = None
    position: Position = START
    rows: int = 0


class Checkpoint:
    """A file with the state of a scan, written at intervals.

    It is a moments file with one more string, ``scan``: where reading continues, and the identity
    of the source. A file of another source is refused. ``every`` is the number of seconds between
    two writes.
    """

    def __init__(self, path: str | PathLike[str], every: float, identity: Any) -> None:
        if identity is None:
            raise ArgumentError(
                "checkpoint",
                "needs a source of files, because changes of other sources cannot be seen",
                "write this source to Parquet first, or read it without a checkpoint",
            )
        self._path = Path(path)
        if not self._path.resolve().parent.is_dir():
            folder = os.fspath(self._path.resolve().parent)
            raise ArgumentFileError("checkpoint", f"there is no folder {folder!r}", "create it")
        self._every = every
        # As JSON returns it: lists for tuples.
        self._identity = json.loads(json.dumps(identity))
        self._written = time.monotonic()
        self._rows_written = 0

    def load(self) -> ScanState:
        """Return the state in the file; an empty one if there is none."""
        remove_unfinished(self._path)
        if not self._path.exists():
            return ScanState()
        where = os.fspath(self._path)
        moments, arrays = read_arrays(self._path)
        if "scan" not in arrays:
            raise ArgumentError(
                "checkpoint",
                f"{where!r} holds moments, not the state of a scan",
                "name another file",
            )
        scan = json.loads(str(arrays["scan"]))
        if scan["identity"] != self._identity:
            difference = _first_difference(scan["identity"], self._identity)
            raise ArgumentError(
                "checkpoint",
                f"{where!r} belongs to another scan: {difference}",
                "delete it to start again, or name another file",
            )
        self._rows_written = scan["rows"]
        file, offset, row = scan["position"]
        return ScanState(moments, (file, offset, row), scan["rows"])

    def write_if_due(self, state: ScanState) -> None:
        """Write the state if the last write was long enough ago."""
        if time.monotonic() - self._written >= self._every:
            self.write(state)

    def write(self, state: ScanState) -> None:
        """Write the state if it has changed."""
        if state.moments is None or state.rows == self._rows_written:
            return
        scan = {"identity": self._identity, "position": state.position, "rows": state.rows}
        extra = {"scan": np.array(json.dumps(scan))}
        save_moments(state.moments, self._path, include_rows=False, extra=extra)
        self._written, self._rows_written = time.monotonic(), state.rows


def _first_difference(old: Any, new: Any, name: str = "source") -> str:
    """Return how two identities differ."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        if "file" in old and old["file"] == new["file"]:
            return f"the file {old['file']!r} has changed since the checkpoint"
        for key in old:
            if old[key] != new[key]:
                return _first_difference(old[key], new[key], key)
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for before, now in zip(old, new, strict=True):
            if before != now and isinstance(before, dict):
                return _first_difference(before, now, name)
    return f"{name} was {old!r} and is {new!r}"
