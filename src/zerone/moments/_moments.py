"""`Moments`: the statistics of every class, mergeable, and all that training needs."""

import copy
import functools
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any

from zerone._typing import AnyArray, Label
from zerone.moments._class_moments import ClassMoments
from zerone.moments._covariance import Covariance
from zerone.moments._encoded import common_encoding, imputed, reencoded, settled
from zerone.moments._features import common_names, feature_positions
from zerone.moments._making import Making
from zerone.moments._maps import checked_map, checked_variances
from zerone.moments._pair import TwoClassMoments
from zerone.moments._reading import Reading
from zerone.sources import (
    label_list,
    sorted_classes,
)
from zerone.tables import Encoding


class Moments(Making, Reading, Mapping[Label, ClassMoments]):
    """Weight, mean and covariance of every class: an immutable mapping label -> `ClassMoments`.

    Moments are all that zerone needs to train a linear classifier. They merge (``a + b``),
    so one fit can be split over chunks, files or machines; they subtract (``a - b``), so rows
    can be forgotten; features can be selected and affine maps applied without the data.

    Covariances are normalised by the class weight (the population form). Weights are
    frequencies: a row of weight 2 counts as two rows, a row of weight 0 as absent. Classes are
    kept in the order of `numpy.unique`; of two classes the last is the positive one.

    Make one with `from_data`, `from_table`, `from_batches`, `from_sql`, `from_spark`,
    `from_parameters` or `load`.

    Parameters
    ----------
    class_moments : mapping label -> ClassMoments
    feature_names : tuple of str, optional
    encoding : Encoding, optional
        How the columns of a table became these features; names them, too.

    Examples
    --------
    >>> import numpy as np
    >>> from zerone import Moments
    >>> X = np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 4.0], [0.0, 8.0]])
    >>> y = np.array(["a", "a", "b", "b"])
    >>> moments = Moments.from_data(X, y)
    >>> moments["b"].weight, moments["b"].mean.tolist()
    (2.0, [0.0, 6.0])
    >>> np.asarray(moments["b"].covariance).tolist()
    [[0.0, 0.0], [0.0, 4.0]]
    >>> halves = Moments.from_data(X[::2], y[::2]) + Moments.from_data(X[1::2], y[1::2])
    >>> halves["b"].mean.tolist()
    [0.0, 6.0]
    """

    def __init__(
        self,
        class_moments: Mapping[Label, ClassMoments],
        feature_names: tuple[str, ...] | None = None,
        encoding: Encoding | None = None,
    ) -> None:
        if encoding is not None:
            feature_names = encoding.feature_names
        if not class_moments:
            raise ValueError("class_moments: got no class; at least one is needed")
        labels = sorted_classes(class_moments)
        self._classes = labels
        self._classes.flags.writeable = False
        self._by_label = {label: class_moments[label] for label in label_list(labels)}
        sizes = {moments.n_features for moments in self._by_label.values()}
        if len(sizes) > 1:
            raise ValueError(
                f"class_moments: the classes differ in their number of features, {sorted(sizes)}"
            )
        self._n_features = sizes.pop()
        if feature_names is not None and len(feature_names) != self._n_features:
            raise ValueError(
                f"feature_names: got {len(feature_names)} names for {self._n_features} features"
            )
        self._feature_names = feature_names
        self._encoding = encoding

    # -- looking at them ---------------------------------------------------------------------

    def __getitem__(self, label: Label) -> ClassMoments:
        return self._by_label[label]

    def __iter__(self) -> Iterator[Label]:
        return iter(self._by_label)

    def __len__(self) -> int:
        return len(self._by_label)

    # Two moments are equal when they are the same object: arrays have no plain equality.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def classes(self) -> AnyArray:
        """The labels, sorted."""
        return self._classes

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self._n_features

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features, if the data had them."""
        return self._feature_names

    @property
    def encoding(self) -> Encoding | None:
        """How the columns of a table became the features, if the data was one."""
        return self._encoding

    @property
    def weight(self) -> float:
        """Total weight of all classes."""
        return sum(moments.weight for moments in self.values())

    def __repr__(self) -> str:
        counts = ", ".join(f"{label!r}: {m.weight:g}" for label, m in self.items())
        return f"<Moments of {self.n_features} features; class weights {{{counts}}}>"

    # -- putting together and taking apart ---------------------------------------------------

    def __add__(self, other: object) -> "Moments":
        if not isinstance(other, Moments):
            return NotImplemented
        common = common_encoding(self, other, "merge")
        if common is None or self._encoding is None or other._encoding is None:
            return self.merged(other)
        return imputed(self.reencoded(common).merged(other.reencoded(common)))

    def __radd__(self, other: object) -> "Moments":
        # So that sum(list_of_moments) works.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: object) -> "Moments":
        if not isinstance(other, Moments):
            return NotImplemented
        common = common_encoding(self, other, "subtract")
        if common is not None and self._encoding is not None and other._encoding is not None:
            return imputed(settled(self.reencoded(common)._without(other.reencoded(common))))
        return self._without(other)

    def merged(self, other: "Moments") -> "Moments":
        """Return both together as they are, features taken to mean the same."""
        names = common_names(self, other, "merge")
        merged = dict(self.items())
        for label, moments in other.items():
            merged[label] = merged[label].merge(moments) if label in merged else moments
        return Moments(merged, names, self._encoding or other._encoding)

    def _without(self, other: "Moments") -> "Moments":
        names = common_names(self, other, "subtract")
        left = dict(self.items())
        for label, moments in other.items():
            if label in left:
                try:
                    left[label] = left[label].subtract(moments)
                except ValueError as error:
                    raise ValueError(f"class {label!r}: {error}") from None
            elif moments.weight > 0:
                raise ValueError(
                    f"class {label!r}: cannot be subtracted, these moments have only the classes "
                    f"{self.classes.tolist()!r}"
                )
        return Moments(left, names, self._encoding or other._encoding)

    def reencoded(self, encoding: Encoding) -> "Moments":
        """Return the moments of the same rows under another encoding of the same columns.

        Exact, without the data: a level that has not occurred is zero in every row, and levels
        that the other encoding does not list are counted among its rare ones.

        Parameters
        ----------
        encoding : Encoding
            Usually that of several moments joined: ``a.encoding | b.encoding``.

        Examples
        --------
        >>> import pandas as pd
        >>> from zerone import Moments
        >>> a = Moments.from_table(pd.DataFrame({"job": ["cook"], "late": [1]}), target="late")
        >>> b = Moments.from_table(pd.DataFrame({"job": ["nurse"], "late": [0]}), target="late")
        >>> common = a.encoding | b.encoding
        >>> (a.reencoded(common) + b.reencoded(common)).feature_names
        ('job=cook', 'job=nurse')
        """
        return reencoded(self, encoding)

    def with_encoding(self, encoding: Encoding | None) -> "Moments":
        """Return the moments with another account of how their features were made."""
        return Moments(self._by_label, self._feature_names, encoding)

    def imputed(self) -> "Moments":
        """Return the moments in which missing numbers count as the mean of the others.

        Moments that were read from a table or merged are so already.
        """
        return imputed(self)

    def select(self, features: Any) -> "Moments":
        """Return the moments of some of the features, by position, mask or name.

        Examples
        --------
        >>> from zerone import Moments
        >>> moments = Moments.from_data([[0.0, 1.0], [2.0, 5.0]], [0, 1])
        >>> moments.select([1])[1].mean.tolist()
        [5.0]
        """
        positions = feature_positions(features, self.n_features, self._feature_names)
        names = self._feature_names
        chosen = None if names is None else tuple(names[position] for position in positions)
        return Moments({label: m.select(positions) for label, m in self.items()}, chosen)

    def affine(self, matrix: Any, offset: Any = None) -> "Moments":
        """Return the moments of ``matrix @ x + offset`` without the data.

        Parameters
        ----------
        matrix : array of shape (k, n_features), or (n_features,) for a diagonal
            With a diagonal the feature names stay; otherwise the new features have none.
        offset : array of shape (k,), optional

        Examples
        --------
        >>> from zerone import Moments
        >>> moments = Moments.from_data([[0.0, 1.0], [2.0, 5.0]], [0, 1])
        >>> moments.affine([[1.0, 1.0]], offset=[10.0])[1].mean.tolist()
        [17.0]
        """
        linear, shift = checked_map(matrix, offset, self.n_features)
        names = self._feature_names if linear.ndim == 1 else None
        return Moments({label: m.affine(linear, shift) for label, m in self.items()}, names)

    def with_ridge(self, variance: Any) -> "Moments":
        """Return the moments with ``variance`` added to the diagonal of every covariance.

        These are the moments of the same rows with independent noise of that variance added to
        each feature.

        Parameters
        ----------
        variance : float or array of shape (n_features,)

        Examples
        --------
        >>> import numpy as np
        >>> from zerone import Moments
        >>> moments = Moments.from_data([[0.0], [2.0], [5.0]], [0, 0, 1]).with_ridge(0.5)
        >>> np.asarray(moments[0].covariance).tolist()
        [[1.5]]
        """
        diagonal = checked_variances(variance, self.n_features)
        return self.with_covariances(
            {label: m.covariance.shrink(1.0, diagonal) for label, m in self.items() if m.weight > 0}
        )

    def with_covariances(self, covariances: Mapping[Label, Covariance]) -> "Moments":
        """Return the same weights and means with other covariances for some of the classes."""
        for label in covariances:
            self._require_class("covariances", label)
        changed = copy.copy(self)
        changed._by_label = {
            label: m.with_covariance(covariances[label]) if label in covariances else m
            for label, m in self.items()
        }
        return changed

    # -- two-class views ---------------------------------------------------------------------

    def pair(self, positive: Label, negative: Label) -> TwoClassMoments:
        """Return two of the classes as a two-class view.

        Examples
        --------
        >>> from zerone import Moments
        >>> moments = Moments.from_data([[0.0], [2.0], [5.0]], ["a", "b", "c"])
        >>> moments.pair("c", "a").delta.tolist()
        [5.0]
        """
        for name, label in (("positive", positive), ("negative", negative)):
            self._require_class(name, label)
        if positive == negative:
            raise ValueError(f"positive, negative: got {positive!r} for both")
        return TwoClassMoments(
            self[positive], self[negative], positive, negative, self._feature_names
        )

    def one_vs_rest(self, label: Label) -> TwoClassMoments:
        """Return one class against all others merged, as a two-class view.

        Examples
        --------
        >>> from zerone import Moments
        >>> moments = Moments.from_data([[0.0], [2.0], [5.0]], ["a", "b", "c"])
        >>> moments.one_vs_rest("c").negative.mean.tolist()
        [1.0]
        """
        self._require_class("label", label)
        others = [moments for name, moments in self.items() if name != label]
        if not others:
            raise ValueError(f"label: {label!r} is the only class; there is no rest")
        rest = functools.reduce(ClassMoments.merge, others)
        return TwoClassMoments(self[label], rest, label, f"not {label}", self._feature_names)

    # -- files -------------------------------------------------------------------------------

    def save(
        self, path: str | PathLike[str], *, include_rows: bool = False, min_count: float = 0
    ) -> None:
        """Write the moments to an ``.npz`` file (format: see `zerone.moments`).

        Parameters
        ----------
        path : path
            Written under exactly this name, at once: an existing file is replaced only by a
            complete one.
        include_rows : bool, default=False
            Implicit and factored covariances carry training rows and are refused unless this
            is True.
        min_count : float, default=0
            Nothing is written if a class, or the rows of a class with or without some level of a
            category, have a smaller total weight. See `docs/sites.md` on what moments reveal.
        """
        from zerone.moments._disclosure import require_counts
        from zerone.moments._file import save_moments

        require_counts(self, min_count)
        save_moments(self, path, include_rows=include_rows)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Moments":
        """Read moments from a file written by `save`. Runs no code from the file."""
        from zerone.moments._file import load_moments

        return load_moments(path)

    # -- checks ------------------------------------------------------------------------------

    def _require_class(self, name: str, label: Label) -> None:
        if label not in self._by_label:
            raise ValueError(
                f"{name}: there is no class {label!r}; the classes are {self.classes.tolist()!r}"
            )
