"""A study answered in the browser, to the end: resumable by its link, blind to methods, its results the owner's."""

from __future__ import annotations

import json
import logging

import pytest
from starlette.testclient import TestClient

from lexicloud.survey import Questionnaire
from lexicloud.web.server import create_app
from lexicloud.web.settings import ServerLimits, ServerSettings
from tests.survey.studies import METHODS, small_study
from tests.web.conftest import BASE, process, running, wait_until_ready
from tests.web.test_security import TOKEN, error_of

OWNER = "the-owner's-code"
TOLD = {"writing": "Often"}


@pytest.fixture
def study(tmp_path):
    small_study(queries=3).save(tmp_path / "study.json")
    return tmp_path / "study.json"


@pytest.fixture
def asking(study):
    with TestClient(
        create_app(ServerSettings(study=study, demo=False, owner=OWNER)), base_url=BASE
    ) as client:
        yield client


def start(client):
    found = client.post("/api/v1/survey/start", json={"consent": True, "background": TOLD})
    assert found.status_code == 200, found.text
    return found.json()


def test_a_participant_answers_every_question_and_can_come_back(asking, study, caplog):
    caplog.set_level(logging.INFO, logger="lexicloud.web.writes")
    begun = start(asking)
    headers, question = {"x-participant": begun["code"]}, begun["question"]
    while question is not None:
        assert not any(method in json.dumps(question) for method in METHODS)
        again = asking.get("/api/v1/survey/question", headers=headers).json()["question"]
        assert again == question
        keys = [option["key"] for option in question["options"]][: question["choose"]]
        body = {"question": question["id"], "chosen": keys, "seconds": 3.5}
        answered = asking.post("/api/v1/survey/answer", json=body, headers=headers)
        assert answered.status_code == 200
        question = answered.json()["question"]
    assert answered.json()["progress"] == {"answered": 3, "total": 3, "finished": True}
    assert Questionnaire.open(study).counts()["answers"] == 3
    logged = [json.loads(record.message) for record in caplog.records]
    assert [one["action"] for one in logged] == ["participant", *["answer"] * 3]
    assert {one["client"] for one in logged} == {"a participant"}  # never an address
    assert asking.get("/api/v1/survey/results").status_code == 401
    assert asking.get("/api/v1/survey/export").status_code == 401
    assert asking.post("/api/v1/session", json={"token": "wrong"}).status_code == 401
    assert asking.post("/api/v1/session", json={"token": OWNER}).status_code == 204
    arm = asking.get("/api/v1/survey/results").json()["arms"][0]
    assert arm["answers"] == 3
    assert arm["say"][0]["text"] == "1 participant: nothing can be said about others before there are 6."
    shares = next(block for block in arm["say"] if block["block"] == "table")
    assert dict(zip(shares["columns"], shares["rows"][1], strict=True))["the paper (%)"] == "63.0"
    rows = asking.get("/api/v1/survey/export").text.splitlines()
    assert len(rows) == 1 + 3 * len(METHODS)


def test_the_owner_makes_a_study_of_texts_once_and_invites_people(tmp_path, folder):
    path = tmp_path / "made.json"
    settings = ServerSettings(study=path, folders=(folder,), demo=False, owner=OWNER)
    asked = {"methods": ["setcover", "jaccard"], "queries": 2, "title": "Which?"}
    with TestClient(create_app(settings), base_url=BASE) as client:
        wait_until_ready(client)
        assert client.get("/api/v1/survey").status_code == 404
        assert client.post("/api/v1/survey/create", json=asked).status_code == 401
        assert client.post("/api/v1/survey/invite", json={"people": 1}).status_code == 401
        client.post("/api/v1/session", json={"token": OWNER})
        wrong = client.post("/api/v1/survey/create", json={**asked, "methods": ["setcover", "nonesuch"]})
        assert wrong.status_code == 422
        assert not path.exists()
        made = client.post("/api/v1/survey/create", json=asked)
        assert made.status_code == 200, made.text
        assert (made.json()["title"], made.json()["questions"]) == ("Which?", 2)
        assert client.post("/api/v1/survey/create", json=asked).status_code == 409
        codes = client.post("/api/v1/survey/invite", json={"people": 2}).json()["codes"]
        told = {"consent": True}
        assert client.post("/api/v1/survey/start", json=told).status_code == 403
        begun = client.post("/api/v1/survey/start", json=told, headers={"x-participant": codes[0]})
        assert begun.json()["question"]["choose"] == 1
    assert list(Questionnaire.open(path).study.methods) == ["setcover", "jaccard"]


def test_mistakes_of_a_participant(asking):
    refused = asking.post("/api/v1/survey/start", json={"consent": False})
    assert (refused.status_code, error_of(refused)["code"]) == (403, "forbidden")
    assert asking.get("/api/v1/survey/question", headers={"x-participant": "no-such-code"}).status_code == 404
    begun = start(asking)
    headers = {"x-participant": begun["code"]}
    body = {"question": "2", "chosen": ["1", "2", "3"]}
    assert asking.post("/api/v1/survey/answer", json=body, headers=headers).status_code == 409


def test_participants_need_no_token_and_the_results_do(study):
    with TestClient(
        create_app(ServerSettings(study=study, demo=False, token=TOKEN)), base_url=BASE
    ) as client:
        start(client)
        assert client.get("/api/v1/survey").status_code == 200
        assert client.get("/api/v1/survey/results").status_code == 401
        assert client.get("/api/v1/survey/export").status_code == 401
        assert client.get("/api/v1/sources").status_code == 401
        headers = {"authorization": f"Bearer {TOKEN}"}
        assert client.get("/api/v1/survey/results", headers=headers).status_code == 200


def test_who_was_not_invited_is_not_let_in_and_a_code_serves_once(asking, study):
    code, other = Questionnaire.open(study).invite(2)
    assert asking.get("/api/v1/survey").json()["by_invitation"] is True
    body = {"consent": True, "background": TOLD}
    refused = asking.post("/api/v1/survey/start", json=body)
    assert (refused.status_code, error_of(refused)["message"]) == (403, "this study is by invitation")
    headers = {"x-participant": "aaaa-bbbb-cccc-dddd"}
    assert asking.post("/api/v1/survey/start", json=body, headers=headers).status_code == 404
    headers = {"x-participant": code.upper()}
    assert asking.get("/api/v1/survey/question", headers=headers).json()["invited"] is True
    begun = asking.post("/api/v1/survey/start", json=body, headers=headers)
    assert begun.status_code == 200
    assert asking.get("/api/v1/survey/question", headers=headers).json()["question"]["number"] == 1
    assert asking.post("/api/v1/survey/start", json=body, headers=headers).status_code == 404
    assert Questionnaire.open(study).is_invited(other)


def test_no_more_people_take_part_than_may(study):
    settings = ServerSettings(study=study, demo=False, limits=ServerLimits(participants=2))
    with TestClient(create_app(settings), base_url=BASE) as client:
        start(client)
        start(client)
        refused = client.post("/api/v1/survey/start", json={"consent": True, "background": TOLD})
        assert refused.status_code == 409
        assert "2 people" in error_of(refused)["message"]


@pytest.mark.browser
def test_an_invitation_begins_and_continues_in_the_browser(study, browser):
    (code,) = Questionnaire.open(study).invite(1)
    with running(ServerSettings(study=study, demo=False)) as address:
        page = browser.new_page()
        page.goto(f"{address}/survey")
        page.get_by_text("This study is by invitation").wait_for()
        page.get_by_label("Code").fill(code)
        page.get_by_role("button", name="Continue").click()
        page.get_by_label("I agree to take part").check()
        page.get_by_role("button", name="Begin").click()
        page.get_by_role("heading", name="Question 1 of 3").wait_for()
        assert page.url.endswith(code)
        page.close()


def test_without_a_study_there_is_no_page_for_one(client):
    assert client.get("/survey").status_code == 404
    assert "/survey" not in client.get("/").text


@pytest.mark.browser
def test_a_person_answers_in_the_browser_leaves_and_continues_by_the_link(study, browser):
    with running(ServerSettings(study=study, demo=False, owner=OWNER)) as address:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{address}/survey")
        page.get_by_label("How often do you write?").select_option("Often")
        page.get_by_label("I agree to take part").check()
        page.get_by_role("button", name="Begin").click()
        page.get_by_role("heading", name="Question 1 of 3").wait_for()
        for key in "135":
            page.keyboard.press(key)
        assert page.locator(".option[aria-pressed=true]").count() == 3
        page.get_by_role("button", name="Next").click()
        page.get_by_role("heading", name="Question 2 of 3").wait_for()
        link = page.url
        code = link.rpartition("#")[2]
        assert code in page.locator(".mine").inner_text()
        assert Questionnaire.open(study).store.participants()[0].id in page.locator(".mine").inner_text()
        context.close()

        page = browser.new_page()
        page.goto(f"{address}/survey")  # by the code alone
        page.get_by_text("I have begun already").click()
        page.get_by_label("Code").fill(code.upper())
        page.get_by_role("button", name="Continue").click()
        page.get_by_role("heading", name="Question 2 of 3").wait_for()
        page.goto(f"{address}/compare")
        page.goto(link)
        for number in (2, 3):
            page.get_by_role("heading", name=f"Question {number} of 3").wait_for()
            for option in page.locator(".option").all()[:3]:
                option.click()
            page.get_by_role("button", name="Next").click()
        page.get_by_role("heading", name="Thank you").wait_for()
        page.goto(f"{address}/results")
        page.get_by_role("textbox", name="Token").fill(OWNER)
        page.get_by_role("button", name="Continue").click()
        page.get_by_text("1 participant, 3 answers").wait_for()
        assert page.locator(".result h2").inner_text() == "Choose-3"
        assert "too few people" in page.locator(".result table").first.inner_text()
        page.close()
    assert Questionnaire.open(study).counts()["answers"] == 3


def begin(page, address):
    page.goto(f"{address}/survey")
    page.get_by_label("I agree to take part").check()
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("heading", name="Question 1 of 3").wait_for()


def choose_three(page):
    for option in page.locator(".option").all()[:3]:
        option.click()
    page.get_by_role("button", name="Next").click()


@pytest.mark.browser
def test_two_people_at_once_and_a_server_that_is_killed_lose_no_answer(study, browser):
    pages = [browser.new_context().new_page() for _ in range(2)]
    with process("--study", str(study)) as (server, address):
        for page in pages:
            begin(page, address)
        for page in pages:
            choose_three(page)
            page.get_by_role("heading", name="Question 2 of 3").wait_for()
        server.kill()
    assert Questionnaire.open(study).counts() == {"participants": 2, "answers": 2, "by_arm": {"choose-3": 2}}
    with process("--study", str(study)) as (_, address):
        for page in pages:
            page.goto(f"{address}/survey#{page.url.rpartition('#')[2]}")
            for number in (2, 3):
                page.get_by_role("heading", name=f"Question {number} of 3").wait_for()
                choose_three(page)
            page.get_by_role("heading", name="Thank you").wait_for()
            page.context.close()
    assert Questionnaire.open(study).counts()["answers"] == 6
