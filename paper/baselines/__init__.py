"""The paper's rivals: logistic regression, pairwise hinge ranking, and Adam.

Defaults are the paper's settings. Each is tested against an independent implementation. The fourth
rival, LDA, is scikit-learn's.
"""
