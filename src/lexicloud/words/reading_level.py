"""The reading level of an English sentence: the grade that Flesch and Kincaid give it, in the paper's three levels.

The grade depends only on the number of words and of syllables. The paper's levels are those of whole books, so a single
sentence says little about them: `docs/web.md` reports how often the level is right.
"""

from __future__ import annotations

import re
from typing import Final, Literal

Level = Literal["pre-high school", "high school", "college"]
# The first grade of high school and of college in the United States.
HIGH_SCHOOL, COLLEGE = 9.0, 13.0
_WORD: Final = re.compile(r"[a-z]+(?:['’][a-z]+)?")
_VOWELS: Final = re.compile(r"[aeiouy]+")
_SILENT: Final = re.compile(r"(?:[^laeiouy]e|[^laeiouydt]ed|[^aeiouysxz]es)$")


def syllables(word: str) -> int:
    """Count the syllables of an English word by its groups of vowels, without a silent e at the end.

    >>> [syllables(word) for word in ("ship", "house", "captain", "jumped", "wanted", "little", "university")]
    [1, 1, 2, 1, 2, 2, 5]
    """
    word = word.lower()
    groups = len(_VOWELS.findall(word))
    return max(1, groups - bool(groups > 1 and _SILENT.search(word)))


def grade(sentence: str) -> float:
    """Return the Flesch–Kincaid grade of one sentence: 0.39 × words + 11.8 × syllables a word − 15.59.

    >>> round(grade("The cat sat on the mat."), 1)
    -1.4
    """
    words = _WORD.findall(sentence.lower())
    if not words:
        return 0.0
    return 0.39 * len(words) + 11.8 * sum(map(syllables, words)) / len(words) - 15.59


def reading_level(sentence: str) -> Level:
    """Return the level of a sentence by its grade.

    >>> reading_level("The farmers need rain."), reading_level("The cat sat on the mat.")
    ('pre-high school', 'pre-high school')
    """
    found = grade(sentence)
    if found < HIGH_SCHOOL:
        return "pre-high school"
    return "high school" if found < COLLEGE else "college"
