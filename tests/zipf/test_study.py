"""One record of a study: its conclusion comes first, and what is missing says why."""

from __future__ import annotations

import json

import pytest

from lexicloud.say.blocks import Figure, Sentence
from lexicloud.say.map_block import Map
from lexicloud.zipf import StudyOptions, study_zipf
from tests.zipf.themes import theme_corpus


@pytest.fixture(scope="module")
def study():
    options = StudyOptions(samples=0, clusters=4, projection="pca", strict=False, by_document=True)
    return study_zipf(theme_corpus([40, 30, 20, 10]), options)


def test_the_conclusion_comes_first_and_is_said_once(study):
    first, *others = study.blocks()
    assert first == Sentence(study.conclusion, "answer")
    assert study.clusters.conclusion in study.conclusion
    told = [block.text for block in others if isinstance(block, Sentence)]
    assert study.clusters.conclusion not in told
    assert not [block for block in others if isinstance(block, Sentence) and block.role == "answer"]


def test_every_piece_stands_under_its_title(study):
    titles = [b.text for b in study.blocks() if isinstance(b, Sentence) and b.role == "title"]
    assert titles[0] == "Words by rank"
    assert {"Clusters of sentences", "The vocabulary on a plane", "Each document"} <= set(titles)
    drawn = {block.name for block in study.blocks() if isinstance(block, Figure)}
    maps = {"projection" for block in study.blocks() if isinstance(block, Map)}
    assert drawn | maps == set(study.figures())


def test_a_piece_without_an_answer_says_why():
    study = study_zipf(theme_corpus([3, 2]), StudyOptions(clusters=35, strict=False))
    assert study.clusters is None
    reason = study.missing["clusters"]
    assert "too few clusters" in reason
    assert f"Not here: {reason}." in [b.text for b in study.blocks() if isinstance(b, Sentence)]
    assert json.loads(study.to_json())["missing"]["clusters"] == reason


def test_cluster_sizes_say_whether_they_fall_exponentially(study):
    """On exact laws one of the two lines is perfect (oracle: the laws themselves)."""
    import numpy as np

    from lexicloud.zipf.ranks import size_line

    ranks = np.arange(1, 21)
    power, exponential = size_line((1e6 / ranks).round()), size_line((1e6 * 0.7**ranks).round())
    assert power.r_squared == pytest.approx(1, abs=1e-6)
    assert power.r_squared > power.exponential
    assert exponential.exponential == pytest.approx(1, abs=1e-4)
    assert exponential.exponential > exponential.r_squared
