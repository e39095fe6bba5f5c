"""scikit-learn's own checks of an estimator: every level and solver, no expected failure."""

import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from zerone import AUCClassifier, ZeroOneClassifier

# Newton-CG stops at a gradient of 1e-4 by default, which is short of the digits that are compared.
SETTINGS = [
    {},
    {"refine": "frontier"},
    {"refine": None},
    {"solver": "lbfgs"},
    {"solver": "newton-cg", "tol": 1e-11},
]


@parametrize_with_checks(
    [cls(**settings) for cls in (ZeroOneClassifier, AUCClassifier) for settings in SETTINGS]
)
def test_check(estimator, check):
    with warnings.catch_warnings():
        # The checks train on tiny unscaled data; iterative solvers may run out of iterations
        # and classes may have a single row.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="class .* has a total weight of")
        warnings.filterwarnings("ignore", message="refine='frontier' needs all rows")
        check(estimator)


def test_nothing_is_expected_to_fail():
    for cls in (ZeroOneClassifier, AUCClassifier):
        tags = cls().__sklearn_tags__()
        assert not tags.no_validation
        assert not tags.non_deterministic
        assert not tags.classifier_tags.poor_score
        assert tags.input_tags.sparse
