"""Shrinkage of class covariances, from the moments alone."""

import functools
from numbers import Real
from typing import Any

import numpy as np

from zerone._errors import ArgumentError
from zerone._moments.class_moments import ClassMoments
from zerone._moments.covariance import Covariance
from zerone._moments.factored import FactoredCovariance
from zerone._moments.implicit import ImplicitCovariance
from zerone._moments.moments import Moments
from zerone._typing import FloatArray
from zerone._warnings import warn

# Below this weight a class has no covariance of its own.
_LEAST_WEIGHT = 2.0
# A few rows at a time, so that a large matrix is not copied and passes the cache once.
_ROWS_AT_ONCE = 64


def shrink_moments(
    moments: Moments, shrinkage: Any, *, warns: bool = True
) -> tuple[Moments, FloatArray]:
    r"""Return moments with every class covariance shrunk towards a multiple of the identity.

    .. math::
        \Sigma_k \mapsto (1 - \rho_k) \Sigma_k + \rho_k \tau_k \, \mathrm{diag}(s^2)

    in the units of the features, where s is the total standard deviation of each feature and
    τ_k the mean of the standardised variances of class k. On standardised features this shrinks
    towards the identity times the mean variance.

    Parameters
    ----------
    moments : Moments
    shrinkage : "auto", number from 0 to 1, None, or ndarray of shape (n_classes,)
        An array has the amount of each class. "auto" is the oracle approximating shrinkage (OAS)
        of [1]_ with the class weight as the number of rows. Implicit covariances (wide sparse
        data) are not standardised; there "auto" adds a ridge of one mean eigenvalue. None changes
        nothing.
    warns : bool
        Whether to warn of a class of fewer than two rows.

    Returns
    -------
    moments : Moments
    shrinkage : ndarray of shape (n_classes,)
        ρ_k; for an implicit class the share of the ridge in its total variance.

    References
    ----------
    .. [1] Y. Chen, A. Wiesel, Y. C. Eldar, A. O. Hero, "Shrinkage algorithms for MMSE
       covariance estimation", IEEE Trans. Signal Processing 58, 2010.
    """
    if not isinstance(shrinkage, np.ndarray):
        check_shrinkage(shrinkage)
    if shrinkage is None:
        return moments, np.zeros(len(moments))
    present = [m for m in moments.values() if m.weight > 0]
    scale = total_variances(present)
    varying = scale > 0
    n_varying = int(varying.sum())
    inverse = np.divide(1.0, np.sqrt(scale), where=varying, out=np.zeros_like(scale))
    shrunk: dict[Any, Covariance] = {}
    amounts = np.zeros(len(moments))
    for position, (label, m) in enumerate(moments.items()):
        if m.weight == 0:
            continue
        own = m if m.weight >= _LEAST_WEIGHT else _pooled(m, label, present, warns=warns)
        is_auto = isinstance(shrinkage, str)
        if is_auto and isinstance(m.covariance, ImplicitCovariance):
            shrunk[label], amounts[position] = _with_ridge(m.covariance, present)
            continue
        mean_variance = float(own.covariance.diagonal() * inverse @ inverse) / max(n_varying, 1)
        if isinstance(shrinkage, np.ndarray):
            amount = float(shrinkage[position])
        elif is_auto:
            amount = _oracle_amount(own, inverse, mean_variance, n_varying)
        else:
            amount = float(shrinkage)
        shrunk[label] = own.covariance.shrink(1 - amount, amount * mean_variance * scale)
        amounts[position] = amount
    by_label = {
        label: m.with_covariance(shrunk[label]) if label in shrunk else m
        for label, m in moments.items()
    }
    return Moments(by_label, moments.feature_names, moments.encoding), amounts


def _oracle_amount(m: ClassMoments, inverse: FloatArray, mean_variance: float, d: int) -> float:
    """Return the OAS coefficient of the standardised covariance.

    d is the number of features that are not constant; ``inverse`` is 1/standard deviation, zero
    for constant features.
    """
    if d == 0:
        return 0.0
    return oracle_shrinkage(_squared_norm(m.covariance, inverse), mean_variance, m.weight, d)


def oracle_shrinkage(squared_norm: float, mean_variance: float, weight: float, d: int) -> float:
    """Return the OAS coefficient, as in scikit-learn, for ``weight`` rows and d features.

    ``squared_norm`` is the squared Frobenius norm of the covariance.
    """
    mean_square = squared_norm / d**2
    denominator = (weight + 1) * (mean_square - mean_variance**2 / d)
    if denominator <= 0:
        return 1.0
    return float(min((mean_square + mean_variance**2) / denominator, 1.0))


def _squared_norm(covariance: Covariance, inverse: FloatArray) -> float:
    """Return the squared Frobenius norm of the covariance, standardised by ``inverse``."""
    # Standardised before it is squared: squares of small numbers underflow.
    if isinstance(covariance, FactoredCovariance):
        factor = covariance.factor * inverse
        return float(np.sum((factor @ factor.T) ** 2))
    matrix = covariance.toarray()
    total = 0.0
    for start in range(0, len(matrix), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        standardised = matrix[part] * inverse
        standardised *= inverse[part, None]
        total += float(np.vdot(standardised, standardised))
    return total


def total_mean(parts: list[ClassMoments]) -> FloatArray:
    """Return the mean of all rows."""
    total = sum(m.weight for m in parts)
    difference = sum((m.weight / total) * m.minus_mean(parts[0]) for m in parts)
    return np.asarray(parts[0].mean + (parts[0].mean_correction + difference))


def total_variances(classes: list[ClassMoments]) -> FloatArray:
    """Return the variance of each feature over all rows; exactly zero for constant features."""
    total = sum(m.weight for m in classes)
    shares = np.array([m.weight / total for m in classes])
    differences = np.array([m.minus_mean(classes[0]) for m in classes])
    between: FloatArray = shares @ (differences - shares @ differences) ** 2
    within = sum(s * m.covariance.diagonal() for s, m in zip(shares, classes, strict=True))
    return np.asarray(within + between)


def _pooled(
    m: ClassMoments, label: Any, classes: list[ClassMoments], *, warns: bool
) -> ClassMoments:
    """Return a class of too few rows with the pooled within-class covariance."""
    if warns:
        warn(
            f"class {label!r} has a total weight of {m.weight:g}, less than two rows, and gets the "
            "pooled covariance of all classes; weights are counts, so rescale sample_weight if the "
            "class has more rows"
        )
    if any(isinstance(other.covariance, ImplicitCovariance) for other in classes):
        return m  # the rows of all classes are too many to stack, and the ridge is enough
    centred = [
        ClassMoments(other.weight, np.zeros(m.n_features), other.covariance) for other in classes
    ]
    pooled = functools.reduce(ClassMoments.merge, centred)
    return ClassMoments(pooled.weight, m.mean, pooled.covariance, m.mean_correction)


def _with_ridge(covariance: Covariance, classes: list[ClassMoments]) -> tuple[Covariance, float]:
    """Return the covariance with a ridge, the mean eigenvalue of the pooled one, and its share."""
    d = covariance.n_features
    total = sum(m.weight for m in classes)
    trace = sum(m.weight / total * m.covariance.trace() for m in classes)
    ridge = trace / min(total, d)
    added = covariance.shrink(1.0, np.full(d, ridge))
    return added, d * ridge / max(added.trace(), np.finfo(float).tiny)


def check_shrinkage(shrinkage: Any) -> None:
    """Raise unless ``shrinkage`` is "auto", a number from 0 to 1, or None."""
    is_number = isinstance(shrinkage, Real) and not isinstance(shrinkage, bool)
    fine = shrinkage is None or (isinstance(shrinkage, str) and shrinkage == "auto")
    if not (fine or (is_number and 0 <= shrinkage <= 1)):
        raise ArgumentError(
            "shrinkage", f"got {shrinkage!r}, expected 'auto', a number from 0 to 1, or None"
        )
