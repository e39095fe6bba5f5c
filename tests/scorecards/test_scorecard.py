"""Cards: what they say, what they predict, and that paper, files and SQL say the same."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from zerone import AUCClassifier, ZeroOneClassifier
from zerone.scorecards import Scorecard
from zerone.scorecards._bins import _best_cuts, cuts_of, shortest_between
from zerone.scorecards._points import Patterns, bin_weights, deviances, integer_points


def table_of(rng, n=1500):
    """A table of all kinds of columns, with missing cells."""
    age, income = rng.integers(18, 80, n).astype(float), rng.gamma(2.0, 1000.0, n)
    job = rng.choice(["cook", "nurse", "clerk", "pilot"], n)
    since = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, n), "D")
    odds = (age > 50) * 1.5 + (income < 1200) * 1.2 + (job == "pilot") * 1.5 - 1.8
    odds = odds + (since > pd.Timestamp("2022-06-01")) * 0.9
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no")
    table = pd.DataFrame({"age": age, "income": income, "job": job, "since": since, "late": y})
    table.loc[rng.random(n) < 0.05, "income"] = np.nan
    table.loc[rng.random(n) < 0.05, "job"] = None
    return table


@pytest.fixture
def table(rng):
    return table_of(rng)


@pytest.fixture
def card(table):
    model = ZeroOneClassifier(max_features=4).fit_table(table, target="late")
    return model.to_scorecard(table, table["late"])


class TestCard:
    def test_points_are_small_integers_that_separate_the_classes(self, card, table):
        assert all(0 == min(own.points) <= max(own.points) <= 5 for own in card.columns)
        assert all(len(own.cuts) <= 4 for own in card.columns)
        totals = card.decision_function(table)
        assert totals.dtype.kind == "i"
        assert totals.max() <= card.most
        auc = roc_auc_score(table["late"] == "yes", totals)
        assert auc > 0.75
        assert_allclose(card.held_out["AUC"], auc, atol=0.04)
        assert_allclose(
            card.held_out["error"], np.mean(card.predict(table) != table["late"]), atol=0.04
        )
        chances = card.predict_proba(table)
        assert_allclose(chances[:, 1].mean(), np.mean(table["late"] == "yes"), atol=0.01)
        assert ((totals >= card.threshold) == (card.predict(table) == "yes")).all()

    def test_the_table_of_points_gives_the_totals(self, card, table):
        lines = card.table()
        assert list(lines.columns) == ["column", "case", "points"]
        row = {"age": 30.0, "income": np.nan, "job": "pilot", "since": pd.Timestamp("2023-01-01")}
        frame = pd.DataFrame([row]).astype({"income": float})
        frame["since"] = frame["since"].astype(table["since"].dtype)
        cases = dict(
            zip(zip(lines["column"], lines["case"], strict=True), lines["points"], strict=True)
        )
        total = cases["income", "missing"]
        total += next(p for (c, case), p in cases.items() if c == "job" and "pilot" in case)
        by_name = {own.column.name: own for own in card.columns}
        age, since = by_name["age"], by_name["since"]
        total += age.points[int(np.searchsorted(age.cuts, 30.0))]
        days = (row["since"] - pd.Timestamp("1970-01-01")).days - since.column.origin
        total += since.points[int(np.searchsorted(since.cuts, days))]
        assert card.decision_function(frame)[0] == total
        assert str(card.threshold) in str(card)
        probabilities = card.probabilities()
        assert len(probabilities) == card.most + 1
        assert (np.diff(probabilities["P(yes)"]) > 0).all()

    def test_only_the_columns_of_the_card_are_read(self, table):
        model = ZeroOneClassifier(max_features=2).fit_table(table, target="late")
        card = model.to_scorecard(table, table["late"])
        own = table[[column.column.name for column in card.columns]]
        assert (card.predict(own) == card.predict(table)).all()

    def test_read_back_it_is_the_same(self, card, table, tmp_path):
        card.save(tmp_path / "card.json")
        again = Scorecard.load(tmp_path / "card.json")
        assert (again.decision_function(table) == card.decision_function(table)).all()
        assert_allclose(again.predict_proba(table), card.predict_proba(table))
        assert again.to_html() == card.to_html()
        (tmp_path / "other.json").write_text("{}")
        with pytest.raises(ValueError, match="is not a scorecard"):
            Scorecard.load(tmp_path / "other.json")

    def test_sql_is_a_sum_of_cases_with_integers(self, card, table):
        duckdb = pytest.importorskip("duckdb")
        sql = card.to_sql()
        assert "THEN (" not in sql
        frame = table.copy()
        frame.loc[0, "job"] = "sailor"
        with pytest.warns(UserWarning, match="job"):
            expected = card.decision_function(frame)
        with duckdb.connect() as connection:
            connection.register("frame", frame)
            totals = connection.execute(f"SELECT {sql} FROM frame").fetchnumpy()
        assert (next(iter(totals.values())) == expected).all()

    def test_the_page_is_safe_and_complete(self, rng):
        X = pd.DataFrame({"<b>size": rng.standard_normal(300), "two": rng.standard_normal(300)})
        y = np.where(X["<b>size"] + 0.3 * rng.standard_normal(300) > 0, "<i>yes", "no")
        card = ZeroOneClassifier().fit(X, y).to_scorecard(X, y)
        page = card.to_html("Who & what")
        assert "&lt;b&gt;size" in page
        assert "<b>size" not in page
        assert "Who &amp; what" in page
        assert "&lt;i&gt;yes" in page or "no" in card.classes
        assert "http" not in page
        assert "<table" in card._repr_html_()

    @pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
    def test_arrays(self, container, rng):
        X = rng.standard_normal((400, 6))
        y = (X[:, 4] - X[:, 1] + 0.5 * rng.standard_normal(400) > 0).astype(int)
        card = AUCClassifier(max_features=2).fit(container(X), y).to_scorecard(container(X), y)
        assert card.positions == (1, 4)
        assert np.mean(card.predict(container(X)) == y) > 0.8
        with pytest.raises(ValueError, match="expected 6 columns"):
            card.predict(X[:, :2])
        with pytest.raises(ValueError, match="names"):
            card.to_sql()
        X[3, 4] = np.nan
        with pytest.raises(ValueError, match="NaN"):
            card.predict(X)

    def test_the_threshold_is_that_of_the_metric(self, rng):
        X = rng.standard_normal((600, 3))
        y = (X[:, 0] + rng.standard_normal(600) > 1).astype(int)
        usual = ZeroOneClassifier().fit(X, y)
        careful = usual.retarget("cost", false_negative_cost=20.0)
        turned = ZeroOneClassifier(metric="f1", positive=0).fit(X, y)
        shares = [model.to_scorecard(X, y).predict(X).mean() for model in (usual, careful, turned)]
        assert shares[1] > shares[0]
        assert 0 < shares[2] < 0.5

    def test_weights_are_repeated_rows(self, rng):
        X, y = rng.standard_normal((300, 3)), np.arange(300) % 2
        X[:, 0] += y
        counts = rng.integers(0, 3, 300)
        model = ZeroOneClassifier().fit(X, y)
        one = model.to_scorecard(X, y, counts)
        other = model.to_scorecard(np.repeat(X, counts, axis=0), np.repeat(y, counts))
        assert str(one) == str(other)


class TestBadInput:
    def test_sentences(self, rng):
        X, y = rng.standard_normal((90, 3)), np.arange(90) % 3
        with pytest.raises(ValueError, match="for two classes, and there are 3"):
            ZeroOneClassifier().fit(X, y).to_scorecard(X, y)
        model = ZeroOneClassifier().fit(X, y > 0)
        for points in (0, 101, 2.5, True, "five"):
            with pytest.raises(
                ValueError, match=r"points: got .*, expected an integer from 1 to 100"
            ):
                model.to_scorecard(X, y > 0, points=points)
        with pytest.raises(ValueError, match="no row of class False"):
            model.to_scorecard(X[y > 0], y[y > 0] > 0)

    def test_text_has_no_line(self, rng):
        table = pd.DataFrame({"said": ["good thing", "bad thing"] * 40, "y": [1, 0] * 40})
        model = ZeroOneClassifier().fit_table(table, target="y", text=["said"])
        with pytest.raises(ValueError, match="no line for column 'said'"):
            model.to_scorecard(table[["said"]], table["y"])

    def test_few_rows_and_constant_columns(self):
        X, y = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 1.0], [1.0, 1.0]] * 6), np.array([0, 1] * 12)
        card = ZeroOneClassifier().fit(X, y).to_scorecard(X, y)
        assert (card.predict(X) == y).all()


class TestBins:
    @pytest.mark.parametrize("seed", range(8))
    def test_cuts_are_the_best_of_all(self, seed):
        rng = np.random.default_rng(seed)
        counts = rng.integers(10, 30, 8).astype(float)
        positive = np.floor(counts * rng.random(8))

        def value(cuts):
            total = -np.log(counts.sum()) * len(cuts)
            for part in np.split(np.arange(8), np.array(cuts, dtype=int) + 1):
                share = np.clip(positive[part].sum() / counts[part].sum(), 1e-12, 1 - 1e-12)
                total += positive[part].sum() * np.log(share)
                total += (counts[part] - positive[part]).sum() * np.log(1 - share)
            return total

        every = [cuts for n in range(5) for cuts in combinations(range(7), n)]
        assert_allclose(value(_best_cuts(positive, counts)), max(map(value, every)))

    def test_values_that_many_rows_have_are_bins_of_their_own(self):
        rng = np.random.default_rng(0)
        values = np.where(rng.random(2000) < 0.9, 0.0, rng.gamma(2.0, 1000.0, 2000))
        is_positive = rng.random(2000) < np.where(values > 0, 0.8, 0.2)
        cuts = cuts_of(values, is_positive, np.ones(2000))
        assert cuts[0] == 0.0

    def test_noise_has_one_bin(self):
        rng = np.random.default_rng(1)
        assert cuts_of(rng.standard_normal(500), rng.random(500) < 0.3, np.ones(500)) == ()

    @pytest.mark.parametrize(
        ("low", "high", "expected"),
        [(0.0, 1.0, 0.0), (27.0, 28.0, 27.0), (0.1234, 0.1298, 0.124), (-3.7, -3.2, -3.7),
         (1234.0, 1310.0, 1300.0), (0.5, 0.7, 0.5), (-0.002, 0.9, 0.0)],
    )  # fmt: skip
    def test_cuts_have_few_digits(self, low, high, expected):
        assert shortest_between(low, high) == pytest.approx(expected)
        assert low <= shortest_between(low, high) < high


class TestPoints:
    def test_rounding_as_a_whole_beats_rounding_each_weight(self):
        better = 0
        for seed in range(6):
            rng = np.random.default_rng(seed)
            bins = [rng.integers(0, 4, 800) for _ in range(5)]
            weights = rng.normal(0, 1.0, (5, 4))
            odds = sum(own[column] for own, column in zip(weights, bins, strict=True)) - 0.5
            is_positive = rng.random(800) < 1 / (1 + np.exp(-odds))
            patterns = Patterns.of(bins, [4] * 5, is_positive, np.ones(800))
            real = bin_weights(patterns)
            widest = max(np.ptp(real[own]) for own in patterns.columns)
            alone = np.rint(real * 3 / widest).astype(int)
            alone -= alone.min()
            found = integer_points(patterns, real, 3)
            assert found.max() <= 3
            losses = []
            for points in (alone, found):
                totals = patterns.totals(points)
                counts = [
                    np.bincount(totals, own) for own in (patterns.positive, patterns.negative)
                ]
                losses.append(deviances(counts[0][None], counts[1][None])[0])
            assert losses[1] <= losses[0] + 1e-6
            better += losses[1] < losses[0] - 1
        assert better >= 4
