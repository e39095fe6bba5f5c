"""Commands in a folder of their own."""

import pytest
from typer.testing import CliRunner

from zerone.cli._app import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command and requires an exit code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    cli = CliRunner()

    def command(line, *more, code=0, **options):
        result = cli.invoke(app, [*line.split(" "), *more], **options)
        assert result.exit_code == code, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return command
