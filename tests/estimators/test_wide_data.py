"""More features than rows: nothing is kept of the rows, and nothing is lost."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from tests.helpers import assert_same_classifier

from zerone import AUCClassifier, Moments, ZeroOneClassifier

CLASSIFIERS = [ZeroOneClassifier, AUCClassifier]


class TestWideData:
    @pytest.fixture
    def rows(self, rng):
        X = rng.standard_normal((80, 1500)) * (rng.random((80, 1500)) < 0.2)
        y = np.arange(80) % 2
        X[:, :30] += 1.5 * y[:, None]
        return X, y

    @pytest.mark.parametrize("cls", CLASSIFIERS)
    @pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
    def test_no_training_row_is_kept(self, cls, container, rows):
        X, y = rows
        model = cls().fit(container(X[:40]), y[:40])
        assert not any(m.covariance.carries_rows for m in model.moments_.values())
        assert model.moments_.n_features < 100
        assert model.coef_.shape == (1, 1500)
        assert model.score(container(X[40:]), y[40:]) > 0.8

    def test_factored_equals_explicit(self, rows):
        X, y = rows
        explicit = Moments.from_data(X, y, covariance="explicit")
        assert_same_classifier(
            ZeroOneClassifier(refine=None).fit(X, y),
            ZeroOneClassifier(refine=None).fit_moments(explicit),
            1e-6,
        )

    def test_streams_keep_rows_and_stay_exact(self, rows):
        X, y = rows
        model = ZeroOneClassifier(refine=None)
        for start in range(0, 80, 20):
            part = slice(start, start + 20)
            model.partial_fit(X[part], y[part], classes=[0, 1])
        assert_same_classifier(model, ZeroOneClassifier(refine=None).fit(X, y), 1e-7)

    def test_a_square_projection_is_one_all_the_same(self, rng):
        # As many directions as features: the moments look like those of the features.
        X = rng.standard_normal((1600, 1100))
        y = (X[:, 0] + rng.standard_normal(1600) > 0).astype(int)
        model = ZeroOneClassifier().fit(X[:1097], y[:1097])
        assert model.moments_.n_features in (1099, 1100)
        with pytest.raises(ValueError, match="only a projection was kept"):
            model.partial_fit(X[1097:], y[1097:])
        assert model.retarget("f1").moments_ is model.moments_

    def test_moments_of_different_projections_do_not_merge(self, rows):
        X, y = rows
        a = ZeroOneClassifier().fit(sp.csr_array(X[:40]), y[:40]).moments_
        b = ZeroOneClassifier().fit(sp.csr_array(X[40:]), y[40:]).moments_
        with pytest.raises(ValueError, match="projection"):
            a + b

    def test_the_status_tells_an_approximation(self, rows):
        X, y = rows
        model = ZeroOneClassifier(refine=None).fit(sp.csr_array(X), y)
        assert "Krylov" in model.status_
        assert "Krylov" in model.retarget("f1").status_
        assert "globally best" in ZeroOneClassifier(refine=None).fit(X, y).status_

    def test_a_constant_column_does_not_matter(self, rows):
        X, y = rows
        padded = np.hstack([X, np.full((80, 1), 5.0)])
        model, plain = (
            ZeroOneClassifier(refine=None).fit(padded, y),
            ZeroOneClassifier(refine=None).fit(X, y),
        )
        assert "globally best" in model.status_
        assert_allclose(model.decision_function(padded), plain.decision_function(X), atol=1e-8)

    def test_a_retargeted_stream_goes_on(self, rows):
        X, y = rows
        model = ZeroOneClassifier(refine=None).partial_fit(X[:40], y[:40], classes=[0, 1])
        twin = model.retarget("f1").partial_fit(X[40:], y[40:])
        assert_same_classifier(twin, ZeroOneClassifier(refine=None).fit(X, y).retarget("f1"), 1e-7)

    def test_streams_cannot_go_on_from_a_projection(self, rows):
        X, y = rows
        model = ZeroOneClassifier().fit(X, y)
        with pytest.raises(ValueError, match="only a projection was kept"):
            model.partial_fit(X, y)

    def test_retarget(self, rows):
        X, y = rows
        model = ZeroOneClassifier().fit(X, y)
        assert model.retarget("f1").coef_.shape == (1, 1500)
