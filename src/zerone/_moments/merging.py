"""Moments of two sets of rows together, or of the rows of one without the other."""

from typing import TYPE_CHECKING

from zerone._data.encoding import Encoding
from zerone._errors import AdviceError, with_prefix
from zerone._moments.encoded import imputed, reencoded, settled

if TYPE_CHECKING:
    from zerone._moments.moments import Moments


def added(a: "Moments", b: "Moments") -> "Moments":
    """Return the moments of both together, under an encoding that covers both."""
    common = _common_encoding(a, b, "merge")
    if common is None or a.encoding is None or b.encoding is None:
        return merged(a, b)
    return imputed(merged(reencoded(a, common), reencoded(b, common)))


def subtracted(a: "Moments", b: "Moments") -> "Moments":
    """Return the moments of ``a`` without the rows of ``b``."""
    common = _common_encoding(a, b, "subtract")
    if common is None or a.encoding is None or b.encoding is None:
        return _without(a, b)
    return imputed(settled(_without(reencoded(a, common), reencoded(b, common))))


def merged(a: "Moments", b: "Moments") -> "Moments":
    """Return the moments of both together, without changing an encoding."""
    names = _common_names(a, b, "merge")
    by_label = dict(a.items())
    for label, moments in b.items():
        by_label[label] = by_label[label].merge(moments) if label in by_label else moments
    return type(a)(by_label, names, a.encoding or b.encoding)


def _without(a: "Moments", b: "Moments") -> "Moments":
    names = _common_names(a, b, "subtract")
    left = dict(a.items())
    for label, moments in b.items():
        if label in left:
            try:
                left[label] = left[label].subtract(moments)
            except ValueError as error:
                raise with_prefix(error, f"class {label!r}") from None
        elif moments.weight > 0:
            raise AdviceError(
                f"class {label!r} cannot be subtracted, it is not among the classes "
                f"{a.classes.tolist()!r}",
                "subtract moments of rows that are part of these",
            )
    return type(a)(left, names, a.encoding or b.encoding)


def _common_names(a: "Moments", b: "Moments", verb: str) -> tuple[str, ...] | None:
    """Return the common feature names of two moments; raises if they differ.

    Moments without names are taken to have the same features in the same order.
    """
    if a.n_features != b.n_features:
        raise AdviceError(
            f"cannot {verb}: one has {a.n_features} features, the other {b.n_features}",
            "select the same features first",
        )
    if a.feature_names is None or b.feature_names is None:
        return a.feature_names or b.feature_names
    for position, names in enumerate(zip(a.feature_names, b.feature_names, strict=True)):
        if names[0] != names[1]:
            raise AdviceError(
                f"cannot {verb}: feature {position} is {names[0]!r} in one and {names[1]!r} in "
                "the other",
                "bring the features into the same order with select",
            )
    return a.feature_names


def _common_encoding(a: "Moments", b: "Moments", verb: str) -> Encoding | None:
    """Return an encoding that covers both moments; None if neither has one.

    Raises if columns or categories differ: a category of only one of them may be a misspelling,
    so users have to join the encodings themselves.
    """
    if a.encoding is None and b.encoding is None:
        return None
    if a.encoding is None or b.encoding is None:
        given = a.encoding or b.encoding
        if given is not None and not given.is_plain:
            raise AdviceError(
                f"cannot {verb}: only one of the moments was read from a table with categories or "
                "missing values",
                "read the other with Moments.from_table and the same encoding",
            )
        return given
    difference = a.encoding.difference(b.encoding)
    if difference is not None:
        raise AdviceError(
            f"cannot {verb}: the encodings differ, {difference}", "if that is intended, ⟨join⟩"
        )
    return a.encoding | b.encoding
