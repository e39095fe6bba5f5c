"""Standard errors and intervals of what labelled rows measure: shares, ratios, AUC, means."""
