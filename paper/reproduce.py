"""From targets to a folder of tables, figures and a page."""

import functools
import os
import platform
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path

import numpy as np
import scipy
import sklearn

import zerone
from paper.claims import claims_tables
from paper.datasets.artificial import ARTIFICIAL_SETS
from paper.datasets.folder import libsvm_files
from paper.datasets.load import DataNotAvailableError, load
from paper.datasets.registry import DATA_SETS
from paper.figures import draw_figures, draw_time_against_rows, scaled_set
from paper.metric_tables import metric_tables
from paper.metrics import METRIC_RIVALS, METRICS, metric_tasks
from paper.page import make_page
from paper.plan import PAPER_TARGETS, TARGETS, Task, tasks_of
from paper.rival_tables import rival_tables
from paper.rivals import RIVALS, rival_tasks
from paper.run import run_tasks
from paper.store import Store
from paper.table import Table
from paper.tables import LAYOUTS, results_table, sets_table

# Numbers of rows in the plot of training time, by whether the run is quick.
_ROW_COUNTS = {True: (1_000, 10_000), False: (1_000, 10_000, 100_000, 1_000_000)}


def reproduce(
    targets: Iterable[str] | None = None,
    *,
    output: str | PathLike[str],
    sets: Iterable[str] | None = None,
    data_dir: str | PathLike[str] | None = None,
    folder: str | PathLike[str] | None = None,
    quick: bool = False,
    n_jobs: int = 2,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[str]:
    """Compute tables and figures of the paper and write them to a folder.

    Results are stored in ``results.jsonl`` as they come. A run that was stopped continues where it
    was when started again with the same folder.

    Parameters
    ----------
    targets : iterable of str, optional
        From `TARGETS`; by default all of the paper's.
    output : path
        A folder; created if it does not exist.
    sets : iterable of str, optional
        Restricts the tables and figures to these data sets.
    data_dir : path, optional
        Folder of the real sets; by default the environment variable ``ZERONE_DATA``.
    folder : path, optional
        Folder of LIBSVM files (``NAME.libsvm``, also compressed), which "rivals" uses in place of
        the registered sets. ``sets`` then names files.
    quick : bool, default=False
        One repeat, and artificial sets of 50 features.
    n_jobs : int, default=2
        Worker processes, each with one BLAS thread.
    progress : callable, optional
        Called with the number of tasks done, the number of all tasks, and the last task.

    Returns
    -------
    list of str
        Names of the real sets that are not available.
    """
    chosen = list(PAPER_TARGETS if targets is None else targets)
    unknown = [target for target in chosen if target not in TARGETS]
    if unknown:
        raise ValueError(f"targets: there is no {unknown[0]!r}; choose from {list(TARGETS)}")
    wanted = None if sets is None else list(sets)
    files = None if folder is None else os.fspath(folder)
    known = [*ARTIFICIAL_SETS, *DATA_SETS, *(() if files is None else libsvm_files(files))]
    strange = [name for name in wanted or () if name not in known]
    if strange:
        raise ValueError(f"sets: there is no data set {strange[0]!r}; choose from {known}")
    if data_dir is not None and not Path(data_dir).is_dir():
        raise ValueError(f"data_dir: there is no folder {os.fspath(data_dir)!r}; check the path")
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    data = None if data_dir is None else os.fspath(data_dir)
    tasks = list(tasks_of([t for t in chosen if t in LAYOUTS], wanted, quick=quick))
    if "rivals" in chosen:
        tasks += rival_tasks(wanted, files, quick=quick)
    if METRICS in chosen:
        for kind in (METRIC_RIVALS, METRICS):
            tasks += metric_tasks(kind, wanted, quick=quick)
    registered = ("real", RIVALS, METRIC_RIVALS, METRICS)
    needed = {task.name for task in tasks if task.kind in registered}
    missing = _missing(needed, data)
    planned = tasks
    tasks = [task for task in tasks if task.name not in missing]
    store = Store(folder / ("results-quick.jsonl" if quick else "results.jsonl"))
    done = [sum(task.key in store for task in tasks)]

    def finished(task: Task) -> None:
        done[0] += 1
        if progress is not None:
            progress(done[0], len(tasks), f"{task.name} {task.method}")

    run_tasks(
        tasks,
        store,
        data_dir=data,
        folder=files,
        quick=quick,
        n_jobs=n_jobs,
        progress=finished,
    )
    tables = [
        sets_table(target)
        if target in ("table1", "table4")
        else results_table(target, store, wanted, missing=missing, quick=quick)
        for target in chosen
        if target not in ("figures", "claims", RIVALS, METRICS)
    ]
    if "rivals" in chosen:
        compared = [task for task in planned if task.kind.startswith(RIVALS)]
        tables += rival_tables(store, compared, missing)
    if METRICS in chosen:
        tables += metric_tables(store, planned, missing)
    figures = {}

    def made(what: str) -> None:
        if progress is not None:
            progress(done[0], len(tasks), what)

    if "figures" in chosen:
        figures = draw_figures(data, wanted, made)
    if "claims" in chosen:
        for table in claims_tables(functools.partial(scaled_set, data_dir=data, wanted=wanted)):
            tables.append(table)
            made(table.name)
        figures["time-against-rows"] = draw_time_against_rows(_ROW_COUNTS[quick])
    _write(folder, tables, figures, _facts(quick, n_jobs, chosen))
    return sorted(missing)


def _missing(names: set[str], data_dir: str | None) -> set[str]:
    missing = set()
    for name in names:
        try:
            load(name, data_dir=data_dir, download=False)
        except DataNotAvailableError:
            missing.add(name)
    return missing


def _facts(quick: bool, n_jobs: int, chosen: list[str]) -> dict[str, str]:
    protocol = "5 folds x 4 repeats, seeds 0 to 3; one repeat of the largest sets"
    if chosen == [METRICS]:
        protocol = "5 folds x 2 repeats, seeds 0 and 1"
    return {
        "zerone": zerone.__version__,
        "protocol": "quick: one repeat" if quick else protocol,
        "workers": f"{n_jobs}, one BLAS thread each",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _write(
    folder: Path, tables: list[Table], figures: dict[str, object], facts: dict[str, str]
) -> None:
    for table in tables:
        (folder / f"{table.name}.csv").write_text(table.to_csv())
    of_paper = any(not table.is_comparison for table in tables) or bool(figures)
    title = (
        "The experiments of the paper, reproduced by zerone"
        if of_paper
        else "zerone against tuned rivals"
    )
    lines = [f"# {title}", "", *(f"- {name}: {value}" for name, value in facts.items()), ""]
    lines += [table.to_markdown() for table in tables]
    for name, figure in figures.items():
        for extension in ("png", "svg"):
            figure.savefig(folder / f"{name}.{extension}", dpi=90)  # type: ignore[attr-defined]
        lines.append(f"![{name}]({name}.png)\n")
    (folder / "results.md").write_text("\n".join(lines))
    (folder / "index.html").write_text(make_page(title, facts, tables, figures))
