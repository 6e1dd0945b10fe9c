"""The pages in a real browser: as a person uses them, by keyboard, on a phone, in the dark, and for a screen reader."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import expect

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
    lit = page.evaluate("[...CSS.highlights.get('lit')].map(String)")
    assert lit
    assert set(lit) <= set(SENTENCE.replace(".", "").split())
    assert page.evaluate("[...CSS.highlights.get('asked')].map(String)") == [SENTENCE]


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


def test_settings_favourites_and_the_draft_stay_in_the_browser_until_they_are_forgotten(open_page):
    page = open_page("/")
    write(page)
    page.locator(".suggestion [aria-pressed]").first.click()
    page.locator("input[value=close]").check()
    page.reload()
    assert page.locator("#kept-count").inner_text() == "(1)"
    assert page.locator("input[value=close]").is_checked()
    assert page.locator("#text").input_value() == SENTENCE
    page.locator("#forget-draft").click()
    page.reload()
    assert page.locator("#text").input_value() == ""


def test_texts_that_were_brought_are_searched_kept_and_removed(open_page, tmp_path):
    page = open_page("/")
    file = tmp_path / "diary.txt"
    file.write_text(
        "The <b>moon</b> rose over the harbour that night. We sailed home in silence after the storm."
    )
    page.locator("#pick-files").set_input_files(str(file))
    page.locator("dialog.shelf tbody tr").wait_for()
    page.get_by_label("Keep my texts in this browser").check()
    page.locator(".toast").first.wait_for()
    page.locator("dialog.shelf").get_by_role("button", name="Close", exact=True).click()
    page.locator("#source option:checked").filter(has_text="Your texts").wait_for(state="attached")
    found = write(page)
    assert "diary" in found.first.locator(".whose").inner_text()
    assert page.locator(".suggestion b").count() == 0  # markup in a text stays text
    page.context.clear_cookies()  # as after a restart of the browser, or of the server
    page.reload()
    page.locator("#shelf-open .badge").wait_for()
    page.locator("#shelf-open").click()
    page.get_by_role("button", name="Remove all").click()
    page.locator("#source option:checked").filter(has_text="stories").wait_for(state="attached")


def test_thirty_thousand_words_stay_fluent(open_page):
    page = open_page("/")
    page.locator("#text").fill("The rain fell on the town, and nobody came to the harbour. " * 2_750)
    page.locator("#text").press("Control+End")
    page.evaluate("""() => {
        window.slow = [];
        new PerformanceObserver((list) => slow.push(...list.getEntries().map((one) => one.duration)))
            .observe({ type: "event", durationThreshold: 16 });
    }""")
    page.locator("#text").press_sequentially("We had not seen the ship", delay=40)
    page.wait_for_timeout(500)
    # The marks behind the text break their lines where the text does.
    assert page.evaluate("document.querySelector('#mirror').offsetHeight") == page.locator("#text").evaluate(
        "text => text.scrollHeight"
    )
    slow = sorted(page.evaluate("window.slow")) or [0]
    assert (
        slow[len(slow) // 2] < 500
    )  # milliseconds from a key to the screen, on a machine with much else to do


def test_methods_stand_side_by_side(open_page):
    page = open_page("/")
    write(page)
    page.locator("#tab-beside").click()
    page.locator(".column ol").nth(6).wait_for()
    assert page.locator(".column h2").all_inner_texts()[:2] == ["Related", "Set cover"]
    assert "(overall meaning)" not in page.locator("#beside").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".column .insert").first.click()
    assert page.locator("#text").input_value().startswith(f"{SENTENCE} ")


def test_what_a_reading_level_is_and_how_often_it_is_right_is_told_where_one_is_chosen(open_page):
    page = open_page("/")
    told = page.get_by_text("Flesch–Kincaid grade of the sentence")
    expect(told).to_be_hidden()
    page.locator("#level").select_option("college")
    expect(told).to_be_visible()
    expect(told).to_contain_text("36 sentences in 100")


def test_the_pages_stand_in_one_line_on_a_phone(open_page):
    page = open_page("/", "narrow")
    tops = {link.bounding_box()["y"] for link in page.locator(".pages a").all()}
    assert len(tops) == 1


@pytest.mark.parametrize(
    ("path", "button", "told"),
    [
        ("/compare", "#go", "Texts: at least 2 are needed, and there are none. Choose or bring more."),
        (
            "/explore?view=contrast",
            "#contrast button.main",
            "Groups: at least 2 are needed, and there are none.",
        ),
    ],
)
def test_too_little_is_refused_in_words_for_people(browser, address, path, button, told):
    page = browser.new_page()
    page.goto(address + path)
    page.wait_for_load_state("networkidle")
    page.locator(button).click()
    expect(page.locator(".notice")).to_contain_text(told)
    page.context.close()


def test_words_as_bars_are_taken_away_as_a_picture(open_page):
    page = open_page("/explore")
    card = page.locator("#keywords .card")
    card.wait_for()
    with page.expect_download() as taken:
        card.get_by_role("button", name="Save the picture as SVG").click()
    drawn = ET.fromstring(taken.value.path().read_bytes())
    written = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    shown = card.locator(".bars .word").all_inner_texts()
    assert shown
    assert set(shown) <= set(written)
    assert len([*drawn.iter("{http://www.w3.org/2000/svg}rect")]) == len(shown)
    assert card.locator("svg").count() == 0  # it was there only to be saved


def test_two_texts_are_compared(open_page):
    page = open_page("/compare")
    for i, author in enumerate(("Salt", "Pepper")):
        page.locator(".sheet textarea").nth(i).fill(story(author, 1, 15))
        page.locator(".sheet input").nth(i).fill(author)
    page.locator("#go").click()
    page.locator(".result").wait_for()
    assert "Salt and Pepper" in page.locator(".answer .lead").first.inner_text()
    assert page.locator(".bars .word").count() > 5


def test_more_texts_get_a_map_that_leads_on_and_can_be_taken_away(open_page):
    page = open_page("/compare")
    page.locator("#more").click()
    for i, author in enumerate(("Salt", "Pepper", "Gavel")):
        page.locator(".sheet textarea").nth(i).fill(story(author, 1, 15))
    page.locator("#go").click()
    page.locator(".lexmap canvas").first.wait_for()
    expect(page.locator(".lexmap-figure figcaption")).to_contain_text("of 100 texts the nearest is among")
    page.get_by_role("button", name="Look at these two").click()
    page.locator(".result").nth(1).wait_for()


def test_an_unknown_text_finds_its_author(open_page):
    page = open_page("/who")
    page.locator("#known").get_by_text("authors").wait_for()
    page.locator("#unknown").fill(story("Salt", 9, 15))
    page.locator("#go").click()
    page.locator(".answer .lead").first.wait_for()
    assert "Salt" in page.locator(".answer .lead").first.inner_text()


def test_a_text_of_the_collection_can_be_the_unknown_one_and_a_link_asks_again(open_page):
    page = open_page("/who")
    page.locator("#which option").nth(1).wait_for(state="attached")
    page.locator("#which").select_option(index=1)
    page.locator("#size").get_by_text("words").wait_for()
    name = page.locator("#which").input_value()
    page.locator("#go").click()
    page.locator(".answer .lead").first.wait_for()
    assert f"Left out of the known texts, because an unknown one is in it: {name}." in page.inner_text(
        ".result"
    )
    page.reload()
    page.locator(".answer .lead").first.wait_for()
    assert page.locator("#which").input_value() == name


def test_the_hands_are_shown_along_a_text_that_is_long_enough(open_page):
    page = open_page("/who")
    page.locator("#known").get_by_text("authors").wait_for()
    page.locator("#unknown").fill(story("Salt", 8, 60) + "\n\n" + story("Pepper", 9, 60))
    page.locator("#go").click()
    page.locator(".result svg.chart").wait_for()
    assert page.locator(".result svg.chart .line").count() == page.locator(".legend li").count() >= 2


def test_long_work_shows_its_progress_and_can_be_stopped(open_page):
    page = open_page("/explore?view=keywords")
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


def test_one_hand_or_two(open_page):
    page = open_page("/who")
    page.locator("#known").get_by_text("authors").wait_for()
    page.locator("#unknown").fill(story("Salt", 9, 40))
    page.locator("#author").select_option("Salt")
    page.locator("#same").click()
    page.locator(".answer .lead").first.wait_for()


@pytest.mark.parametrize(
    "tab", ["keywords", "contexts", "trends", "contrast", "zipf", "parts", "map", "clusters"]
)
def test_a_collection_is_explored(open_page, tab):
    page = open_page(f"/explore?view={tab}")
    page.locator("#source option").filter(has_text="texts").first.wait_for(state="attached")
    if tab in {"contexts", "trends"}:
        page.locator(f"#{tab} input").fill("the")
    if tab == "contrast":
        page.locator("#contrast select").select_option(["Salt", "Pepper"])
    if tab in {"contexts", "trends", "contrast", "map", "clusters"}:
        page.locator(f"#{tab} form button").click()
    page.locator(f"#{tab} .out .card").first.wait_for()


def test_a_word_leads_to_its_contexts_its_trend_and_its_place_and_back(open_page):
    page = open_page("/explore?view=keywords")
    word = page.locator("#keywords .out button.word").first
    said = word.inner_text()
    word.click()
    page.get_by_role("button", name=f"How often “{said}” is said").click()
    page.locator("#trends .out .card").first.wait_for()
    page.go_back()
    page.get_by_role("button", name=f"“{said}” on the map").click()
    found = page.locator("#map .lexmap input[type=search]")
    expect(found).to_have_value(said)
    page.goto(page.url)  # a link shows the same
    expect(found).to_have_value(said)


def test_a_contrast_answers_first_then_draws_then_lists(open_page):
    page = open_page("/explore?view=contrast")
    page.locator("#source option").filter(has_text="texts").first.wait_for(state="attached")
    page.locator("#contrast select").select_option(["Salt", "Pepper"])
    page.locator("#contrast form button").click()
    answer = page.locator("#contrast .answer")
    answer.wait_for()
    order = answer.evaluate(
        "(it) => [...it.children].map((part) => part.matches('.lead') ? 'answer' : part.localName)"
    )
    assert order[0] == "answer"
    assert order.index("svg") < order.index("div", order.index("svg"))  # the tables
    named = set(answer.locator("svg.chart text.name").all_inner_texts())
    assert named
    assert not named & {"the", "and", ".", ","}  # names, function words and marks stand apart


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_map_is_taken_away_with_its_names(open_page, size):
    page = open_page("/explore?view=map", size)
    page.locator("#source option").filter(has_text="texts").first.wait_for(state="attached")
    page.locator("#map select").first.select_option("texts")
    page.locator("#map form button").click()
    page.locator("#map canvas").first.wait_for()
    assert (
        page.locator("#map").inner_text().count("of 100 texts the nearest is among") == 1
    )  # how well it fits
    with page.expect_download() as taken:
        page.get_by_role("button", name="Save the picture as SVG").click()
    drawn = ET.fromstring(taken.value.path().read_bytes())
    written = {text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {f"{hand}_{i}" for hand in ("Salt", "Pepper") for i in range(3)} <= written
    _, _, wide, high = map(float, drawn.get("viewBox").split())
    assert (wide > high) == (size == "wide")  # a phone's map stands upright
    with page.expect_download() as taken:
        page.get_by_role("button", name="Save the picture as PNG").click()
    assert taken.value.path().read_bytes().startswith(b"\x89PNG")


def test_a_long_table_is_folded_on_the_screen_and_whole_on_paper(open_page):
    page = open_page("/explore")
    page.evaluate(
        """async () => {
             const { say } = await import("/static/say.js");
             const rows = Array.from({ length: 40 }, (_, i) => [`row ${i}`]);
             const folded = () => say([{ block: "table", columns: ["name"], rows, numeric: [], best: [] }]);
             for (const id of ["one", "two"]) {
               document.body.append(Object.assign(document.createElement("div"), { id }));
               document.getElementById(id).append(...folded().filter(Boolean));
             }
           }"""
    )
    rows = page.locator("#one tbody tr")
    assert rows.count() == 15
    page.locator("#one").get_by_role("button", name="Show all 40 rows").click()
    assert rows.count() == 40
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert rows.count() == page.locator("#two tbody tr").count() == 40


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
        ("/explore?view=contexts", "narrow", True),
    ],
)
def test_a_screen_reader_stumbles_over_nothing_and_a_phone_need_not_scroll_sideways(
    open_page, path, size, dark
):
    axe = pytest.importorskip("axe_core_python.sync_playwright")
    page = open_page(path, size, dark)
    if path == "/":
        write(page)
    if path == "/explore?view=contexts":
        page.locator("#contexts form button").wait_for()
        page.locator("#source option").filter(has_text="texts").first.wait_for(state="attached")
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


def test_texts_that_were_brought_to_a_page_are_those_of_the_next(open_page, tmp_path):
    page = open_page("/label")
    (tmp_path / "Salt_nine.txt").write_text(story("Salt", 9, 9))
    page.locator("#pick-files").set_input_files(str(tmp_path / "Salt_nine.txt"))
    page.locator("dialog.shelf tbody tr").wait_for()
    page.locator("dialog.shelf").get_by_role("button", name="Close", exact=True).click()
    page.locator("nav.pages").get_by_text("Compare").click()
    page.locator("input[name=way][value=chosen]").check(force=True)
    expect(page.locator("#source option:checked")).to_contain_text("Your texts")
