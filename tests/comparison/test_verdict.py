"""The sentences of a verdict, for figures that are made up."""

import numpy as np
import pytest

from zerone.comparison import Comparison, verdict
from zerone.metrics import chosen_metric

ROLES = {
    "ZeroOneClassifier": "ours",
    "AUCClassifier": "ours",
    "LinearSVC": "rival",
    "LinearDiscriminantAnalysis": "rival",
    "MajorityClass": "majority",
    "HistGradientBoostingClassifier": "nonlinear",
}
NOISE = np.array([0.0, 0.01, -0.01, 0.02, -0.02])


def around(mean, spread=1.0):
    return mean + spread * NOISE


def comparison(folds=5, metric="error", params=None, **measured):
    """Return a comparison with some metrics, and a second to fit where none is given."""
    metrics = {name: {"seconds": np.ones(folds)} | own for name, own in measured.items()}
    return Comparison(
        metrics, ROLES, {}, None, None, False, folds, metric=chosen_metric(metric, params)
    )


def in_accuracy(**means):
    return comparison(**{name: {"accuracy": np.array(own)} for name, own in means.items()})


class TestRecommendation:
    def of(self, ours, rival, seconds=(1.0, 3.0)):
        return verdict(
            comparison(
                ZeroOneClassifier={"accuracy": np.array(ours), "seconds": np.full(5, seconds[0])},
                LinearSVC={"accuracy": np.array(rival), "seconds": np.full(5, seconds[1])},
            )
        )

    def test_lower_costs_are_better(self):
        given = comparison(
            metric="cost",
            params={"false_negative_cost": 5},
            ZeroOneClassifier={"cost": np.array([1.0, 1.1, 1, 1.2, 1])},
            LinearSVC={"cost": np.array([3.0, 3.1, 3, 3.3, 3.2])},
        )
        object.__setattr__(given, "positive", "bad")
        found = verdict(given)
        assert found.best == "ZeroOneClassifier"
        assert found.t > 2
        assert "significantly better in cost (positive class 'bad') than" in found.sentence

    def test_better(self):
        found = self.of([0.9, 0.91, 0.9, 0.92, 0.9], [0.8, 0.81, 0.79, 0.8, 0.81])
        assert found.best == found.recommended == "ZeroOneClassifier"
        assert found.t > 2
        assert "significantly more accurate than LinearSVC (0.8020)" in found.sentence
        assert "3.0 times as fast to fit" in found.sentence

    def test_worse(self):
        found = self.of([0.8, 0.81, 0.79, 0.8, 0.81], [0.9, 0.91, 0.9, 0.92, 0.9])
        assert found.sentence.startswith("Use LinearSVC")
        assert found.recommended == "LinearSVC"

    def test_the_same(self):
        found = self.of([0.9, 0.8, 0.7, 0.9, 0.8], [0.8, 0.9, 0.8, 0.8, 0.8], (3.0, 1.0))
        assert "No significant difference" in found.sentence
        assert "3.0 times slower to fit" in found.sentence
        assert (found.best, found.recommended) == ("ZeroOneClassifier", "ZeroOneClassifier")
        found = self.of([0.9, 0.8, 0.7, 0.9, 0.7], [0.8, 0.9, 0.8, 0.8, 0.8], (1.0, 1.1))
        assert "is about as fast to fit" in found.sentence
        assert (found.best, found.recommended) == ("LinearSVC", "ZeroOneClassifier")

    def test_few_splits_need_larger_differences(self):
        found = verdict(
            comparison(
                folds=2,
                ZeroOneClassifier={"accuracy": np.array([0.5, 0.6])},
                LinearSVC={"accuracy": np.array([0.4, 0.4])},
            )
        )
        assert found.least > 12
        assert "No significant difference" in found.sentence

    def test_differences_without_spread_prove_nothing(self):
        found = self.of([0.9] * 5, [0.8] * 5)
        assert found.t == 0.0
        assert "No significant difference" in found.sentence

    def test_rivals_that_were_stopped(self):
        given = in_accuracy(ZeroOneClassifier=np.ones(5))
        given.stopped.update({"LinearSVC": "stopped", "Slow": "stopped"})
        object.__setattr__(given, "time_limit", 30.0)
        found = verdict(given)
        assert found.best == "ZeroOneClassifier"
        assert found.rival is None
        assert found.sentence == (
            "Use ZeroOneClassifier (1.0000). LinearSVC and Slow were stopped at the time limit of "
            "30 s."
        )

    def test_why_rivals_failed(self):
        given = in_accuracy(ZeroOneClassifier=np.ones(5))
        given.failures["LinearSVC"] = "too few rows"
        with pytest.raises(ValueError, match="LinearSVC: too few rows"):
            verdict(given)

    def test_what_was_not_measured(self):
        given = comparison(metric="auc", ZeroOneClassifier={"accuracy": np.ones(5)})
        with pytest.raises(ValueError, match="AUC could not be measured"):
            verdict(given)


class TestWorseAt:
    def of(self, metric="error", **areas):
        """Return a verdict for contestants of the same accuracy, but other areas."""
        return verdict(
            comparison(
                metric=metric,
                **{
                    name: {
                        "accuracy": around(0.8, 1 - place),
                        "AUC": around(own, 1 - 0.5 * place),
                    }
                    for place, (name, own) in enumerate(areas.items())
                },
            )
        )

    def test_another_of_ours_is_better(self):
        found = self.of(ZeroOneClassifier=0.69, AUCClassifier=0.82, LinearSVC=0.75)
        (weakness,) = found.worse_at
        assert (weakness.metric, weakness.better) == ("AUC", "AUCClassifier")
        assert (weakness.value, weakness.better_value) == pytest.approx((0.69, 0.82))
        assert found.sentences[1] == (
            "In AUC, ZeroOneClassifier (0.6900) is significantly worse than AUCClassifier "
            "(0.8200): use AUCClassifier to rank rows."
        )

    def test_ours_is_named_where_the_rival_is_not_significantly_better(self):
        found = verdict(
            comparison(
                ZeroOneClassifier={"accuracy": around(0.8), "AUC": around(0.69)},
                AUCClassifier={"accuracy": around(0.8), "AUC": around(0.82, -1)},
                LinearSVC={"accuracy": around(0.8, -1), "AUC": around(0.821)},
            )
        )
        assert [own.better for own in found.worse_at] == ["AUCClassifier"]

    def test_the_rival_is_better(self):
        found = verdict(
            comparison(
                ZeroOneClassifier={"accuracy": around(0.8), "AUC": around(0.69, 0.5)},
                AUCClassifier={"accuracy": around(0.8), "AUC": around(0.75)},
                LinearSVC={"accuracy": around(0.8, -1), "AUC": around(0.82, 0.9)},
            )
        )
        assert "worse than LinearSVC (0.8200): use LinearSVC to rank rows." in found.sentences[1]

    def test_a_metric_that_nobody_is_trained_for(self):
        found = verdict(
            comparison(
                ZeroOneClassifier={"accuracy": around(0.8), "balanced error": around(0.41)},
                LinearSVC={"accuracy": around(0.8, -1), "balanced error": around(0.34, 0.5)},
            )
        )
        assert found.sentences[1] == (
            "In balanced error, ZeroOneClassifier (0.4100) is significantly worse than LinearSVC "
            "(0.3400): compare with the metric balanced_error if that matters."
        )

    def test_what_decides_is_not_repeated(self):
        found = self.of(metric="auc", AUCClassifier=0.69, LinearSVC=0.82)
        assert found.worse_at == ()
        assert found.recommended in ("AUCClassifier", "LinearSVC")

    def test_a_recommended_rival_is_examined_too(self):
        found = verdict(
            comparison(
                ZeroOneClassifier={"accuracy": around(0.7), "AUC": around(0.9)},
                LinearSVC={"accuracy": around(0.8, 0.9), "AUC": around(0.8, 0.9)},
            )
        )
        assert found.recommended == "LinearSVC"
        assert "In AUC, LinearSVC (0.8000) is significantly worse than" in found.sentence
        assert "use ZeroOneClassifier to rank rows" in found.sentence

    def test_small_differences_are_not_told(self):
        found = verdict(
            comparison(
                ZeroOneClassifier={"accuracy": around(0.8), "AUC": around(0.8)},
                AUCClassifier={"accuracy": around(0.8), "AUC": around(0.805, -1)},
                LinearSVC={"accuracy": around(0.8, -1), "AUC": around(0.8, -1)},
            )
        )
        assert found.worse_at == ()

    def test_references_are_never_named(self):
        found = verdict(
            comparison(
                ZeroOneClassifier={"accuracy": around(0.8), "AUC": around(0.7)},
                LinearSVC={"accuracy": around(0.8, -1), "AUC": around(0.7, -1)},
                HistGradientBoostingClassifier={"accuracy": around(0.8), "AUC": around(0.9, 0.5)},
            )
        )
        assert found.worse_at == ()


class TestMajority:
    def of(self, majority):
        return in_accuracy(
            ZeroOneClassifier=around(0.8), LinearSVC=around(0.79, -1), MajorityClass=majority
        )

    def test_not_better(self):
        found = verdict(self.of(around(0.795, -1)))
        assert (
            "ZeroOneClassifier is not significantly better than MajorityClass (0.7950), which "
            "predicts the same class for every row."
        ) in found.sentences

    def test_better(self):
        assert "MajorityClass" not in verdict(self.of(around(0.5, 0.5))).sentence

    def test_better_by_the_same_everywhere(self):
        assert "MajorityClass" not in verdict(self.of(around(0.5))).sentence

    def test_it_is_no_rival(self):
        found = verdict(self.of(around(0.99, 0.5)))
        assert found.rival == "LinearSVC"
        assert found.best == "ZeroOneClassifier"


class TestNonlinear:
    def of(self, trees, **more):
        return verdict(
            in_accuracy(
                ZeroOneClassifier=around(0.78),
                LinearSVC=around(0.8, -0.2),
                HistGradientBoostingClassifier=trees,
                **more,
            )
        )

    def test_what_linear_rules_lose(self):
        found = self.of(around(0.8612))
        assert found.sentences[-1] == (
            "HistGradientBoostingClassifier, which is not linear, reaches 0.8612: linear rules "
            "lose 0.0612 in accuracy here, which is significant."
        )
        assert found.rival == "LinearSVC"
        assert found.best == "LinearSVC"

    def test_lower_costs_are_better(self):
        found = verdict(
            comparison(
                metric="cost",
                params={"false_negative_cost": 5},
                ZeroOneClassifier={"cost": around(0.5)},
                LinearSVC={"cost": around(0.52, -1)},
                HistGradientBoostingClassifier={"cost": around(0.3, 0.5)},
            )
        )
        assert "reaches 0.3000: linear rules lose 0.2000 in cost here" in found.sentence

    def test_not_better(self):
        words = "HistGradientBoostingClassifier, which is not linear, is not significantly better"
        assert self.of(around(0.805)).sentences[-1] == f"{words} (0.8050)."
        assert "is significantly worse (0.7000)" in self.of(around(0.7)).sentence

    def test_alone_with_ours(self):
        found = verdict(
            in_accuracy(
                ZeroOneClassifier=around(0.8), HistGradientBoostingClassifier=around(0.9, 0.5)
            )
        )
        assert found.rival is None
        assert found.sentences[0] == "Use ZeroOneClassifier (0.8000)."
        assert "linear rules lose 0.1000" in found.sentences[1]
