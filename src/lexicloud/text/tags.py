"""Parts of speech: TextBlob's tagger by default, NLTK's when asked and installed.

Penn Treebank tags are grouped into the paper's six parts; the fine tag is kept with the part. The grouping was chosen
by the published table for *The Great Gatsby*. With NLTK's tagger, one word at a time and in its own case, the shares of
distinct words agree within 1.3 points summed over the six parts. Counting modals (MD) as verbs brings the shares of all
tokens closer (3.6 points against 4.6). TextBlob's tagger knows more adjectives and verbs out of context and differs by
32 points: choose NLTK's to compare with the paper.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Final, Literal

from lexicloud.errors import InputError, MissingExtra, OptionError
from lexicloud.progress import track
from lexicloud.text.language import read_language
from lexicloud.text.tokens import tokenize

Tagger = Literal["textblob", "nltk"]
Grouping = Literal["ours", "authors"]
Tags = Callable[[Sequence[str]], list[str]]  # the words of a sentence → their Penn tags

PARTS: Final = ("noun", "verb", "adjective", "adverb", "pronoun", "other")
_BY_PREFIX: Final = {
    "NN": "noun",
    "VB": "verb",
    "MD": "verb",
    "JJ": "adjective",
    "RB": "adverb",
    "PR": "pronoun",
    "WP": "pronoun",
}
# Where the grouping of the paper's code differs: modals and wh-pronouns are "other", wh-adverbs adverbs.
_AUTHORS: Final = {"MD": "other", "WP": "other", "WP$": "other", "WRB": "adverb"}
# TextBlob's time grows with the square of a sentence's length. Longer sentences are tagged in blocks, each with more
# neighbours than the tagger looks at.
_BLOCK: Final = 1000
_AROUND: Final = 20
# A contraction gets the part of its first word: taggers were trained on its pieces and take the whole for a noun.
_CONTRACTION: Final = re.compile(r"^(\w[\w'\-]*?)(n't|'(?:s|m|d|re|ve|ll))$", re.IGNORECASE)
_FIRST_WORDS: Final = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}


@dataclass(frozen=True)
class Tagged:
    """A word, its part of speech (one of `PARTS`) and its Penn Treebank tag."""

    word: str
    part: str
    fine: str


def has_tagger(language: str) -> bool:
    """Tell whether the words of a language can be tagged; so far only English ones can."""
    return bool(read_language(language).tagger)


def part_of_tag(fine: str, grouping: Grouping = "ours") -> str:
    """Return the part (of six) of a Penn Treebank tag; "authors" groups as the paper's code does.

    >>> [part_of_tag(t) for t in ("NNS", "VBD", "MD", "PRP$", "DT")]
    ['noun', 'verb', 'verb', 'pronoun', 'other']
    >>> [part_of_tag(t, "authors") for t in ("MD", "WP", "WRB")]
    ['other', 'other', 'adverb']
    """
    if grouping == "authors" and fine in _AUTHORS:
        return _AUTHORS[fine]
    return _BY_PREFIX.get(fine[:2], "other")


def tag(words: str | Iterable[str], tagger: Tagger = "textblob") -> tuple[Tagged, ...]:
    """Tag the words of a sentence (a string) in context, or words (a list) each by itself, as the paper does.

    >>> [(t.word, t.part, t.fine) for t in tag(["whale", "swims", "she"])]
    [('whale', 'noun', 'NN'), ('swims', 'verb', 'VBZ'), ('she', 'pronoun', 'PRP')]
    >>> [t.part for t in tag("He slowly ate it.")]
    ['pronoun', 'adverb', 'verb', 'pronoun', 'other']
    """
    if isinstance(words, str):
        return tag_sentences([words], tagger)[0]
    listed = list(words)
    return tuple(Tagged(w, part_of_tag(f), f) for w, f in zip(listed, fine_tags(listed, tagger), strict=True))


def tag_words(words: Iterable[str], tagger: Tagger = "textblob", grouping: Grouping = "ours") -> list[str]:
    """Return the part of each word, tagged by itself: the fast way for a whole vocabulary."""
    return [part_of_tag(fine, grouping) for fine in fine_tags(words, tagger)]


def fine_tags(words: Iterable[str], tagger: Tagger = "textblob") -> list[str]:
    """Return the Penn Treebank tag of each word, tagged by itself."""
    listed = list(words)
    tags = _tags_of(tagger)
    # A word out of context has one tag, so each distinct word is tagged once.
    known = {
        word: tags([_first_word(word)])[0] for word in track(dict.fromkeys(listed), f"tagging ({tagger})")
    }
    return [known[word] for word in listed]


def tag_sentences(
    sentences: Sequence[str | Sequence[str]], tagger: Tagger = "textblob"
) -> list[tuple[Tagged, ...]]:
    """Tag sentences in context; a sentence is a string, or its tokens."""
    tags = _tags_of(tagger)
    return [_in_context(sentence, tags) for sentence in track(sentences, f"tagging ({tagger})")]


def _in_context(sentence: str | Sequence[str], tags: Tags) -> tuple[Tagged, ...]:
    tokens = tokenize(sentence) if isinstance(sentence, str) else list(sentence)
    pieces = [_pieces(token) for token in tokens]
    fine = tags([piece for parts in pieces for piece in parts])
    firsts = accumulate(map(len, pieces[:-1]), initial=0)  # where each token's first piece is
    return tuple(Tagged(w, part_of_tag(fine[i]), fine[i]) for w, i in zip(tokens, firsts, strict=False))


def _pieces(token: str) -> list[str]:
    """Split a contraction as in the taggers' training text: don't is do + n't."""
    token = token.replace("’", "'")
    found = _CONTRACTION.match(token)
    return [_first_word(token), found[2]] if found else [token]


def _first_word(token: str) -> str:
    token = token.replace("’", "'")
    found = _CONTRACTION.match(token)
    return _FIRST_WORDS.get(found[1].lower(), found[1]) if found else token


def _tags_of(tagger: str) -> Tags:
    if tagger == "textblob":
        return _textblob()
    if tagger == "nltk":
        return _nltk()
    raise OptionError(f"there is no tagger {tagger!r}; choose 'textblob' or 'nltk'")


@cache
def _textblob() -> Tags:
    from importlib.util import find_spec, module_from_spec, spec_from_file_location
    from io import StringIO

    package = find_spec("textblob")
    if package is None or not package.submodule_search_locations:
        raise MissingExtra("tagging English words", "zipf")
    # The module of the tagger alone: the package imports all of NLTK and of scipy.stats, which takes 1.5 s.
    place = Path(package.submodule_search_locations[0])
    spec = spec_from_file_location("textblob._text", place / "_text.py")
    if spec is None or spec.loader is None:
        raise MissingExtra("tagging English words", "zipf")
    text = module_from_spec(spec)
    spec.loader.exec_module(text)

    # TextBlob would load its lexicon at the first word, leave the file open, and give a second thread half of it.
    def rules(name: str) -> StringIO:
        return StringIO((place / "en" / f"en-{name}.txt").read_text(encoding="utf-8"))

    lexicon = text.Lexicon(
        rules("lexicon"), rules("morphology"), rules("context"), rules("entities"), language="en"
    )
    for part in (lexicon, lexicon.morphology, lexicon.context, lexicon.entities):
        part.load()
    parser = text.Parser(lexicon=lexicon, default=("NN", "NNP", "CD"), language="en")

    # As PatternTagger does after tokenising: by the lexicon, then by rules on endings and neighbours.
    def tags(words: Sequence[str]) -> list[str]:
        found: list[str] = []
        for start in range(0, len(words), _BLOCK):
            before = max(0, start - _AROUND)
            around = list(words[before : start + _BLOCK + _AROUND])
            fine = [tag for _, tag in parser.find_tags(around, map=lambda word, tag: (word, tag))]
            found += fine[start - before : start - before + _BLOCK]
        return found

    return tags


@cache
def _nltk() -> Tags:
    try:
        from nltk.tag import PerceptronTagger
    except ImportError:
        raise MissingExtra("NLTK's tagger", "nltk") from None
    try:
        tagger = PerceptronTagger()
    except LookupError:
        raise InputError(
            "NLTK's tagger needs data that is not installed: "
            "python -m nltk.downloader averaged_perceptron_tagger_eng"
        ) from None

    def tags(words: Sequence[str]) -> list[str]:
        return [fine for _, fine in tagger.tag(list(words))]

    return tags
