"""Duplicates: copies and rewordings in clusters, bots and signatures left out."""

from __future__ import annotations

import pytest

from lexicloud.errors import OptionError
from lexicloud.search import SentenceIndex, find_duplicates
from lexicloud.search.duplicates import COPY, confidence_of, without_templates

TICKETS = [
    ("a", "The printer prints nothing but empty pages."),
    ("b", "Password reset mail never arrives in my inbox."),
    ("c", "the printer  prints nothing but empty pages."),
    ("d", "My password reset mail never arrives."),
    ("e", "Crash when a photo is rotated twice."),
]
BOT = "Automatic alert of the monitoring system, host {0}: disk usage above {0} percent, please have a look at {1}."
PLACES = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "mu",
    "nu",
    "pi",
]


def test_copies_and_rewordings_are_clusters_surest_first():
    found = find_duplicates(SentenceIndex.build(TICKETS), confidence=0.4)
    assert [cluster.ids for cluster in found.clusters] == [("a", "c"), ("b", "d")]
    assert found.clusters[0].pairs[0].kind == COPY
    assert found.clusters[0].confidence == 1
    assert list(found.to_pandas()["first"]) == ["a", "b"]
    assert repr(found) == "<Duplicates: 2 clusters among 5 texts>"


def test_what_a_bot_says_each_time_makes_no_duplicates():
    others = [f"{a}{b}ock {b}{a}unk {a}{a}{b}olt" for a in PLACES for b in PLACES]
    index = SentenceIndex.build([*(BOT.format(i + 10, place) for i, place in enumerate(PLACES)), *others])
    assert find_duplicates(index, templates=True, confidence=0.2).clusters
    assert not find_duplicates(index, confidence=0.2).clusters


def test_templates_go_and_what_was_written_stays():
    texts = [f"{BOT.format(i, 'x')} {place} burns." for i, place in enumerate(PLACES)]
    assert without_templates(texts)[0].endswith("alpha burns.")
    assert "monitoring" not in without_templates(texts)[0]


def test_removed_texts_are_no_duplicates():
    index = SentenceIndex.build(TICKETS)
    index.remove(["c"])
    assert all("a" not in cluster.ids for cluster in find_duplicates(index).clusters)


def test_confidence_rises_with_likeness_and_is_checked():
    assert confidence_of(0.2) < confidence_of(0.7) < confidence_of(1.0) < confidence_of(1.0, COPY) == 1
    with pytest.raises(OptionError, match="above 0 and at most 1"):
        find_duplicates(SentenceIndex.build(TICKETS), confidence=0)
