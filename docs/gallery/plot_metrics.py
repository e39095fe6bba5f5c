"""
Choose your metric
==================

A linear rule that is best for one metric is not best for another. This page trains one data set for
six of them: the line turns, it does not only move. Logistic regression can only move it.
"""

# %%
# The data: a fifth of the rows is positive. Most negatives lie to the left of the positives. One in
# ten lies above them, where a rule meets it only if it predicts many rows as positive.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, confusion_matrix, make_scorer, roc_curve
from sklearn.model_selection import TunedThresholdClassifierCV

from zerone import AUCClassifier, ZeroOneClassifier


def draw(n, rng):
    """Return n rows of two features, and their classes."""
    y = (rng.random(n) < 0.2).astype(int)
    X = rng.normal(size=(n, 2))
    above = (y == 0) & (rng.random(n) < 0.1)
    X[y == 1] = [2.0, 0.0] + X[y == 1] * [0.7, 1.3]
    X[above] = [2.6, 2.4] + X[above] * [0.9, 0.5]
    return X, y


rng = np.random.default_rng(0)
X_train, y_train = draw(10_000, rng)
X_test, y_test = draw(100_000, rng)

# %%
# The metric is a parameter of the classifier, and `metric_params` has its parameters. Metrics of
# predictions belong to `ZeroOneClassifier`, metrics of the order of the rows to `AUCClassifier`.
# Logistic regression gets the threshold that is best for the metric, by
# `TunedThresholdClassifierCV`. All are measured on fresh rows, without zerone's code.


def error(y, predicted):
    """Return the share of rows that are predicted wrongly."""
    return np.mean(y != predicted)


def balanced_error(y, predicted):
    """Return the mean of both classes' error rates."""
    (tn, fp), (fn, tp) = confusion_matrix(y, predicted)
    return (fp / (fp + tn) + fn / (fn + tp)) / 2


def loss_of_f1(y, predicted):
    """Return 1 - F1."""
    (_, fp), (fn, tp) = confusion_matrix(y, predicted)
    return 1 - 2 * tp / (2 * tp + fp + fn)


def cost(y, predicted):
    """Return the mean cost, false negatives to false positives as 10 to 1."""
    (_, fp), (fn, _) = confusion_matrix(y, predicted)
    return (10 * fn + fp) / len(y)


def missed_at(y, scores):
    """Return the share of the positives that is missed at a false-positive rate of 1 %."""
    wrong, found, _ = roc_curve(y, scores)
    return 1 - np.interp(0.01, wrong, found)


def loss_of_precision(y, scores):
    """Return 1 - average precision."""
    return 1 - average_precision_score(y, scores)


COSTS = {"false_negative_cost": 10}
LIMIT = {"max_false_positive_rate": 0.01}
CASES = {
    error: ZeroOneClassifier(),
    balanced_error: ZeroOneClassifier(metric="balanced_error"),
    loss_of_f1: ZeroOneClassifier(metric="f1"),
    cost: ZeroOneClassifier(metric="cost", metric_params=COSTS),
    missed_at: ZeroOneClassifier(metric="true_positive_rate", metric_params=LIMIT),
    loss_of_precision: AUCClassifier(metric="average_precision"),
}
TITLES = (
    "error",
    "balanced error",
    "1 - F1",
    "cost, 10 to 1",
    "missed at a false-positive rate of 1 %",
    "1 - average precision",
)

# %%
# Each panel is one metric; lower is better. Rows in the shaded half are predicted as positive by
# the rule that zerone trained for it. The dashed line is that of logistic regression.


def boundary(axes, model, style):
    """Draw where a classifier changes its prediction."""
    across = np.meshgrid(np.linspace(-3, 5, 400), np.linspace(-4, 4, 400))
    points = np.column_stack([own.ravel() for own in across])
    predicted = model.predict(points).reshape(400, 400)
    axes.contour(*across, predicted, levels=[0.5], colors="black", linestyles=style)
    if style == "solid":
        axes.contourf(*across, predicted, levels=[0.5, 1], colors="#D55E00", alpha=0.12)


figure, panels = plt.subplots(2, 3, figsize=(10, 6.4), sharex=True, sharey=True)
shown = rng.permutation(len(X_test))[:1_500]
for axes, title, (loss, model) in zip(panels.flat, TITLES, CASES.items(), strict=True):
    model.fit(X_train, y_train)
    rival = LogisticRegression().fit(X_train, y_train)
    if loss in (missed_at, loss_of_precision):
        found = [loss(y_test, own.decision_function(X_test)) for own in (model, rival)]
    else:
        scorer = make_scorer(loss, greater_is_better=False)
        rival = TunedThresholdClassifierCV(rival, scoring=scorer).fit(X_train, y_train)
        found = [loss(y_test, own.predict(X_test)) for own in (model, rival)]
    for label, colour in ((0, "#0072B2"), (1, "#D55E00")):
        own = shown[y_test[shown] == label]
        axes.scatter(*X_test[own].T, s=4, alpha=0.5, color=colour, linewidths=0)
    boundary(axes, model, "solid")
    boundary(axes, rival, "dashed")
    axes.set(title=title, xlim=(-3, 5), ylim=(-4, 4), xticks=[], yticks=[])
    axes.set_xlabel(f"zerone {found[0]:.3f}, logistic regression {found[1]:.3f}")
figure.tight_layout()

# %%
# Where there are no rows any more, `retarget` moves a fitted classifier to another metric. It
# chooses the best direction and threshold among those that the fit has kept. Training with the
# metric is better where there are rows. `status_` says which of the two was done.

default = ZeroOneClassifier().fit(X_train, y_train)
retargeted = default.retarget("true_positive_rate", **LIMIT)
for model in (default, retargeted, CASES[missed_at]):
    missed = missed_at(y_test, model.decision_function(X_test))
    print(f"{missed:.3f}  {model.status_}")
