"""The command line: from tables to models to predictions. Needs the extra ``cli``."""

import sys


def main() -> None:
    """Run the command line, or say what to install."""
    try:
        from zerone.cli._app import app
    except ImportError as error:
        print(f"the command line needs {error.name}; install zerone[cli]", file=sys.stderr)
        raise SystemExit(2) from None
    app()


__all__ = ["main"]
