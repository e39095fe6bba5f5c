"""The model card at the end of a report: data, assumptions, metric, limits, versions, commands."""

import platform
from importlib.metadata import version
from typing import Any

from zerone import __version__
from zerone.comparison._compare import Comparison
from zerone.comparison._page import Page
from zerone.comparison._recipe import Recipe
from zerone.comparison._words import has_row_weights

# Columns with an assumption; the table of columns has them all.
_SHOWN = 20

_LIMITS = (
    "The rule adds up what each column says, and knows interactions only where a column "
    "has them. Weights of correlated features are shared between them and are no causes. The "
    "figures hold for rows that are drawn as these were; for others, such as those of a later "
    "year, measure with zerone evaluate."
)


def add_model_card(page: Page, comparison: Comparison, model: Any, recipe: Recipe) -> None:
    """Add all that a later reader has to know.

    Parameters
    ----------
    model : fitted classifier
        Of all rows, or of the training rows of the report.
    """
    moments, encoding = comparison.moments, comparison.moments.encoding
    sizes = ", ".join(f"{label} ({own.weight:,.10g})" for label, own in moments.items())
    sample = ", a sample of the table" if comparison.is_sample else ""
    weighted = ", counted by their weights" if has_row_weights(comparison) else ""
    card = {
        "Data": recipe.data,
        "Rows": f"{comparison.n_rows:,}{sample}{weighted}",
        "Classes": sizes,
        **({} if encoding is None else {"Target": str(encoding.target)}),
        "Columns": columns_in_words(encoding, moments.n_features),
        **_bends(model),
        "Metric": comparison.metric.describe(comparison.positive),
        "Model": f"{type(model).__name__}. {model.status_}",
        "Uncertainty": (
            "Figures of the comparison are means over "
            f"{len(next(iter(comparison.metrics.values()))['accuracy'])} splits, with 95 % "
            "intervals from the held-out rows (seconds, and metrics at a limit: from the splits). "
            "Differences have intervals of the corrected resampled t-test. Shares of rows have "
            "95 % intervals of Wilson, for each share alone."
        ),
        "Limits": _LIMITS,
        "Versions": versions(),
    }
    _add(page, card, [own for own in (recipe.compare, recipe.fit) if own is not None])


def add_card_of_evaluation(page: Page, model: Any, n_rows: int) -> None:
    """Add what is known of a model that was measured on other rows."""
    encoding = getattr(model, "encoding_", None)
    parameters = ", ".join(f"{k}={v}" for k, v in (model.metric_params or {}).items())
    card = {
        "Rows": f"{n_rows:,}, which are measured here",
        "Classes": ", ".join(map(str, model.classes_.tolist())),
        **({} if encoding is None else {"Target": str(encoding.target)}),
        "Columns": columns_in_words(encoding, int(model.coef_.shape[1])),
        **_bends(model),
        "Metric": f"{model.metric} ({parameters})" if parameters else str(model.metric),
        "Model": f"{type(model).__name__}. {model.status_}",
        "Uncertainty": "Shares of rows have 95 % intervals of Wilson, for each share alone.",
        "Limits": _LIMITS,
        "Versions": versions(),
    }
    _add(page, card, [])


def _bends(model: Any) -> dict[str, str]:
    """Return which columns bend, if some do."""
    encoding = getattr(model, "encoding_", None)
    bent = () if encoding is None else encoding.bent_columns
    return {"Columns that bend": ", ".join(own.name for own in bent)} if bent else {}


def columns_in_words(encoding: Any, n_features: int) -> str:
    """Return how many columns there are, and what was assumed of them."""
    if encoding is None:
        return f"{n_features:,} features; nothing was assumed"
    assumed = [f"{own.column}: {'; '.join(own.assumed)}" for own in encoding.plan if own.assumed]
    told = ". Assumed: " + " · ".join(assumed[:_SHOWN]) if assumed else "; nothing was assumed"
    if len(assumed) > _SHOWN:
        told += f" · and {len(assumed) - _SHOWN:,} more, in the table of columns"
    return f"{len(encoding.plan):,} columns as {n_features:,} features{told}"


def versions() -> str:
    """Return the versions of what made the page."""
    packages = ("numpy", "scipy", "scikit-learn")
    told = [f"zerone {__version__}", *(f"{name} {version(name)}" for name in packages)]
    return ", ".join([*told, f"Python {platform.python_version()}"])


def _add(page: Page, card: dict[str, str], commands: list[str]) -> None:
    page.heading("Model card", link="card")
    page.definitions(card)
    if commands:
        page.paragraph("The report and the model are made again by:")
        page.code("\n".join(commands), "Commands")
