"""Intervals, yardsticks and p-values: what they say of texts whose source is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence
from lexicloud.divergences.categorical import JensenShannon
from lexicloud.divergences.delta import Delta
from lexicloud.divergences.uncertainty import (
    BLOCKS,
    Pair,
    Spread,
    Standing,
    factor,
    in_running_order,
    jackknife,
    permutation_p_value,
    same_source,
    widening,
)
from lexicloud.errors import EstimateError, LexicloudWarning, OptionError
from lexicloud.text import TokenRules
from tests.divergences.corpora import vectors

pytestmark = pytest.mark.filterwarnings("ignore::lexicloud.errors.LexicloudWarning")


def drawn(rng: np.random.Generator, tokens: int, tilt: float = 1.0) -> str:
    weights = np.exp(-tilt * np.linspace(0, 3, 30))
    return " ".join(f"w{i}" for i in rng.choice(30, tokens, p=weights / weights.sum()))


def two(seed: int, tokens: int = 600, tilts: tuple[float, float] = (1.0, 1.0)) -> Corpus:
    rng = np.random.default_rng(seed)
    return Corpus.from_texts(
        {"a": drawn(rng, tokens, tilts[0]), "b": drawn(rng, tokens, tilts[1])}, vectors=vectors(30)
    )


def pair_of(corpus: Corpus, *, symmetric: bool = False) -> Pair:
    return Pair.of(corpus, (0, 1), JensenShannon().fit_pair(corpus, (0, 1)), symmetric=symmetric)


class TestJackknife:
    def test_is_the_textbook_delete_a_block_jackknife(self):
        """Oracle: (g − 1)/g Σ (θ₋ᵢ − θ̄)², written out."""
        pair = pair_of(two(0))
        found = jackknife(pair)
        blocks = np.array_split(pair.a, BLOCKS)
        left = [np.concatenate([b for j, b in enumerate(blocks) if j != i]) for i in range(BLOCKS)]
        values = np.array([pair.values([x], [pair.b])[0] for x in left])
        assert found.of_a == pytest.approx((BLOCKS - 1) / BLOCKS * ((values - values.mean()) ** 2).sum())

    def test_interval_is_welch(self):
        """Equal variances have twice the freedom of one text."""
        low, high = Spread(0.02, 0.02).interval(1.0, 0.95)
        assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 2 * (BLOCKS - 1)) * 0.2)

    def test_the_deviation_of_each_text_is_widened_by_its_own_factor(self):
        plain, wide = jackknife(pair_of(two(0))), jackknife(pair_of(two(0)), (2.0, 3.0))
        assert (wide.of_a, wide.of_b) == pytest.approx((4 * plain.of_a, 9 * plain.of_b))

    def test_a_divergence_is_not_said_to_be_negative(self):
        text = (drawn(np.random.default_rng(0), 60) + " ") * 5
        other = text + drawn(np.random.default_rng(1), 8)
        c = Corpus.from_texts({"a": text, "b": other}, vectors=vectors(30))
        low, high = divergence(c, "a", "b", method="jensen-shannon", interval=0.999).interval
        assert low == 0 < high

    def test_an_interval_does_not_leave_the_values_that_a_method_has(self):
        c = Corpus.from_texts({"a": "one two three four " * 30, "b": "five six seven eight " * 30})
        assert divergence(c, "a", "b", "jensen-shannon").interval[1] <= np.log(2)

    def test_too_short_a_text_has_no_interval(self):
        c = Corpus.from_texts({"a": "w1 w2 w3", "b": "w2 w3 w4"}, vectors=vectors(30))
        assert divergence(c, "a", "b", method="jensen-shannon").interval is None


class TestRunningOrder:
    def test_sentences_run_and_shuffled_ones_do_not(self, shared):
        text = (shared / "data/books/emma.txt").read_text(encoding="utf-8")[50_000:62_000]
        c = Corpus.from_texts({"a": text})
        tokens = c.tokens(0)
        assert in_running_order(tokens, c.punctuation, c.stopwords)
        shuffled = np.random.default_rng(0).permutation(tokens)
        assert not in_running_order(shuffled, c.punctuation, c.stopwords)

    def test_a_list_without_function_words_is_told_by_bursts(self):
        rng = np.random.default_rng(0)
        even = rng.integers(0, 400, 2000)
        nothing = np.zeros(600, dtype=bool)
        assert not in_running_order(even, nothing, nothing)
        bursts = np.concatenate([rng.integers(start, start + 100, 500) for start in (0, 150, 300, 450)])
        assert in_running_order(bursts, nothing, nothing)


class TestWidening:
    def test_running_text_is_widened_more_the_longer_it_is(self, shared):
        text = (shared / "data/books/emma.txt").read_text(encoding="utf-8")
        emma = Corpus.from_texts({"a": text[50_000:62_000], "b": text[50_000:350_000]})
        short, long = (widening(JensenShannon(), emma, row) for row in (0, 1))
        assert JensenShannon.in_order[0] < short < long == JensenShannon.in_order[-1]

    def test_long_texts_in_other_languages_are_widened_more(self):
        english, other = (factor(JensenShannon(), 10_000, running=True, english=e) for e in (True, False))
        assert other == pytest.approx(1.4 * english)
        assert factor(JensenShannon(), 2000, running=True, english=False) == JensenShannon.in_order[2]

    def test_delta_is_widened_more_below_a_page(self):
        page, less, least = (factor(Delta(), n, running=True) for n in (500, 200, 100))
        assert page < less < least == factor(Delta(), 50, running=True)

    def test_words_in_no_order_are_not(self):
        assert widening(JensenShannon(), two(0, 500), 0) == JensenShannon.in_no_order[0]


class TestDeals:
    def test_deals_keep_every_token_and_both_lengths(self):
        seen = []

        class Watched(Pair):
            def values(self, As, Bs):
                seen.extend(zip(As, Bs, strict=True))
                return np.zeros(len(As))

        c = two(3, 205)
        same_source(Watched(c.tokens(0), c.tokens(1)[:57], None), 5, seed=0)
        everything = np.sort(np.concatenate([c.tokens(0), c.tokens(1)[:57]]))
        for a, b in seen:
            assert (len(a), len(b)) == (205, 57)
            np.testing.assert_array_equal(np.sort(np.concatenate([a, b])), everything)

    def test_p_value_counts_the_observed_split_and_deals_without_an_answer(self):
        assert permutation_p_value(0.5, np.array([0.1, 0.5, 0.9, np.nan])) == pytest.approx(4 / 5)

    def test_rejects_one_source_about_as_often_as_it_says(self):
        """200 pairs of one source at 20 %: binomial(200, 0.2) lies within 22 and 58 in all but 1 of 500 runs."""
        rejected = 0
        for seed in range(200):
            pair = pair_of(two(seed, 300))
            value = float(pair.values([pair.a], [pair.b])[0])
            rejected += permutation_p_value(value, same_source(pair, 39, seed)) <= 0.2
        assert 22 <= rejected <= 58

    def test_repeated_samples_are_averaged_before_the_test_and_p_values_never(self):
        c = two(5, 400, (2.0, 0.5))
        found = divergence(c, "a", "b", "jensen-shannon", sample=200, repeats=4, permutations=39)
        assert round(found.p_value * 40) == pytest.approx(found.p_value * 40)


class TestYardstick:
    def test_one_source_has_next_to_no_excess_and_two_sources_have(self):
        same = divergence(two(1), "a", "b", "jensen-shannon").yardstick
        other = divergence(two(1, tilts=(3.0, 0.0)), "a", "b", "jensen-shannon").yardstick
        assert abs(same.excess) < 0.3 * same.same_source
        assert other.excess > 2 * other.same_source

    def test_hypothesis_is_named(self):
        found = divergence(two(0), "a", "b", "jensen-shannon", permutations=19)
        assert (found.hypothesis, found.permutations) == ("same text", 19)
        assert divergence(two(0), "a", "b", "jensen-shannon").hypothesis is None
        with pytest.raises(
            OptionError, match="hypothesis is one of same text, same book, same hand, not 'same'"
        ):
            divergence(two(0), "a", "b", "jensen-shannon", hypothesis="same")

    def test_same_hand_is_the_share_of_reference_pairs_by_one_author(self):
        found = divergence(two(0, 1000), "a", "b", "jensen-shannon", hypothesis="same hand")
        assert found.p_value == found.yardstick.standing.one_hand
        assert found.yardstick.standing.tokens == 1000
        with pytest.raises(
            EstimateError, match="reference pairs have 500 tokens and more: test the hypothesis"
        ):
            divergence(two(0, 300), "a", "b", "jensen-shannon", hypothesis="same hand")

    def test_there_is_no_standing_for_other_options(self):
        usual = divergence(two(0, 600), "a", "b", "jensen-shannon", words="content").yardstick
        assert (usual.standing, usual.no_standing) == (None, "there are no reference pairs for these options")

    def test_there_is_no_standing_in_other_languages(self):
        texts = dict.fromkeys("ab", "der Hund und die Katze sahen das Haus " * 90)
        german = Corpus.from_texts(texts, vectors=vectors(5), rules=TokenRules(language="german"))
        usual = divergence(german, "a", "b", "jensen-shannon").yardstick
        assert (usual.standing, usual.no_standing) == (None, "there are no reference pairs in German")

    def test_there_is_no_standing_where_words_are_left_out(self):
        asked = {"method": "jensen-shannon", "without": ("punctuation",)}
        assert divergence(two(0, 600), "a", "b", **asked).yardstick.standing is None
        with pytest.raises(EstimateError, match="by all words"):
            divergence(two(0, 600), "a", "b", hypothesis="same hand", **asked)

    @pytest.mark.parametrize(
        ("shares", "said"),
        [
            ((0.96, 0.4), "nearer than 96 % of pairs by different authors and than 40 % of pairs by one"),
            (
                (0.999, 0.004),
                "nearer than 99 % of pairs by different authors and than at most 1 % of pairs by one",
            ),
        ],
    )
    def test_standing_reads_as_a_sentence(self, shares, said):
        assert str(Standing(500, 0.3, 0.1, one_hand=shares[1], different_hands=shares[0])) == said

    def test_very_unequal_lengths_are_said(self):
        rng = np.random.default_rng(0)
        c = Corpus.from_texts({"a": drawn(rng, 100), "b": drawn(rng, 1500)}, vectors=vectors(30))
        with pytest.warns(LexicloudWarning, match="the texts have 100 and 1,500 tokens"):
            divergence(c, "a", "b", "jensen-shannon")


class TestSymmetric:
    @pytest.mark.parametrize("method", ["jensen-shannon", "delta"])
    def test_a_distance_is_not_doubled(self, method):
        c = Corpus.from_texts(
            {"a": "the cat and the dog ran to it " * 20, "b": "a dog of that house was in it " * 20}
        )
        one, both = (divergence(c, "a", "b", method, symmetric=s) for s in (False, True))
        assert both.value == pytest.approx(one.value)
