"""What each metric asks of refinement: held-out losses, thresholds, bandwidths and polish."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from zerone._refine.blocks import DenseBlock
from zerone._refine.held_out import HeldOutRows
from zerone._refine.judges import ErrorJudge, RankingJudge, RateJudge, judge_of
from zerone._refine.thresholds import bandwidth
from zerone._refine.training_rows import TrainingRows
from zerone.metrics import METRICS, AUCLoss, WeightedError, chosen_metric

SEEDS = st.integers(0, 2**32 - 1)
PARAMETERS = {
    "fbeta": {"beta": 2.0},
    "cost": {"false_negative_cost": 4.0},
    "true_positive_rate": {"max_false_positive_rate": 0.15},
    "false_positive_rate": {"min_true_positive_rate": 0.85},
    "precision": {"min_recall": 0.5},
    "recall": {"min_precision": 0.6},
    "partial_auc": {"max_fpr": 0.2},
    "precision_at_k": {"k": 0.2},
}
OF_ERROR = ("error", "balanced_error", "cost")
OTHERS = [name for name in METRICS if name not in OF_ERROR]
RANKINGS = ["auc", "partial_auc", "average_precision"]
LIMITED = ["true_positive_rate", "false_positive_rate", "precision", "recall", "precision_at_k"]


def held_out_rows(rng, n=200, n_splits=3):
    signs = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    scores = rng.standard_normal((4, n)) + np.array([[0.5], [1.0], [1.5], [2.0]]) * signs
    weights = rng.integers(1, 4, n).astype(float)
    return HeldOutRows(np.arange(n) % n_splits, signs, weights), scores


def judge(name, rows):
    loss = chosen_metric(name, PARAMETERS.get(name, {})).loss(
        (rows.positive / rows.total, rows.negative / rows.total)
    )
    return judge_of(loss), loss


def test_which_judge_a_metric_has(rng):
    rows = held_out_rows(rng)[0]
    for name in METRICS:
        own, loss = judge(name, rows)
        if name in OF_ERROR:
            assert type(own) is ErrorJudge
        else:
            assert type(own) is (RankingJudge if name in RANKINGS else RateJudge)
            assert own.loss is loss
        assert own.sets_thresholds == (name in OF_ERROR)


def least_loss(loss, own, rows, chosen):
    """The lowest loss of thresholds between scores."""
    places = np.unique(own)
    cuts = np.concatenate([[-np.inf], (places[1:] + places[:-1]) / 2, [np.inf]])
    rates = np.array([rows.chosen(chosen).rates(own[chosen], cut) for cut in cuts])
    return loss.losses(rates[:, 0], rates[:, 1]).min()


@given(seed=SEEDS)
@settings(max_examples=25)
def test_held_out_losses_are_those_of_scikit_learn(seed):
    """All splits together; for the AUC within each split."""
    rows, scores = held_out_rows(np.random.default_rng(seed))
    counts, y = rows.count(scores), (rows.signs > 0).astype(int)

    def losses(name):
        return judge(name, rows)[0].losses(counts)

    for column, own in enumerate(scores):
        weighted = {"sample_weight": rows.weights}
        best = judge("f1", rows)[1]
        everything = np.ones(len(y), dtype=bool)
        assert losses("f1")[column] == pytest.approx(least_loss(best, own, rows, everything))
        precision = 1 - losses("average_precision")[column]
        assert precision == pytest.approx(average_precision_score(y, own, **weighted))
        top = judge("partial_auc", rows)[1]
        area = top.reported(losses("partial_auc")[column])
        assert area == pytest.approx(roc_auc_score(y, own, max_fpr=0.2, **weighted))


@pytest.mark.parametrize("name", LIMITED)
@given(seed=SEEDS)
@settings(max_examples=25)
def test_losses_at_a_limit_are_within_a_row_of_the_best_threshold(name, seed):
    rows, scores = held_out_rows(np.random.default_rng(seed))
    found = judge(name, rows)[0].losses(rows.count(scores))
    for column, one in enumerate(scores):
        missed, fall_out = np.array([rows.rates(one, cut) for cut in np.append(-np.inf, one)]).T
        right, wrong = rows.positive * (1 - missed), rows.negative * fall_out
        precision = np.divide(right, right + wrong, out=np.ones_like(right), where=right > 0)
        value, keeps = {
            "true_positive_rate": (missed, fall_out <= 0.15),
            "false_positive_rate": (fall_out, missed <= 0.15),
            "precision": (1 - precision, missed <= 0.5),
            "recall": (missed, precision >= 0.6),
            "precision_at_k": (missed, right + wrong <= 0.2 * rows.total),
        }[name]
        least = value[keeps].min()
        # Part of a row may be found: a threshold at its score.
        row = 3.1 / min(rows.positive, rows.negative)
        assert least - 3 * row <= found[column] <= least + 1e-9


@pytest.mark.parametrize("name", OTHERS)
@given(seed=SEEDS)
@settings(max_examples=25)
def test_losses_elsewhere_leave_one_split_out(name, seed):
    rows, scores = held_out_rows(np.random.default_rng(seed))
    own = judge(name, rows)[0]
    found = own.losses_elsewhere(rows.count(scores))
    assert found.shape == (4, 3)
    for split in range(3):
        kept = rows.splits != split
        rest = HeldOutRows(
            np.unique(rows.splits[kept], return_inverse=True)[1],
            rows.signs[kept],
            rows.weights[kept],
        )
        expected = own.losses(rest.count(scores[:, kept]))
        np.testing.assert_allclose(found[:, split], expected, atol=1e-9)


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
@settings(max_examples=25)
def test_evidence_is_near_the_counted_loss(name, seed):
    """It is smoothed, but for the ranking."""
    _, losses, errors, counted = evidence_of_three_rules(name, seed)
    assert losses.shape == errors.shape == (3,)
    # From worst to best; a precision that two rules keep at any recall does not tell them apart.
    assert (np.diff(losses) < (0.01 if name == "recall" else 0)).all()
    assert errors[losses.argmin()] == 0
    assert np.count_nonzero(errors > 0) == 2
    if name in RANKINGS:
        np.testing.assert_allclose(losses, counted, atol=1e-9)
    elif name == "recall":
        # The worst rule hardly reaches the precision; below it is judged in the mean.
        np.testing.assert_allclose(losses[1:], counted[1:], atol=0.06)
    elif name not in OF_ERROR:
        np.testing.assert_allclose(losses, counted, atol=0.12)


def test_evidence_of_the_recall_of_a_poor_rule_is_near_in_the_mean():
    found = [evidence_of_three_rules("recall", seed) for seed in range(40)]
    differences = [losses[0] - counted[0] for _, losses, _, counted in found]
    assert abs(np.mean(differences)) < 0.05


def evidence_of_three_rules(name, seed):
    """Return a judge, smoothed losses with their errors, and counted losses, of 600 rows."""
    rng = np.random.default_rng(seed)
    signs = np.where(rng.random(600) < 0.4, 1.0, -1.0)
    rows = HeldOutRows(np.zeros(600, dtype=int), signs, np.ones(600))
    scores = rng.standard_normal((3, 600)) + np.array([[0.4], [0.8], [1.2]]) * signs
    own = judge(name, rows)[0]
    return own, *own.evidence(scores, rows), own.losses(rows.count(scores))


@pytest.mark.parametrize("name", OTHERS)
def test_the_threshold_is_a_good_one(name, rng):
    """Nearly the loss of the best threshold, and the limit kept, on many rows."""
    n = 20_000
    signs = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    rows = HeldOutRows(np.arange(n) % 5, signs, np.ones(n))
    scores = rng.standard_normal(n) + signs
    own, loss = judge(name, rows)
    rates = [np.array([rate]) for rate in rows.rates(scores, own.threshold(scores, rows))]
    if name in RANKINGS:  # the order does not depend on it
        loss = WeightedError(rows.positive / n, rows.negative / n)
    if loss.limit is not None:
        assert loss.limit.excess(*rates)[0] < 0.003
    places = np.quantile(scores, np.linspace(0, 1, 2000))
    every = np.array([rows.rates(scores, cut) for cut in places]).T
    assert loss.losses(*rates)[0] < loss.limited_losses(*every).min() + 0.006


def test_where_few_rows_are_found_these_set_the_bandwidth(rng):
    rows = held_out_rows(rng, 1000)[0]
    negative = rows.negative / rows.units[1]

    def width(name, **parameters):
        priors = rows.positive / rows.total, rows.negative / rows.total
        return judge_of(chosen_metric(name, parameters).loss(priors)).bandwidth(rows)

    top = width("true_positive_rate", max_false_positive_rate=0.02)
    assert top == pytest.approx(bandwidth(rows, 0.02 * negative))
    assert top > bandwidth(rows)
    first = width("precision_at_k", k=0.05)
    assert first == pytest.approx(bandwidth(rows, 0.05 * rows.total))
    for name in ("f1", "precision", "false_positive_rate"):
        assert width(name, **PARAMETERS.get(name, {})) == bandwidth(rows)


@pytest.mark.parametrize("name", METRICS)
def test_the_standard_error_of_a_loss(name, rng):
    """A factor between a binomial share of the rarer class and one of all rows."""
    rows = held_out_rows(rng)[0]
    own = judge(name, rows)[0]
    found = own.error_of(0.2, rows)
    rarer = rows.total if name in OF_ERROR else min(rows.positive, rows.negative)
    assert found == pytest.approx(np.sqrt(0.16 / rarer))
    assert own.error_of(0.0, rows) > 0


@pytest.mark.parametrize("name", METRICS)
def test_polish_lowers_the_loss(name, rng):
    """From a poor direction, on rows that are not normal."""
    n, n_positive = 600, 200
    signs = np.repeat([1.0, -1.0], [n_positive, n - n_positive])
    X = rng.exponential(size=(n, 3)) - 1
    X[:, 0] += 1.2 * (signs > 0)
    X[:, 1] -= 0.8 * (signs > 0)
    X -= X.mean(axis=0)
    splits = np.arange(n) % 3
    weights = np.array([splits != 0, splits != 1, splits != 2, splits >= 0], dtype=float)
    whitener = np.linalg.inv(np.linalg.cholesky(np.cov(X.T)).T)
    training = TrainingRows(DenseBlock(X.T), signs, weights)
    # Where the precision is never reached, nothing shows the way.
    start = np.tile([1.0, 0.0, 0.3] if name == "recall" else [0.3, 0.0, 1.0], (4, 1))
    rows = HeldOutRows(splits, signs, np.ones(n))
    scores = (X @ start[0]) / (X @ start[0]).std()
    own = judge(name, rows)[0]
    states = own.polish(
        training, whitener, start, rows, own.starting_thresholds(scores, rows)
    ).solved()
    assert states
    assert all(state.shape == (4, 3) for state in states)

    def losses(directions):
        both = [directions[-1] @ X.T, scores]
        if name in OF_ERROR:  # whole rules are judged
            both = [along - own.threshold(along, rows) for along in both]
        return own.evidence(np.array([along / along.std() for along in both]), rows)[0]

    after, before = losses(states[-1])
    assert after < before - 0.02, (after, before)
    # The models of the splits have directions of their own.
    assert np.ptp(states[-1][:, 0] / np.linalg.norm(states[-1], axis=1)) > 1e-6


def test_the_auc_compares_rows_of_one_split():
    """Scores of different models need not have one origin."""
    signs = np.tile([1.0, -1.0], 50)
    splits = np.repeat([0, 1], 50)
    rows = HeldOutRows(splits, signs, np.ones(100))
    scores = (signs + 100 * splits)[None]
    own = judge_of(AUCLoss())
    assert own.losses(rows.count(scores))[0] == 0
    assert own.evidence(scores, rows)[0][0] == 0


def test_equal_counts_are_equal_however_their_sums_round():
    """Three rules that always answer the same: none wins over the constant answer, nor loses."""
    signs = np.array([1.0] * 3 + [-1.0] * 7)
    weights = np.full(10, 0.1)
    scores = np.array([np.full(10, -0.5), np.linspace(-2, -0.2, 10)])
    for order in (np.arange(10), np.arange(10)[::-1], np.argsort(-signs, kind="stable")):
        rows = HeldOutRows(np.zeros(10, dtype=np.intp), signs[order], weights)
        own = scores[:, order]
        judge = ErrorJudge()
        losses, errors = judge.with_constant(own, rows, -1.0, judge.evidence(own, rows))
        assert losses[-1] == pytest.approx(losses[:-1].min(), abs=1e-12)
        assert errors[-1] > 0
