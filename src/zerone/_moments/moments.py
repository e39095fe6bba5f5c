"""`Moments`: weight, mean and covariance of every class, which is all that training needs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

from zerone._data.encoding import Encoding
from zerone._data.labels import label_list, sorted_classes
from zerone._data.table_options import ScanOptions, TableOptions
from zerone._errors import ArgumentError
from zerone._moments import merging
from zerone._moments.class_moments import ClassMoments
from zerone._moments.encoded import reencoded
from zerone._moments.features import checked_map, checked_variances, feature_positions
from zerone._moments.known_class import known_class
from zerone._moments.pair import TwoClassMoments, one_class_and_rest, two_classes
from zerone._progress import ProgressReport
from zerone._typing import AnyArray, Label


class Moments(Mapping[Label, ClassMoments]):
    """Weight, mean and covariance of every class: an immutable mapping label -> `ClassMoments`.

    Moments are all that zerone needs to train a linear classifier. ``a + b`` merges them, so that
    one fit can be split over chunks, files or machines; ``a - b`` removes rows. Features can be
    selected and affine maps applied without the data.

    Covariances are normalised by the class weight (the population form). Weights are frequencies:
    a row of weight 2 counts as two rows, a row of weight 0 as absent. Classes are in the order of
    `numpy.unique`; of two classes the last is the positive one.

    Parameters
    ----------
    class_moments : mapping label -> ClassMoments
    feature_names : tuple of str, optional
    encoding : Encoding, optional
        How the columns of a table became these features; it also gives their names.

    Examples
    --------
    >>> import numpy as np
    >>> from zerone import Moments
    >>> X = np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 4.0], [0.0, 8.0]])
    >>> y = np.array(["a", "a", "b", "b"])
    >>> moments = Moments.from_data(X, y)
    >>> moments["b"].weight, moments["b"].mean.tolist()
    (2.0, [0.0, 6.0])
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
            raise ArgumentError("class_moments", "got no class", "at least one is needed")
        self._classes = sorted_classes(class_moments)
        self._classes.flags.writeable = False
        self._by_label = {label: class_moments[label] for label in label_list(self._classes)}
        sizes = {moments.n_features for moments in self._by_label.values()}
        if len(sizes) > 1:
            raise ArgumentError(
                "class_moments", f"got {sorted(sizes)} features", "all classes need the same number"
            )
        self._n_features = sizes.pop()
        if feature_names is not None and len(feature_names) != self._n_features:
            raise ArgumentError(
                "feature_names", f"got {len(feature_names)} names for {self._n_features} features"
            )
        self._feature_names = feature_names
        self._encoding = encoding

    # -- from rows, in one pass; higher layers do the work, so they are imported late ----------

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        classes: Any = None,
        covariance: str = "auto",
        n_jobs: int | None = None,
    ) -> "Moments":
        """Read labelled rows once and return their moments.

        Parameters
        ----------
        X : array-like, sparse matrix, or pandas, polars or pyarrow table
            Real numbers without NaN. Arrays on a device (torch, cupy, …) are summed on the device,
            Dask collections by their workers; their covariances are always explicit.
        y : array-like of shape (n_rows,)
            Labels that can be sorted.
        sample_weight : array-like of shape (n_rows,), optional
            Non-negative weights, read as counts.
        classes : array-like, optional
            All labels that may occur. A class without rows gets weight zero.
        covariance : {"auto", "explicit", "implicit", "factored"}, default="auto"
            "explicit" forms d x d matrices; "implicit" keeps sparse rows, "factored" the centred
            rows. "auto" forms matrices unless d > n and d > 1000, or d > 4000 for sparse rows.
        n_jobs : int, optional
            Threads over ranges of dense rows, as in scikit-learn.
        """
        from zerone._rows.rows import rows_of

        rows = rows_of(X, y, sample_weight, classes=classes, covariance=covariance, n_jobs=n_jobs)
        return rows.moments()

    @classmethod
    def from_batches(
        cls,
        batches: Iterable[Any],
        *,
        encoding: Encoding | None = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: float = 60.0,
        progress: bool | ProgressReport | None = None,
        n_jobs: int | None = None,
    ) -> "Moments":
        """Return the moments of a stream of labelled batches.

        Parameters
        ----------
        batches : iterable of (X, y) or (X, y, weights)
            Each as in `from_data`. A batch may lack classes.
        encoding : Encoding, optional
            How X, a data frame, becomes features. Without it X holds numbers.
        checkpoint, checkpoint_every, progress, n_jobs : as in `from_table`
            To continue from a checkpoint, pass the same batches again from the first one on.
        """
        from zerone._engines.scan import scan_batches

        options = ScanOptions(checkpoint, checkpoint_every, progress, n_jobs)
        return scan_batches(batches, encoding, options)

    @classmethod
    def from_table(
        cls,
        source: Any,
        *,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoding: Encoding | None = None,
        categorical: Sequence[str] = (),
        max_categories: int = 100,
        strict: bool = False,
        null_values: Sequence[str] = (),
        keep: Sequence[str] = (),
        hashed: Sequence[str] = (),
        text: Sequence[str] = (),
        shapes: str | None = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: float = 60.0,
        progress: bool | ProgressReport | None = None,
        n_jobs: int | None = None,
    ) -> "Moments":
        """Return the moments of a table of any size, with its encoding, in one pass over the rows.

        Parameters
        ----------
        source : path, list of paths, TableFiles, frame or stream
            Parquet, CSV with a header, JSON Lines, workbooks (.xlsx), Arrow files, LIBSVM text; a
            pattern such as ``"2026/*.csv"`` or a folder of them, also a partitioned one
            (``year=2026/…``). `TableFiles` says format and encoding where they cannot be guessed.
            Frames are pandas, polars and pyarrow tables; streams are objects with the Arrow C
            stream interface, such as results of DuckDB.
        target : str
            The column of labels. None for LIBSVM text, where the label comes first.
        columns : list of str, optional
            The columns that become features; by default all others.
        weight : str, optional
            The column of row weights, read as counts.
        encoding : Encoding, optional
            An existing encoding, in place of the other parameters that say how columns are read.
        categorical : list of str
            Columns that hold categories though they look like numbers. A target in text that is
            named here is read as strings.
        max_categories : int, default=100
            If a column has more, the most frequent are kept; the others share one feature.
        strict : bool, default=False
            By default every column is read in some way, and `Encoding.plan` says what was assumed:
            missing values are replaced by the mean of the column, over all classes, and marked by
            an indicator; dates become days and times of the year, the week and the day; numbers
            may be written as text; identifiers, constants and free text are left out, and so are
            rows without a label. If true, whatever would have to be assumed is an error.
        null_values : list of str
            Cells of text that mean a missing value, besides empty ones and words such as NA.
        keep : list of str
            Columns that become features though they name the rows or are constant.
        hashed : list of str
            Columns of very many categories, of which a hash says which of 256 features is 1.
        text : list of str
            Columns of free text, which become 1,024 hashed features of words and parts of words.
        shapes : None or "bends", default=None
            "bends": columns of numbers are cut at quantiles into parts with a feature each, so that
            a rule may bend there. It is then a sum of piecewise-linear functions.
        checkpoint : path, optional
            A file for the state of the scan, written every ``checkpoint_every`` seconds and when
            the scan ends or fails. If the file exists, the scan continues from it: no row is
            counted twice. `load` returns the moments so far from it.
        progress : bool or callable, optional
            True prints rows, rate and time left to standard error; None does so in a terminal. A
            callable is called with the rows so far and their share of all rows, or None.
        n_jobs : int, optional
            Threads that sum, as in scikit-learn; one more thread reads.

        If a row cannot be read, a `ScanError` is raised with the moments of the rows before it.
        """
        from zerone._rows.table_rows import TableRows

        options = TableOptions(
            target,
            columns,
            weight,
            encoding,
            categorical,
            max_categories,
            strict,
            null_values,
            keep,
            hashed,
            text,
            shapes,
        )
        scanned = ScanOptions(checkpoint, checkpoint_every, progress, n_jobs)
        return TableRows.opened(source, options, scanned).moments()

    @classmethod
    def from_sql(
        cls,
        connection: Any,
        table: str | tuple[str, ...],
        *,
        target: str,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
    ) -> "Moments":
        """Return the moments of a table in a database; its rows never leave the database.

        Parameters
        ----------
        connection : connection or path
            Of DuckDB or PostgreSQL (psycopg 3); a path opens a DuckDB file.
        table : str or tuple of str
            A table or view; use a tuple for a name whose parts have dots.
        target, columns, weight : as in `from_table`
            Features are numbers or booleans.

        A lost connection or a cancelled query raises ConnectionError; no sums are kept.
        """
        from zerone._engines.sql import moments_from_sql

        return moments_from_sql(connection, table, TableOptions(target, columns, weight))

    @classmethod
    def from_spark(
        cls,
        frame: Any,
        *,
        target: str,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoding: Encoding | None = None,
    ) -> "Moments":
        """Return the moments of a Spark DataFrame, summed by its executors.

        ``target``, ``columns`` and ``weight`` are as in `from_table`. Without an ``encoding``,
        columns must hold numbers or booleans and no missing values. Make one from a sample of the
        rows with ``Moments.from_table(sample, …).encoding``.
        """
        from zerone._engines.spark import moments_from_spark

        return moments_from_spark(frame, TableOptions(target, columns, weight, encoding))

    @classmethod
    def from_parameters(
        cls,
        parameters: Mapping[Label, tuple[float, Any, Any]],
        *,
        feature_names: tuple[str, ...] | None = None,
    ) -> "Moments":
        """Return the moments of known distributions, label -> (weight, mean, covariance).

        >>> from zerone import Moments
        >>> Moments.from_parameters({"no": (9, [0.0], [[1.0]]), "yes": (1, [2.0], [[4.0]])})
        <Moments of 1 features; class weights {'no': 9, 'yes': 1}>
        """
        checked = {label: known_class(label, given) for label, given in parameters.items()}
        return cls(checked, None if feature_names is None else tuple(feature_names))

    def __getitem__(self, label: Label) -> ClassMoments:
        return self._by_label[label]

    def __iter__(self) -> Iterator[Label]:
        return iter(self._by_label)

    def __len__(self) -> int:
        return len(self._by_label)

    # Arrays cannot be compared by ==.
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
        """Names of the features; None if the data had none."""
        return self._feature_names

    @property
    def encoding(self) -> Encoding | None:
        """How the columns of a table became the features; None if the data was no table."""
        return self._encoding

    @property
    def weight(self) -> float:
        """Total weight of all classes."""
        return sum(moments.weight for moments in self.values())

    @property
    def carries_rows(self) -> bool:
        """Whether training rows are stored in a covariance."""
        return any(moments.covariance.carries_rows for moments in self.values())

    def __repr__(self) -> str:
        counts = ", ".join(f"{label!r}: {m.weight:g}" for label, m in self.items())
        return f"<Moments of {self.n_features} features; class weights {{{counts}}}>"

    def __add__(self, other: object) -> "Moments":
        return merging.added(self, other) if isinstance(other, Moments) else NotImplemented

    def __radd__(self, other: object) -> "Moments":
        # So that sum(list_of_moments) works.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: object) -> "Moments":
        return merging.subtracted(self, other) if isinstance(other, Moments) else NotImplemented

    def reencoded(self, encoding: Encoding) -> "Moments":
        """Return the moments of the same rows under another encoding of the same columns.

        The result is exact: a new category is zero in every row, and categories that ``encoding``
        does not list count as infrequent. Usually ``encoding`` joins those of several moments:
        ``a.encoding | b.encoding``.
        """
        return reencoded(self, encoding)

    def select(self, features: Any) -> "Moments":
        """Return the moments of some of the features, by position, mask or name."""
        positions = feature_positions(features, self.n_features, self._feature_names)
        names = self._feature_names
        chosen = None if names is None else tuple(names[position] for position in positions)
        return Moments({label: m.select(positions) for label, m in self.items()}, chosen)

    def affine(self, matrix: Any, offset: Any = None) -> "Moments":
        """Return the moments of ``matrix @ x + offset`` without the data.

        Parameters
        ----------
        matrix : array of shape (k, n_features), or (n_features,) for a diagonal
            A diagonal keeps the feature names; otherwise the new features have no names.
        offset : array of shape (k,), optional
        """
        linear, shift = checked_map(matrix, offset, self.n_features)
        names = self._feature_names if linear.ndim == 1 else None
        return Moments({label: m.affine(linear, shift) for label, m in self.items()}, names)

    def with_ridge(self, variance: Any) -> "Moments":
        """Return the moments of the same rows with independent noise added to each feature.

        ``variance``, one number or one per feature, is added to the variances.
        """
        diagonal = checked_variances(variance, self.n_features)
        return Moments(
            {
                label: m.with_covariance(m.covariance.shrink(1.0, diagonal)) if m.weight > 0 else m
                for label, m in self.items()
            },
            self._feature_names,
            self._encoding,
        )

    def pair(self, positive: Label, negative: Label) -> TwoClassMoments:
        """Return two of the classes as a two-class view."""
        return two_classes(self, positive, negative)

    def one_vs_rest(self, label: Label) -> TwoClassMoments:
        """Return one class against all others merged, as a two-class view."""
        return one_class_and_rest(self, label)

    def save(
        self, path: str | PathLike[str], *, include_rows: bool = False, min_count: float = 0
    ) -> None:
        """Write the moments to an ``.npz`` file; an existing file is replaced at once.

        Covariances that carry training rows need ``include_rows``. Raises, and writes nothing, if a
        class, or its rows with or without some category, weigh less than ``min_count`` in total:
        see `docs/sites.md` on what moments reveal.
        """
        from zerone._moments.disclosure import require_counts
        from zerone._moments.file import save_moments

        require_counts(self, min_count)
        save_moments(self, path, include_rows=include_rows)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Moments":
        """Return the moments in a file written by `save`. Runs no code from the file."""
        from zerone._moments.file import load_moments

        return load_moments(path)
