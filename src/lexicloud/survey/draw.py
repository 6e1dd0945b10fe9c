"""A study drawn from a sentence index: queries at random, every method's suggestions for them, as in the paper."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import OptionError, SurveyError
from lexicloud.progress import track
from lexicloud.survey.design import Arm, Query, Study
from lexicloud.survey.panel import LIST, Candidate, assembled, prepared, readable, reasons, same_text
from lexicloud.version import __version__

if TYPE_CHECKING:
    from lexicloud.search import SentenceIndex

SHORTEST, LONGEST = 5, 15  # tokens of a query and of a suggestion; the paper's databases end at 15
SPARE: Final = 10  # suggestions asked for beyond a list, to make up for unreadable ones and repetitions
# A sentence with one of these is about a book, not from it.
KEYWORDS: Final = ("chapter", "footnote", "gutenberg", "illustration", "transcriber", "copyright")
# Names that stand for a method with options of its own: the paper's set cover, and ours.
PRESETS: Final[dict[str, dict[str, Any]]] = {
    "setcover": {"method": "setcover", "weighting": "uniform"},
    "varied": {"method": "setcover", "weighting": "idf"},
}
PAPER_METHODS: Final = ("setcover", "average", "wmd", "jaccard", "levenshtein")


def make_study(
    index: SentenceIndex,
    queries: int = 100,
    *,
    by: str | None = None,
    methods: Sequence[str] | Mapping[str, Mapping[str, Any]] = PAPER_METHODS,
    arms: Sequence[Arm] | None = None,
    against: str | None = None,
    tokens: tuple[int, int] = (SHORTEST, LONGEST),
    without: Sequence[str] = KEYWORDS,
    title: str | None = None,
    seed: int = 0,
) -> Study:
    """Draw queries from an index and freeze what every method suggests for them.

    `by` names metadata: each of its values gets the same share of the queries, which are searched among sentences with
    that value. Queries and suggestions have so many `tokens`; a sentence with one of the words `without` is no query.
    A query is drawn again when a method has too little to suggest. `methods` may also map names to search options.
    """
    if queries < 1:
        raise OptionError(f"{queries} queries: there must be at least one")
    chosen = _methods(methods)
    chance, left_out = random.Random(seed), dict[str, int]()
    pools = _pools(index, by, tokens, without)
    kept: list[Query] = []
    for group, wanted in _shares(pools, queries, by).items():
        where = None if by is None else {by: group}
        chance.shuffle(pools[group])
        found = _draw(index, pools[group], wanted, chosen, tokens[1], where, chance, left_out)
        if len(found) < wanted:
            raise SurveyError(
                f"{len(found)} of the {wanted} queries asked for{'' if by is None else f' with {by} {group}'} can be "
                f"shown ({reasons(left_out)}): ask for fewer, or index more sentences"
            )
        label = None if by is None else str(group)
        kept += [replace(query, id=str(len(kept) + i), group=label) for i, query in enumerate(found)]
    source = {
        "index": str(index.path.name) if index.path else None,
        "sentences": len(index),
        "vectors": index.info.vectors,
        "lexicloud": __version__,
        "by": by,
        "tokens": list(tokens),
        "without": list(without),
        "left_out": left_out,
    }
    return assembled(kept, chosen, arms, against, title, seed, source)


def _methods(methods: Sequence[str] | Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    if isinstance(methods, Mapping):
        return {name: dict(options) for name, options in methods.items()}
    from lexicloud.search import METHODS

    known = PRESETS | {name: {"method": name} for name in METHODS if name not in PRESETS}
    wrong = [name for name in methods if name not in known]
    if wrong:
        raise OptionError(f"no method {wrong[0]!r}: choose among {', '.join(known)}")
    return {name: known[name] for name in methods}


def _shares(pools: Mapping[Any, list[str]], queries: int, by: str | None) -> dict[Any, int]:
    """Return how many queries each group gets; where they do not divide, the last get one more, as in the paper."""
    if queries < len(pools):
        raise OptionError(f"{queries} queries for {len(pools)} values of {by}: ask for at least one each")
    each, more = divmod(queries, len(pools))
    return {group: each + (i >= len(pools) - more) for i, group in enumerate(pools)}


def _pools(
    index: SentenceIndex, by: str | None, tokens: tuple[int, int], without: Sequence[str]
) -> dict[Any, list[str]]:
    """Return for each group the sentences that may be queries, each text once."""
    if not len(index):
        raise OptionError("the index has no sentences: there is no query to draw")
    sentences = index.to_pandas()
    if by is not None and by not in sentences:
        known = ", ".join(index.info.metadata) or "none"
        raise OptionError(f"no sentence of the index has {by!r}: its metadata are {known}")
    sentences = sentences[sentences["tokens"].between(*tokens)]
    banned = {word.casefold() for word in without}
    groups = [(None, sentences)] if by is None else sentences.groupby(by, sort=True)
    pools: dict[Any, list[str]] = {}
    for group, members in groups:
        texts = [text for text in members["text"] if _may_be_asked(text, banned)]
        pools[group] = list({same_text(text): text for text in reversed(texts)}.values())
    return pools


def _may_be_asked(text: str, banned: set[str]) -> bool:
    from lexicloud.text import is_punctuation, is_stopword, tokenize

    words = [word.casefold() for word in tokenize(text)]
    if banned.intersection(words) or not readable(text):
        return False
    return any(not is_stopword(word) and not is_punctuation(word) for word in words)


def _draw(
    index: SentenceIndex,
    pool: list[str],
    wanted: int,
    methods: Mapping[str, Mapping[str, Any]],
    longest: int,
    where: Mapping[str, Any] | None,
    chance: random.Random,
    left_out: dict[str, int],
) -> list[Query]:
    """Search for one query after the other until there are enough that can be shown."""
    found: list[Query] = []
    waiting = iter(pool)
    for _ in track(range(wanted), "searching"):
        for text in waiting:
            lists = {name: _search(index, text, options, longest, where) for name, options in methods.items()}
            query = prepared(Candidate("", " ".join(text.split()), lists), chance)
            if isinstance(query, Query):
                found.append(query)
                break
            left_out[query] = left_out.get(query, 0) + 1
    return found


def _search(
    index: SentenceIndex,
    text: str,
    options: Mapping[str, Any],
    longest: int,
    where: Mapping[str, Any] | None,
) -> list[str]:
    asked: dict[str, Any] = {"top": LIST + SPARE, "max_tokens": longest, **options}
    return [suggestion.text for suggestion in index.search(text, where=where, **asked)]
