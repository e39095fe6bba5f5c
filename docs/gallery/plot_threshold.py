"""
Where to cut: thresholds and costs
==================================

A rule predicts the positive class where its score is above a threshold. Two displays show what
every threshold and every ratio of costs would give, measured on held-out rows.
"""

# %%
# The data: tumours, where a malignant one that is missed costs ten times as much as a false alarm.

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from zerone import ZeroOneClassifier
from zerone.inspection import CostDisplay, FrontierDisplay, ThresholdDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X.filter(like="mean")
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
classifier = ZeroOneClassifier(
    metric="cost", metric_params={"false_negative_cost": 10}, positive="malignant"
).fit(X_train, y_train)

# %%
# Every threshold of this rule, with intervals of 95 %. The dashed line is the threshold that the
# fit has chosen.

display = ThresholdDisplay.from_estimator(classifier, X_test, y_test)

# %%
# `frame()` has the numbers. Where are at most 5 of 100 benign tumours taken for malignant ones?
# On other rows it may be up to the high end of the interval.

frame = display.frame()
allowed = frame[frame["false-positive rate"] <= 0.05].iloc[0]
print(allowed.round(3).to_string())

# %%
# The same rule as ROC curve: the band has the interval of each recall, the legend that of the AUC.

FrontierDisplay.from_estimator(classifier, X_test, y_test)

# %%
# What if the costs were others? For each ratio, `retarget` chooses another direction and another
# threshold without the rows of the fit. The band says how far other rows of the same kind would
# move the line.

CostDisplay.from_estimator(classifier, X_test, y_test)
