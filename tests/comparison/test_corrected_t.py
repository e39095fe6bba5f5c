import numpy as np
import pytest

from zerone.comparison import corrected_t


def test_corrected_t():
    a, b = np.array([0.9, 0.8, 0.85, 0.9]), np.array([0.8, 0.8, 0.8, 0.85])
    difference = a - b
    expected = difference.mean() / np.sqrt(difference.var(ddof=1) * (1 / 4 + 1 / 4))
    assert corrected_t(a, b) == pytest.approx(expected)
    assert corrected_t(b, a) == pytest.approx(-expected)
    assert corrected_t(a, a) == 0
    assert corrected_t(np.ones(4), np.zeros(4)) == np.inf
    assert np.isnan(corrected_t(a, b[:3]))
