"""The paper's experiments: its tables and figures, computed here and set beside its own numbers."""
