"""What tests of several engines share."""

import pytest

from zerone.estimators import _base


@pytest.fixture
def samples(monkeypatch):
    """Batches that classifiers are refined on, in a list that fills as they are."""
    seen = []
    read = _base.FoldedRows.read

    def watched(batch, *given):
        seen.append(batch)
        return read(batch, *given)

    monkeypatch.setattr(_base.FoldedRows, "read", watched)
    return seen
