"""The kinds of columns of a table, and how each becomes features."""
