"""An index in parts answers as one index of all sentences: ranks, scores, reasons, covers, notes, removals, filters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from lexicloud.errors import OptionError
from lexicloud.search import SentenceIndex, in_parts
from lexicloud.search.methods import bm25_scores, hybrid
from lexicloud.search.parts import Statistics
from tests.texts import TEXTS

WORDS = sorted({word.strip('.,"!;').lower() for text in TEXTS.values() for word in text.split()})
QUERIES = [
    "the captain watched the storm at sea",
    "soup with pepper",
    "a lawyer and a juror in trial",  # words that no sentence has
    "wharf",
    "captian of the ship",  # a slip
    '"the ship"',
    "sailors -storm",
]


def sentences(n: int = 400, seed: int = 1) -> list[tuple[str, str, dict[str, int]]]:
    rng = np.random.default_rng(seed)
    made = [" ".join(rng.choice(WORDS, rng.integers(4, 14))) + "." for _ in range(n)]
    made[50] = made[350] = made[7]  # repeated, within a part and across parts
    made[200] = QUERIES[0]
    return [(f"s{i}", text, {"year": 1900 + i % 100}) for i, text in enumerate(made)]


class Parts:
    """Parts of an index in one process, each asked in turn."""

    def __init__(self, indexes: list[SentenceIndex]) -> None:
        sizes = [len(index._snapshot.whole) for index in indexes]
        self.firsts = [sum(sizes[:i]) for i in range(len(sizes))]
        self.whole = whole_of(indexes)
        self.parts = [
            index.as_part(self.whole, first) for index, first in zip(indexes, self.firsts, strict=True)
        ]

    def search(self, query, **arguments):
        def each(work, shared):
            return [work(part, shared) for part in self.parts]

        return in_parts.search(each, self.whole, self.firsts, query, **arguments)


def whole_of(indexes):
    whole = Statistics.joined([Statistics.of(index._snapshot) for index in indexes])
    before, samples = 0, []
    for index in indexes:
        samples.append(hybrid.sampled(index._snapshot.database, whole.living, before))
        before += len(index)
    whole, bags = whole.with_directions(samples), whole.random_bags()
    databases = [index.as_part(whole)._snapshot.database for index in indexes]
    return whole.with_chance(bags, [bm25_scores.best_of_bags(database, bags) for database in databases])


@pytest.fixture(scope="module")
def items():
    return sentences()


@pytest.fixture(scope="module")
def one(items):
    return SentenceIndex.build(items)


@pytest.fixture(scope="module")
def parts(items):
    cuts = [0, 120, 130, 310, 400]
    return Parts([SentenceIndex.build(items[a:b]) for a, b in pairwise(cuts)])


def told(found):
    return [
        (
            s.id,
            s.text,
            s.row,
            s.weak,
            s.same,
            s.metadata,
            [(m.word, m.near, m.kind, round(m.adds, 9)) for m in s.matches],
        )
        for s in found
    ]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"dense": None},
        {"mode": "varied"},
        {"mode": "varied", "weighting": "uniform", "top": 12},
        {"top": 3, "offset": 4},
        {"where": {"year": {"<": 1930}}},
        {"distinct": True, "top": 20},
        {"mode": "varied", "distinct": False, "top": 9},
    ],
    ids=str,
)
def test_parts_answer_as_one_index(one, parts, query, arguments):
    expected, found = one.search(query, **arguments), parts.search(query, **arguments)
    assert told(found) == told(expected)
    assert [s.score for s in found] == pytest.approx([s.score for s in expected], rel=1e-12)
    assert found.notes == expected.notes
    assert found.unknown == expected.unknown


def test_parts_list_but_do_not_sort(one, parts):
    where = {"year": {"<": 1930}}
    expected, found = one.search("", where=where), parts.search("", where=where)
    assert [s.id for s in found] == [s.id for s in expected]
    assert found.notes == ("no words to rank by: in the order of the index",)
    with pytest.raises(OptionError, match="leave sort out"):
        parts.search(QUERIES[0], sort="year")


def test_so_do_more_texts_than_are_all_looked_at(monkeypatch, items):
    monkeypatch.setattr(hybrid, "EVERY", 100)
    monkeypatch.setattr(hybrid, "COARSE", 40)
    one = SentenceIndex.build(items)
    parts = Parts([SentenceIndex.build(items[:120]), SentenceIndex.build(items[120:])])
    for query in QUERIES:
        assert told(parts.search(query)) == told(one.search(query))


def test_parts_may_have_several_segments(one, items):
    indexes = [SentenceIndex.build(items[:110]), SentenceIndex.build(items[120:390])]
    indexes[0].add(items[110:120])
    indexes[1].add(items[390:])
    assert [len(index.snapshot.segments) for index in indexes] == [2, 2]
    parts = Parts(indexes)
    for query in QUERIES:
        for arguments in ({}, {"dense": None}, {"mode": "varied"}):
            assert told(parts.search(query, **arguments)) == told(one.search(query, **arguments))


def test_removed_sentences_count_nowhere(items):
    gone = [f"s{i}" for i in range(0, 400, 7)]
    one = SentenceIndex.build(items)
    indexes = [SentenceIndex.build(items[:150]), SentenceIndex.build(items[150:])]
    one.remove(gone)
    indexes[0].remove([name for name in gone if int(name[1:]) < 150])
    indexes[1].remove([name for name in gone if int(name[1:]) >= 150])
    parts = Parts(indexes)
    for query in QUERIES:
        for arguments in ({}, {"mode": "varied"}):
            assert told(parts.search(query, **arguments)) == told(one.search(query, **arguments))


def test_what_the_whole_knows_is_kept(parts, tmp_path):
    parts.whole.save(tmp_path / "whole", {"shards": 4})
    opened = Statistics.open(tmp_path / "whole")
    assert opened.words.to_list() == parts.whole.words.to_list()
    assert (opened.df == parts.whole.df).all()
    assert (opened.chance, opened.living, opened.texts) == (parts.whole.chance, 400, 400)
    assert opened.meta is not None
    assert opened.meta["shards"] == 4


def test_what_parts_cannot_do_is_refused(parts):
    with pytest.raises(OptionError, match="modes related and varied"):
        parts.search("sea", method="wmd")
    with pytest.raises(OptionError, match="dense=None"):
        parts.search("sea", dense="some model")
