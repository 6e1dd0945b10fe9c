"""Parts of speech: how many tokens and words each has, and how widely the counts of its words vary.

Aitchison, Corradi and Latham (2016) explain Zipf's law by a latent variable: narrow distributions with
different means add up to a broad one. In text the latent variable is the part of speech.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import EstimateError, OptionError
from lexicloud.presets import preset as published
from lexicloud.result import TabularResult
from lexicloud.say.blocks import Block, Figure, Sentence, percent, table
from lexicloud.text.language import written_name
from lexicloud.text.tags import PARTS, Grouping, Tagger

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

UNTAGGED: Final = -1

Tags = Sequence[str | None] | Mapping[str, str]


def part_codes(
    corpus: Corpus, tagger: Tagger = "textblob", tags: Tags | None = None, grouping: Grouping = "ours"
) -> NDArray[np.int8]:
    """Return every vocabulary word's position in `PARTS`, or -1 for a word that `tags` leaves out.

    Each word gets one tag, out of context, as in the paper, so each distinct word is tagged once. The tags are kept
    with the vocabulary. `tags` (one part for each vocabulary word, or a mapping from words) replaces the tagger.
    `grouping="authors"` groups a tagger's tags as the paper's code does.

    >>> from lexicloud.corpus import Corpus
    >>> corpus = Corpus.from_texts(["she sees the sea"])
    >>> part_codes(corpus, tags={"she": "pronoun", "sees": "verb", "sea": "noun", "the": "other"}).tolist()
    [0, 1, 4, 5]
    """
    if tags is not None:
        return _given_codes(corpus, tags)
    cache, key = corpus.lexicon.cache, ("parts of speech", tagger, grouping)
    if key not in cache:
        from lexicloud.text.tags import has_tagger, tag_words

        if not has_tagger(corpus.rules.language):
            named = written_name(corpus.rules.language)
            raise OptionError(f"there is no tagger for {named}: give the parts of words (tags=)")
        tagged = _encode(tag_words(corpus.vocabulary, tagger=tagger, grouping=grouping))
        # NLTK takes curly quotes and dashes, a twentieth of a novel's tokens, for nouns.
        tagged[corpus.punctuation] = PARTS.index("other")
        cache[key] = tagged
    codes: NDArray[np.int8] = cache[key]
    return codes


def tagging(tagger: Tagger, preset: str | None) -> tuple[Tagger, Grouping]:
    """Return the tagger and the grouping of its tags: those of a preset, or the tagger given and our grouping."""
    if preset is None:
        return tagger, "ours"
    tags = published(preset).tags
    return tags["tagger"], tags["grouping"]


def _given_codes(corpus: Corpus, tags: Tags) -> NDArray[np.int8]:
    if isinstance(tags, Mapping):
        return _encode([tags.get(word) for word in corpus.vocabulary])
    if len(tags) != len(corpus.vocabulary):
        raise OptionError(
            f"{len(tags):,} tags for a vocabulary of {len(corpus.vocabulary):,} words: "
            "give one tag for each word, or a mapping from words to tags"
        )
    return _encode(tags)


def _encode(tags: Sequence[str | None]) -> NDArray[np.int8]:
    numbers = {part: i for i, part in enumerate(PARTS)}
    unknown = {tag for tag in tags if tag is not None} - numbers.keys()
    if unknown:
        raise OptionError(f"unknown part of speech {min(unknown)!r}: the parts are {', '.join(PARTS)}")
    return np.array([UNTAGGED if tag is None else numbers[tag] for tag in tags], dtype=np.int8)


def tagged_words(corpus: Corpus, codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return which words occur in the corpus and have a tag; raise an error if only punctuation does."""
    tagged: NDArray[np.bool_] = (corpus.totals > 0) & (codes != UNTAGGED)
    if not (tagged & ~corpus.punctuation).any():
        raise EstimateError(
            "the corpus has no word to tag (only punctuation, or words that the given tags leave out)"
        )
    return tagged


@dataclass(frozen=True, eq=False)
class PartOfSpeechTable(TabularResult):
    """Tokens and distinct words per part of speech, and the counts of each part's words, largest first."""

    _index = "part"

    _left_out = ("parts", "tokens", "words", "counts")
    _derived = ("total_spread", "explained")

    parts: tuple[str, ...]
    tokens: NDArray[np.int64]
    words: NDArray[np.int64]
    counts: Mapping[str, NDArray[np.int64]]
    tagger: str
    n_untagged: int = 0

    @property
    def token_percent(self) -> NDArray[np.float64]:
        """Each part's share of the tokens, in percent."""
        return np.asarray(100 * self.tokens / self.tokens.sum())

    @property
    def word_percent(self) -> NDArray[np.float64]:
        """Each part's share of the distinct words, in percent."""
        return np.asarray(100 * self.words / self.words.sum())

    @property
    def spread(self) -> dict[str, float]:
        """The standard deviation of a token's log₁₀ count in each part."""
        return {part: _spread(counts) for part, counts in self.counts.items() if len(counts)}

    @property
    def total_spread(self) -> float:
        """The standard deviation of a token's log₁₀ count over all words."""
        return _spread(np.concatenate(list(self.counts.values())))

    @property
    def explained(self) -> float:
        """The share of the variance of a token's log count that lies between parts, not within them.

        One means that the part of speech explains all of the spread of counts, zero that it explains nothing.
        """
        within = sum(
            counts.sum() * spread**2
            for counts, spread in zip(self.counts.values(), map(_spread, self.counts.values()), strict=True)
        )
        total = self.tokens.sum() * self.total_spread**2
        return float(1 - within / total) if total > 0 else 0.0

    def to_columns(self) -> dict[str, Any]:
        """Return the parts with their shares, in the order of `parts`."""
        return {
            "part": self.parts,
            "tokens": self.tokens,
            "token_percent": self.token_percent,
            "words": self.words,
            "word_percent": self.word_percent,
            "spread": [self.spread.get(part, float("nan")) for part in self.parts],
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, ready for JSON; the counts of single words are left out."""
        rows = {
            part: {
                "tokens": int(self.tokens[i]),
                "token_percent": float(self.token_percent[i]),
                "words": int(self.words[i]),
                "word_percent": float(self.word_percent[i]),
                "spread": self.spread.get(part),
            }
            for i, part in enumerate(self.parts)
        }
        return {"parts": rows, **super().to_dict()}

    def __str__(self) -> str:
        return f"{self.words.sum():,} words, {self.tokens.sum():,} tokens, tagged by {self.tagger}"

    def blocks(self) -> list[Block]:
        """Return how much of the spread of counts parts of speech explain, and the table."""
        said = (
            f"Parts of speech account for {percent(self.explained)} of the spread of word counts; the rest lies "
            "within the parts."
        )
        why = (
            "If parts of speech made Zipf’s law, the counts within each part would be spread much less than all "
            f"words’ ({self.total_spread:.2f}: the standard deviation of a token’s log₁₀ count). Each word has one "
            f"tag, out of context ({self.tagger})."
        )
        alt = (
            "Count against rank for all words and within each of six parts of speech, on logarithmic scales."
        )
        shares = zip(self.token_percent / 100, self.word_percent / 100, strict=True)
        rows = [
            (
                part,
                int(self.tokens[i]),
                percent(tokens, 1),
                int(self.words[i]),
                percent(words, 1),
                self.spread.get(part),
            )
            for i, (part, (tokens, words)) in enumerate(zip(self.parts, shares, strict=True))
        ]
        return [
            Sentence(said, "answer"),
            Sentence(why),
            Figure("parts_of_speech", alt, self.plot, "Count against rank within each part of speech"),
            table(["part of speech", "tokens", "share", "words", "share", "spread"], rows),
        ]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw count against rank for each part and for all words."""
        from lexicloud.zipf.zipf_plots import plot_part_ranks

        return plot_part_ranks(self, ax)


def _spread(counts: NDArray[np.int64]) -> float:
    """Return the standard deviation of log₁₀ counts, each word weighted by its count."""
    if not len(counts):
        return 0.0
    logs = np.log10(counts)
    mean = np.average(logs, weights=counts)
    return float(np.sqrt(np.average((logs - mean) ** 2, weights=counts)))


def part_of_speech_table(
    corpus: Corpus, *, tagger: Tagger = "textblob", tags: Tags | None = None, preset: str | None = None
) -> PartOfSpeechTable:
    """Count the tokens and the distinct words of each part of speech, over all words of the corpus.

    `preset="paper"` takes the paper's tagger and grouping of tags.

    >>> from lexicloud.corpus import Corpus
    >>> corpus = Corpus.from_texts(["she sees the sea and she hears the sea"])
    >>> parts = {"she": "pronoun", "sees": "verb", "hears": "verb", "sea": "noun", "the": "other", "and": "other"}
    >>> table = part_of_speech_table(corpus, tags=parts)
    >>> dict(zip(table.parts, table.tokens.tolist()))
    {'noun': 2, 'verb': 2, 'adjective': 0, 'adverb': 0, 'pronoun': 2, 'other': 3}
    """
    tagger, grouping = tagging(tagger, preset)
    codes = part_codes(corpus, tagger, tags, grouping)
    tagged, totals = tagged_words(corpus, codes), corpus.totals
    by_part = {part: np.sort(totals[tagged & (codes == i)])[::-1] for i, part in enumerate(PARTS)}
    return PartOfSpeechTable(
        parts=PARTS,
        tokens=np.array([counts.sum() for counts in by_part.values()], dtype=np.int64),
        words=np.array([len(counts) for counts in by_part.values()], dtype=np.int64),
        counts=by_part,
        tagger="given tags" if tags is not None else tagger,
        n_untagged=int(((totals > 0) & ~tagged).sum()),
    )
