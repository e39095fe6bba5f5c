"""A covariance stored as the sparse rows it comes from, for wide sparse data."""

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._moments.covariance import Covariance, ExplicitCovariance, frozen, symmetric
from zerone._moments.factored import FactoredCovariance, compact
from zerone._typing import FloatArray, IntArray


class ImplicitCovariance(Covariance):
    """Σ = Σᵢ cᵢ (xᵢ − m)(xᵢ − m)ᵀ + diag(noise), applied as products with the sparse rows.

    Products start with r = Xv − m·v; the paper's XᵀXv − n·m·mᵀv loses digits when a mean is large
    compared with its standard deviation.

    Parameters
    ----------
    rows : csr_array of shape (n_rows, n_features)
    shares : ndarray of shape (n_rows,)
        cᵢ: each row's weight as a share of the class.
    centre : ndarray of shape (n_features,)
        m: the weighted mean of ``rows``.
    noise : ndarray, optional
    """

    carries_rows = True

    def __init__(
        self,
        rows: Any,
        shares: FloatArray,
        centre: FloatArray,
        noise: FloatArray | None = None,
    ) -> None:
        self._rows = rows
        self._shares = frozen(shares)
        self._centre = frozen(centre)
        self._noise = None if noise is None else frozen(noise)

    @property
    def rows(self) -> Any:
        """The sparse rows, not centred."""
        return self._rows

    @property
    def shares(self) -> FloatArray:
        """Each row's share of the class weight."""
        return self._shares

    @property
    def centre(self) -> FloatArray:
        """The weighted mean of the rows."""
        return self._centre

    @property
    def noise(self) -> FloatArray | None:
        """The diagonal term, or None."""
        return self._noise

    @property
    def n_features(self) -> int:
        return int(self._rows.shape[1])

    def matvec(self, v: FloatArray) -> FloatArray:
        return self.image(self.centred_product(v), v)

    def centred_product(self, v: FloatArray) -> FloatArray:
        """Return the product of the centred rows with ``v``, the first half of `matvec`."""
        product: FloatArray = self._rows @ v
        product -= self._centre @ v
        return product

    def image(self, centred_product: FloatArray, v: FloatArray) -> FloatArray:
        """Return the product with ``v``, given that of the centred rows."""
        weighted = (self._shares * centred_product.T).T
        product: FloatArray = self._rows.T @ weighted
        product -= np.multiply.outer(self._centre, weighted.sum(axis=0))
        return product if self._noise is None else product + (self._noise * v.T).T

    def quad(self, v: FloatArray) -> FloatArray:
        value = self._shares @ self.centred_product(v) ** 2
        return value if self._noise is None else value + self._noise @ v**2

    def diagonal(self) -> FloatArray:
        return self._variances if self._noise is None else self._variances + self._noise

    @cached_property
    def _variances(self) -> FloatArray:
        """The diagonal without the noise."""
        # An entry that is not stored adds c·m², a stored one c·(x − m)².
        rows, d = self._rows, self.n_features
        squares = rows.data - self._centre.take(rows.indices)
        squares *= squares
        if (self._shares == self._shares[0]).all():
            stored = self._shares[0] * np.bincount(rows.indices, squares, minlength=d)
            stored_share = self._shares[0] * np.bincount(rows.indices, minlength=d)
        else:
            share_of_entry = np.repeat(self._shares, np.diff(rows.indptr))
            stored = np.bincount(rows.indices, share_of_entry * squares, minlength=d)
            stored_share = np.bincount(rows.indices, share_of_entry, minlength=d)
        unstored_share = np.maximum(self._shares.sum() - stored_share, 0.0)
        return np.asarray(stored + unstored_share * self._centre**2)

    def toarray(self) -> FloatArray:
        return self.to_factored().toarray()

    def to_factored(self) -> FactoredCovariance:
        """Return the same covariance with the rows centred and dense."""
        centred = self._rows.toarray() - self._centre
        return FactoredCovariance(np.sqrt(self._shares)[:, None] * centred, self._noise)

    def select(self, features: IntArray) -> "ImplicitCovariance":
        noise = None if self._noise is None else self._noise[features]
        return ImplicitCovariance(
            self._rows[:, features], self._shares, self._centre[features], noise
        )

    def rescale(self, factors: FloatArray) -> "ImplicitCovariance":
        noise = None if self._noise is None else self._noise * factors**2
        scaled = sp.csr_array(self._rows * factors)
        return ImplicitCovariance(scaled, self._shares, self._centre * factors, noise)

    def map(self, matrix: FloatArray) -> Covariance:
        centred = self.centred_product(np.ascontiguousarray(matrix.T))
        mapped = compact(FactoredCovariance(np.sqrt(self._shares)[:, None] * centred))
        if self._noise is None:
            return mapped
        return ExplicitCovariance(mapped.toarray() + (matrix * self._noise) @ matrix.T)

    def map_centred(self, centred_product: FloatArray, columns: FloatArray) -> ExplicitCovariance:
        """Return the covariance of ``columnsᵀ x``, given the product of the centred rows."""
        matrix = (centred_product.T * self._shares) @ centred_product
        if self._noise is not None:
            matrix += (columns.T * self._noise) @ columns
        return ExplicitCovariance(symmetric(matrix))

    def shrink(self, factor: float, diagonal: FloatArray) -> "ImplicitCovariance":
        noise = diagonal if self._noise is None else factor * self._noise + diagonal
        kept = noise if noise.any() else None
        shrunk = ImplicitCovariance(self._rows, factor * self._shares, self._centre, kept)
        # Set here, so that the rows need not be read again.
        shrunk.__dict__["_variances"] = factor * self._variances
        return shrunk
