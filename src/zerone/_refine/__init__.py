"""Improve the rule of the moments on rows: folds, candidates, held-out losses, polish."""
