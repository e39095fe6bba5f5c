"""`Scorecard`: integer points for the bins of a few columns, and what their total means."""

import json
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from zerone._data.containers import is_frame
from zerone._data.encoding import Encoding
from zerone._data.windows import ColumnTable
from zerone._errors import AdviceError, ArgumentError
from zerone._files import write_at_once
from zerone._typing import AnyArray, FloatArray, IntArray
from zerone.scorecards._lines import CardColumn, features_of

_FORMAT, _VERSION = "zerone-scorecard", 1


@dataclass(frozen=True, eq=False)
class Scorecard:
    """Integer points for each bin of a few columns: their total decides between two classes.

    Made by ``classifier.to_scorecard``. It is printed by ``print`` and shown in notebooks.

    Attributes
    ----------
    columns : tuple of CardColumn
        The columns, with ``cases``: what each bin holds, in words, and its points.
    threshold : int
        From this total on the last class is predicted.
    classes : tuple
        The two labels.
    slope, intercept : float
        The log-odds of the last class are intercept + slope · total.
    positions : tuple of int or None
        Of the columns among those of an array; None if the card reads a table.
    n_columns : int
        Of such an array.
    encoding : Encoding or None
        How the columns of a table are read.
    held_out : dict
        Error, AUC and logarithmic loss, measured on five parts of the rows, each with a card that
        was made without it, bins and points included, of the same columns.
    """

    columns: tuple[CardColumn, ...]
    threshold: int
    classes: tuple[Any, Any]
    slope: float
    intercept: float
    positions: tuple[int, ...] | None
    n_columns: int
    encoding: Encoding | None
    held_out: dict[str, float] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """The highest total."""
        return sum(max(own.points) for own in self.columns)

    # -- predicting ----------------------------------------------------------------------------

    def totals_of(self, rows: Any) -> IntArray:
        """Return the total of each row, given the features of the card's columns."""
        totals = np.zeros(rows.shape[0], dtype=np.intp)
        for own in self.columns:
            totals += np.array(own.points)[own.bins(features_of(rows, own.features))]
        return totals

    def decision_function(self, X: Any) -> IntArray:
        """Return the total points of each row of a table or an array with the columns of the fit.

        Of a data frame only the columns of the card are read.
        """
        return self.totals_of(self._features(X))

    def predict(self, X: Any) -> AnyArray:
        """Return the predicted class of each row: the last one from ``threshold`` on."""
        classes = np.array(self.classes)
        return np.asarray(classes[(self.decision_function(X) >= self.threshold).astype(np.intp)])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class."""
        last = self.probability(self.decision_function(X))
        return np.column_stack([1 - last, last])

    def probability(self, total: Any) -> FloatArray:
        """Return the probability of the last class for totals."""
        return np.asarray(expit(self.intercept + self.slope * np.asarray(total)))

    def _features(self, X: Any) -> Any:
        has_names = self.encoding is not None
        if has_names and (self.positions is None or is_frame(X)):
            from zerone._data.features import frame_features

            assert self.encoding is not None
            found = frame_features(X, self.encoding)
            return np.asarray(found) if isinstance(found, ColumnTable) else found
        rows = X if hasattr(X, "tocsr") else np.asarray(X)
        if rows.ndim != 2 or rows.shape[1] != self.n_columns:
            raise ArgumentError(
                "X", f"has shape {rows.shape}, expected {self.n_columns} columns as in the fit"
            )
        own = rows.tocsr() if hasattr(rows, "tocsr") else rows
        used = own[:, list(self.positions or ())]
        dense = used.toarray() if hasattr(used, "toarray") else used.astype(np.float64)
        if not np.isfinite(dense).all():
            raise ArgumentError("X", "contains NaN or infinity", "pass finite numbers")
        return dense

    # -- reading -------------------------------------------------------------------------------

    def table(self) -> Any:
        """Return a pandas DataFrame with a row for each bin: column, case and points."""
        import pandas as pd

        rows = [(own.column.name, *case) for own in self.columns for case in own.cases]
        return pd.DataFrame(rows, columns=["column", "case", "points"])

    def probabilities(self) -> Any:
        """Return a pandas DataFrame with the probability of the last class at every total."""
        import pandas as pd

        totals = np.arange(self.most + 1)
        found = pd.DataFrame({"total": totals, f"P({self.classes[1]})": self.probability(totals)})
        return found.assign(
            predicted=np.array(self.classes)[(totals >= self.threshold).astype(int)]
        )

    def to_html(self, title: str = "Scorecard") -> str:
        """Return the card as an HTML page that can be printed; it loads nothing from outside."""
        from zerone.scorecards._html import card_page

        return card_page(self, title)

    def to_sql(self, dialect: str = "duckdb") -> str:
        """Return the total as an SQL expression: a sum of CASE expressions with integers.

        Rows with at least ``threshold`` points belong to the last class.

        Parameters
        ----------
        dialect : {"duckdb", "postgresql", "sqlite", "spark", "ansi"}, default="duckdb"
            As of the classifiers.
        """
        from zerone.scorecards._sql import card_sql

        if self.encoding is None:
            raise AdviceError(
                "an SQL expression needs column names, and this card was made of features without "
                "names",
                "fit the classifier to a data frame or a table",
            )
        return card_sql(self.columns, self.encoding, dialect)

    def __str__(self) -> str:
        lines = []
        for own in self.columns:
            lines.append(own.column.name)
            lines += [f"  {points:>3}  {case}" for case, points in own.cases]
        lines.append(f"{self.classes[1]} from {self.threshold} of {self.most} points on")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from zerone.scorecards._html import card_body

        return card_body(self)

    # -- files ---------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the card to a JSON file that `Scorecard.load` reads."""
        given = {
            "format": _FORMAT,
            "version": _VERSION,
            "columns": [own.to_dict() for own in self.columns],
            "threshold": self.threshold,
            "classes": list(self.classes),
            "slope": self.slope,
            "intercept": self.intercept,
            "positions": self.positions,
            "n_columns": self.n_columns,
            "encoding": None if self.encoding is None else self.encoding.to_json(),
            "held_out": self.held_out,
        }
        text = json.dumps(given, ensure_ascii=False, indent=1)
        write_at_once(Path(path), lambda file: file.write(text.encode()))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Scorecard":
        """Return the card in a file written by `save`."""
        try:
            given = json.loads(Path(path).read_text(encoding="utf-8"))
            if given["format"] != _FORMAT or given["version"] != _VERSION:
                raise ValueError("another format")
            first, last = given["classes"]
            return cls(
                tuple(map(CardColumn.from_dict, given["columns"])),
                int(given["threshold"]),
                (first, last),
                float(given["slope"]),
                float(given["intercept"]),
                None if given["positions"] is None else tuple(map(int, given["positions"])),
                int(given["n_columns"]),
                None if given["encoding"] is None else Encoding.from_json(given["encoding"]),
                {str(name): float(value) for name, value in given["held_out"].items()},
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ArgumentError(
                "path", f"{fspath(path)!r} is not a scorecard ({error})", "write one with save"
            ) from None
