"""What improves a fit beyond the plain moments: shrinkage of the covariances."""

from zerone.refine._shrinkage import check_shrinkage, shrink_moments

__all__ = ["check_shrinkage", "shrink_moments"]
