import numpy as np

from zerone.solvers._block_lbfgs import run_block_lbfgs


def quadratics(rng, n_problems=4, n=6):
    factors = rng.standard_normal((n_problems, n, n))
    matrices = factors @ factors.transpose(0, 2, 1) + 0.1 * np.eye(n)
    minima = rng.standard_normal((n_problems, n))

    def function(points):
        apart = points - minima
        pulled = np.einsum("mij,mj->mi", matrices, apart)
        return np.einsum("mi,mi->m", apart, pulled) / 2, pulled

    return function, minima


def test_quadratics_are_solved(rng):
    function, minima = quadratics(rng)
    found = run_block_lbfgs(function, np.zeros_like(minima), max_evaluations=200)
    start = function(np.zeros_like(minima))[0]
    assert (function(found)[0] < 1e-4 * start).all()


def test_each_problem_is_solved_as_if_it_were_alone(rng):
    function, minima = quadratics(rng)
    together = run_block_lbfgs(function, np.zeros_like(minima), max_evaluations=25)

    for number in range(len(minima)):

        def alone(point, number=number):
            points = np.zeros_like(minima)
            points[number] = point[0]
            values, gradients = function(points)
            return values[[number]], gradients[[number]]

        found = run_block_lbfgs(alone, np.zeros((1, minima.shape[1])), max_evaluations=25)
        np.testing.assert_allclose(found[0], together[number], atol=1e-12)


def test_never_worse_than_the_start_and_never_more_evaluations(rng):
    calls = []

    def steep(points):
        calls.append(1)
        return np.sin(40 * points).sum(axis=1), 40 * np.cos(40 * points)

    start = rng.standard_normal((5, 3))
    before = steep(start)[0]
    calls.clear()
    found = run_block_lbfgs(steep, start, max_evaluations=12)
    assert len(calls) <= 12
    assert (steep(found)[0] <= before).all()


def test_a_flat_function_stays_where_it_is():
    start = np.ones((2, 3))
    found = run_block_lbfgs(lambda points: (np.ones(2), np.zeros((2, 3))), start, max_evaluations=5)
    assert (found == start).all()
