"""From scores to probabilities, and from pairs of classes to several."""
