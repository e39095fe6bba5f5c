"""Digits with leading zeros are codes, in CSV as in memory."""

import pandas as pd
import pytest

from zerone import Encoding, ZeroOneClassifier

FRAME = pd.DataFrame(
    {"zip": ["01067", "10115", "80331"] * 20, "n": [3, 0, 10] * 20, "y": [0, 1, 1, 0] * 15}
)


@pytest.mark.usefixtures("small_parts")
def test_codes_are_categories_and_stay_so_in_prediction(tmp_path):
    path = tmp_path / "t.csv"
    FRAME.to_csv(path, index=False)
    expected = ("zip=01067", "zip=10115", "zip=80331", "n")
    assert Encoding.from_table(path, target="y").feature_names == expected
    assert Encoding.from_table(FRAME, target="y").feature_names == expected
    model = ZeroOneClassifier(refine=None).fit_table(path, target="y")
    # A file in which no code has a zero in front is read in the same way.
    FRAME[FRAME["zip"] != "01067"].to_csv(tmp_path / "new.csv", index=False)
    new = next(model.predict_batches(tmp_path / "new.csv", method="decision_function"))
    assert new[0] == model.decision_function(FRAME[1:2])[0]


def test_numbers_and_labels_stay_what_they_are(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,z,y\n" + "0,0.5,01\n10,00.5,1\n3,2,00\n" * 10)
    encoding = Encoding.from_table(path, target="y")
    assert encoding.feature_names == ("x", "z")
    strict = Encoding.from_table(path, columns=["y"], strict=True)
    assert strict.feature_names == ("y",)
