"""Set cover search against a slow, obvious implementation, apricot's greedy cover, and the paper's example."""

from __future__ import annotations

import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from lexicloud.neighbours import Neighbours
from lexicloud.search import SearchOptions, SentenceIndex
from lexicloud.search.find import find
from lexicloud.search.methods import ball, setcover, setcover_plain
from lexicloud.search.methods import setcover_numba as setcover_kernel
from lexicloud.search.methods.ball import LATENT, NearestWords
from tests.search.toy import VECTORS, WORDS, build, sentences

QUEEN = "Queen Elizabeth II of England is one of the longest ruling monarchs in history."
BAND = "The rock band Queen is famous for songs like 'Bohemian Rhapsody'."
KING = "King Louis XIV, former ruler of France, reigned more days than any other sovereign."


def naive_ball(
    index: SentenceIndex, query: str, r: int, weighting: str, *, own: bool = True
) -> dict[str, tuple[float, str]]:
    """U, each word with its least distance to a query word and that query word, by measuring every pair."""
    db, q = index.database, index.query(query)
    table = (db.vectors if weighting == "uniform" else db.refined).astype(np.float64)
    foreign = q.unknown_vectors if weighting == "uniform" else q.unknown_refined
    ignored = db.stopwords | db.punctuation
    points: dict[str, np.ndarray | None] = {}
    u: dict[str, tuple[float, str]] = {}
    for w in q.ids:
        if not ignored[w]:
            if own:
                u[db.words[w]] = (0.0, db.words[w])
            points[db.words[w]] = table[w] if db.embedded[w] else None
    for i, word in enumerate(q.unknown):
        if q.unknown_embedded[i] and q.unknown_content[i]:
            points[word] = foreign[i].astype(np.float64)
    for word, point in points.items():
        if point is None:
            continue
        gaps = np.linalg.norm(table - point, axis=1)
        others = (v for v in range(len(db.words)) if db.words[v] != word and db.embedded[v] and db.df[v] > 0)
        for gap, v in sorted((gaps[v], v) for v in others)[:r]:
            near = float(np.float32(gap))
            if not ignored[v] and near < u.get(db.words[v], (math.inf, ""))[0]:
                u[db.words[v]] = (near, word)
    return u


def naive_weights(index: SentenceIndex, u: dict[str, tuple[float, str]], weighting: str) -> dict[str, int]:
    """Whole numbers: 1 for every word, or idf × closeness at the scale the search chooses."""
    if weighting == "uniform":
        return dict.fromkeys(u, 1)
    db = index.database

    def idf(word: str) -> float:
        df = int(db.df[db.ids[word]]) if word in db.ids else 0
        return math.log1p((db.n - df + 0.5) / (df + 0.5))

    exact = {
        word: min(idf(word), idf(source)) * (1.0 if gap == 0 else LATENT * max(1 - gap**2 / 2, 0.0))
        for word, (gap, source) in u.items()
    }
    scale = min(2.0**16, 2.0 ** math.floor(math.log2(2.0**23 / max(sum(exact.values()), 1e-9))))
    return {word: max(round(value * scale), 1) for word, value in exact.items()}


def naive_score(words: set[str], left: dict[str, int], groups: dict[str, str]) -> int:
    """The best weight of each group, summed."""
    best: dict[str, int] = {}
    for word in words:
        best[groups[word]] = max(best.get(groups[word], 0), left[word])
    return sum(best.values())


def naive_cover(index: SentenceIndex, query: str, options: SearchOptions) -> list[int]:
    """The algorithm as it is written: score every sentence in every round."""
    db = index.database
    u = naive_ball(index, query, options.r, options.weighting, own=options.own_words)
    full = naive_weights(index, u, options.weighting)
    groups = {word: word if options.weighting == "uniform" else source for word, (_, source) in u.items()}
    sets = [{db.words[w] for w in db.sentence(i)} & set(full) for i in range(len(db))]
    free = {
        i
        for i in range(len(db))
        if db.lengths[i] >= options.shortest
        and (options.max_tokens is None or db.lengths[i] <= options.max_tokens)
        and (db.firsts is None or db.firsts[i])
        and Levenshtein.distance(db.texts[i], query) >= options.copy_edits(query)
    }

    def best(left: dict[str, int]) -> int | None:
        scores = {
            i: naive_score(sets[i], left, groups) / float(db.lengths[i]) ** options.penalty for i in free
        }
        found = max(scores, key=lambda i: (scores[i], -i), default=None)
        return found if found is not None and scores[found] > 0 else None

    left, chosen = dict(full), []
    for _ in range(options.top):
        found = best(left)
        if found is None:
            left = dict(full)
            found = best(left)
        if found is None:
            break
        chosen.append(found)
        free.remove(found)
        for w in sets[found]:
            left[w] = math.floor(np.float32(left[w]) * np.float32(options.kept))
    return chosen


@settings(max_examples=100, deadline=None)
@given(
    database=st.lists(sentences, min_size=1, max_size=30),
    query=sentences,
    r=st.integers(0, 5),
    rho=st.sampled_from([None, 0.0, 0.5, 1.0]),
    weighting=st.sampled_from(["uniform", "idf"]),
    max_tokens=st.sampled_from([None, 6]),
    keep=st.sampled_from([None, 0.0, 0.5, 1.0]),
    own=st.booleans(),
)
def test_fast_equals_naive(database, query, r, rho, weighting, max_tokens, keep, own):
    index = build(database)
    limits = {"min_tokens": 2, "max_tokens": max_tokens}
    options = SearchOptions(top=12, r=r, rho=rho, weighting=weighting, keep=keep, own_words=own, **limits)
    found = find(index.database, index.query(query), options)
    assert [s.row for s in found] == naive_cover(index, query, options)


@pytest.mark.slow
@pytest.mark.parametrize("weighting", ["uniform", "idf"])
@pytest.mark.parametrize("keep", [0.0, 0.5])
def test_a_few_candidates_are_enough(monkeypatch, weighting, keep):
    """Blocks at a time, so that most sentences are ruled out by their bounds alone; the cover begins again twice."""
    rng = np.random.default_rng(7)
    rare = 1 / (1 + np.arange(len(WORDS))) ** 1.3
    lengths = rng.integers(3, 14, size=3_000)
    texts = [" ".join(rng.choice(WORDS, size=n, p=rare / rare.sum())) for n in lengths]
    index, query = build(texts), "kagos lohin mijat tordan strange ."
    options = SearchOptions(top=20, weighting=weighting, keep=keep, r=2, near_copy=20)
    oracle = naive_cover(index, query, options)
    monkeypatch.setattr(setcover, "_WIDEN", 2)
    for width, few in [(1, 2**14), (2, 0), (6, 2**14)]:
        monkeypatch.setattr(setcover, "_WIDTH", width)
        monkeypatch.setattr(setcover, "_FEW", few)
        assert [s.row for s in find(index.database, index.query(query), options)] == oracle


@pytest.mark.parametrize("weighting", ["uniform", "idf"])
def test_kernels_stay_within_their_arrays(monkeypatch, weighting):
    """Run as Python, where a step outside of an array is an error: here with more query words than words in U, and
    with many short stretches of sentences.
    """
    index = build(["kadan lofel migos ruhin senjat", "lofel the of the of"] * 700)
    query = " ".join(w for w in VECTORS.words if w != "kadan")
    options = SearchOptions(weighting=weighting, r=2, top=4)
    crowded = build(["kadan the of the of"])

    def rows() -> list[tuple[int, float]]:
        return [(s.row, s.score) for i in (index, crowded) for s in find(i.database, i.query(query), options)]

    monkeypatch.setattr(setcover, "kernel_of", lambda _: setcover_kernel)
    compiled = rows()
    for name in ("gather", "next_candidate", "_bound", "_set_peaks", "_reaching", "_words_of", "_mass"):
        monkeypatch.setattr(setcover_kernel, name, getattr(setcover_kernel, name).py_func)
    monkeypatch.setattr(setcover_kernel, "STRETCH", setcover_kernel.BLOCK)
    assert len(compiled) > 2
    assert rows() == compiled


@settings(max_examples=60, deadline=None)
@given(
    database=st.lists(sentences, min_size=1, max_size=20),
    query=sentences,
    weighting=st.sampled_from(["uniform", "idf"]),
)
def test_reasons_add_up_to_the_score_and_can_be_replayed(database, query, weighting):
    index = build(database)
    covered: set[str] = set()
    found = index.search(query, weighting=weighting, min_tokens=1, top=8)
    for place, suggestion in enumerate(found):
        assert sum(m.adds for m in suggestion.matches) == pytest.approx(suggestion.score, rel=1e-9)
        if weighting == "uniform":
            length = index.database.lengths[suggestion.row]
            fresh = {m.word for m in suggestion.matches if m.kind != "covered"}
            assert suggestion.score == pytest.approx(len(fresh) / length**0.5)
            if fresh & covered:  # the cover began again: nothing that is still to come could have added to it
                assert {m.word for later in found[place:] for m in later.matches} <= covered
                covered = set()
            covered |= fresh


@pytest.mark.slow
def test_greedy_choice_equals_apricots_naive_max_coverage():
    apricot = pytest.importorskip("apricot")
    rng = np.random.default_rng(3)
    content = [w for w in WORDS if w not in {"the", "of", "."}]
    texts = [" ".join(rng.choice(content, size=rng.integers(5, 9), replace=False)) for _ in range(60)]
    index = build(texts)
    db = index.database
    query = " ".join(content[:12])
    u = naive_ball(index, query, 3, "uniform")
    member = np.array(
        [[float(w in {db.words[v] for v in db.sentence(i)}) for w in sorted(u)] for i in range(len(db))]
    )
    oracle = apricot.MaxCoverageSelection(4, threshold=1.0, optimizer="naive").fit(member)
    found = find(db, index.query(query), SearchOptions(top=4, r=3, rho=0, weighting="uniform", near_copy=0))
    assert [s.row for s in found] == list(oracle.ranking)
    assert [s.score for s in found] == list(oracle.gains)


@pytest.mark.parametrize("weighting", ["idf", "uniform"])
def test_the_king_comes_before_the_rock_band(weighting):
    """The paper's toy example, where Jaccard prefers the band."""
    index = SentenceIndex.build([BAND, KING])
    assert next(s.id for s in index.search(QUEEN, weighting=weighting)) == 1
    assert index.search(QUEEN)[0].text == KING
    assert ("queen", "king") in {(m.near, m.word) for m in index.search(QUEEN)[0].matches}


def test_short_sentences_copies_and_the_query_itself_are_passed_over():
    query = "kadan lofel migos ruhin senjat"
    texts = [query, query + " .", "kadan lofel migos", "kadan lofel migos ruhin torjat torhin tordan"]
    assert [s.text for s in build(texts).search(query, mode="varied")] == texts[3:]
    assert len(build(texts).search(query, mode="varied", near_copy=0, min_tokens=1)) == 4


def test_how_near_a_copy_may_be():
    """Eight edits are a copy to the paper, and to the default if they are few of the letters."""
    short, long = (
        "kadan lofel migos ruhin senjat",
        "kadan lofel migos ruhin senjat torjat torhin tordan kadan lofel migos ruhin senjat of the of",
    )
    for query, by_default in ((short, False), (long, True)):
        index = build([query + " of the "[:8], "kadan lofel of of the the of the of the of the"])
        assert len(index.search(query, weighting="uniform")) == 1
        assert len(index.search(query, mode="varied")) == (1 if by_default else 2)
        assert len(index.search(query, mode="varied", near_copy=9)) == 1
    assert (SearchOptions().copy_edits(short), SearchOptions().copy_edits(long)) == (3, 9)


def test_equal_scores_go_to_the_lower_row_across_blocks():
    """More rows than share one bound: every other is a tie."""
    fill = ["the of . the of"] * 700
    texts = [*fill, "kadan the of . the", *fill, "the kadan of . the"]
    found = build(texts).search("kadan", weighting="uniform", r=0, distinct=False)
    assert [s.row for s in found] == [700, 1401]


def test_the_cover_begins_again_when_nothing_is_left():
    texts = ["kadan the of the of", "kadan of the of the", "the kadan of the of"]
    found = build(texts).search("kadan", r=0, weighting="uniform", top=3, near_copy=1)
    assert [s.id for s in found] == [0, 1, 2]
    assert all(s.matches[0].kind != "covered" for s in found)


def test_words_outside_the_database_lead_to_their_neighbours():
    index = build(["kadan lofel migos ruhin senjat", "torjat the of the of"])
    found = index.search("unseen", r=2, weighting="uniform")
    assert found
    assert {m.near for s in found for m in s.matches} == {"unseen"}
    gaps = np.linalg.norm(index.database.vectors - VECTORS["unseen"], axis=1)
    least = min(m.distance for s in found for m in s.matches)
    near = np.sort(gaps[index.database.embedded])[:2]
    assert least == pytest.approx(near[0]) or least == pytest.approx(near[1])


def test_words_without_a_vector_are_named():
    found = build(["kadan lofel migos ruhin senjat"]).search("qqqqq wwwww")
    assert found == []
    assert found.unknown == ("qqqqq", "wwwww")
    assert any("qqqqq, wwwww" in note for note in found.notes)


def test_only_stop_words_is_an_explained_empty_answer():
    found = build(["kadan lofel migos ruhin senjat the"]).search("the of the")
    assert found == []
    assert "stop words" in found.notes[-1]


@pytest.mark.parametrize("weighting", ["idf", "uniform"])
def test_weights_of_a_long_query_stay_exact(weighting):
    """Every word at once: sums must not leave the range in which float32 counts exactly."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, size=40)) for _ in range(40)]
    index, options = build(texts), SearchOptions(top=10, weighting=weighting, r=3)
    query = " ".join(WORDS * 3)
    assert [s.row for s in find(index.database, index.query(query), options)] == naive_cover(
        index, query, options
    )


@settings(max_examples=25, deadline=None)
@given(pool=st.lists(sentences, min_size=1, max_size=8), r=st.integers(1, 12), refined=st.booleans())
def test_words_found_when_asked_for_are_those_of_the_table(pool, r, refined):
    database = build(pool).database
    table = NearestWords(database, refined=refined)
    words = np.flatnonzero(table.offered).astype(np.int32)
    ids, distances = table.of_words(words, r)
    whole = Neighbours.build(table.vectors, r, table.offered)
    assert ids.tolist() == whole.ids[words].tolist()
    assert distances == pytest.approx(whole.distances[words])


@settings(deadline=None)
@given(
    pool=st.lists(sentences, min_size=1, max_size=30),
    query=sentences,
    weighting=st.sampled_from(["idf", "uniform"]),
)
def test_the_plain_loops_cover_as_the_compiled_ones_do(pool, query, weighting):
    index = build(pool)
    found = []
    for kernel in (setcover_kernel, setcover_plain):
        with mock.patch.object(setcover, "kernel_of", lambda _, kernel=kernel: kernel):
            answer = index.search(query, "setcover", weighting=weighting, min_tokens=1, top=9)
        found.append([(s.id, s.score, s.matches) for s in answer])
    assert found[0] == found[1]


@pytest.mark.parametrize("dimension", [3, 50, 70])
def test_nearest_words_in_bytes_are_those_of_a_look_at_every_word(dimension):
    rng = np.random.default_rng(dimension)
    vectors = rng.normal(size=(700, dimension)).astype(np.float32)
    vectors[::7] = vectors[1::7]  # equally near ones
    words = np.flatnonzero(rng.random(700) < 0.9).astype(np.int32)
    ball.compile_nearest()
    coarse = ball._Bytes.of(vectors, words)
    points = np.concatenate([vectors[words[:5]], rng.normal(size=(5, dimension)).astype(np.float32)])
    for own in (words[:10], None):
        found = coarse.near(points, 6, own)
        for i, point in enumerate(points):
            far = ((vectors[words].astype(np.float64) - point) ** 2).sum(axis=1)
            if own is not None:
                far[words == own[i]] = np.inf
            near = set(words[far <= np.sort(far)[5]].tolist())
            assert near <= set(found[i].tolist())
            assert (words[i] not in found[i]) or own is None
