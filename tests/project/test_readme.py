"""The code in the README runs as it stands."""

import re
from pathlib import Path


def test_code_blocks(capsys):
    text = (Path(__file__).parents[2] / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(block, namespace)
    assert namespace["merged"].coef_.shape == (1, 30)
    assert capsys.readouterr().out
