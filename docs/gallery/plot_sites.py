"""
Three sites, one classifier
===========================

Each site shares its moments and no rows; the result is the same as from all rows together.
"""

# %%
import numpy as np
from sklearn.datasets import load_breast_cancer

from zerone import Moments, ZeroOneClassifier
from zerone.inspection import WeightsDisplay

X, y = load_breast_cancer(return_X_y=True)
sites = [Moments.from_data(X[site::3], y[site::3]) for site in range(3)]
together = ZeroOneClassifier().fit_moments(sum(sites))
pooled = ZeroOneClassifier(refine=None).fit(X, y)
print("largest difference of a coefficient:", np.abs(together.coef_ - pooled.coef_).max())

# %%
# A site can also remove a row, because moments can be subtracted.

without_first = sum(sites) - Moments.from_data(X[:1], y[:1])
print(without_first)

# %%
WeightsDisplay.from_estimator(together, names=load_breast_cancer().feature_names)
