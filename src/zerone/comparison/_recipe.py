"""How a report and its model are made again, as commands."""

import shlex
from dataclasses import dataclass

from zerone.comparison._compare import Comparison


@dataclass(frozen=True)
class Recipe:
    """How the model of a report is fitted again.

    Attributes
    ----------
    compare : str or None
        The command of the report; None if it was not a command.
    fit : str
        The command that fits the model to all rows.
    data : str
        Names of the files.
    """

    compare: str | None
    fit: str
    data: str

    @classmethod
    def of_comparison(cls, comparison: Comparison, shapes: str | None = None) -> "Recipe":
        """Return the commands for a comparison that was made in Python, for a file TABLE."""
        encoding, metric = comparison.moments.encoding, comparison.metric
        words = ["zerone", "fit", "TABLE"]
        if encoding is not None and encoding.target is not None:
            words += ["--target", str(encoding.target)]
        if metric.name != "error":
            words += ["--metric", metric.name]
        if shapes is not None:
            words += ["--shapes", shapes]
        for name, value in metric.parameters.items():
            words += [f"--{name.replace('_', '-')}", f"{value:.17g}"]
        if comparison.positive is not None:
            words += ["--positive", str(comparison.positive)]
        return cls(None, shlex.join([*words, "--output", "model.zerone"]), "a table in memory")
