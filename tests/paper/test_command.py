"""The command of the checkout: python -m paper."""

import pytest

from paper import __main__ as command
from paper.plan import TARGETS


def test_alone_it_lists_the_parts_and_starts_nothing(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    for part in (*TARGETS, "all", "datasets"):
        assert any(line.startswith(f"{part} ") for line in lines)
    assert not list(tmp_path.iterdir())


def test_it_writes_a_page(capsys, tmp_path):
    arguments = ["table1", "table2", "--sets", "data1", "--quick", "--output", str(tmp_path)]
    assert command.main(arguments) == 0
    told = capsys.readouterr()
    assert told.out.strip() == str(tmp_path / "index.html")
    assert "4 of 4: data1" in told.err
    assert (tmp_path / "index.html").exists()


def test_what_is_missing_is_named(capsys, tmp_path, monkeypatch):
    monkeypatch.delenv("ZERONE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    arguments = ["table5", "--sets", "a9a", "--quick", "--output", str(tmp_path / "out")]
    assert command.main(arguments) == 0
    told = capsys.readouterr().err
    assert "not available, marked in the tables: a9a" in told
    assert "python -m paper datasets --download" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table9"], "there is no part 'table9'; choose from table1, "),
        (["table5", "--sets", "iris"], "there is no data set 'iris'"),
        (["table5", "--data-dir", "nowhere"], "there is no folder 'nowhere'"),
        (["--quick"], "name a part: table1, "),
        (["datasets", "table1"], "cannot be combined"),
        (["table1", "--download"], "is for the part datasets"),
        (["table1", "--jobs", "0"], "--jobs: got 0"),
    ],
)
def test_wrong_arguments_are_a_line_and_exit_code_2(arguments, message, capsys, tmp_path):
    assert command.main([*arguments, "--output", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert message in told


def test_datasets_lists_what_is_here(capsys, tmp_path):
    (tmp_path / "data").mkdir()
    assert command.main(["datasets", "--data-dir", str(tmp_path / "data")]) == 0
    told = capsys.readouterr().out
    assert "svmguide1" in told
    assert "yes" not in told
