"""A metric of two classes, measured on labelled rows."""

import numpy as np

from zerone._typing import AnyArray, FloatArray
from zerone.comparison._tuned import measured_roc, priors_of
from zerone.metrics import ChosenMetric, RateLoss


def measured_metric(
    metric: ChosenMetric,
    is_positive: AnyArray,
    scores: FloatArray,
    predicted: AnyArray,
    weights: FloatArray | None = None,
    *,
    at_limit: bool = True,
) -> dict[str, float]:
    """Return the metric of some rows by its title, and the rate that it limits.

    Parameters
    ----------
    is_positive : ndarray of shape (n_rows,)
    scores : ndarray of shape (n_rows,)
        Higher for the positive class.
    predicted : ndarray of shape (n_rows,)
        Whether a row is predicted positive.
    weights : ndarray of shape (n_rows,), optional
    at_limit : bool, optional
        Whether a metric with a limit is that at exactly this limit, on the ROC curve of the rows:
        so classifiers can be compared whose predictions keep it more or less. Otherwise it is that
        of the predictions. The limited rate is always that of the predictions.
    """
    priors = priors_of(is_positive, weights)
    loss = metric.loss(priors)
    curve = measured_roc(is_positive, scores, weights)[:2]
    if not isinstance(loss, RateLoss):
        return {metric.title: float(loss.reported(loss.of_roc(*curve)))}
    counted = np.ones(len(predicted)) if weights is None else weights
    rates = [
        np.array([np.average(predicted[own] != right, weights=counted[own])])
        for own, right in ((is_positive, True), (~is_positive, False))
    ]
    of_curve = loss.limit is not None and (at_limit or metric.is_ranking)
    value = loss.least_on_roc(*curve) if of_curve else loss.losses(*rates)[0]
    found = {metric.title: float(loss.reported(value))}
    if metric.limited is not None:
        found[f"its {metric.limited}"] = metric.kept(float(rates[0][0]), float(rates[1][0]), priors)
    return found
