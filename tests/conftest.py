"""What all tests share: hypothesis settings, data, small tables, and `--no-skips`."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from tests.helpers import make_table

from zerone._data.readers import parquet as _parquet
from zerone._data.readers import stream as _stream
from zerone._data.readers import text_pieces as _text_pieces

# Pictures are drawn to memory, wherever the tests run.
os.environ.setdefault("MPLBACKEND", "Agg")

# Timings say nothing on a busy machine, and a failure must be the same on every run of CI.
settings.register_profile(
    "zerone",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("zerone")


def pytest_addoption(parser):
    parser.addoption("--no-skips", action="store_true", help="treat a skipped test as a failed one")


def pytest_sessionfinish(session, exitstatus):
    if not session.config.getoption("--no-skips") or exitstatus != 0:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def rng(request):
    """A generator seeded by the test's name: the same numbers whatever the order."""
    return np.random.default_rng(list(request.node.nodeid.encode()))


@pytest.fixture(scope="session")
def data_folder():
    """The folder of benchmark data sets; the test is skipped where there is none."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ZERONE_DATA", beside))
    if not folder.is_dir():
        pytest.skip("no benchmark data: set ZERONE_DATA to its folder")
    return folder


@pytest.fixture
def table(rng):
    """A table with columns of every kind."""
    return make_table(rng)


@pytest.fixture
def small_parts(monkeypatch):
    """Read seven rows, or so many bytes, at a time."""
    for module in (_parquet, _stream):
        monkeypatch.setattr(module, "rows_per_part", lambda n_columns: 7)
    monkeypatch.setitem(_text_pieces.text_pieces.__kwdefaults__, "size", 100)


@pytest.fixture
def browser(tmp_path):
    """A real browser without a window."""
    selenium = pytest.importorskip("selenium.webdriver")
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        pytest.skip("no chromium and chromedriver on this machine")
    options = selenium.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1200,900",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = selenium.ChromeService(shutil.which("chromedriver"))
    driver = selenium.Chrome(options=options, service=service)
    yield driver
    driver.quit()
