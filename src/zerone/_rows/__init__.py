"""`Rows`: one class for each source of labelled rows, with all that a fit needs."""
