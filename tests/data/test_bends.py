"""Columns that bend: knots, parts, encodings, and moments of several sites."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose

from zerone import Encoding, Moments, ZeroOneClassifier
from zerone._data.bent_array import Parts, encoding_of_array
from zerone._data.columns.bends import joined_knots, knots_of, knots_per_column, parts_of
from zerone._data.columns.numeric import NumericColumn
from zerone._data.reencoding import reencoding
from zerone._data.value_sample import ValueSample

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
columns = hnp.arrays(np.float64, st.integers(1, 200), elements=numbers)


def table(rng, n=600, shift=0.0):
    frame = pd.DataFrame({"a": rng.normal(size=n) + shift, "b": rng.integers(0, 5, n), "c": 1.0})
    frame["c"] = rng.random(n) < 0.5
    frame["job"] = rng.choice(["cook", "nurse"], n)
    frame.loc[rng.random(n) < 0.1, "a"] = np.nan
    frame["y"] = (np.abs(frame["a"].fillna(0)) + 0.3 * rng.normal(size=n) > 0.8).astype(int)
    return frame


class TestKnots:
    @given(columns)
    def test_rise_within_the_values(self, values):
        knots = np.array(knots_of(values))
        assert np.all(np.diff(knots) > 0)
        assert all(values.min() < knot < values.max() and knot in values for knot in knots)
        assert len(knots) <= 8

    @given(columns, st.integers(0, 2**31))
    def test_a_weight_is_a_number_of_rows(self, values, seed):
        counts = np.random.default_rng(seed).integers(0, 4, len(values))
        assert knots_of(values, counts) == knots_of(np.repeat(values, counts))

    @pytest.mark.parametrize("values", [[], [3.0] * 50, [1.0, 2.0] * 50, [np.nan] * 30])
    def test_two_values_do_not_bend(self, values):
        assert knots_of(np.array(values, dtype=float)) == ()

    def test_few_values_bend_at_each(self):
        assert knots_of(np.array([0.0, 1.0, 2.0, 5.0] * 50)) == (1.0, 2.0)

    def test_quantiles_that_coincide_are_one_knot(self):
        values = np.concatenate([np.full(700, 5.0), np.arange(300.0)])
        knots = knots_of(values)
        assert 5.0 in knots
        assert len(set(knots)) == len(knots) < 8

    def test_few_rows_have_few_parts(self):
        rng = np.random.default_rng(0)
        assert [len(knots_of(rng.normal(size=n))) for n in (15, 30, 60, 600)] == [0, 2, 5, 8]

    def test_many_columns_have_few_knots(self):
        assert [knots_per_column(n) for n in (1, 16, 32, 100, 1000)] == [8, 8, 4, 1, 1]

    def test_joined_knots_are_those_of_both(self):
        assert joined_knots((1.0, 2.0), (2.0, 3.0)) == (1.0, 2.0, 3.0)
        assert len(joined_knots(range(8), np.arange(8) + 0.5)) == 8


class TestParts:
    @given(columns, columns)
    def test_add_up_to_the_column(self, values, others):
        parts = np.array(parts_of(others, knots_of(values)))
        assert_allclose(parts.sum(axis=0), others, rtol=1e-12, atol=1e-6)

    def test_are_slopes(self):
        knots = (0.0, 1.0, 3.0)
        x = np.array([-2.0, 0.5, 2.0, 4.0, 10.0])
        slopes = np.array([1.0, -1.0, 2.0, 0.5])
        found = slopes @ np.array(parts_of(x, knots))
        expected = np.interp(x, [-2, 0, 1, 3, 10], [-2, 0, -1, 3, 6.5])
        assert_allclose(found, expected, atol=1e-14)

    def test_of_arrays_are_those_of_columns(self):
        rng = np.random.default_rng(0)
        rows = rng.normal(size=(500, 3))
        encoding = encoding_of_array(rows, None, ("a", "b", "c"))
        expected = [
            part
            for column, values in zip(encoding.columns, rows.T, strict=True)
            for part in parts_of(values, column.knots)
        ]
        assert_allclose(Parts.of(encoding).of_rows(rows).T, expected, atol=0)

    def test_an_outlier_stays_in_the_outer_part(self):
        values = np.append(np.linspace(0, 1, 200), 1e12)
        knots = knots_of(values)
        parts = np.array(parts_of(values, knots))
        assert max(knots) < 1
        assert (np.abs(parts[:-1, -1]) <= 1).all()

    def test_a_map_to_fewer_knots_adds_parts_up(self):
        fine, coarse = NumericColumn("x", knots=(0.0, 1.0, 2.0)), NumericColumn("x", knots=(1.0,))
        x = np.linspace(-3, 5, 50)
        matrix = coarse.values_from(fine)
        assert_allclose(matrix @ parts_of(x, fine.knots), parts_of(x, coarse.knots), atol=1e-14)
        with pytest.raises(ValueError, match="bends at values where it did not"):
            fine.values_from(coarse)


class TestEncoding:
    def test_of_every_kind_of_table_is_the_same(self, tmp_path):
        frame = table(np.random.default_rng(0))
        text = tmp_path / "table.csv"
        frame.to_csv(text, index=False)
        one, two = (Encoding.from_table(own, target="y", shapes="bends") for own in (frame, text))
        assert [c.knots for c in one.bent_columns] == [c.knots for c in two.bent_columns]
        assert [c.name for c in one.bent_columns] == ["a", "b"]
        assert one.plan[0].read_as.startswith("numbers, bent at 8 values, missing ones imputed")

    def test_is_read_from_json(self):
        encoding = Encoding.from_table(table(np.random.default_rng(0)), target="y", shapes="bends")
        assert Encoding.from_json(encoding.to_json()) == encoding
        broken = encoding.to_json().replace('"knots": [', '"knots": [1e9, ')
        with pytest.raises(ValueError, match="knots are not rising"):
            Encoding.from_json(broken)

    def test_of_two_sites_has_the_knots_of_both(self):
        one, two = (
            Encoding.from_table(
                pd.DataFrame({"x": np.arange(200.0)[::-1] + shift}), shapes="bends"
            ).columns[0]
            for shift in (0, 1000)
        )
        joined = (Encoding((one,)) | Encoding((two,))).columns[0]
        assert min(joined.knots) < 200
        assert max(joined.knots) > 1000
        assert Encoding((one,)).difference(Encoding((two,))) == (
            "column 'x' bends at other values in one of them"
        )

    def test_sites_of_other_knots_are_not_merged(self):
        rng = np.random.default_rng(0)
        parts = [
            Moments.from_table(table(rng, shift=shift), target="y", shapes="bends")
            for shift in (0, 3)
        ]
        with pytest.raises(ValueError, match=r"bends at other values.*⟨?"):
            parts[0] + parts[1]

    def test_a_missing_value_has_the_parts_of_the_mean(self):
        frame = table(np.random.default_rng(0))
        moments = Moments.from_table(frame, target="y", shapes="bends")
        column = moments.encoding.columns[0]
        filled = frame.assign(a=frame["a"].fillna(frame["a"].mean()))
        expected = [own.mean() for own in parts_of(filled["a"], column.knots)]
        total = sum(m.weight * m.mean for m in moments.values()) / len(frame)
        assert column.fill == pytest.approx(frame["a"].mean(), rel=1e-12)
        assert_allclose(total[: len(expected)], expected, atol=1e-12)

    def test_straight_lines_are_sums_of_parts(self):
        frame = table(np.random.default_rng(0))
        bent = Moments.from_table(frame, target="y", shapes="bends")
        plain = Moments.from_table(frame, target="y")
        matrix, offset = reencoding(bent.encoding, bent.encoding.straight_but())
        for label, own in plain.items():
            found = bent[label].affine(matrix, offset)
            assert_allclose(found.mean, own.mean, atol=1e-12)
            assert_allclose(found.covariance.toarray(), own.covariance.toarray(), atol=1e-12)


class TestSites:
    def test_merged_moments_are_those_of_one_fit(self):
        rng = np.random.default_rng(1)
        parts = [table(rng, 400, shift) for shift in (0.0, 0.5, -0.5)]
        whole = pd.concat(parts, ignore_index=True)
        encoding = Encoding.from_table(whole, target="y", shapes="bends")
        one = Moments.from_table(whole, target="y", encoding=encoding)
        read = [Moments.from_table(part, target="y", encoding=encoding) for part in parts]
        merged = read[0] + read[1] + read[2]
        with pytest.warns(UserWarning, match="no rows were held out"):
            rules = [
                ZeroOneClassifier(shapes="auto", refine=None).fit_moments(own)
                for own in (one, merged)
            ]
        assert_allclose(rules[0].coef_, rules[1].coef_, rtol=1e-9, atol=1e-10)
        assert rules[0].encoding_.bent_columns
        assert rules[0].score_table(whole, target="y") > 0.75


class TestValueSample:
    def test_does_not_depend_on_the_parts(self):
        values = np.random.default_rng(0).normal(size=200_000)
        found = []
        for step in (200_000, 7_000):
            sample = ValueSample()
            for start in range(0, len(values), step):
                sample.add(values[start : start + step])
            found.append(sample.values)
        assert np.array_equal(*found)
        assert 2**15 < len(found[0]) <= 2**16
        shares = np.linspace(0.1, 0.9, 9)
        assert_allclose(np.quantile(found[0], shares), np.quantile(values, shares), atol=0.02)
