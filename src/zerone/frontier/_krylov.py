"""The spectrum of large problems, as far as the mean difference sees it: a few Lanczos steps."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.linalg.blas import dsymv
from scipy.linalg.lapack import dpotrf

from zerone._typing import FloatArray
from zerone.frontier._whitening import Whitening, standardised_sum
from zerone.moments import ClassMoments, TwoClassMoments
from zerone.rules import LEAST_SHARE, ScoreStatistics

# After the first of these many steps the optimum is looked for, then again and again; it counts
# when two looks agree.
_FIRST_LOOK = 8
_MOST_STEPS = 160
# What is left of the start after as many steps as the space has dimensions is rounding.
_NOTHING_NEW = 1e-13
# Digits that whitening and steps must not have lost.
_CONFIRMED = 1e-9


@dataclass(frozen=True, eq=False)
class KrylovSpectrum:
    """Ritz values and vectors in place of all eigenvalues and eigenvectors; see `Spectrum`.

    Ritz values lie within the true spectrum, so a curve over them may go on where the true one
    has ended. Between θ = 0 and π/2 it has not.

    Attributes
    ----------
    share_positive, share_negative, gap : ndarray of shape (n_steps,)
        As in `Spectrum`.
    vectors : ndarray of shape (n_steps, n_steps)
        Ritz vectors in the coordinates of the steps.
    beyond : float
        Size of the next step: how far the space is from holding its own image.
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
        """Whether the space holds its own image, so that nothing is left out."""
        return self.beyond <= _NOTHING_NEW

    def direction(self, components: FloatArray) -> FloatArray:
        """Return the direction for the features with the given components."""
        return self.lanczos.direction(self.vectors @ components)

    def statistics(self, components: FloatArray) -> ScoreStatistics:
        """Return the score statistics of a direction, from the covariances themselves."""
        return ScoreStatistics.of_direction(self.lanczos.pair, self.direction(components))

    def bounds(self, margin: float) -> tuple[float, float]:
        """Return bounds of the positive class's shares, so far from 0 and 1 to the Ritz values."""
        least, co_least = float(self.share_positive.min()), float(self.share_negative.min())
        return margin * least, 1 - margin * co_least

    def is_confirmed(self, components: FloatArray) -> bool:
        """Whether the covariances themselves show the spread of a direction that is seen here."""
        squares = components**2
        seen = squares @ self.share_positive, squares @ self.share_negative
        direction = self.direction(components)
        pair = self.lanczos.pair
        true = [m.covariance.quad(direction) for m in (pair.positive, pair.negative)]
        return bool(np.allclose(seen, true, rtol=_CONFIRMED, atol=_CONFIRMED * sum(seen)))

    def residuals(self, ratio: FloatArray) -> FloatArray:
        """Return the sizes of what (cos θ Σ₊ + sin θ Σ₋)w lacks to δ, over |cos θ − sin θ|.

        In the norm of S⁻¹: what the next step would add.

        Parameters
        ----------
        ratio : ndarray of shape (n_angles, n_steps)
            Components of w at each θ.
        """
        sizes: FloatArray = self.beyond * np.abs(ratio @ self.vectors[-1])
        return sizes


class Lanczos:
    """Lanczos steps on L⁻¹ΣL⁻ᵀ from L⁻¹δ, with Σ the smaller of two covariances.

    Of the smaller one, because the shares of the other are differences to one and would lose the
    digits of what is close to it. Every step is kept orthogonal to all before it.
    """

    def __init__(self, pair: TwoClassMoments, whitening: Whitening) -> None:
        self.pair = pair
        self._whitening = whitening
        self._of_positive = _is_smaller(pair.positive, pair.negative, whitening.unit)
        chosen = pair.positive if self._of_positive else pair.negative
        # Symmetric, and in C order: its transpose is what BLAS wants, without a copy.
        self._matrix = chosen.covariance.toarray().T
        start = whitening.whitened(pair.delta)
        self.length = float(np.linalg.norm(start))
        """Of the mean difference, in standard deviations."""
        self._steps = start[None] / self.length if self.length > 0 else start[None]
        self._diagonal: list[float] = []
        self._off_diagonal: list[float] = []

    def looks(self) -> Iterator[KrylovSpectrum]:
        """Yield ever better spectra; ends where the space is exhausted or steps are too many."""
        for n_steps in _looks(len(self._matrix)):
            while len(self._diagonal) < n_steps and not self._is_exhausted:
                self._step()
            spectrum = self.spectrum(n_steps)
            yield spectrum
            if spectrum.is_complete:
                return

    def first_look(self) -> KrylovSpectrum:
        """Return the spectrum after one step, in which the best ranking lies."""
        if not self._diagonal:
            self._step()
        return self.spectrum(1)

    def spectrum(self, n_steps: int) -> KrylovSpectrum:
        """Return the spectrum after so many of the steps done."""
        n = min(n_steps, len(self._diagonal))
        values, vectors = eigh_tridiagonal(self._diagonal[:n], self._off_diagonal[: n - 1])
        share = np.clip(values, LEAST_SHARE, 1.0)
        rest = np.maximum(1 - share, LEAST_SHARE)
        plus, minus = (share, rest) if self._of_positive else (rest, share)
        gap = self.length * vectors[0]
        return KrylovSpectrum(plus, minus, gap, vectors, self._off_diagonal[n - 1], self)

    def direction(self, coordinates: FloatArray) -> FloatArray:
        """Return the direction for the features with given coordinates in the steps."""
        return self._whitening.direction(coordinates @ self._steps[: len(coordinates)])

    def bounds_hold(self, least: float, most: float) -> bool:
        """Whether every share of the positive class lies strictly between two bounds.

        Then Σ₊ − least·S and most·S − Σ₊ have Cholesky factorisations.
        """
        pair, unit = self.pair, self._whitening.unit
        positive, negative = (m.covariance.toarray() for m in (pair.positive, pair.negative))
        return all(
            dpotrf(
                standardised_sum(positive, plus, negative, minus, unit),
                lower=1,
                clean=0,
                overwrite_a=1,
            )[1]
            == 0
            for plus, minus in ((1 - least, -least), (most - 1, most))
        )

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
    """Yield numbers of steps after which to look: sooner where steps cost more than a look."""
    n_steps = _FIRST_LOOK
    while n_steps < _MOST_STEPS:
        yield n_steps
        n_steps += max(n_steps // 4, 2_400 // n_features, 4)
    yield _MOST_STEPS


def _is_smaller(a: ClassMoments, b: ClassMoments, unit: FloatArray) -> bool:
    """Whether the first of two classes has the smaller variances on the whole."""
    difference = a.covariance.diagonal() - b.covariance.diagonal()
    return bool((difference / unit**2).sum() < 0)
