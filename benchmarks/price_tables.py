"""The price of a default fit as tables for a page."""

from collections.abc import Iterator, Sequence

from benchmarks.adapters import DEFAULT, LOGISTIC, ZERONE
from benchmarks.markdown import grid, number, time_text
from benchmarks.price import DEFAULT_AUC, PEERS, PREDICTED_ROWS
from benchmarks.records import Row, seconds

_OURS = ((DEFAULT, "accuracy"), (DEFAULT_AUC, "auc"), (ZERONE, "accuracy"))
_QUALITIES = {"accuracy": "accuracy", "auc": "AUC"}


def price_lines(rows: Sequence[Row]) -> list[str]:
    """Return the tables as lines of Markdown: defaults, closed forms, many classes."""
    cases: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row.median_seconds is not None:
            cases.setdefault(row.case, {})[row.contestant] = row
    lines = [
        "## Price of the default",
        "",
        f"CPU time of one untuned `{LOGISTIC}()` on standardised features, divided by that of "
        "zerone, so that zerone is faster where it is above 1. On one core, medians of fits in "
        "turns; accuracy and AUC on held-out rows.",
        "",
        *_prices(cases),
        "## Closed forms",
        "",
        f"CPU time of rivals, divided by that of `{ZERONE}`, which is faster where that is above "
        "1, from the same run.",
        "",
        *_peers(cases),
    ]
    many = {case: own for case, own in cases.items() if _measures_models(own)}
    if many:
        lines += [
            "## Many classes",
            "",
            f"CPU time to predict {PREDICTED_ROWS:,} rows, and size of the pickled model.",
            "",
            *_models(many),
        ]
    notes = [f"- {row.case}: {row.note}" for row in rows if row.note]
    stopped = [
        f"- {row.case}, {row.contestant}: stopped at its iteration limit"
        for row in rows
        if row.unconverged
    ]
    return [*lines, *notes, *stopped, *([""] if notes or stopped else [])]


def _prices(cases: dict[str, dict[str, Row]]) -> list[str]:
    header = ["rows × features", f"`{LOGISTIC}()`", "accuracy", "AUC"]
    for name, quality in _OURS:
        header += [f"÷ `{name}`", _QUALITIES[quality]]
    body = []
    for case, own in cases.items():
        rival = own[LOGISTIC]
        cells = [case, time_text(rival.median_seconds), *_cells(rival, ("accuracy", "auc"))]
        for name, quality in _OURS:
            cells += _against(own.get(name), seconds(rival), quality)
        body.append(cells)
    return grid(header, body)


def _against(row: Row | None, rival: float, quality: str) -> list[str]:
    if row is None:
        return ["", ""]
    return [_ratio(rival / seconds(row)), *_cells(row, (quality,))]


def _ratio(value: float) -> str:
    # Two digits that say something.
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def _cells(row: Row, qualities: Sequence[str]) -> Iterator[str]:
    return (number(getattr(row, quality), 4) for quality in qualities)


def _peers(cases: dict[str, dict[str, Row]]) -> list[str]:
    header = ["rows × features", f"`{ZERONE}`", "accuracy"]
    for name in PEERS:
        header += [name, "accuracy"]
    body = []
    for case, own in cases.items():
        ours = own[ZERONE]
        cells = [case, time_text(ours.median_seconds), *_cells(ours, ("accuracy",))]
        for name in PEERS:
            peer = own.get(name)
            cells += (
                ["", ""]
                if peer is None
                else [_ratio(seconds(peer) / seconds(ours)), *_cells(peer, ("accuracy",))]
            )
        body.append(cells)
    return grid(header, body)


def _measures_models(own: dict[str, Row]) -> bool:
    return any(row.predict_seconds is not None for row in own.values())


def _models(cases: dict[str, dict[str, Row]]) -> list[str]:
    names = (LOGISTIC, DEFAULT, ZERONE)
    header = ["rows × features"]
    for name in names:
        header += [f"`{name}`: predict", "pickle"]
    body = []
    for case, own in cases.items():
        cells = [case]
        for name in names:
            row = own[name]
            cells += [time_text(row.predict_seconds), f"{row.pickle_kilobytes or 0:,.0f} kB"]
        body.append(cells)
    return grid(header, body)
