"""Cross-validation of every contestant on a table."""

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold

from zerone import AUCClassifier, Moments, ZeroOneClassifier
from zerone._data.columns.numeric import NumericColumn
from zerone._data.table_options import ScanOptions, TableOptions
from zerone._errors import ArgumentError
from zerone._rows.table_rows import TableRows
from zerone._typing import FloatArray, Label
from zerone._uncertainty.estimates import Estimate, mean_of_splits
from zerone._uncertainty.intervals import Interval
from zerone.comparison._classes import (
    positive_label,
    rare_classes,
    require_classes,
    without_classes,
)
from zerone.comparison._contestants import BENT, Contestant, Role, known_rivals, require_names
from zerone.comparison._contestants import contestants as contestants_for
from zerone.comparison._corrected_t import corrected_interval
from zerone.comparison._outcomes import TrialRunner, time_for_rivals
from zerone.comparison._rows import ComparedRows, sampled_rows
from zerone.comparison._trial import DECIDING, Measured, Trials
from zerone.estimators._parameters import Settings
from zerone.metrics import ChosenMetric, chosen_metric

# Classifiers are compared on at most this many numbers: 64 MB.
_MAX_VALUES = 2**23


@dataclass(frozen=True, eq=False)
class Comparison:
    """The metrics of every contestant on every split.

    Attributes
    ----------
    metrics : dict name -> dict metric -> ndarray of shape (n_splits,)
        The metric that decides, ``accuracy``, ``balanced error``, ``seconds`` and, for two classes,
        ``AUC``, without contestants that failed or were stopped.
    roles : dict name -> {"ours", "rival", "majority", "nonlinear"}
        What every contestant is, as in `Contestant`.
    failures : dict name -> str
        Why some could not be fitted.
    moments : Moments
        Of all rows of the table in the classes that are compared.
    rows : ComparedRows
    is_sample : bool
        Whether the rows are a sample of the table.
    folds : int
        Number of folds.
    metric : ChosenMetric
        What decides.
    positive : label or None
        Its positive class, if it has one or one was named.
    stopped : dict name -> str
        Rivals that exceeded the time limit, and how far they had come.
    time_limit : float
        Seconds that each rival had for all splits; infinite without a limit.
    rare : dict label -> int
        Classes that are left out, and their rows, which are too few for the folds.
    table : TableRows or None
        All rows.
    bent_table : TableRows or None
        All rows, with columns that bend.
    recalls : dict name -> ndarray of shape (n_splits, n_rates)
        For two classes, the ROC curve of every contestant on every split: the recall of the
        positive class, by default the last one, at the false-positive rates ``ROC_GRID``.
    estimates : dict name -> dict metric -> list of Estimate
        The figures whose variance the held-out rows of each split tell.
    """

    metrics: dict[str, dict[str, FloatArray]]
    roles: dict[str, Role]
    failures: dict[str, str]
    moments: Moments
    rows: ComparedRows
    is_sample: bool
    folds: int
    metric: ChosenMetric = field(default_factory=lambda: chosen_metric("error"))
    positive: Label | None = None
    stopped: dict[str, str] = field(default_factory=dict)
    time_limit: float = math.inf
    rare: dict[Label, int] = field(default_factory=dict)
    table: TableRows | None = None
    recalls: dict[str, FloatArray] = field(default_factory=dict)
    estimates: dict[str, dict[str, list[Estimate]]] = field(default_factory=dict)
    bent_table: TableRows | None = None

    def classifier(self, shapes: str | None = None) -> Any:
        """Return a new classifier of zerone's for the metric that decides."""
        kind = AUCClassifier if self.metric.is_ranking else ZeroOneClassifier
        return kind(
            metric=self.metric.name,
            metric_params=self.metric.metric_params or None,
            positive=self.positive,
            shapes=shapes,
        )

    def fitted(self, shapes: str | None = None) -> Any:
        """Return that classifier, fitted to all rows; None if classes are left out."""
        table = self.table if shapes is None else self.bent_table
        if table is None or self.rare:
            return None
        model = self.classifier(shapes)
        with warnings.catch_warnings():
            # All that there is to tell was told for the comparison.
            warnings.simplefilter("ignore")
            return model._fit(table, Settings.of(model))

    @property
    def deciding(self) -> str:
        """Name of the metric that decides, a key of ``metrics``."""
        return DECIDING.get(self.metric.title, self.metric.title)

    @property
    def shown(self) -> list[str]:
        """Names of the metrics that every contestant has, in the order of the tables."""
        return list(next(iter(self.metrics.values())))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.rows.y)

    def named(self, *roles: Role) -> list[str]:
        """Return the contestants with some roles that were measured."""
        return [name for name in self.metrics if self.roles[name] in roles]

    def mean(self, name: str, metric: str) -> float:
        """Return the mean of a metric over the splits."""
        return float(self.metrics[name][metric].mean())

    def interval(self, name: str, metric: str) -> Interval:
        """Return the 95 % interval of this mean.

        From the held-out rows of all splits, for the rules that were trained. Seconds, and metrics
        at exactly a limit, have the corrected interval of the splits, as `difference` has. Unknown
        where all splits have the same value.
        """
        values = self.metrics[name][metric]
        estimates = self.estimates.get(name, {}).get(metric, [])
        if len(estimates) == len(values):
            return mean_of_splits(estimates, max(len(values) // self.folds, 1)).interval()
        low, high = corrected_interval(values, 1 / (self.folds - 1))
        return Interval(max(low, 0.0), high if metric == "seconds" else min(high, 1.0))

    def difference(self, name: str, other: str, metric: str) -> tuple[float, Interval]:
        """Return how much the mean of a contestant exceeds that of another, with its 95 % interval.

        The corrected interval of the differences in each split, as in the t test of `Verdict`: it
        contains zero if and only if the difference is not significant. Unknown where all splits
        have the same difference.
        """
        values = self.metrics[name][metric] - self.metrics[other][metric]
        return float(values.mean()), corrected_interval(values, 1 / (self.folds - 1))


def compare_table(
    source: Any,
    *,
    target: str | None = None,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    categorical: Sequence[str] = (),
    max_categories: int = 100,
    strict: bool = False,
    null_values: Sequence[str] = (),
    keep: Sequence[str] = (),
    hashed: Sequence[str] = (),
    text: Sequence[str] = (),
    folds: int = 5,
    repeats: int = 1,
    metric: str = "error",
    metric_params: Mapping[str, Any] | None = None,
    positive: Any = None,
    contestants: Sequence[Contestant] | None = None,
    rivals: Sequence[str] | None = None,
    time_limit: float | None = None,
    random_state: int = 0,
    progress: Callable[[int, int, str], None] | None = None,
) -> Comparison:
    """Return cross-validated metrics of zerone and its rivals on a table.

    Parameters
    ----------
    source, target, columns, categorical, max_categories, strict, null_values, keep, hashed, text
        As in `zerone.Moments.from_table`. How columns become features is learned from the training
        rows of each split: imputed values, categories, and columns that are left out. The held-out
        rows are encoded in the same way, as `predict` would do it.
    weight : str, optional
        A column of row weights, for training and for all metrics. Contestants that take none, such
        as LDA, are reported in ``failures``.
    folds, repeats : int
        Of the stratified cross-validation. A class with fewer rows than folds is left out, with a
        warning.
    metric, metric_params, positive : as in `zerone.ZeroOneClassifier` or `zerone.AUCClassifier`
        The metric that decides. zerone trains for it, and rivals are tuned for it.
    contestants : sequence of Contestant, optional
        By default those of `zerone.comparison.contestants`.
    rivals : sequence of str, optional
        Which others to run, if ``contestants`` are not given; by default all of ``RIVALS`` and
        ``REFERENCES``.
    time_limit : float, optional
        Seconds that each rival may take for all splits; one that takes longer is stopped and
        reported in ``stopped``. By default ten times what zerone took, and at least 30. For that,
        rivals are run in a process of their own. Infinity runs them in this one, without a limit.
    random_state : int, default=0
        Seed of the folds, and of the sample of rows that replaces a table with more than eight
        million numbers. The sample keeps all rows of rare classes and is reweighted.
    progress : callable, optional
        Called with the number of fits done, the number of all fits, and the name of the next one.
    """
    chosen = chosen_metric(metric, metric_params)
    options = TableOptions(
        target,
        columns,
        weight,
        categorical=categorical,
        max_categories=max_categories,
        strict=strict,
        null_values=null_values,
        keep=keep,
        hashed=hashed,
        text=text,
    )
    if rivals is not None:
        rivals = known_rivals(rivals)
        if contestants is not None:
            raise ArgumentError(
                "rivals", "names rivals of zerone's, but contestants are given", "leave one out"
            )
    # First of all, so that the process of the rivals starts while the table is read.
    with time_for_rivals(time_limit) as limited:
        table = TableRows.opened(source, options, ScanOptions())
        if not table.can_be_sampled:
            raise ArgumentError(
                "source",
                "can be read only once, and a comparison reads it twice",
                "write it to Parquet first",
            )
        moments = table.moments()
        has_numbers = moments.encoding is not None and any(
            isinstance(column, NumericColumn) for column in moments.encoding.columns
        )
        require_classes(moments, target)
        rows, is_sample = sampled_rows(table, _MAX_VALUES, random_state)
        rare = rare_classes(rows.y, folds)
        if rare:
            rows = rows.chosen(~np.isin(rows.y, np.array(list(rare))))
            moments = without_classes(moments, rare)
        label = positive_label(chosen, positive, moments)
        chosen = chosen.for_classes(len(moments)).for_weight(moments.weight)
        if contestants is None:
            contestants = contestants_for(
                metric, chosen.metric_params, positive=label, n_classes=len(moments), rivals=rivals
            )
        splitter = RepeatedStratifiedKFold(
            n_splits=folds, n_repeats=repeats, random_state=random_state
        )
        runner = TrialRunner(
            Trials(rows, chosen, label, is_sample),
            lambda: splitter.split(rows.y, rows.y),
            folds * repeats,
            progress,
        )
        require_names(contestants)
        competing = [
            own
            for own in contestants
            if (len(moments) == 2 or not own.needs_two_classes)
            and (has_numbers or not own.name.startswith(BENT))
        ]
        outcomes = runner.run(competing, limited, time_limit)
    bent_table = None
    if has_numbers:
        with warnings.catch_warnings():
            # All that there is to tell of the files was told at the first time.
            warnings.simplefilter("ignore")
            bent_table = TableRows.opened(source, replace(options, shapes="bends"), ScanOptions())
    return Comparison(
        {
            name: {
                metric: np.array([own.figures[metric] for own in splits])
                for metric in splits[0].figures
            }
            for name, splits in outcomes.measured.items()
        },
        {own.name: own.role for own in competing},
        outcomes.failures,
        moments,
        rows,
        is_sample,
        folds,
        chosen,
        label,
        outcomes.stopped,
        outcomes.limit,
        rare,
        table,
        {
            name: np.array([own.recalls for own in splits])
            for name, splits in outcomes.measured.items()
            if splits[0].recalls is not None
        },
        {name: _by_metric(splits) for name, splits in outcomes.measured.items()},
        bent_table,
    )


def _by_metric(splits: Sequence[Measured]) -> dict[str, list[Estimate]]:
    """Return the estimates of the metrics that all splits have."""
    return {
        metric: [own.estimates[metric] for own in splits]
        for metric in splits[0].estimates
        if all(metric in own.estimates for own in splits)
    }
