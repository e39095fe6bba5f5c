"""Wrong input names itself and leaves the estimator as it was."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from tests.helpers import gaussian_rows

from zerone import AUCClassifier, Moments, ZeroOneClassifier
from zerone.solvers import LBFGS, NewtonCG

CLASSIFIERS = [ZeroOneClassifier, AUCClassifier]


@pytest.mark.parametrize("cls", CLASSIFIERS)
class TestBadInput:
    def test_one_class_is_named(self, cls):
        with pytest.raises(ValueError, match="only one class, 'a'"):
            cls().fit([[1.0], [2.0]], ["a", "a"])
        with pytest.raises(ValueError, match="only one class, 1"):
            cls().fit([[1.0], [2.0]], [0, 1], sample_weight=[0, 1])
        with pytest.raises(ValueError, match="only one class, 3"):
            cls().fit_moments(Moments.from_data([[1.0]], [3]))

    def test_regression_targets(self, cls):
        with pytest.raises(ValueError, match="Unknown label type: continuous"):
            cls().fit([[1.0], [2.0]], [0.1, 0.27])

    def test_mismatched_features(self, cls):
        X, y, _ = gaussian_rows(15)
        model = cls().fit(X, y)
        with pytest.raises(ValueError, match=r"2 features.*expecting 3"):
            model.predict(X[:, :2])
        named = cls().fit(pd.DataFrame(X, columns=list("abc")), y)
        with pytest.raises(ValueError, match="feature names"):
            named.predict(pd.DataFrame(X, columns=list("acb")))

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_values_that_are_not_finite(self, cls, bad):
        X, y, _ = gaussian_rows(16)
        X[3, 1] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            cls().fit(X, y)
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            cls().fit(np.nan_to_num(X, posinf=0), y).predict(X)

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"solver": "svm"}, r"solver: got 'svm', expected one of \['exact', 'lbfgs', 'newton"),
            ({"shrinkage": "oas"}, "shrinkage: got 'oas', expected 'auto'"),
            ({"shrinkage": 2.0}, "shrinkage: got 2.0, expected 'auto', a number from 0 to 1"),
            ({"class_weight": "equal"}, "class_weight: got 'equal', expected None, 'balanced'"),
            ({"class_weight": {9: 1}}, r"names the class 9, but the classes are \[0, 1\]"),
            ({"class_weight": {0: -1}}, "class_weight: .*positive"),
            ({"class_weight": {0: "x"}}, "class_weight: .*number"),
            (
                {"solver": LBFGS},
                r"solver: got .*LBFGS.*, or a solver object such as .*LBFGS\(",
            ),
            ({"solver": 3}, r"solver: got 3, expected one of \['exact'"),
            ({"solver": LBFGS(max_iter=0)}, "max_iter: got 0"),
            ({"solver": LBFGS(max_iter=1.5)}, "max_iter: got 1.5"),
            ({"solver": LBFGS(tol="small")}, "tol: got 'small'"),
            ({"solver": NewtonCG(tol=-1)}, "tol: got -1"),
            ({"fit_intercept": "no"}, "fit_intercept: got 'no', expected True or False"),
            ({"class_weight": {0: 1e-300, 1: 1e300}}, "class_weight: .*orders of magnitude"),
            ({"solver": LBFGS(scale_penalty=-1)}, "scale_penalty: got -1"),
            ({"n_jobs": "a"}, "n_jobs: got 'a', expected None, a positive number"),
            ({"n_jobs": 0}, "n_jobs: got 0"),
            ({"n_jobs": 1.5}, "n_jobs: got 1.5"),
            ({"n_jobs": True}, "n_jobs: got True"),
        ],
    )
    def test_wrong_parameters(self, cls, parameters, message):
        X, y, _ = gaussian_rows(17)
        with pytest.raises(ValueError, match=message):
            cls(**parameters).fit(X, y)

    def test_moments_are_moments(self, cls):
        with pytest.raises(TypeError, match=r"moments: got dict.*Moments\.from_data"):
            cls().fit_moments({})

    def test_not_fitted(self, cls):
        for method in ["predict", "predict_proba", "predict_log_proba", "decision_function"]:
            with pytest.raises(NotFittedError):
                getattr(cls(), method)([[1.0]])
        with pytest.raises(NotFittedError):
            cls().retarget("f1")

    def test_a_failed_fit_leaves_the_old_one(self, cls):
        X, y, _ = gaussian_rows(18)
        model = cls().fit(X, y)
        before = model.predict(X)
        named = pd.DataFrame(X[:, :2], columns=["u", "v"])
        for rows, labels, weights in [
            (X, np.zeros(120), None),
            (X[:, :2], np.zeros(120), None),
            (named, np.linspace(0, 1, 120), None),
            (named, y, np.zeros(120)),
            (np.full((120, 2), np.nan), y, None),
        ]:
            with pytest.raises(ValueError, match=r"."):
                model.fit(rows, labels, weights)
            assert model.n_features_in_ == 3
            assert not hasattr(model, "feature_names_in_")
            assert (model.predict(X) == before).all()
        fresh = cls(shrinkage=7)
        with pytest.raises(ValueError, match="shrinkage"):
            fresh.partial_fit(X, y, classes=[0, 1])
        assert not hasattr(fresh, "n_features_in_")


@pytest.mark.parametrize(
    "y",
    [np.linspace(0, 1, 60), np.linspace(0, 1, 60).astype(object), np.tile([0.0, np.inf], 30)],
    ids=["fractions", "fractions as objects", "infinity"],
)
def test_targets_of_a_regression(y):
    X = np.random.default_rng(0).standard_normal((60, 3))
    with pytest.raises(ValueError, match="Unknown label type"):
        ZeroOneClassifier().fit(X, y)


@pytest.mark.parametrize("dtype", [object, "category"])
def test_numbers_in_columns_of_another_type(dtype):
    frame = pd.DataFrame({"a": np.arange(60.0) % 7, "b": np.arange(60.0) % 5})
    y = np.arange(60) % 2
    plain = ZeroOneClassifier(refine=None).fit(frame, y)
    other = ZeroOneClassifier(refine=None).fit(frame.astype({"a": dtype}), y)
    np.testing.assert_array_equal(plain.coef_, other.coef_)
