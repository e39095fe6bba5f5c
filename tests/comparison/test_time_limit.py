"""Rivals that take too long, crash, or cannot be run in a process of their own."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from zerone import ZeroOneClassifier
from zerone.comparison import Contestant, compare_table, comparison_report, verdict
from zerone.comparison import _child as child
from zerone.comparison import _outcomes as outcomes

ROOT = Path(__file__).parents[2]
OURS = Contestant("ZeroOneClassifier", lambda: ZeroOneClassifier(refine=None), role="ours")
LOGISTIC = Contestant("logistic", LogisticRegression)


class Scored(DummyClassifier):
    def decision_function(self, X):
        return np.zeros(len(X))


class Sleeping(Scored):
    def fit(self, X, y, sample_weight=None):
        time.sleep(600)


class Leaving(Scored):
    """Starts a process, tells its id, and sleeps."""

    def __init__(self, path=None):
        super().__init__()
        self.path = path

    def fit(self, X, y, sample_weight=None):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(self.path).write_text(f"{os.getpid()} {child.pid}")
        time.sleep(600)


class Crashing(Scored):
    def fit(self, X, y, sample_weight=None):
        os._exit(3)


class Printing(Scored):
    def fit(self, X, y, sample_weight=None):
        print("printed by Python")
        os.system("echo printed by another program")
        return super().fit(X, y)


class NotWrittenError(Exception):
    """An exception that cannot be pickled."""

    def __init__(self):
        super().__init__("no")
        self.lock = threading.Lock()


class Wrong(Scored):
    def __init__(self, error=None):
        super().__init__()
        self.error = error

    def fit(self, X, y, sample_weight=None):
        raise self.error()


class Locked(Scored):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()


def is_alive(process_id):
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    # A zombie has ended, too; in a container nobody may collect it.
    status = Path(f"/proc/{process_id}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def ends(process_id, seconds=20.0):
    until = time.monotonic() + seconds
    while is_alive(process_id) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_alive(process_id)


@pytest.fixture
def numbers(rng):
    X = rng.normal(size=(120, 3))
    y = X[:, 0] + rng.normal(size=120) > 0
    return pd.DataFrame(X, columns=list("abc")).assign(y=np.where(y, "up", "down"))


def compared(source, *rivals, **options):
    return compare_table(source, target="y", contestants=(OURS, *rivals), folds=3, **options)


def test_the_same_as_in_this_process(numbers):
    apart = compared(numbers, LOGISTIC)
    here = compared(numbers, LOGISTIC, time_limit=np.inf)
    assert (apart.time_limit, here.time_limit) == (30.0, np.inf)
    for metric in ("accuracy", "AUC", "balanced error"):
        np.testing.assert_array_equal(
            apart.metrics["logistic"][metric], here.metrics["logistic"][metric]
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "params"),
    [("auc", {}), ("f1", {}), ("average_precision", {}), ("precision_at_k", {"k": 0.1}),
     ("true_positive_rate", {"max_false_positive_rate": 0.1})],
)  # fmt: skip
def test_every_metric_reaches_the_process(metric, params, numbers):
    found = compare_table(
        numbers,
        target="y",
        folds=3,
        rivals=["LinearDiscriminantAnalysis", "MajorityClass"],
        metric=metric,
        metric_params=params,
    )
    assert found.deciding in found.metrics["LinearDiscriminantAnalysis"]
    assert found.deciding in found.metrics["MajorityClass"]
    assert not found.failures


@pytest.mark.slow
def test_a_rival_that_takes_too_long_is_stopped(numbers, tmp_path):
    sleeping = Contestant("sleeping", Sleeping)
    leaving = Contestant("leaving", lambda: Leaving(tmp_path / "ids"))
    began = time.monotonic()
    found = compared(numbers, sleeping, leaving, LOGISTIC, time_limit=2.0)
    assert time.monotonic() - began < 60
    assert list(found.metrics) == ["ZeroOneClassifier", "logistic"]
    assert found.stopped == dict.fromkeys(
        ["sleeping", "leaving"], "stopped at its time limit of 2 s, after 0 of 3 splits"
    )
    assert not found.failures
    assert found.time_limit == 2.0
    ids = [int(text) for text in (tmp_path / "ids").read_text().split()]
    assert all(ends(own) for own in ids)
    decided = verdict(found)
    assert decided.sentence.endswith("sleeping and leaving were stopped at the time limit of 2 s.")
    page = comparison_report(found, decided, title="t")
    assert "sleeping was stopped at its time limit of 2 s, after 0 of 3 splits." in page


def test_the_limit_holds_for_trees(numbers):
    found = compare_table(
        numbers, target="y", rivals=["HistGradientBoostingClassifier"], time_limit=1e-3
    )
    assert list(found.stopped) == ["HistGradientBoostingClassifier"]
    assert verdict(found).sentences[-1] == (
        "HistGradientBoostingClassifier was stopped at the time limit of 0.001 s."
    )


@pytest.mark.slow
def test_the_limit_is_for_all_splits(numbers):
    class Slow(Scored):
        def fit(self, X, y, sample_weight=None):
            time.sleep(0.7)
            return super().fit(X, y)

    found = compared(numbers, Contestant("slow", Slow), time_limit=1.0)
    assert found.stopped == {"slow": "stopped at its time limit of 1 s, after 1 of 3 splits"}
    page = comparison_report(found, verdict(found), title="t")
    assert "slow was stopped" in page
    assert "Corrected t" not in page


def test_the_default_follows_from_our_time(numbers, monkeypatch):
    monkeypatch.setattr(outcomes, "_LEAST_LIMIT", 0.0)
    monkeypatch.setattr(outcomes, "_TIMES_OURS", 1e-3)
    found = compared(numbers, Contestant("sleeping", Sleeping))
    assert "sleeping" in found.stopped
    assert 0 < found.time_limit < 1


def test_a_crash_is_a_failure(numbers):
    found = compared(numbers, Contestant("crashing", Crashing), LOGISTIC)
    assert found.failures == {"crashing": "its process ended with exit code 3"}
    assert "logistic" in found.metrics


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_killed_process_is_a_failure(numbers):
    class Killed(Scored):
        def fit(self, X, y, sample_weight=None):
            os.kill(os.getpid(), signal.SIGKILL)

    found = compared(numbers, Contestant("killed", Killed))
    assert found.failures == {
        "killed": "its process was ended by signal 9, perhaps for want of memory"
    }


@pytest.mark.slow
def test_a_broken_connection_is_a_failure(numbers, monkeypatch):
    class Closing(Scored):
        def fit(self, X, y, sample_weight=None):
            os.closerange(3, 100)
            time.sleep(600)

    monkeypatch.setattr(child, "_LAST_WAIT", 0.1)
    found = compared(numbers, Contestant("closing", Closing), LOGISTIC)
    assert found.failures == {"closing": "its process has broken off the connection"}
    assert "logistic" in found.metrics


def test_prints_do_not_get_between_answers(numbers, capfd):
    found = compared(numbers, Contestant("printing", Printing))
    assert "printing" in found.metrics
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "printed by Python" in shown.err
    assert "printed by another program" in shown.err


@pytest.mark.slow
def test_errors_come_back(numbers):
    found = compared(numbers, Contestant("wrong", lambda: Wrong(ValueError)))
    assert found.failures == {"wrong": "ValueError"}
    with pytest.raises(AttributeError) as caught:
        compared(numbers, Contestant("wrong", lambda: Wrong(AttributeError)))
    assert "raised by the rival wrong" in caught.value.__notes__[0]
    assert "in fit" in caught.value.__notes__[0]
    with pytest.raises(RuntimeError, match="NotWrittenError: no"):
        compared(numbers, Contestant("wrong", lambda: Wrong(NotWrittenError)))


class TestRivalsThatStayHere:
    @pytest.fixture
    def locked(self):
        lock = threading.Lock()

        def make():
            with lock:
                return Scored()

        return Contestant("locked", make)

    def test_a_warning_by_default(self, locked, numbers):
        with pytest.warns(UserWarning, match=r"locked is run without a time limit.*pickle"):
            found = compared(numbers, locked, LOGISTIC)
        assert set(found.metrics) == {"ZeroOneClassifier", "locked", "logistic"}

    def test_an_error_if_a_limit_was_asked_for(self, locked, numbers):
        with pytest.raises(ValueError, match="time_limit: locked cannot be run in a process"):
            compared(numbers, locked, time_limit=60)

    def test_classes_that_only_exist_here(self, numbers, monkeypatch):
        module = type(sys)("only_here")
        monkeypatch.setitem(sys.modules, "only_here", module)
        exec("from sklearn.linear_model import LogisticRegression as Own", module.__dict__)
        exec("class Own(Own): pass", module.__dict__)
        with pytest.warns(UserWarning, match=r"own is run without .*No module named 'only_here'"):
            found = compared(numbers, Contestant("own", module.Own))
        assert "own" in found.metrics

    @pytest.mark.parametrize("executable", ["", "no such program"])
    def test_without_an_interpreter(self, executable, numbers, monkeypatch):
        monkeypatch.setattr(sys, "executable", executable)
        with pytest.warns(UserWarning, match="logistic is run without a time limit"):
            found = compared(numbers, LOGISTIC)
        assert "logistic" in found.metrics


# No guard of the main module, and classes of the script itself.
SCRIPT = """
import os, time
import numpy as np, pandas as pd
from sklearn.dummy import DummyClassifier
from zerone import ZeroOneClassifier
from zerone.comparison import Contestant, compare_table

class Own(DummyClassifier):
    def fit(self, X, y):
        if told := os.environ.get("TOLD"):
            open(told, "w").write(str(os.getpid()))
            time.sleep(600)
        return super().fit(X, y)

    def decision_function(self, X):
        return np.zeros(len(X))

def own():
    return Own()

x = np.random.default_rng(0).normal(size=(90, 2))
frame = pd.DataFrame(x, columns=["a", "b"]).assign(y=np.where(x[:, 0] > 0, "u", "v"))
ours = Contestant("ZeroOneClassifier", ZeroOneClassifier, role="ours")
found = compare_table(frame, target="y", contestants=[ours, Contestant("own", own)], time_limit=90)
print(sorted(found.metrics))
"""


@pytest.mark.slow
class TestScripts:
    @pytest.fixture
    def started(self, tmp_path):
        """Start the script, with a rival that tells its process and sleeps."""
        script, told = tmp_path / "script.py", tmp_path / "id"
        script.write_text(SCRIPT)
        process = subprocess.Popen(
            [sys.executable, script],
            env=os.environ | {"TOLD": str(told)},
            stderr=subprocess.PIPE,
            text=True,
        )
        until = time.monotonic() + 60
        while not (told.exists() and told.read_text()) and time.monotonic() < until:
            time.sleep(0.05)
        yield process, int(told.read_text())
        process.kill()
        process.wait()

    def test_no_guard_is_needed(self, tmp_path):
        script = tmp_path / "script.py"
        script.write_text(SCRIPT)
        command = [sys.executable, script]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout == "['ZeroOneClassifier', 'own']\n"
        assert done.stderr == ""

    @pytest.mark.skipif(os.name == "nt", reason="signals")
    def test_interrupts_end_everything_at_once(self, started):
        process, child = started
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=20)[1]
        assert ends(child)

    @pytest.mark.skipif(os.name == "nt", reason="signals")
    def test_nothing_outlives_a_killed_comparison(self, started):
        process, child = started
        process.kill()
        process.communicate()
        assert ends(child)
