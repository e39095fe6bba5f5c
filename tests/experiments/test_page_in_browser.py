"""The page of results in a real browser: nothing is fetched, nothing complains."""

import json
import shutil

import pytest

pytestmark = pytest.mark.chromium


@pytest.fixture
def browser(tmp_path):
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


def test_no_request_and_no_console_message(browser, tmp_path):
    from zerone.experiments import reproduce

    reproduce(["table1", "table2", "claims"], sets=["data1"], output=tmp_path / "out", quick=True)
    page = (tmp_path / "out" / "index.html").as_uri()
    browser.get("about:blank")
    browser.get_log("performance")  # the browser's own first page is no business of ours
    browser.get(page)
    assert "reproduced by zerone" in browser.title
    assert browser.find_elements("css selector", "table tbody tr")
    assert all(
        browser.execute_script("return arguments[0].naturalWidth", image) > 0
        for image in browser.find_elements("css selector", "img")
    )
    assert browser.get_log("browser") == []
    requested = [
        message["params"]["request"]["url"]
        for entry in browser.get_log("performance")
        if (message := json.loads(entry["message"])["message"])["method"]
        == "Network.requestWillBeSent"
    ]
    outside = [url for url in requested if not url.startswith(("data:", page))]
    assert outside == []
