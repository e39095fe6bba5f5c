"""LIBSVM text: every line has a label and the features that are not zero."""

import io
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from typing import Any

from zerone._data.readers.source import START, Position, TablePart
from zerone._data.readers.text_file import Text
from zerone._data.readers.text_pieces import text_pieces
from zerone._errors import ArgumentError
from zerone._typing import AnyArray


class LibsvmSource:
    """One or several files of LIBSVM text; feature indices start at 1."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self._texts = list(texts)

    @property
    def identity(self) -> Any:
        """Names, sizes and modification times of the files."""
        return [text.identity for text in self._texts]

    def parts(self, start: Position = START) -> Iterator[TablePart]:
        """Yield pairs of sparse rows and labels from a position on.

        The number of features is the largest index of these rows.
        """
        for number in range(start[0], len(self._texts)):
            text = self._texts[number]
            offset, row = start[1:] if number == start[0] else (0, 0)
            for piece in text_pieces(text, offset):
                if not piece.text.strip():
                    continue
                where = f"{text.name!r} from row {row}"
                rows, labels = _read(piece.text.removeprefix(BOM_UTF8), where)
                if not len(labels):
                    continue  # comments only
                row += len(labels)
                share = (number + piece.share) / len(self._texts)
                yield TablePart((rows, labels), where, (number, piece.stop, row), share)


def _read(text: bytes, where: str) -> tuple[Any, AnyArray]:
    # Imported late: sklearn.datasets imports libraries that most users do not need.
    from sklearn.datasets import load_svmlight_file

    try:
        rows, labels = load_svmlight_file(io.BytesIO(text), zero_based=False)
    except (ValueError, IndexError, OverflowError) as error:
        raise ArgumentError(
            "source",
            f"{where} is not LIBSVM text ({error})",
            "write every line as a label and index:value pairs, with ascending indices from 1 on",
        ) from None
    return rows, labels
