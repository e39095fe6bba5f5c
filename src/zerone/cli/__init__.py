"""The command line: from tables to models to predictions. Needs the extra ``cli``."""

import sys


def main() -> None:
    """Run the command line, or say what to install."""
    if sys.argv[1:] == ["--version"]:
        # Needs no extra.
        from zerone import __version__

        print(f"zerone {__version__}")
        return
    try:
        from zerone.cli._app import app
    except ImportError as error:
        print(f"the command line needs {error.name}; install zerone[cli]", file=sys.stderr)
        raise SystemExit(2) from None
    app()


__all__ = ["main"]
