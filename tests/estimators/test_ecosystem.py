"""At home among scikit-learn's tools."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
import skops.io
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from zerone import AUCClassifier, ZeroOneClassifier
from zerone.solvers import LBFGS, NewtonCG

CLASSIFIERS = [ZeroOneClassifier, AUCClassifier]
X, Y = load_breast_cancer(return_X_y=True)

pytestmark = pytest.mark.parametrize("cls", CLASSIFIERS)


def test_pipeline(cls):
    pipeline = make_pipeline(StandardScaler(), cls())
    assert pipeline.fit(X, Y).score(X, Y) > 0.95
    # The exact rules do not depend on the scale of the features.
    np.testing.assert_allclose(
        pipeline.decision_function(X), cls().fit(X, Y).decision_function(X), atol=1e-5
    )


def test_grid_search_in_parallel(cls):
    search = GridSearchCV(
        make_pipeline(StandardScaler(), cls()),
        {f"{cls.__name__.lower()}__shrinkage": ["auto", 0.0, 0.1, 0.5]},
        n_jobs=2,
        cv=3,
    )
    assert search.fit(X, Y).best_score_ > 0.93


def test_grid_search_over_settings_of_the_solver(cls):
    model = cls(solver=LBFGS(max_iter=1000))
    search = GridSearchCV(
        make_pipeline(StandardScaler(), model),
        {f"{cls.__name__.lower()}__solver__tol": [10.0, 1e-3]},
        cv=3,
    ).fit(X, Y)
    # With the first one no step is made.
    found = search.best_estimator_[-1].solver
    assert search.best_params_ == {f"{cls.__name__.lower()}__solver__tol": found.tol}
    assert (search.best_estimator_[-1].n_iter_ == 0) == (found.tol == 10)
    assert found.max_iter == 1000
    assert len(set(search.cv_results_["mean_test_score"])) == 2
    # The object that was given is as it was.
    assert model.solver.tol == LBFGS().tol


def test_clone_keeps_the_solver(cls):
    model = cls(solver=NewtonCG(tol=1e-3, max_iter=50))
    twin = clone(model)
    assert twin.solver is not model.solver
    assert isinstance(twin.solver, NewtonCG)
    assert twin.solver.get_params() == model.solver.get_params()
    assert twin.set_params(solver__tol=1e-2).solver.tol == 1e-2
    assert model.solver.tol == 1e-3


def test_clone_and_repr(cls):
    model = cls(shrinkage=0.25, class_weight={0: 2.0, 1: 1.0})
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert "shrinkage=0.25" in repr(model)


def test_pickle(cls):
    model = cls().fit(X, Y)
    twin = pickle.loads(pickle.dumps(model))
    assert (twin.predict_proba(X) == model.predict_proba(X)).all()
    assert (twin.retarget("f1").coef_ == model.retarget("f1").coef_).all()


def test_cross_validation_scores(cls):
    assert cross_val_score(cls(), X, Y, scoring="roc_auc").mean() > 0.98
    assert cross_val_score(cls(), X, Y, scoring="neg_log_loss").mean() > -0.4


def test_feature_names(cls):
    frame = pd.DataFrame(X, columns=load_breast_cancer().feature_names)
    model = cls().fit(frame, Y)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    with pytest.warns(UserWarning, match="valid feature names"):
        model.predict(X)


def test_metadata_routing(cls):
    weights = np.random.default_rng(0).integers(0, 3, len(Y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = cls().set_fit_request(sample_weight=True)
        scorer = make_scorer(roc_auc_score, response_method="decision_function")
        scorer = scorer.set_score_request(sample_weight=True)
        found = cross_validate(
            model, X, Y, params={"sample_weight": weights}, scoring=scorer, return_estimator=True
        )
    totals = [estimator.moments_.weight for estimator in found["estimator"]]
    assert sum(totals) == pytest.approx(4 * weights.sum())


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrated_classifier(cls, method):
    model = CalibratedClassifierCV(cls(), method=method, cv=3).fit(X, Y)
    assert model.score(X, Y) > 0.95


def test_frozen_estimator(cls):
    frozen = FrozenEstimator(cls().fit(X, Y))
    model = CalibratedClassifierCV(frozen).fit(X, Y)
    assert model.score(X, Y) > 0.95


def test_tuned_threshold(cls):
    model = TunedThresholdClassifierCV(cls(), scoring="balanced_accuracy", cv=3).fit(X, Y)
    assert model.score(X, Y) > 0.9


def test_one_vs_rest(cls):
    rows, labels = load_iris(return_X_y=True)
    assert OneVsRestClassifier(cls()).fit(rows, labels).score(rows, labels) > 0.8


@pytest.mark.filterwarnings("default")  # mlflow warns about code of its own
@pytest.mark.parametrize("data", ["two classes", "several classes", "table"])
def test_mlflow(cls, data, tmp_path):
    reason = "mlflow 3.17 or later is not installed"
    pytest.importorskip("mlflow", minversion="3.17", reason=reason)
    from mlflow import sklearn as mlflow_sklearn

    rows, labels = (X, Y) if data == "two classes" else load_iris(return_X_y=True)
    if data == "table":
        rows = pd.DataFrame(rows).add_prefix("x").assign(kind=labels.astype(str))
        model = cls().fit_table(rows, target="kind")
    else:
        model = cls().fit(rows, labels)
    # The types that skops, its default format, is to trust: see docs/coming_from.md.
    trusted = skops.io.get_untrusted_types(data=skops.io.dumps(model))
    assert all(name.startswith("zerone.") for name in trusted)
    # mlflow would take seconds to find out what it requires.
    options = {"skops_trusted_types": trusted, "pip_requirements": ["zerone"]}
    mlflow_sklearn.save_model(model, tmp_path / "model", **options)
    loaded = mlflow_sklearn.load_model(str(tmp_path / "model"))
    assert (loaded.predict_proba(rows) == model.predict_proba(rows)).all()
