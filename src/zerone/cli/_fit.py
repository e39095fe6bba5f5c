"""``zerone fit``: from a table, or from moments, to a model file."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from zerone import AUCClassifier, Moments, ZeroOneClassifier
from zerone.cli import _options as options
from zerone.cli._errors import reported
from zerone.cli._objective import Objective, parse_objective
from zerone.cli._show import (
    class_facts,
    column_facts,
    finite,
    print_classes,
    print_columns,
    print_facts,
    print_json,
)


def fit(
    source: Annotated[
        str, typer.Argument(help="A table as in `zerone moments`, or a moments file (.npz).")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    target: options.TargetColumn = None,
    objective: Annotated[
        str,
        typer.Option(help="error, auc, f1, balanced, or cost=MISS:FALSE_ALARM such as cost=10:1."),
    ] = "error",
    refine: Annotated[
        str, typer.Option(help="auto, polish, frontier or none: how far beyond the moments.")
    ] = "auto",
    weight: options.WeightColumn = None,
    columns: options.Columns = None,
    drop: options.Drop = None,
    category: options.Categories = None,
    null_value: options.NullValues = None,
    missing: options.Missing = "error",
    max_categories: options.MaxCategories = 100,
    checkpoint: Annotated[
        Path | None, typer.Option(help="A file from which a stopped scan goes on.")
    ] = None,
    jobs: options.Jobs = 1,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Fit a classifier and write it to a file."""
    with reported():
        wanted = parse_objective(objective)
        path = options.free_output(output, force=force, source=source)
        model = _estimator(wanted, refine, jobs)
        start = time.perf_counter()
        if source.endswith(".npz"):
            of_tables = {
                "--target": target,
                "--weight": weight,
                "--columns": columns,
                "--drop": drop,
                "--categorical": category,
                "--null-value": null_value,
                "--missing": None if missing == "error" else missing,
                "--checkpoint": checkpoint,
            }
            for option, given_value in of_tables.items():
                if given_value:
                    raise ValueError(f"{option}: is for tables, not for moments; leave it out")
            model.fit_moments(Moments.load(source))
        else:
            with options.readable(source) as readable:
                given = options.table_options(
                    readable,
                    target,
                    weight,
                    columns,
                    drop,
                    category,
                    null_value,
                    missing,
                    max_categories,
                )
                model.fit_table(readable, checkpoint=checkpoint, **given)
        if wanted.metric is not None:
            model = model.retarget(wanted.metric, **wanted.parameters)
        seconds = time.perf_counter() - start
        model.save(path)
        _show(model, objective, path, seconds, as_json=as_json)


def _estimator(objective: Objective, refine: str, jobs: int) -> Any:
    chosen = None if refine == "none" else refine
    estimator = AUCClassifier if objective.is_auc else ZeroOneClassifier
    return estimator(refine=chosen, n_jobs=jobs)


def _show(model: Any, objective: str, path: Path, seconds: float, *, as_json: bool) -> None:
    loss = "auc" if isinstance(model, AUCClassifier) else "error"
    names = getattr(model, "feature_names_in_", None)
    measured = finite(getattr(model, f"held_out_{loss}_"))
    expected = finite(getattr(model, f"expected_{loss}_"))
    if as_json:
        print_json(
            {
                "model": str(path),
                "objective": objective,
                "classes": class_facts(model.moments_),
                "columns": column_facts(model.encoding_, None if names is None else list(names)),
                "features": int(model.coef_.shape[1]),
                "refined": model.refine_,
                f"held_out_{loss}": measured,
                f"expected_{loss}": expected,
                "status": model.status_,
                "seconds": round(seconds, 3),
            }
        )
        return
    print_columns(model.encoding_, None if names is None else list(names))
    print_classes(model.moments_)
    facts: dict[str, Any] = {}
    if isinstance(measured, float):
        facts[f"{loss} on rows held out"] = measured
    if isinstance(expected, float):
        facts[f"{loss} expected of normal scores"] = expected
    facts |= {"how": model.status_, "time": f"{seconds:.2f} s", "model": path}
    print_facts(facts)
