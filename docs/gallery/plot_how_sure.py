"""
How sure is a coefficient?
==========================

Other rows would have given other coefficients. `SummaryDisplay` draws them with intervals of 95 %,
and says when these may be believed.
"""

# %%
# The data: tumours that are benign or malignant, and five features of their cells.

from sklearn.datasets import load_breast_cancer

from zerone import ZeroOneClassifier
from zerone.inspection import SummaryDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
few = X[["mean radius", "mean texture", "mean smoothness", "mean symmetry", "texture error"]]

# %%
# A rule of the moments needs its rows once more. Coefficients are per standard deviation of their
# feature; an interval that does not meet zero says that the sign is sure. Positive coefficients
# speak for "malignant", the last class.

moments = ZeroOneClassifier(refine=None).fit(few, y)
SummaryDisplay.from_estimator(moments, few, y)

# %%
# The same figures as a table, and per unit of the feature in print.

display = SummaryDisplay(moments.summary(few, y))
print(display.frame().round(3))
print(display.summary)

# %%
# The refined rule of all 30 features needs no rows again: the models that held rows out show how
# far it is spread. But many of these features say nearly the same, and 212 malignant tumours are
# few. So no coefficient is steady, and the picture says so.

refined = ZeroOneClassifier().fit(X, y)
SummaryDisplay.from_estimator(refined, max_features=10)
