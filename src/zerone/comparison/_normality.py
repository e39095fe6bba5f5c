"""Whether the normal model of the scores can be trusted, in words."""

import math


def normality_verdict(predicted: float, measured: float, n_rows: int, what: str = "error") -> str:
    """Return a sentence on how well the normal model predicts a measured loss.

    Parameters
    ----------
    predicted, measured : float
        The same loss, predicted from moments and measured on held-out rows.
    n_rows : int
        Number of held-out rows.
    what : str
        Name of the loss.
    """
    noise = math.sqrt(max(measured * (1 - measured), 1e-12) / max(n_rows, 1))
    gap = abs(predicted - measured)
    figures = f"predicted {what} {predicted:.4f}, measured {measured:.4f} (± {noise:.4f})"
    if gap <= max(2 * noise, 0.005):
        return (
            f"The normal approximation holds: {figures}. Rules chosen from the moments only, and "
            "the rates that the frontier predicts for them, can be trusted here."
        )
    if gap <= max(4 * noise, 0.02):
        return (
            f"The normal approximation is close: {figures}. The frontier is a good guide; measure "
            "on rows before you rely on the rates that it predicts."
        )
    return (
        f"The normal approximation is off: {figures}. Scores are far from normal here: refine on "
        "rows, and do not rely on what the moments predict."
    )
