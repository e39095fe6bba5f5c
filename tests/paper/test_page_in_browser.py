"""The page of results in a real browser: nothing is fetched, nothing complains."""

import pytest
from tests.helpers import requests_of

pytestmark = pytest.mark.chromium


def test_no_request_and_no_console_message(browser, tmp_path):
    from paper.reproduce import reproduce

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
    assert requests_of(browser, page) == []
