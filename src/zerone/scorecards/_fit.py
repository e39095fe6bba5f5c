"""From a fitted classifier and its rows to a card, and what held-out rows say of it."""

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from zerone._data.batch import Batch, read_batch
from zerone._data.columns.column import Column
from zerone._data.containers import in_memory, is_dask, is_foreign
from zerone._data.encoding import Encoding
from zerone._data.labels import label_list
from zerone._data.windows import ColumnTable
from zerone._errors import AdviceError, ArgumentError
from zerone._refine.folds import deal
from zerone._refine.row_order import ordered_groups
from zerone._typing import AnyArray, FloatArray, IntArray
from zerone.estimators._input import checked_labels
from zerone.estimators._parameters import Goal, Settings, class_factors
from zerone.estimators._prediction import features_of_rows
from zerone.estimators._state import fitted_votes, on_host, table_encoding
from zerone.inspection._row_columns import columns_of
from zerone.metrics import ChosenMetric
from zerone.scorecards._lines import CardColumn, features_of, straightened
from zerone.scorecards._points import Patterns, bin_weights, integer_points, linear_odds
from zerone.scorecards._scorecard import Scorecard

_N_FOLDS = 5
# Of more rows, two folds are enough to measure a card, and save time.
_ALL_HELD_OUT, _HELD_OUT_OF_MANY = 20_000, 2
# More rows change no point.
_MOST_ROWS = 50_000


def scorecard_of(model: Any, X: Any, y: Any, sample_weight: Any, points: Any) -> Scorecard:
    """Return the card of a fitted classifier; see `LinearClassifier.to_scorecard`."""
    fitted_votes(model)
    most = checked_points(points)
    if is_dask(X) or is_foreign(X):
        raise ArgumentError("X", "is not in main memory", "give a sample of its rows")
    rows = features_of_rows(on_host(model), X)
    if isinstance(rows, ColumnTable):
        rows = np.asarray(rows)
    labels = checked_labels(model, X, in_memory(y))
    batch = read_batch(rows, labels, in_memory(sample_weight), classes=model.classes_)
    return scorecard_of_batch(model, batch, most)


def checked_points(points: Any) -> int:
    """Return the most points of a column; raises for anything but a positive integer."""
    is_integer = isinstance(points, Integral) and not isinstance(points, bool)
    if not is_integer or not 1 <= points <= 100:
        raise ArgumentError("points", f"got {points!r}, expected an integer from 1 to 100")
    return int(points)


def scorecard_of_batch(model: Any, batch: Batch, most: int) -> Scorecard:
    """Return the card of a fitted classifier, given rows of features.

    Parameters
    ----------
    model : classifier
    batch : Batch
        Rows of its classes.
    most : int
        Points of a column.
    """
    classes = label_list(model.classes_)
    if len(classes) != 2:
        raise AdviceError(f"a card is for two classes, and there are {len(classes)}", "fit two")
    model = on_host(model)
    codes = batch.codes
    chosen = np.flatnonzero(codes >= 0)
    chosen = chosen[:: -(-len(chosen) // _MOST_ROWS)]
    batch = batch.taken(chosen)
    codes = batch.codes
    if min(np.count_nonzero(codes == code) for code in (0, 1)) == 0:
        missing = classes[int(np.all(codes == 1)) - 1]
        raise ArgumentError("y", f"has no row of class {missing!r}", "give rows of both classes")
    weights = np.ones(len(codes)) if batch.weights is None else batch.weights
    moments = getattr(model, "moments_", None)
    factors = np.ones(2)
    if moments is not None:
        factors = class_factors(model.class_weight, model.classes_, moments)
    weights = weights * factors[codes]
    making = _Making(model, batch.rows, codes == 1, weights, most)
    groups = ordered_groups(batch)
    folds = deal(codes, batch.weights, _N_FOLDS, 0, groups)
    held_out = making.measured(folds)
    return making.card(np.arange(len(codes)), held_out)


@dataclass(frozen=True, eq=False)
class _Making:
    """Makes cards from rows.

    Attributes
    ----------
    model : classifier
    rows : ndarray or csr array of shape (n_rows, n_features)
    is_positive : ndarray of bool, shape (n_rows,)
    weights : ndarray of shape (n_rows,)
        With the factors of the classes.
    most : int
        Points of a column.
    """

    model: Any
    rows: Any
    is_positive: AnyArray
    weights: FloatArray
    most: int

    def card(self, chosen: IntArray, held_out: dict[str, float]) -> Scorecard:
        """Return the card of some of the rows."""
        is_positive, weights = self.is_positive[chosen], self.weights[chosen]
        columns, values, start = [], [], 0
        for column, rows in self._columns:
            features = slice(start, start + rows.shape[1])
            start = features.stop
            own = CardColumn.of(column, features, rows[chosen], is_positive, weights)
            columns.append(own)
            values.append(own.bins(rows[chosen]))
        if not columns:
            raise AdviceError("the rule uses no column", "fit it to columns that vary")
        sizes = [own.n_bins for own in columns]
        patterns = Patterns.of(values, sizes, is_positive, weights)
        points = integer_points(patterns, bin_weights(patterns), self.most)
        done = [
            column.with_points(points[own])
            for column, own in zip(columns, patterns.columns, strict=True)
        ]
        totals = patterns.totals(points)
        both = [
            np.asarray(np.bincount(totals, own, int(totals.max()) + 1), dtype=np.float64)
            for own in (patterns.positive, patterns.negative)
        ]
        slope, intercept, _ = linear_odds(both[0][None], both[1][None])
        encoding = table_encoding(self.model)
        return Scorecard(
            columns=tuple(done),
            threshold=_threshold(*self._goal(), *both),
            classes=tuple(label_list(self.model.classes_)),
            slope=float(slope[0]),
            intercept=float(intercept[0]),
            positions=None if encoding is not None and not encoding.is_plain else self._positions,
            n_columns=int(self.model.n_features_in_),
            encoding=encoding
            and Encoding(tuple(own.column for own in done), encoding.strict, encoding.null_values),
            held_out=held_out,
        )

    def measured(self, folds: IntArray) -> dict[str, float]:
        """Return error, AUC and logarithmic loss on folds, of cards made without each of them."""
        classes = (self.is_positive, ~self.is_positive)
        scores, answers = np.zeros(len(folds)), np.zeros(len(folds), dtype=bool)
        n_held_out = _N_FOLDS if len(folds) <= _ALL_HELD_OUT else _HELD_OUT_OF_MANY
        for fold in range(n_held_out):
            training = np.flatnonzero(folds != fold)
            if not all(own[training].any() for own in classes):
                return {}
            card = self.card(training, {})
            held_out = [rows[folds == fold] for _, rows in self._columns]
            totals = card.totals_of(np.hstack(held_out))
            scores[folds == fold] = card.intercept + card.slope * totals
            answers[folds == fold] = totals >= card.threshold
        judged = folds < n_held_out
        is_positive, weights = self.is_positive[judged], self.weights[judged]
        scores, answers = scores[judged], answers[judged]
        total = weights.sum()
        signs = np.where(is_positive, 1.0, -1.0)
        return {
            "error": float(weights @ (answers != is_positive) / total),
            "AUC": float(roc_auc_score(is_positive, scores, sample_weight=weights)),
            "log loss": float(weights @ np.logaddexp(0, -signs * scores) / total),
        }

    @cached_property
    def _columns(self) -> list[tuple[Column, FloatArray]]:
        """The columns of the rule, none of which bends, with their features."""
        every = columns_of(self.model)
        return [
            straightened(own.column, features_of(self.rows, own.features))
            for own in (every[position] for position in self._positions)
        ]

    @cached_property
    def _positions(self) -> tuple[int, ...]:
        """Where the columns of the rule are among all of them."""
        used = self.model.support_
        every = enumerate(columns_of(self.model))
        return tuple(place for place, own in every if used[own.features].any())

    def _goal(self) -> tuple[ChosenMetric, bool]:
        goal: Goal = Settings.of(self.model).goal(self.model.classes_)
        return goal.metric.for_weight(float(self.weights.sum())), goal.is_turned


def _threshold(
    metric: ChosenMetric, is_turned: bool, positive: FloatArray, negative: FloatArray
) -> int:
    """Return the total from which on the last class is predicted: the best for the metric.

    Parameters
    ----------
    metric : ChosenMetric
        For a ranking metric the error decides.
    is_turned : bool
        Whether the first class is the positive class of the metric.
    positive, negative : ndarray of shape (n_totals,)
        Weight of the last and the first class at every total.
    """
    sizes = positive.sum(), negative.sum()
    priors = sizes[0] / sum(sizes), sizes[1] / sum(sizes)
    missed = np.append(0.0, np.cumsum(positive)) / sizes[0]
    wrong = np.append(np.cumsum(negative[::-1])[::-1], 0.0) / sizes[1]
    if is_turned:
        missed, wrong, priors = wrong, missed, priors[::-1]
    losses = metric.losses(missed, wrong, priors)
    return int(np.argmin(losses))
