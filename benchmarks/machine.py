"""What a run was measured on."""

import datetime
import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_info

_PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def machine_description(root: Path) -> dict[str, str]:
    """Return what a reader needs to judge the figures, by name.

    Parameters
    ----------
    root : path
        The checkout, for its commit.
    """
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    blas = {
        f"{pool['internal_api']} {pool['version']} ({pool.get('architecture', 'unknown')})"
        for pool in pools
    }
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "zerone": _commit(root),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "caches": _caches(),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB",
        "Python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
        "BLAS": ", ".join(sorted(blas)),
    }


def _commit(root: Path) -> str:
    def git(*arguments: str) -> str:
        command = ["git", "-C", os.fspath(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", "src")
        return git("rev-parse", "--short", "HEAD") + (" and uncommitted changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown commit"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _caches() -> str:
    found = []
    for folder in sorted(_CACHES.glob("index*")):
        level, kind, size = (
            (folder / name).read_text().strip() for name in ("level", "type", "size")
        )
        found.append(f"L{level} {kind.lower()} {size}")
    return ", ".join(found) or "unknown"
