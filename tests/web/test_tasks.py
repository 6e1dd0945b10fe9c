"""Six tasks, each with material as people have it, in a browser at three widths; pictures go to LEXICLOUD_PICTURES."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from lexicloud.survey import Questionnaire
from lexicloud.web.settings import ServerSettings
from tests.report.stories import story
from tests.web.conftest import running

pytestmark = pytest.mark.browser
SIZES = {1440: 900, 768: 1024, 390: 844}
LONG = 60_000  # milliseconds that a machine with much to do may take
DRAFT = "The captain watched the rain from the window. Nobody spoke at the table that night. " * 100
OWNER = "the-owner's-code"
SENTENCE = "The captain watched the storm from the deck of the ship."


@pytest.fixture(params=SIZES, ids=lambda width: f"{width} wide")
def page(browser, address, request):
    """A page of a new browser; nothing may go wrong in it, and nothing may stick out to the side."""
    width = request.param
    context = browser.new_context(viewport={"width": width, "height": SIZES[width]}, accept_downloads=True)
    context.set_default_timeout(LONG)
    made, heard = context.new_page(), []
    made.on("pageerror", lambda error: heard.append(str(error)))
    made.address, made.width = address, width
    yield made
    pictures = os.environ.get("LEXICLOUD_PICTURES")
    if pictures:
        made.screenshot(path=Path(pictures, f"{request.node.name}.png".replace("/", "-")))
    assert heard == []
    assert made.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def bring(page, *files):
    """Choose files as a person does; the shelf opens and says when they are read."""
    page.locator("#pick-files").set_input_files([str(file) for file in files])
    expect(page.locator("#shelf-open .badge")).to_be_visible(timeout=LONG)


def close_shelf(page):
    page.locator("dialog.shelf").get_by_role("button", name="Close", exact=True).click()


def in_sight(page, locator):
    """Tell whether an element comes to rest on the screen: sheets slide in, newer answers replace older ones."""
    for _ in range(50):
        box = locator.bounding_box()
        if box is not None and box["y"] >= 0 and box["y"] + min(box["height"], 40) <= SIZES[page.width]:
            return True
        page.wait_for_timeout(100)
    return False


def test_a_writer_with_1500_words_sees_suggestions_beside_the_caret_and_keeps_the_draft(page):
    page.goto(page.address)
    text = page.locator("#text")
    text.fill(DRAFT)
    text.press("Control+End")
    text.press_sequentially(SENTENCE)
    page.locator(".suggestion").first.wait_for()
    assert in_sight(page, page.locator(".suggestion").first)
    assert text.evaluate(
        "t => t.scrollTop + t.clientHeight >= t.scrollHeight - 40"
    )  # the caret is in sight, too
    assert in_sight(page, page.locator(".desk-bar"))
    on_a_phone = page.locator("#sheet").is_visible()  # there the tabs are in the sheet
    if on_a_phone:
        page.locator("#sheet").click()
    page.locator("#tab-beside").click()
    page.locator(".column .suggestion").first.wait_for()
    assert in_sight(page, page.locator(".column .suggestion").first)
    if not on_a_phone:  # where the sheet is over the text
        assert text.evaluate("t => t.scrollTop + t.clientHeight >= t.scrollHeight - 40")
    page.locator("#tab-found").click()
    page.locator("#list .suggestion").first.wait_for()
    page.locator("#list .suggestion .insert").first.click()
    said = text.input_value()
    assert len(said) > len(DRAFT + SENTENCE)
    page.wait_for_function(
        "value => localStorage.getItem('lexicloud:draft') === JSON.stringify(value)", arg=said
    )
    page.reload()
    assert text.input_value() == said
    page.locator("#forget-draft").click()
    page.reload()
    assert text.input_value() == ""


def test_a_student_drops_a_folder_and_explores_it(page, tmp_path):
    folder = tmp_path / "letters"
    (folder / "drafts").mkdir(parents=True)
    (folder / "Salt_one.txt").write_text(story("Salt", 1, 15))
    (folder / "Pepper_one.txt").write_text(story("Pepper", 1, 15))
    (folder / "drafts" / "Salt_two.txt").write_text(story("Salt", 2, 15))
    (folder / ".DS_Store").write_bytes(b"\x00")
    (folder / "cover.jpg").write_bytes(b"\xff\xd8\xff")
    page.goto(f"{page.address}/explore")
    page.locator("#pick-folder").set_input_files(str(folder))
    shelf = page.locator("dialog.shelf")
    expect(shelf.locator("tbody tr")).to_have_count(3, timeout=LONG)
    expect(shelf.locator(".is-failed")).to_contain_text("cover.jpg")
    assert shelf.get_by_label("Author of Salt_one").input_value() == "Salt"
    close_shelf(page)
    page.locator("#keywords .card").wait_for()
    page.wait_for_load_state("networkidle")  # until then, the words may be those of other texts
    page.locator("#keywords button.word").first.click()
    page.locator("#contexts .card mark").first.wait_for()
    assert "view=contexts" in page.url
    page.get_by_role("button", name="Read on").first.click()
    page.locator("dialog.reader mark").wait_for()
    page.locator("dialog.reader").get_by_role("button", name="Close").click()
    page.go_back()
    expect(page.locator("#keywords")).to_be_visible()


def test_a_teacher_labels_answers_from_a_table_with_its_own_columns(page, tmp_path):
    answers = ("Plants need light to grow", "Whales breathe air", "The sun warms the sea")
    marks = [f"mark {i}" for i in range(1, 11)]
    rows = [
        f"pupil-{i};{answers[i % 3]}, says number {i}.;{marks[i % 10] if i < 20 else ''}" for i in range(30)
    ]
    table = tmp_path / "class 7b.csv"
    table.write_text("\n".join(["pupil;answer;mark given", *rows]), encoding="cp1252")
    page.goto(f"{page.address}/label")
    bring(page, table)
    page.locator("#work").wait_for()
    close_shelf(page)
    page.locator("#columns select").nth(1).select_option("mark given")
    expect(page.locator("#state")).to_contain_text("20 of 30 rows labelled, 10 labels")
    page.locator("#columns select").nth(2).select_option("pupil")
    page.locator(".line select").first.select_option("mark 3")
    expect(page.locator("#state")).to_contain_text("21 of 30")
    page.wait_for_timeout(1500)  # until the label is on the shelf
    page.reload()
    expect(page.locator("#state")).to_contain_text("21 of 30")
    page.locator("#guess").click()
    page.get_by_text("guess:").first.wait_for()
    with page.expect_download() as saved:
        page.locator("#save").click()
    lines = Path(saved.value.path()).read_text(encoding="utf-8-sig").splitlines()
    assert lines[0] == '"pupil","answer","mark given","label","guess","probability"'
    assert len(lines) == 31
    assert lines[1].startswith('"pupil-0","Plants need light')


def test_a_stylometrist_with_files_called_the_gets_no_authors_and_can_name_them(page, tmp_path):
    names = ("the_ship", "the_harbour", "a_white_sail", "white_fang")
    for i, name in enumerate(names):
        (tmp_path / f"{name}.txt").write_text(story("Salt" if i % 2 else "Pepper", i, 15))
    page.goto(f"{page.address}/who")
    bring(page, *(tmp_path / f"{name}.txt" for name in names))
    shelf = page.locator("dialog.shelf")
    expect(shelf.locator("tbody tr")).to_have_count(4, timeout=LONG)
    typed = shelf.get_by_label("Author of the_harbour")
    typed.fill("Some")
    drawn_again = "import('/static/shelf.js').then((shelf) => shelf.look())"
    page.evaluate(drawn_again)
    expect(typed).to_be_focused()
    expect(typed).to_have_value("Some")
    page.keyboard.type("one")
    page.keyboard.press("Tab")
    expect(typed).to_have_value("Someone")
    typed.focus()
    page.keyboard.press("Control+A")
    page.evaluate(drawn_again)
    page.keyboard.press("Delete")
    expect(typed).to_have_value("")
    page.keyboard.press("Tab")
    page.wait_for_load_state("networkidle")
    for i, name in enumerate(sorted(names)):
        field = shelf.get_by_label(f"Author of {name}")
        expect(field).to_have_value("")
        field.fill(f"Hand {i % 2}")
        field.press("Tab")
        expect(shelf.get_by_label(f"Author of {name}")).to_have_value(f"Hand {i % 2}")
        page.wait_for_load_state("networkidle")
    shelf.get_by_role("button", name="Remove the_ship").click()
    expect(shelf.locator("tbody tr")).to_have_count(3)
    page.get_by_role("button", name="Undo").click()
    expect(shelf.locator("tbody tr")).to_have_count(4)
    close_shelf(page)
    expect(page.locator("#known")).to_contain_text("4 texts, 2 authors")


def test_a_researcher_asks_who_wrote_a_text_among_20_by_four_hands(page, tmp_path):
    files = []
    for hand in ("Salt", "Pepper", "Gavel"):
        for i in range(7):
            files.append(tmp_path / f"{hand}_{i}.txt")
            files[-1].write_text(story(hand, i, 25))
    files.append(tmp_path / "Unknown_letter.txt")
    files[-1].write_text(story("Salt", 50, 25))
    page.goto(f"{page.address}/who")
    bring(page, *files)
    expect(page.locator("dialog.shelf tbody tr")).to_have_count(22, timeout=2 * LONG)
    close_shelf(page)
    page.locator("#which").select_option("Unknown_letter")
    expect(page.locator("#size")).to_contain_text("words")
    page.locator("#go").click()
    answer = page.locator("#result .answer")
    answer.wait_for(timeout=2 * LONG)
    assert "Salt" in answer.locator(".lead").first.inner_text()
    assert page.locator(".takeaway").get_by_role("button", name="Copy this answer").count() == 1
    assert "text=Unknown_letter" in page.url


def test_a_survey_is_made_of_brought_texts_and_answered_by_three_people_with_codes(browser, tmp_path):
    study, files = tmp_path / "study.json", []
    for i in range(4):
        files.append(tmp_path / f"the_tale_{i}.txt")
        files[-1].write_text(story("Salt" if i % 2 else "Pepper", i, 40), encoding="utf-8")
    with running(ServerSettings(study=study, demo=False, owner=OWNER)) as address:
        owner = browser.new_page()
        owner.set_default_timeout(LONG)
        owner.goto(f"{address}/results")
        owner.get_by_role("textbox", name="Token").fill(OWNER)
        owner.get_by_role("button", name="Continue").click()
        owner.get_by_role("heading", name="Make a study").wait_for()
        bring(owner, *files)
        close_shelf(owner)
        expect(owner.locator("#source")).to_have_value("shelf")
        owner.get_by_label("Questions").fill("2")
        owner.get_by_role("button", name="Make the study").click()
        owner.get_by_role("button", name="Invite", exact=True).click()
        expect(owner.locator(".codes code")).to_have_count(3)
        links = owner.locator(".codes code").all_inner_texts()
        for (width, height), link in zip(SIZES.items(), links, strict=True):
            context = browser.new_context(viewport={"width": width, "height": height})
            page = context.new_page()
            page.goto(link)
            page.get_by_label("I agree to take part").check()
            page.get_by_role("button", name="Begin").click()
            for number in (1, 2):
                page.get_by_role("heading", name=f"Question {number} of 2").wait_for()
                for option in page.locator(".option").all()[:3]:
                    option.click()
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
                page.get_by_role("button", name="Next").click()
            page.get_by_role("heading", name="Thank you").wait_for()
            context.close()
        owner.reload()
        owner.get_by_text("3 participants, 6 answers").wait_for()
        owner.close()
    assert len(Questionnaire.open(study).store.participants()) == 3
