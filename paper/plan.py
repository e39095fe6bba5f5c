"""What is run for each table: sets, methods, repeats."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from paper.datasets.artificial import ARTIFICIAL_SETS
from paper.datasets.registry import DATA_SETS

TARGETS = (
    "table1",
    "table2",
    "table3",
    "table4",
    "table5",
    "table6",
    "table7",
    "figures",
    "claims",
    "rivals",
    "metrics",
)
"""What can be reproduced. The last two, zerone against tuned rivals, are not in the paper."""

PAPER_TARGETS = TARGETS[:-2]
"""What is reproduced by default."""

_REAL_METHODS = {
    "table5": ("error-lbfgs", "error-exact", "error-default", "logistic"),
    "table6": ("rank-lbfgs", "rank-exact", "rank-default", "hinge"),
    "table7": ("error-lbfgs", "error-default", "logistic", "lda", "adam"),
}
_ARTIFICIAL_METHODS = {
    "table2": ("error-true-moments", "error-lbfgs-free", "error-default", "logistic"),
    "table3": ("rank-true-moments", "rank-lbfgs-free", "rank-default", "hinge"),
}
# Wide sparse sets are too wide for these; the paper leaves them out as well.
_NOT_ON_WIDE = ("lda", "adam")
# Sets with fewer repeats, because one takes minutes; the tables mark them.
_FEWER_REPEATS = {"covtype": 1, "mnist": 1}
_FEWER_RUNS = {"data7": 3, "data8": 3, "data9": 3}
_REPEATS, _RUNS = 4, 20


@dataclass(frozen=True)
class Task:
    """One method on one set: a repeat of 5-fold cross-validation, or one artificial draw."""

    kind: str
    """ "real" or "artificial"."""
    name: str
    method: str
    repeat: int

    @property
    def key(self) -> str:
        """The key of the stored result, shared by all tables that need it."""
        return f"{self.kind}/{self.name}/{self.method}/{self.repeat}"


def methods_of(target: str) -> tuple[str, ...]:
    """Return the methods that a table compares."""
    return {**_REAL_METHODS, **_ARTIFICIAL_METHODS}.get(target, ())


def sets_of(target: str, chosen: Iterable[str] | None = None) -> list[str]:
    """Return the data sets of a table in its order, restricted to the chosen ones."""
    names = ARTIFICIAL_SETS if target in _ARTIFICIAL_METHODS else DATA_SETS
    wanted = None if chosen is None else set(chosen)
    return [
        name
        for name in names
        if (wanted is None or name in wanted) and not (name == "shuttle" and target != "table6")
    ]


def repeats_of(name: str, *, quick: bool) -> int:
    """Return how often a set is split or drawn."""
    if quick:
        return 1
    if name in ARTIFICIAL_SETS:
        return _FEWER_RUNS.get(name, _RUNS)
    return _FEWER_REPEATS.get(name, _REPEATS)


def is_too_wide(name: str, method: str) -> bool:
    """Whether a method is not run on a set because it would need dense rows."""
    return name in DATA_SETS and DATA_SETS[name].is_sparse and method in _NOT_ON_WIDE


def is_shortened(name: str) -> bool:
    """Whether a set gets fewer repeats than the paper's 4 x 5 folds or 20 draws."""
    return name in _FEWER_REPEATS or name in _FEWER_RUNS


def tasks_of(targets: Iterable[str], sets: Iterable[str] | None, *, quick: bool) -> Iterator[Task]:
    """Yield every task that the targets need, each once, small sets first."""
    seen = set()
    chosen = None if sets is None else list(sets)
    tasks = []
    for target in targets:
        kind = "artificial" if target in _ARTIFICIAL_METHODS else "real"
        for name in sets_of(target, chosen):
            for method in methods_of(target):
                if is_too_wide(name, method):
                    continue
                tasks += [
                    Task(kind, name, method, repeat)
                    for repeat in range(repeats_of(name, quick=quick))
                ]
    for task in sorted(tasks, key=_size):
        if task not in seen:
            seen.add(task)
            yield task


def _size(task: Task) -> int:
    if task.name in ARTIFICIAL_SETS:
        spec = ARTIFICIAL_SETS[task.name]
        return spec.n_rows * spec.n_features
    data_set = DATA_SETS[task.name]
    return data_set.n_rows * (200 if data_set.is_sparse else data_set.n_features)
