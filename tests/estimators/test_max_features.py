"""Rules of a few columns: what is chosen, what is measured, and all that follows a fit."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from zerone import AUCClassifier, Moments, ZeroOneClassifier, load_model

CLASSIFIERS = [ZeroOneClassifier, AUCClassifier]


def rows_of_ten(rng, n=600, n_classes=2):
    """Rows of ten features, of which 2, 5 and 7 tell the classes apart."""
    X = rng.standard_normal((n, 10)) * 10.0 ** np.arange(-2, 8, 1.0)
    z = X / 10.0 ** np.arange(-2, 8, 1.0)
    score = 1.5 * z[:, 2] - 1.2 * z[:, 5] + z[:, 7] + 0.5 * rng.standard_normal(n)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    return X, y


@pytest.fixture
def rows(rng):
    return rows_of_ten(rng)


class TestWhatIsChosen:
    @pytest.mark.parametrize("cls", CLASSIFIERS)
    @pytest.mark.parametrize("container", [np.asarray, sp.csr_array, np.float32])
    def test_the_features_that_matter(self, cls, container, rows):
        X, y = rows
        model = cls(max_features=3).fit(container(X[:400]), y[:400])
        assert np.flatnonzero(model.support_).tolist() == [2, 5, 7]
        assert model.coef_.shape == (1, 10)
        assert (model.coef_[0] != 0).tolist() == model.support_.tolist()
        assert model.score(container(X[400:]), y[400:]) > 0.85
        assert model.moments_.n_features == 10

    def test_all_columns_give_the_usual_rule(self, rows):
        X, y = rows
        few, usual = ZeroOneClassifier(max_features=10).fit(X, y), ZeroOneClassifier().fit(X, y)
        # The scale is that of the held-out scores, which are those of other models.
        scale = few.coef_[0, 2] / usual.coef_[0, 2]
        assert_allclose(scale, 1, atol=0.1)
        assert_allclose(few.coef_, scale * usual.coef_, rtol=1e-6)
        assert_allclose(few.intercept_, scale * usual.intercept_, rtol=1e-6)

    def test_auto_takes_the_smallest_that_is_as_good_as_the_best(self, rows):
        X, y = rows
        model = ZeroOneClassifier(max_features="auto").fit(X[:400], y[:400])
        assert model.support_[[2, 5, 7]].all()
        assert model.support_.sum() <= 4
        alone = ZeroOneClassifier(max_features=int(model.support_.sum())).fit(X[:400], y[:400])
        assert_allclose(model.coef_, alone.coef_)
        assert model.held_out_error_ == alone.held_out_error_

    def test_one_subset_for_all_pairs_of_classes(self, rng):
        X, y = rows_of_ten(rng, n_classes=4)
        model = ZeroOneClassifier(max_features=3).fit(X, y)
        assert model.coef_.shape == (6, 10)
        assert np.flatnonzero(model.support_).tolist() == [2, 5, 7]
        assert model.score(X, y) > 0.7

    def test_a_column_counts_with_all_its_features(self, rng):
        X, y = rows_of_ten(rng)
        kinds = np.array(["a", "b", "c"])[(X[:, 2] / 1.0 > 0.5).astype(int) + (X[:, 2] > -0.5)]
        table = pd.DataFrame({"kind": kinds, "noise": X[:, 0], "five": X[:, 5], "y": y})
        table.loc[::7, "five"] = np.nan
        model = ZeroOneClassifier(max_features=2).fit_table(table, target="y")
        names = np.array(model.encoding_.feature_names)
        used = names[model.support_].tolist()
        assert "noise" not in used
        assert {"kind=a", "kind=b", "kind=c", "five"} <= set(used)
        assert model.predict(table).shape == (600,)
        explanation = model.explain(table[:3])
        noise = list(explanation.columns).index("noise")
        assert (explanation.contributions[:, noise] == 0).all()

    def test_constant_rows_and_copies(self, rng):
        X, y = rows_of_ten(rng)
        X[:, [0, 1]] = 3.0
        X[:, 9] = X[:, 2]
        model = ZeroOneClassifier(max_features=3).fit(X, y)
        assert not model.support_[[0, 1]].any()
        assert model.support_[[2, 9]].sum() == 1
        with pytest.warns(UserWarning, match="the same class"):
            flat = ZeroOneClassifier(max_features=2).fit(np.ones((20, 3)), np.arange(20) % 2)
        assert flat.coef_.shape == (1, 3)


class TestWhatIsMeasured:
    @pytest.mark.parametrize("cls", CLASSIFIERS)
    def test_noise_is_not_taken_for_a_discovery(self, cls, rng):
        # Chosen by all rows, five of 300 columns of noise would seem to tell 100 rows apart.
        X, y = rng.standard_normal((100, 300)), np.arange(100) % 2
        model = cls(max_features=5, cv=5).fit(X, y)
        held_out = model.held_out_error_ if cls is ZeroOneClassifier else 1 - model.held_out_auc_
        assert held_out > 0.35
        assert np.abs(model.predict_proba(rng.standard_normal((200, 300))) - 0.5).mean() < 0.2

    @pytest.mark.parametrize(
        "settings",
        [
            {"metric": "f1"},
            {"metric": "f1", "positive": 0},
            {"metric": "balanced_error"},
            {"metric": "cost", "metric_params": {"false_negative_cost": 5.0}},
            {"metric": "true_positive_rate", "metric_params": {"max_false_positive_rate": 0.1}},
            {"class_weight": "balanced"},
            {"refine": "frontier"},
        ],
    )
    def test_every_metric_measures_what_new_rows_show(self, settings, rng):
        X, y = rows_of_ten(rng, 1200)
        model = ZeroOneClassifier(max_features=3, **settings).fit(X[:600], y[:600])
        usual = ZeroOneClassifier(**settings).fit(X[:600], y[:600])
        assert_allclose(model.held_out_metric_, usual.held_out_metric_, atol=0.06)
        assert_allclose(model.held_out_error_, 1 - model.score(X[600:], y[600:]), atol=0.05)

    def test_probabilities_are_calibrated(self, rows):
        X, y = rows
        model = ZeroOneClassifier(max_features=3).fit(X, y)
        assert_allclose(model.predict_proba(X)[:, 1].mean(), y.mean(), atol=0.03)

    def test_rare_classes_and_ranking(self, rng):
        X, y = rows_of_ten(rng, 2000)
        rare = (y == 1) & (rng.random(2000) < 0.05)
        model = AUCClassifier(max_features=3).fit(X, rare)
        assert 0.6 < model.held_out_auc_ < 1
        assert_allclose(model.held_out_metric_, model.held_out_auc_)

    def test_splits_of_the_user(self, rows):
        X, y = rows
        splits = [(np.arange(300, 600), np.arange(300)), (np.arange(300), np.arange(300, 600))]
        model = ZeroOneClassifier(max_features=3, cv=splits).fit(X, y)
        assert model.held_out_error_ < 0.2


class TestAfterwards:
    def test_everything_works_on_a_rule_with_zeros(self, rows, tmp_path):
        X, y = rows
        model = ZeroOneClassifier(max_features=3).fit(X, y)
        careful = model.retarget("cost", false_positive_cost=20.0)
        assert careful.support_.tolist() == model.support_.tolist()
        assert careful.predict(X).mean() < model.predict(X).mean()
        model.save(tmp_path / "model.zerone")
        loaded = load_model(tmp_path / "model.zerone")
        assert loaded.support_.tolist() == model.support_.tolist()
        assert_allclose(loaded.predict_proba(X), model.predict_proba(X))
        summary = model.summary()
        assert summary.coefficients.shape == (11,)
        assert (summary.low[:10][model.support_] <= model.coef_[0][model.support_]).all()
        named = ZeroOneClassifier(max_features=3).fit(pd.DataFrame(X).add_prefix("x"), y)
        sql = named.to_sql()
        assert "x2" in sql
        assert "x3" not in sql

    def test_rules_of_moments_are_retargeted_too(self, rows):
        X, y = rows
        model = ZeroOneClassifier(max_features=3, refine=None).fit(X, y)
        assert np.flatnonzero(model.support_).tolist() == [2, 5, 7]
        assert model.retarget("auc").support_.tolist() == model.support_.tolist()
        assert model.summary(X, y).coefficients.shape == (11,)


class TestOtherSources:
    def test_moments_say_that_nothing_was_held_out(self, rows):
        X, y = rows
        moments = Moments.from_data(X, y)
        with pytest.warns(UserWarning, match="chosen by moments alone"):
            model = ZeroOneClassifier(max_features=3).fit_moments(moments)
        assert np.flatnonzero(model.support_).tolist() == [2, 5, 7]
        assert model.moments_ is moments

    def test_streams_choose_again_at_every_call(self, rows):
        X, y = rows
        model = ZeroOneClassifier(max_features=3)
        for part in np.split(np.arange(600), 3):
            model.partial_fit(X[part], y[part], classes=[0, 1])
        assert np.flatnonzero(model.support_).tolist() == [2, 5, 7]

    @pytest.mark.parametrize("solver", ["lbfgs", "newton-cg"])
    def test_iterative_solvers(self, solver, rng):
        X, y = rows_of_ten(rng)
        X = X / X.std(axis=0)
        model = ZeroOneClassifier(max_features=3, solver=solver, fit_intercept=False).fit(X, y)
        assert np.flatnonzero(model.support_).tolist() == [2, 5, 7]

    @pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
    def test_wide_rows(self, container, rng):
        X = rng.standard_normal((120, 1500)) * (rng.random((120, 1500)) < 0.3)
        y = np.arange(120) % 2
        X[:, 40:43] += 2.0 * y[:, None]
        model = ZeroOneClassifier(max_features=3).fit(container(X), y)
        assert np.flatnonzero(model.support_).tolist() == [40, 41, 42]
        assert not model.moments_.carries_rows
        assert model.held_out_error_ < 0.3
        assert model.retarget("f1").support_.sum() == 3

    def test_dask(self, rows):
        da = pytest.importorskip("dask.array")
        X, y = rows
        model = ZeroOneClassifier(max_features=3).fit(
            da.from_array(X, chunks=(200, 10)), da.from_array(y, chunks=200)
        )
        assert np.flatnonzero(np.asarray(model.support_)).tolist() == [2, 5, 7]


class TestBadInput:
    @pytest.mark.parametrize("given", [0, -1, True, 2.5, "five", [1]])
    def test_anything_else_is_refused(self, given, rows):
        with pytest.raises(
            ValueError, match=r"max_features: got .* expected None, 'auto' or a num"
        ):
            ZeroOneClassifier(max_features=given).fit(*rows)

    def test_more_than_there_are(self, rows):
        X, y = rows
        for refine in ("auto", None):
            with pytest.raises(
                ValueError, match="got 11, and there are 10 columns; give at most 10"
            ):
                ZeroOneClassifier(max_features=11, refine=refine).fit(X, y)

    def test_auto_needs_rows_that_judge(self, rows):
        X, y = rows
        with pytest.raises(ValueError, match="got 'auto', which needs rows to hold out"):
            ZeroOneClassifier(max_features="auto", refine=None).fit(X, y)
        with pytest.raises(ValueError, match="too few to hold any out"):
            ZeroOneClassifier(max_features="auto", cv=[([0, 1], [2, 3]), ([2, 3], [0, 1])]).fit(
                X[:4], [0, 0, 1, 1]
            )


class TestBends:
    @pytest.mark.parametrize("shapes", ["bends", "auto"])
    def test_a_column_that_bends_counts_once(self, shapes, rng):
        table = pd.DataFrame(rng.standard_normal((900, 5))).add_prefix("x")
        odds = 3.0 * np.abs(table["x1"]) - 2.5 + table["x3"]
        y = (odds + rng.logistic(size=900) > 0).astype(int)
        model = ZeroOneClassifier(max_features=2, shapes=shapes).fit(table, y)
        names = [own.name for own in model.encoding_.columns]
        widths = [len(own.feature_names) for own in model.encoding_.columns]
        used = np.repeat(names, widths)[model.support_]
        assert set(used) == {"x1", "x3"}
        assert model.score(table, y) > 0.75
        card = model.to_scorecard(table, y)
        assert [own.column.name for own in card.columns] == ["x1", "x3"]
        assert np.mean(card.predict(table) == y) > 0.75
        assert "x1" in card.to_sql()
        bare = ZeroOneClassifier(max_features=2, shapes=shapes).fit(table.to_numpy(), y)
        again = bare.to_scorecard(table.to_numpy(), y)
        assert again.positions == (1, 3)
        assert (again.predict(table.to_numpy()) == card.predict(table)).all()
