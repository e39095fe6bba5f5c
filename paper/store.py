"""Results on disk, one line each, written as they come: a stopped run loses no result."""

import json
from pathlib import Path
from typing import Any


class Store:
    """A file of results by key.

    Parameters
    ----------
    path : Path
        A JSON object per line, with the key under ``"key"``. An incomplete last line, left by a
        crash, is ignored and overwritten.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._results: dict[str, dict[str, Any]] = {}
        if path.exists():
            complete = path.read_bytes().rpartition(b"\n")[0]
            for line in complete.decode().splitlines():
                record = json.loads(line)
                self._results[record.pop("key")] = record
            with path.open("r+b") as file:
                file.truncate(len(complete) + 1 if complete else 0)

    def __contains__(self, key: str) -> bool:
        return key in self._results

    def __getitem__(self, key: str) -> dict[str, Any]:
        return self._results[key]

    def __len__(self) -> int:
        return len(self._results)

    def add(self, key: str, record: dict[str, Any]) -> None:
        """Write a result to the file and remember it."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as file:
            file.write(json.dumps({"key": key, **record}) + "\n")
            file.flush()
        self._results[key] = record

    def matching(self, prefix: str) -> list[dict[str, Any]]:
        """Return all results whose key begins with ``prefix``."""
        return [record for key, record in self._results.items() if key.startswith(prefix)]
