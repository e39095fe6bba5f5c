"""A threshold on the probability of a class, in place of that of the model."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer

from zerone._data.labels import label_list, positive_position
from zerone._errors import ArgumentError
from zerone._typing import AnyArray, FloatArray

ThresholdOption = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        help="Predict the positive class from this probability on, for two classes; by default "
        "the model decides.",
        show_default=False,
    ),
]
PositiveOfThreshold = Annotated[
    str | None,
    typer.Option(
        "--positive",
        help="The class that --threshold is for; by default the positive class of the model.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Threshold:
    """A class is predicted where its probability is at least this.

    Attributes
    ----------
    value : float
        From 0 to 1.
    position : int
        Of the class among both classes of the model.
    """

    value: float
    position: int

    @classmethod
    def of(cls, model: Any, value: float | None, positive: str | None) -> "Threshold | None":
        """Return the threshold of the options; None without one."""
        if value is None:
            return None
        if not 0 <= value <= 1:
            raise ArgumentError("threshold", f"got {value:g}, expected a probability from 0 to 1")
        return cls(value, positive_of(model, positive, "threshold"))

    def labels(self, classes: AnyArray, probabilities: FloatArray) -> AnyArray:
        """Return the predicted classes of rows with these probabilities."""
        is_positive = probabilities[:, self.position] >= self.value
        found: AnyArray = classes[np.where(is_positive, self.position, 1 - self.position)]
        return found


def positive_of(model: Any, given: str | None, option: str) -> int:
    """Return the position of the class of interest: as given, or the model's positive class.

    Parameters
    ----------
    option : str
        What needs it, for the message to models of several classes.
    """
    labels = label_list(model.classes_)
    if len(labels) > 2:
        raise ArgumentError(
            option, f"is for two classes, and the model has {len(labels)}", "leave it out"
        )
    return positive_position(model.positive if given is None else given, labels)
