"""``zerone inspect``: what is in a model file or a moments file."""

import zipfile
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from zerone import Moments, load_model
from zerone._data.labels import label_list
from zerone._errors import ArgumentError
from zerone._moments.pair import class_pairs
from zerone._typing import IntArray
from zerone.cli import _options as options
from zerone.cli._errors import reported
from zerone.cli._moments import show_moments
from zerone.cli._show import (
    column_facts,
    json_keys,
    print_columns,
    print_facts,
    print_json,
    quality,
    quality_in_words,
    visible,
)
from zerone.cli._slopes import bent_columns, contribution_deviation, print_slopes
from zerone.estimators._feature_statistics import feature_statistics
from zerone.export._rule import feature_names
from zerone.inspection._row_columns import RowColumn

_TOP = 10
# Features that are named for each of several pairs of classes, and pairs that are shown.
_OF_PAIR = 3
_MOST_PAIRS = 15


def inspect(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A model file (.zerone) or moments file (.npz)."),
    ],
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            help=f"How many coefficients of a model to show; {_TOP} by default.",
            show_default=False,
        ),
    ] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Show all coefficients.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Show what is in a model file or a moments file."""
    with reported():
        if top is not None and top < 1:
            raise ArgumentError("top", f"got {top}, expected at least 1")
        if top is not None and show_all:
            raise ArgumentError("top", f"{top} is not all", "leave out this option or ⟨all⟩")
        if _is_model(file):
            fitted = load_model(file)
            n_shown = fitted.coef_.shape[1] if show_all else top or _TOP
            _show_model(fitted, n_shown, as_json=as_json)
            return
        if top is not None or show_all:
            option = "all" if show_all else "top"
            raise ArgumentError(option, "is for models, not for moments files", "leave it out")
        show_moments(Moments.load(file), file, as_json=as_json, predicted=True)


def _is_model(file: Path) -> bool:
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {str(file)!r}; check the path")
    if not zipfile.is_zipfile(file):
        raise ValueError(
            f"{str(file)!r} is neither a model nor a moments file; "
            "name a file that `zerone fit` or `zerone moments` has written"
        )
    with zipfile.ZipFile(file) as archive:
        return "model.json" in archive.namelist()


class _Coefficients:
    """The coefficients of the rules of a model, and how much each feature counts.

    Parameters
    ----------
    model : fitted classifier
    """

    def __init__(self, model: Any) -> None:
        self.names = feature_names(model)
        self.coef, self.intercept = model.coef_, model.intercept_
        known = feature_statistics(model)
        self.deviations = None if known is None else known.deviations
        labels = label_list(model.classes_)
        self.pairs = [(labels[a], labels[b]) for a, b in class_pairs(len(labels))]
        self.bent = bent_columns(model)
        self._bent_sizes = [contribution_deviation(model, own) for own in self.bent]

    def order(self, rule: int) -> IntArray:
        """Return the positions of the features, those that change the score most first."""
        weights = self.coef[rule]
        if self.deviations is not None:
            weights = weights * self.deviations
        return np.argsort(-np.abs(weights), kind="stable")

    def facts(self, rule: int) -> list[dict[str, Any]]:
        """Return all features of a rule with their coefficients, the largest first."""
        own, spread = self.coef[rule], self.deviations
        return [
            {
                "feature": self.names[i],
                "coefficient": float(own[i]),
                "per_standard_deviation": None if spread is None else float(own[i] * spread[i]),
            }
            for i in self.order(rule)
        ]

    def lines(self) -> list[tuple[str, str, float | None, RowColumn | None]]:
        """Return what is printed of two classes: features and, in one line each, bent columns.

        Name, coefficient, how much the score changes per standard deviation, and the column if it
        bends; the largest first.
        """
        of_bent = {self.names[i] for own in self.bent for i in range(*own.features.indices(10**9))}
        found: list[tuple[str, str, float | None, RowColumn | None]] = [
            (own["feature"], f"{own['coefficient']:.4g}", own["per_standard_deviation"], None)
            for own in self.facts(0)
            if own["feature"] not in of_bent
        ]
        for column, size in zip(self.bent, self._bent_sizes, strict=True):
            found.append((column.name, "bends", size, column))
        if self.bent and self.deviations is not None:
            found.sort(key=lambda own: -abs(own[2] or 0.0))
        return found


def _show_model(model: Any, n_shown: int, *, as_json: bool) -> None:
    names = getattr(model, "feature_names_in_", None)
    columns = None if names is None else list(names)
    rules = _Coefficients(model)
    facts = {
        "classifier": type(model).__name__,
        "metric": model.metric,
        "classes": ", ".join(map(str, model.classes_.tolist())),
        "features": int(model.coef_.shape[1]),
        "rules": len(model.coef_),
    }
    if as_json:
        shown = {**facts, **quality(model), "classes": model.classes_.tolist()}
        pairs = [
            {
                "negative": negative,
                "positive": positive,
                "intercept": float(rules.intercept[rule]),
                "coefficients": rules.facts(rule),
            }
            for rule, (negative, positive) in enumerate(rules.pairs)
        ]
        columns_read = column_facts(model.encoding_, columns)
        print_json({**json_keys(shown), "columns": columns_read, "pairs": pairs})
        return
    print_columns(model.encoding_, columns)
    print_facts({**facts, **quality_in_words(model)})
    if len(rules.pairs) == 1:
        _print_rule(rules, n_shown)
    else:
        _print_pairs(rules)


def _print_rule(rules: _Coefficients, n_shown: int) -> None:
    """Print the largest coefficients of the rule of two classes."""
    found = rules.lines()
    has_spread = rules.deviations is not None
    headings = ["feature", "coefficient", *(["per standard deviation"] if has_spread else [])]
    table = Table(headings[0], box=None, pad_edge=False)
    for heading in headings[1:]:
        table.add_column(heading, justify="right", no_wrap=True)
    for name, coefficient, size, column in found[:n_shown]:
        # What a column adds that bends has no sign.
        spread = "" if size is None else f"{'' if column is None else '±'}{size:.4g}"
        table.add_row(visible(name), *[coefficient, spread][: len(headings) - 1])
    table.add_row("intercept", f"{float(rules.intercept[0]):.4g}")
    console = Console()
    console.print()
    console.print(table)
    bent = [column for *_, column in found[:n_shown] if column is not None]
    if bent:
        print_slopes(bent, rules.coef[0])
    negative, positive = rules.pairs[0]
    more = ""
    if len(found) > n_shown:
        more = f"The {n_shown} features of {len(found)} that count most; --all shows every one. "
    console.print(
        visible(f"{more}A positive coefficient speaks for {positive}, a negative for {negative}."),
        style="dim",
    )


def _print_pairs(rules: _Coefficients) -> None:
    """Print which features count most for each pair of classes."""
    table = Table("pair of classes", "features that count most", box=None, pad_edge=False)
    for rule, (negative, positive) in enumerate(rules.pairs[:_MOST_PAIRS]):
        largest = [rules.names[i] for i in rules.order(rule)[:_OF_PAIR]]
        table.add_row(visible(f"{negative}, {positive}"), visible(", ".join(largest)))
    console = Console()
    console.print()
    console.print(table)
    n_pairs = len(rules.pairs)
    left_out = f" {_MOST_PAIRS} of {n_pairs} are shown;" if n_pairs > _MOST_PAIRS else ""
    console.print(
        f"There is one rule for each of the {n_pairs} pairs of classes, with {len(rules.names)} "
        f"coefficients;{left_out} --json prints all.",
        style="dim",
        highlight=False,
    )
