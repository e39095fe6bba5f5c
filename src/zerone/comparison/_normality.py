"""Whether the normal model of the scores may be trusted, in words."""

import math


def normality_verdict(predicted: float, measured: float, n_rows: int, what: str = "error") -> str:
    """Compare what the normal model predicts with what rows measure.

    Parameters
    ----------
    predicted, measured : float
        The same loss, predicted from moments and measured on rows held out.
    n_rows : int
        That it was measured on.
    what : str
    """
    noise = math.sqrt(max(measured * (1 - measured), 1e-12) / max(n_rows, 1))
    gap = abs(predicted - measured)
    figures = f"predicted {what} {predicted:.4f}, measured {measured:.4f} (± {noise:.4f})"
    if gap <= max(2 * noise, 0.005):
        return (
            f"The normal approximation holds: {figures}. Rules chosen from the moments alone, and "
            "what the frontier predicts of them, can be trusted here."
        )
    if gap <= max(4 * noise, 0.02):
        return (
            f"The normal approximation is close: {figures}. The frontier is a good guide; measure "
            "before relying on its figures."
        )
    return (
        f"The normal approximation is off: {figures}. Scores are far from normal here, so the "
        "refinement on rows matters, and predictions of the moments alone should not be relied on."
    )
