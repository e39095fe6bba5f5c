"""A scan's state in a file, so that it can go on after it was stopped."""

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
    """What has been counted, and where reading goes on.

    Attributes
    ----------
    moments : Moments or None
    position : tuple
    rows : int
    """

    moments: Moments | None = None
    position: Position = START
    rows: int = 0


class Checkpoint:
    """A file with a scan's state, replaced at once every so often.

    It is a moments file with one string more, ``scan``: where reading goes on, and what was read.

    Parameters
    ----------
    path : path
    every : float
        Seconds between two writings.
    identity : plain values
        Of what is scanned; a file of another scan is refused.
    """

    def __init__(self, path: str | PathLike[str], every: float, identity: Any) -> None:
        if identity is None:
            raise ArgumentError(
                "checkpoint",
                "a scan can go on only over files, whose changes can be told",
                "write this source to Parquet first, or read it without a checkpoint",
            )
        self._path = Path(path)
        if not self._path.resolve().parent.is_dir():
            raise ArgumentFileError(
                "checkpoint", f"there is no folder {os.fspath(self._path.resolve().parent)!r}"
            )
        self._every = every
        # As it will be read again: lists for tuples.
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
                f"{where!r} holds moments of a finished job, not a scan's state",
                "give another path",
            )
        scan = json.loads(str(arrays["scan"]))
        if scan["identity"] != self._identity:
            difference = _first_difference(scan["identity"], self._identity)
            raise ArgumentError(
                "checkpoint",
                f"{where!r} belongs to another scan: {difference}",
                "delete it to begin anew, or give another path",
            )
        self._rows_written = scan["rows"]
        file, place, row = scan["position"]
        return ScanState(moments, (file, place, row), scan["rows"])

    def write_if_due(self, state: ScanState) -> None:
        """Write the state if the last time was long enough ago."""
        if time.monotonic() - self._written >= self._every:
            self.write(state)

    def write(self, state: ScanState) -> None:
        """Write the state, if it is new."""
        if state.moments is None or state.rows == self._rows_written:
            return
        scan = {"identity": self._identity, "position": state.position, "rows": state.rows}
        extra = {"scan": np.array(json.dumps(scan))}
        save_moments(state.moments, self._path, include_rows=False, extra=extra)
        self._written, self._rows_written = time.monotonic(), state.rows


def _first_difference(old: Any, new: Any, name: str = "source") -> str:
    """Say where two identities differ."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        if "file" in old and old["file"] == new["file"]:
            return f"the file {old['file']!r} has changed since it was written"
        for key in old:
            if old[key] != new[key]:
                return _first_difference(old[key], new[key], key)
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for before, now in zip(old, new, strict=True):
            if before != now and isinstance(before, dict):
                return _first_difference(before, now, name)
    return f"{name} was {old!r} and is {new!r}"
