"""divergence and word_shift: intervals, p-values, samples, explanations and what they say of themselves."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence, divergence_matrix, word_shift
from lexicloud.divergences.base import WordContributions
from lexicloud.divergences.words import merged, really_near
from lexicloud.errors import EstimateError, OptionError
from tests.divergences.corpora import corpus, texts, vectors
from tests.report.stories import story

pytestmark = pytest.mark.filterwarnings("ignore::lexicloud.errors.LexicloudWarning")


def source(rng: np.random.Generator, tokens: int, tilt: float) -> str:
    """A text whose words come from a known distribution over 30 words."""
    weights = np.exp(-tilt * np.linspace(0, 1, 30))
    return " ".join(f"w{i}" for i in rng.choice(30, tokens, p=weights / weights.sum()))


class TestInterval:
    def test_covers_as_often_as_it_says(self):
        """Kullback–Leibler between two known sources, 1,000 tokens each: 90 % intervals hold the value of the sources.

        Over 60 pairs the number that hold it is binomial(60, 0.9): at least 45 in all but 1 of 1,000 runs.
        """
        p, q = (np.exp(-t * np.linspace(0, 1, 30)) for t in (3.0, 1.0))
        p, q = p / p.sum(), q / q.sum()
        truth, held, rng = float((p * np.log(p / q)).sum()), 0, np.random.default_rng(0)
        for i in range(60):
            c = Corpus.from_texts(
                {"a": source(rng, 1000, 3.0), "b": source(rng, 1000, 1.0)}, vectors=vectors(30)
            )
            low, high = divergence(c, "a", "b", method="categorical", mu=0.5, interval=0.9, seed=i).interval
            held += low - 0.03 <= truth <= high  # plug-in frequencies overestimate by about types / 2N = 0.03
        assert held >= 45

    def test_narrows_with_more_tokens_and_widens_with_the_level(self):
        def width(tokens: int, level: float, method: str) -> float:
            c = corpus(2, tokens=tokens)
            low, high = divergence(c, "a", "b", method=method, interval=level).interval
            return high - low

        assert width(12_800, 0.9, "jensen-shannon") < 0.5 * width(400, 0.9, "jensen-shannon")
        for method in ("knn", "categorical", "jensen-shannon"):
            assert width(400, 0.5, method) < 0.6 * width(400, 0.95, method)

    def test_is_there_unless_left_out(self):
        found = divergence(corpus(2), "a", "b", method="categorical")
        assert found.level == 0.95
        assert found.interval is not None
        assert found.interval[0] < found.value < found.interval[1]
        assert found.p_value is None
        without = divergence(corpus(2), "a", "b", method="categorical", interval=False)
        assert (without.interval, without.level, without.value) == (None, None, found.value)
        with pytest.raises(OptionError, match=r"a level between 0 and 1, not 1\.5"):
            divergence(corpus(2), "a", "b", method="categorical", interval=1.5)


class TestPermutations:
    @pytest.mark.parametrize("method", ["knn", "categorical"])
    def test_uniform_under_one_source_and_small_under_two(self, method):
        rng = np.random.default_rng(1)
        same = []
        for i in range(12):
            c = Corpus.from_texts(
                {"a": source(rng, 150, 1.0), "b": source(rng, 150, 1.0)}, vectors=vectors(30)
            )
            same.append(divergence(c, "a", "b", method=method, permutations=19, seed=i).p_value)
        assert 0.2 < np.mean(same) < 0.8
        if method == "categorical":
            other = Corpus.from_texts(
                {"a": source(rng, 150, 4.0), "b": source(rng, 150, 0.0)}, vectors=vectors(30)
            )
            assert divergence(other, "a", "b", method=method, permutations=99).p_value == pytest.approx(0.01)

    def test_a_text_against_itself_is_not_significant(self):
        words = texts(1)["a"]
        c = Corpus.from_texts({"a": words, "b": words}, vectors=vectors())
        assert divergence(c, "a", "b", method="jensen-shannon", permutations=19).p_value == 1.0


class TestSample:
    def test_is_the_matrix_of_the_sampled_corpus(self):
        c = corpus(3, tokens=300)
        found = divergence(c, "a", "c", method="knn", sample=100, seed=5)
        assert found.value == pytest.approx(
            divergence_matrix(c.sample(100, 5), method="knn").values[0, 2], abs=1e-6
        )
        assert found.tokens == (100, 100)

    def test_repeats_are_averaged_words_included(self):
        c = corpus(3, tokens=300)
        alone = [divergence(c, "a", "c", method="knn", sample=100, seed=s).value for s in (7, 8, 9)]
        found = divergence(c, "a", "c", method="knn", sample=100, seed=7, repeats=3, top=1000)
        assert found.value == pytest.approx(np.mean(alone))
        assert found.spread == pytest.approx(np.std(alone, ddof=1))
        assert sum(w.adds for w in found.words) == pytest.approx(found.value, abs=1e-6)

    def test_running_words_for_methods_that_use_all(self):
        c = Corpus.from_texts({"a": "the cat , the dog " * 20, "b": "a cow . a hen " * 20})
        assert divergence(c, "a", "b", method="categorical", sample=50).tokens == (50, 50)
        with pytest.raises(
            EstimateError, match="sample of 50 tokens was asked for but document 'a' has only 40"
        ):
            divergence(c, "a", "b", method="knn", k=1, sample=50)


class TestWords:
    def test_top_are_the_largest_whatever_their_sign(self):
        c = corpus()
        shift = word_shift(c, "a", "b", method="knn")
        assert [w.word for w in divergence(c, "a", "b", method="knn", top=5).words] == [
            w.word for w in shift.words[:5]
        ]
        sizes = [abs(w.adds) for w in shift.words]
        assert sizes == sorted(sizes, reverse=True)
        assert len(shift.apart) + len(shift.together) == len([v for v in sizes if v])
        assert divergence(c, "a", "b", method="knn", top=0).words == ()

    def test_counts_are_those_of_the_texts(self):
        c = corpus()
        for share in word_shift(c, "a", "b", method="jensen-shannon").words[:10]:
            assert share.counts[0] == c.count("a", share.word)
            assert share.counts[1] == c.count("b", share.word)

    def test_symmetric_contributions_add_up(self):
        c = corpus()
        shift = word_shift(c, "a", "b", method="knn", symmetric=True)
        there, back = (word_shift(c, *pair, method="knn").value for pair in ("ab", "ba"))
        assert sum(w.adds for w in shift.words) == pytest.approx(there + back, abs=1e-9)

    def test_only_words_that_mean_alike_are_said_to_be_near(self):
        told = (story("Salt", 1, 30), story("Pepper", 1, 30))
        c = Corpus.from_texts({"a": f"{told[0]} trees know dance", "b": f"{told[1]} tree i best"})
        place = c.vocabulary.index
        ids = np.array([place(word) for word in ("trees", "know", "dance", "the")])
        carriers = np.array([place(word) for word in ("tree", "i", "best", "the")])
        assert really_near(c, ids, carriers, np.arange(4)).tolist() == [place("tree"), -1, -1, place("the")]

    def test_merging_adds_and_keeps_the_first_carrier(self):
        one = WordContributions(np.array([4, 2]), np.array([1.0, -2.0]), np.array([9, -1]))
        two = WordContributions(np.array([2, 7]), np.array([0.5, 3.0]), np.array([8, 6]))
        both = merged([one, two], 0.5)
        assert both.ids.tolist() == [2, 4, 7]
        assert both.values.tolist() == [-0.75, 0.5, 1.5]
        assert both.carriers.tolist() == [8, 9, 6]


class TestResults:
    def test_provenance_json_html_and_text(self):
        c = Corpus.from_texts({"<a>": "w1 w2 w3 <b> the w4", "b": "w2 w3 w5 w6"}, vectors=vectors())
        found = divergence(c, "<a>", "b", method="knn", k=2, interval=True, permutations=3, seed=4)
        plain = json.loads(json.dumps(found.to_dict()))
        assert plain["method"] == "knn"
        assert plain["options"] == {"k": 2, "alpha": 1.0, "compat": None}
        assert plain["vectors"] == "random"
        assert plain["seed"] == 4
        assert plain["tokens"] == [4, 4]
        assert plain["lost"][0] == len(c.tokens(0)) - 4
        assert "&lt;a&gt;" in found._repr_html_()
        assert "<a>" not in found._repr_html_()
        assert str(found).startswith("D(<a> ‖ b) = ")

    def test_shift_draws_its_bars(self):
        shift = word_shift(corpus(), "a", "b", method="knn")
        ax = shift.plot(top=7)
        widths = [bar.get_width() for bar in ax.patches]
        assert widths == [w.adds for w in shift.words[:7]][::-1]
        assert json.loads(json.dumps(shift.to_dict(top=3)))["words"][0]["word"] == shift.words[0].word
        assert shift.words[0].word in shift._repr_html_()

    def test_bad_questions(self):
        c = corpus(2)
        for options, message in (
            ({"permutations": -1}, "permutations must be a whole number of at least 0, not -1"),
            ({"repeats": 0}, "repeats must be"),
            ({"sample": 0}, "sample must be"),
            ({"top": 1.5}, "top must be"),
            ({"seed": -3}, "seed must be"),
        ):
            with pytest.raises(OptionError, match=message):
                divergence(c, "a", "b", method="categorical", **options)


def test_a_word_shift_says_first_which_words_set_the_texts_apart():
    texts = Corpus.from_texts({"a": "tea and cake and tea", "b": "tea and ale and bread"})
    first = word_shift(texts, "a", "b", method="jensen-shannon").blocks()[0].text
    assert first.endswith(" set a and b apart most.")
    assert first.startswith("“ale”")
