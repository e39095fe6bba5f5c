"""When the intervals of a rule may be believed, as far as the rule itself can tell.

The limits were set by samples of covtype and simulated rows; ``evidence/coverage.py`` measures what
they are worth.
"""

from dataclasses import dataclass

from zerone._typing import AnyArray
from zerone.estimators._jackknife import N_GROUPS, Replicates

# Rows of the smaller class: at all, and for each feature that varies.
LEAST_ROWS = {False: 50, True: 1_000}
"""By whether the rule is refined."""
LEAST_ROWS_PER_FEATURE = 15
# A coefficient of a refined rule is not steady if other features inflate its variance this much:
# penalties and the weights of its parts then decide it, and they change with the number of rows.
MOST_INFLATED = 2.0
# Of groups that users give: weight of the largest one over that of the smallest one.
MOST_UNEVEN = 1.5


@dataclass(frozen=True)
class Belief:
    """Whether intervals may be believed, and why not.

    Attributes
    ----------
    reasons : tuple of str
        Why they may not; empty if they may.
    """

    reasons: tuple[str, ...]

    @property
    def may_be_believed(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.reasons


def belief(
    replicates: Replicates,
    is_steady: AnyArray,
    smaller_class: float,
    varies: AnyArray,
    *,
    is_refined: bool,
    is_constant: bool,
) -> Belief:
    """Judge the intervals of a rule.

    Parameters
    ----------
    replicates : Replicates
    is_steady : ndarray of bool of shape (n_features,)
        Which coefficients are steady.
    smaller_class : float
        Weight of the smaller class.
    varies : ndarray of bool of shape (n_features,)
        Which features vary at all.
    is_refined : bool
    is_constant : bool
        Whether the same class is predicted for every row.
    """
    needed = max(LEAST_ROWS[is_refined], LEAST_ROWS_PER_FEATURE * int(varies.sum()))
    reasons = []
    if is_constant:
        reasons.append("the same class is predicted for every row")
    if smaller_class < needed:
        reasons.append(f"the smaller class has {smaller_class:,.6g} rows of {needed:,} needed")
    if not is_refined and len(replicates.values) < N_GROUPS:
        reasons.append(f"{len(replicates.values)} groups are fewer than {N_GROUPS}")
    if replicates.unevenness > MOST_UNEVEN:
        reasons.append(f"the largest group has {replicates.unevenness:.3g} times the smallest")
    if not is_steady.any():
        reasons.append("every coefficient rests on few rows or is nearly collinear")
    return Belief(tuple(reasons))
