"""The API answers as documented, in one shape, and explains itself."""

from __future__ import annotations

import math
import re
import time
from pathlib import Path

import pytest

from lexicloud.operations.search import LONG_METHODS
from lexicloud.web.sources import Source
from tests.report.stories import library
from tests.web.test_security import error_of

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def post(client, path, **body):
    return client.post(f"/api/v1/{path}", json=body)


def any_sentence(client):
    return post(client, "search", query="letter").json()["result"]["suggestions"][0]


def test_health_needs_nothing_and_names_the_version(client):
    from lexicloud.version import __version__

    assert client.get("/api/v1/health").json() == {
        "status": "ready",
        "version": __version__,
        "sources": 1,
        "token": False,
    }


def test_a_search_gives_reasons_that_add_up_to_the_score(client):
    found = post(client, "search", query="She wrote a long letter by the sea.", top=4, context=1).json()[
        "result"
    ]
    assert found["source"] == "stories"
    assert 1 <= len(found["suggestions"]) <= 4
    for one in found["suggestions"]:
        assert math.isclose(sum(m["adds"] for m in one["matches"]), one["score"], rel_tol=1e-4)
        assert one["title"]
        assert set(one) >= {"id", "text", "highlights", "author", "before", "after"}
        assert all(0 <= a < b <= len(one["text"]) for a, b in one["highlights"])


def test_the_sentences_around_a_suggestion_come_from_its_text(client, folder):
    found = post(client, "search", query="a letter", top=3, context=2).json()["result"]["suggestions"]
    for one in found:
        text = " ".join((folder / f"{one['title']}.txt").read_text().split())
        for sentence in (*one["before"], one["text"], *one["after"]):
            assert " ".join(sentence.split()) in text


def test_every_method_answers(client):
    for method in ("related", "setcover", "average", "wmd", "jaccard", "levenshtein", "bm25"):
        found = post(client, "search", query="the old letter", method=method, top=2)
        assert found.status_code == 200
        assert all(s["method"] == method for s in found.json()["result"]["suggestions"])


def test_modes_are_those_of_the_library(client):
    for mode, method in (("related", "related"), ("varied", "setcover")):
        found = post(client, "search", query="the old letter on the ship", mode=mode, top=2).json()["result"]
        assert found["method"] == method
    assert post(client, "search", query="a ship", mode="varied", method="wmd").status_code == 422


def test_many_queries_are_answered_in_their_order_as_one_would_be(client):
    queries = ["the letter", "a ship on the sea", "the kitchen"]
    found = post(client, "search_many", queries=queries, top=2).json()["result"]["answers"]
    assert [one["query"] for one in found] == queries
    alone = post(client, "search", query=queries[1], top=2).json()["result"]
    assert [s["id"] for s in found[1]["suggestions"]] == [s["id"] for s in alone["suggestions"]]


def test_a_sentence_can_be_explained_by_its_id(client):
    first = any_sentence(client)
    found = post(client, "explain", query="letter", id=first["id"]).json()["result"]
    one = found["suggestion"]
    assert one["id"] == first["id"]
    assert math.isclose(sum(m["adds"] for m in one["matches"]), one["score"], rel_tol=1e-4)
    assert post(client, "explain", query="letter", id="no such id").status_code == 404


def test_nearest_words(client):
    found = client.get("/api/v1/neighbours", params={"word": "whale", "k": 3}).json()["result"]["neighbours"]
    assert len(found) == 3
    assert found[0]["word"] == "whales"
    assert error_of(client.get("/api/v1/neighbours", params={"word": "qqqzzzxx"}))["code"] == "not_found"


@pytest.mark.parametrize("look", ["mixed", "close", "surprising"])
def test_writers_get_suggestions_each_way(client, look):
    found = post(client, "suggest", sentence="The old captain wrote a letter home.", look=look, top=4).json()[
        "result"
    ]
    ids = [s["id"] for s in found["suggestions"]]
    assert ids
    assert len(ids) == len(set(ids))


def test_quotation_marks_of_a_story_are_no_signs_of_a_query(client):
    said = 'He said: "The captain wrote -- a letter home," and NOT field:one laughed.'
    found = post(client, "suggest", sentence=said, top=4).json()["result"]
    assert found["suggestions"]
    assert not [note for note in found["notes"] if "must" in note]


def test_a_length_is_kept_to(client):
    found = post(client, "suggest", sentence="The old captain wrote a letter.", length="short").json()[
        "result"
    ]
    assert all(len(s["text"].split()) <= 12 for s in found["suggestions"])


def test_mixed_is_set_cover_and_averages_in_turns(client):
    found = post(client, "suggest", sentence="The old captain wrote a letter home.", top=6).json()["result"][
        "suggestions"
    ]
    alone = post(
        client, "search", query="The old captain wrote a letter home.", mode="interleaved", top=6
    ).json()["result"]
    assert [s["id"] for s in found] == [s["id"] for s in alone["suggestions"]]


def test_two_texts_are_compared_word_by_word(client):
    sea = (
        "The captain watched the waves while the ship rolled and the crew pulled the ropes in the storm. " * 6
    )
    soup = (
        "The cook chopped onions and carrots while butter melted in the pan and garlic filled the kitchen. "
        * 6
    )
    found = post(
        client, "compare", texts=[{"name": "sea", "text": sea}, {"name": "soup", "text": soup}], top=1000
    ).json()["result"]
    pair = found["pair"]
    assert found["names"] == ["sea", "soup"]
    assert math.isclose(sum(part["value"] for part in pair["kinds"]), pair["value"], rel_tol=1e-6)
    for part in pair["kinds"]:
        assert math.isclose(sum(w["adds"] for w in part["words"]), part["value"], abs_tol=1e-9)
    assert {part["kind"] for part in pair["kinds"] if part["words"]} >= {"content", "function"}


def test_the_words_of_both_texts_stand_in_two_columns(client):
    texts = [
        {"name": "sea", "text": "The captain watched the waves while the ship rolled in the storm. " * 6},
        {"name": "soup", "text": "The cook chopped onions while butter melted in the hot kitchen. " * 6},
    ]
    bars = next(b for b in post(client, "compare", texts=texts).json()["say"] if b["block"] == "bars")
    sides = {sign: {bar["name"] for bar in bars["bars"] if bar["length"] * sign > 0} for sign in (1, -1)}
    assert (bars["right"], bars["left"]) == ("more in sea", "more in soup")
    assert {"captain", "ship"} <= sides[1]
    assert {"cook", "kitchen"} <= sides[-1]
    assert not [bar for bar in bars["bars"] if "−" in bar["value"]]


def test_many_texts_are_mapped_and_texts_of_a_source_can_be_named(client, settings):
    names = client.get("/api/v1/sources").json()["sources"][0]["texts"]
    found = post(client, "compare", source="stories", names=names[:4]).json()["result"]
    assert found["names"] == names[:4]
    assert len(found["points"]) == 4
    assert {found["pair"]["a"], found["pair"]["b"]} <= set(names)
    assert post(client, "compare", source="stories", names=["nobody", names[0]]).status_code == 404
    assert "texts or names" in error_of(post(client, "compare"))["message"]


def test_what_is_answered_is_the_result_and_the_result_in_words(client, folder):
    """The same dictionary and the same words as the library has, for every door."""
    from lexicloud.corpus import Corpus
    from lexicloud.divergences import divergence
    from lexicloud.result import plain
    from lexicloud.say.blocks import as_data

    chosen = sorted(folder.glob("*.txt"))[::4][:2]
    texts = [{"name": file.stem, "text": file.read_text()} for file in chosen]
    answer = post(client, "compare", texts=texts).json()
    corpus = Corpus.from_texts({one["name"]: one["text"] for one in texts})
    own = divergence(corpus, *corpus.names, top=30, symmetric=True)
    assert answer["result"]["pair"] == plain(own.to_dict())
    assert answer["say"] == as_data(own.blocks())


def test_the_author_of_an_unknown_story_is_found(client):
    from tests.report.stories import story

    found = post(
        client, "attribute", source="stories", unknown=[{"name": "new", "text": story("Salt", 9, 15)}]
    )
    answer = found.json()["result"]["answers"][0]
    assert max(answer["probabilities"], key=answer["probabilities"].get) == "Salt"
    total = sum(answer["probabilities"].values()) + (answer.get("none") or 0.0)
    assert math.isclose(total, 1.0, abs_tol=1e-6)


def test_the_evidence_and_the_way_along_the_text_come_with_the_answer(client):
    from tests.report.stories import story

    text = " ".join(story("Salt", i, 60) for i in range(20))
    body = {"source": "stories", "unknown": [{"name": "long", "text": text}], "rolling": True}
    found = post(client, "attribute", **body).json()["result"]
    answer = found["answers"][0]
    assert answer["evidence"]
    assert answer["label"] in {*answer["probabilities"], None}
    along = found["along"][0]
    assert along["name"] == "long"
    assert len(along["references"]) == len(along["values"])


def test_what_gives_a_draft_away_is_listed(client):
    from tests.report.stories import story

    draft = " ".join(story("Salt", i, 60) for i in range(30, 36))
    found = post(client, "style", source="stories", draft=draft).json()["result"]
    assert found["author"] == "Salt"
    assert found["reasons"]
    assert "no author 'nobody'" in post(client, "style", source="stories", draft=draft, towards="nobody").text


def test_whether_one_hand_wrote_two_texts(client):
    from tests.report.stories import story

    found = post(client, "verify", known=[story("Salt", 1, 40)], unknown=story("Salt", 2, 40)).json()[
        "result"
    ]
    assert 0 <= found["probability"] <= 1
    assert found["decision"]
    assert found["evidence"]


def test_a_known_text_that_holds_the_unknown_one_is_left_out(client):
    name = client.get("/api/v1/sources").json()["sources"][0]["texts"][0]
    text = client.get("/api/v1/sources/stories/text", params={"name": name}).json()
    copied = text["text"][: len(text["text"]) // 2].upper().replace(" ", "\n")
    found = post(client, "attribute", source="stories", unknown=[{"name": "new", "text": copied}]).json()[
        "result"
    ]
    assert found["left_out"] == [name]


def test_one_text_of_a_source(client):
    answer = client.get("/api/v1/sources/stories/text", params={"name": "no such text"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_attribution_needs_two_authors(client):
    one = [
        {"name": "a", "text": "some words here", "author": "A"},
        {"name": "b", "text": "more words", "author": "A"},
    ]
    answer = post(client, "attribute", known=one, unknown=[{"name": "u", "text": "a text"}])
    assert answer.status_code == 422
    assert "two authors" in error_of(answer)["remedy"]


def test_a_job_can_be_begun_watched_and_fetched(client):
    names = client.get("/api/v1/sources").json()["sources"][0]["texts"]
    begun = client.post(
        "/api/v1/compare", json={"source": "stories", "names": names[:3]}, headers={"prefer": "respond-async"}
    )
    assert begun.status_code == 202
    where = begun.headers["location"]
    for _ in range(600):
        if (state := client.get(where).json())["state"] == "done":
            break
    assert state["state"] == "done"
    assert client.get(f"{where}/result").json()["result"]["names"] == names[:3]
    assert client.get("/api/v1/jobs/none").status_code == 404


@pytest.mark.parametrize(
    ("path", "body", "keys"),
    [
        ("keywords", {"group": "Salt"}, {"over", "under"}),
        ("contexts", {"word": "the"}, {"lines", "total"}),
        ("zipf", {}, {"ranks", "counts", "fit", "predicted"}),
        ("parts", {}, {"parts"}),
        ("map", {"of": "words", "n": 60}, {"words", "coordinates", "regions"}),
        ("map", {"of": "texts"}, {"names", "coordinates", "fit"}),
        ("map", {"of": "sentences", "n": 60}, {"names", "coordinates", "fit"}),
        ("clusters", {"k": 3}, {"clusters"}),
    ],
)
def test_a_collection_can_be_explored(client, path, body, keys):
    answer = post(client, f"explore/{path}", source="stories", **body)
    assert answer.status_code == 200, answer.text
    assert keys <= set(answer.json()["result"])
    assert answer.json()["say"]


def test_trends_go_along_a_text_and_along_years_where_there_are_any(client):
    name = client.get("/api/v1/sources").json()["sources"][0]["texts"][0]
    found = post(client, "explore/trends", words=["the", "nonesuch"], text=name, bins=5).json()["result"]
    assert len(found["rates"]["the"]) == 5
    assert found["counts"]["nonesuch"] == [0] * 5
    assert "year" in error_of(post(client, "explore/trends", words=["the"]))["message"]


def test_dropped_texts_become_a_source_and_can_be_forgotten(client):
    texts = [
        {"name": "diary", "text": "The moon rose over the sea. We sailed home. Nobody spoke of the storm."}
    ]
    made = post(client, "sources", title="My diary", texts=texts).json()
    assert made["sentences"] == 3
    found = post(client, "search", query="the storm at sea", source=made["id"], top=1).json()["result"]
    assert found["suggestions"][0]["title"] == "diary"
    assert client.delete(f"/api/v1/sources/{made['id']}").status_code == 204
    assert post(client, "search", query="the storm", source=made["id"]).status_code == 404
    assert client.delete("/api/v1/sources/stories").status_code == 403


def test_the_oldest_dropped_texts_make_room(client, settings):
    texts = [{"name": "t", "text": "A short text about the sea and the ship."}]
    made = [post(client, "sources", title=f"{i}", texts=texts).json()["id"] for i in range(5)]
    there = {s["id"] for s in client.get("/api/v1/sources").json()["sources"]}
    assert there & set(made) == set(made[-settings.limits.sources :])
    for identifier in there & set(made):
        client.delete(f"/api/v1/sources/{identifier}")


@pytest.mark.parametrize(
    ("path", "body", "where"),
    [
        ("search", {}, "query"),
        ("search", {"query": ""}, "query"),
        ("search", {"query": "a", "top": 0}, "top"),
        ("search", {"query": "a", "top": 51}, "top"),
        ("search", {"query": "a", "metod": "wmd"}, "metod"),
        ("search", {"query": "x" * 10_001}, "query"),
        ("search_many", {"queries": ["a"] * 201}, "queries"),
        ("suggest", {"sentence": "a b", "mood": "angry"}, "mood"),
        ("compare", {"texts": [{"name": "a", "text": "b"}]}, "texts"),
    ],
)
def test_a_field_that_does_not_fit_is_named(client, path, body, where):
    answer = client.post(f"/api/v1/{path}", json=body)
    assert answer.status_code == 422
    assert error_of(answer)["where"] == where


def test_a_mistake_of_the_library_keeps_its_remedy(client):
    answer = post(client, "search", query="...", top=1)
    assert answer.status_code in {200, 422}
    answer = post(client, "search", query="a ship", min_tokens=30, max_tokens=5)
    assert answer.status_code == 422
    error = error_of(answer)
    assert "max_tokens = 5 is below min_tokens = 30" in error["message"]


def test_metrics_count_requests_by_route(client):
    post(client, "search", query="a ship")
    text = client.get("/api/v1/metrics").text
    assert 'lexicloud_requests_total{method="POST",route="/api/v1/search",status="200"}' in text
    assert "lexicloud_request_seconds_bucket" in text
    assert "process_resident_memory_bytes" in text


def test_a_person_who_mistypes_an_address_sees_a_page(client):
    answer = client.get("/nowhere", headers={"accept": "text/html,*/*"})
    assert answer.status_code == 404
    assert "There is nothing at this address" in answer.text
    assert client.get("/api/v1/nowhere", headers={"accept": "text/html"}).json()["error"]["status"] == 404


def test_unknown_addresses_answer_in_the_one_shape(client):
    assert error_of(client.get("/api/v1/nothing"))["code"] == "not_found"
    assert error_of(client.put("/api/v1/search"))["code"] in {"method_not_allowed", "not_text"}


def test_texts_that_cannot_be_prepared_are_told_and_not_waited_for():
    def broken():
        raise RuntimeError("of our own making")

    source = Source("s", "Some texts", "folder", load=broken)
    source.prepare()
    assert source.state == "failed"
    assert source.to_dict()["error"]["status"] == 500
    assert source.prepared.is_set()


@pytest.mark.parametrize(("method", "most"), list(LONG_METHODS.items()))
def test_a_query_is_bounded_by_its_method(client, method, most):
    query = ("the captain sailed home " * 1000)[: most + 1]
    for path, body in (
        ("search", {"query": query}),
        ("search_many", {"queries": ["a ship", query]}),
        ("explain", {"query": query, "id": "x"}),
    ):
        answer = client.post(f"/api/v1/{path}", json={**body, "method": method})
        assert answer.status_code == 422
        error = answer.json()["error"]
        assert f"at most {most:,} characters" in error["message"]
        assert "another method" in error["remedy"]
    assert client.post("/api/v1/search", json={"query": query[:most], "method": method}).status_code == 200


def test_the_examples_of_the_page_run(client, capsys):
    """Up to the retrievers, whose packages are extras; `httpx.Client` is the client of this server."""

    class Api:
        def __getattr__(self, verb):
            return lambda path, **rest: getattr(client, verb)(f"/api/v1{path}", **rest)

    draft, letter = list(library(1, 15).values())[:2]
    names = {"api": Api(), "draft": draft, "letter": letter}
    search, job = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[:2]
    exec(search.partition("timeout=60)\n")[2], names)
    assert " · " in capsys.readouterr().out
    exec(job.replace("    print(", "    sleep(0.05)\n    print("), names | {"sleep": time.sleep}, names)
    assert set(names["answer"]) == {"result", "say"}


def test_every_route_stands_on_the_page(client):
    """Those of one kind (`/explore/…`, `/shelf/files` `texts` …) share a row."""
    page = PAGE.read_text("utf-8")
    for route in client.get("/api/v1/openapi.json").json()["paths"]:
        path = route.removeprefix("/api/v1")
        _, _, last = path.rpartition("/")
        kind = path.startswith(("/explore/", "/shelf/")) and f"`{last}`" in page
        assert kind or f"{path}`" in page, path
