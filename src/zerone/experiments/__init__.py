"""The paper's tables and figures, computed here and set beside the paper's own numbers."""

from zerone.experiments._plan import TARGETS
from zerone.experiments._reproduce import reproduce

__all__ = ["TARGETS", "reproduce"]
