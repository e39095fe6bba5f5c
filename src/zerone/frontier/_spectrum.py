"""Two covariances, diagonalised together for the frontier."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dtrsm, dtrsv
from scipy.linalg.lapack import dlange, dpocon, dpotrf, dsygst

from zerone._moments.pair import TwoClassMoments
from zerone._typing import AnyArray, FloatArray, IntArray
from zerone.rules._direction import LEAST_SHARE, ScoreStatistics

# With a reciprocal condition number below this, eigenvectors are used to find singular directions.
_LEAST_CONDITION = 1e-9
# Least share of a feature's variance that the features before it do not explain.
_LEAST_PIVOT = 1e-9
# So many rows fit in the cache.
_ROWS_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class Whitening:
    """S = Σ₊ + Σ₋ = U LLᵀ U with U the diagonal of its standard deviations.

    With features in units of their standard deviations, results do not depend on their scales.

    Attributes
    ----------
    unit : ndarray of shape (n_features,)
        Standard deviations; infinite for features without any spread, which removes them.
    factor : ndarray of shape (n_features, n_features)
        L; only its lower triangle is used.
    """

    unit: FloatArray
    factor: FloatArray

    @classmethod
    def of(cls, pair: TwoClassMoments, *, is_certain: bool) -> "Whitening | None":
        """Return the factors; None if the sum is singular or close to it.

        Parameters
        ----------
        is_certain : bool
            Whether the condition number is estimated, too. In constructed examples only, the sum
            is close to singular although no feature depends closely on those before it.
        """
        covariances = (m.covariance.toarray() for m in (pair.positive, pair.negative))
        return cls.of_covariances(*covariances, is_certain=is_certain)

    @classmethod
    def of_covariances(
        cls, positive: FloatArray, negative: FloatArray, *, is_certain: bool
    ) -> "Whitening | None":
        """Return the factors for two covariances; None if their sum is singular or close to it."""
        variances = positive.diagonal() + negative.diagonal()
        varying = variances > 0
        unit = np.where(varying, np.sqrt(np.where(varying, variances, 1.0)), np.inf)
        matrix = standardised_sum(positive, 1.0, negative, 1.0, unit)
        size = dlange("1", matrix) if is_certain else 0.0
        factor, failed = dpotrf(matrix, lower=1, clean=0, overwrite_a=1)
        if failed or factor.diagonal().min() ** 2 < _LEAST_PIVOT:
            return None
        if is_certain and dpocon(factor, size, uplo="L")[0] < _LEAST_CONDITION:
            return None
        return cls(unit, factor)

    def whitened(self, v: FloatArray) -> FloatArray:
        """Return L⁻¹U⁻¹v: a mean difference in whitened coordinates."""
        result: FloatArray = dtrsv(self.factor, v / self.unit, lower=1, overwrite_x=1)
        return result

    def direction(self, v: FloatArray) -> FloatArray:
        """Return U⁻¹L⁻ᵀv: a whitened direction for the features."""
        result: FloatArray = dtrsv(self.factor, v, lower=1, trans=1) / self.unit
        return result


def standardised_sum(
    positive: FloatArray,
    times_positive: float,
    negative: FloatArray,
    times_negative: float,
    unit: FloatArray,
) -> FloatArray:
    """Return a weighted sum of two covariances in units of the features, in Fortran order.

    Features without spread get a one on the diagonal, so that factorisations succeed.
    """
    inverse = 1 / unit
    result = np.empty(positive.shape)
    for start in range(0, len(result), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        rows = np.multiply(positive[part], times_positive, out=result[part])
        rows += negative[part] if times_negative == 1.0 else times_negative * negative[part]
        rows *= inverse
        rows *= inverse[part, None]
    np.einsum("ii->i", result)[inverse == 0.0] = 1.0
    # The transpose of a symmetric matrix is the same matrix in the other order.
    return result.T


# Eigenvalues of the standardised sum below d times this count as zero.
_RANK_TOLERANCE = 1e-14
# Along directions without spread, a smaller mean difference, in standard deviations, is rounding.
_SEPARATION_TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The moments of two classes in coordinates where both covariances are diagonal.

    With S = Σ₊ + Σ₋: VᵀSV = I, VᵀΣ₊V = diag(share), VᵀΣ₋V = diag(1 − share), g = Vᵀδ.

    Attributes
    ----------
    basis : ndarray of shape (n_features, r)
        V.
    share_positive, share_negative : ndarray of shape (r,)
        Computed separately, so that both are precise near zero.
    gap : ndarray of shape (r,)
        g, the mean difference in standard deviations.
    separation : ndarray of shape (n_features,) or None
        A direction along which the means differ and neither class has any spread.
    """

    basis: FloatArray
    share_positive: FloatArray
    share_negative: FloatArray
    gap: FloatArray
    separation: FloatArray | None

    def taken(self, pairs: IntArray | int) -> "Spectrum":
        """Return those of some pairs, or of one, where there is an axis of pairs in front."""
        return Spectrum(
            self.basis[pairs],
            self.share_positive[pairs],
            self.share_negative[pairs],
            self.gap[pairs],
            None,
        )

    def direction(self, components: FloatArray) -> FloatArray:
        """Return the direction for the features with the given components."""
        result: FloatArray = self.basis @ components
        return result

    def statistics(self, components: FloatArray) -> ScoreStatistics:
        """Return the score statistics of the direction with the given components."""
        squares = components**2
        return ScoreStatistics.of_variances(
            float(self.gap @ components),
            float(squares @ self.share_positive),
            float(squares @ self.share_negative),
        )


def diagonalise(pair: TwoClassMoments) -> Spectrum:
    """Diagonalise explicit covariances of two classes against their sum."""
    positive = pair.positive.covariance.toarray()
    negative = pair.negative.covariance.toarray()
    delta = pair.delta
    varying = positive.diagonal() + negative.diagonal() > 0
    separation = separating_constants(pair, varying)
    # Features without spread are in no direction, and the eigenvectors of the sum cost much.
    used = varying if varying.any() else ~varying
    if not used.all():
        positive, negative = (own[np.ix_(used, used)] for own in (positive, negative))
        delta = delta[used]
    whitening = None
    if varying.any():
        whitening = Whitening.of_covariances(positive, negative, is_certain=True)
    if whitening is not None:
        basis = _regular_basis(positive, whitening)
    else:
        whitener, null_space, unit = _kept_directions(positive, negative)
        if separation is None:
            outside = _separating_null_space(null_space, delta / unit, unit)
            separation = None if outside is None else _among_all(outside, used)
        _, rotation = np.linalg.eigh(whitener.T @ positive @ whitener)
        basis = whitener @ rotation
    share_positive = np.maximum((basis * (positive @ basis)).sum(axis=0), 0.0)
    share_negative = np.maximum((basis * (negative @ basis)).sum(axis=0), 0.0)
    total = share_positive + share_negative
    return Spectrum(
        _among_all(basis, used),
        np.maximum(share_positive / total, LEAST_SHARE),
        np.maximum(share_negative / total, LEAST_SHARE),
        basis.T @ delta,
        separation,
    )


def _among_all(values: FloatArray, used: AnyArray) -> FloatArray:
    """Return the rows of some features, with rows of zeros for the others."""
    if used.all():
        return values
    found = np.zeros((len(used), *values.shape[1:]))
    found[used] = values
    return found


def stacked_spectra(spectra: Sequence[Spectrum]) -> Spectrum | None:
    """Return spectra with another axis in front everywhere; None if one separates or is empty.

    Those with fewer components get copies of their first one without any gap, which change nothing.
    """
    if any(own.separation is not None or own.gap.size == 0 for own in spectra):
        return None
    size = max(own.gap.size for own in spectra)
    padded = [(own, size - own.gap.size) for own in spectra]
    return Spectrum(
        np.array([np.pad(own.basis, ((0, 0), (0, extra))) for own, extra in padded]),
        np.array([_with_copies(own.share_positive, extra) for own, extra in padded]),
        np.array([_with_copies(own.share_negative, extra) for own, extra in padded]),
        np.array([np.pad(own.gap, (0, extra)) for own, extra in padded]),
        None,
    )


def _with_copies(values: FloatArray, number: int) -> FloatArray:
    return np.append(values, np.repeat(values[0], number))


def diagonalise_all(covariances: FloatArray, deltas: FloatArray) -> Spectrum | None:
    """Diagonalise the covariances of several pairs of classes; another axis in front everywhere.

    None if the sum of the covariances of any pair is close to singular.

    Parameters
    ----------
    covariances : ndarray of shape (n_pairs, 2, n_features, n_features)
        Of the positive and the negative class.
    deltas : ndarray of shape (n_pairs, n_features)
        Differences of the means.
    """
    positive, negative = covariances[:, 0], covariances[:, 1]
    total = positive + negative
    variances = np.einsum("pii->pi", total)
    if not (variances > 0).all():
        return None
    inverse = 1 / np.sqrt(variances)
    between = inverse[:, :, None] * inverse[:, None, :]
    total = total * between
    try:
        factor = np.linalg.cholesky(total)
    except np.linalg.LinAlgError:
        return None
    pivots = np.einsum("pii->pi", factor)
    whitener = np.linalg.inv(factor)
    turned = whitener.swapaxes(1, 2)
    sizes = [np.abs(own).sum(axis=1).max(axis=1) for own in (total, turned @ whitener)]
    if (pivots**2).min() < _LEAST_PIVOT or (sizes[0] * sizes[1]).max() * _LEAST_CONDITION > 1:
        return None
    _, rotation = np.linalg.eigh(whitener @ (positive * between) @ turned)
    basis = turned @ rotation * inverse[:, :, None]
    shares = [np.maximum((basis * (own @ basis)).sum(axis=1), 0.0) for own in (positive, negative)]
    both = shares[0] + shares[1]
    return Spectrum(
        basis,
        np.maximum(shares[0] / both, LEAST_SHARE),
        np.maximum(shares[1] / both, LEAST_SHARE),
        (basis.swapaxes(1, 2) @ deltas[..., None])[..., 0],
        None,
    )


def _regular_basis(positive: FloatArray, whitening: Whitening) -> FloatArray:
    """Return V if the sum of the covariances is far from singular."""
    unit, factor = whitening.unit, whitening.factor
    standardised = positive / unit
    standardised /= unit[:, None]
    reduced, _ = dsygst(standardised.T, factor, lower=1, overwrite_a=1)
    _, rotation = np.linalg.eigh(reduced)
    basis = dtrsm(1.0, factor, rotation, lower=1, trans_a=1)
    return np.ascontiguousarray(basis) / unit[:, None]


def _kept_directions(
    positive: FloatArray, negative: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a whitener of directions with spread, the directions without, and the units."""
    variances = positive.diagonal() + negative.diagonal()
    varying = variances > 0
    # In units of standard deviations: nothing below depends on the scales of features.
    unit = np.where(varying, np.sqrt(np.where(varying, variances, 1.0)), np.inf)
    values, vectors = np.linalg.eigh((positive + negative) / unit[:, None] / unit)
    kept = values > _RANK_TOLERANCE * len(values) * max(values[-1], 0.0)
    whitener = vectors[:, kept] / np.sqrt(values[kept]) / unit[:, None]
    return whitener, vectors[:, ~kept], unit


def separating_constants(
    pair: TwoClassMoments, varying: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> FloatArray | None:
    """Return the mean difference of features that are constant within both classes."""
    size = np.abs(pair.positive.mean) + np.abs(pair.negative.mean)
    apart = ~varying & (np.abs(pair.delta) > 1e-12 * size)
    if not apart.any():
        return None
    # Each such feature separates the classes; divided by its own difference, they add up.
    return np.where(apart, 1.0 / np.where(apart, pair.delta, 1.0), 0.0)


def _separating_null_space(
    null_space: FloatArray, standardised_delta: FloatArray, unit: FloatArray
) -> FloatArray | None:
    """Return the part of the mean difference along which neither class has spread."""
    outside = null_space.T @ standardised_delta
    tolerance = _SEPARATION_TOLERANCE * (1 + np.linalg.norm(standardised_delta))
    if np.linalg.norm(outside) <= tolerance:
        return None
    direction: FloatArray = (null_space @ outside) / unit
    return direction
