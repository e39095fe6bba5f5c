"""The paper's tables and figures, computed here and set beside the paper's own numbers."""

from zerone.experiments._corrected_t import SIGNIFICANT, corrected_t
from zerone.experiments._plan import TARGETS
from zerone.experiments._reproduce import reproduce

__all__ = ["SIGNIFICANT", "TARGETS", "corrected_t", "reproduce"]
