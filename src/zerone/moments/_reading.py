"""`Moments` from data that need not fit in memory: streams, files, databases and Spark."""

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from zerone._progress import ProgressReport
from zerone._typing import MissingRule
from zerone.tables import Encoding, LabelledBatches, labelled_table

if TYPE_CHECKING:
    from zerone.moments._moments import Moments


class Reading:
    """The doors of `Moments` for streams and tables: one pass, constant memory."""

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
            To go on from a checkpoint the iterable has to yield the same batches again from the
            first on; those that were counted are passed over, and others are noticed.

        Returns
        -------
        Moments
            With explicit covariances.

        Examples
        --------
        >>> import numpy as np
        >>> from zerone import Moments
        >>> rng = np.random.default_rng(0)
        >>> stream = ((rng.normal(size=(100, 3)), rng.integers(2, size=100)) for _ in range(50))
        >>> Moments.from_batches(stream).weight
        5000.0
        """
        from zerone.moments._scan import scan

        if not isinstance(batches, Iterable):
            raise TypeError(
                f"batches: got {type(batches).__name__}, expected an iterable of (X, y)"
            )
        return scan(
            LabelledBatches(batches, encoding, with_digest=checkpoint is not None),
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            progress=progress,
            n_jobs=n_jobs,
        )

    @classmethod
    def from_table(
        cls,
        source: Any,
        *,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoding: Encoding | None = None,
        categories: Sequence[str] = (),
        max_levels: int = 100,
        missing: MissingRule = "error",
        null_values: Sequence[str] = (),
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: float = 60.0,
        progress: bool | ProgressReport | None = None,
        n_jobs: int | None = None,
    ) -> "Moments":
        """Return the moments of a table of any size, reading it once.

        Columns that hold categories are read once more beforehand, for their levels.

        Parameters
        ----------
        source : path, list of paths, frame or stream
            Files are told apart by their endings: Parquet (``.parquet``, ``.pq``), CSV with a
            header (``.csv``, ``.tsv``), LIBSVM text (``.libsvm``, ``.svmlight``, ``.svm``), text
            also compressed (``.gz``, ``.bz2``, ``.xz``). A folder may be a partitioned Parquet
            data set (``year=2026/…``). Frames are pandas, polars and pyarrow tables; streams are
            all objects with the Arrow C stream interface, such as results of DuckDB.
        target : str
            The column of labels. None for LIBSVM text, where the label stands first.
        columns : list of str, optional
            The columns that become features; by default all others.
        weight : str, optional
            The column of row weights, read as counts.
        encoding : Encoding, optional
            One that was made before, in place of ``columns``, ``categories``, ``max_levels`` and
            ``missing``. A level that it has no feature for is an error, unless it has one for
            rare levels.
        categories : list of str
            Columns that hold categories though they look like numbers. Text is categories anyway.
            A target of CSV that is named here is read as text, too.
        max_levels : int, default=100
            A category with more levels keeps the most frequent; the others become one feature.
        missing : {"error", "impute"}, default="error"
            "impute" counts a missing number as the mean of the column, over all classes, and adds
            an indicator feature; a missing category becomes a level of its own.
        null_values : list of str
            Cells of CSV that mean a missing value, besides empty ones.
        checkpoint : path, optional
            A file that the state of the scan is written to, every so often, when it ends and when
            it fails. If it is there already, the scan goes on from it: no row is counted twice.
            `load` reads it as the moments so far. For files only: of other sources nobody can
            tell whether their rows are the same again.
        checkpoint_every : float, default=60
            Seconds between two writings.
        progress : bool or callable, optional
            True prints rows, rate and time left to standard error; by default so in a terminal.
            A callable is called with the rows so far and the share of the whole, or None.
        n_jobs : int, optional
            Threads that sum, as in scikit-learn: None is one, -1 one per processor; one more
            reads.

        Returns
        -------
        Moments
            With explicit covariances, and with the encoding.

        Raises
        ------
        ScanError
            If reading had to stop in the middle; it holds the moments of the rows before.

        Examples
        --------
        >>> import pandas as pd
        >>> from zerone import Moments
        >>> table = pd.DataFrame(
        ...     {"age": [31, 47, None, 25], "job": ["cook", "nurse", "cook", "cook"],
        ...      "late": [True, False, False, True]}
        ... )
        >>> moments = Moments.from_table(table, target="late", missing="impute")
        >>> moments.feature_names
        ('age', 'age is missing', 'job=cook', 'job=nurse')
        >>> moments[False].mean.round(2).tolist()
        [40.67, 0.5, 0.5, 0.5]
        """
        from zerone.moments._scan import scan

        table = labelled_table(
            source,
            target=target,
            columns=columns,
            weight=weight,
            encoding=encoding,
            categories=categories,
            max_levels=max_levels,
            missing=missing,
            null_values=null_values,
        )
        return scan(
            table,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            progress=progress,
            n_jobs=n_jobs,
        )

    @classmethod
    def from_parquet(cls, path: str | PathLike[str], *, target: str, **options: Any) -> "Moments":
        """Return the moments of a Parquet file or folder, whatever its name ends in.

        Parameters
        ----------
        path : path
        target : str
            The column of labels.
        **options
            As in `from_table`.

        Returns
        -------
        Moments
        """
        from zerone.tables import open_parquet

        return cls.from_table(open_parquet(path), target=target, **options)

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
        """Return the moments of a table in a database, whose rows never leave it.

        The database computes the sums, in one read-only transaction that sees the same rows
        throughout: which classes there are, their means, then sums of products, in as many queries
        as its limit on columns needs.

        Parameters
        ----------
        connection : connection or path
            Of DuckDB (``duckdb.connect``), or of PostgreSQL (``psycopg.connect``, version 3); a
            path opens a DuckDB file. In PostgreSQL a connection is left as it was, and must not be
            inside a transaction of a lower isolation level than repeatable read: without
            autocommit any SELECT opens one, so commit first. In DuckDB a result that is still
            being fetched is lost, and an error aborts a transaction that was open.
        table : str or tuple of str
            A table or view, as ``"name"`` or ``"schema.name"``; a tuple gives the parts of a name
            that has dots. A view can join, filter, encode categories or fill missing values; one
            that draws rows at random is refused.
        target : str
            The column of labels.
        columns : list of str, optional
            The columns that become features, numbers or booleans; by default all others.
        weight : str, optional
            The column of row weights, read as counts.

        Returns
        -------
        Moments
            With explicit covariances.

        Raises
        ------
        ConnectionError
            If the connection is lost midway or a query is cancelled; nothing is kept.

        Examples
        --------
        >>> import duckdb
        >>> from zerone import Moments
        >>> connection = duckdb.connect()
        >>> _ = connection.execute("CREATE TABLE trips (km DOUBLE, late BOOLEAN)")
        >>> _ = connection.execute("INSERT INTO trips VALUES (2, false), (4, false), (9, true)")
        >>> Moments.from_sql(connection, "trips", target="late")[False].mean.tolist()
        [3.0]
        """
        from zerone.moments._from_sql import moments_from_sql

        return moments_from_sql(connection, table, target=target, columns=columns, weight=weight)

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
        """Return the moments of a Spark DataFrame, summed where its partitions are.

        Executors need zerone and pyarrow installed, and the Python version of the driver.

        Parameters
        ----------
        frame : pyspark.sql.DataFrame
        target : str
            The column of labels.
        columns : list of str, optional
            The columns that become features; by default all others.
        weight : str, optional
            The column of row weights, read as counts.
        encoding : Encoding, optional
            How columns become features. Without it they are numbers or truth values, none missing;
            ``Moments.from_table(sample, target=…).encoding`` makes one from a sample of the rows.

        Returns
        -------
        Moments
            With explicit covariances, and with the encoding.

        Raises
        ------
        ValueError
            If rows cannot be summed; says why, and in which partition.
        RuntimeError
            If Spark fails for another reason; nothing is kept.

        Examples
        --------
        >>> from zerone import Moments
        >>> frame = session.read.parquet("trips")  # doctest: +SKIP
        >>> Moments.from_spark(frame, target="late")  # doctest: +SKIP
        """
        from zerone.moments._from_spark import moments_from_spark

        return moments_from_spark(
            frame, target=target, columns=columns, weight=weight, encoding=encoding
        )
