"""Shared by tests of several packages."""

import json

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose

JOBS = ["baker", "cook", "nurse", "smith, black", 'say "hi"']


def assert_same_classifier(a, b, tolerance=1e-9):
    scale = np.abs(b.coef_).max(axis=1, keepdims=True)
    assert_allclose(a.coef_ / scale, b.coef_ / scale, atol=tolerance)
    assert_allclose(a.intercept_, b.intercept_, rtol=tolerance, atol=tolerance)
    assert a.classes_.tolist() == b.classes_.tolist()


def gaussian_rows(seed, n=120, d=3, classes=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.standard_normal((n, d)) * (1 + y[:, None]) + y[:, None] * rng.standard_normal(d)
    return X, y, rng


def make_table(rng, n=200):
    """Return a table with columns of every kind."""
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


def requests_of(browser, page):
    """Return what a page asked for that is not in it."""
    requested = [
        message["params"]["request"]["url"]
        for entry in browser.get_log("performance")
        if (message := json.loads(entry["message"])["message"])["method"]
        == "Network.requestWillBeSent"
    ]
    return [url for url in requested if not url.startswith(("data:", page))]
