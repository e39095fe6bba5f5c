"""A fitted classifier as plain values, from which any program can score rows.

``rule_as_dict`` returns

==================  ===================================================================
``format``          ``zerone-rule``
``version``         1
``zerone``          the release of zerone that wrote it
``estimator``       ``ZeroOneClassifier`` or ``AUCClassifier``
``metric``          what it was trained or retargeted for, with ``metric_params``
``classes``         the labels, sorted
``strict``          whether a missing value, or a cell of another type, is an error
``missing_cells``   cells of text that mean a missing value: ``numbers`` (also among dates)
                    and ``categories``
``columns``         how each column is read and which features it becomes, in their order;
                    null if the columns are the features and have no names
``deviations``      standard deviation of each feature in training, or null
``rules``           one for each pair of classes
==================  ===================================================================

Each of the ``columns`` has its ``name``, ``kind``, ``read_as`` (the same in words) and the names
of its ``features``, which are, in this order,

============  =====================================================================
``numeric``   the number; 1 if it is missing, else 0 (only with ``indicator``). For a
              missing number the first one is ``fill``, where null is zero. In text,
              ``decimal`` and ``thousands`` are the separators. With ``knots`` k₁ < … < kₘ
              there are m + 1 features in place of the number, which add up to it:
              min(x, k₁); for each two neighbours a and b, x clipped to [a, b], minus a;
              max(x − kₘ, 0). For a missing number they are those of ``fill``.
``category``  for each of the ``categories`` whether the cell is that one; whether it is
              another one (``infrequent``); whether it is missing (``missing``). Spaces
              around the cell are left out.
``date``      days since 1970-01-01 minus ``origin``; for each of the ``cycles`` the sine
              and the cosine of 2π times the fractional part of days / ``cycle_days``,
              with days since 1970-01-01; 1 if it is missing, else 0 (only with
              ``indicator``). For a missing date the first one is ``fill``, and sines and
              cosines are 0. Hours count as shares of a day.
``hashed``    for the cell as UTF-8 the feature at murmurhash3_32(cell, seed=0) modulo
              their number is 1, all others are 0
``text``      the sum of two vectors of scikit-learn's HashingVectorizer: words and pairs of
              words, and parts of words of three and four characters
============  =====================================================================

The score of a row under a rule is the sum of ``coefficients`` times features plus ``intercept``.
With two classes, a row with a score above ``threshold`` belongs to ``positive``. ``calibration``
gives the log-odds of ``positive`` as a function of the score, in the form that `_model_file`
describes. With several classes, ``decision`` does, too: each class sums up its probabilities under
``decision`` over all pairs, and the largest sum is the prediction.
"""

from typing import Any

import numpy as np

from zerone._data.cells.null_cells import AMONG_NUMBERS, AMONG_STRINGS
from zerone._data.columns.column import Column
from zerone._data.columns.dates import CYCLES, DateColumn
from zerone._data.encoding import Encoding
from zerone._data.labels import label_list
from zerone._moments.pair import class_pairs
from zerone._probability.curves import curve_to_dict
from zerone.estimators._feature_statistics import feature_statistics
from zerone.estimators._state import column_encoding, fitted_votes, on_host

_FORMAT = "zerone-rule"
_VERSION = 1


def rule_as_dict(classifier: Any) -> dict[str, Any]:
    """Return a fitted classifier as plain values, from which any program can score rows.

    They can be written as JSON, as ``zerone export`` does; :doc:`/command_line` says what each of
    them means.

    Parameters
    ----------
    classifier : ZeroOneClassifier or AUCClassifier

    Examples
    --------
    >>> import pandas as pd
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.export import rule_as_dict
    >>> X = pd.DataFrame({"size": [1.0, 2.0, 6.0, 7.0]})
    >>> classifier = ZeroOneClassifier(refine=None).fit(X, ["small", "small", "large", "large"])
    >>> rule = rule_as_dict(classifier)["rules"][0]
    >>> score = rule["coefficients"]["size"] * 1.5 + rule["intercept"]
    >>> rule["positive"] if score > rule["threshold"] else rule["negative"]
    'small'
    """
    from zerone import __version__

    votes = fitted_votes(classifier)
    model = on_host(classifier)
    encoding = column_encoding(model)
    known = feature_statistics(model)
    labels = label_list(model.classes_)
    names = feature_names(model)
    rules = []
    for row, (negative, positive) in enumerate(class_pairs(len(labels))):
        curves = {"calibration": votes.posterior.curves[row]}
        if len(labels) > 2:
            curves["decision"] = votes.decision.curves[row]
        rules.append(
            {
                "negative": labels[negative],
                "positive": labels[positive],
                "coefficients": dict(zip(names, model.coef_[row].tolist(), strict=True)),
                "intercept": float(model.intercept_[row]),
                "threshold": 0.0,
                **{k: None if own is None else curve_to_dict(own) for k, own in curves.items()},
            }
        )
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "zerone": __version__,
        "estimator": type(model).__name__,
        "metric": model.metric,
        "metric_params": {
            name: np.asarray(value).tolist() for name, value in (model.metric_params or {}).items()
        },
        "classes": labels,
        "strict": encoding is not None and encoding.strict,
        "missing_cells": _missing_cells(encoding),
        "columns": None if encoding is None else [_column(own) for own in encoding.columns],
        "deviations": None
        if known is None
        else dict(zip(names, known.deviations.tolist(), strict=True)),
        "rules": rules,
    }


def feature_names(model: Any) -> list[str]:
    """Return the names of the features; their numbers if they have none."""
    encoding = column_encoding(model)
    if encoding is not None:
        return list(encoding.feature_names)
    return [f"feature {position}" for position in range(model.coef_.shape[1])]


def _missing_cells(encoding: Encoding | None) -> dict[str, list[str]]:
    if encoding is None or encoding.strict:
        own = [] if encoding is None else list(encoding.null_values)
        return {"numbers": own, "categories": own}
    return {
        "numbers": [*AMONG_NUMBERS, *encoding.null_values],
        "categories": [*AMONG_STRINGS, *encoding.null_values],
    }


def _column(column: Column) -> dict[str, Any]:
    described = {**column.to_dict(), "read_as": column.read_as}
    if isinstance(column, DateColumn):
        described["cycle_days"] = {name: CYCLES[name] for name in column.cycles}
    # Last: a column may have very many.
    return {**described, "features": list(column.feature_names)}
