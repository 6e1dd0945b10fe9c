"""What is known about each language, from its file in `languages/`; a language without a file gets plain defaults."""

from __future__ import annotations

import tomllib
import unicodedata
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Literal

from lexicloud.errors import OptionError, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


# The languages that have a file: name, code, and other codes that files and headers use.
_NAMED: Final = """
english en eng
french fr fra fre
german de deu ger
spanish es spa
italian it ita
portuguese pt por
russian ru rus
dutch nl nld dut
polish pl pol
ukrainian uk ukr
czech cs ces cze
hungarian hu hun
slovene sl slv
greek el ell gre
ancient-greek grc
latin la lat
finnish fi fin
swedish sv swe
danish da dan
norwegian no nor nb nob nn nno
romanian ro ron rum mo
turkish tr tur
arabic ar ara arz ary
hebrew he heb iw hbo
chinese zh zho chi cmn yue wuu
japanese ja jpn
"""
_ROWS: Final = [line.split() for line in _NAMED.strip().splitlines()]
LANGUAGES: Final = {code: name for name, code, *_ in _ROWS}
"""The code and the name of every language that has a file."""
_BY_ANY: Final = {code: name for name, *codes in _ROWS for code in (name, *codes)} | {"slovenian": "slovene"}

UNKNOWN: Final = "unknown"
"""Stands for an unknown language: it has words, punctuation and Unicode's sentence ends, but no stop words."""
DETECT: Final = "detect"
"""Stands for the language that is found in the text (`TokenRules(language="detect")`)."""


def language_name(language: str | None) -> str:
    """Return the full name of a language given by name or code, in any case; None means `"detect"`.

    >>> language_name("FR"), language_name("pt-BR"), language_name("hrv"), language_name("grc")
    ('french', 'portuguese', 'croatian', 'ancient-greek')
    """
    if language is None:
        return DETECT
    asked = str(language).strip().lower().replace(" ", "-").replace("_", "-")
    if asked in {DETECT, UNKNOWN, "und"}:
        return DETECT if asked == DETECT else UNKNOWN
    for name in (asked, asked.split("-")[0]):
        found = _BY_ANY.get(name) or _others().get(name)
        if found:
            return found
    known = ", ".join(f"{full} ({code})" for code, full in LANGUAGES.items())
    raise OptionError(
        f"there are no rules for the language {language!r}; there are {known}; "
        "other languages by their ISO 639 code, and 'unknown' reads any language by plain rules"
    )


def written_name(language: str) -> str:
    """Return the name of a language as people write it.

    >>> written_name("ancient-greek")
    'Ancient Greek'
    """
    return language.replace("-", " ").title()


def language_code(language: str) -> str:
    """Return the shortest ISO 639 code of a language; "und" where it is unknown.

    >>> language_code("polish"), language_code("croatian"), language_code("unknown")
    ('pl', 'hr', 'und')
    """
    name = language_name(language)
    codes = {full: code for code, full in LANGUAGES.items()} | {UNKNOWN: "und", DETECT: "und"}
    return codes.get(name) or _read_table("others")[name].split()[0]


@cache
def _others() -> dict[str, str]:
    """Return the names of languages without a file, by name and by every code."""
    listed: dict[str, str] = _read_table("others")
    return {code: name for name, codes in listed.items() for code in (name, *codes.split())}


@dataclass(frozen=True)
class Language:
    """The contents of a language's file; a new language is a new file in `languages/` and a line in this module.

    Words of sentence rules are lower case and match in any case, except those of the `capitalised_…` fields.
    """

    name: str
    code: str
    sources: str = ""
    """Where the lists come from."""
    stop_words: tuple[str, ...] = ()
    common_words: str = ""
    """The words that a ranked search ignores; if empty, all stop words."""
    # ---- words
    elided: str = ""
    """A pattern of words that lose their vowel before another word (l' in French)."""
    clipped: str = ""
    """A pattern of words that begin with an apostrophe ('tis)."""
    final_apostrophe: str = ""
    """A pattern of words that end with an apostrophe (po' in Italian)."""
    inner: str = ""
    """A pattern of marks inside words, other than apostrophes and hyphens (EU:n in Finnish)."""
    proclitics: str = ""
    """A pattern of words that a hyphen joins to the next (s-a in Romanian)."""
    enclitics: str = ""
    """A pattern of words that a hyphen joins to the word before (să-l in Romanian)."""
    hyphens_part: bool = False
    """Whether a hyphen separates two words and is not part of one."""
    dotless_i: bool = False
    """Whether the small letter of I is ı."""
    fold_grave: bool = False
    """Whether a grave accent counts as an acute one, which it replaces in running text (ancient Greek)."""
    segmenter: str = ""
    """The package that finds the words of a script without spaces: "jieba" or "sudachi"."""
    stemmer: str = ""
    """The name of its Snowball stemmer."""
    tagger: str = ""
    vectors: str = ""
    """The name of the language's vectors in the catalogue; empty where it has none."""
    direction: str = "ltr"
    # ---- sentences
    always_continued: frozenset[str] = frozenset()
    """Abbreviations that never end a sentence, because a word follows (Mr.); without the last full stop, as in z.b."""
    capitalised_continued: frozenset[str] = frozenset()
    """The same, but only with a capital; without one they are words that may end a sentence."""
    usually_final: frozenset[str] = frozenset()
    """Abbreviations that end a sentence if a capital follows (etc.)."""
    continued_by_number: frozenset[str] = frozenset()
    """Abbreviations before a number (No. 5); without a number they may end a sentence."""
    sometimes_final: frozenset[str] = frozenset()
    """Abbreviations in the middle or at the end: the sentence ends if the next word is one of the `starters`."""
    capitalised_sometimes_final: frozenset[str] = frozenset()
    """The same, but only with a capital."""
    starters: frozenset[str] = frozenset()
    """Words with a capital that more often begin a sentence than a name; if empty, the stop words."""
    speaking: frozenset[str] = frozenset()
    """Verbs of speaking: “Help!” John cried is one sentence, although a capital follows the mark."""
    ordinals: bool = False
    """Whether 3. is an ordinal (am 3. Mai)."""
    small_starts: bool = False
    """Whether a sentence may begin with a small letter, as in editions of Latin."""
    dashes_go_on: bool = True
    """Whether a sentence goes on after a mark, a dash and a small letter: – Komm! – rief sie."""
    closing: str = ""
    """Marks that close a quotation, besides the common ones: „…“, »…«."""
    spaced_closing: str = ""
    """Marks that close a quotation after a space: « Viens ! »"""
    ends: str = ""
    """Marks that end sentences, besides the common ones: the Greek question mark."""


_SETS: Final = frozenset(part.name for part in fields(Language) if part.type == "frozenset[str]")


@cache
def read_language(name: str) -> Language:
    """Read the file of a language, given by name or code; a language without a file gets plain defaults.

    >>> read_language("fr").code, read_language("hr").stemmer, read_language("hr").ordinals
    ('fr', 'serbian', False)
    """
    name = language_name(name)
    if name == DETECT:
        raise OptionError("the language is to be detected: TokenRules.settled(texts) finds it in the texts")
    if name in LANGUAGES.values():
        return _language(name, _read_table(name))
    return _language(name, _read_table("plain") | _plain_additions(name))


def _plain_additions(name: str) -> dict[str, Any]:
    """Return what is known of a language without a file: its code, and its stop words and stemmer from packages."""
    if name == UNKNOWN:
        return {"code": "und"}
    code = language_code(name)
    return {
        "code": code,
        "stop_words_from": "stopwordsiso",
        "stemmer": _STEMMED_AS.get(name, name),
        "vectors": "gaelic-300d" if name == "scottish-gaelic" else "",
        "sources": "stop words: stopwordsiso (MIT), where it has the language; no rules of its own",
    }


# Languages that use the stemmer of another (Snowball's Serbian knows the Latin and the Cyrillic script).
_STEMMED_AS: Final = {"croatian": "serbian", "bosnian": "serbian"}


def _read_table(name: str) -> dict[str, Any]:
    return tomllib.loads((files("lexicloud.text") / "languages" / f"{name}.toml").read_text(encoding="utf-8"))


def _language(name: str, found: dict[str, Any]) -> Language:
    lists: dict[str, Any] = {key: frozenset(_words(found.pop(key, ""))) for key in _SETS}
    shared = found.pop("abbreviations_of", "")
    if shared:
        other = _read_table(shared)
        lists |= {key: lists[key] | frozenset(_words(other.get(key, ""))) for key in _ABBREVIATIONS}
    stop = _stop_words(found.pop("stop_words", ""), found.pop("stop_words_from", ""), found["code"])
    dropped = frozenset(_words(found.pop("not_stop_words", "")))
    return Language(name, stop_words=tuple(w for w in stop if w not in dropped), **lists, **found)


_ABBREVIATIONS: Final = tuple(sorted(_SETS - {"starters"}))


def _words(listed: str) -> list[str]:
    """Return the words of a list; a # begins a comment."""
    return [word for line in listed.splitlines() for word in line.split("#")[0].split()]


def _stop_words(listed: str, package: str, code: str) -> list[str]:
    """Return the words that the file lists, and those of the package stopwordsiso if the file asks for them."""
    words = _words(listed)
    if package == "stopwordsiso":
        from stopwordsiso import has_lang, stopwords

        packaged = sorted(stopwords(code)) if has_lang(code) else []
        words += [word for word in packaged if any(map(str.isalpha, word)) and " " not in word]
    return list(dict.fromkeys(words))


__all__ = ["DEFAULT_RULES", "LANGUAGES", "TokenRules", "language_name", "read_language"]

# One spelling for apostrophes and inner hyphens that look different; the invisible soft hyphen is removed.
_ONE_SPELLING: Final = str.maketrans(
    {
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "\N{LEFT SINGLE QUOTATION MARK}": "'",
        "\N{MODIFIER LETTER APOSTROPHE}": "'",
        "\N{FULLWIDTH APOSTROPHE}": "'",
        "\N{GREEK KORONIS}": "'",
        "\N{HEBREW PUNCTUATION GERESH}": "'",
        "\N{HEBREW PUNCTUATION GERSHAYIM}": '"',
        "\N{ARABIC TATWEEL}": None,
        "\N{HYPHEN}": "-",
        "\N{NON-BREAKING HYPHEN}": "-",
        "\N{SOFT HYPHEN}": None,
    }
)
# Whole tokens that printers and transcribers write in different ways. The choice depends on the edition, not on the
# author, and must not make two texts differ.
_ONE_MARK: Final = {
    **dict.fromkeys("“”„‟«»〝〞＂", '"'),
    **dict.fromkeys(("``", "''"), '"'),
    **dict.fromkeys(("–", "—", "―", "---", "----"), "--"),
    "…": "...",
    **dict.fromkeys("‹›‚‛", "'"),
}
_CHOICES: Final = {"tokenizer": ("rules", "nltk", "characters"), "sentences": ("rules", "punkt")}


@dataclass(frozen=True)
class TokenRules:
    """How text becomes words: the language, whether case counts, and which rules cut tokens and sentences.

    `tokenizer="nltk"` and `sentences="punkt"` use NLTK. `tokenizer="characters"` takes every Chinese or Japanese
    character as a word, which needs no package that finds their words. A language is given by name or ISO 639 code;
    `language="detect"` finds it in the text. With `lemmas`, the forms of a word (go, went, gone) are counted as one;
    this needs the extra `lemmas`.

    >>> TokenRules(language="en") == TokenRules()
    True
    >>> TokenRules().normalise("Don’t")
    "don't"
    """

    language: str = "english"
    lowercase: bool = True
    tokenizer: Literal["rules", "nltk", "characters"] = "rules"
    sentences: Literal["rules", "punkt"] = "rules"
    lemmas: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "language", language_name(self.language))
        for option in ("lowercase", "lemmas"):
            if not isinstance(getattr(self, option), bool):
                raise OptionError(f"{option}={getattr(self, option)!r} is neither True nor False")
        if self.lemmas and not self.lowercase:
            raise OptionError("lemmas are counted in lower case: leave lowercase=True")
        for option, allowed in _CHOICES.items():
            if (value := getattr(self, option)) not in allowed:
                raise OptionError(
                    f"{option}={value!r} is not known; choose {' or '.join(map(repr, allowed))}"
                )

    def settled(self, texts: str | Iterable[str]) -> TokenRules:
        """Return these rules with the language found in the texts, if it is to be detected, else unchanged.

        For texts in several languages, the one with the most letters is taken and a warning names the others. If no
        language is recognised, English is taken, with a warning.

        >>> TokenRules(language="detect").settled("Le chat dort sur la chaise de la cuisine.").language
        'french'
        """
        if self.language != DETECT:
            return self
        from lexicloud.text.detection import settle

        rules, notes = settle(self, texts)
        for note in notes:
            warn(note)
        return rules

    def normalise(self, token: str) -> str:
        """Return the form in which a token is counted: composed, with plain apostrophes, in lower case or as its lemma.

        Texts and stop words are normalised alike. Except for lemmas, normalising twice changes nothing more.
        """
        if self.lemmas:
            from lexicloud.text.stems import lemmatizer

            return lemmatizer(self.language)(token)
        if not token.isascii():
            token = token.translate(_ONE_SPELLING) or token
            token = unicodedata.normalize("NFC", token)
        token = _ONE_MARK.get(token, token)
        if not self.lowercase:
            return token
        fold = None if self.language == "english" else _fold(self.language)
        if fold:
            token = fold(token)
        # Lower-casing can decompose a letter (İ), so composition comes last.
        return token.lower() if token.isascii() else unicodedata.normalize("NFC", token.lower())


_DOTLESS: Final = str.maketrans({"I": "ı", "İ": "i"})
_GRAVE, _ACUTE = "\N{COMBINING GRAVE ACCENT}", "\N{COMBINING ACUTE ACCENT}"


@cache
def _fold(language: str) -> Callable[[str], str] | None:
    """Return the function that changes a token of a language before lower-casing; None for most languages."""
    if language == DETECT:
        return None
    known = read_language(language)
    if known.dotless_i:
        return lambda token: token.translate(_DOTLESS)
    if known.fold_grave:
        return lambda token: unicodedata.normalize("NFD", token).replace(_GRAVE, _ACUTE)
    return None


DEFAULT_RULES: Final = TokenRules()
