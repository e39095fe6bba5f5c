"""
Why a rule works: scores, frontier, weights, calibration
========================================================

Four pictures tell whether a linear rule can be trusted.
"""

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from zerone import ZeroOneClassifier
from zerone.inspection._calibration import CalibrationDisplay
from zerone.inspection._frontier_display import FrontierDisplay
from zerone.inspection._score_normality import ScoreNormalityDisplay
from zerone.inspection._weights_display import WeightsDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
classifier = ZeroOneClassifier().fit(X_train, y_train)

# %%
# The error that zerone predicts from moments rests on scores that are nearly normal in each class.

ScoreNormalityDisplay.from_estimator(classifier, X_test, y_test)

# %%
# Where they are, the predicted frontier and the measured curve lie close together.

FrontierDisplay.from_estimator(classifier, X_test, y_test)

# %%
# Which features the rule goes by, in standard deviations of each.

WeightsDisplay.from_estimator(classifier)

# %%
# And whether probabilities mean what they say.

CalibrationDisplay.from_predictions(
    y_test == 1, classifier.predict_proba(X_test)[:, 1], label="1", n_bins=5
)
