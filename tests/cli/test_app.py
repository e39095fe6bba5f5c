import sys

import pytest
from typer.testing import CliRunner

from zerone import cli
from zerone.cli._app import app

runner = CliRunner()


def test_help_lists_the_commands():
    result = runner.invoke(app, ["--help"])
    assert result.exit_code == 0
    assert "reproduce" in result.output
    assert "datasets" in result.output


def test_reproduce_writes_a_page(tmp_path):
    result = runner.invoke(
        app, ["reproduce", "table1", "table2", "--sets", "data1", "--quick", "--output",
              str(tmp_path)]
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert (tmp_path / "index.html").exists()
    assert str(tmp_path / "index.html") in result.output


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("ZERONE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    result = runner.invoke(
        app, ["reproduce", "table5", "--sets", "a9a", "--quick", "--output", str(tmp_path / "out")]
    )
    assert result.exit_code == 0
    assert "not available" in result.output
    assert "a9a" in result.output


@pytest.mark.parametrize(
    "arguments", [["table9"], ["table5", "--sets", "iris"], ["table5", "--data-dir", "nowhere"]]
)
def test_wrong_arguments_are_a_line_and_exit_code_2(arguments, tmp_path):
    result = runner.invoke(app, ["reproduce", *arguments, "--output", str(tmp_path)])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert "there is no" in result.output


def test_datasets_lists_what_is_here(tmp_path):
    (tmp_path / "data").mkdir()
    result = runner.invoke(app, ["datasets", "--data-dir", str(tmp_path / "data")])
    assert result.exit_code == 0
    assert "svmguide1" in result.output


def test_without_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "zerone.cli._app", None)
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 2
    assert "zerone[cli]" in capsys.readouterr().err
