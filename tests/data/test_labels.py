import numpy as np
import pandas as pd
import pytest

from zerone._data.labels import read_labels, sorted_classes


def both(*arguments, **options):
    labels = read_labels(*arguments, **options)
    return labels.classes, labels.codes()


@pytest.mark.parametrize(
    "y",
    [
        [2, 0, 2, 1],
        ["c", "a", "c", "b"],
        np.array(["c", "a", "c", "b"], dtype=object),
        pd.Series(["c", "a", "c", "b"], dtype="category"),
        pd.Series(["c", "a", "c", "b"]),
        [0.5, -1.0, 0.5, 0.0],
        np.array([[2], [0], [2], [1]]),
    ],
)
def test_classes_are_sorted_and_codes_point_to_them(y):
    classes, codes = both(y)
    assert codes.tolist() == [2, 0, 2, 1]
    assert classes[codes].tolist() == np.asarray(y).reshape(-1).tolist()


def test_bools():
    classes, codes = both([True, False])
    assert classes.tolist() == [False, True]
    assert codes.tolist() == [1, 0]


def test_given_classes_may_be_absent_and_unsorted():
    classes, codes = both(["b", "b"], classes=["c", "b", "a"])
    assert classes.tolist() == ["a", "b", "c"]
    assert codes.tolist() == [1, 1]


def test_a_label_outside_the_given_classes_is_named():
    with pytest.raises(ValueError, match=r"label 'z'.*classes=\['a', 'b'\]"):
        read_labels(["a", "z"], classes=["a", "b"])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array([1.0, np.nan]), "NaN"),
        ([1.0, np.nan], "missing"),
        (["a", float("nan")], "missing"),
        (["a", 1], "different types"),
        (np.array(["a", None], dtype=object), "missing"),
        (np.array(["a", np.nan], dtype=object), "missing"),
        (pd.array([1, None], dtype="Int64"), "NaN"),
        (np.array([1, "a"], dtype=object), "different types"),
        (np.zeros((2, 2)), "one label per row"),
    ],
)
def test_bad_labels(y, message):
    with pytest.raises(ValueError, match=message):
        read_labels(y)


def test_a_class_named_twice():
    with pytest.raises(ValueError, match="twice"):
        sorted_classes([1, 1])
