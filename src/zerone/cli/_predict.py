"""``zerone predict``: the class and the probabilities of every row of a table."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from zerone import load_model
from zerone._errors import ArgumentError
from zerone._files import write_at_once
from zerone._typing import AnyArray, FloatArray
from zerone.cli import _options as options
from zerone.cli._errors import reported
from zerone.cli._threshold import PositiveOfThreshold, Threshold, ThresholdOption

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file that `zerone fit` has written.")
]
Copied = Annotated[
    list[str] | None,
    typer.Option(
        "--copy",
        help="A column of the table to write in front of the predictions; can be repeated.",
        show_default=False,
    ),
]

Explained = Annotated[
    int,
    typer.Option(
        "--explain",
        help="Write so many columns that contribute most to the score of each row.",
        min=0,
    ),
]

STANDARD_OUTPUT = Path("-")


def predict(
    model: Model,
    source: options.Sources,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The file to write: CSV, JSON Lines, Parquet or Arrow by its extension; by "
            "default, and for -, CSV to standard output.",
            show_default=False,
        ),
    ] = None,
    copy: Copied = None,
    threshold: ThresholdOption = None,
    positive: PositiveOfThreshold = None,
    explain: Explained = 0,
    file_format: options.FileFormat = None,
    encoding: options.FileEncoding = None,
    comment: options.Comment = None,
    sheet: options.Sheet = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    force: options.Force = False,
) -> None:
    """Predict the class of every row, with the probability of each class."""
    from zerone.cli._row_files import require_writable, write_rows

    with reported():
        path = STANDARD_OUTPUT if output is None else output
        if path != STANDARD_OUTPUT:
            require_writable(path)
            options.free_output(path, force=force, sources=[*source, str(model)])
        if positive is not None and threshold is None:
            raise ArgumentError("positive", "is the class of a threshold", "add ⟨threshold⟩")
        fitted = load_model(model)
        cut = Threshold.of(fitted, threshold, positive)
        copied = list(dict.fromkeys(copy or ()))
        names = _output_names(fitted.classes_, copied, explain)
        with options.readable(
            source,
            format=file_format,
            encoding=encoding,
            comment=comment,
            sheet=sheet,
            decimal=decimal,
            thousands=thousands,
        ) as readable:
            parts = _predictions(fitted, readable, copied, names, cut, explain)
            if path == STANDARD_OUTPUT:
                # Bytes, so that the encoding does not depend on the terminal.
                write_rows(sys.stdout.buffer, Path(""), names, parts)
                sys.stdout.buffer.flush()
            else:
                write_at_once(path, lambda file: write_rows(file, path, names, parts))


def _output_names(classes: AnyArray, copied: list[str], n_reasons: int) -> list[str]:
    """Return the names of the columns to write; raises if two are the same."""
    own = ["prediction", *(f"probability of {label}" for label in classes.tolist())]
    own += [f"reason {number}" for number in range(1, n_reasons + 1)]
    for name in copied:
        if name in own:
            raise ArgumentError(
                "copy",
                f"a column of the predictions is named {name!r}, too",
                "rename the column of the table, or leave it out",
            )
    return [*copied, *own]


def _predictions(
    model: Any,
    source: Any,
    copied: list[str],
    names: list[str],
    threshold: Threshold | None,
    n_reasons: int,
) -> Iterator[Any]:
    """Yield the rows to write as record batches, at least one."""
    import pyarrow as pa

    from zerone.estimators._table_prediction import copied_predictions

    classes = model.classes_

    def rows(
        labels: AnyArray, probabilities: FloatArray, kept: list[Any], reasons: list[Any]
    ) -> Any:
        if threshold is not None:
            labels = threshold.labels(classes, probabilities)
        shares = [pa.array(own) for own in np.ascontiguousarray(probabilities.T)]
        return pa.RecordBatch.from_arrays([*kept, pa.array(labels), *shares, *reasons], names=names)

    is_empty = True
    methods = "predict", "predict_proba"
    found = copied_predictions(model, source, methods, copied, progress=None)
    for (labels, probabilities), part in found:
        is_empty = False
        kept = [] if part.copied is None else [_plain(column) for column in part.copied.columns]
        yield rows(labels, probabilities, kept, _reasons(model, part.rows, n_reasons))
    if is_empty:
        nothing = [pa.nulls(0) for _ in copied], [pa.nulls(0) for _ in range(n_reasons)]
        yield rows(classes[:0], np.empty((0, len(classes))), *nothing)


def _reasons(model: Any, rows: Any, n_reasons: int) -> list[Any]:
    """Return the columns that contribute most to the score of each row, in words."""
    import pyarrow as pa

    from zerone.inspection._explanation import explained_features

    if not n_reasons:
        return []
    found = explained_features(model, rows).reasons(n_reasons)
    # A table may have fewer columns than are asked for.
    return [
        pa.array([own[number] if number < len(own) else None for own in found], pa.string())
        for number in range(n_reasons)
    ]


def _plain(column: Any) -> Any:
    """Return a column without a dictionary, which may be another one in the next part."""
    import pyarrow as pa

    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
