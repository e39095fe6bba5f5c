"""scikit-learn's own checks of an estimator: every level and solver, no expected failure, no skip.

Checks with other array libraries than NumPy need ``SCIPY_ARRAY_API=1`` (`make test` sets it) and
the library; those for libraries or devices that are not on this machine are not collected.
"""

import importlib.util
import os
import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    estimator_checks_generator,
)

from zerone import AUCClassifier, ZeroOneClassifier
from zerone.solvers import LBFGS, NewtonCG

SETTINGS = [
    {},
    {"refine": "frontier"},
    {"refine": None},
    {"solver": "lbfgs"},
    {"solver": "newton-cg"},
]


def has(library, device):
    """Whether this machine has an array library and one of its devices."""
    if importlib.util.find_spec(library) is None:
        return False
    if library == "torch" and device not in (None, "cpu"):
        import torch

        return bool(getattr(torch, device, None) and getattr(torch, device).is_available())
    return library != "dpnp"


def devices_of(check):
    """Return the array libraries of a check and their devices; none for most checks."""
    given = getattr(check, "keywords", {})
    needed = [(given.get("array_namespace"), given.get("device_name"))]
    needed += [given.get("X_ns_and_device"), given.get("other_ns_and_device")]
    return [device for device in needed if device is not None and device[0] is not None]


def can_run(check):
    """Whether a check is of libraries and devices that are here."""
    devices = devices_of(check)
    dispatches = os.environ.get("SCIPY_ARRAY_API") == "1"
    return not devices or (dispatches and all(has(*device) for device in devices))


def marks_of(check):
    """Return a mark for checks with libraries that `make test` does not install."""
    installed = {"numpy", "array_api_strict"}
    return [] if {name for name, _ in devices_of(check)} <= installed else [pytest.mark.engines]


def name_of(part):
    if not callable(part) or hasattr(part, "get_params"):
        return repr(part)
    given = ",".join(f"{k}={v}" for k, v in getattr(part, "keywords", {}).items())
    return f"{getattr(part, 'func', part).__name__}({given})"


ALL = [
    pytest.param(estimator, check, marks=marks_of(check))
    for cls in (ZeroOneClassifier, AUCClassifier)
    for settings in SETTINGS
    for estimator, check in estimator_checks_generator(cls(**settings))
    if can_run(check)
]


@pytest.mark.parametrize(("estimator", "check"), ALL, ids=name_of)
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
        assert tags.array_api_support


@pytest.mark.parametrize("cls", [ZeroOneClassifier, AUCClassifier])
@pytest.mark.parametrize("solver", [LBFGS, NewtonCG])
@pytest.mark.parametrize("tol", [1e-4, 1e-11])
@pytest.mark.parametrize(
    "check",
    [
        check_sample_weight_equivalence_on_dense_data,
        check_sample_weight_equivalence_on_sparse_data,
    ],
)
def test_weights_equal_repetition_at_any_tolerance(cls, solver, tol, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(cls.__name__, cls(solver=solver(tol=tol)))
