"""The style sheet and the scripts of the pages, which are written into every page."""

from functools import cache
from pathlib import Path


@cache
def asset(name: str) -> str:
    """Return a file that lies beside this one."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
