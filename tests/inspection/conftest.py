import matplotlib.pyplot as plt
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from zerone import ZeroOneClassifier


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def tumours():
    """Rows and labels: half for the fit, half for measuring."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = y.map({0: "malignant", 1: "benign"})
    return train_test_split(X, labels, test_size=0.5, random_state=0, stratify=labels)


@pytest.fixture(scope="session")
def classifier(tumours):
    """A rule whose positive class is the first one."""
    X, _, y, _ = tumours
    costs = {"false_negative_cost": 10}
    return ZeroOneClassifier(metric="cost", metric_params=costs, positive="benign").fit(X, y)
