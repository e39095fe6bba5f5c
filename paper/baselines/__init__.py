"""What the paper compares with: logistic regression, pairwise hinge ranking, and Adam.

Each is written as well as it can be, with the paper's settings as its defaults, and checked
against an independent implementation. The fourth rival, LDA, is scikit-learn's.
"""
