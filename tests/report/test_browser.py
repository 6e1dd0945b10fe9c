"""The page in a real browser: drawn, silent, offline, and readable without scripts and on a phone."""

from __future__ import annotations

import shutil

import pytest

from lexicloud.corpus import Corpus
from lexicloud.report import study
from tests.report.stories import library, story

pytestmark = pytest.mark.browser
EVIL = "Salt_<script>window.hurt = 1</script>"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    texts = {**library(3, 15), EVIL: story("Salt", 7, 15)}
    return study(Corpus.from_texts(texts)).save(tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture(scope="module")
def browser():
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("there is no Chromium on this machine: install it to test the page in a browser")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


def open_page(browser, path, **options):
    """Open the page and scroll through it, listening to everything it says and asks for."""
    context = browser.new_context(**options)
    page = context.new_page()
    heard: dict[str, list[str]] = {"console": [], "errors": [], "requests": []}
    page.on("console", lambda message: heard["console"].append(message.text))
    page.on("pageerror", lambda error: heard["errors"].append(str(error)))
    page.on("request", lambda request: heard["requests"].append(request.url))
    page.goto(path.as_uri(), wait_until="load")
    return page, heard


def test_plots_are_drawn_in_silence_and_offline(browser, page_file):
    page, heard = open_page(browser, page_file, viewport={"width": 1300, "height": 900})
    assert page.locator("svg.chart").count() >= 6
    assert page.locator(".lexmap-drawn canvas").count() >= 2
    assert not page.locator(".lexmap-picture").first.is_visible()
    assert heard["requests"] == [page_file.as_uri()]
    assert (heard["console"], heard["errors"]) == ([], [])
    assert page.evaluate("window.hurt") is None
    assert page.locator("summary", has_text=f"{EVIL} →").count() == 1
    page.context.close()


def test_a_text_is_found_on_the_map_and_tells_what_is_near(browser, page_file):
    page, heard = open_page(browser, page_file, viewport={"width": 1300, "height": 900})
    search = page.get_by_label("Find a text on the map")
    search.fill("Gavel_1")
    assert page.get_by_text("1 found").is_visible()
    search.press("Enter")
    assert page.locator(".lexmap [role=status]", has_text="nearest:").first.is_visible()
    page.get_by_role("button", name="Salt").first.click()
    assert page.locator("[aria-pressed=true]").count() == 1
    assert heard["errors"] == []
    page.context.close()


def test_nothing_that_can_be_pressed_stands_inside_a_picture(browser, page_file):
    page, _ = open_page(browser, page_file, viewport={"width": 1300, "height": 900})
    assert page.locator("[role=img] :is(a, button, input, [tabindex])").count() == 0
    page.context.close()


def test_tables_are_there_without_scripts(browser, page_file):
    page, heard = open_page(browser, page_file, java_script_enabled=False)
    assert page.locator("table").count() > 20
    assert page.locator(".lexmap-picture img").first.is_visible()
    summary = page.locator("summary", has_text="Map: the numbers")
    summary.click()
    assert page.get_by_role("rowheader", name="Gavel_0", exact=True).first.is_visible()
    assert heard["requests"] == [page_file.as_uri()]
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_has_no_sideways_scrolling(browser, page_file, scheme):
    page, heard = open_page(
        browser, page_file, viewport={"width": 360, "height": 740}, color_scheme=scheme, has_touch=True
    )
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert heard["errors"] == []
    page.context.close()


def test_text_and_paper_contrast_in_light_and_dark(browser, page_file):
    for scheme, light_paper in (("light", True), ("dark", False)):
        page, _ = open_page(browser, page_file, color_scheme=scheme)
        colours = page.evaluate(
            "['backgroundColor', 'color']"
            ".map(k => getComputedStyle(document.body)[k].match(/\\d+/g).slice(0, 3).map(Number))"
        )
        paper, ink = (sum(rgb) / 3 for rgb in colours)
        assert (paper > ink) is light_paper
        assert abs(paper - ink) > 180
        page.context.close()


def test_on_paper_every_plot_is_dark_on_light_and_within_the_margins(browser, page_file):
    page, heard = open_page(browser, page_file, viewport={"width": 672, "height": 900}, color_scheme="dark")
    page.emulate_media(media="print")
    between_margins = 178 * 96 / 25.4  # A4 less 16 mm on both sides, in pixels
    shown = page.locator("svg.chart, .lexmap-picture img")
    widths = shown.evaluate_all("all => all.map(p => p.getBoundingClientRect().width)")
    assert len(widths) >= 8
    assert 0 < min(widths) <= max(widths) <= between_margins
    assert not page.locator(".lexmap").first.is_visible()
    inks = page.locator("svg.chart").evaluate_all("all => all.map(t => getComputedStyle(t).color)")
    assert set(inks) == {"rgb(0, 0, 0)"}
    assert heard["errors"] == []
    page.context.close()


def test_the_keyboard_reaches_the_content_first(browser, page_file):
    page, _ = open_page(browser, page_file)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.url.endswith("#main")
    page.context.close()
