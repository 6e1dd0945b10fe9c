"""Whether the vectors are made for the language of the texts: if not, every latent answer is about something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.text.language import LANGUAGES, read_language

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus.lexicon import Lexicon

_ENGLISH: Final = ("glove-6b-50d",)
_TOKENS: Final = 200  # fewer tell nothing about the language
_COMMON: Final = 0.2  # a text has at least this share of stop words of its own language
_COVERED: Final = 0.5  # below, more words are passed over than used


def doubts(lexicon: Lexicon, stream: NDArray[np.int32], language: str) -> tuple[str, ...]:
    """Say why the vectors may not fit the texts: their language as given or recognised, or words without a vector."""
    counts = np.bincount(stream, minlength=len(lexicon.vocabulary))
    counts[lexicon.punctuation] = 0
    total = int(counts.sum())
    remedy = "lexicloud vectors list shows others"
    if lexicon.source in _ENGLISH and language != "english":
        return (
            f"the vectors {lexicon.source} are of English words, but the language is {language}: {remedy}",
        )
    if total < _TOKENS:
        return ()
    recognised = _language(lexicon, counts / total)
    if lexicon.source in _ENGLISH and recognised not in {None, "english"}:
        return (
            f"the texts look {recognised}, but the vectors {lexicon.source} are of English words: {remedy}",
        )
    share = float(counts[lexicon.embedded].sum()) / total
    if share < _COVERED:
        return (f"only {share:.0%} of the words have a vector in {lexicon.source}: do they fit? {remedy}",)
    return ()


def _language(lexicon: Lexicon, shares: NDArray[np.float64]) -> str | None:
    """Return the language whose stop words are most frequent, if they are frequent enough and well ahead."""
    ids = lexicon.vocabulary.ids
    found = {
        language: float(sum(shares[ids[w]] for w in set(read_language(language).stop_words) if w in ids))
        for language in LANGUAGES.values()
    }
    first, second = sorted(found, key=lambda name: found[name], reverse=True)[:2]
    return first if found[first] >= _COMMON and found[first] > 1.3 * found[second] else None
