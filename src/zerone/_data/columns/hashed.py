"""`HashedColumn` and `TextColumn`: categories without a list of them, and free text."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import murmurhash3_32

from zerone._data.columns.column import Column, Reading, first_true, require_categories
from zerone._errors import ArgumentError
from zerone._typing import FloatArray

_MOST_FEATURES = 2**14


class _WithFeatures(Column):
    """A column with a fixed number of features."""

    n_features: int

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the column's features."""
        return tuple(f"{self.name} #{number}" for number in range(self.n_features))

    def joined(self, other: Any) -> Any:
        """Return the column; two columns that can be joined are the same."""
        reason = self.difference(other)
        if reason is not None:
            raise ArgumentError("encoding", reason, "make both encodings with the same options")
        return self

    def difference(self, other: Any) -> str | None:
        """Return how two columns of one name differ; None if they do not."""
        if self.n_features != other.n_features:
            return f"column {self.name!r} has {self.n_features} and {other.n_features} features"
        return None

    def map_from(self, old: Any, block: FloatArray) -> None:
        """Write the matrix from the features of ``old`` to these."""
        self.joined(old)
        block[:] = np.eye(self.n_features)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"name": self.name, "kind": self.kind, "features": self.n_features}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Any:
        """Return the column that `to_dict` described."""
        n = given["features"]
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= _MOST_FEATURES:
            raise ValueError(f"a column of hashes has {n!r} features")
        return cls(given["name"], n)  # type: ignore[call-arg]


@dataclass(frozen=True)
class HashedColumn(_WithFeatures):
    """A column of categories that are not listed: a hash of each says which feature is 1.

    Attributes
    ----------
    name : str
    n_features : int
        Categories with the same hash share a feature.
    """

    kind: ClassVar[str] = "hashed"

    name: str
    n_features: int = 256

    @property
    def indicators(self) -> tuple[bool, ...]:
        """Which of the features are 1 for some rows and 0 for the others: all of them."""
        return (True,) * self.n_features

    @property
    def read_as(self) -> str:
        """How the column is read, in words."""
        return f"categories, hashed to {self.n_features} features"

    def encoded(self, array: Any, reading: Reading) -> tuple[Any, "HashedColumn"]:
        """Return the features of some cells, sparse; a missing value has none."""
        from zerone._data.arrow_values import codes_of

        require_categories(self.name, array.type)
        codes, strings = codes_of(array, reading.null_values, strict=reading.strict)
        places = [-1 if own is None else _place(own, self.n_features) for own in strings]
        place = np.array([*places, -1], dtype=np.int64)[codes]
        _require_present(self.name, place < 0, reading)
        present = place >= 0
        ends = np.concatenate([[0], np.cumsum(present)])
        entries = (np.ones(int(ends[-1])), place[present], ends)
        return sp.csr_array(entries, shape=(len(codes), self.n_features)), self


@dataclass(frozen=True)
class TextColumn(_WithFeatures):
    """A column of free text: hashed words, pairs of words and parts of words.

    Attributes
    ----------
    name : str
    n_features : int
    """

    kind: ClassVar[str] = "text"

    name: str
    n_features: int = 1024

    @property
    def read_as(self) -> str:
        """How the column is read, in words."""
        return f"text: words and parts of words, hashed to {self.n_features} features"

    def encoded(self, array: Any, reading: Reading) -> tuple[Any, "TextColumn"]:
        """Return the features of some cells, sparse; a missing value has none."""
        from zerone._data.arrow_values import codes_of

        require_categories(self.name, array.type)
        codes, strings = codes_of(array, reading.null_values, strict=reading.strict)
        _require_present(self.name, codes < 0, reading)
        words, parts = _vectorizers(self.n_features)
        texts = [*(own or "" for own in strings), ""]
        hashed = sp.csr_array(words.transform(texts) + parts.transform(texts))
        return hashed[codes], self


def _require_present(name: str, missing: Any, reading: Reading) -> None:
    if reading.strict and missing.any():
        raise reading.missing(name, first_true(missing))


def _place(category: str, n_features: int) -> int:
    return int(murmurhash3_32(category, seed=0, positive=True)) % n_features


@cache
def _vectorizers(n_features: int) -> tuple[Any, Any]:
    """Return what hashes words and pairs of words, and what hashes parts of words."""
    # It imports a good part of scikit-learn.
    from sklearn.feature_extraction.text import HashingVectorizer

    words = HashingVectorizer(n_features=n_features, ngram_range=(1, 2), norm="l2")
    parts = HashingVectorizer(
        n_features=n_features, analyzer="char_wb", ngram_range=(3, 4), norm="l2"
    )
    return words, parts
