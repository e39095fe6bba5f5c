"""The explorer in a real browser: the rules that it finds are those of `retarget`."""

import math
import time

import numpy as np
import pandas as pd
import pytest
from tests.helpers import requests_of

from zerone import ZeroOneClassifier
from zerone.comparison import Recipe
from zerone.comparison._explorer import add_explorer
from zerone.comparison._explorer_data import explorer_data
from zerone.comparison._page import Page

pytestmark = pytest.mark.chromium

RECIPE = Recipe(None, "zerone fit t.csv --target y --output model.zerone", "t.csv")

# Sets a control as a user would, and waits for nothing: the page follows at once.
SET = """
const control = document.querySelector(`[data-part="${arguments[0]}"]`);
control.value = arguments[1];
control.dispatchEvent(new Event("input"));
"""


def overlapping(rng, label=("no", "yes")):
    X = rng.normal(size=(900, 4)) * [1, 2, 1, 1]
    y = X[:, 0] + X[:, 1] * X[:, 2] / 3 + rng.normal(size=900) > 1.0
    frame = pd.DataFrame(X, columns=["a", "b", 'c "quoted"', "d"])
    frame["job"] = np.where(X[:, 3] > 0.5, "cook's", "nurse")
    frame["y"] = np.where(y, label[1], label[0])
    return frame


def written(model, tmp_path):
    page = Page("Explorer", "", "")
    assert add_explorer(page, model, RECIPE)
    path = tmp_path / "explorer.html"
    path.write_text(page.to_html(), encoding="utf-8")
    return path.as_uri()


def set_to(browser, **values):
    for name, value in values.items():
        if name == "limit":
            box = browser.find_element("css selector", '[data-part="has-limit"]')
            if box.is_selected() != (value is not None):
                box.click()
        if value is not None:
            browser.execute_script(SET, f"{name}-box", repr(value))


def number(browser, name):
    found = browser.find_element("css selector", f'[data-part="{name}"]')
    return float(found.get_attribute("data-value"))


def state(browser):
    return browser.execute_script("return {...document.getElementById('explorer').dataset}")


def costs(prevalence, ratio, trained):
    return {
        "false_negative_cost": ratio * prevalence / trained,
        "false_positive_cost": (1 - prevalence) / (1 - trained),
    }


@pytest.mark.parametrize(
    ("positive", "metric"), [(None, "error"), ("no", "error"), ("no", "f1"), (None, "auc")]
)
def test_the_rules_are_those_of_retarget(browser, rng, tmp_path, positive, metric):
    duckdb = pytest.importorskip("duckdb")
    from zerone import AUCClassifier

    kind = AUCClassifier if metric == "auc" else ZeroOneClassifier
    table = overlapping(rng)
    model = kind(metric=metric, positive=positive).fit_table(table, target="y")
    data = explorer_data(model)
    coefs = [own.scored.coef for own in model._kept.scores.columns(0, ("yes", "no"))]
    is_positive = (table["y"] == data["positive"]).to_numpy()
    assert data["counts"] == (is_positive.sum(), (~is_positive).sum())
    trained = data["priors"][0]
    browser.get(written(model, tmp_path))
    directions, limited = set(), 0
    for number_of_point in range(50):
        ratio = float(f"{math.exp(rng.uniform(-4, 4)):.6g}")
        shown = float(f"{rng.uniform(1, 99):.5g}")
        limit = float(f"{rng.uniform(1, 30):.5g}") if number_of_point % 2 else None
        set_to(browser, ratio=ratio, prevalence=shown, limit=limit)
        given = costs(shown / 100, ratio, trained)
        rule = model.retarget("cost", **given)
        found = state(browser)
        missed = float(found["missed"])
        alarms = number(browser, "false-positive-rate")
        if limit is not None and rate_of(model, given) > limit / 100 + 1e-9:
            limited += 1
            rule = model.retarget("true_positive_rate", max_false_positive_rate=limit / 100)
            assert rule.held_out_metric_ == pytest.approx(1 - missed, abs=1e-9)
        else:
            assert rule.held_out_metric_ == pytest.approx(number(browser, "cost"), rel=1e-6)
        direction = int(found["direction"])
        directions.add(direction)
        cosine = coefs[direction] @ rule.coef_[0]
        cosine /= np.linalg.norm(coefs[direction]) * np.linalg.norm(rule.coef_[0])
        assert cosine == pytest.approx(1, abs=1e-9)
        intercept = float(found["intercept"])
        assert intercept == pytest.approx(rule.intercept_[0], rel=1e-6, abs=1e-6)
        weights = data["weights"]["directions"][direction]
        assert number(browser, "weight-0") == pytest.approx(weights[0])
        expected = shown / 100 * ratio * missed + (1 - shown / 100) * alarms
        assert number(browser, "cost") == pytest.approx(expected, rel=1e-6)
        sizes = [shown * 10 * (1 - missed), shown * 10 * missed]
        assert number(browser, "true-positive") == pytest.approx(sizes[0], abs=1e-6)
        assert number(browser, "false-negative") == pytest.approx(sizes[1], abs=1e-6)
        if number_of_point % 10 == 0:
            part = browser.find_element("css selector", '[data-part="sql"]')
            expression = part.get_attribute("textContent")
            predicted = duckdb.query_df(table, "t", f"SELECT {expression} AS p FROM t").df()["p"]
            np.testing.assert_array_equal(predicted, rule.predict(table.drop(columns="y")))
    assert len(directions) > 1
    assert limited > 3


def rate_of(model, given):
    """Return the false-positive rate of the rule for costs, as measured on held-out rows."""
    from zerone.metrics import chosen_metric

    data = explorer_data(model)
    columns = model._kept.scores.columns(0, ("yes", "no"))
    priors = tuple(data["priors"])
    if data["sign"] < 0:
        columns = tuple(own.turned() for own in columns)
    found = [own.best(chosen_metric("cost", given), priors) for own in columns]
    best = min(range(len(columns)), key=lambda own: found[own][0])
    return columns[best].rates_at(found[best][1])[1]


class TestControls:
    @pytest.fixture
    def page(self, browser, rng, tmp_path):
        model = ZeroOneClassifier().fit_table(overlapping(rng), target="y")
        browser.get("about:blank")
        browser.get_log("performance")
        uri = written(model, tmp_path)
        browser.get(uri)
        return uri

    def test_the_keyboard_moves_them(self, browser, page):
        from selenium.webdriver.common.keys import Keys

        assert number(browser, "false-negative") > 0
        # After the link to the section.
        for _ in range(2):
            browser.switch_to.active_element.send_keys(Keys.TAB)
        slider = browser.switch_to.active_element
        assert slider.get_attribute("data-part") == "ratio-slider"
        before = number(browser, "recall")
        for _ in range(50):
            slider.send_keys(Keys.ARROW_RIGHT)
        assert slider.get_attribute("aria-valuetext") == "10 to 1"
        assert number(browser, "recall") > before
        box = browser.find_element("css selector", '[data-part="ratio-box"]')
        assert float(box.get_attribute("value")) == 10
        limit = browser.find_element("css selector", '[data-part="has-limit"]')
        limit.send_keys(Keys.SPACE)
        assert number(browser, "false-positive-rate") <= 0.05
        command = browser.find_element("css selector", '[data-part="command"]')
        given = "--metric true_positive_rate --max-false-positive-rate 0.05 --output"
        assert given in command.get_attribute("textContent")

    def test_the_mouse_moves_them(self, browser, page):
        from selenium.webdriver import ActionChains

        slider = browser.find_element("css selector", '[data-part="prevalence-slider"]')
        mouse = ActionChains(browser).click_and_hold(slider).move_by_offset(60, 0)
        mouse.release().perform()
        sums = number(browser, "true-positive") + number(browser, "false-negative")
        box = browser.find_element("css selector", '[data-part="prevalence-box"]')
        shown = float(box.get_attribute("value"))
        assert sums == pytest.approx(10 * shown, rel=1e-4)
        assert shown > 60

    def test_a_threshold_that_is_moved_by_hand(self, browser, page, rng):
        set_to(browser, ratio=3)
        best, intercept = number(browser, "cost"), float(state(browser)["intercept"])
        set_to(browser, moved=0.5)
        assert number(browser, "cost") > best
        assert float(state(browser)["intercept"]) == pytest.approx(intercept - 0.5)
        told = browser.find_element("css selector", '[data-part="told"]').text
        assert "moved by hand, which costs" in told
        python = browser.find_element("css selector", '[data-part="python"]')
        assert "rule.decision_function(rows) > 0.5" in python.get_attribute("textContent")
        set_to(browser, ratio=4)
        box = browser.find_element("css selector", '[data-part="moved-box"]')
        assert float(box.get_attribute("value")) == 0

    def test_numbers_that_cannot_be_used_change_nothing(self, browser, page):
        before = state(browser)
        for part, value in (("ratio", "-1"), ("ratio", ""), ("prevalence", "100")):
            browser.execute_script(SET, f"{part}-box", value)
            box = browser.find_element("css selector", f'[data-part="{part}-box"]')
            assert box.get_attribute("aria-invalid") == "true"
        assert state(browser) == before

    def test_everything_has_a_name_and_the_result_is_told(self, browser, page):
        for control in browser.find_elements("css selector", "#explorer input"):
            assert control.accessible_name
        status = browser.find_element("css selector", "[aria-live=polite]")
        told = browser.find_element("css selector", '[data-part="told"]')
        wait_for(lambda: status.get_attribute("textContent") == told.text)

    @pytest.mark.parametrize("width", [390, 800, 1600])
    def test_nothing_is_loaded_or_cut_off(self, browser, page, width):
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        set_to(browser, ratio=20, prevalence=10.0, limit=2.0)
        script = "for (const own of document.querySelectorAll('details')) own.open = true"
        browser.execute_script(script)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.get_log("browser") == []
        assert requests_of(browser, page) == []


def test_labels_and_columns_cannot_become_markup(browser, rng, tmp_path):
    labels = ("<img src=x onerror=alert(1)>", "</script><script>document.title='hit'</script>")
    table = overlapping(rng, labels).rename(columns={"a": "<b>'\"&</b></script>"})
    model = ZeroOneClassifier().fit_table(table, target="y")
    page = written(model, tmp_path)
    browser.get(page)
    assert browser.title == "Explorer"
    assert browser.get_log("browser") == []
    assert browser.find_elements("css selector", "main img, main b") == []
    told = browser.find_element("css selector", '[data-part="told"]').text
    # In sorted order the first of both is the negative class.
    assert labels[1] in told or labels[0] in told


def wait_for(condition, seconds=5.0):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)
