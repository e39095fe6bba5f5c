"""The paper's figures on the paper's data, and the original classes of some of its sets."""

import pytest

from evidence.multiclass import split
from evidence.paper_accuracy import ACCURACY, AUC, cross_validated
from paper.datasets.load import load
from paper.datasets.scaling import scale_to_unit
from zerone import ZeroOneClassifier

pytestmark = pytest.mark.data


@pytest.mark.parametrize("name", ACCURACY)
def test_accuracy(name, data_folder):
    X, y = load(name, data_dir=data_folder)
    found = cross_validated(scale_to_unit(X), y, metric="accuracy", solver="exact", repeats=1)
    assert found == pytest.approx(ACCURACY[name], abs=0.006)


@pytest.mark.parametrize("name", AUC)
def test_auc(name, data_folder):
    X, y = load(name, data_dir=data_folder)
    found = cross_validated(scale_to_unit(X), y, metric="AUC", solver="exact", repeats=1)
    assert found == pytest.approx(AUC[name], abs=0.004)


@pytest.mark.parametrize(
    ("name", "least"), [("letter", 0.80), ("satimage", 0.85), ("vowel", 0.70), ("shuttle", 0.95)]
)
def test_several_classes(name, least, data_folder):
    X_train, X_test, y_train, y_test = split(data_folder, name)
    assert ZeroOneClassifier().fit(X_train, y_train).score(X_test, y_test) >= least
