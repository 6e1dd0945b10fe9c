"""The pages in a real browser: as a person uses them, by keyboard, on a phone, in the dark, and for a screen reader."""

from __future__ import annotations

import pytest

from tests.report.stories import story

pytestmark = pytest.mark.browser
SENTENCE = "The captain watched the storm from the deck of the ship."
SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
TICKETS = [
    "the app crashes when I open it",
    "I was charged twice this month",
    "it freezes on start and closes",
    "refund my last invoice please",
    "the program quits after the update",
    "my bill is far too high",
    "a crash whenever the app starts",
    "the invoice shows a wrong amount",
]


@pytest.fixture
def open_page(browser, address):
    """Open a page and listen to everything it says and asks for; all of it must be quiet and from here."""
    contexts, heard = [], []

    def opened(path, size="wide", dark=False):
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on(
            "request", lambda r: heard.append(r.url) if not r.url.startswith((address, "blob:")) else None
        )
        page.goto(address + path, wait_until="load")
        return page

    opened.heard = heard
    yield opened
    for context in contexts:
        context.close()
    assert heard == []


def write(page, sentence=SENTENCE):
    page.locator("#text").press_sequentially(sentence)
    page.locator(".suggestion").first.wait_for()
    return page.locator("#list .suggestion")


def test_suggestions_appear_as_a_sentence_ends_with_reasons_and_whose_they_are(open_page):
    page = open_page("/")
    found = write(page)
    assert 1 <= found.count() <= 6
    first = found.first
    assert first.locator("mark").count() >= 1
    assert "Salt" in first.locator(".whose").inner_text()
    first.locator("mark").first.hover()
    lit = page.locator("#mirror b").all_inner_texts()
    assert lit
    assert set(lit) <= set(SENTENCE.replace(".", "").split())


def test_nothing_is_asked_while_a_sentence_is_being_typed(open_page):
    page = open_page("/")
    asked = []
    page.on("request", lambda r: asked.append(r.url) if "suggest" in r.url else None)
    page.clock.install(time=0)
    page.clock.pause_at(1000)  # a slow typist must not be taken for one who rests
    page.locator("#text").press_sequentially(SENTENCE[:-1], delay=1)
    assert asked == []
    page.locator("#text").press_sequentially(".")
    page.locator(".suggestion").first.wait_for()
    assert len(asked) == 1


def test_one_key_inserts_and_undo_takes_it_back(open_page):
    page = open_page("/")
    text = write(page).nth(1).locator(".said").inner_text()
    page.keyboard.press("Alt+2")
    assert page.locator("#text").input_value() == f"{SENTENCE} {text}"
    page.locator("#undo").click()
    assert page.locator("#text").input_value() == SENTENCE


def test_the_list_is_used_by_keyboard_alone(open_page):
    page = open_page("/")
    found = write(page)
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("ArrowDown")
    assert found.nth(1).evaluate("e => e === document.activeElement")
    page.keyboard.press("x")
    assert found.nth(1).locator(".around").count() >= 1
    page.keyboard.press("k")
    assert page.locator("#kept-count").inner_text() == "(1)"
    page.keyboard.press("c")
    page.locator(".toast").first.wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == found.nth(1).locator(".said").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("#text").evaluate("e => e === document.activeElement")


def test_settings_and_favourites_stay_in_the_browser_and_a_draft_only_when_asked(open_page):
    page = open_page("/")
    write(page)
    page.locator(".suggestion [aria-pressed]").first.click()
    page.locator("input[value=close]").check()
    page.reload()
    assert page.locator("#kept-count").inner_text() == "(1)"
    assert page.locator("input[value=close]").is_checked()
    assert page.locator("#text").input_value() == ""
    page.locator("#draft").check()
    page.locator("#text").fill("Kept.")
    page.reload()
    assert page.locator("#text").input_value() == "Kept."


def test_dropped_texts_are_searched_and_forgotten(open_page, tmp_path):
    page = open_page("/")
    file = tmp_path / "diary.txt"
    file.write_text(
        "The <b>moon</b> rose over the harbour that night. We sailed home in silence after the storm."
    )
    page.locator("input[type=file]").set_input_files(str(file))
    page.locator("#source option:checked").filter(has_text="diary").wait_for(state="attached")
    found = write(page)
    assert "diary" in found.first.locator(".whose").inner_text()
    assert page.locator(".suggestion b").count() == 0  # markup in a text stays text
    page.locator("#forget").click()
    page.locator("#source option:checked").filter(has_text="stories").wait_for(state="attached")


def test_methods_stand_side_by_side(open_page):
    page = open_page("/")
    write(page)
    page.locator("#tab-beside").click()
    page.locator(".column ol").nth(6).wait_for()
    assert page.locator(".column h2").all_inner_texts()[:2] == ["Related", "Set cover"]
    assert "(all words)" not in page.locator("#beside").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".column .insert").first.click()
    assert page.locator("#text").input_value().startswith(f"{SENTENCE} ")


def test_two_texts_are_compared(open_page):
    page = open_page("/compare")
    for i, author in enumerate(("Salt", "Pepper")):
        page.locator(".sheet textarea").nth(i).fill(story(author, 1, 15))
        page.locator(".sheet input").nth(i).fill(author)
    page.locator("#go").click()
    page.locator(".result").wait_for()
    assert "Salt and Pepper" in page.locator(".result h2").inner_text()
    assert page.locator(".bars .word").count() > 5


def test_more_texts_get_a_map_and_a_table_whose_cells_lead_on(open_page):
    page = open_page("/compare")
    page.locator("#more").click()
    for i, author in enumerate(("Salt", "Pepper", "Gavel")):
        page.locator(".sheet textarea").nth(i).fill(story(author, 1, 15))
    page.locator("#go").click()
    page.locator(".pairs").wait_for()
    assert page.locator(".lexmap-drawn canvas").count() >= 1
    page.locator(".pairs .cell").first.click()
    page.locator(".figure").nth(1).wait_for()


def test_an_unknown_text_finds_its_author(open_page):
    page = open_page("/who")
    page.locator("#known").get_by_text("authors").wait_for()
    page.locator("#unknown").fill(story("Salt", 9, 15))
    page.locator("#go").click()
    page.locator(".result h2").wait_for()
    assert "Salt" in page.locator(".result h2").inner_text()


def test_a_text_of_the_collection_can_be_the_unknown_one_and_is_not_compared_with_itself(open_page):
    page = open_page("/who")
    page.locator("#tries button").first.click()
    page.locator("#size").get_by_text("words").wait_for()
    name = page.locator("#tries button").first.inner_text()
    page.locator("#go").click()
    page.locator(".result h2").wait_for()
    assert f"Left out of the known texts, because the unknown one is in it: {name}." in page.inner_text(
        ".result"
    )


def test_the_hands_are_shown_along_a_text_that_is_long_enough(open_page):
    page = open_page("/who")
    page.locator("#known").get_by_text("authors").wait_for()
    page.locator("#unknown").fill(story("Salt", 8, 60) + "\n\n" + story("Pepper", 9, 60))
    page.locator("#go").click()
    page.get_by_role("heading", name="Along the text").wait_for()
    assert page.locator(".result svg.chart .line").count() == page.locator(".legend li").count() >= 2


def test_long_work_shows_its_progress_and_can_be_stopped(open_page):
    page = open_page("/explore#keywords")
    page.locator("#keywords .out .card").first.wait_for()
    state = {
        "job": "j",
        "kind": "k",
        "state": "running",
        "stage": "grouping sentences",
        "done": 3,
        "total": 10,
    }
    stopped = []

    def job(route):
        stopped.append(route.request.method)
        route.fulfill(json=state)

    page.route("**/api/v1/explore/clusters", lambda route: route.fulfill(status=202, json=state))
    page.route("**/api/v1/jobs/j", job)
    page.locator("#t-clusters").click()
    page.locator("#clusters form button").click()
    page.locator("#clusters progress").wait_for()
    assert page.locator("#clusters progress").evaluate("bar => [bar.value, bar.max]") == [3, 10]
    assert "Grouping sentences" in page.locator("#clusters .waiting").inner_text()
    page.get_by_role("button", name="Stop").click()
    page.locator("#clusters [role=alert]").wait_for()
    assert "DELETE" in stopped


def test_rows_are_labelled_by_keys_and_guessed_with_reasons(open_page):
    page = open_page("/label")
    page.locator("#paste").fill("\n".join(TICKETS))
    page.locator("#use").click()
    page.locator("#labels").fill("crash, billing")
    page.locator("#labels").press("Enter")
    for key in "121212":
        page.keyboard.press(key)
    assert page.locator(".line.done").count() == 6
    page.locator("#guess").click()
    page.locator(".line .whose").get_by_text("guess:").first.wait_for()
    assert page.locator(".line .why").first.inner_text()
    page.locator(".line").first.focus()
    page.keyboard.press("Enter")  # takes the guess
    assert page.locator(".line.done").count() == 7


def test_one_hand_or_two(open_page, tmp_path):
    page = open_page("/who")
    page.locator("#known").get_by_text("authors").wait_for()
    for i in (1, 2):
        (tmp_path / f"Salt_{i}.txt").write_text(story("Salt", i, 40))
    page.locator("input[type=file]").set_input_files([str(tmp_path / f"Salt_{i}.txt") for i in (1, 2)])
    page.get_by_label("Author of Salt_1").wait_for()
    assert page.get_by_label("Author of Salt_1").input_value() == "Salt"
    page.locator("#unknown").fill(story("Salt", 9, 40))
    page.locator("#same").click()
    page.locator(".result h2").wait_for()
    assert "One hand?" in page.locator(".result h2").inner_text()


@pytest.mark.parametrize("tab", ["keywords", "contexts", "trends", "zipf", "parts", "map", "clusters"])
def test_a_collection_is_explored(open_page, tab):
    page = open_page(f"/explore#{tab}")
    page.locator("#source option").filter(has_text="sentences").first.wait_for(state="attached")
    if tab in {"contexts", "trends"}:
        page.locator(f"#{tab} input").fill("the")
    if tab in {"contexts", "trends", "map", "clusters"}:
        page.locator(f"#{tab} form button").click()
    page.locator(f"#{tab} .out .card").first.wait_for()


def test_the_api_describes_itself_on_a_page_of_ours(open_page):
    page = open_page("/docs")
    page.get_by_text("/api/v1/search_many").wait_for()


def test_a_server_that_went_away_is_told_in_words(open_page):
    page = open_page("/")
    page.route("**/api/v1/suggest", lambda route: route.abort())
    page.locator("#text").press_sequentially(SENTENCE)
    assert "does not answer" in page.locator("#trouble [role=alert]").inner_text()
    open_page.heard.clear()  # the browser's own word about the failed request


@pytest.mark.parametrize(
    ("path", "size", "dark"),
    [
        ("/", "wide", False),
        ("/", "narrow", False),
        ("/", "wide", True),
        ("/compare", "narrow", True),
        ("/who", "wide", False),
        ("/who", "narrow", True),
        ("/explore", "wide", True),
        ("/explore", "narrow", False),
        ("/docs", "narrow", False),
        ("/label", "narrow", True),
        ("/explore#contexts", "narrow", True),
    ],
)
def test_a_screen_reader_stumbles_over_nothing_and_a_phone_need_not_scroll_sideways(
    open_page, path, size, dark
):
    axe = pytest.importorskip("axe_core_python.sync_playwright")
    page = open_page(path, size, dark)
    if path == "/":
        write(page)
    if path == "/explore#contexts":
        page.locator("#contexts form button").wait_for()
        page.locator("#source option").filter(has_text="sentences").first.wait_for(state="attached")
        page.locator("#contexts input").fill("the")
        page.locator("#contexts form button").click()
        page.locator("#contexts .out .card").wait_for()
    if path == "/explore":
        page.locator("#keywords .out .card").first.wait_for()
    page.wait_for_timeout(250)  # until what fades in has its colour
    found = axe.Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]})["violations"]
    serious = [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in {"serious", "critical"}]
    assert serious == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
