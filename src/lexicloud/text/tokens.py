"""Text to tokens: words with their inner apostrophes and hyphens, numbers, and punctuation."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import Any, Final

from lexicloud.errors import MissingExtra
from lexicloud.text.patterns import token_pattern
from lexicloud.text.rules import DEFAULT_RULES, TokenRules

# Runs remembered before memory is given up and begun anew (about 30 MB), and the longest run worth
# remembering.
_REMEMBERED_RUNS: Final = 2**17
_LONGEST_RUN: Final = 40


def tokenize(text: str, rules: TokenRules = DEFAULT_RULES) -> list[str]:
    """Split text into words, numbers and punctuation, in their original case and order.

    No token holds white space. Underscores (emphasis in plain text) and invisible characters are no tokens.

    >>> tokenize("“Don’t,” said _Mr._ O’Neil--at 10:30, e.g. for $1,000.50…")
    ['“', 'Don’t', ',', '”', 'said', 'Mr', '.', 'O’Neil', '--', 'at', '10:30', ',', 'e.g.', 'for', '$',
     '1,000.50', '…']
    >>> tokenize("l’homme qu’il voit", TokenRules(language="french"))
    ['l’', 'homme', 'qu’', 'il', 'voit']
    """
    if rules.tokenizer == "nltk":
        return _nltk_tokens(text, rules)
    return list(chain.from_iterable(map(_runs(rules.language).__getitem__, text.split())))


class _Runs(dict[str, tuple[str, ...]]):
    """The tokens of each run of non-space characters met so far.

    No token spans white space, and most runs have been met before: looking them up takes half the time of
    matching the pattern, and equal tokens are one string in memory. Tuples of strings, unlike lists, are left alone by
    the garbage collector, which would otherwise walk through all of them time and again.
    """

    def __init__(self, language: str) -> None:
        self._plain = token_pattern(language)
        self._web = token_pattern(language, web=True)

    def __missing__(self, run: str) -> tuple[str, ...]:
        tokens = tuple((self._web if has_address(run) else self._plain).findall(run))
        if len(run) <= _LONGEST_RUN:
            if len(self) >= _REMEMBERED_RUNS:
                self.clear()
            self[run] = tokens
        return tokens


_runs = cache(_Runs)


def has_address(run: str) -> bool:
    """Tell whether a run may hold a web or e-mail address, which needs the slower pattern."""
    return "@" in run or "://" in run or ("." in run and "www." in run.lower())


def _nltk_tokens(text: str, rules: TokenRules) -> list[str]:
    """Tokenise sentence by sentence, as NLTK's rules expect: they split a full stop off only at the end."""
    from lexicloud.text.sentences import split_sentences

    tokenizer = _nltk_tokenizer()
    return [token for sentence in split_sentences(text, rules) for token in tokenizer.tokenize(sentence)]


@cache
def _nltk_tokenizer() -> Any:
    try:
        from nltk.tokenize import NLTKWordTokenizer
    except ImportError:
        raise MissingExtra("NLTK's tokenizer", "nltk") from None
    return NLTKWordTokenizer()
