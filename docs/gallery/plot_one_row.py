"""
Why this row?
=============

The score of a row is a sum: that of a row of means, and what each column adds. `ExplanationDisplay`
draws it.
"""

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from zerone import ZeroOneClassifier
from zerone.inspection import ExplanationDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
classifier = ZeroOneClassifier().fit(X_train, y_train)

# %%
# A row that is predicted wrong tells most. This one is the surest of the errors.

wrong = X_test[classifier.predict(X_test) != y_test]
explanation = classifier.explain(wrong)
surest = abs(explanation.scores).argmax()
print("true class:", y_test[wrong.index[surest]])
ExplanationDisplay(explanation, surest).plot(max_columns=8)

# %%
# The same in words, and the smallest change of one column that changes the answer.

print(explanation.reasons(3)[surest])
print(explanation.flip_columns[surest], explanation.flip_values[surest])

# %%
# With several classes, the score is that of the predicted class against the next one.

from sklearn.datasets import load_wine

X, y = load_wine(return_X_y=True, as_frame=True)
several = ZeroOneClassifier().fit(X, y)
ExplanationDisplay.from_estimator(several, X[60:61], max_columns=6)
