"""The classes that are compared, and the positive one."""

from typing import Any

import numpy as np

from zerone._data.labels import label_list, positive_position
from zerone._errors import ArgumentError
from zerone._moments.moments import Moments
from zerone._typing import AnyArray, Label
from zerone._warnings import warn
from zerone.metrics import ChosenMetric

_SHOWN = 3


def require_classes(moments: Moments, target: str | None) -> None:
    """Raise unless there are two classes."""
    if len(moments) < 2:
        raise ArgumentError(
            "target",
            f"column {target!r} has only one class, {next(iter(moments))!r}",
            "name a column with at least two classes",
        )


def rare_classes(y: AnyArray, folds: int) -> dict[Label, int]:
    """Return classes with too few rows for the folds, and their numbers of rows.

    They are told in a warning. Raises unless two classes are left.
    """
    classes, counts = np.unique(y, return_counts=True)
    sizes = dict(zip(label_list(classes), counts.tolist(), strict=True))
    rare = {label: size for label, size in sizes.items() if size < folds}
    if not rare:
        return rare
    told = words_of_rare(rare, folds)
    if len(sizes) - len(rare) < 2:
        raise ArgumentError(
            "target", told, "two classes with enough rows are needed: use fewer folds"
        )
    warn(f"{told}: left out")
    return rare


def words_of_rare(rare: dict[Label, int], folds: int) -> str:
    """Return in words which classes have too few rows for the folds."""
    shown = [
        f"{label!r} ({size} row{'' if size == 1 else 's'})"
        for label, size in list(rare.items())[:_SHOWN]
    ]
    more = f" and {len(rare) - _SHOWN:,} more" if len(rare) > _SHOWN else ""
    word = "class" if len(rare) == 1 else "classes"
    return f"{word} {', '.join(shown)}{more}: too few for {folds} folds"


def without_classes(moments: Moments, rare: dict[Label, int]) -> Moments:
    """Return the moments of the other classes."""
    if not rare:
        return moments
    kept = {label: own for label, own in moments.items() if label not in rare}
    return Moments(kept, moments.feature_names, moments.encoding)


def positive_label(metric: ChosenMetric, positive: Any, moments: Moments) -> Label | None:
    """Return the positive class of a metric that has one, or of two classes the one that is named.

    Raises if there is no such class.
    """
    labels = label_list(moments.classes)
    if len(labels) > 2 and metric.is_ranking:
        raise ArgumentError(
            "metric",
            f"{metric.name!r} compares the order of two classes, but there are {len(labels)}",
            "use error, balanced_error or f1",
        )
    position = positive_position(positive, labels)
    is_known = metric.needs_positive or positive is not None
    return labels[position] if is_known and len(labels) == 2 else None
