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
    places = page.locator(".plot")
    for i in range(places.count()):
        places.nth(i).scroll_into_view_if_needed()
        places.nth(i).locator(".main-svg").first.wait_for(timeout=20_000)
    assert places.count() >= 8
    assert page.locator(".plot .heatmaplayer image, .plot .heatmaplayer path").count() >= 1
    assert page.locator(".plot .scatterlayer .point").count() > 50
    assert heard["requests"] == [page_file.as_uri()]
    assert (heard["console"], heard["errors"]) == ([], [])
    assert page.evaluate("window.hurt") is None
    assert page.locator(f"summary strong:text-is({EVIL!r})").count() == 1
    page.context.close()


def test_plots_far_below_do_not_keep_the_page_from_opening(browser, page_file):
    page, _ = open_page(browser, page_file, viewport={"width": 1300, "height": 700})
    drawn = page.evaluate("[...document.querySelectorAll('.plot')].map(p => p.dataset.drawn || 'no')")
    assert drawn[-1] == "no"
    page.wait_for_function(  # but nobody has to scroll for them either
        "[...document.querySelectorAll('.plot')].every(p => p.querySelector('.main-svg'))", timeout=30_000
    )
    page.context.close()


def test_the_page_is_there_before_plotly_has_been_read(browser, page_file):
    page = browser.new_page(viewport={"width": 1300, "height": 700})
    page.add_init_script("addEventListener('load', () => { window.atLoad = typeof Plotly; })")
    page.goto(page_file.as_uri(), wait_until="load")
    assert page.evaluate("window.atLoad") == "undefined"
    page.wait_for_function("typeof Plotly === 'object'", timeout=20_000)
    page.close()


def test_tables_are_there_without_scripts(browser, page_file):
    page, heard = open_page(browser, page_file, java_script_enabled=False)
    assert page.locator("table").count() > 20
    assert "This plot needs JavaScript" in page.locator(".plot").first.inner_text()
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
    for plot in page.locator(".plot").all():
        plot.scroll_into_view_if_needed()
        plot.locator(".main-svg").first.wait_for(timeout=20_000)
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


def test_on_paper_every_plot_is_drawn_dark_on_light_and_within_the_margins(browser, page_file):
    page, heard = open_page(browser, page_file, viewport={"width": 1300, "height": 900}, color_scheme="dark")
    between_margins = 178 * 96 / 25.4  # A4 less 16 mm on both sides, in pixels
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    widths = page.locator(".plot").evaluate_all(
        "all => all.map(p => p.querySelector('.main-svg').clientWidth)"
    )
    assert len(widths) >= 8
    assert max(widths) <= between_margins
    inks = page.locator(".plot text").evaluate_all("all => all.map(t => getComputedStyle(t).fill)")
    assert set(inks).isdisjoint({"rgb(232, 230, 225)"})  # the ink of the dark page
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator(".plot .main-svg").first.evaluate("p => p.clientWidth") > between_margins
    assert heard["errors"] == []
    page.context.close()


def test_the_keyboard_reaches_the_content_first(browser, page_file):
    page, _ = open_page(browser, page_file)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.url.endswith("#main")
    page.context.close()
