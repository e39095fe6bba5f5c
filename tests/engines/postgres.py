"""A PostgreSQL server of its own for the tests, in a folder that is removed afterwards."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_SECONDS_TO_START = 30
_SECONDS_TO_STOP = 30
# What a crash would lose does not matter here, and syncing is most of what small tests wait for.
_SETTINGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "listen_addresses=")


def postgres_programs() -> Path | None:
    """Return the folder of initdb and postgres, the newest if there are several, or None."""
    # Debian keeps initdb out of PATH, so that a link may lead to postgres only.
    found = shutil.which("postgres")
    folders = [Path(found).resolve().parent] if found is not None else []
    versions = list(Path("/usr/lib/postgresql").glob("*/bin"))
    folders += sorted(versions, key=lambda path: path.parent.name.zfill(4), reverse=True)
    return next((path for path in folders if (path / "initdb").exists()), None)


@contextlib.contextmanager
def running_postgres(programs: Path) -> Iterator[str]:
    """Start a server, yield what `psycopg.connect` needs, and stop the server by its process.

    Parameters
    ----------
    programs : Path
        As `postgres_programs` finds it.
    """
    # A socket's path may have about a hundred characters, fewer than those of pytest's folders.
    folder = Path(tempfile.mkdtemp(prefix="zerone-pg-"))
    try:
        prefix = _as_another_user(folder)
        subprocess.run(
            [*prefix, programs / "initdb", "--pgdata", folder / "data", "--username", "tester",
             "--auth", "trust", "--encoding", "UTF8", "--no-locale", "--no-sync"],
            check=True, capture_output=True, cwd=folder,
        )  # fmt: skip
        options = [part for setting in _SETTINGS for part in ("-c", setting)]
        command = [*prefix, programs / "postgres", "-D", folder / "data", "-k", folder, *options]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
        conninfo = f"host={folder} user=tester dbname=postgres connect_timeout=5"
        try:
            _wait_for(server, conninfo, folder / "log")
            yield conninfo
        finally:
            # A fast shutdown: connections that tests left open are cut.
            server.send_signal(signal.SIGINT)
            try:
                server.wait(_SECONDS_TO_STOP)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _as_another_user(folder: Path) -> list[str]:
    """Return what a command has to begin with, since PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return []
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    # It becomes the command itself, so that signals reach the server.
    identity = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    return ["setpriv", *identity, "--"]


def _wait_for(server: "subprocess.Popen[bytes]", conninfo: str, log: Path) -> None:
    """Return as soon as the server answers."""
    import psycopg

    end = time.monotonic() + _SECONDS_TO_START
    while True:
        try:
            psycopg.connect(conninfo).close()
            return
        except psycopg.OperationalError as error:
            if server.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"PostgreSQL did not start: {log.read_text()}") from error
            time.sleep(0.05)
