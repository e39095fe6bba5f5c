"""The paper's scaling: no feature exceeds 1 in absolute value."""

from typing import Any

import numpy as np
import scipy.sparse as sp


def scale_to_unit(X: Any) -> Any:
    """Divide every feature by its largest absolute value; constant zeros stay.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_rows, n_features)

    Returns
    -------
    ndarray or csr_array

    Examples
    --------
    >>> import numpy as np
    >>> from paper.datasets.scaling import scale_to_unit
    >>> scale_to_unit(np.array([[1.0, 0.0], [-4.0, 0.0]])).tolist()
    [[0.25, 0.0], [-1.0, 0.0]]
    """
    if sp.issparse(X):
        largest = np.asarray(abs(X).max(axis=0).todense()).ravel()
        factors = 1.0 / np.where(largest > 0, largest, 1.0)
        return sp.csr_array(sp.csr_array(X) * factors)
    largest = np.abs(X).max(axis=0)
    return X / np.where(largest > 0, largest, 1.0)
