"""Rows as users have them: arrays, frames, tables in files; their labels and their encoding."""
