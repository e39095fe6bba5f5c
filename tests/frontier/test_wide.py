"""Wide data: memory stays far below a d x d matrix."""

import pytest

from evidence.wide import additional_memory, write_dense, write_imdb

# One 20,000 x 20,000 matrix takes 3,052 MiB, one 35,005 x 35,005 matrix 9,349 MiB.


@pytest.mark.slow
def test_dense_rows_without_a_matrix_of_the_features(tmp_path):
    write_dense(tmp_path / "rows.npz")
    extra, _, accuracy = additional_memory(str(tmp_path / "rows.npz"), "dense")
    assert extra < 1000
    assert accuracy > 0.9


@pytest.mark.data
def test_imdb(data_folder, tmp_path):
    write_imdb(data_folder, tmp_path / "rows.npz")
    extra, _, accuracy = additional_memory(str(tmp_path / "rows.npz"), "sparse")
    assert extra < 500
    assert accuracy > 0.93
