"""Errors and warnings in parts: the argument, what is wrong with it, and what to do.

Python writes ``metric='auc'``, the command line ``--metric auc``. So advice refers to
arguments as ``⟨name⟩`` or ``⟨name=value⟩``, and to `PHRASES` by key, such as ``⟨leave out⟩``.
Arguments of `zerone.TableFiles` are ``⟨file name=value⟩``: other functions do not take them.
"""

import re
from typing import Any, Protocol, Self

_REFERENCE = re.compile("⟨([\\w ]+)(?:=([^⟩]*))?⟩")

PHRASES = {
    "leave out": "leave it out of columns",
    "not strict": "leave out strict=True",
    "not onnx": "use save or zerone.export.rule_as_dict",
    "not sql": "use save or zerone.export.rule_as_dict",
    "only labels": "leave out output, or use zerone.export.rule_as_dict",
    "join": "bring both to one with common = a.encoding | b.encoding and a.reencoded(common) + "
    "b.reencoded(common)",
}
"""Advice that the command line words in its own way, in the words of Python."""


class Wording(Protocol):
    """How a message names arguments."""

    def argument(self, name: str) -> str:
        """Return the name of an argument."""
        ...

    def setting(self, name: str, value: str) -> str:
        """Return an argument with a value, as users type it."""
        ...

    def phrase(self, name: str) -> str:
        """Return the advice for a key of `PHRASES`."""
        ...


class PythonWording:
    """Arguments as in a call of a Python function."""

    def argument(self, name: str) -> str:
        """Return the name as it is."""
        return name.removeprefix(OF_FILES)

    def setting(self, name: str, value: str) -> str:
        """Return a keyword argument."""
        given = f"{self.argument(name)}={value!r}"
        return f"zerone.TableFiles(source, {given})" if name.startswith(OF_FILES) else given

    def phrase(self, name: str) -> str:
        """Return the advice for Python."""
        return PHRASES[name]


OF_FILES = "file "
"""What the names of arguments of `zerone.TableFiles` begin with."""

_PYTHON = PythonWording()


def worded(template: str, wording: Wording) -> str:
    """Return advice with its references filled in."""

    def reference(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        if name in PHRASES:
            return wording.phrase(name)
        return wording.argument(name) if value is None else wording.setting(name, value)

    return _REFERENCE.sub(reference, template)


class ArgumentError(ValueError):
    """An argument has a value that cannot be used.

    Parameters
    ----------
    argument : str
        Its name; several names are separated by ", ".
    problem : str
        What was received, and what is wrong with it.
    advice : str
        What to do.
    """

    def __init__(self, argument: str, problem: str, advice: str = "") -> None:
        super().__init__(argument, problem, advice)
        self.argument = argument
        self.problem = problem
        self.advice = advice

    def worded(self, wording: Wording) -> str:
        """Return the message in the words of Python or of the command line."""
        names = ", ".join(wording.argument(name) for name in self.argument.split(", "))
        advice = f"; {worded(self.advice, wording)}" if self.advice else ""
        return f"{names}: {self.problem}{advice}"

    def __str__(self) -> str:
        return self.worded(_PYTHON)


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument has a type that cannot be used."""


class ArgumentFileError(ArgumentError, FileNotFoundError):
    """A file or a folder does not exist."""

    def __new__(cls, argument: str = "", problem: str = "", advice: str = "") -> Self:
        # FileNotFoundError would read the first of several arguments as an error number.
        return FileNotFoundError.__new__(cls, problem)


class AdviceError(ValueError):
    """Something cannot be done; the advice may refer to arguments."""

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(problem, advice)
        self.problem = problem
        self.advice = advice

    def worded(self, wording: Wording) -> str:
        """Return the message in the words of Python or of the command line."""
        return f"{self.problem}; {worded(self.advice, wording)}"

    def __str__(self) -> str:
        return self.worded(_PYTHON)


class AdviceTypeError(AdviceError, TypeError):
    """Something cannot be done because of its type."""


class AdviceWarning(UserWarning):
    """A warning that may refer to arguments."""

    def worded(self, wording: Wording) -> str:
        """Return the message in the words of Python or of the command line."""
        return worded(self.args[0], wording)

    def __str__(self) -> str:
        return self.worded(_PYTHON)


def with_prefix(error: Any, prefix: str) -> Exception:
    """Return the error with a prefix that says which part of the data it is about."""
    if isinstance(error, ArgumentError):
        return type(error)(error.argument, f"{prefix}: {error.problem}", error.advice)
    if isinstance(error, AdviceError):
        return type(error)(f"{prefix}: {error.problem}", error.advice)
    return ValueError(f"{prefix}: {error}")
