import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.helpers import gaussian_rows

from zerone import AUCClassifier, Moments, ZeroOneClassifier, cross_validate_moments, fold_moments


def test_folds_add_up_and_are_stratified():
    X, y, rng = gaussian_rows(0, classes=3)
    weights = rng.random(len(y))
    folds = fold_moments(X, y, n_folds=4, sample_weight=weights)
    together, whole = sum(folds), Moments.from_data(X, y, sample_weight=weights)
    for label in (0, 1, 2):
        assert together[label].weight == pytest.approx(whole[label].weight)
        assert_allclose(
            np.asarray(together[label].covariance), np.asarray(whole[label].covariance), atol=1e-12
        )


def test_the_predicted_error_is_that_of_normal_rows():
    """Monte Carlo: rows drawn from the model confirm what the held-out moments predict."""
    rng = np.random.default_rng(0)
    n = 200_000
    y = np.arange(n) % 2
    X = rng.standard_normal((n, 3)) * (1 + y[:, None]) + y[:, None] * [1.0, 0.5, 0.0]
    small, large = Moments.from_data(X[:400], y[:400]), Moments.from_data(X[400:], y[400:])
    for cls, name in ((ZeroOneClassifier, "error"), (AUCClassifier, "auc")):
        losses = cross_validate_moments(cls(), [large, small])
        model = cls().fit_moments(small)  # the one that is judged by ``large`` comes first
        assert losses.shape == (2,)
        if name == "error":
            assert losses[0] == pytest.approx(1 - model.score(X[400:], y[400:]), abs=0.003)
        assert losses[0] > 0.9 * getattr(model, f"expected_{name}_") if name == "error" else True


def test_it_chooses_shrinkage_for_few_rows(rng):
    y = np.arange(80) % 2
    X = rng.standard_normal((80, 30))
    X[:, :5] += 0.7 * y[:, None]
    folds = fold_moments(X, y)
    losses = [
        cross_validate_moments(ZeroOneClassifier(shrinkage=s), folds).mean() for s in (0.0, 0.5)
    ]
    assert losses[1] < losses[0]


def test_class_weights_several_classes_and_other_metrics():
    X, y, _ = gaussian_rows(1, n=300, classes=3)
    folds = fold_moments(X, y)
    plain = cross_validate_moments(ZeroOneClassifier(), folds)
    weighted = cross_validate_moments(ZeroOneClassifier(class_weight={0: 9.0}), folds)
    assert plain.shape == (5,)
    assert not np.allclose(plain, weighted)
    ranking = cross_validate_moments(ZeroOneClassifier(), folds, metric="auc")
    assert ((ranking > 0) & (ranking < 0.5)).all()


def test_bad_input():
    X, y, _ = gaussian_rows(2)
    folds = fold_moments(X, y)
    with pytest.raises(ValueError, match="folds: got 1"):
        cross_validate_moments(ZeroOneClassifier(), folds[:1])
    with pytest.raises(TypeError, match="folds: got tuple"):
        cross_validate_moments(ZeroOneClassifier(), [(X, y), (X, y)])
    with pytest.raises(ValueError, match="metric: got 'f1'"):
        cross_validate_moments(ZeroOneClassifier(), folds, metric="f1")
    lonely = Moments.from_data(X[y == 0], y[y == 0])
    with pytest.raises(ValueError, match="fold 0 has no rows of class 1"):
        cross_validate_moments(ZeroOneClassifier(), [lonely, *folds])
