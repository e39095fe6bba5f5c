"""The command line on the files that people have."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from zerone.cli._app import app


@pytest.fixture
def runner(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table[:120].to_csv("1.csv", index=False)
    # The same columns in another order.
    table[table.columns[::-1]][120:].to_csv("2.csv", index=False)
    cli = CliRunner()

    def run(*command, code=0, **options):
        result = cli.invoke(app, list(command), **options)
        assert result.exit_code == code, result.output
        return result

    run("fit", "1.csv", "2.csv", "--target", "late", "--output", "model.zerone")
    return run


def rows(*options, runner, **given):
    shown = runner("evaluate", "model.zerone", *options, "-t", "late", "--json", **given)
    return json.loads(shown.stdout)["rows"]


def test_several_files_and_patterns(runner, tmp_path):
    assert rows("1.csv", "2.csv", runner=runner) == 200
    assert rows("[0-9].csv", "--report", "report.html", runner=runner) == 200
    runner("predict", "model.zerone", "1.csv", "2.csv", "--output", "scores")
    assert len(pd.read_csv(tmp_path / "scores")) == 200
    runner("moments", "1.csv", "2.csv", "-t", "late", "--output", "m.npz")
    shown = runner("compare", "1.csv", "2.csv", "-t", "late", "--rivals", "LinearSVC", "--json",
                   "--report", "compared.html")  # fmt: skip
    assert json.loads(shown.stdout)["rows"] == 200
    assert "1.csv and 1 more" in (tmp_path / "compared.html").read_text()


def test_insisting(runner, table):
    table.to_csv("t.dat", index=False, sep="|", encoding="utf-16-le")
    assert rows("t.dat", runner=runner) == 200
    options = ["--format", "csv", "--encoding", "utf-16-le", "--comment", "none"]
    assert rows("t.dat", *options, runner=runner) == 200
    table.to_excel("t.xlsx", index=False, sheet_name="all rows")
    assert rows("t.xlsx", "--sheet", "all rows", runner=runner) == 200


@pytest.mark.parametrize("name", ["t.csv.gz", "t.jsonl", "t.parquet"])
def test_standard_input_of_any_format(name, runner, table, tmp_path):
    if name == "t.jsonl":
        table.to_json(name, orient="records", lines=True)
    elif name == "t.parquet":
        table.to_parquet(name)
    else:
        table.to_csv(name, index=False)
    assert rows("-", runner=runner, input=(tmp_path / name).read_bytes()) == 200


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["https://a.org/t.csv"], "'https://a.org/t.csv' is a URL"),
        (["*.txt"], "no file matches '*.txt'"),
        (["-", "1.csv"], "standard input is a table of its own"),
        (["1.csv", "--format", "sas"], "--format: got 'sas', expected one of csv, jsonl"),
        (["1.csv", "--encoding", "utf-9"], "--encoding: got 'utf-9'"),
        (["1.csv", "--sheet", "a"], "--sheet: is not for csv files"),
        (["colours"], "--comment '#' says that such lines are comments, --comment none that"),
        (["prose"], "name it with --format csv"),
        (["cyrillic.csv"], "such as --encoding cp1251"),
        (["m.npz", "1.csv"], "join moments files with `zerone merge` first"),
        (["1.csv", "-o", "1.csv", "--force"], "'1.csv' is the input file"),
        (["?.csv", "-o", "1.csv", "--force"], "'1.csv' is the input file"),
    ],
)
def test_what_is_refused(command, words, runner, tmp_path):
    (tmp_path / "colours").write_text("x,late\n#ff0000,yes\n")
    (tmp_path / "prose").write_text("once upon a time\n")
    (tmp_path / "cyrillic.csv").write_bytes("имя,late\nПётр,да\n".encode("cp1251"))
    shown = runner("fit", *command, "-t", "late", *([] if "-o" in command else ["-o", "m"]), code=2)
    assert words in " ".join(shown.stderr.split())


def test_moments_files_take_no_options_of_tables(runner):
    shown = runner("fit", "m.npz", "--encoding", "utf-8", "-o", "m", code=2)
    assert "--encoding: is for tables, not for moments files" in shown.stderr


def test_notes(runner, table):
    table.assign(job="Bäcker").to_csv("t.csv", index=False, encoding="latin-1")
    shown = runner("moments", "t.csv", "-t", "late", "-o", "m.npz", "--drop", "count")
    assert shown.stderr.count("is read as Latin-1") == 1
    assert "--encoding mac_roman" in shown.stderr
