"""Whatever way a table is written in, it is read at the first try, and as the same rows."""

import numpy as np
import pandas as pd
import pytest

from evidence.rewritten_tables import VARIANTS, tried

pytestmark = pytest.mark.data


def test_every_way(data_folder):
    path = data_folder / "tables" / "churn.csv.xz"
    if not path.exists():
        pytest.skip("no tables among the benchmark data")
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""])[:3000]
    found = {name: (why, difference) for name, why, difference in tried(frame)}
    assert {name: why for name, (why, _) in found.items() if why is not None} == {}
    assert found.keys() == VARIANTS.keys()
    differences = [own for _, own in found.values() if not np.isnan(own)]
    assert len(differences) == len(VARIANTS) - 3
    assert max(differences) < 1e-6
