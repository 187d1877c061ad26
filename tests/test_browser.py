"""Pages in a real browser: Debian's chromium, driven through WebDriver; `make test-browser`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import HOSTILE, write_hostile_page, write_long_page

from dialogue_builders import build, view
from dialogue_builders.page import write

pytestmark = pytest.mark.browser

SOUP = "t_f5a1e78d-40c3-4962-a85b-b9d27e6c0f13"
CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
WIDTHS = (390, 900, 1400)
WAIT_SECONDS = 60


def require(is_there: bool, problem: str) -> None:
    """Skip where something is missing; fail where CI says that it must be there."""
    if not is_there:
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail(problem)
        pytest.skip(f"{problem}; `make test-browser` runs this")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    require(Path(CHROMIUM).exists() and Path(DRIVER).exists(), "chromium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, sample_folder: Path) -> dict[str, Path]:
    """A page of each corpus's sample."""
    folder = tmp_path_factory.mktemp("pages")
    diamante = build("diamante", folder / "built", sample=True).folder
    return {
        "topical_chat": view(sample_folder, folder / "topical_chat.html").page,
        "diamante": view(diamante, folder / "diamante.html", accept_terms=True).page,
    }


Open = Callable[..., Any]


@pytest.fixture
def opened(browser: Any) -> Open:
    """Open a page from the disk; wait until it says that it is ready."""

    def open_page(page: Path, address: str = "", width: int = 1400, theme: str = "light") -> Any:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        media = {"media": "", "features": [{"name": "prefers-color-scheme", "value": theme}]}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        browser.get("about:blank")
        browser.get_log("browser")
        browser.get(f"{page.as_uri()}{address}")
        wait(browser, "return document.documentElement.dataset.ready")
        return browser

    return open_page


def wait(browser: Any, script: str) -> Any:
    """Return what a script returns, once that is something."""
    end = time.monotonic() + WAIT_SECONDS
    while not (found := browser.execute_script(script)):
        assert time.monotonic() < end, script
        time.sleep(0.02)
    return found


def texts(browser: Any, selector: str) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)"
    found: list[str] = browser.execute_script(script, selector)
    return found


def type_into(browser: Any, selector: str, text: str) -> None:
    script = """const each = document.querySelector(arguments[0]); each.value = arguments[1];
        each.dispatchEvent(new Event("input", {bubbles: true}))"""
    browser.execute_script(script, selector, text)


def press(browser: Any, key: str) -> None:
    script = """document.activeElement.dispatchEvent(
        new KeyboardEvent("keydown", {key: arguments[0], bubbles: true}))"""
    browser.execute_script(script, key)


def test_it_opens_from_a_file_and_asks_for_nothing_else(
    pages: dict[str, Path], opened: Open
) -> None:
    for page in pages.values():
        browser = opened(page)
        assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
        assert browser.get_log("browser") == []
        assert len(texts(browser, "#entries a")) in (20, 22)
        assert texts(browser, ".turn .said .text")


def test_an_address_leads_to_a_turn_and_marks_what_it_cites(
    pages: dict[str, Path], opened: Open
) -> None:
    browser = opened(pages["topical_chat"], f"#{SOUP}/2")
    assert texts(browser, ".turn[aria-current] .said .text") == [
        "A week of leeks. Do they still eat it from hats?"
    ]
    (cited,) = texts(browser, ".section.cited")
    assert "Soup is a dish that is mostly water and partly patience." in cited
    assert "not at hand · t3_zzsoup01" in cited
    assert "Configuration B: " in texts(browser, ".about")[0]
    browser.execute_script(f"location.hash = '{SOUP}/3'")
    wait(browser, "return document.querySelector('#turn-3[aria-current]')")
    assert "AS1" in texts(browser, ".section.cited summary")[0]


def test_an_address_that_leads_nowhere_is_told(pages: dict[str, Path], opened: Open) -> None:
    for address in ("#t_none/3", "#%E0%A4%A/2", f"#{SOUP}/999"):
        browser = opened(pages["topical_chat"], address)
        (problem,) = texts(browser, "#problem")
        assert bool(problem) == (SOUP not in address)


def test_differing_words_are_marked(pages: dict[str, Path], opened: Open) -> None:
    browser = opened(pages["topical_chat"], f"#{SOUP}")
    assert texts(browser, "#turn-1 .difference") == ["soap!"]
    assert texts(browser, "#turn-2 .difference") == ["leaks."]


def test_candidates_of_a_reply_and_pairs_on_demand(pages: dict[str, Path], opened: Open) -> None:
    browser = opened(pages["diamante"], "?lang=en#dialogue-00000//train")
    assert texts(browser, "#turn-1 .marked .text") == ["形状不要紧，好吃就行！"]
    assert texts(browser, "#turn-1 .badge") == ["nearest"]
    assert texts(browser, "#turn-2 .badge") == ["chosen"]
    states = "return [...document.querySelectorAll('#turn-1 details')].map((each) => each.open)"
    assert browser.execute_script(states) == [True, False]


@pytest.mark.parametrize(
    ("name", "query", "count"),
    [("topical_chat", "EAT IT FROM HATS?", 1), ("diamante", "包饺子", 1)],
)
def test_the_full_text_is_searched(
    name: str, query: str, count: int, pages: dict[str, Path], opened: Open
) -> None:
    browser = opened(pages[name], "?lang=en")
    type_into(browser, "#query", query)
    wait(browser, f"return document.querySelectorAll('#entries a').length === {count}")
    assert texts(browser, "#count")[0].startswith(f"{count} of ")
    type_into(browser, "#query", "no such words 无此文字")
    wait(browser, "return document.querySelectorAll('#entries a').length === 0")
    assert texts(browser, "#count") == ["nothing fits"]


def test_conversations_are_filtered(pages: dict[str, Path], opened: Open) -> None:
    browser = opened(pages["topical_chat"])
    names = texts(browser, "#facets label")
    assert {"split", "config", "entity", "topic", "sentiment", "turn_rating", "turns"} <= {*names}
    number = names.index("entity")
    type_into(browser, f"#facet-{number}", '["entity","Soup"]')
    wait(browser, "return document.querySelectorAll('#entries a').length < 20")
    assert any(SOUP in text for text in texts(browser, "#entries a"))
    type_into(browser, "#least", "6")
    wait(browser, f"return !document.querySelector('#entries a[href*=\"{SOUP}\"]')")


def test_the_keyboard_leads_from_turn_to_turn(pages: dict[str, Path], opened: Open) -> None:
    browser = opened(pages["topical_chat"], f"#{SOUP}")
    for key, turn in (("j", 0), ("j", 1), ("k", 0)):
        press(browser, key)
        wait(browser, f"return document.activeElement.id === 'turn-{turn}'")
        assert browser.execute_script("return location.hash") == f"#{SOUP}/{turn}"
    press(browser, "n")
    wait(browser, f"return !location.hash.includes('{SOUP}')")
    press(browser, "p")
    wait(browser, f"return location.hash === '#{SOUP}'")
    press(browser, "/")
    assert browser.execute_script("return document.activeElement.id") == "query"


def test_both_languages(pages: dict[str, Path], opened: Open) -> None:
    browser = opened(pages["topical_chat"], f"?lang=zh#{SOUP}")
    assert browser.execute_script("return document.documentElement.lang") == "zh"
    assert "配置 B" in texts(browser, ".about")[0]
    assert "情绪" in texts(browser, "#facets label")
    browser.execute_script("document.getElementById('language').click()")
    assert texts(browser, "#list label")[0] == "Search"
    browser = opened(pages["diamante"])
    assert texts(browser, "#list label")[0] == "搜索"
    assert "修改" in texts(browser, ".labels li")
    assert any("相似度 0.59，共 3 个候选" in text for text in texts(browser, ".labels li"))


def test_hostile_text_stays_text(tmp_path: Path, opened: Open) -> None:
    browser = opened(write_hostile_page(tmp_path / "hostile.html"))
    assert browser.execute_script("return window.hacked ?? null") is None
    assert browser.get_log("browser") == []
    said = texts(browser, ".turn .said .text")
    assert said[:3] == list(HOSTILE[:3])
    assert said[3] == "right to left U+202E override U+2066 isolate"
    assert said[4] == "NUL U+0000 bell U+0007 escape U+001B[31m"
    assert browser.execute_script("return document.images.length") == 0
    wide = "return document.documentElement.scrollWidth > innerWidth"
    for width in WIDTHS:
        browser = opened(tmp_path / "hostile.html", width=width)
        assert not browser.execute_script(wide), width
    # Even a script that got into the page would not run.
    browser.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.hacked = 2';"
        "document.body.append(s)"
    )
    assert browser.execute_script("return window.hacked ?? null") is None


def test_very_many_turns(tmp_path: Path, opened: Open) -> None:
    browser = opened(write_long_page(tmp_path / "long.html", 100_000), "#long/99999")
    assert texts(browser, ".turn[aria-current] .said .text") == ["turn number 99999"]
    assert len(texts(browser, ".turn")) <= 400


def test_an_index_leads_to_its_pages(
    sample_folder: Path, tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "MOST_CONVERSATIONS", 4)
    index = view(sample_folder, tmp_path / "all.html").page
    browser = opened(index)
    assert len(texts(browser, "#entries a")) == 20
    browser.get("about:blank")
    browser.get(f"{index.as_uri()}#{SOUP}/2")
    wait(browser, "return location.pathname.includes('all_pages/')")
    wait(browser, "return document.querySelector('#turn-2[aria-current]')")


def test_what_may_not_be_published_is_marked(pages: dict[str, Path], opened: Open) -> None:
    (banner,) = texts(opened(pages["diamante"], "?lang=en"), "#restrictions")
    assert banner.startswith("May not simply be published: Diamante is given out")
    hidden = "return document.getElementById('restrictions').hidden"
    assert opened(pages["topical_chat"]).execute_script(hidden)


def test_it_prints_the_conversation_and_no_controls(pages: dict[str, Path], opened: Open) -> None:
    browser = opened(pages["topical_chat"], f"#{SOUP}")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
    assert browser.execute_script(shown, "#list") == "none"
    assert browser.execute_script(shown, "#dialogue") == "block"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["topical_chat", "diamante"])
def test_axe_finds_no_barrier(name: str, theme: str, pages: dict[str, Path], opened: Open) -> None:
    require("AXE_CORE" in os.environ, "AXE_CORE does not say where axe.min.js lies")
    axe = Path(os.environ["AXE_CORE"]).read_text("utf-8")
    address = f"#{SOUP}/2" if name == "topical_chat" else "#dialogue-00000/2/train"
    for width in WIDTHS:
        browser = opened(pages[name], address, width, theme)
        browser.execute_script("document.getElementById('more').open = true")
        browser.execute_script(axe)
        found = browser.execute_async_script(
            "const done = arguments[0]; axe.run().then((result) => done(result.violations.map("
            "(v) => [v.id, v.nodes.map((n) => n.html.slice(0, 200) + n.failureSummary)])))"
        )
        assert found == [], width


@pytest.mark.real_data
def test_the_size_and_the_time_of_a_real_split_are_reported(
    real_folder: Path, tmp_path: Path, opened: Open, capsys: pytest.CaptureFixture[str]
) -> None:
    report = view(real_folder, tmp_path / "real.html", split="test_freq")
    assert report.conversations == 539
    times = []
    for _ in range(3):
        browser = opened(report.page)
        times.append(int(browser.execute_script("return document.documentElement.dataset.ready")))
    with capsys.disabled():
        print(f"\nview: 539 conversations, {report.size:,} bytes, ready after {sorted(times)} ms")
