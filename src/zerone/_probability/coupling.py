"""Class probabilities from sums of pairwise probabilities."""

import numpy as np
from scipy.special import softmax

from zerone._typing import FloatArray

_BLOCK_VALUES = 2**20
# Sums are moved this far towards equality, so that probabilities of 0 and 1 give finite log-odds.
SMOOTHING = 1e-9
_ITERATIONS = 50
_LEAST_ODDS = -700.0
TOLERANCE = 1e-9


def coupled_probabilities(sums: FloatArray) -> FloatArray:
    """Return class probabilities by pairwise coupling [1]_.

    p solves Σ_j p_i/(p_i + p_j) = sums_i for every class, which is the Bradley-Terry fit to the
    pairwise probabilities. It keeps the order of the sums; with two classes it returns the sums.

    Parameters
    ----------
    sums : ndarray of shape (n_rows, n_classes)
        Each row adds up to n_classes (n_classes − 1)/2.

    References
    ----------
    .. [1] T. Hastie, R. Tibshirani, "Classification by pairwise coupling", Ann. Statist. 26,
       1998.
    """
    n_classes = sums.shape[1]
    if n_classes == 2:
        return sums
    step = max(1, _BLOCK_VALUES // n_classes**2)
    blocks = [_coupled_block(sums[start : start + step]) for start in range(0, len(sums), step)]
    return np.concatenate(blocks) if blocks else np.empty_like(sums)


def _coupled_block(sums: FloatArray) -> FloatArray:
    n, k = sums.shape
    target = (1 - SMOOTHING) * sums + SMOOTHING * (k - 1) / 2
    # Newton's method on the concave log-likelihood of the log-odds, row by row; long steps are
    # shortened. Only differences count: the ones added to the Hessian keep the mean at zero.
    odds = np.log(target) - np.log(k - 1 - target + 1e-300)
    odds -= odds.mean(axis=1, keepdims=True)
    unsettled = np.arange(n)
    for _ in range(_ITERATIONS):
        move, residual = _newton_step(odds[unsettled], target[unsettled])
        far = np.abs(residual).max(axis=1, initial=0.0) >= TOLERANCE
        unsettled, move = unsettled[far], move[far]
        if not unsettled.size:
            break
        odds[unsettled] += move / np.maximum(np.abs(move).max(axis=1, keepdims=True) / 3.0, 1.0)
    probabilities: FloatArray = softmax(odds, axis=1)
    # The class with the largest sum must have the largest probability, also after rounding.
    rows = np.arange(n)
    best = sums.argmax(axis=1)
    probabilities[rows, best] = probabilities.max(axis=1)
    first = probabilities.argmax(axis=1)
    clash = first != best
    probabilities[rows[clash], best[clash]] = np.nextafter(
        probabilities[rows[clash], first[clash]], 2.0
    )
    return probabilities


def _newton_step(odds: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the Newton step of each row, and the target minus its sums of shares."""
    k = odds.shape[1]
    diagonal = np.arange(k)
    # Shares of exponentials cost a division; the floor keeps each of them a positive number.
    sizes = np.exp(np.maximum(odds - odds.max(axis=1, keepdims=True), _LEAST_ODDS))
    shares = sizes[:, None, :] + sizes[:, :, None]
    np.divide(sizes[:, :, None], shares, out=shares)
    shares[:, diagonal, diagonal] = 0.0
    residual = target - shares.sum(axis=2)
    # The negative Hessian; a share of 0 on the diagonal adds nothing.
    hessian = shares * shares
    hessian -= shares
    total = hessian.sum(axis=2)
    hessian += 1.0 / k
    hessian[:, diagonal, diagonal] += 1e-12 - total
    move = np.linalg.solve(hessian, residual[:, :, None])[:, :, 0]
    return move - move.mean(axis=1, keepdims=True), residual
