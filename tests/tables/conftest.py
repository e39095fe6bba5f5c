"""What the tests of tables share: a table with columns of every kind, and small parts of it."""

import numpy as np
import pandas as pd
import pytest

from zerone.tables import _parquet, _stream, _text_pieces

JOBS = ["baker", "cook", "nurse", "smith, black", 'say "hi"']


@pytest.fixture
def table(rng):
    return make_table(rng)


def make_table(rng, n=200):
    late = rng.random(n) < 0.4
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "pay": rng.normal(2000, 300, n) + 200 * late,
            "job": rng.choice(JOBS, n),
            "city": pd.Categorical(rng.choice(["Ulm", "Bonn"], n)),
            "left": rng.random(n) < 0.5,
            "late": np.where(late, "yes", "no"),
            "count": rng.integers(0, 4, n),
        }
    )


@pytest.fixture
def small_parts(monkeypatch):
    """Read seven rows, or so many bytes, at a time."""
    for module in (_parquet, _stream):
        monkeypatch.setattr(module, "rows_per_part", lambda n_columns: 7)
    monkeypatch.setitem(_text_pieces.text_pieces.__kwdefaults__, "size", 100)
