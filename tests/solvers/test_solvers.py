"""Problems × solvers, and what each solver must say about its outcome."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from evidence.problems import random_moments, sparse_rows
from zerone import Moments, ZeroOneClassifier
from zerone.estimators._parameters import Settings
from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._ranking_loss import RankingLoss
from zerone.objectives._scale_penalty import ScalePenalised
from zerone.solvers._exact import Exact
from zerone.solvers._lbfgs import LBFGS
from zerone.solvers._newton_cg import NewtonCG
from zerone.solvers._start import paper_start

SOLVERS = {
    "exact": Exact(),
    "lbfgs": LBFGS(tol=1e-7),
    "newton-cg": NewtonCG(tol=1e-7),
}


def gaussians(d=4, seed=3):
    return random_moments(np.random.default_rng(seed), d=d, low=-0.5, high=0.5).pair(1, 0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("objective", [ExpectedError, RankingLoss])
def test_all_solvers_agree_on_easy_problems(objective, seed):
    rng = np.random.default_rng([11, seed])
    pair = Moments.from_parameters(
        {
            0: (0.6, np.zeros(4), np.diag(rng.uniform(0.5, 2, 4))),
            1: (0.4, rng.uniform(0.5, 1.5, 4), np.diag(rng.uniform(0.5, 2, 4))),
        }
    ).pair(1, 0)
    results = [solver.solve(objective(pair)) for solver in SOLVERS.values()]
    for result in results:
        assert result.converged, result.status
        assert result.status.endswith(".")
        assert result.value == pytest.approx(results[0].value, abs=1e-9)
        # In the whitened coordinates of the scores: directions agree.
        cosine = result.coef @ results[0].coef
        cosine /= np.linalg.norm(result.coef) * np.linalg.norm(results[0].coef)
        assert cosine > 1 - 1e-6


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg"])
@pytest.mark.parametrize("kind", ["explicit", "implicit", "factored"])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("objective", [ExpectedError, RankingLoss])
def test_iterative_solvers_work_on_every_representation(
    solver, kind, fit_intercept, objective, rng
):
    X = sparse_rows(rng, (60, 6), 0.6)
    y = np.arange(60) % 2
    moments = Moments.from_data(X, y, covariance=kind)
    twin = Moments.from_data(X, y, covariance="explicit")
    found = SOLVERS[solver].solve(objective(moments.pair(1, 0), fit_intercept))
    expected = SOLVERS[solver].solve(objective(twin.pair(1, 0), fit_intercept))
    assert found.value == pytest.approx(expected.value, abs=1e-7)
    assert fit_intercept or found.intercept == 0.0


def test_the_scale_is_pinned_by_the_penalty():
    result = LBFGS(tol=1e-9).solve(ExpectedError(gaussians()))
    assert np.hypot(np.linalg.norm(result.coef), result.intercept) == pytest.approx(1, abs=1e-4)


def test_gradient_at_the_end_is_within_the_tolerance():
    objective = ExpectedError(gaussians())
    for solver in [LBFGS(tol=1e-6), NewtonCG(tol=1e-6)]:
        result = solver.solve(objective)
        x = np.append(result.coef, result.intercept)
        gradient = ScalePenalised(objective, 0.001).value_and_gradient(x)[1]
        assert np.linalg.norm(gradient) <= 1e-6


def test_lbfgs_stops_on_the_euclidean_norm():
    # Loose enough to hold at the start: no iteration is made.
    assert LBFGS(tol=1e3).solve(ExpectedError(gaussians())).n_iter == 0
    loose = LBFGS(tol=1e-2).solve(ExpectedError(gaussians()))
    tight = LBFGS(tol=1e-8).solve(ExpectedError(gaussians()))
    assert loose.n_iter < tight.n_iter


@pytest.mark.parametrize("solver", [LBFGS(max_iter=2, tol=1e-12), NewtonCG(max_iter=2, tol=1e-12)])
def test_the_iteration_limit_is_a_warning_that_says_what_to_do(solver):
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2.*raise max_iter"):
        result = solver.solve(ExpectedError(gaussians()))
    assert not result.converged
    assert result.n_iter == 2
    assert "max_iter=2" in result.status


def test_rounding_is_not_called_convergence():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = LBFGS(tol=1e-300).solve(RankingLoss(gaussians()))
    assert not result.converged
    assert "rounding" in result.status


@pytest.mark.parametrize("solver", [LBFGS(), NewtonCG()])
def test_a_plateau_is_not_called_convergence(solver):
    pair = Moments.from_parameters({0: (1, [0.0], [[1.0]]), 1: (1, [1.0], [[1.0]])}).pair(1, 0)
    result = solver.solve(ExpectedError(pair), np.array([1.0, 500.0]))
    assert not result.converged
    assert "flat" in result.status


def test_the_start_lies_between_classes_far_from_zero():
    pair = Moments.from_parameters({0: (1, [1e4], [[1.0]]), 1: (1, [1e4 + 1], [[1.0]])})
    start = paper_start(ExpectedError(pair.pair(1, 0)))
    assert start[0] * 1e4 + start[1] <= 1e-6 < start[0] * (1e4 + 1) + start[1]
    huge = Moments.from_parameters({0: (1, [1e200], [[1.0]]), 1: (1, [2e200], [[1.0]])})
    assert np.isfinite(paper_start(ExpectedError(huge.pair(1, 0)))).all()


def test_cross_covariances_that_cannot_be():
    pair = gaussians()
    for cross, message in [
        (np.full((4, 4), np.nan), "NaN"),
        (100 * np.eye(4), "too large"),
    ]:
        with pytest.raises(ValueError, match=f"cross_covariance: .*{message}"):
            Exact().solve(RankingLoss(pair, cross_covariance=cross))


def test_objectives_take_moments_with_two_classes():
    moments = random_moments(np.random.default_rng(3), d=4, low=-0.5, high=0.5)
    assert Exact().solve(ExpectedError(moments)).converged


def test_exact_needs_an_intercept_for_the_error():
    with pytest.raises(ValueError, match=r"fit_intercept: .*solver='lbfgs'"):
        Exact().solve(ExpectedError(gaussians(), fit_intercept=False))


def test_exact_knows_which_objectives_it_can_solve():
    with pytest.raises(TypeError, match=r"ScalePenalised has no exact solution.*'lbfgs'"):
        Exact().solve(ScalePenalised(ExpectedError(gaussians()), 0.1))
    with pytest.raises(ValueError, match="start: the exact solver takes none"):
        Exact().solve(ExpectedError(gaussians()), np.ones(5))


def test_exact_ranking_with_a_cross_covariance(rng):
    pair = gaussians()
    cross = 0.1 * rng.standard_normal((4, 4))
    objective = RankingLoss(pair, fit_intercept=False, cross_covariance=cross)
    total = pair.positive.covariance.toarray() + pair.negative.covariance.toarray()
    expected = np.linalg.solve(total - cross - cross.T, pair.delta)
    found = Exact().solve(objective).coef
    assert_allclose(found / np.linalg.norm(found), expected / np.linalg.norm(expected), atol=1e-9)
    assert Exact().solve(objective).value <= LBFGS(tol=1e-9).solve(objective).value + 1e-12


def test_exact_uses_the_priors_of_the_objective():
    pair = gaussians()
    objective = ExpectedError(pair, priors={1: 0.5, 0: 0.5})
    found = Exact().solve(objective)
    assert found.value <= LBFGS(tol=1e-9).solve(objective).value + 1e-9


class TestPaperStart:
    def test_orthogonal_to_the_negative_mean_with_a_one_appended(self):
        pair = gaussians()
        start = paper_start(ExpectedError(pair))
        assert np.linalg.norm(start) == pytest.approx(1)
        assert start @ np.append(pair.negative.mean, 1) == pytest.approx(0, abs=1e-12)
        assert start @ np.append(pair.positive.mean, 1) > 0

    def test_without_intercept(self):
        pair = gaussians()
        start = paper_start(ExpectedError(pair, fit_intercept=False))
        assert start @ pair.negative.mean == pytest.approx(0, abs=1e-12)

    @pytest.mark.parametrize("means", [([1.0], [2.0]), ([0.0], [2.0]), ([2.0], [2.0])])
    def test_degenerate_means(self, means):
        negative, positive = means
        pair = Moments.from_parameters({0: (1, negative, [[1.0]]), 1: (1, positive, [[1.0]])})
        start = paper_start(ExpectedError(pair.pair(1, 0), fit_intercept=False))
        assert abs(start[0]) == 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_iter": 0}, "max_iter: got 0"),
        ({"tol": 0.0}, "tol: got 0"),
        ({"tol": np.nan}, "tol: got nan"),
        ({"scale_penalty": -1.0}, "scale_penalty: got -1"),
        ({"memory": 0}, "memory: got 0"),
    ],
)
def test_bad_settings_are_refused_when_they_are_used(settings, message):
    solver = LBFGS(**settings)
    with pytest.raises(ValueError, match=message):
        solver.solve(ExpectedError(gaussians()))


@pytest.mark.parametrize("settings", [{"max_iter": 0}, {"tol": -1.0}, {"scale_penalty": -1.0}])
def test_bad_settings_of_newton_cg(settings):
    (name,) = settings
    with pytest.raises(ValueError, match=f"{name}: got"):
        NewtonCG(**settings).solve(ExpectedError(gaussians()))


def test_bad_starts():
    objective = ExpectedError(gaussians())
    with pytest.raises(ValueError, match=r"start: has shape \(3,\), expected \(5,\)"):
        LBFGS().solve(objective, np.ones(3))
    with pytest.raises(ValueError, match="start: expected finite"):
        NewtonCG().solve(objective, np.array([0.0, 0, 0, 0, 1]))


def solver_of(given):
    """The solver that a classifier uses for what users write."""
    return Settings.of(ZeroOneClassifier(solver=given)).solver


def test_solvers_by_name():
    for name, cls in [("exact", Exact), ("lbfgs", LBFGS), ("newton-cg", NewtonCG)]:
        found = solver_of(name)
        assert type(found) is cls
        assert found.get_params() == cls().get_params()
    own = LBFGS(tol=1e-3)
    assert solver_of(own) is own
    for wrong in ("adam", LBFGS, 3, None):
        with pytest.raises(ValueError, match=r"solver: got .*, expected one of \['exact'"):
            solver_of(wrong)


@pytest.mark.parametrize("solver", [Exact(), LBFGS(tol=1e-3), NewtonCG(max_iter=7)])
def test_solvers_are_estimators_of_scikit_learn(solver):
    copied = clone(solver)
    assert copied is not solver
    assert type(copied) is type(solver)
    assert copied.get_params() == solver.get_params()
    for name in solver.get_params():
        assert getattr(copied.set_params(**{name: 5}), name) == 5
