"""The report in a real browser: on a desk and on a phone, light and dark."""

import pytest
from sklearn.datasets import load_breast_cancer
from tests.helpers import requests_of

from zerone.comparison._compare import compare_table
from zerone.comparison._report import comparison_report
from zerone.comparison._verdict import verdict

pytestmark = pytest.mark.chromium


@pytest.fixture
def page(tmp_path):
    found = compare_table(load_breast_cancer(as_frame=True).frame, target="target")
    path = tmp_path / "report.html"
    path.write_text(comparison_report(found, verdict(found), title="A report"), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("width", [1600, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_request_no_complaint_and_nothing_cut_off(browser, page, width, scheme):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    browser.get("about:blank")
    browser.get_log("performance")
    browser.get(page)
    assert browser.title == "A report"
    assert browser.get_log("browser") == []
    assert requests_of(browser, page) == []
    size = "return [document.documentElement.scrollWidth, window.innerWidth]"
    scrolled, inner = browser.execute_script(size)
    assert inner == width
    assert scrolled <= width
    colour = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (colour == "rgb(255, 255, 255)") == (scheme == "light")
    charts = browser.find_elements("css selector", "svg[role=img]")
    assert len(charts) == 11
    for chart in charts:
        assert 200 < chart.size["width"] <= width
        assert chart.get_attribute("aria-label")


def test_tables_are_sorted_by_a_click(browser, page):
    browser.get(page)
    button = browser.find_elements("css selector", "th button")[1]

    def column():
        table = browser.find_element("css selector", "table")
        cells = table.find_elements("css selector", "tbody td:nth-child(2)")
        return [float(cell.text.split()[0]) for cell in cells]

    before = column()
    browser.execute_script("arguments[0].click()", button)
    assert column() == sorted(before)
    browser.execute_script("arguments[0].click()", button)
    assert column() == sorted(before, reverse=True)
