"""One adapter per competitor: scikit-learn's classifiers at their defaults, and zerone."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from paper.baselines.pairwise_hinge import PairwiseHingeClassifier
from zerone import AUCClassifier, Moments, ZeroOneClassifier

ZERONE = "ZeroOneClassifier(refine=None)"
DEFAULT = "ZeroOneClassifier()"
ZERONE_FRONTIER = 'ZeroOneClassifier(refine="frontier")'
ZERONE_AUC = "AUCClassifier(refine=None)"
LOGISTIC = "LogisticRegression"
LDA_LSQR = "LDA(lsqr)"
LDA_SVD = "LDA(svd)"
RIDGE = "RidgeClassifier"
NAIVE_BAYES = "GaussianNB"
LINEAR_SVC = "LinearSVC"
NEWTON = "LogisticRegression(newton-cholesky)"
SGD = "SGDClassifier"
HINGE = "PairwiseHingeClassifier"

# Not zerone's own name: `benchmarks.compare` imports old versions, too.
FitMetric: TypeAlias = Literal["error", "auc"]


@dataclass(frozen=True)
class Adapter:
    """A classifier that takes part in the fits.

    Attributes
    ----------
    make : callable
        Number of workers -> unfitted classifier. Rivals have none; BLAS has their threads.
    targets : tuple of "error" and "auc"
        What it is compared for.
    is_required : bool
        Whether it gets all rounds in every case, and is timed with two threads, too.
    """

    name: str
    make: Callable[[int], Any]
    targets: tuple[FitMetric, ...] = ("error",)
    takes_sparse: bool = True
    is_ours: bool = False
    is_required: bool = True


ADAPTERS = (
    Adapter(ZERONE, lambda jobs: ZeroOneClassifier(refine=None, n_jobs=jobs), is_ours=True),
    Adapter(
        ZERONE_FRONTIER,
        lambda jobs: ZeroOneClassifier(refine="frontier", n_jobs=jobs),
        is_ours=True,
    ),
    Adapter(
        DEFAULT,
        lambda jobs: ZeroOneClassifier(n_jobs=jobs),
        is_ours=True,
        is_required=False,
    ),
    Adapter(
        ZERONE_AUC,
        lambda jobs: AUCClassifier(refine=None, n_jobs=jobs),
        targets=("auc",),
        is_ours=True,
    ),
    Adapter(LOGISTIC, lambda _: LogisticRegression()),
    Adapter(NEWTON, lambda _: LogisticRegression(solver="newton-cholesky"), is_required=False),
    Adapter(LDA_LSQR, lambda _: LinearDiscriminantAnalysis(solver="lsqr"), takes_sparse=False),
    Adapter(LDA_SVD, lambda _: LinearDiscriminantAnalysis(solver="svd"), takes_sparse=False),
    Adapter(RIDGE, lambda _: RidgeClassifier()),
    Adapter(NAIVE_BAYES, lambda _: GaussianNB(), takes_sparse=False),
    Adapter(LINEAR_SVC, lambda _: LinearSVC(random_state=0), is_required=False),
    Adapter(SGD, lambda _: SGDClassifier(random_state=0), is_required=False),
    Adapter(HINGE, lambda _: PairwiseHingeClassifier(random_state=0), targets=("auc",)),
)

BY_NAME = {adapter.name: adapter for adapter in ADAPTERS}


def reads_with_workers() -> bool:
    """Whether the zerone at hand, which may be an old one, reads rows with several threads."""
    return "n_jobs" in inspect.signature(Moments.from_data).parameters
