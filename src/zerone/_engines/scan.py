"""One pass over data of any size, part by part; no row is counted twice."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from zerone._data.encoding import Encoding
from zerone._data.labelled import LabelledBatches, LabelledPart, LabelledSource
from zerone._data.table_options import ScanOptions
from zerone._engines.checkpoint import Checkpoint, ScanState
from zerone._errors import (
    AdviceError,
    ArgumentError,
    ArgumentTypeError,
    PythonWording,
    Wording,
    with_prefix,
)
from zerone._kernels.batch_moments import batch_moments
from zerone._moments.covariance import MOST_FEATURES
from zerone._moments.encoded import imputed, reencoded
from zerone._moments.merging import merged
from zerone._moments.moments import Moments
from zerone._progress import Progress
from zerone._threads import worker_count


class ScanError(ValueError):
    """Some rows could not be read.

    Attributes
    ----------
    reason : Exception
        Why they could not be read.
    moments : Moments
        Of all rows before them.
    rows : int
        Number of rows before them.
    """

    def __init__(self, reason: Exception, moments: Moments, rows: int, kept: str = "") -> None:
        super().__init__(reason, moments, rows, kept)
        self.reason = reason
        self.moments = moments
        self.rows = rows
        self._kept = kept

    def worded(self, wording: Wording) -> str:
        """Return the message in the words of Python or of the command line."""
        said = self.reason.worded(wording) if hasattr(self.reason, "worded") else str(self.reason)
        return f"{said} (the {self.rows} rows before are in this error's moments{self._kept})"

    def __str__(self) -> str:
        return self.worded(PythonWording())


def scan_batches(batches: Any, encoding: Encoding | None, options: ScanOptions) -> Moments:
    """Return the moments of an iterable of batches; see `Moments.from_batches`."""
    if not isinstance(batches, Iterable):
        raise ArgumentTypeError(
            "batches", f"got {type(batches).__name__}, expected an iterable of (X, y)"
        )
    with_digest = options.checkpoint is not None
    return scan(LabelledBatches(batches, encoding, with_digest=with_digest), options)


def scan(source: LabelledSource, options: ScanOptions) -> Moments:
    """Return the moments of all rows of a source."""
    checkpoint = options.checkpoint
    store, state = None, ScanState()
    if checkpoint is not None:
        store = Checkpoint(checkpoint, options.checkpoint_every, source.identity)
        state = store.load()
    shown = Progress(options.progress, "moments")
    try:
        for part, found in _summed(_parts(source, state), worker_count(options.n_jobs)):
            state = ScanState(
                found if state.moments is None else _merged(state.moments, found, part),
                part.position,
                state.rows + part.n_rows,
            )
            if store is not None:
                store.write_if_due(state)
            shown.update(state.rows, part.share)
        if store is not None:
            store.write(state)
    except BaseException as error:
        kept = ""
        if store is not None:
            kept = f" and in {str(checkpoint)!r}"
            try:
                store.write(state)
            except OSError:
                kept = ", but the checkpoint could not be written"
        if state.moments is None or not isinstance(error, Exception):
            raise
        raise ScanError(error, imputed(state.moments), state.rows, kept) from error
    finally:
        shown.close()
    if state.moments is None:
        raise ArgumentError(
            "source",
            "all sample weights are zero, or the source is empty",
            "at least one row with a positive weight is needed",
        )
    return imputed(state.moments)


def _parts(source: LabelledSource, state: ScanState) -> Iterator[LabelledPart]:
    encoding = None if state.moments is None else state.moments.encoding
    return source.parts(state.position, encoding)


def _summed(
    parts: Iterator[LabelledPart], n_workers: int
) -> Iterator[tuple[LabelledPart, Moments]]:
    """Yield the moments of every part, in order.

    While other threads sum, this one reads ahead, one part more than there are threads.
    """
    pool = ThreadPoolExecutor(n_workers)
    waiting: deque[tuple[LabelledPart, Future[Moments]]] = deque()
    problem: Exception | None = None
    try:
        while True:
            while problem is None and len(waiting) <= n_workers:
                try:
                    part = next(parts, None)
                except Exception as error:
                    # The parts read before are counted first.
                    problem = error
                    break
                if part is None:
                    break
                waiting.append((part, pool.submit(_moments_of, part)))
            if not waiting:
                break
            part, future = waiting.popleft()
            yield part, future.result()
        if problem is not None:
            raise problem
    finally:
        pool.shutdown(cancel_futures=True)


def _moments_of(part: LabelledPart) -> Moments:
    batch = part.batch
    if batch.n_features > MOST_FEATURES:
        raise ArgumentError(
            "source",
            f"{batch.n_features} features are too many for explicit covariances (the most is "
            f"{MOST_FEATURES})",
            "use Moments.from_data, which stores the rows of wide sparse data instead",
        )
    try:
        moments = batch_moments(batch, "explicit", 1)
    except ValueError as error:
        if part.encoding is None:
            raise with_prefix(error, part.where) from None
        raise AdviceError(
            f"{part.where}: {error}", "to replace it by the mean, ⟨not strict⟩"
        ) from None
    return moments if part.encoding is None else Moments(moments, encoding=part.encoding)


def _merged(total: Moments, found: Moments, part: LabelledPart) -> Moments:
    """Return both together, under the encoding of the later part and with its fill values."""
    if part.encoding is not None:
        total = reencoded(total, part.encoding)
    elif part.may_widen:
        n_features = max(total.n_features, found.n_features)
        total, found = _widened(total, n_features), _widened(found, n_features)
    elif total.n_features != found.n_features:
        raise ArgumentError(
            "batches",
            f"{part.where} has {found.n_features} features, but those before have "
            f"{total.n_features}",
            "all batches need the same features",
        )
    return merged(total, found)


def _widened(moments: Moments, n_features: int) -> Moments:
    """Return moments with added features that are zero in every row."""
    if moments.n_features == n_features:
        return moments
    return moments.affine(np.eye(n_features, moments.n_features))
