"""What an English question asks for, and which words of a text may be that: *When* asks for a date, *Who* for a name.

adds = ANSWER · σ   where a text has such words, σ the spread of the words' scores over all texts
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

# Tuned on half of the questions of benchmarks/truth/answers.py, reported on the others (docs/search-measured.md).
ANSWER: Final = 3.0
KIND: Final = "answer"  # the kind of its reasons
_READ: Final = 600  # letters; longer texts have words of every kind
_NUMBERS: Final = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|"
    "ninety|hundred|thousand|million|billion|half|dozen|twice|once"
)
_MONTHS: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAYS: Final = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_NUMBER: Final = rf"\d[\d.,]*|\b(?:{_NUMBERS})\b"
_TIME: Final = (
    rf"\b(?:1\d|20)\d\d\b|\d+(?:st|nd|rd|th)\b|\b\d{{1,2}}[:.]\d\d\b|\b(?:{_MONTHS}|{_DAYS})\b"
    r"|(?i:\b(?:today|tomorrow|yesterday|tonight|ago|o'clock|a\.m|p\.m|morning|afternoon|evening|night|noon|midnight"
    r"|spring|summer|autumn|winter|century|christmas|after|before|when|during|until|since)\b)"
)
_SPAN: Final = (
    rf"(?i:(?:\d|\b(?:{_NUMBERS}|an?|few|many|several)\b)[\w\s,.-]{{0,14}}"
    r"\b(?:second|minute|hour|day|week|month|year|decade|centur)\w*)"
)
_NAME: Final = r"(?<=[\w,;] )(?!I\b)[A-Z][\w'’-]*"
# The first that fits counts: what the question has, and what its answer has.
_KINDS: Final = tuple(
    (re.compile(rf"\b{asked}\b", re.IGNORECASE), re.compile(answer))
    for asked, answer in (
        ("how (?:long|soon|old)", _SPAN),
        ("how much", rf"[$£€¥]|(?i:\b(?:dollar|pound|yuan|euro|cent|kilo|ton|gram)s?\b)|%|{_NUMBER}"),
        ("how (?:many|far|often|tall|big|high|fast|large|deep)", rf"(?i:{_NUMBER})"),
        ("(?:when|what (?:time|year|day|date))", _TIME),
        ("why", r"(?i:\b(?:because|since|so|therefore|due|reasons?|caused?|to|as|for)\b)"),
        ("(?:who|whom|whose)", _NAME),
        (
            "where",
            r"(?i:\b(?:in|at|on|from|near|to|into|outside|inside|under|behind|beside|around|across)\b)",
        ),
    )
)


def is_question(query: str) -> bool:
    """Tell whether a query ends as a question does."""
    return query.rstrip().endswith("?")


def answers(question: str, texts: Iterable[str], spread: float) -> list[tuple[Reason, ...]]:
    """Return, for each text, what may be the answer to a question in it; nothing where no question is asked.

    >>> [(reason.near, reason.word) for (reason,) in answers("When did he sail?", ["He sailed in 1851."], 1.0)]
    [('When', '1851')]
    """
    kind = (
        next((both for both in _KINDS if both[0].search(question)), None) if is_question(question) else None
    )
    if kind is None:
        return [() for _ in texts]
    asked = kind[0].search(question)
    assert asked is not None
    own = set(re.findall(r"\w+", question.lower()))
    found = list[tuple[Reason, ...]]()
    for text in texts:
        words = (match[0] for match in kind[1].finditer(text[:_READ]))
        word = next((word for word in words if word.lower() not in own), None)
        found.append((Reason(word, ANSWER * spread, KIND, asked[0], 0.0),) if word else ())
    return found
