"""
A rare class: one fit, many metrics
===================================

One row in fifty is positive, and a false negative costs twenty times as much as a false positive.
One fit serves every metric, because the frontier contains the best rule for each of them. Where the
rows are at hand, training for the metric is better still: see :doc:`plot_metrics`.
"""

# %%
# The data: two classes with different spreads, one of them rare.

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, f1_score
from sklearn.model_selection import train_test_split

from zerone import AUCClassifier, ZeroOneClassifier
from zerone.inspection import FrontierDisplay

rng = np.random.default_rng(0)
n = 40_000
y = (rng.random(n) < 0.02).astype(int)
X = rng.normal(size=(n, 6)) * np.where(y[:, None], 1.6, 1.0)
X[:, :3] += 1.2 * y[:, None]
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

# %%
# Accuracy says little here: always predicting "no" is right in 98 of 100 cases. A classifier that
# minimises the error comes close to that, as it should.

classifier = ZeroOneClassifier().fit(X_train, y_train)
print("accuracy", round(classifier.score(X_test, y_test), 4))
print("always no", round(1 - y_test.mean(), 4))

# %%
# What counts is the cost. `retarget` changes direction and threshold without the data; the
# probabilities stay as they were.

costly = classifier.retarget("cost", false_negative_cost=20, false_positive_cost=1)
balanced = classifier.retarget("balanced_error")
f_score = classifier.retarget("f1")


def cost(predicted):
    """Return the mean cost of a decision."""
    (_, false_positives), (false_negatives, _) = confusion_matrix(y_test, predicted)
    return (20 * false_negatives + false_positives) / len(y_test)


rivals = {
    "logistic regression": LogisticRegression(),
    "the same, balanced": LogisticRegression(class_weight="balanced"),
}
for model in rivals.values():
    model.fit(X_train, y_train)
models = {"error": classifier, "cost": costly, "balanced": balanced, "F1": f_score, **rivals}
print(f"{'':22}{'cost':>8}{'balanced accuracy':>20}{'F1':>8}")
for name, model in models.items():
    predicted = model.predict(X_test)
    balance = balanced_accuracy_score(y_test, predicted)
    print(f"{name:22}{cost(predicted):8.3f}{balance:20.3f}{f1_score(y_test, predicted):8.3f}")

# %%
# All of these rules lie on the frontier: fewer false negatives cost more false positives.
# The dot is the rule with the lowest cost.

FrontierDisplay.from_estimator(costly, X_test, y_test)

# %%
# For ranking alone, `AUCClassifier` maximises the area under that curve.

ranking = AUCClassifier().fit(X_train, y_train)
FrontierDisplay.from_estimator(ranking, X_test, y_test)
