import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import PredefinedSplit, RepeatedStratifiedKFold, ShuffleSplit

from zerone._refine.folds import deal, make_folds


@given(
    sizes=st.lists(st.integers(1, 40), min_size=2, max_size=4),
    n_folds=st.integers(2, 7),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_fold_has_its_share_of_every_class(sizes, n_folds, seed):
    assume(sum(sizes) >= n_folds)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    folds = make_folds(n_folds, codes, None, seed)
    assert folds.n_splits == n_folds
    for code, size in enumerate(sizes):
        counts = np.bincount(folds.cells[codes == code], minlength=n_folds)
        assert counts.max() - counts.min() <= 1
        assert counts.sum() == size
    totals = np.bincount(folds.cells, minlength=n_folds)
    assert totals.max() - totals.min() <= 1


def test_more_folds_than_rows_are_refused():
    codes = np.array([0, 1, -1, 0, -1])
    assert make_folds(3, codes, None, 0).n_splits == 3
    with pytest.raises(ValueError, match="cv: got 4 folds for 3 rows; give fewer folds"):
        make_folds(4, codes, None, 0)


def test_the_seed_decides():
    codes = np.arange(60) % 2
    one, two, other = (make_folds(None, codes, None, s).cells for s in (1, 1, 2))
    assert (one == two).all()
    assert (one != other).any()


@pytest.mark.parametrize(
    ("n", "weight", "expected"),
    [(500, 1.0, 5), (3000, 1.0, 5), (500, 10.0, 5), (500, 1000.0, 2)],
)
def test_the_total_weight_decides_how_many_are_held_out(n, weight, expected):
    folds = make_folds(None, np.arange(n) % 2, np.full(n, weight), 0)
    assert folds.n_splits == expected
    held_out = sum(len(folds.rows_in(cells)) for cells in folds.test)
    assert held_out == pytest.approx(n * expected / 5, abs=1)


def test_absent_rows_change_nothing():
    codes = np.arange(40) % 2
    with_absent = np.insert(codes, [5, 20], -1)
    folds = make_folds(None, codes, None, 3)
    wider = make_folds(None, with_absent, None, 3)
    assert (wider.cells[with_absent >= 0] == folds.cells).all()


@pytest.mark.parametrize(
    "splitter", [RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
                 ShuffleSplit(n_splits=4, test_size=0.3, train_size=0.5, random_state=0)],
    ids=["repeated", "shuffled"],
)  # fmt: skip
def test_any_splitter_is_followed_exactly(splitter):
    codes = np.arange(50) % 2
    folds = make_folds(splitter, codes, None, None)
    for (train, test), in_train, in_test in zip(
        splitter.split(codes, codes), folds.train, folds.test, strict=True
    ):
        assert folds.rows_in(in_train).tolist() == sorted(train.tolist())
        assert folds.rows_in(in_test).tolist() == sorted(test.tolist())


def test_a_predefined_split_counts_absent_rows():
    codes = np.arange(20) % 2
    codes[::5] = -1
    folds = make_folds(PredefinedSplit(np.arange(20) % 4), codes, None, None)
    assert folds.rows_in(folds.test[1]).tolist() == [1, 5, 9, 13, 17]


def test_splits_may_be_masks():
    mask = np.arange(10) < 5
    folds = make_folds([(mask, ~mask), (~mask, mask)], np.arange(10) % 2, None, None)
    assert folds.rows_in(folds.train[0]).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("cv", "message"),
    [(1, "expected at least 2 folds"), (True, "expected at least 2 folds"),
     ("five", "cv: got 'five'"), (3.5, "cv: got 3.5"),
     ([([0, 1], [2, 3])], r"1 split\(s\)"),
     ([([0, 1], [1, 2]), ([0], [1])], "row 1 in both parts"),
     ([([0, 99], [1]), ([0], [1])], "row positions; give positions from 0 to 3"),
     ([([0, -1], [1]), ([0], [1])], "row positions; give positions from 0 to 3"),
     ([([0, 0], [1]), ([0], [1])], "each at most once"),
     ([[1, 2, 3], [0, 1, 2]], r"not a pair \(train, test\)"), ([3, 4], "not a pair"),
     ([([], []), ([], [])], "split 0 has an empty part"),
     (iter([]), "a generator can be used only once")],
)  # fmt: skip
def test_bad_splits(cv, message):
    with pytest.raises(ValueError, match=message):
        make_folds(cv, np.array([0, 1, 0, 1]), None, None)


def test_splits_that_train_on_one_class_are_left_out():
    codes = np.array([0] * 20 + [1] * 2)
    folds = make_folds(5, codes, None, 0).usable(codes, None)
    assert folds.n_splits == 5  # each of the two positives is held out at a time
    alone = np.array([0] * 20 + [1])
    assert make_folds(5, alone, None, 0).usable(alone, None) is None


def test_without_groups_rows_are_dealt_by_position():
    """Of five neighbours of a class every fold has one, whatever the seed."""
    codes = np.zeros(1_000, dtype=np.intp)
    for seed in range(3):
        cells = deal(codes, None, 5, seed)
        assert (np.sort(cells.reshape(-1, 5), axis=1) == np.arange(5)).all()
        assert (deal(codes, np.full(1_000, 3.0), 5, seed) == cells).all()


def test_large_groups_are_dealt_in_pieces():
    # Eight kinds of rows: folds of whole kinds would hold out what no model has seen.
    groups = np.repeat(np.arange(8), 100)
    codes = np.tile([0, 1], 400)
    folds = deal(codes, None, 5, 0, groups)
    for group in range(8):
        assert len(set(folds[groups == group].tolist())) > 1
    order = np.random.default_rng(0).permutation(800)
    again = deal(codes[order], None, 5, 0, groups[order])
    for group in range(8):
        for code in range(2):
            counts = [
                np.bincount(found[(kinds == group) & (labels == code)], minlength=5)
                for found, kinds, labels in (
                    (folds, groups, codes),
                    (again, groups[order], codes[order]),
                )
            ]
            assert counts[0].tolist() == counts[1].tolist()
