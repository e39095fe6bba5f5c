"""`Explanation`: what each column of a row adds to its score, and what would change the answer."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.frames import data_frame
from zerone._moments.pair import class_pairs
from zerone._typing import AnyArray, FloatArray, IntArray
from zerone.estimators._feature_statistics import feature_statistics
from zerone.estimators._prediction import features_of_rows, outcome_of_rows
from zerone.estimators._state import fitted_votes, on_host
from zerone.inspection._flips import smallest_flips
from zerone.inspection._row_columns import RowColumn, columns_of


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a classifier answers as it does for some rows.

    The score of a row is ``baseline`` plus the sum of its ``contributions``. With two classes it is
    that of `decision_function`: positive for the last class. With several, it is the score of the
    pair that decided, the predicted class against the one with the next most votes, and positive
    for the predicted class.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns. All features of a column, such as its categories, are one
        contribution.
    contributions : ndarray of shape (n_rows, n_columns)
        How much a column moves the score away from that of a row of means.
    baseline : ndarray of shape (n_rows,)
        The score of a row in which every feature has its mean in training. Zero is taken for the
        mean where it is not known, as after a fit to wide data.
    scores : ndarray of shape (n_rows,)
    predicted, against : ndarray of shape (n_rows,)
        The predicted class, and the class that it was chosen over.
    values : ndarray of str, shape (n_rows, n_columns)
        What each row has in each column; empty for text and hashed columns.
    flip_columns, flip_values : ndarray of shape (n_rows,)
        The column whose smallest change alone changes the answer, and the value that does; None
        where no column can. Dates, text and hashed columns are not changed.
    flip_sizes : ndarray of shape (n_rows,)
        Of a number in standard deviations; a change of category counts as 1.
    """

    columns: tuple[str, ...]
    contributions: FloatArray
    baseline: FloatArray
    scores: FloatArray
    predicted: AnyArray
    against: AnyArray
    values: AnyArray
    flip_columns: AnyArray
    flip_values: AnyArray
    flip_sizes: FloatArray

    def __len__(self) -> int:
        return len(self.scores)

    def largest(self, n_columns: int) -> IntArray:
        """Return the positions of the columns that contribute most to each row, largest first.

        Parameters
        ----------
        n_columns : int
            How many of them.
        """
        order = np.argsort(-np.abs(self.contributions), axis=1, kind="stable")
        found: IntArray = order[:, :n_columns]
        return found

    def reasons(self, n_columns: int = 3) -> list[list[str]]:
        """Return the columns that contribute most to each row, in words.

        Parameters
        ----------
        n_columns : int, default=3

        Examples
        --------
        >>> import numpy as np
        >>> from zerone import ZeroOneClassifier
        >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 1.0], [6.0, 0.0]] * 5)
        >>> classifier = ZeroOneClassifier(refine=None).fit(X, [0, 0, 1, 1] * 5)
        >>> classifier.explain(X[:1]).reasons(1)
        [['feature 0 = 0 (-2.67)']]
        """
        return [
            [self._reason(row, column) for column in columns]
            for row, columns in enumerate(self.largest(n_columns))
        ]

    def _reason(self, row: int, column: int) -> str:
        value = self.values[row, column]
        shown = f" = {value}" if value else ""
        return f"{self.columns[column]}{shown} ({self.contributions[row, column]:+.2f})"

    def frame(self) -> Any:
        """Return a pandas data frame with a row for each row, and a column for each attribute."""
        given = {
            "predicted": self.predicted,
            "against": self.against,
            "score": self.scores,
            "baseline": self.baseline,
            **{f"contribution of {name}": own for name, own in self._by_column()},
            "flip column": self.flip_columns,
            "flip value": self.flip_values,
            "flip size": self.flip_sizes,
        }
        return data_frame(given)

    def _by_column(self) -> Any:
        return zip(self.columns, self.contributions.T, strict=True)


def explained(classifier: Any, X: Any) -> Explanation:
    """Return why a fitted classifier answers as it does for some rows."""
    fitted_votes(classifier)
    model = on_host(classifier)
    return explained_features(model, features_of_rows(model, X))


def explained_features(model: Any, rows: Any) -> Explanation:
    """Return why a classifier in main memory answers as it does for rows of features."""
    features = _in_memory(rows)
    columns = columns_of(model)
    signs, pairs, predicted, against = _deciding_pairs(model, features)
    coef, intercept = model.coef_[pairs] * signs[:, None], model.intercept_[pairs] * signs
    known = feature_statistics(model)
    means = np.zeros(coef.shape[1]) if known is None else known.means
    contributions = np.empty((len(signs), len(columns)))
    for pair in np.unique(pairs):
        # Of two classes there is one pair; of several, rows are grouped by theirs.
        own = pairs == pair
        weights = _by_column(model.coef_[pair], columns)
        parts = features[np.flatnonzero(own)] @ weights - means @ weights
        contributions[own] = signs[own, None] * parts
    baseline = intercept + coef @ means
    flips = smallest_flips(model, features, columns, predicted)
    labels = model.classes_
    return Explanation(
        tuple(column.name for column in columns),
        contributions,
        baseline,
        baseline + contributions.sum(axis=1),
        labels[predicted],
        labels[against],
        _values(features, columns),
        *flips,
    )


def _in_memory(features: Any) -> Any:
    """Return rows of features as an array, or as a sparse matrix."""
    if sp.issparse(features):
        return sp.csr_array(features, dtype=np.float64)
    return np.asarray(features, dtype=np.float64)


def _deciding_pairs(model: Any, features: Any) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Return sign and position of the rule that decided, the predicted class, and the other one."""
    n_rows, n_classes = features.shape[0], len(model.classes_)
    answers = outcome_of_rows(model, "predict", features)
    predicted = np.searchsorted(model.classes_, answers)
    if n_classes == 2:
        pairs = np.zeros(n_rows, dtype=np.intp)
        return np.ones(n_rows), pairs, predicted, 1 - predicted
    votes = outcome_of_rows(model, "decision_function", features).copy()
    votes[np.arange(n_rows), predicted] = -np.inf
    against = votes.argmax(axis=1)
    position = {pair: own for own, pair in enumerate(class_pairs(n_classes))}
    ends = np.sort(np.stack([predicted, against], axis=1), axis=1).tolist()
    pairs = np.array([position[first, last] for first, last in ends], dtype=np.intp)
    signs = np.where(predicted > against, 1.0, -1.0)
    return signs, pairs, predicted, against


def _by_column(coef: FloatArray, columns: list[RowColumn]) -> FloatArray:
    """Return the coefficients in a matrix with a column for each column of the table."""
    found = np.zeros((len(coef), len(columns)))
    for position, column in enumerate(columns):
        found[column.features, position] = coef[column.features]
    return found


def _values(features: Any, columns: list[RowColumn]) -> AnyArray:
    values = np.empty((features.shape[0], len(columns)), dtype=object)
    for position, column in enumerate(columns):
        values[:, position] = column.shown(features)
    return values
