"""What the recommendation is worth: beside the majority class, and beside rules not linear."""

from zerone.comparison._compare import Comparison
from zerone.comparison._differences import best_of, finite_t, sign_of, t_between


def beside_majority(comparison: Comparison, recommended: str, least: float) -> list[str]:
    """Return a sentence if the recommended classifier is not better than the majority class.

    ``least`` is the t beyond which it is significant.
    """
    metric = comparison.deciding
    return [
        f"{recommended} is not significantly better than {name} "
        f"({comparison.mean(name, metric):.4f}), which predicts the same class for every row."
        for name in comparison.named("majority")
        if not t_between(comparison, metric, recommended, name) > least
    ]


def beside_nonlinear(comparison: Comparison, least: float) -> list[str]:
    """Return what is lost because rules are linear, in a sentence for each that is not.

    The best linear classifier is compared, zerone's or a rival.
    """
    metric = comparison.deciding
    linear = [n for n in comparison.named("ours", "rival") if metric in comparison.metrics[n]]
    best = best_of(comparison, metric, linear)
    said = []
    for name in comparison.named("nonlinear"):
        value = comparison.mean(name, metric)
        t = finite_t(comparison, metric, name, best)
        start = f"{name}, which is not linear, "
        if t > least:
            lost = sign_of(comparison, metric) * (value - comparison.mean(best, metric))
            said.append(
                f"{start}reaches {value:.4f}: linear rules lose {lost:.4f} in {metric} here, which "
                "is significant."
            )
        else:
            how = "significantly worse" if t < -least else "not significantly better"
            said.append(f"{start}is {how} ({value:.4f}).")
    return said
