"""One class for each source of labelled rows, and all that a fit asks of it."""
