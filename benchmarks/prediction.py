"""Predicting beside one product with the coefficients, and beside logistic regression."""

import operator
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from benchmarks.race import Contestant, race
from benchmarks.records import Case, Row, Settings, shape_name
from zerone import ZeroOneClassifier
from zerone._typing import AnyArray

PREDICT = "ZeroOneClassifier.predict"
COEF_PRODUCT = "X @ coef"
_SHAPES = ((1_000_000, 20), (30_000, 784))
_QUICK_SHAPES = ((100_000, 20), (4_000, 400))
_DENSITY = 0.05


def prediction_section(settings: Settings) -> Iterator[Row]:
    """Yield the cost of predicting rows in every container."""
    for n, d in _QUICK_SHAPES if settings.quick else _SHAPES:
        rng = np.random.default_rng(0)
        X = 10 * rng.standard_normal((n, d))
        y = (X[:, 0] + rng.standard_normal(n) > 0).astype(int)
        containers = {
            "C order": X,
            "Fortran order": np.asfortranarray(X),
            "float32": X.astype(np.float32),
            "integers": X.astype(np.int64),
            "DataFrame": pd.DataFrame(X).rename(columns="x{}".format),
            "sparse": sp.csr_array(X * (rng.random((n, d)) < _DENSITY)),
        }
        for name, rows in containers.items():
            case = Case("prediction", f"{shape_name(n, d)}, {name}", settings.threads, n, d)
            yield from race(case, list(_contestants(rows, y)))


def _contestants(rows: Any, y: AnyArray) -> Iterator[Contestant]:
    """Yield two models fitted to the first rows, and the product they cannot do without."""
    few = 10 * rows.shape[1]
    models = {
        PREDICT: ZeroOneClassifier(refine=None).fit(rows[:few], y[:few]),
        "LogisticRegression.predict": LogisticRegression().fit(rows[:few], y[:few]),
    }
    for name, model in models.items():
        yield Contestant(name, partial(model.predict, rows))
    table = rows if sp.issparse(rows) else np.ascontiguousarray(rows, dtype=np.float64)
    yield Contestant(COEF_PRODUCT, partial(operator.matmul, table, models[PREDICT].coef_[0]))
