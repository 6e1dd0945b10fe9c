"""The terms by which search matches words: word forms share a stem, and compounds count whole and in parts."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import MissingExtra, OptionError
from lexicloud.text.language import TokenRules, language_code, language_name, read_language
from lexicloud.text.tokens import APOSTROPHES, is_punctuation, japanese_lemma, stopwords, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


# The parts of camelCase names, letters and digits apart: getHTTPResponse2 is get, HTTP, Response, 2.
_HUMPS: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_A-Za-z]+|\d+")
_HYPHENS: Final = re.compile(r"[-‐‑]+")
# Names that punctuation joins: snake_case, dotted.names, paths/to/files, Class::method, 3.11.2. A match begins only
# where a run of letters begins: otherwise a run of 16,000 letters took four seconds.
_JOINED: Final = re.compile(r"(?<![^\W_])[^\W_]++(?:(?:[_./\\:#]|::|->)[^\W_]++)+")
_INITIALS: Final = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
MARKS: Final = ".,;:!?\"'()[]{}<>«»“”„’‘…*`_-—"  # marks that may surround a word
_LONGEST: Final = 60  # characters of the longest name that is a term as a whole
_REMEMBERED: Final = 2**17  # runs that are remembered at most


class Terms(dict[str, tuple[str, ...]]):
    """The terms of each run of non-space characters, without the most common words, computed once and remembered.

    A compound's parts are terms, and so is the whole without its hyphens, so that e-mail matches email.

    >>> Terms(TokenRules()).of("Time-sharing in getUserName, os.path.join")
    ['timeshar', 'time', 'share', 'getusernam', 'get', 'user', 'name', 'os', 'path', 'join', 'ospathjoin']
    """

    def __init__(self, rules: TokenRules) -> None:
        super().__init__()
        self.rules = rules
        self.stem = stemmer(rules.language)
        self.common = common_terms(rules.language)
        self.quick = rules.lowercase and rules.tokenizer == "rules" and not rules.lemmas
        # Lower case is enough, except in Turkish, where I is not i.
        self._small = rules.normalise if read_language(rules.language).dotless_i else str.lower
        self._plain: dict[str, tuple[tuple[str, ...], tuple[str, ...]] | None] = {}
        self._marks = _Marks(rules)

    def of(self, text: str) -> list[str]:
        """Return the terms of a text, in order, with repetitions."""
        found: list[str] = []
        for run in text.split():
            found += self[run]
        return found

    def read(self, run: str) -> tuple[str, ...]:
        """Return the terms of one run without remembering them."""
        core = run.strip(MARKS)
        if core.isascii() and _is_plain(core):  # most runs: a word, and marks around it
            return self._of_word(self._small(core))
        tokens = tokenize(run, self.rules)
        return self._terms(run, tokens, map(self.rules.normalise, tokens))

    def _of_word(self, word: str) -> tuple[str, ...]:
        term = self.stem(word)
        return () if term in self.common else (term,)

    def words_and_terms(self, run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the normalised tokens of one run and its terms; for plain words both are remembered."""
        core = run.strip(MARKS)
        both = self._plain_word(core)
        outside = None if both is None else _outside(run, core)
        if both is not None and outside is not None:
            words, terms = both
            return (*self._marks[outside[0]], *words, *self._marks[outside[1]]), terms
        tokens = tokenize(run, self.rules)
        spelt = tuple(map(self.rules.normalise, tokens))
        if core.isascii() and _is_plain(core):
            return spelt, self._of_word(self._small(core))
        return spelt, self._terms(run, tokens, spelt)

    def _plain_word(self, core: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Return the token and the term of a plain word; None for other runs."""
        if core in self._plain:
            return self._plain[core]
        plain = self.quick and len(core) > 1 and core.isascii() and _is_plain(core)
        both = ((self._small(core),), self._of_word(self._small(core))) if plain else None
        if len(self._plain) < _REMEMBERED:  # not emptied, because other threads may be reading
            self._plain[core] = both
        return both

    def around(self, run: str) -> tuple[str, str, str] | None:
        """Return the marks before a plain word, the word, and the marks after it; None for other runs."""
        core = run.strip(MARKS)
        outside = None if self._plain_word(core) is None else _outside(run, core)
        return None if outside is None else (outside[0], core, outside[1])

    def __missing__(self, run: str) -> tuple[str, ...]:
        terms = self.read(run)
        if len(self) >= _REMEMBERED:
            self.clear()
        self[run] = terms
        return terms

    def _terms(self, run: str, tokens: Iterable[str], words: Iterable[str]) -> tuple[str, ...]:
        """Return the terms of a run, given its tokens and the normalised forms of these (`words`)."""
        found: list[str] = []
        for token, word in zip(tokens, words, strict=True):
            if is_punctuation(word):
                continue
            parts = pieces(token)
            if not parts:
                found.append(self.stem(word))
            else:
                found.append(self.stem("".join(parts)))
                found += [self.stem(part) for part in parts if len(part) > 1]
        found += _whole_names(run)
        return tuple([term for term in found if term not in self.common])


def _outside(run: str, core: str) -> tuple[str, str] | None:
    """Return the marks before and after the core of a run; None if an apostrophe may belong to the word, as in 'tis."""
    before, _, after = run.partition(core)
    return None if before and before[-1] in APOSTROPHES else (before, after)


class _Marks(dict[str, tuple[str, ...]]):
    """The tokens of the marks before or after words, remembered."""

    def __init__(self, rules: TokenRules) -> None:
        super().__init__({"": ()})
        self.rules = rules

    def __missing__(self, marks: str) -> tuple[str, ...]:
        tokens = tuple(map(self.rules.normalise, tokenize(marks, self.rules)))
        if len(self) < _REMEMBERED:
            self[marks] = tokens
        return tokens


@cache
def terms_by(rules: TokenRules) -> Terms:
    """Return the shared `Terms` of some rules."""
    return Terms(rules)


def pieces(token: str) -> list[str]:
    """Return the parts of a compound in lower case; none for plain words, numbers and initials.

    >>> pieces("e-mail"), pieces("parseJSON"), pieces("utf8"), pieces("1,000.50"), pieces("U.S.")
    (['e', 'mail'], ['parse', 'json'], ['utf', '8'], [], [])
    """
    if _is_plain(token) or "." in token or not any(map(str.isalpha, token)):
        return []
    parts: list[str] = []
    for part in _HYPHENS.split(token):
        if _is_plain(part) or not part.isascii() or "'" in part:
            parts.append(part)
        else:
            parts += _HUMPS.findall(part)
    return [part.lower() for part in parts] if len(parts) > 1 else []


def _is_plain(token: str) -> bool:
    return token.isalpha() and (len(token) == 1 or token[1:].islower() or token.isupper())


def _whole_names(run: str) -> Iterator[str]:
    """Yield names without the punctuation that joins their parts; of a version, the part before its last dot."""
    for match in _JOINED.finditer(run):
        name = match[0]
        if any(map(str.isalpha, name)):
            if len(name) <= _LONGEST and not _INITIALS.fullmatch(name):
                yield re.sub(r"[\W_]", "", name).lower()
        elif name.count(".") > 1:
            yield name.rpartition(".")[0]


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """Return the function that stems a word, by Snowball; without rules for the language it changes nothing."""
    import Stemmer

    name = read_language(language).stemmer
    if name not in Stemmer.algorithms():
        return str
    made: Any = Stemmer.Stemmer(name)
    stem: Callable[[str], str] = made.stemWord
    return stem


@cache
def common_terms(language: str) -> frozenset[str]:
    """Return the terms that a ranking ignores: the language's common words, or if there is no list, all stop words.

    To ignore all stop words makes the ranking of short texts much worse (docs/search-measured.md).
    """
    words = read_language(language).common_words.split() or stopwords(language)
    return frozenset(map(stemmer(language), words))


@cache
def stop_terms(language: str) -> frozenset[str]:
    """Return the terms of a language's stop words."""
    return frozenset(map(stemmer(language), stopwords(language)))


# Codes of simplemma that differ from ours.
_DICTIONARIES: Final = {"no": "nb", "hr": "hbs", "sr": "hbs", "bs": "hbs"}


class Lemmatizer:
    """Finds the lemmas of a language's words, in lower case.

    A word that the dictionary does not know is its own lemma. Context is ignored: *saw* has one lemma, as noun and as
    verb.

    >>> lemma = Lemmatizer("english")
    >>> lemma("Mice"), lemma("xyzzy")
    ('mouse', 'xyzzy')
    """

    def __init__(self, language: str) -> None:
        self.language = language_name(language)
        self.rules = TokenRules(language=self.language)
        known = read_language(self.language)
        # Dictionaries list German nouns and names with their capital, so case is kept unless letters must be folded.
        folded = known.dotless_i or known.fold_grave
        self._asked = self.rules if folded else TokenRules(language=self.language, lowercase=False)
        self._lemma = _lookup(self.language)
        self._known: dict[str, str] = {}

    def __call__(self, word: str) -> str:
        """Return the lemma of a word."""
        if word not in self._known:
            asked = self._asked.normalise(word)
            found = self._lemma(asked) if any(map(str.isalpha, asked)) else asked
            self._known[word] = self.rules.normalise(found)
        return self._known[word]


@cache
def lemmatizer(language: str) -> Lemmatizer:
    """Return the lemmatizer of a language, made once."""
    return Lemmatizer(language)


def _dictionary_codes() -> frozenset[str]:
    try:
        from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES
    except ImportError:
        raise MissingExtra("finding lemmas", "lemmas") from None
    found: frozenset[str] = SUPPORTED_LANGUAGES
    return found


def _lookup(language: str) -> Callable[[str], str]:
    """Return the function that finds the lemma of a normalised word."""
    if language == "japanese":
        return japanese_lemma
    code = language_code(language)
    code = _DICTIONARIES.get(code, code)
    if code not in _dictionary_codes():
        raise OptionError(f"there are no lemmas for {language}: count its words as they are written")
    lemmatizer = _simplemma()

    def found(word: str) -> str:
        return str(lemmatizer.lemmatize(word, code))

    return found


@cache
def _simplemma() -> Any:
    from simplemma import Lemmatizer as Simplemma
    from simplemma.strategies import DefaultStrategy
    from simplemma.strategies.dictionaries import DefaultDictionaryFactory

    return Simplemma(
        lemmatization_strategy=DefaultStrategy(dictionary_factory=DefaultDictionaryFactory(cache_max_size=1))
    )
