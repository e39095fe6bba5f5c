"""Errors and warnings as data: the same one in the words of Python and of the command line."""

import pickle

import pytest

from zerone._errors import (
    AdviceError,
    AdviceTypeError,
    AdviceWarning,
    ArgumentError,
    ArgumentFileError,
    ArgumentTypeError,
    PythonWording,
    with_prefix,
)
from zerone.cli._errors import CommandLineWording

ERRORS = {
    ArgumentError("null_values", "got 3", "give a list"): (
        "null_values: got 3; give a list",
        "--null-value: got 3; give a list",
    ),
    ArgumentTypeError("target, weight", "are the same"): (
        "target, weight: are the same",
        "--target, --weight: are the same",
    ),
    ArgumentFileError("path", "there is no file 'x'"): (
        "path: there is no file 'x'",
        "path: there is no file 'x'",
    ),
    AdviceError("a value is missing", "pass ⟨null_values=?⟩, ⟨leave out⟩, or ⟨not strict⟩"): (
        "a value is missing; pass null_values='?', leave it out of columns, or "
        "leave out strict=True",
        "a value is missing; pass --null-value '?', leave it out with --drop, or "
        "leave out --strict",
    ),
    AdviceTypeError("the encodings differ", "⟨join⟩"): (
        "the encodings differ; bring both to one with common = a.encoding | b.encoding and "
        "a.reencoded(common) + b.reencoded(common)",
        "the encodings differ; add --join",
    ),
    AdviceWarning("it looks like a number; give it as ⟨categorical⟩"): (
        "it looks like a number; give it as categorical",
        "it looks like a number; give it as --categorical",
    ),
}


@pytest.mark.parametrize(("error", "words"), ERRORS.items(), ids=lambda own: type(own).__name__)
class TestWording:
    def test_of_python_and_the_command_line(self, error, words):
        assert (str(error), error.worded(CommandLineWording())) == words
        assert error.worded(PythonWording()) == words[0]

    def test_survives_pickling(self, error, words):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert str(again) == words[0]


def test_kinds_are_those_that_python_users_catch():
    assert issubclass(ArgumentError, ValueError)
    assert issubclass(ArgumentTypeError, TypeError)
    assert issubclass(ArgumentTypeError, ValueError)
    assert issubclass(ArgumentFileError, FileNotFoundError)
    error = ArgumentFileError("path", "there is no file 'x'", "name another")
    assert error.errno is None
    assert (error.argument, error.problem, error.advice) == (
        "path", "there is no file 'x'", "name another"
    )  # fmt: skip


def test_names_of_columns_are_not_taken_for_references():
    error = ArgumentError("target", "there is no column '{weight}'", "the table has '{a}', '<b>'")
    assert "'{weight}'" in error.worded(CommandLineWording())
    assert "'{a}', '<b>'" in error.worded(CommandLineWording())


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ArgumentTypeError("X", "is wrong", "mend it"), "X: part 7: is wrong; mend it"),
        (AdviceError("is wrong", "mend it"), "part 7: is wrong; mend it"),
        (ValueError("is wrong"), "part 7: is wrong"),
    ],
)
def test_which_part_of_the_data(error, expected):
    told = with_prefix(error, "part 7")
    assert str(told) == expected
    assert isinstance(told, ValueError)
