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
# If they are, the predicted frontier and the measured ROC curve are close together.

FrontierDisplay.from_estimator(classifier, X_test, y_test)

# %%
# The weights show which features matter, per standard deviation of each feature.

WeightsDisplay.from_estimator(classifier)

# %%
# And the calibration curve shows whether predicted probabilities agree with observed shares.

CalibrationDisplay.from_predictions(
    y_test == 1, classifier.predict_proba(X_test)[:, 1], label="1", n_bins=5
)
