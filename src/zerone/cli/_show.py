"""Results of a command, as tables or as JSON."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from zerone import Encoding, Moments
from zerone._data.encoding import CategoryColumn
from zerone._data.labels import label_list, positive_position
from zerone.metrics import METRICS

_FEW_COLUMNS = 8


def json_keys(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return printed names as keys: "held-out AUC" is ``held_out_auc``."""
    return {
        name.lower().replace(" ", "_").replace("-", "_"): value for name, value in facts.items()
    }


def quality(model: Any) -> dict[str, Any]:
    """Return what is known of a fitted classifier: held-out and expected metric, status."""
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
        "status": model.status_,
    }


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


def print_json(facts: Mapping[str, Any]) -> None:
    """Print plain values as one JSON object."""
    print(json.dumps(facts, default=_plain, ensure_ascii=False, indent=2, allow_nan=False))


def print_facts(facts: Mapping[str, Any]) -> None:
    """Print one name and value per line."""
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in facts.items():
        table.add_row(Text(name), Text(_text(value)))
    Console().print(table)


def print_columns(encoding: Encoding | None, names: list[str] | None = None) -> None:
    """Print how each column is read."""
    table = Table("column", "read as", "features", box=None, pad_edge=False)
    facts = column_facts(encoding, names)
    plain = [row["column"] for row in facts if row["read_as"] == "numbers"]
    if len(plain) > _FEW_COLUMNS:
        # Columns of plain numbers are shown in one line.
        facts = [row for row in facts if row["read_as"] != "numbers"]
        named = Text(f"{', '.join(plain[:2])}, … ({len(plain)})")
        table.add_row(named, "numbers", str(len(plain)))
    for row in facts:
        table.add_row(Text(row["column"]), Text(row["read_as"]), str(row["features"]))
    if table.row_count:
        Console().print(table)


def column_facts(encoding: Encoding | None, names: list[str] | None = None) -> list[dict[str, Any]]:
    """Return how each column is read."""
    if encoding is None:
        return [{"column": name, "read_as": "numbers", "features": 1} for name in names or []]
    facts = []
    for column in encoding.columns:
        if isinstance(column, CategoryColumn):
            shown = ", ".join(column.categories[:3])
            more = ", …" if len(column.categories) > 3 else ""
            read_as = f"{len(column.categories)} categories ({shown}{more})"
            read_as += ", infrequent ones combined" if column.has_infrequent else ""
            read_as += ", missing as a category" if column.has_missing else ""
        else:
            read_as = "numbers"
            if column.has_indicator:
                read_as += f", missing ones imputed as {column.fill or 0.0:.4g} with an indicator"
        facts.append(
            {"column": column.name, "read_as": read_as, "features": len(column.feature_names)}
        )
    return facts


def class_facts(moments: Moments) -> dict[str, float]:
    """Return the weight of each class."""
    return {str(label): own.weight for label, own in moments.items()}


def print_classes(moments: Moments) -> None:
    """Print how large the classes are."""
    table = Table("class", "rows (weight)", "share", box=None, pad_edge=False)
    total = moments.weight
    for label, own in moments.items():
        table.add_row(Text(str(label)), f"{own.weight:,.10g}", f"{own.weight / total:.2%}")
    Console().print(table)


def finite(value: Any) -> Any:
    """Return a number, or None for NaN; arrays as lists."""
    if isinstance(value, np.ndarray):
        return [finite(own) for own in value.tolist()]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _text(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)
