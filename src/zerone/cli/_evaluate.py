"""The metrics of a model on labelled rows, read part by part."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, roc_auc_score

from zerone._typing import AnyArray, FloatArray
from zerone.cli._show import positive_class
from zerone.comparison import measured_metric
from zerone.estimators._table_prediction import labelled_predictions, require_known_labels
from zerone.metrics import chosen_metric

_METHODS = ("predict", "decision_function", "predict_proba")


@dataclass(frozen=True, eq=False)
class Measured:
    """The results of a model on labelled rows.

    Attributes
    ----------
    figures : dict
        The metric of the model, accuracy, error, balanced error, AUC for two classes, and the
        recall of each class.
    scores, probabilities : ndarray
    labels : ndarray
    """

    figures: dict[str, Any]
    scores: FloatArray
    probabilities: FloatArray
    labels: AnyArray


def measured(model: Any, source: Any, target: str | None) -> Measured:
    """Return the metrics of a model on a table.

    Scores, probabilities and labels are kept for all rows; the rows are not.
    """
    parts = list(labelled_predictions(model, source, target, None, _METHODS))
    labels = np.concatenate([own for own, _, _ in parts])
    predicted, scores, probabilities = (
        np.concatenate([found[position] for _, _, found in parts]) for position in range(3)
    )
    require_known_labels(model, set(np.unique(labels).tolist()), len(labels))
    accuracy = float(np.mean(predicted == labels))
    classes = model.classes_
    figures: dict[str, Any] = {"rows": len(labels), "accuracy": accuracy, "error": 1 - accuracy}
    known = np.isin(labels, classes)
    truth, answers = labels[known], predicted[known]
    positive = positive_class(model)
    if positive is not None and len(np.unique(truth)) == 2:
        metric = chosen_metric(model.metric, model.metric_params).for_weight(len(labels))
        sign = -1.0 if positive == classes[0] else 1.0
        own = measured_metric(
            metric, truth == positive, sign * scores[known], answers == positive, at_limit=False
        )
        figures |= {"positive class": positive, **own}
    figures["balanced error"] = 1 - float(balanced_accuracy_score(truth, answers))
    if len(classes) == 2 and len(np.unique(truth)) == 2:
        figures["AUC"] = float(roc_auc_score(truth == classes[1], scores[known]))
    table = confusion_matrix(truth, answers, labels=classes)
    sizes = table.sum(axis=1)
    figures["recall"] = {
        str(label): float(table[i, i] / sizes[i]) if sizes[i] else None
        for i, label in enumerate(classes.tolist())
    }
    return Measured(figures, scores, probabilities, labels)
