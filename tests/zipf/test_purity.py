"""Purity against an obvious reference, its exact chance level, and errors."""

from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError
from lexicloud.text import PARTS
from lexicloud.vectors import WordVectors
from lexicloud.zipf import part_of_speech_purity

LETTERS = "bcdfghjklmnpqrstvwxz"


def corpus_of(points: np.ndarray) -> tuple[Corpus, list[str]]:
    """Make a corpus whose i-th word has the i-th point for a vector."""
    words = [f"w{LETTERS[i // 20]}{LETTERS[i % 20]}" for i in range(len(points))]
    vectors = WordVectors.from_dict(dict(zip(words, points.astype(np.float32), strict=True)), "points")
    return Corpus.from_texts([" ".join(words)], vectors=vectors), words


def reference(points: np.ndarray, parts: list[str], k: int) -> list[float]:
    """Sort all the distances of each word: slow, and plain to see."""
    shares = []
    for i, point in enumerate(points):
        others = sorted((float(((point - q) ** 2).sum()), j) for j, q in enumerate(points) if j != i)
        shares.append(100 * sum(parts[j] == parts[i] for _, j in others[:k]) / k)
    return shares


@settings(max_examples=30, deadline=None)
@given(st.integers(6, 40), st.integers(0, 10_000))
def test_one_pass_equals_sorting_all_distances(n, seed):
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n, 3)).astype(np.float32)
    parts = [PARTS[i] for i in rng.integers(4, size=n)]
    corpus, words = corpus_of(points)
    purity = part_of_speech_purity(corpus, k=(1, 2, 5), tags=dict(zip(words, parts, strict=True)))
    for k, percent, column in zip(purity.k, purity.percent, purity.per_category.T, strict=True):
        shares = reference(points, parts, k)
        assert percent == pytest.approx(np.mean(shares))
        nouns = [share for share, part in zip(shares, parts, strict=True) if part == "noun"]
        assert column[0] == pytest.approx(np.mean(nouns) if nouns else np.nan, nan_ok=True)


def test_chance_is_the_mean_over_every_shuffle():
    points = np.random.default_rng(3).standard_normal((6, 2))
    parts = ["noun", "noun", "noun", "verb", "verb", "other"]
    corpus, words = corpus_of(points)
    purity = part_of_speech_purity(corpus, k=(1, 3), tags=dict(zip(words, parts, strict=True)))
    every = [np.mean(reference(points, list(order), 3)) for order in permutations(parts)]
    assert purity.chance == pytest.approx(np.mean(every))


def test_a_shuffled_tagging_comes_out_near_chance_and_depends_on_the_seed_alone():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 1, (150, 5)), rng.normal(30, 1, (50, 5))])
    corpus, words = corpus_of(points)
    tags = dict(zip(words, ["noun"] * 150 + ["verb"] * 50, strict=True))
    purity = part_of_speech_purity(corpus, k=(10,), tags=tags, seed=4)
    assert purity.percent[0] == 100
    # A word's share of ten neighbours has a standard deviation near 15 points, its mean over 200 words near 1.5.
    assert purity.shuffled[0] == pytest.approx(purity.chance, abs=6)
    again = part_of_speech_purity(corpus, k=(10,), tags=tags, seed=4)
    assert again.shuffled[0] == purity.shuffled[0]
    assert part_of_speech_purity(corpus, k=(10,), tags=tags, seed=5).shuffled[0] != purity.shuffled[0]


def test_words_count_once_whatever_their_frequency():
    corpus, words = corpus_of(np.random.default_rng(0).standard_normal((8, 3)))
    tags = dict(zip(words, ["noun", "verb"] * 4, strict=True))
    vectors = WordVectors.from_dict(dict(zip(corpus.vocabulary, corpus.vectors, strict=True)))
    louder = Corpus.from_texts([" ".join(words) + f" {words[0]}" * 99], vectors=vectors)
    assert part_of_speech_purity(louder, k=(2,), tags=tags).percent.tolist() == (
        part_of_speech_purity(corpus, k=(2,), tags=tags).percent.tolist()
    )


def test_rotation_and_scale_change_nothing():
    rng = np.random.default_rng(1)
    points = rng.standard_normal((30, 6))
    turn = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    tags = [PARTS[i] for i in rng.integers(3, size=30)]
    results = []
    for cloud in (points, 7 * points @ turn + 2):
        corpus, words = corpus_of(cloud)
        results.append(
            part_of_speech_purity(corpus, k=(3, 9), tags=dict(zip(words, tags, strict=True))).percent
        )
    assert results[0].tolist() == pytest.approx(results[1].tolist())


def test_per_category_adds_up_to_the_whole():
    corpus, words = corpus_of(np.random.default_rng(2).standard_normal((40, 4)))
    tags = dict(zip(words, [PARTS[i % 5] for i in range(40)], strict=True))
    purity = part_of_speech_purity(corpus, k=(5, 3), tags=tags)
    weights = purity.n_per_category / purity.n_words
    assert purity.percent == pytest.approx(np.nansum(weights[:, None] * purity.per_category, axis=0))
    assert np.isnan(purity.per_category[PARTS.index("other")]).all()
    assert "other" not in purity.to_dict()["per_category"]
    assert purity.balanced == pytest.approx(purity.per_category[:5].mean(axis=0))


def test_real_vectors_beat_chance():
    """Days, numbers and past tenses are close to their like in any embedding of English."""
    nouns, verbs = "monday tuesday friday sunday june april march", "walked jumped ran laughed sat stood said"
    corpus = Corpus.from_texts([f"{nouns} {verbs}"])
    tags = dict.fromkeys(nouns.split(), "noun") | dict.fromkeys(verbs.split(), "verb")
    purity = part_of_speech_purity(corpus, k=(3,), tags=tags)
    assert purity.percent[0] > 90 > 50 > purity.chance
    assert purity.above_chance[0] == pytest.approx(
        100 * (purity.percent[0] - purity.chance) / (100 - purity.chance)
    )


def test_words_without_a_vector_are_left_out_and_counted():
    corpus = Corpus.from_texts(["monday tuesday friday qqzzxv"])
    purity = part_of_speech_purity(corpus, k=(1,), tags=["noun"] * 4)
    assert (purity.n_words, purity.n_without_vector) == (3, 1)
    assert purity.above_chance.tolist() == [0.0]  # all nouns: chance is already 100 %


def test_bad_input_is_named():
    corpus = Corpus.from_texts(["monday tuesday friday"])
    tags = ["noun"] * 3
    with pytest.raises(EstimateError, match=r"k = 50 but only 3 words .* choose k ≤ 2"):
        part_of_speech_purity(corpus, tags=tags)
    with pytest.raises(OptionError, match="at least 1"):
        part_of_speech_purity(corpus, k=(0, 1), tags=tags)
    with pytest.raises(OptionError, match="at least 1"):
        part_of_speech_purity(corpus, k=(), tags=tags)
    with pytest.raises(EstimateError, match="none of the 1 tagged words has a vector"):
        part_of_speech_purity(Corpus.from_texts(["qqzzxv"]), k=(1,), tags=["noun"])


def test_results_can_be_drawn_and_kept():
    from matplotlib.figure import Figure

    corpus, words = corpus_of(np.random.default_rng(2).standard_normal((12, 4)))
    purity = part_of_speech_purity(corpus, k=(5, 3), tags=dict(zip(words, ["noun", "verb"] * 6, strict=True)))
    ax = purity.plot(ax=Figure().subplots())
    drawn = next(line for line in ax.lines if line.get_label() == "all words")
    assert drawn.get_xdata().tolist() == [3, 5]
    assert drawn.get_ydata().tolist() == purity.percent[::-1].tolist()
    kept = json.loads(json.dumps(purity.to_dict()))
    assert kept["percent"] == purity.percent.tolist()
    assert kept["vectors"] == "points"
    assert purity.to_pandas().loc[3, "noun"] == purity.per_category[0, 1]
    assert "chance" in purity._repr_html_()


def test_purity_of_the_great_gatsby_falls_with_k_as_published(shared):
    text = (shared / "data/books/the_great_gatsby.txt").read_text(encoding="utf-8")
    purity = part_of_speech_purity(Corpus.from_texts([text]))
    assert (np.diff(purity.percent) < 0).all()
    assert (purity.percent > purity.chance + 3).all()
