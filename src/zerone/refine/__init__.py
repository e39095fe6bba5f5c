"""What improves a fit beyond the plain moments: shrinkage of the covariances."""

from zerone.refine._shrinkage import shrink_moments

__all__ = ["shrink_moments"]
