"""Comparison of zerone with the usual linear classifiers, on the user's own table.

All classifiers are cross-validated on the same splits: the metric that decides, accuracy, AUC,
balanced error, time to fit, a test of significance, and a recommendation in words. zerone is
trained for the metric, and rivals are tuned for it. The majority class and gradient-boosted trees
show what the rules are worth. A report is one self-contained HTML file.
"""

from zerone.comparison._compare import Comparison, compare_table
from zerone.comparison._contestants import (
    CONTESTANTS,
    REFERENCES,
    RIVALS,
    Contestant,
    contestants,
)
from zerone.comparison._corrected_t import SIGNIFICANT, corrected_t
from zerone.comparison._measure import measured_metric
from zerone.comparison._page import Page, PageTable, Picture
from zerone.comparison._recipe import Recipe
from zerone.comparison._report import comparison_report, evaluation_report
from zerone.comparison._verdict import Verdict, verdict
from zerone.comparison._weaknesses import Weakness
from zerone.comparison._words import what_was_compared

__all__ = [
    "CONTESTANTS",
    "REFERENCES",
    "RIVALS",
    "SIGNIFICANT",
    "Comparison",
    "Contestant",
    "Page",
    "PageTable",
    "Picture",
    "Recipe",
    "Verdict",
    "Weakness",
    "compare_table",
    "comparison_report",
    "contestants",
    "corrected_t",
    "evaluation_report",
    "measured_metric",
    "verdict",
    "what_was_compared",
]
