"""The search for subsets: as good as all subsets tried, whatever units, order and copies."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evidence.subsets import best_gain, random_moments
from zerone import Moments
from zerone._data.batch import read_batch
from zerone._subsets.choice import ColumnSearch, JudgingRows
from zerone._subsets.deviance import LogisticRows
from zerone._subsets.groups import feature_groups, group_names
from zerone._subsets.problem import SubsetProblem
from zerone._subsets.search import Grown, subset_path


def problem_of(moments, groups=None):
    return SubsetProblem.of(moments, feature_groups(moments) if groups is None else groups)


class TestSearch:
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_nearly_always_finds_the_best_of_all_subsets(self, n_classes):
        equal = 0
        for seed in range(5):
            moments = random_moments(np.random.default_rng(3000 + seed), 12, n_classes)
            problem = problem_of(moments)
            for subset in subset_path(problem, 4):
                gap = 1 - subset.gain / best_gain(problem, len(subset.groups))
                equal += gap < 1e-9
                assert gap < 0.15
        assert equal >= 19

    def test_gains_rise_with_the_size_and_are_those_of_the_subsets(self):
        problem = problem_of(random_moments(np.random.default_rng(0), 15, 3))
        path = subset_path(problem, 15)
        assert [len(subset.groups) for subset in path] == list(range(1, 16))
        assert (np.diff([subset.gain for subset in path]) >= -1e-12).all()
        for subset in path:
            assert_allclose(problem.gain(subset.groups), subset.gain, rtol=1e-9)

    def test_groups_are_chosen_whole(self):
        moments = random_moments(np.random.default_rng(1), 12)
        groups = np.repeat([0, 1, 2, 3], [3, 1, 5, 3])
        problem = problem_of(moments, groups)
        for subset in subset_path(problem, 4):
            assert_allclose(problem.gain(subset.groups), subset.gain, rtol=1e-9)
            assert_allclose(subset.gain, best_gain_of_groups(problem, len(subset.groups)))

    def test_gains_of_swaps_are_those_of_the_subsets(self):
        problem = problem_of(
            random_moments(np.random.default_rng(2), 12), np.repeat(range(6), [1, 3, 1, 2, 4, 1])
        )
        now = Grown.empty(problem).with_group(0).with_group(3).with_group(4)
        leaving, entering, gain = now._best_swap()
        after = (set(now.groups) - {leaving}) | {entering}
        assert_allclose(problem.gain(sorted(after)), gain, rtol=1e-8)
        others = set(range(6)) - set(now.groups)
        every = [
            problem.gain(sorted((set(now.groups) - {out}) | {into}))
            for out in now.groups
            for into in others
        ]
        assert_allclose(max(every), gain, rtol=1e-8)


def best_gain_of_groups(problem, size):
    return max(problem.gain(chosen) for chosen in combinations(range(problem.n_groups), size))


class TestInvariance:
    @settings(max_examples=20, deadline=None)
    @given(st.integers(0, 1000), st.permutations(range(8)))
    def test_units_and_order_of_features_do_not_matter(self, seed, order):
        moments = random_moments(np.random.default_rng(seed), 8)
        order = np.array(order)
        scales = 10.0 ** (np.arange(8) % 5 - 2)
        moved = moments.affine(scales, np.arange(8.0)).select(order)
        for one, other in zip(
            subset_path(problem_of(moments), 4), subset_path(problem_of(moved), 4), strict=True
        ):
            assert_allclose(one.gain, other.gain, rtol=1e-6)
            assert set(one.groups) == set(order[list(other.groups)].tolist())


class TestPoorColumns:
    def rows(self, rng):
        X = rng.standard_normal((200, 4))
        y = (X[:, 0] + 0.5 * X[:, 1] + rng.standard_normal(200) > 0).astype(int)
        return X, y

    def test_a_copy_is_not_chosen_before_a_column_that_tells_something_new(self, rng):
        X, y = self.rows(rng)
        copies = np.column_stack([X[:, 0], 3 * X[:, 0] - 1, X[:, 0], X])
        path = subset_path(problem_of(Moments.from_data(copies, y)), 4)
        chosen = np.array(path[-1].groups)
        assert np.isin(chosen, [0, 1, 2, 3]).sum() == 1

    def test_constant_columns_are_never_chosen(self, rng):
        X, y = self.rows(rng)
        X[:, 2] = 7.0
        path = subset_path(problem_of(Moments.from_data(X, y)), 4)
        assert len(path) == 3
        assert 2 not in path[-1].groups

    def test_a_column_that_separates_the_classes_comes_first(self, rng):
        X, y = self.rows(rng)
        X[:, 3] = y
        first = subset_path(problem_of(Moments.from_data(X, y)), 2)[0]
        assert first.groups == (3,)
        assert np.isfinite(first.gain)

    def test_wide_rows_are_searched_among_the_features_that_are_best_alone(self, rng, monkeypatch):
        X = rng.standard_normal((60, 1500))
        y = np.arange(60) % 2
        X[:, 700] += 3 * y
        moments = Moments.from_data(X, y)
        assert moments.carries_rows
        monkeypatch.setattr("zerone._subsets.problem.MOST_WIDE_FEATURES", 100)
        problem = problem_of(moments)
        assert problem.within.shape == (100, 100)
        assert subset_path(problem, 1)[0].groups == (700,)


def test_all_features_of_a_column_are_one_group():
    table = pd.DataFrame(
        {"size": [1.0, None, 3.0, 4.0] * 5, "job": ["a", "b", "c", "a"] * 5, "y": [0, 1] * 10}
    )
    moments = Moments.from_table(table, target="y")
    assert feature_groups(moments).tolist() == [0, 0, 1, 1, 1]
    assert group_names(moments) == ["size", "job"]


class TestJudgingRows:
    def test_the_deviance_decides_where_moments_mislead(self):
        # A few far values hide from the covariance that the sign of column 0 tells the classes.
        rng = np.random.default_rng(0)
        n = 2000
        y = rng.random(n) < 0.5
        told = np.where(y, 1.0, -1.0) * np.where(rng.random(n) < 0.85, 1, -1)
        X = np.column_stack([told, rng.standard_normal((n, 3)) + 0.9 * y[:, None]])
        X[:8, 0] = 60.0
        batch = read_batch(X, y)
        moments = Moments.from_data(X, y)
        rows = JudgingRows.of(batch, np.arange(n), np.ones(2))
        assert ColumnSearch(moments, 2, np.ones(2)).features(1).tolist() != [0]
        judged = ColumnSearch(moments, 2, np.ones(2), rows)
        subsets = [np.array(own) for own in combinations(range(4), 2)]
        best = LogisticRows.of(X, y, np.ones(n)).judged(subsets)
        assert judged.features(2).tolist() == subsets[int(np.argmin(best))].tolist()

    def test_near_the_fit_the_deviance_is_the_reweighted_problem(self):
        rng = np.random.default_rng(1)
        X = rng.standard_normal((4000, 5))
        y = X[:, 0] + 0.8 * X[:, 1] + rng.logistic(size=4000) > 0.5
        rows = JudgingRows.of(read_batch(X, y), np.arange(4000), np.ones(2))
        problem = rows.reweighted(np.array([0, 1]), np.arange(5))
        gains = [problem.gain(own) for own in combinations(range(5), 2)]
        subsets = [np.array(own) for own in combinations(range(5), 2)]
        deviances = LogisticRows.of(X, y, np.ones(4000)).judged(subsets)
        assert np.argmax(gains) == np.argmin(deviances) == 0
        assert rows.reweighted(np.array([0]), np.zeros(5, dtype=int)).n_groups == 1
