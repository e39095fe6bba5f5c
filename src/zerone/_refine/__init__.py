"""From moments to a better rule: folds, candidates, held-out evidence, polish."""
