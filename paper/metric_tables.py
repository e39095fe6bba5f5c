"""Training for a metric as tables: values on every set, and who is better how often."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np

from paper.metric_rivals import JOINT, LDA, LOGISTIC
from paper.metrics import (
    DEFAULT,
    MEASURES,
    METRIC_RIVALS,
    METRICS,
    OURS,
    RETARGETED,
    Measure,
)
from paper.plan import Task
from paper.store import Store
from paper.table import Table
from zerone._typing import FloatArray
from zerone.comparison import SIGNIFICANT, corrected_t

_TITLES = {
    LOGISTIC: "LogisticRegressionCV",
    JOINT: "LogisticRegressionCV, C chosen with the threshold",
    LDA: "LDA",
    RETARGETED: "zerone's default, retargeted",
}
# With ten splits, by chance about 3 of 1,000 comparisons are lost beyond it, and 38 beyond 2.
_CLEAR = 3.5


def metric_tables(store: Store, tasks: Iterable[Task], missing: Collection[str]) -> list[Table]:
    """Return a table of values for each metric, and one of all verdicts.

    Parameters
    ----------
    tasks : iterable of Task
        All tasks of zerone and of the rivals, in the order of the tables.
    missing : collection of str
        Sets that are not available.
    """
    folds: dict[str, list[Task]] = {}
    for task in tasks:
        if task.kind == METRICS and task.name not in missing:
            folds.setdefault(task.name, []).append(task)
    results = {name: _Results(store, own) for name, own in folds.items()}
    tables = [_values(results, missing, measure) for measure in MEASURES]
    return [*(table for table in tables if table.rows), _verdicts(results)]


class _Results:
    """The folds of one set for which both sides have a record."""

    def __init__(self, store: Store, tasks: Iterable[Task]) -> None:
        self._records = [
            {**store[rivals.key], "methods": {**store[rivals.key]["methods"],
                                              **store[task.key]["methods"]}}
            for task in tasks
            for rivals in [Task(METRIC_RIVALS, task.name, task.method, task.repeat)]
            if task.key in store and rivals.key in store
        ]  # fmt: skip

    @property
    def size(self) -> list[str]:
        return [f"{self._records[0]['rows']:,}", f"{self._records[0]['features']:,}"]

    def of(self, method: str, measure: Measure, quantity: str = "value") -> FloatArray:
        """Return a quantity of every fold; empty if this set or method has no such metric."""
        found = [record["methods"].get(method, {}).get(measure.name) for record in self._records]
        return np.array([own[quantity] for own in found if own is not None], dtype=np.float64)

    def t(self, rival: str, measure: Measure) -> float:
        """Return the corrected t of zerone against a rival; positive if zerone is better."""
        ours, theirs = (measure.goodness(self.of(own, measure)) for own in (OURS, rival))
        return corrected_t(ours, theirs)

    def relative_time(self, method: str, measure: Measure) -> float:
        """Return the training time divided by that of zerone's default."""
        defaults = [record["methods"][DEFAULT]["seconds"] for record in self._records]
        return float(self.of(method, measure, "seconds").mean() / np.mean(defaults))


def _rivals_of(measure: Measure) -> list[str]:
    return [rival for rival in _TITLES if rival != JOINT or measure.of_counts is not None]


def _values(results: dict[str, _Results], missing: Collection[str], measure: Measure) -> Table:
    rivals = _rivals_of(measure)
    columns = ["data", "rows", "features", "zerone", *(_TITLES[rival] for rival in rivals)]
    rows = []
    for name, result in results.items():
        if not len(result.of(OURS, measure)):
            continue
        row = [name, *result.size, _cell(result, OURS, measure)]
        for rival in rivals:
            if not len(result.of(rival, measure)):
                row.append("sparse")
                continue
            t = result.t(rival, measure)
            cell = f"{_cell(result, rival, measure)} ({t:+.1f})"
            row.append(f"**{cell}**" if abs(t) > SIGNIFICANT else cell)
        rows.append(row)
    if rows:
        empty = [""] * (len(columns) - 2)
        rows = [[name, "data not available", *empty] for name in sorted(missing)] + rows
    notes = [
        f"{'lower' if measure.is_loss else 'higher'} is better; in brackets: corrected t of "
        "zerone, trained for this metric, against the rival; positive if zerone is better, bold if "
        f"larger than {SIGNIFICANT:g}",
        "at most 20,000 rows for training; rivals get standardised features unless these are "
        "sparse; LDA takes no sparse rows",
        _tuning(measure),
    ]
    if measure.limit is not None:
        notes.append(
            "the true-positive rate is that of the test rows' own ROC curve at exactly this rate; "
            "after it: the false-positive rate that the fitted threshold has on the test rows; "
            "only sets whose test parts have 500 negative rows"
        )
    title = f"{measure.title[0].upper()}{measure.title[1:]} on the same splits"
    return Table(f"metrics-{measure.name}", title, columns, rows, notes)


def _cell(result: _Results, method: str, measure: Measure) -> str:
    value = f"{result.of(method, measure).mean():.4f}"
    if measure.limit is None:
        return value
    return f"{value} at {result.of(method, measure, 'false_positive_rate').mean():.3f}"


def _tuning(measure: Measure) -> str:
    chosen = "logistic regression: 8 values of C, chosen by this metric on 3 folds"
    if measure.is_ranking:
        return chosen
    if measure.limit is not None:
        return (
            f"{chosen}; thresholds of both rivals: the highest true-positive rate on the held-out "
            "rows of these folds among those that keep the false-positive rate"
        )
    return (
        f"{chosen} at the usual threshold, as LogisticRegressionCV does; thresholds of both "
        "rivals as TunedThresholdClassifierCV, on the same 3 folds; or C is chosen by the metric "
        "with the threshold tuned"
    )


@dataclass
class _Count:
    """Comparisons with a rival: t on every set, and relative training times."""

    t: list[tuple[str, float]] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)

    def cells(self) -> list[str]:
        wins = sum(t > SIGNIFICANT for _, t in self.t)
        losses = sum(t < -SIGNIFICANT for _, t in self.t)
        clear = sum(t < -_CLEAR for _, t in self.t)
        numbers = [len(self.t), wins, len(self.t) - wins - losses, losses, clear]
        return [str(number) for number in numbers]

    def lost(self) -> str:
        """Return the sets that were lost, the clearest first."""
        lost = sorted((t, name) for name, t in self.t if t < -SIGNIFICANT)
        return ", ".join(f"{name} ({t:+.1f})" for t, name in lost)

    def times(self) -> list[str]:
        return [f"{np.median(times):.2f}" for times in (self.ours, self.theirs)]


def _verdicts(results: dict[str, _Results]) -> Table:
    rows = []
    totals = {title: _Count() for title in (*_TITLES.values(), "all of them")}
    for measure in MEASURES:
        for rival in _rivals_of(measure):
            count = _Count()
            for name, result in results.items():
                if not (len(result.of(OURS, measure)) and len(result.of(rival, measure))):
                    continue
                count.t.append((name, result.t(rival, measure)))
                count.ours.append(result.relative_time(OURS, measure))
                count.theirs.append(result.relative_time(rival, measure))
            if not count.t:
                continue
            rows.append(
                [measure.title, _TITLES[rival], *count.cells(), count.lost(), *count.times()]
            )
            for total in (totals[_TITLES[rival]], totals["all of them"]):
                total.t += count.t
                total.ours += count.ours
                total.theirs += count.theirs
    rows += [
        ["all metrics", title, *total.cells(), "", *total.times()]
        for title, total in totals.items()
        if total.t
    ]
    columns = [
        "metric",
        "zerone, trained for it, against",
        "comparisons",
        "wins",
        "ties",
        "losses",
        f"t below -{_CLEAR:g}",
        "lost on",
        "time",
        "rival's time",
    ]
    notes = [
        f"corrected resampled t-test over the splits, |t| > {SIGNIFICANT:g}; in brackets: t of the "
        "sets that were lost",
        "times: training, divided by that of zerone's default (metric='error') on the same set; "
        "the median over the sets",
    ]
    return Table("metrics-verdicts", "Significant differences", columns, rows, notes)
