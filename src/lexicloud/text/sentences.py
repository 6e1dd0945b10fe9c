"""Text to sentences: our own rules, or NLTK's punkt on request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError, MissingExtra
from lexicloud.text.rules import DEFAULT_RULES, TokenRules
from lexicloud.text.tokens import stopwords

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# A name or another word follows these as a rule: never the end of a sentence. Lower case, found in any case.
ALWAYS_CONTINUED: Final = _words(
    """
    mr mrs ms messrs mme mlle mlles mdme dr drs prof rev revd hon gen lt maj capt cpt cmdr cdr comdr
    sgt sergt cpl pvt adm brig gov sen reps supt insp amb atty asst assoc mgr v vs viz cf ca ibid cit
    approx esp incl sra srta wm jas chas thos jno benj robt bzw ggf vgl
    """
)

# The same, but only where they are capitalised: without a capital they are words that end sentences.
CAPITALISED_CONTINUED: Final = _words(
    """
    Mt Ft Col Rep Pres Det Ste Fr Geo Rt Op Hr Sr Sta
    """
)

# A number follows these (No. 5, Fig. 3, Jan. 4); otherwise they may end a sentence. Lower case.
CONTINUED_BY_NUMBER: Final = _words(
    """
    no nos fig figs p pp vol vols ch chap chaps sec secs sect art arts eq eqs eqn eqns ex cl par pt
    pts bk jan feb mar apr jun jul aug sep sept oct nov dec cap col lib vv ver l ll ed eds sc stat
    app nr c
    """
)

# These stand before a name or in the middle as often as at the end: a sentence ends if the next word begins
# one.
SOMETIMES_FINAL: Final = _words(
    """
    jr sr inc co cos corp ltd bros etc &c esq st dept univ assn ave blvd rd bldg govt natl intl figs
    pp vol vols oz lb lbs hr hrs
    """
)

# The same, but only where they are capitalised: months, days, states, parts of a book.
CAPITALISED_SOMETIMES_FINAL: Final = _words(
    """
    Fig Ch Chap Sec Sect Art Eq Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed
    Thu Thur Thurs Fri Sat Ala Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Kans Ky Md Mass Mich
    Minn Mont Neb Nebr Nev Okla Ore Penn Penna Tenn Tex Va Vt Wash Wis Wisc Wyo
    """
)

# Words that begin a sentence far oftener than a name: after U.S., Jr. or an initial, one with a capital is
# a new start.
STARTERS: Final = _words(
    """
    the this that these those a an it its he she they we you i his her their our my your there here
    then thus in on at by for from with as to of after before during since until while when where
    why what who how which if but and or so yet nor however although though because once now today
    not no yes one some many most all both each every any such other another only even still also
    perhaps meanwhile is are was were do does did has have had can could will would should may might
    let
    """
)

# Verbs of speaking: “Help!” John cried is one sentence although a capital follows the mark.
SPEAKING: Final = _words(
    """
    said says asked asks cried cries replied replies answered answers exclaimed shouted whispered
    muttered murmured called demanded returned added observed remarked repeated inquired enquired
    begged continued interrupted declared screamed yelled roared gasped sighed laughed snapped
    growled ejaculated thought told wondered retorted responded protested pleaded moaned groaned
    sobbed
    """
)

LONGEST: Final = max(
    map(
        len,
        ALWAYS_CONTINUED
        | CAPITALISED_CONTINUED
        | CONTINUED_BY_NUMBER
        | SOMETIMES_FINAL
        | CAPITALISED_SOMETIMES_FINAL,
    )
)


_CLOSING: Final = "[\"'”’»›)\\]}_*]"
_OPENING: Final = "\"'“”‘’«‹„‚([{_*¿¡—–-"
_FOOTNOTE: Final = r"(?:[\[(][\d*]{1,4}[\])])?"
# A mark with what closes after it and the white space that follows; a blank line; the line end before a
# bullet.
# What goes on in lower case or with a comma is no end, and is turned down here, where it is cheap. All
# alternatives share their first character class, because the pattern engine then skips quickly to the next
# candidate.
CANDIDATE: Final = re.compile(
    r"[.!?…\n](?:"
    rf"(?<!\n)(?<![.!?…]{{2}})([.!?…]*+)({_CLOSING}*+{_FOOTNOTE}{_CLOSING}*+)\s++"
    rf"(?![{re.escape(_OPENING)}]*+[a-zà-öø-ÿ,;:.!?…])"
    r"|(?<=\n)(?:[^\S\n]*+\n\s*+|(?=[^\S\n]*+[•‣▪][^\S\n])))"
)
_NEXT: Final = re.compile(rf"[{re.escape(_OPENING)}]*+((?:[^\W_]|['’.\-](?=\w))*)(\.?)")
# No abbreviation or number before a full stop is longer, with the word before it.
_LOOK_BACK: Final = 40
_QUOTES: Final = frozenset("\"'”’»›")
_EMPHASIS: Final = frozenset("_*")
# Names may go on in the next line, but not beyond a blank one, where the sentence ends in any case.
_SPEAKER: Final = re.compile(r"(?:[A-Z][\w’'\-]*\.?(?=\s)[^\S\n]*+\n?[^\S\n]*+){1,4}(\w+)")
_ROMAN: Final = re.compile(r"[IVXLC]+")


@dataclass(frozen=True)
class Habits:
    """What differs between languages: the words that begin sentences, and whether 3. is an ordinal (am 3. Mai)."""

    starters: frozenset[str] = STARTERS
    ordinals: bool = False


ENGLISH: Final = Habits()


def ends(text: str, start: int, found: re.Match[str], habits: Habits = ENGLISH) -> bool:
    """Tell whether the mark that `found` matched ends the sentence that began at `start`."""
    at, close = found.start(), found[2]
    following = _NEXT.match(text, found.end())
    word, stop = following.group(1, 2) if following else ("", "")
    if word[:1].islower():  # letters beyond those the pattern turns down
        return False
    if text[at] != "." or found[1]:
        return _ends_loudly(text, found, word)
    if close and not _EMPHASIS.issuperset(close):
        return True
    before = text[max(start, at - _LOOK_BACK) : at].rsplit(None, 2)
    if not before:
        return True
    last = before[-1].lstrip(_OPENING)
    if len(last) > LONGEST and len(before) > 1 and last.isalpha():  # most ends by far
        return True
    if stop and len(word) == 1 and word.isalpha():  # an initial: A. is no article then
        if len(last) == 1:  # z. B., J. R. R.
            return False
        word = ""
    alone = len(before) == 1 and at - start < _LOOK_BACK
    starts = word.lower() in habits.starters
    if habits.ordinals and last.isdigit() and len(last) < 3:
        return starts
    return _ends_after(last, word, before[-2] if len(before) > 1 else "", alone=alone, starts=starts)


def _ends_loudly(text: str, found: re.Match[str], word: str) -> bool:
    """Decide after ! ? … and runs of marks: only dotted leaders and “Help!” John cried go on."""
    if word[:1].isdigit() and found[1].startswith("."):
        return False
    return not (word and _QUOTES.intersection(found[2]) and _speaks(text, found.end(), word))


def _ends_after(last: str, word: str, earlier: str, *, alone: bool, starts: bool) -> bool:
    """Decide on a full stop by the word it follows.

    `alone`: the sentence has no other word yet; `starts`: the next word is one that begins sentences.
    """
    if len(last) == 1 and last.isupper():
        if last == "I" and earlier[:1].islower():  # “said I.” speaks; an initial follows a name or a title
            return True
        return starts and not alone
    if alone and (last.isdigit() or _ROMAN.fullmatch(last)):  # the number of a list item or chapter
        return False
    bare = last.rpartition("-")[2]
    low = bare.lower()
    if low in ALWAYS_CONTINUED or bare in CAPITALISED_CONTINUED:
        return False
    if low in CONTINUED_BY_NUMBER and word[:1].isdigit():
        return False
    if low in SOMETIMES_FINAL or bare in CAPITALISED_SOMETIMES_FINAL or ("." in last and last[-1].isalpha()):
        return starts
    return True


def _speaks(text: str, after: int, word: str) -> bool:
    """Tell whether a name and a verb of speaking follow: “Help!” Mrs. Bird cried."""
    if word != "I" and word.lower() in STARTERS:
        return False
    speaker = _SPEAKER.match(text, after)
    return speaker is not None and speaker[1] in SPEAKING


def split_sentences(text: str, rules: TokenRules = DEFAULT_RULES) -> list[str]:
    r"""Split text into sentences, white space inside each reduced to single spaces.

    Abbreviations, initials, decimal numbers, dialogue and hard-wrapped lines are survived; a blank line
    always ends a sentence. Cuts are made at white space only, so that the tokens of the sentences are those
    of the text.

    >>> split_sentences("“Stop!” cried Mr. J. Smith. He paid $3.50 at 4 p.m. on\nMay 3. “Why?” Anne asked.")
    ['“Stop!” cried Mr. J. Smith.', 'He paid $3.50 at 4 p.m. on May 3.', '“Why?” Anne asked.']
    """
    pieces: Iterable[str]
    if rules.sentences == "punkt":
        pieces = _punkt(rules.language).tokenize(text)
    else:
        pieces = _pieces(text, _habits(rules.language))
    return [sentence for piece in pieces if (sentence := " ".join(piece.split()))]


def _pieces(text: str, habits: Habits) -> Iterator[str]:
    start = 0
    for found in CANDIDATE.finditer(text):
        if found.lastindex is None or ends(text, start, found, habits):
            end = found.end()
            yield text[start:end]
            start = end
    yield text[start:]


@cache
def _habits(language: str) -> Habits:
    """Stop words begin sentences in every language; for English there is a list tuned to it."""
    if language == "english":
        return ENGLISH
    return Habits(stopwords(language), ordinals=language == "german")


@cache
def _punkt(language: str) -> Any:
    try:
        from nltk.tokenize import PunktTokenizer
    except ImportError:
        raise MissingExtra("NLTK's punkt", "nltk") from None
    try:
        return PunktTokenizer(language)
    except LookupError:
        raise InputError(
            "NLTK's punkt needs data that is not installed: python -m nltk.downloader punkt_tab"
        ) from None
