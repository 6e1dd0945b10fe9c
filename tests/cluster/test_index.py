"""An index in shards on real processes answers as one index, also after shards were added and a worker was killed."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.cluster import ShardedIndex
from lexicloud.search import SentenceIndex
from lexicloud.search.items import from_documents
from lexicloud.text import read_documents
from tests.texts import TEXTS

pytestmark = pytest.mark.slow

QUERIES = ("the captain watched the storm at sea", "soup with pepper", "a lawyer and a juror in trial")
WORDS = sorted({word.strip('.,"!;').lower() for text in TEXTS.values() for word in text.split()})


def write(folder, first, last):
    folder.mkdir(exist_ok=True)
    for i in range(first, last):
        rng = np.random.default_rng(i)
        sentences = [" ".join(rng.choice(WORDS, rng.integers(5, 14))).capitalize() + "." for _ in range(20)]
        (folder / f"text{i:03d}.txt").write_text(" ".join(sentences), encoding="utf-8")


@pytest.fixture
def texts(tmp_path):
    write(tmp_path / "texts", 0, 12)
    return tmp_path / "texts"


def one_index(*folders):
    import lexicloud.search.methods.related_numba  # noqa: F401 (the quick scorer from the first query on)

    documents = [document for folder in folders for document in read_documents(folder)]
    return SentenceIndex.build(from_documents(documents), split=True)


def told(found):
    """What is exact: which sentences, in which order, for which words."""
    return [(s.id, s.text, s.weak, [(m.word, m.near) for m in s.matches]) for s in found]


def numbers(found):
    """What other processes, whose matrix products may run otherwise, find up to rounding."""
    return [value for s in found for value in (s.score, *(m.adds for m in s.matches))]


def test_shards_answer_as_one_index_and_more_are_added_later(client, texts, tmp_path):
    index = ShardedIndex.build(client, texts, tmp_path / "index", shards=3)
    one = one_index(texts)
    assert len(index) == len(one)
    for query in QUERIES:
        for arguments in ({}, {"mode": "varied"}, {"dense": None, "top": 9}):
            expected, found = one.search(query, **arguments), index.search(query, **arguments)
            assert told(found) == told(expected)
            assert numbers(found) == pytest.approx(numbers(expected), abs=1e-5)
            assert found.notes == expected.notes
    write(tmp_path / "more", 12, 15)
    index.add(tmp_path / "more")
    one = one_index(texts, tmp_path / "more")
    assert repr(index).startswith(f"<ShardedIndex of {len(one)} sentences in 4 shards")
    reopened = ShardedIndex(client, tmp_path / "index")
    for query in QUERIES:
        assert told(index.search(query)) == told(reopened.search(query)) == told(one.search(query))


def test_a_worker_that_is_killed_costs_time_and_nothing_else(machines, texts, tmp_path):
    from distributed import Client

    with Client(machines.address, timeout=120) as client:
        client.wait_for_workers(2, timeout=120)
        index = ShardedIndex.build(client, texts, tmp_path / "index", shards=4)
        before = told(index.search(QUERIES[0]))
        machines.workers[0].kill()
        assert told(index.search(QUERIES[0])) == before
        assert told(index.search(QUERIES[1], mode="varied")) == told(
            one_index(texts).search(QUERIES[1], mode="varied")
        )
