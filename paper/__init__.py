"""The paper's experiments: its tables and figures, computed again beside its own numbers."""
