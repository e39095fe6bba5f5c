import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evidence.problems import sparse_rows
from zerone import Moments


def assert_same(a, b, **tolerance):
    assert a.classes.tolist() == b.classes.tolist()
    for label in a:
        assert a[label].weight == pytest.approx(b[label].weight)
        assert_allclose(a[label].mean, b[label].mean, **tolerance)
        assert_allclose(
            np.asarray(a[label].covariance), np.asarray(b[label].covariance), **tolerance
        )


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 40),
    d=st.integers(1, 5),
    cut=st.floats(0, 1),
    kind=st.sampled_from(["explicit", "implicit", "factored"]),
)
def test_any_two_parts_merge_to_the_whole(seed, n, d, cut, kind):
    rng = np.random.default_rng(seed)
    X, y, w = rng.standard_normal((n, d)), rng.integers(0, 3, n), rng.integers(0, 3, n)
    if not w.any():
        w[0] = 1
    chosen = rng.random(n) < cut
    rows = sp.csr_array(X) if kind == "implicit" else X

    def of(mask):
        return Moments.from_data(rows[mask], y[mask], sample_weight=w[mask], covariance=kind)

    whole = of(np.full(n, True))
    if w[chosen].any() and w[~chosen].any():
        assert_same(of(chosen) + of(~chosen), whole, rtol=1e-9, atol=1e-12)
        assert_same(of(~chosen) + of(chosen), whole, rtol=1e-9, atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 30))
def test_weights_equal_repetition(seed, n):
    rng = np.random.default_rng(seed)
    X, y, w = rng.standard_normal((n, 3)), rng.integers(0, 2, n), rng.integers(0, 5, n)
    if w.any():
        weighted = Moments.from_data(X, y, sample_weight=w)
        repeated = Moments.from_data(np.repeat(X, w, axis=0), np.repeat(y, w))
        assert_same(weighted, repeated, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kinds", [("explicit", "implicit"), ("explicit", "factored"),
                                   ("implicit", "factored")])  # fmt: skip
def test_different_representations_merge(kinds, rng):
    X, y = rng.standard_normal((40, 6)), np.arange(40) % 2
    parts = [
        Moments.from_data(sp.csr_array(X[half]), y[half], covariance=kind)
        for half, kind in zip([slice(0, 20), slice(20, 40)], kinds, strict=True)
    ]
    assert_same(parts[0] + parts[1], Moments.from_data(X, y), rtol=1e-9, atol=1e-12)


def test_implicit_parts_that_were_moved_apart_still_merge(rng):
    X, y = sparse_rows(rng, (30, 5), 0.5), np.zeros(30)
    part = Moments.from_data(X, y, covariance="implicit")
    moved = part.affine(np.ones(5), offset=np.full(5, 7.0))
    both = np.vstack([X.toarray(), X.toarray() + 7])
    assert_same(part + moved, Moments.from_data(both, np.zeros(60)), rtol=1e-9, atol=1e-12)


def test_factored_moments_become_explicit_when_rows_outnumber_features(rng):
    X = rng.standard_normal((40, 6))
    parts = [Moments.from_data(X[i : i + 4], np.zeros(4), covariance="factored")
             for i in range(0, 40, 4)]  # fmt: skip
    merged = sum(parts)
    assert parts[0][0].covariance.carries_rows
    assert not merged[0].covariance.carries_rows


def test_classes_are_united():
    a = Moments.from_data([[1.0]], ["x"])
    b = Moments.from_data([[2.0]], ["y"])
    assert (a + b).classes.tolist() == ["x", "y"]
    assert ((a + b) - b)["y"].weight == 0


def test_subtract_everything_and_start_again(rng):
    X, y = rng.standard_normal((20, 2)), np.arange(20) % 2
    moments = Moments.from_data(X, y)
    empty = moments - moments
    assert empty.weight == 0
    assert_same(empty + moments, moments)


def test_operands_are_not_changed(rng):
    X = rng.standard_normal((20, 2))
    a, b = Moments.from_data(X[:10], np.zeros(10)), Moments.from_data(X[10:], np.zeros(10))
    before = a[0].mean.copy(), np.asarray(a[0].covariance)
    _ = a + b
    _ = (a + b) - b
    assert (a[0].mean == before[0]).all()
    assert (np.asarray(a[0].covariance) == before[1]).all()
    with pytest.raises(ValueError, match="read-only"):
        a[0].mean[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        a[0].covariance.toarray()[0, 0] = 1.0
    with pytest.raises(TypeError):
        a[0] = b[0]


def test_features_that_do_not_match():
    import pandas as pd

    a = Moments.from_data([[1.0]], [0])
    with pytest.raises(ValueError, match="one has 1 features, the other 2"):
        a + Moments.from_data([[1.0, 2.0]], [0])
    named = Moments.from_data(pd.DataFrame({"u": [1.0], "v": [2.0]}), [0])
    swapped = Moments.from_data(pd.DataFrame({"v": [2.0], "u": [1.0]}), [0])
    with pytest.raises(ValueError, match="feature 0 is 'u' in one and 'v'"):
        named + swapped
    assert (named + swapped.select(["u", "v"]))[0].mean.tolist() == [1.0, 2.0]


def test_labels_that_do_not_match():
    with pytest.raises(ValueError, match="different types"):
        Moments.from_data([[1.0]], [0]) + Moments.from_data([[1.0]], ["0"])


def test_merging_something_else():
    with pytest.raises(TypeError):
        Moments.from_data([[1.0]], [0]) + 1


@pytest.mark.parametrize(
    ("whole", "part", "message"),
    [
        ([[1.0], [2.0]], [[1.0], [1.0], [1.0]], r"class 0.0: .*negative weight \(2 minus 3\)"),
        ([[1.0], [2.0], [3.0]], [[-50.0], [50.0]], "class 0.0: .*negative variance of feature 0"),
        ([[5.0], [5.0], [5.0]], [[1.0]], "negative variance of feature 0"),
        # Each feature alone would be possible, the two together are not.
        ([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]], [[2.0, 3.0], [3.0, 2.0]],
         "some direction"),
    ],
)  # fmt: skip
def test_subtracting_what_was_never_part(whole, part, message):
    a = Moments.from_data(whole, np.zeros(len(whole)))
    b = Moments.from_data(part, np.zeros(len(part)))
    with pytest.raises(ValueError, match=message):
        a - b
    assert a[0].weight == len(whole)


def test_subtracting_an_unknown_class():
    with pytest.raises(ValueError, match=r"class 1 .*not among the classes \[0\]"):
        Moments.from_data([[1.0]], [0]) - Moments.from_data([[1.0]], [1])


def test_moments_that_keep_rows_refuse_subtraction(rng):
    X = rng.standard_normal((3, 5))
    whole = Moments.from_data(X, np.zeros(3), covariance="factored")
    part = Moments.from_data(X[:1], np.zeros(1), covariance="factored")
    with pytest.raises(ValueError, match="covariance='explicit'"):
        whole - part


def test_moments_with_a_ridge_refuse_to_merge_while_they_keep_rows(rng):
    X = rng.standard_normal((3, 5))
    part = Moments.from_data(X, np.zeros(3), covariance="factored").with_ridge(1.0)
    with pytest.raises(ValueError, match="merge first"):
        part + part
