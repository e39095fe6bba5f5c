"""Errors and warnings about arguments, as data: which argument, what is wrong, what to do.

Whoever shows a message words it: Python says ``missing='impute'`` where the command line says
``--missing impute``. Advice refers to arguments as ``⟨name⟩`` or ``⟨name=value⟩``, and to `PHRASES`
by their keys, such as ``⟨leave out⟩``.
"""

import re
from typing import Any, Protocol

_REFERENCE = re.compile("⟨([\\w ]+)(?:=([^⟩]*))?⟩")

PHRASES = {
    "leave out": "leave it out of columns",
    "join": "bring both to one with common = a.encoding | b.encoding and a.reencoded(common) + "
    "b.reencoded(common)",
}
"""What to do that has a form of its own on the command line, and how Python does it."""


class Wording(Protocol):
    """How a message speaks of arguments."""

    def argument(self, name: str) -> str:
        """Return the name of an argument."""
        ...

    def setting(self, name: str, value: str) -> str:
        """Return an argument with a value, as one would type it."""
        ...

    def phrase(self, name: str) -> str:
        """Return what to do: one of the keys of `PHRASES`."""
        ...


class PythonWording:
    """As in a call of a Python function."""

    def argument(self, name: str) -> str:
        """Return the name as it is."""
        return name

    def setting(self, name: str, value: str) -> str:
        """Return a keyword argument."""
        return f"{name}={value!r}"

    def phrase(self, name: str) -> str:
        """Return what to do in Python."""
        return PHRASES[name]


_PYTHON = PythonWording()


def worded(template: str, wording: Wording) -> str:
    """Return advice with its references in given words."""

    def reference(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        if name in PHRASES:
            return wording.phrase(name)
        return wording.argument(name) if value is None else wording.setting(name, value)

    return _REFERENCE.sub(reference, template)


class ArgumentError(ValueError):
    """An argument that cannot be used.

    Parameters
    ----------
    argument : str
        Its name, or several.
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
        """Return the message in given words."""
        names = ", ".join(wording.argument(name) for name in self.argument.split(", "))
        advice = f"; {worded(self.advice, wording)}" if self.advice else ""
        return f"{names}: {self.problem}{advice}"

    def __str__(self) -> str:
        return self.worded(_PYTHON)


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument of a type that cannot be used."""


class ArgumentFileError(ArgumentError, FileNotFoundError):
    """A file or a folder that is not there."""

    def __new__(cls, argument: str, problem: str, advice: str = "") -> "ArgumentFileError":
        # More than one argument would be taken for an error number.
        return FileNotFoundError.__new__(cls, problem)


class AdviceError(ValueError):
    """Something that cannot be done, with advice that refers to arguments.

    Parameters
    ----------
    problem, advice : str
    """

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(problem, advice)
        self.problem = problem
        self.advice = advice

    def worded(self, wording: Wording) -> str:
        """Return the message in given words."""
        return f"{self.problem}; {worded(self.advice, wording)}"

    def __str__(self) -> str:
        return self.worded(_PYTHON)


class AdviceTypeError(AdviceError, TypeError):
    """The same where the type of something is the problem."""


class AdviceWarning(UserWarning):
    """A warning with references to arguments.

    Parameters
    ----------
    template : str
    """

    def worded(self, wording: Wording) -> str:
        """Return the message in given words."""
        return worded(self.args[0], wording)

    def __str__(self) -> str:
        return self.worded(_PYTHON)


def with_prefix(error: Any, prefix: str) -> Exception:
    """Return an error of a part of the data that says which part."""
    if isinstance(error, ArgumentError):
        return type(error)(error.argument, f"{prefix}: {error.problem}", error.advice)
    if isinstance(error, AdviceError):
        return type(error)(f"{prefix}: {error.problem}", error.advice)
    return ValueError(f"{prefix}: {error}")
