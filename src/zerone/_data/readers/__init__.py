"""Readers of tables: one module per format, each with the methods of `TableSource`."""
