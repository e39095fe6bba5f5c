"""`Moments` from rows in memory, on a device or in a cluster, and from known parameters."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from zerone._typing import Label
from zerone.moments._class_moments import ClassMoments
from zerone.moments._device_kernel import device_moments
from zerone.moments._from_batch import CovarianceKind, class_moments_of
from zerone.moments._known_class import known_class
from zerone.sources import (
    Batch,
    DeviceBatch,
    is_dask,
    is_on_device,
    label_list,
    read_batch,
    read_device_batch,
)

if TYPE_CHECKING:
    from zerone.moments._moments import Moments


class Making:
    """The doors of `Moments` for arrays and frames."""

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        classes: Any = None,
        covariance: CovarianceKind = "auto",
        n_jobs: int | None = None,
    ) -> "Moments":
        """Read labelled rows once and return their moments.

        Parameters
        ----------
        X : array-like, sparse matrix, or pandas, polars or pyarrow table
            Rows and features; real numbers without NaN. Rows of another array library (torch,
            cupy, …) that are on a device are summed there. A Dask array or data frame is summed
            where its partitions are, and its covariances are always explicit.
        y : array-like of shape (n_rows,)
            Labels of one sortable type. For a Dask collection usually one, too.
        sample_weight : array-like of shape (n_rows,), optional
            Non-negative weights, read as counts.
        classes : array-like, optional
            All labels that may occur. A class without rows gets weight zero; a label outside
            ``classes`` is an error.
        covariance : {"auto", "explicit", "implicit", "factored"}, default="auto"
            "explicit" forms the d x d matrices; "implicit" (sparse data) keeps the sparse rows,
            "factored" the centred rows, so that nothing d x d appears. "auto" forms the matrices
            unless that would be wasteful: dense rows with d > n and d > 1000 are factored,
            sparse rows with d > 4000, or d > n and d > 1000, are implicit.
        n_jobs : int, optional
            Threads over ranges of dense rows, as in scikit-learn: None is one, -1 one per
            processor; inside a joblib worker always one.

        Returns
        -------
        Moments

        Examples
        --------
        >>> from zerone import Moments
        >>> moments = Moments.from_data([[0.0], [2.0], [5.0]], [0, 0, 1], sample_weight=[1, 1, 3])
        >>> moments[1].weight
        3.0
        """
        if is_dask(X):
            from zerone.moments._from_dask import moments_from_dask

            _require_explicit(covariance, "a Dask collection")
            return moments_from_dask(X, y, sample_weight, classes)
        if is_on_device(X):
            _require_explicit(covariance, "an array on a device")
            return cls.from_batch(read_device_batch(X, y, sample_weight, classes))
        return cls.from_batch(read_batch(X, y, sample_weight, classes), covariance, n_jobs)

    @classmethod
    def from_batch(
        cls,
        batch: Batch | DeviceBatch,
        covariance: CovarianceKind = "auto",
        n_jobs: int | None = None,
    ) -> "Moments":
        """Return the moments of rows that were read before; see `from_data`."""
        labels = label_list(batch.classes)
        if isinstance(batch, DeviceBatch):
            return _moments(dict(zip(labels, device_moments(batch), strict=True)))
        by_class = class_moments_of(batch, covariance, n_jobs)
        return _moments(dict(zip(labels, by_class, strict=True)), batch.feature_names)

    @classmethod
    def from_parameters(
        cls,
        parameters: Mapping[Label, tuple[float, Any, Any]],
        *,
        feature_names: tuple[str, ...] | None = None,
    ) -> "Moments":
        """Return the moments of known distributions.

        Parameters
        ----------
        parameters : mapping label -> (weight, mean, covariance)
            Weights may be counts or priors.
        feature_names : tuple of str, optional

        Examples
        --------
        >>> import numpy as np
        >>> from zerone import Moments
        >>> moments = Moments.from_parameters(
        ...     {"no": (0.9, [0.0, 0.0], np.eye(2)), "yes": (0.1, [1.0, 2.0], 3 * np.eye(2))}
        ... )
        >>> moments.classes.tolist(), moments.n_features
        (['no', 'yes'], 2)
        """
        checked = {label: known_class(label, given) for label, given in parameters.items()}
        return _moments(checked, None if feature_names is None else tuple(feature_names))


def _require_explicit(covariance: CovarianceKind, what: str) -> None:
    if covariance not in ("auto", "explicit"):
        raise ValueError(
            f"covariance: got {covariance!r}; of {what} only sums are taken, so it must be "
            "'explicit' or 'auto'"
        )


def _moments(
    class_moments: Mapping[Label, ClassMoments], feature_names: tuple[str, ...] | None = None
) -> "Moments":
    from zerone.moments._moments import Moments  # which inherits from here

    return Moments(class_moments, feature_names)
