"""The problems on which the price of a default fit is measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sklearn.datasets import load_digits, make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.data import Split, real_split
from paper.datasets.load import DataNotAvailableError
from paper.datasets.read import file_bytes, read_libsvm
from zerone._typing import AnyArray, FloatArray

_TEST_ROWS = 20_000
_TEST_VALUES = 2**24
_LETTERS = "letter.multi.libsvm.xz"


@dataclass(frozen=True)
class PriceLine:
    """A line of the table.

    Attributes
    ----------
    name : str
        What ``--lines`` calls it.
    title : str
    split : callable
        Folder of data sets -> standardised rows.
    has_many_classes : bool
        Whether prediction and the size of the model are measured, too.
    """

    name: str
    title: str
    split: Callable[[str], Split]
    has_many_classes: bool = False


def drawn_split(n: int, d: int, n_classes: int = 2) -> Split:
    """Return n rows of `make_classification` to fit to, and more to judge by."""
    informative = max(min(d // 2, 20), 2)
    n_test = min(_TEST_ROWS, _TEST_VALUES // d)
    X, y = make_classification(
        n + n_test,
        d,
        n_informative=informative,
        n_redundant=2,
        n_classes=n_classes,
        # One cluster per class would make two classes normal.
        n_clusters_per_class=2 if n_classes == 2 else 1,
        flip_y=0.05,
        random_state=0,
    )
    return _standardised(X[:n], y[:n], X[n:], y[n:])


def _digits(_: str) -> Split:
    return _held_out(*load_digits(return_X_y=True))


def _letters(folder: str) -> Split:
    path = Path(folder) / _LETTERS
    if not path.is_file():
        raise DataNotAvailableError(f"there is no file {_LETTERS} in the folder of data sets")
    rows, labels = read_libsvm(file_bytes(path), 16)
    return _held_out(rows.toarray(), labels.astype(int))


def _held_out(X: FloatArray, y: AnyArray) -> Split:
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
    return _standardised(X, y, X_test, y_test)


def _standardised(X: FloatArray, y: AnyArray, X_test: FloatArray, y_test: AnyArray) -> Split:
    scaler = StandardScaler(copy=False)
    return Split(scaler.fit_transform(X), y, scaler.transform(X_test), y_test)


def _drawn(n: int, d: int, n_classes: int = 2) -> PriceLine:
    name, title = f"{n}x{d}", f"{n:,} × {d:,}"
    if n_classes > 2:
        name, title = f"{name}x{n_classes}", f"{title}, {n_classes} classes"
    return PriceLine(name, title, lambda _: drawn_split(n, d, n_classes), n_classes > 2)


def _real(name: str) -> PriceLine:
    return PriceLine(name, name, partial(real_split, name))


LINES = (
    _drawn(500, 10),
    _drawn(5_000, 20),
    _drawn(50_000, 20),
    _drawn(200_000, 20),
    _drawn(1_000_000, 20),
    _drawn(200_000, 100),
    _drawn(3_000, 1_000),
    *map(_real, ("ijcnn1", "a9a", "w8a", "covtype")),
    PriceLine("digits", "digits, 10 classes", _digits, has_many_classes=True),
    PriceLine("letter", "letter, 26 classes", _letters, has_many_classes=True),
    _drawn(6_000, 20, 50),
    _drawn(12_000, 20, 100),
)
QUICK_LINES = LINES[:2]


def chosen_lines(names: Sequence[str], *, quick: bool) -> Sequence[PriceLine]:
    """Return the lines of these names, or all of them; raises if there is no such line."""
    by_name = {line.name: line for line in LINES}
    for name in names:
        if name not in by_name:
            raise ValueError(f"--lines: there is no line {name!r}; choose from {list(by_name)}")
    if names:
        return [by_name[name] for name in names]
    return QUICK_LINES if quick else LINES
