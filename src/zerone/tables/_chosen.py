"""Which columns of a table become features."""

from collections.abc import Sequence

from zerone.tables._open import require_texts


def chosen_columns(
    available: Sequence[str], target: str | None, columns: Sequence[str] | None, weight: str | None
) -> list[str]:
    """Return the columns that become features; raises for one that is not there."""
    if columns is not None:
        require_texts("columns", columns)
    wanted = {"target": [target], "weight": [weight], "columns": columns or ()}
    for argument, names in wanted.items():
        for name in names:
            if name is not None and name not in available:
                raise ValueError(
                    f"{argument}: there is no column {name!r}; the table has "
                    f"{', '.join(map(repr, available))}"
                )
    if weight is not None and weight == target:
        raise ValueError(f"weight: {weight!r} is the target")
    if columns is None:
        chosen = [name for name in available if name not in (target, weight)]
    else:
        chosen = list(columns)
        for name in chosen:
            if name in (target, weight) or chosen.count(name) > 1:
                raise ValueError(f"columns: {name!r} is the target, the weight, or named twice")
    if not chosen:
        raise ValueError("columns: no column is left to become a feature")
    return chosen
