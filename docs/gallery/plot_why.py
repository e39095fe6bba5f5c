"""
Why a rule works: scores, frontier, weights, calibration
========================================================

Four displays show whether a linear rule can be trusted.
"""

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from zerone import ZeroOneClassifier
from zerone.inspection import (
    CalibrationDisplay,
    FrontierDisplay,
    ScoreNormalityDisplay,
    WeightsDisplay,
)

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
classifier = ZeroOneClassifier().fit(X_train, y_train)

# %%
# The error that zerone predicts from moments is right if each class's scores are nearly normal.

ScoreNormalityDisplay.from_estimator(classifier, X_test, y_test)

# %%
# If they are, the predicted frontier and the measured ROC curve are close together. The
# band has the interval of each measured point.

FrontierDisplay.from_estimator(classifier, X_test, y_test)

# %%
# The weights show which features matter, per standard deviation of each feature. How sure they are
# is in :doc:`plot_how_sure`.

WeightsDisplay.from_estimator(classifier)

# %%
# And the calibration curve shows whether predicted probabilities agree with observed shares.

CalibrationDisplay.from_estimator(classifier, X_test, y_test, n_bins=5)
