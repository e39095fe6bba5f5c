"""The spectrum of large problems as the mean difference needs it, by a few Lanczos steps."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.linalg.blas import dsymv

from zerone._moments.class_moments import ClassMoments
from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray
from zerone.frontier._spectrum import Whitening
from zerone.rules._direction import LEAST_SHARE, ScoreStatistics

# Number of steps before the first look at the optimum, and most steps. The optimum is accepted
# when two looks agree.
_FIRST_LOOK = 8
_MOST_STEPS = 160
# A next step that is smaller than this is rounding: the space is exhausted.
_NOTHING_NEW = 1e-13
# Allowed relative error after whitening and steps.
_CONFIRMED = 1e-9


@dataclass(frozen=True, eq=False)
class KrylovSpectrum:
    """Ritz values and vectors in place of all eigenvalues and eigenvectors; see `Spectrum`.

    Ritz values lie within the true spectrum, so their curve may extend beyond the true curve, but
    not between θ = 0 and π/2.

    Attributes
    ----------
    share_positive, share_negative, gap : ndarray of shape (n_steps,)
        As in `Spectrum`.
    vectors : ndarray of shape (n_steps, n_steps)
        Ritz vectors in the coordinates of the steps.
    beyond : float
        Size of the next step: zero if the space contains its own image.
    lanczos : Lanczos
    """

    share_positive: FloatArray
    share_negative: FloatArray
    gap: FloatArray
    vectors: FloatArray
    beyond: float
    lanczos: "Lanczos"

    @property
    def is_complete(self) -> bool:
        """Whether the space contains its own image, so that nothing is missing."""
        return self.beyond <= _NOTHING_NEW

    def direction(self, components: FloatArray) -> FloatArray:
        """Return the direction for the features with the given components."""
        return self.lanczos.direction(self.vectors @ components)

    def statistics(self, components: FloatArray) -> ScoreStatistics:
        """Return the score statistics of a direction, from the covariances themselves."""
        return ScoreStatistics.of_direction(self.lanczos.pair, self.direction(components))

    def is_confirmed(self, components: FloatArray) -> bool:
        """Whether a direction has the same spread here and by the covariances themselves."""
        squares = components**2
        seen = squares @ self.share_positive, squares @ self.share_negative
        direction = self.direction(components)
        pair = self.lanczos.pair
        true = [m.covariance.quad(direction) for m in (pair.positive, pair.negative)]
        return bool(np.allclose(seen, true, rtol=_CONFIRMED, atol=_CONFIRMED * sum(seen)))

    def most(self, cosine: FloatArray, sine: FloatArray) -> FloatArray:
        """Return upper bounds of δᵀA⁻¹δ, A = cos θ Σ₊ + sin θ Σ₋, for angles between 0 and π/2.

        Gauss-Radau quadrature [1]_: one more node at the end of the spectrum where A is closer to
        singular, using only that shares lie between 0 and 1. The steps themselves are Gauss
        quadrature and give lower bounds.

        References
        ----------
        .. [1] G. H. Golub, G. Meurant, "Matrices, moments and quadrature with applications",
           Princeton, 2010.
        """
        bounds = np.empty(len(cosine))
        towards_zero = cosine > sine
        for chosen, end in ((towards_zero, 0.0), (~towards_zero, 1.0)):
            shares, squares = self._with_node(end)
            divisor = np.multiply.outer(cosine[chosen], shares)
            divisor += np.multiply.outer(sine[chosen], 1 - shares)
            bounds[chosen] = (1 / divisor) @ squares
        return bounds

    def _with_node(self, end: float) -> tuple[FloatArray, FloatArray]:
        """Return shares of the positive class, one of them at ``end``, and their weights."""
        values = self.share_positive
        # The last diagonal entry for which ``end`` is an eigenvalue.
        solved = self.beyond**2 * float(np.sum(self.vectors[-1] ** 2 / (values - end)))
        diagonal, off_diagonal = self.lanczos.matrix(len(values))
        shares, vectors = eigh_tridiagonal(np.append(diagonal, end + solved), off_diagonal)
        return np.clip(shares, 0.0, 1.0), (self.lanczos.length * vectors[0]) ** 2


class Lanczos:
    """Lanczos steps on L⁻¹ΣL⁻ᵀ from L⁻¹δ, with Σ the smaller of two covariances.

    Shares of the larger covariance are computed as one minus these; the other way round, small
    shares would lose digits. Every step is kept orthogonal to all earlier steps.
    """

    def __init__(self, pair: TwoClassMoments, whitening: Whitening) -> None:
        self.pair = pair
        self._whitening = whitening
        self._of_positive = _is_smaller(pair.positive, pair.negative, whitening.unit)
        chosen = pair.positive if self._of_positive else pair.negative
        # Symmetric and in C order: BLAS takes its transpose without a copy.
        self._matrix = chosen.covariance.toarray().T
        start = whitening.whitened(pair.delta)
        self.length = float(np.linalg.norm(start))
        """Length of the mean difference, in standard deviations."""
        self._steps = start[None] / self.length if self.length > 0 else start[None]
        self._diagonal: list[float] = []
        self._off_diagonal: list[float] = []

    def looks(self) -> Iterator[KrylovSpectrum]:
        """Yield better and better spectra until the space is exhausted or steps are too many."""
        for n_steps in _looks(len(self._matrix)):
            while len(self._diagonal) < n_steps and not self._is_exhausted:
                self._step()
            spectrum = self.spectrum(n_steps)
            yield spectrum
            if spectrum.is_complete:
                return

    def first_look(self) -> KrylovSpectrum:
        """Return the spectrum after one step, which contains the best ranking direction."""
        if not self._diagonal:
            self._step()
        return self.spectrum(1)

    def spectrum(self, n_steps: int) -> KrylovSpectrum:
        """Return the spectrum after the first ``n_steps`` steps."""
        n = min(n_steps, len(self._diagonal))
        values, vectors = eigh_tridiagonal(self._diagonal[:n], self._off_diagonal[: n - 1])
        share = np.clip(values, LEAST_SHARE, 1 - LEAST_SHARE)
        rest = 1 - share
        plus, minus = (share, rest) if self._of_positive else (rest, share)
        gap = self.length * vectors[0]
        return KrylovSpectrum(plus, minus, gap, vectors, self._off_diagonal[n - 1], self)

    def direction(self, coordinates: FloatArray) -> FloatArray:
        """Return the direction for the features with given coordinates in the steps."""
        return self._whitening.direction(coordinates @ self._steps[: len(coordinates)])

    def matrix(self, n_steps: int) -> tuple[FloatArray, FloatArray]:
        """Return the diagonals of the Lanczos matrix, for the shares of the positive class."""
        diagonal, off_diagonal = np.array(self._diagonal), np.array(self._off_diagonal)
        if not self._of_positive:
            diagonal = 1 - diagonal
        return diagonal[:n_steps], off_diagonal[:n_steps]

    @property
    def _is_exhausted(self) -> bool:
        return bool(self._off_diagonal) and self._off_diagonal[-1] <= _NOTHING_NEW

    def _step(self) -> None:
        n = len(self._diagonal)
        if n + 1 >= len(self._steps):
            larger = np.empty((min(2 * n + 16, _MOST_STEPS + 1), self._steps.shape[1]))
            larger[: n + 1] = self._steps[: n + 1]
            self._steps = larger
        image = dsymv(1.0, self._matrix, self._whitening.direction(self._steps[n]))
        image = self._whitening.whitened(image)
        self._diagonal.append(float(self._steps[n] @ image))
        done = self._steps[: n + 1]
        for _ in range(2):
            image -= (done @ image) @ done
        size = float(np.linalg.norm(image))
        self._off_diagonal.append(size)
        if size > _NOTHING_NEW:
            self._steps[n + 1] = image / size


def _looks(n_features: int) -> Iterator[int]:
    """Yield numbers of steps after which to look, closer together if steps are expensive."""
    n_steps = _FIRST_LOOK
    while n_steps < _MOST_STEPS:
        yield n_steps
        n_steps += max(n_steps // 4, 2_400 // n_features, 4)
    yield _MOST_STEPS


def _is_smaller(a: ClassMoments, b: ClassMoments, unit: FloatArray) -> bool:
    """Whether the first of two classes has the smaller variances overall."""
    difference = a.covariance.diagonal() - b.covariance.diagonal()
    return bool((difference / unit**2).sum() < 0)
