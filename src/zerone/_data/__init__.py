"""The rows that users pass in: arrays, frames, tables in files; their labels and encoding."""
