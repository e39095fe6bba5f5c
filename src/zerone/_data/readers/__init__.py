"""Readers of tables: one file per format, all with the members of `TableSource`."""
