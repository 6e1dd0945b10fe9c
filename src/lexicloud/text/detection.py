"""The language of a text, by py3langid's model, and how sure that is, by our own measurement.

Languages are named from a sureness of .9 on. On fragments of one to twenty words from 22 treebanks, 99.4 % of the names
were right (docs/languages-measured.md). Languages that the model does not know, and texts that mix several,
were not measured.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Final
from unicodedata import normalize

from lexicloud.result import Result, TabularResult
from lexicloud.text.language import DETECT, UNKNOWN, language_name

if TYPE_CHECKING:
    from lexicloud.text.language import TokenRules

SURE_ENOUGH: Final = 0.9
"""Below this sureness a language is not named. Of the languages named, fewer than one in a hundred is wrong."""
# The sureness follows from how far the first language leads the second in the model's log-likelihood, by logistic
# regression on the first half of each treebank's sentences, cut to 1 to 20 words. On the other half it is off by .013
# on average.
_SLOPE, _OFFSET = 2.48, -1.98
# Of a long text only so many characters at its beginning, middle and end are used.
_SLICE: Final = 2_000
# Languages of the model that are left out: close relatives of large languages, which short texts are mistaken for
# (Nigerian Pidgin, Extremaduran, Aragonese), and others for which lexicloud has nothing.
_LEFT_OUT: Final = "ace an bcl crh ext fuv gcf gcr gom gug guw kab kik lij ltg nso pcm sdh uzs vec wuu yue"
# Texts by which the language of a collection is detected: some milliseconds each.
_ASKED: Final = 200
_NO_LANGUAGE: Final = "zxx"
# Up to this share of texts shorter than so many letters (about thirty words) is taken for another language by mistake.
_LONG: Final = 200
_MISTAKEN: Final = 0.02


@dataclass(frozen=True)
class Detection(Result):
    """The language of a text: its name or "unknown", how sure that is, and the likeliest others.

    `sureness` is that of the likeliest language. If it is too low to name the language, `alternatives` begin with it.
    """

    language: str
    sureness: float
    alternatives: tuple[str, ...] = ()

    def __str__(self) -> str:
        others = f"; perhaps {' or '.join(self.alternatives[:2])}" if self.language == UNKNOWN else ""
        return f"{self.language} ({self.sureness:.0%} sure){others if self.alternatives else ''}"


def detect_language(text: str) -> Detection:
    """Return the language of a text, or "unknown" if the text is too short to tell.

    >>> detect_language("Był to bardzo spokojny wieczór i wszyscy poszli spać.")
    <Detection: polish (100% sure)>
    >>> detect_language("OK 123").language
    'unknown'
    """
    sample = _sample(text)
    if not any(map(str.isalpha, sample)):
        return Detection(UNKNOWN, 0.0)
    if _plainly_english(sample):
        return Detection("english", _PLAIN_SURENESS)
    ranked = _ranked(sample)
    first, *others = list(ranked)[:4]
    lead = ranked[first] - ranked[others[0]]
    if first == UNKNOWN:  # the model's label for text in no language
        return Detection(UNKNOWN, 1 - _sureness(lead), tuple(others))
    if _sureness(lead) < SURE_ENOUGH:
        guesses = tuple(name for name in (first, *others) if name != UNKNOWN) if lead else ()
        return Detection(UNKNOWN, _sureness(lead), guesses)
    if first == "ancient-greek" and _is_modern(sample):
        first, others = "greek", ["ancient-greek", *others]
    return Detection(
        first, _sureness(lead), tuple(n for n in dict.fromkeys(others) if n not in {first, UNKNOWN})
    )


# Words of English alone. A text with this share of them among this many words is English, and the model, which takes
# most of a second to load, is not needed. This holds for all of 73 English books, and for none of 166 novels and 21
# treebanks in other languages.
_ENGLISH: Final = frozenset(
    {
        *(
            "the",
            "and",
            "that",
            "with",
            "from",
            "this",
            "which",
            "have",
            "not",
            "you",
            "were",
            "their",
            "been",
        ),
        *("would", "there", "what", "when", "who", "they", "your", "could", "should", "about", "because"),
    }
)
_ENGLISH_SHARE: Final = 0.1
_ENGLISH_WORDS: Final = 100
_PLAIN_SURENESS: Final = 0.99


def _plainly_english(text: str) -> bool:
    words = text.lower().split()
    return len(words) >= _ENGLISH_WORDS and sum(map(_ENGLISH.__contains__, words)) >= _ENGLISH_SHARE * len(
        words
    )


# Until 1982 modern Greek was printed with ancient accents, which mislead the model. These small words tell them apart.
_MODERN: Final = frozenset({"να", "θα", "δεν", "στο", "στη", "στην", "στον", "στα", "σαν", "ασ", "μια"})
_ANCIENT: Final = frozenset({"μεν", "γαρ", "ουν", "τε", "δη"})


def _is_modern(text: str) -> bool:
    """Tell whether Greek with ancient accents is modern."""
    bare = "".join(c for c in normalize("NFD", text.lower()) if c.isalpha() or c.isspace()).replace("ς", "σ")
    counts = Counter(bare.split())
    return sum(counts[w] for w in _MODERN) > sum(counts[w] for w in _ANCIENT)


def _sample(text: str) -> str:
    if len(text) <= 3 * _SLICE:
        return text
    middle = len(text) // 2
    return f"{text[:_SLICE]}\n{text[middle : middle + _SLICE]}\n{text[-_SLICE:]}"


def _ranked(text: str) -> dict[str, float]:
    """Return the log-likelihood of each language, best first; a language with several labels has its best one."""
    found: dict[str, float] = {}
    for code, score in _identifier().rank(text):
        found.setdefault(UNKNOWN if code == _NO_LANGUAGE else language_name(code), score)
    return found


def _sureness(lead: float) -> float:
    return 1 / (1 + math.exp(-(_SLOPE * math.log1p(lead) + _OFFSET)))


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    made = LanguageIdentifier.from_model_file(MODEL_FILE)
    left_out = _LEFT_OUT.split()
    made.set_languages([label for label in made.labels if label not in left_out])
    return made


@dataclass(frozen=True)
class Detections(TabularResult):
    """The languages of several texts, by name."""

    _table: ClassVar[str] = "rows"

    names: tuple[str, ...]
    found: tuple[Detection, ...]
    letters: tuple[int, ...]
    """The length of each text."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row for each text."""
        return [{"name": n, **d.to_dict()} for n, d in zip(self.names, self.found, strict=True)]

    @property
    def languages(self) -> dict[str, int]:
        """How many texts are in each language, the commonest first."""
        return dict(Counter(d.language for d in self.found).most_common())

    @property
    def main(self) -> str:
        """The language with the most text; "unknown" only if no text's language is known."""
        sizes: Counter[str] = Counter()
        for detection, letters in zip(self.found, self.letters, strict=True):
            sizes[detection.language] += letters
        known = [language for language, _ in sizes.most_common() if language != UNKNOWN]
        return known[0] if known else UNKNOWN

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: that some texts are in other languages, or that no language was recognised."""
        if self.main == UNKNOWN:
            guesses = self.found[0].alternatives[:2] if self.found else ()
            perhaps = f" (perhaps {' or '.join(guesses)})" if guesses else ""
            return (
                f"the language was not recognised{perhaps}: read as English; name it (--language) if it is another",
            )
        others = self._others()
        if not others:
            return ()
        counted = ", ".join(f"{count} {language}" for language, count in self.languages.items())
        return (f"texts in several languages are read as {self.main}: {counted} (such as {others[0]})",)

    def _others(self) -> list[str]:
        """Return the texts in another language, without a few short ones that may be mistakes of the detection."""
        rows = zip(self.names, self.found, self.letters, strict=True)
        found = [(n, letters) for n, d, letters in rows if d.language not in {self.main, UNKNOWN}]
        many = len(found) > _MISTAKEN * len(self.names)
        return [name for name, letters in found if many or letters >= _LONG]

    def __str__(self) -> str:
        return ", ".join(f"{count} {language}" for language, count in self.languages.items()) or "no text"


def detect_languages(texts: str | Mapping[str, str] | Iterable[str]) -> Detections:
    """Return the language of each text; texts are named as in the mapping, or by their position.

    >>> detect_languages({"a": "The cat sat on the mat all day.", "b": "Le chat dort sur la chaise."})
    <Detections: 1 english, 1 french>
    """
    named = _named(texts)
    bodies = named.values()
    return Detections(tuple(named), tuple(map(detect_language, bodies)), tuple(map(len, bodies)))


def _named(texts: str | Mapping[str, str] | Iterable[str]) -> dict[str, str]:
    if isinstance(texts, str):
        texts = [texts]
    return dict(texts) if isinstance(texts, Mapping) else {str(i): text for i, text in enumerate(texts)}


def settle(
    rules: TokenRules, texts: str | Mapping[str, str] | Iterable[str]
) -> tuple[TokenRules, tuple[str, ...]]:
    """Return rules with the detected language of the texts, if the rules ask for it, and notes for a reader.

    Of more than 200 texts, 200 or fewer at even distances are looked at. If no language is recognised, English is taken
    and a note says so: its vectors are built in, and its rules cut words of unknown languages as the plain ones do.
    """
    if rules.language != DETECT:
        return rules, ()
    named = _named(texts)
    found = detect_languages(dict(list(named.items())[:: -(-len(named) // _ASKED) or 1]))
    return replace(rules, language="english" if found.main == UNKNOWN else found.main), found.notes
