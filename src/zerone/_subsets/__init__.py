"""Subsets of columns that separate the classes best, found from moments."""
