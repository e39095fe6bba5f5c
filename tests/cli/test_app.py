import sys

import pytest
from typer.testing import CliRunner

from zerone import cli
from zerone.cli._app import app

runner = CliRunner()


def test_help_lists_the_commands():
    result = runner.invoke(app, ["--help"])
    assert result.exit_code == 0
    for command in (
        "compare",
        "fit",
        "predict",
        "evaluate",
        "inspect",
        "retarget",
        "export",
        "merge",
    ):
        assert command in result.output


def test_without_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "zerone.cli._app", None)
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 2
    assert "zerone[cli]" in capsys.readouterr().err
