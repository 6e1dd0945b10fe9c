"""Labels from a few examples: the API, and the page with two keys a row."""

from __future__ import annotations

import pytest

from tests.web.test_security import error_of

ROWS = [
    ("The invoice was charged twice to my card.", "billing"),
    ("Please refund the payment of last month.", "billing"),
    ("I cannot log in with my password.", "login"),
    ("The reset link for my password never arrived.", "login"),
    ("Why was my bank account debited again?", None),
    ("The sign-in page rejects my username.", None),
    ("My card shows a wrong amount.", None),
]


def rows():
    return [{"text": text, "label": label} for text, label in ROWS]


def test_the_rest_is_guessed_with_reasons_and_what_to_label_next(client):
    answer = client.post("/api/v1/label", json={"rows": rows(), "next": 2})
    assert answer.status_code == 200, answer.text
    found = answer.json()["result"]
    assert found["classes"] == ["billing", "login"]
    guesses = {row: one["guess"] for row, one in zip(found["rows"], found["guesses"], strict=True)}
    assert guesses == {4: "billing", 5: "login", 6: "billing"}
    assert len(found["next"]) == 2
    assert set(found["next"]) <= set(guesses)
    assert all(found["reasons"][str(row)]["words"] for row in found["next"])


def test_two_labels_with_two_rows_each_are_the_least(client):
    few = [{"text": "a bill", "label": "billing"}, {"text": "a login", "label": "login"}]
    answer = client.post("/api/v1/label", json={"rows": few})
    assert answer.status_code == 422
    assert "two rows" in error_of(answer)["remedy"]


def test_a_label_with_a_single_row_is_told_and_stops_nobody(client):
    answer = client.post(
        "/api/v1/label", json={"rows": [*rows(), {"text": "A parcel is lost.", "label": "post"}]}
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["result"]["classes"] == ["billing", "login"]
    assert "only one row has it: post" in answer.json()["say"][1]["text"]


@pytest.mark.browser
def test_a_person_labels_by_keys_and_the_rest_is_guessed(browser, address):
    page = browser.new_page()
    page.goto(f"{address}/label")
    page.locator("#paste").fill("\n".join(text for text, _ in ROWS))
    page.locator("#use").click()
    page.locator("#labels").fill("billing, login")
    page.locator("#labels").press("Tab")
    page.locator(".line").first.focus()
    for _, label in ROWS[:4]:
        page.keyboard.press("1" if label == "billing" else "2")
    assert page.locator("#state").inner_text().startswith("4 of 7")
    page.locator("#guess").click()
    page.get_by_text("guess:").first.wait_for()
    first = page.locator(".line").first
    guess = first.locator(".whose strong").inner_text().split()[0]
    page.keyboard.press("Enter")
    page.locator(".line.done").filter(has_text=guess).first.wait_for()
    assert page.locator("#state").inner_text().startswith("5 of 7")
    page.close()
