"""What the recommendation is worth: beside the majority class, and beside rules not linear."""

from zerone.comparison._compare import Comparison
from zerone.comparison._contestants import BENT
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


def beside_straight(comparison: Comparison, straight: str, bent: str, least: float) -> list[str]:
    """Return what bends of columns change in the metric that decides, in a sentence.

    ``least`` is the t beyond which it is significant.
    """
    metric = comparison.deciding
    if bent not in comparison.metrics:
        return []
    value, other = (comparison.mean(name, metric) for name in (bent, straight))
    t = finite_t(comparison, metric, bent, straight)
    if t > least:
        return [
            f"Columns that bend take {metric} from {other:.4f} ({straight}) to {value:.4f}, which "
            "is significant."
        ]
    how = "significantly worse" if t < -least else "not significantly better"
    return [f"Columns that bend are {how} than straight lines ({value:.4f})."]


def beside_nonlinear(comparison: Comparison, least: float) -> list[str]:
    """Return what is lost because rules are sums over columns, in a sentence for each that is not.

    The best of the others is compared, zerone's or a rival.
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
            rules = "sums of curves" if best.startswith(BENT) else "linear rules"
            said.append(
                f"{start}reaches {value:.4f}: {rules} lose {lost:.4f} in {metric} here, which "
                "is significant."
            )
        else:
            how = "significantly worse" if t < -least else "not significantly better"
            said.append(f"{start}is {how} ({value:.4f}).")
    return said
