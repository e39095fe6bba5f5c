"""How a comparison was made, in words for the report and the command line."""

from zerone.comparison._classes import words_of_rare
from zerone.comparison._compare import Comparison
from zerone.comparison._contestants import BENT
from zerone.comparison._references import MAJORITY, TREES

_OF_REFERENCES = {
    MAJORITY: "which always predicts the largest class",
    TREES: "trees in the settings of scikit-learn, which are not linear",
}


def what_was_compared(comparison: Comparison) -> list[str]:
    """Return what to know about the figures, a sentence each."""
    said = []
    if comparison.moments.encoding is not None:
        said.append(
            "Categories, imputed values and columns that are left out are learned from the "
            "training rows of each split; the seconds are those of the fit alone."
        )
    bent = [name for name in comparison.metrics if name.startswith(BENT)]
    if bent:
        said.append(
            f"In {bent[0]} columns of numbers may bend where held-out training rows prefer that: "
            "shapes='auto', or zerone fit --shapes auto."
        )
    if has_row_weights(comparison):
        said.append("All fits and metrics count rows by their weights.")
    if comparison.rare:
        said.append(f"Left out: {words_of_rare(comparison.rare, comparison.folds)}.")
    measured = comparison.metrics
    told = [f"{name}, {what}" for name, what in _OF_REFERENCES.items() if name in measured]
    if told:
        said.append(f"Never recommended: {'; '.join(told)}.")
    if comparison.metric.name != "error":
        said.append(what_was_tuned(comparison))
    return said


def has_row_weights(comparison: Comparison) -> bool:
    """Whether the table has a column of row weights."""
    encoding = comparison.moments.encoding
    return encoding is not None and encoding.weight is not None


def what_was_tuned(comparison: Comparison) -> str:
    """Return in words for which metric all contestants were trained or tuned, and how."""
    metric, is_ours = comparison.metric, "ZeroOneClassifier"
    if metric.is_ranking:
        is_ours = "AUCClassifier"
    has_thresholds = not metric.is_ranking and len(comparison.moments) == 2
    tuned = "penalties and thresholds" if has_thresholds else "penalties"
    at_limit = ""
    if metric.limited is not None:
        at_limit = (
            f" The {metric.title} is that at exactly this {metric.limited} on the test rows; "
            f'"its {metric.limited}" is what the fitted threshold has there.'
        )
    return (
        f"{is_ours} is trained for {metric.describe(comparison.positive)}; the {tuned} of the "
        f"rivals are chosen for it on held-out rows.{at_limit}"
    )
