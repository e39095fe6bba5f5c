"""Classifiers whose columns bend."""

import os

import array_api_strict
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator
from tests.estimators.test_scikit_learn_checks import can_run, marks_of

from zerone import AUCClassifier, Encoding, Moments, ZeroOneClassifier
from zerone._data.columns.bends import parts_of
from zerone._data.devices import to_host
from zerone._moments.bending import columns_that_bend
from zerone._rows.array_rows import ArrayRows
from zerone._rows.bent_rows import BentRows
from zerone._rows.rows import rows_of


def bent_rows(rng, n=800, n_columns=4):
    """Rows of which the first column bends, and the second one is straight."""
    X = rng.normal(size=(n, n_columns))
    y = (2 * np.abs(X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n) > 1.6).astype(int)
    return X, y


def straight_rows(rng, n=800, n_columns=6):
    X = rng.normal(size=(n, n_columns))
    y = rng.integers(0, 2, n)
    X[y == 1] += 0.5
    return X, y


def checks():
    """Return scikit-learn's checks that are possible here.

    That of weights has fewer rows than features; `TestAuto` has more rows.
    """
    for estimator, check in estimator_checks_generator(ZeroOneClassifier(shapes="auto")):
        if can_run(check) and "sample_weight_equivalence" not in str(check):
            yield pytest.param(estimator, check, marks=marks_of(check), id=str(check.func.__name__))


@pytest.mark.parametrize(("estimator", "check"), checks())
def test_scikit_learn_checks(estimator, check):
    check(estimator)


class TestAuto:
    @pytest.mark.parametrize("kind", [ZeroOneClassifier, AUCClassifier])
    def test_bends_what_bends(self, kind):
        X, y = bent_rows(np.random.default_rng(0))
        straight, bent = kind().fit(X, y), kind(shapes="auto").fit(X, y)
        X, y = bent_rows(np.random.default_rng(1), 4_000)
        assert bent.score(X, y) > straight.score(X, y) + 0.1
        assert "feature 0" in [column.name for column in bent.encoding_.bent_columns]
        assert bent.n_features_in_ == 4
        assert not hasattr(bent, "feature_names_in_")

    def test_leaves_straight_what_is_straight(self):
        found = []
        for seed in range(20):
            X, y = straight_rows(np.random.default_rng(seed))
            rows = BentRows.of(rows_of(X, y))
            found += columns_that_bend(rows.moments())
        # Some column bends by chance in 20 % of such sets.
        assert len(found) <= 10

    @pytest.mark.parametrize("seed", range(5))
    def test_the_test_of_a_column_is_that_of_regression(self, seed, monkeypatch):
        """Of two classes it is the F test of least squares with and without the bends."""
        X, y = bent_rows(np.random.default_rng(seed), 200, 2)
        X[:, 0] += seed
        chances = []
        monkeypatch.setattr(
            "zerone._moments.bending._unlikely",
            lambda found: (chances.extend(found), np.empty(0, dtype=int))[1],
        )
        monkeypatch.setattr("zerone._moments.bending._RIDGE", 1e-12)
        rows = BentRows.of(rows_of(X, y))
        columns_that_bend(rows.moments())
        parts = np.array(parts_of(X[:, 0], rows.bent.columns[0].knots)).T
        rests = [
            np.sum((y - own @ np.linalg.lstsq(own, y)[0]) ** 2)
            for own in (np.column_stack([np.ones(200), values]) for values in (X[:, 0], parts))
        ]
        n_bends = parts.shape[1] - 1
        freedom = 200 - n_bends - 2
        statistic = (rests[0] - rests[1]) / rests[1] * freedom / n_bends
        assert chances[0] == pytest.approx(stats.f.sf(statistic, n_bends, freedom), rel=1e-6)

    def test_by_chance_few_columns_bend(self):
        found = [
            len(columns_that_bend(BentRows.of(rows_of(*straight_rows(rng, 200, 10))).moments()))
            for rng in map(np.random.default_rng, range(100))
        ]
        # Where no column bends, some is found with the chance of the false discovery rate.
        assert 0.08 < np.mean(np.array(found) > 0) < 0.32

    @pytest.mark.parametrize("shapes", ["auto", "bends"])
    def test_a_column_that_is_the_class(self, shapes):
        y = np.repeat([0, 1, 2], 60)
        X = np.column_stack([y, np.random.default_rng(0).normal(size=180)])
        assert ZeroOneClassifier(shapes=shapes).fit(X, y).score(X, y) == 1

    def test_of_straight_rows_is_as_good_as_lines(self):
        gaps = []
        for seed in range(20):
            X, y = straight_rows(np.random.default_rng(seed), 300)
            new_X, new_y = straight_rows(np.random.default_rng(100 + seed), 4_000)
            scores = [
                ZeroOneClassifier(shapes=own).fit(X, y).score(new_X, new_y)
                for own in (None, "auto")
            ]
            gaps.append(scores[1] - scores[0])
        assert np.mean(gaps) > -0.005

    def test_without_any_bend_it_is_the_straight_rule(self):
        X, y = straight_rows(np.random.default_rng(0))
        lines, auto = (ZeroOneClassifier(shapes=own).fit(X, y) for own in (None, "auto"))
        assert auto.encoding_.bent_columns == ()
        assert_allclose(auto.coef_, lines.coef_, rtol=1e-10)

    def test_weights_are_repeated_rows(self):
        rng = np.random.default_rng(0)
        X, y = bent_rows(rng, 400)
        weights = rng.integers(0, 4, len(y))
        one = ZeroOneClassifier(shapes="auto").fit(X, y, weights)
        other = ZeroOneClassifier(shapes="auto").fit(
            np.repeat(X, weights, 0), np.repeat(y, weights)
        )
        assert one.encoding_ == other.encoding_
        assert_allclose(one.coef_, other.coef_, atol=1e-3)

    def test_the_order_of_the_rows_does_not_matter(self):
        X, y = bent_rows(np.random.default_rng(0), 400)
        order = np.random.default_rng(1).permutation(len(y))
        one = ZeroOneClassifier(shapes="auto").fit(X, y)
        other = ZeroOneClassifier(shapes="auto").fit(X[order], y[order])
        assert_allclose(one.coef_, other.coef_, atol=1e-9)

    @pytest.mark.parametrize("metric", ["balanced_error", "f1", "cost"])
    def test_every_metric(self, metric):
        X, y = bent_rows(np.random.default_rng(0))
        params = {"false_negative_cost": 5.0} if metric == "cost" else None
        bent = ZeroOneClassifier(metric=metric, metric_params=params, shapes="auto").fit(X, y)
        straight = clone(bent).set_params(shapes=None).fit(X, y)
        better = bent.held_out_metric_ - straight.held_out_metric_
        assert better > 0 if metric == "f1" else better < 0

    def test_several_classes(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(900, 3))
        y = np.digitize(np.abs(X[:, 0]), [0.5, 1.2])
        bent = ZeroOneClassifier(shapes="auto").fit(X[:600], y[:600])
        assert bent.score(X[600:], y[600:]) > 0.9
        assert bent.coef_.shape == (3, bent.encoding_.n_features)

    def test_moments_alone(self):
        X, y = bent_rows(np.random.default_rng(0))
        bent = ZeroOneClassifier(shapes="auto", refine=None).fit(X, y)
        assert bent.score(X, y) > ZeroOneClassifier(refine=None).fit(X, y).score(X, y) + 0.05

    def test_retargets(self):
        X, y = bent_rows(np.random.default_rng(0))
        bent = ZeroOneClassifier(shapes="auto").fit(X, y)
        careful = bent.retarget("true_positive_rate", max_false_positive_rate=0.02)
        assert np.mean(careful.predict(X)[y == 0]) < 0.05
        assert np.mean(careful.predict(X)[y == 1]) > 0.6

    def test_sparse_rows_stay_straight(self):
        X, y = straight_rows(np.random.default_rng(0))
        one, other = (
            ZeroOneClassifier(shapes=own).fit(sp.csr_array(X), y) for own in (None, "auto")
        )
        assert_allclose(one.coef_, other.coef_)
        assert other.encoding_ is None


class TestTables:
    def test_a_frame_a_table_and_an_array_give_the_same_rule(self):
        X, y = bent_rows(np.random.default_rng(0))
        frame = pd.DataFrame(X, columns=list("abcd"))
        of_array = ZeroOneClassifier(shapes="auto").fit(X, y)
        of_frame = ZeroOneClassifier(shapes="auto").fit(frame, y)
        of_table = ZeroOneClassifier(shapes="auto").fit_table(frame.assign(y=y), target="y")
        assert of_frame.feature_names_in_.tolist() == list("abcd")
        for other in (of_frame, of_table):
            assert_allclose(other.coef_, of_array.coef_, rtol=1e-6, atol=1e-9)
            assert_allclose(
                other.decision_function(frame), of_array.decision_function(X), atol=1e-6
            )

    def test_with_holes_and_categories(self):
        rng = np.random.default_rng(0)
        X, y = bent_rows(rng)
        frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
        frame["job"] = rng.choice(["cook", "nurse"], len(y))
        frame.loc[rng.random(len(y)) < 0.2, "a"] = np.nan
        bent = ZeroOneClassifier(shapes="auto").fit_table(frame, target="y")
        assert next(column.name for column in bent.encoding_.bent_columns) == "a"
        scores = bent.decision_function(frame)
        batches = np.concatenate([*bent.predict_batches(frame, method="decision_function")])
        assert_allclose(scores, batches, atol=1e-12)
        assert bent.score_table(frame, target="y") > 0.8

    def test_an_agreed_encoding(self):
        X, y = bent_rows(np.random.default_rng(0))
        frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
        encoding = Encoding.from_table(frame, target="y", shapes="bends")
        bent = ZeroOneClassifier(shapes="bends").fit_table(frame, target="y", encoding=encoding)
        found = [column.knots for column in bent.encoding_.bent_columns]
        assert found == [column.knots for column in encoding.bent_columns]
        plain = Encoding.from_table(frame, target="y")
        with pytest.raises(ValueError, match="no columns that bend"):
            ZeroOneClassifier(shapes="bends").fit_table(frame, target="y", encoding=plain)


class TestManyRows:
    def test_moments_are_summed_in_windows(self, monkeypatch):
        X, y = bent_rows(np.random.default_rng(0))
        rows = BentRows.of(rows_of(X, y))
        whole = rows.moments()
        monkeypatch.setattr("zerone._rows.bent_rows._VALUES_AT_ONCE", 2_000)
        windows = BentRows.of(rows_of(X, y)).moments()
        for label, own in whole.items():
            assert_allclose(windows[label].mean, own.mean, atol=1e-12)
            assert_allclose(
                windows[label].covariance.toarray(), own.covariance.toarray(), atol=1e-12
            )

    def test_a_sample_stands_for_all(self):
        X, y = bent_rows(np.random.default_rng(0), 5_000)
        rows = BentRows.of(rows_of(X, y, np.full(5_000, 2.0)))
        sample = rows.sample(1_000 * rows.bent.n_features, np.random.RandomState(0))
        assert isinstance(sample, ArrayRows)
        assert sample.is_sample
        assert sample.batch.n_features == rows.bent.n_features
        assert sample.batch.weight == pytest.approx(10_000)

    def test_rows_without_weight_do_not_count(self):
        X, y = bent_rows(np.random.default_rng(0))
        weights = np.ones(len(y))
        weights[:100] = 0
        found = BentRows.of(rows_of(X, y, weights)).moments()
        assert found.weight == pytest.approx(len(y) - 100)


class TestBadInput:
    @pytest.mark.parametrize("given", ["bend", True, 1, ["auto"]])
    def test_a_wrong_value(self, given):
        X, y = bent_rows(np.random.default_rng(0), 100)
        with pytest.raises(ValueError, match=r"shapes: got .*expected None, 'bends' or 'auto'"):
            ZeroOneClassifier(shapes=given).fit(X, y)

    def test_partial_fit(self):
        X, y = bent_rows(np.random.default_rng(0), 100)
        assert not hasattr(ZeroOneClassifier(shapes="auto"), "partial_fit")
        with pytest.raises(AttributeError, match="partial_fit") as raised:
            ZeroOneClassifier(shapes="auto").partial_fit(X, y, classes=[0, 1])
        assert "does not know where columns would bend" in str(raised.value.__cause__)

    def test_sparse_rows_cannot_be_made_to_bend(self):
        X, y = bent_rows(np.random.default_rng(0), 100)
        with pytest.raises(ValueError, match="needs dense rows, and X is sparse"):
            ZeroOneClassifier(shapes="bends").fit(sp.csr_array(X), y)

    def test_moments_without_bends(self):
        X, y = bent_rows(np.random.default_rng(0), 100)
        with pytest.raises(ValueError, match="no column of these moments bends"):
            ZeroOneClassifier(shapes="auto").fit_moments(Moments.from_data(X, y))

    def test_a_missing_number(self):
        X, y = bent_rows(np.random.default_rng(0), 100)
        X[3, 2] = np.nan
        with pytest.raises(ValueError, match="contains NaN"):
            ZeroOneClassifier(shapes="auto").fit(X, y)
        X[3, 2] = 0
        bent = ZeroOneClassifier(shapes="bends").fit(X, y)
        with pytest.raises(ValueError, match="contains NaN"):
            bent.predict([[0.0, np.nan, 0.0, 0.0]])

    @pytest.mark.parametrize("shapes", ["auto", "bends"])
    def test_odd_columns(self, shapes):
        rng = np.random.default_rng(0)
        X, y = bent_rows(rng, 300, 7)
        X[:, 2] = 3.0
        X[:, 3] = X[:, 3] > 0
        X[0, 4] = 1e12
        X[:, 5] = np.round(X[:, 5])
        X[:, 6] = X[:, 0]
        bent = ZeroOneClassifier(shapes=shapes).fit(X, y)
        assert np.isfinite(bent.coef_).all()
        assert bent.score(X, y) > 0.85
        assert np.isfinite(bent.predict_proba(X * 1e6)).all()

    def test_new_values_go_on_in_a_straight_line(self):
        X, y = bent_rows(np.random.default_rng(0))
        bent = ZeroOneClassifier(shapes="bends").fit(X, y)
        steps = np.zeros((4, 4))
        steps[:, 0] = [10, 20, 30, 40]
        assert_allclose(np.diff(bent.decision_function(steps), 2), 0, atol=1e-9)


class TestElsewhere:
    @pytest.mark.parametrize("is_frame", [False, True])
    def test_a_dask_collection(self, is_frame):
        import dask
        import dask.array as da
        import dask.dataframe as dd

        X, y = bent_rows(np.random.default_rng(0))
        here = ZeroOneClassifier(shapes="auto").fit(X, y)
        rows, labels = da.from_array(X, chunks=(150, 2)), y
        if is_frame:
            frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
            rows = dd.from_pandas(frame, npartitions=4)
            rows, labels = rows[list("abcd")], rows["y"]
        with dask.config.set(scheduler="threads"):
            there = ZeroOneClassifier(shapes="auto").fit(rows, labels)
            scores = np.asarray(there.decision_function(rows).compute())
        assert_allclose(there.coef_, here.coef_, rtol=1e-6, atol=1e-8)
        assert_allclose(scores, here.decision_function(X), atol=1e-6)

    @pytest.mark.skipif(os.environ.get("SCIPY_ARRAY_API") != "1", reason="SCIPY_ARRAY_API is not 1")
    @pytest.mark.parametrize("max_values", [2**23, 0])
    def test_a_device(self, max_values, monkeypatch):
        device = array_api_strict.Device("device1")
        X, y = bent_rows(np.random.default_rng(0))
        here = ZeroOneClassifier(shapes="auto").fit(X, y)
        monkeypatch.setattr("zerone.estimators._classifier.REFINED_VALUES", max_values)
        rows = array_api_strict.asarray(X, device=device)
        with sklearn.config_context(array_api_dispatch=True):
            there = ZeroOneClassifier(shapes="auto").fit(rows, y)
            scores = to_host(there.decision_function(rows))
            chances = to_host(there.predict_proba(rows))
        assert_allclose(to_host(there.coef_), here.coef_, rtol=1e-5, atol=1e-7)
        assert_allclose(scores, here.decision_function(X), atol=1e-5)
        assert_allclose(chances, here.predict_proba(X), atol=1e-4)
