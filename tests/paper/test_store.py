from paper.store import Store


def test_results_survive(tmp_path):
    path = tmp_path / "deep" / "results.jsonl"
    store = Store(path)
    store.add("a/1", {"value": 1.5})
    store.add("a/2", {"value": 2.5})
    store.add("b/1", {"value": 3.5})
    again = Store(path)
    assert len(again) == 3
    assert "a/1" in again
    assert "a/3" not in again
    assert again["a/2"] == {"value": 2.5}
    assert again.matching("a/") == [{"value": 1.5}, {"value": 2.5}]


def test_a_line_cut_short_is_written_over(tmp_path):
    path = tmp_path / "results.jsonl"
    store = Store(path)
    store.add("a", {"value": 1})
    complete = path.read_bytes()
    path.write_bytes(complete + b'{"key": "b", "val')
    resumed = Store(path)
    assert "b" not in resumed
    resumed.add("b", {"value": 2})
    assert Store(path)["a"] == {"value": 1}
    assert Store(path)["b"] == {"value": 2}
    path.write_bytes(b'{"key": "c"')
    assert len(Store(path)) == 0
