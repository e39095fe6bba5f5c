"""How a model does on labelled rows that are read in parts."""

from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, roc_auc_score

from zerone._typing import AnyArray, FloatArray
from zerone.tables import labels_of_table


def measured(
    model: Any, source: str, target: str | None, null_values: list[str]
) -> tuple[dict[str, Any], FloatArray, AnyArray]:
    """Return accuracy, balanced error and, for two classes, AUC of a model on a table.

    Also the scores and labels of its rows.

    Scores and labels of all rows are kept, eight bytes each; rows are not.
    """
    accuracy = model.score_table(source, target=target, null_values=null_values)
    given = {"null_values": null_values}
    predicted = np.concatenate(list(model.predict_batches(source, **given)))
    labels = labels_of_table(source, target, is_text=all(map(_is_text, model.classes_.tolist())))
    classes = model.classes_
    found: dict[str, Any] = {"rows": len(labels), "accuracy": accuracy, "error": 1 - accuracy}
    known = np.isin(labels, classes)
    found["balanced error"] = 1 - float(balanced_accuracy_score(labels[known], predicted[known]))
    scores = np.concatenate(
        list(model.predict_batches(source, method="decision_function", **given))
    )
    if len(classes) == 2 and len(np.unique(labels[known])) == 2:
        found["AUC"] = float(roc_auc_score(labels[known] == classes[1], scores[known]))
    table = confusion_matrix(labels[known], predicted[known], labels=classes)
    sizes = table.sum(axis=1)
    found["recall"] = {
        str(label): float(table[i, i] / sizes[i]) if sizes[i] else None
        for i, label in enumerate(classes.tolist())
    }
    return found, scores, labels


def _is_text(label: Any) -> bool:
    return isinstance(label, str)
