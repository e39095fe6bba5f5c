"""zerone beside the usual linear classifiers, on a user's own table.

Everything is cross-validated on the same splits: accuracy, AUC, balanced error, time to fit,
whether differences are significant, and a recommendation in words. A report is one page that needs
nothing else.
"""

from zerone.comparison._compare import Comparison, compare_table
from zerone.comparison._contestants import CONTESTANTS, Contestant, contestants
from zerone.comparison._corrected_t import SIGNIFICANT, corrected_t
from zerone.comparison._page import Page, PageTable, Picture
from zerone.comparison._report import comparison_report, evaluation_report
from zerone.comparison._verdict import Verdict, verdict

__all__ = [
    "CONTESTANTS",
    "SIGNIFICANT",
    "Comparison",
    "Contestant",
    "Page",
    "PageTable",
    "Picture",
    "Verdict",
    "compare_table",
    "comparison_report",
    "contestants",
    "corrected_t",
    "evaluation_report",
    "verdict",
]
