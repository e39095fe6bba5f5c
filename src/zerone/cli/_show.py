"""Results of a command, as tables or as JSON."""

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from zerone import Encoding, Moments
from zerone._data.labels import label_list, positive_position
from zerone.metrics import METRICS

_FEW_COLUMNS = 8
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def json_keys(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return printed names as keys: "held-out AUC" is ``held_out_auc``."""
    return {
        name.lower().replace(" ", "_").replace("-", "_"): value for name, value in facts.items()
    }


def quality(model: Any) -> dict[str, Any]:
    """Return what is known of a fitted classifier: held-out and expected metric, status.

    "held-out interval" is that of the metric, of 95 %; None if it is not known.
    """
    metric, shown = METRICS[model.metric], of_positive_class(model)
    if metric.name not in ("error", "auc"):
        shown |= {
            f"held-out {metric.title}": finite(model.held_out_metric_),
            f"expected {metric.title}": finite(model.expected_metric_),
        }
    own, title = ("auc", "AUC") if metric.is_ranking else ("error", "error")
    return {
        **shown,
        f"held-out {title}": finite(getattr(model, f"held_out_{own}_")),
        f"expected {title}": finite(getattr(model, f"expected_{own}_")),
        "held-out interval": _held_out_interval(model),
        "status": model.status_,
    }


def quality_in_words(model: Any) -> dict[str, Any]:
    """Return the same for people: the interval is beside its figure.

    Of several classes there is a figure for each pair, which only JSON has.
    """
    known = quality(model)
    interval = known.pop("held-out interval")
    title = f"held-out {METRICS[model.metric].title}"
    if len(model.classes_) == 2 and interval is not None:
        low, high = interval
        known[title] = f"{known[title]:.4f} ({low:.4f} to {high:.4f})"
    return {name: value for name, value in known.items() if isinstance(value, float | int | str)}


def _held_out_interval(model: Any) -> list[Any] | None:
    """Return both ends, or those of each pair of classes; None if they are not known."""
    ends = np.asarray(model.held_out_interval_)
    found: list[Any] | None = None if np.isnan(ends).all() else finite(ends)
    return found


def positive_class(model: Any) -> Any:
    """Return the positive class of a classifier's metric; None if it has none."""
    labels = label_list(model.classes_)
    if not METRICS[model.metric].needs_positive or len(labels) > 2:
        return None
    return labels[positive_position(model.positive, labels)]


def of_positive_class(model: Any) -> dict[str, Any]:
    """Return the positive class as a fact; none if the metric has none."""
    positive = positive_class(model)
    return {} if positive is None else {"positive class": positive}


def visible(text: str) -> Text:
    """Return text for the terminal: no markup, and control characters as their escapes.

    A name from a table could otherwise move the cursor or change colours.
    """
    return Text(without_control(text))


def without_control(text: str) -> str:
    r"""Return a text with control characters written as escapes, such as ``\x1b``."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def print_json(facts: Mapping[str, Any]) -> None:
    """Print plain values as one JSON object."""
    text = json.dumps(facts, default=_plain, ensure_ascii=False, indent=2, allow_nan=False)
    # JSON itself escapes those below a space.
    print(re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text))


def print_facts(facts: Mapping[str, Any]) -> None:
    """Print one name and value per line."""
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in facts.items():
        table.add_row(visible(name), visible(_text(value)))
    Console().print(table)


def print_columns(encoding: Encoding | None, names: list[str] | None = None) -> None:
    """Print how each column is read, and what was assumed about it."""
    facts = column_facts(encoding, names)
    plain = [row["column"] for row in facts if row["read_as"] == "numbers" and not row["assumed"]]
    headings = ["column", "read as", "features"]
    if any(row["assumed"] for row in facts):
        headings.append("assumed")
    table = Table(*headings, box=None, pad_edge=False)
    if len(plain) > _FEW_COLUMNS:
        # Columns of plain numbers are shown in one line.
        facts = [row for row in facts if row["column"] not in plain]
        named = visible(f"{', '.join(plain[:2])}, … ({len(plain)})")
        table.add_row(named, "numbers", str(len(plain)))
    for row in facts:
        cells = [row["column"], row["read_as"], str(row["features"] or ""), *row["assumed"]]
        texts = [*cells[:3], "; ".join(cells[3:])][: len(headings)]
        table.add_row(*map(visible, texts))
    if table.row_count:
        Console().print(table)


def column_facts(encoding: Encoding | None, names: list[str] | None = None) -> list[dict[str, Any]]:
    """Return how each column is read."""
    if encoding is None:
        return [
            {"column": name, "read_as": "numbers", "features": 1, "assumed": []}
            for name in names or []
        ]
    return [
        {
            "column": own.column,
            "read_as": own.read_as,
            "features": own.n_features,
            "assumed": list(own.assumed),
        }
        for own in encoding.plan
    ]


def class_facts(moments: Moments) -> dict[str, float]:
    """Return the weight of each class."""
    return {str(label): own.weight for label, own in moments.items()}


def print_classes(moments: Moments) -> None:
    """Print how large the classes are."""
    table = Table("class", "rows (weight)", "share", box=None, pad_edge=False)
    total = moments.weight
    for label, own in moments.items():
        table.add_row(visible(str(label)), f"{own.weight:,.10g}", f"{own.weight / total:.2%}")
    Console().print(table)


def finite(value: Any) -> Any:
    """Return a number, or None for NaN; arrays as lists."""
    if isinstance(value, np.ndarray | list):
        return [finite(own) for own in (value.tolist() if isinstance(value, np.ndarray) else value)]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _text(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)
