"""The section of a report that says how many columns are enough."""

import numpy as np
import pytest
from tests.estimators.test_max_features import rows_of_ten

from zerone.comparison._column_path import add_column_path
from zerone.comparison._page import Page
from zerone.comparison._rows import Part, Split


@pytest.mark.parametrize("is_ranking", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_columns_that_matter_are_named(is_ranking, n_classes, rng):
    part = Part(*rows_of_ten(rng, 600, n_classes))
    page = Page("title", "headline", "facts")
    add_column_path(page, Split(part, part, None), is_ranking=is_ranking)
    [heading, picture] = page.parts
    assert "How many columns are enough?" in heading
    assert "feature 2, feature 5, feature 7" in picture
    assert ("AUC" if is_ranking else "error") in picture


def test_few_columns_and_rare_classes_have_no_picture(rng):
    X, y = rows_of_ten(rng, 100)
    page = Page("title", "headline", "facts")
    for rows in (Part(X[:, :2], y), Part(X, np.arange(100) < 2)):
        add_column_path(page, Split(rows, rows, None), is_ranking=False)
    assert page.parts == []
