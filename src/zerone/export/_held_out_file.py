"""The part of a model file that `retarget` needs: held-out scores, as a NumPy archive.

``held_out.npz`` has the arrays of `KeptScores`, described there, and for each class

=================  ====================================================================
``class_weights``  total weight of the rows
``prior_weights``  the same times the factors of ``class_weight``, up to a common factor
=================  ====================================================================

Along each direction there are at most 128 bins of scores with the weights of both classes. No
moments are written.
"""

import io
from typing import Any

import numpy as np

from zerone._data.labels import label_list
from zerone._moments.class_moments import ClassMoments
from zerone._moments.factored import FactoredCovariance
from zerone._moments.moments import Moments
from zerone._refine.kept import KeptScores
from zerone._typing import AnyArray
from zerone.estimators._kept import Kept
from zerone.frontier._projection import Reduction

HELD_OUT = "held_out.npz"

_SCORES = (
    "first", "others", "offsets", "statistics", "weights", "ends", "values", "thresholds",
    "positive", "negative",
)  # fmt: skip
_MASSES = ("positive", "negative")
_OF_CLASSES = ("class_weights", "prior_weights")


def held_out_bytes(kept: Kept | None) -> bytes | None:
    """Return the archive; None if `retarget` needs moments, because some pair has no scores."""
    if kept is None or kept.scores is None:
        return None
    weights = np.array([kept.reduction.moments[label].weight for label in label_list(kept.classes)])
    sizes = np.diff(kept.scores.ends, prepend=0)
    if not (sizes.all() and weights.all() and kept.prior_weights.all()):
        return None
    arrays = {name: getattr(kept.scores, name) for name in _SCORES}
    buffer = io.BytesIO()
    np.savez(
        buffer,
        allow_pickle=False,
        **arrays,
        n_directions=kept.scores.n_directions,
        class_weights=weights,
        prior_weights=kept.prior_weights,
    )
    return buffer.getvalue()


def kept_of_bytes(content: bytes, classes: AnyArray, n_features: int, **fitted: Any) -> Kept:
    """Return what `held_out_bytes` has written; ValueError or KeyError for anything else.

    Parameters
    ----------
    classes : ndarray
    n_features : int
    **fitted
        The attributes ``shrinkage``, ``n_iter`` and ``level`` of `Kept`.
    """
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in (*_SCORES, *_OF_CLASSES)}
        n_directions = int(archive["n_directions"])
    _require_fitting(arrays, n_directions, len(classes), n_features)
    weights, priors = (arrays.pop(name) for name in _OF_CLASSES)
    # Where all pairs have held-out scores, moments are asked for nothing but weights.
    nothing = FactoredCovariance(np.empty((0, n_features)))
    moments = Moments(
        {
            label: ClassMoments(float(weight), np.zeros(n_features), nothing)
            for label, weight in zip(label_list(classes), weights, strict=True)
        }
    )
    return Kept(
        classes=classes,
        reduction=Reduction(moments),
        shrinkage_setting=None,
        prior_weights=priors,
        scores=KeptScores(n_directions=n_directions, **arrays),
        **fitted,
    )


def _require_fitting(
    arrays: dict[str, AnyArray], n_directions: int, n_classes: int, n_features: int
) -> None:
    """Raise unless the arrays have finite numbers and belong together."""
    n_pairs = n_classes * (n_classes - 1) // 2
    n_curves = n_directions * n_pairs
    ends = arrays["ends"]
    if n_directions < 1 or ends.shape != (n_curves,) or (np.diff(ends, prepend=0) < 1).any():
        raise ValueError("the held-out scores do not fit the classes")
    n_bins = int(ends[-1])
    shapes = {
        "first": (n_pairs, n_features),
        "others": (n_curves - n_pairs, n_features),
        "offsets": (n_curves,),
        "statistics": (n_curves, 8),
        "weights": (n_pairs, 2),
        "ends": (n_curves,),
        "values": (n_bins,),
        "thresholds": (n_bins,),
        "positive": (n_bins,),
        "negative": (n_bins,),
        "class_weights": (n_classes,),
        "prior_weights": (n_classes,),
    }
    for name, shape in shapes.items():
        if arrays[name].shape != shape or arrays[name].dtype.kind not in "fiu":
            raise ValueError(f"{name} of the held-out scores has the wrong shape or type")
        # The last threshold of a direction is infinite.
        if np.isnan(arrays[name]).any() or (name != "thresholds" and np.isinf(arrays[name]).any()):
            raise ValueError(f"{name} of the held-out scores is not finite")
    masses = [arrays[name].astype(np.float64) for name in _MASSES]
    starts = np.append(0, ends[:-1])
    if any((own < 0).any() or not np.add.reduceat(own, starts).all() for own in masses):
        raise ValueError("a direction of the held-out scores lacks rows of a class")
    for name in ("weights", *_OF_CLASSES):
        if (arrays[name] <= 0).any():
            raise ValueError(f"{name} of the held-out scores are not positive")
