"""
Several classes: recall, precision, weights
===========================================

One number does not say which classes are confused. Two displays of zerone and one of scikit-learn
do.
"""

# %%
# The data: handwritten digits, half of them held out.

from sklearn.datasets import load_digits, load_wine
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split

from zerone import ZeroOneClassifier
from zerone.inspection import ClassReportDisplay, ClassWeightsDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
classifier = ZeroOneClassifier().fit(X_train, y_train)

# %%
# Recall and precision of each digit, with intervals of 95 %. They are the figures of
# ``zerone evaluate``.

report = ClassReportDisplay.from_estimator(classifier, X_test, y_test)
print(report.frame().round(3).to_string())

# %%
# Which digits are confused is shown by scikit-learn's own display.

ConfusionMatrixDisplay.from_estimator(classifier, X_test, y_test, cmap="Greys")

# %%
# Which features speak for which class? Predictions come from a rule for each pair of classes;
# `class_coef_` is a linear summary of these, with a row for each class. Wines have features with
# names:

X, y = load_wine(return_X_y=True, as_frame=True)
wines = ZeroOneClassifier().fit(X, y)
ClassWeightsDisplay.from_estimator(wines)

# %%
# How far can the summary be trusted? The class with the largest sum is mostly the predicted one.

scores = X.to_numpy() @ wines.class_coef_.T + wines.class_intercept_
agreement = (wines.classes_[scores.argmax(axis=1)] == wines.predict(X)).mean()
print(f"the same class for {agreement:.1%} of the rows")
