"""The comparison with rivals as tables: accuracy, AUC, times, and the count of wins."""

from collections.abc import Collection, Iterable

import numpy as np

from paper.plan import Task
from paper.rivals import AUC_LEVELS, AUC_RIVALS, ERROR_LEVELS, ERROR_RIVALS
from paper.store import Store
from paper.table import Table
from zerone._typing import FloatArray
from zerone.comparison import SIGNIFICANT, corrected_t

_TITLES = {
    "error-moments": "moments only",
    "error-frontier": "frontier",
    "error-polish": "zerone (default)",
    "auc-moments": "moments only",
    "auc-frontier": "frontier",
    "auc-polish": "zerone (default)",
    "logistic": "LogisticRegressionCV",
    "logistic-auc": "LogisticRegressionCV",
    "svm": "LinearSVC, tuned",
    "lda": "LDA",
    "hinge": "pairwise hinge",
}


def rival_tables(store: Store, tasks: Iterable[Task], missing: Collection[str]) -> list[Table]:
    """Return all tables of the comparison.

    Parameters
    ----------
    tasks : iterable of Task
        All tasks, in the order of the tables.
    missing : collection of str
        Sets that are not available.
    """
    sets = dict.fromkeys((task.kind, task.name) for task in tasks)
    results = {name: _Results(store, kind, name) for kind, name in sets if name not in missing}
    tables = []
    for metric, levels, rivals in (
        ("accuracy", ERROR_LEVELS, ERROR_RIVALS),
        ("auc", AUC_LEVELS, AUC_RIVALS),
    ):
        tables += [
            _scores(results, missing, metric, levels, rivals),
            _verdicts(results, metric, levels[-1], rivals),
            _times(results, metric, levels, rivals),
        ]
    # Sets with several classes have no AUC.
    return [table for table in tables if table.rows]


class _Results:
    """The folds of one set."""

    def __init__(self, store: Store, kind: str, name: str) -> None:
        self._records = store.matching(f"{kind}/{name}/")

    @property
    def size(self) -> list[str]:
        if not self._records:
            return ["", ""]
        return [f"{self._records[0]['rows']:,}", f"{self._records[0]['features']:,}"]

    def values(self, method: str, quantity: str) -> FloatArray:
        found = [record["methods"].get(method, {}).get(quantity) for record in self._records]
        return np.array([value for value in found if value is not None], dtype=np.float64)

    def best_rival(self, rivals: Iterable[str], metric: str) -> str | None:
        means = {r: self.values(r, metric).mean() for r in rivals if len(self.values(r, metric))}
        return max(means, key=lambda r: means[r]) if means else None


def _scores(
    results: dict[str, _Results],
    missing: Collection[str],
    metric: str,
    levels: tuple[str, ...],
    rivals: tuple[str, ...],
) -> Table:
    rows = [[name, "data not available", *[""] * (1 + len(levels) + len(rivals))]
            for name in sorted(missing)]  # fmt: skip
    for name, result in results.items():
        ours = result.values(levels[-1], metric)
        if not len(ours):
            continue
        row = [name, *result.size]
        row += [f"{result.values(level, metric).mean():.4f}" for level in levels]
        for rival in rivals:
            theirs = result.values(rival, metric)
            if not len(theirs):
                row.append("sparse")
                continue
            t = corrected_t(ours, theirs)
            cell = f"{theirs.mean():.4f} ({t:+.1f})"
            row.append(f"**{cell}**" if abs(t) > SIGNIFICANT else cell)
        rows.append(row)
    columns = ["data", "rows", "features", *(_TITLES[m] for m in (*levels, *rivals))]
    what = "accuracy" if metric == "accuracy" else "AUC"
    notes = [
        "in brackets: corrected t of zerone's default against the rival; positive if zerone is "
        f"better, bold if larger than {SIGNIFICANT:g}",
        "rivals get standardised features unless these are sparse; zerone gets the original "
        "features; LDA takes no sparse rows",
    ]
    return Table(f"rivals-{metric}", f"Test {what} on the same splits", columns, rows, notes)


def _verdicts(
    results: dict[str, _Results], metric: str, ours: str, rivals: tuple[str, ...]
) -> Table:
    rows = []
    for rival in (*rivals, "best"):
        counts = {"wins": 0, "ties": 0, "losses": 0}
        won: list[str] = []
        for name, result in results.items():
            chosen = result.best_rival(rivals, metric) if rival == "best" else rival
            if chosen is None or not len(result.values(chosen, metric)):
                continue
            t = corrected_t(result.values(ours, metric), result.values(chosen, metric))
            verdict = "wins" if t > SIGNIFICANT else "losses" if t < -SIGNIFICANT else "ties"
            counts[verdict] += 1
            if verdict == "wins":
                won.append(name)
        if not sum(counts.values()):
            continue
        title = "the best of them on each set" if rival == "best" else _TITLES[rival]
        rows.append([title, *(str(number) for number in counts.values()), ", ".join(won)])
    what = "accuracy" if metric == "accuracy" else "AUC"
    return Table(
        f"rivals-{metric}-verdicts",
        f"Significant differences in {what}",
        ["zerone's default against", "wins", "ties", "losses", "won on"],
        rows,
        ["corrected resampled t-test over the splits, |t| > 2"],
    )


def _times(
    results: dict[str, _Results], metric: str, levels: tuple[str, ...], rivals: tuple[str, ...]
) -> Table:
    rows, ratios = [], []
    for name, result in results.items():
        seconds = {m: result.values(m, "seconds") for m in (*levels, *rivals)}
        if not all(len(seconds[m]) for m in (*levels, rivals[0])):
            continue
        means = {m: values.mean() for m, values in seconds.items() if len(values)}
        ratios.append(means[levels[-1]] / means[rivals[0]])
        rows.append(
            [
                name,
                *(f"{means[m]:.4f}" if m in means else "" for m in (*levels, *rivals)),
                f"{ratios[-1]:.2f}",
                f"{means[levels[1]] / means[levels[0]]:.2f}",
            ]
        )
    notes = []
    if ratios:
        notes.append(
            f"zerone's default takes {np.median(ratios):.2f} times as long as LogisticRegressionCV "
            f"(8 C's, 3 folds) at the median, {max(ratios):.2f} times at most"
        )
    columns = [
        "data",
        *(f"{_TITLES[m]} s" for m in (*levels, *rivals)),
        "default / LogisticRegressionCV",
        "frontier / moments",
    ]
    what = "accuracy" if metric == "accuracy" else "AUC"
    title = f"Training time for {what}, mean over the folds"
    return Table(f"rivals-{metric}-times", title, columns, rows, notes)
