"""From suggestions to a study: which can be shown, and which sentence represents its method.

Suggestions come from searches (`make_study` draws queries from an index, as in the paper) or from a file that somebody
has (`import_suggestions`), such as the one of the paper:

    {"0": {"query": "…", "difficulty": "middle", "set_cover": {"0": "…", "1": "…", …}, "jaccard": {…}, …}, …}
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError, OptionError, SurveyError
from lexicloud.progress import track
from lexicloud.survey.design import Arm, Study, StudyQuery, arms_of, default_background, pairs_of, read_json
from lexicloud.version import __version__

if TYPE_CHECKING:
    from lexicloud.search import SentenceIndex

LIST: Final = 5  # sentences of a list, as in the paper
GROUP_KEYS: Final = ("group", "difficulty", "reading_level")
_LETTERS: Final = 0.6  # the least share of letters among the non-blank characters of a sentence
_ODD: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f�<>{}|\\^_~#@*=\[\]]|\.{4,}|-{3,}|https?:|www\.")
# Methods as the paper's files name them; `weighted_set_cover`, also there, is a variant it does not report.
PAPER_NAMES: Final = {
    "set_cover": "setcover",
    "embedding_average": "average",
    "word_movers_distance": "wmd",
    "jaccard": "jaccard",
    "edit_distance": "levenshtein",
}
# Tokens of a query and of a suggestion; the paper's databases end at 15.
SHORTEST, LONGEST = 5, 15
# Suggestions asked for beyond a list, to make up for unreadable ones and repetitions.
SPARE: Final = 10
# A sentence with one of these words is about a book, not from it.
KEYWORDS: Final = ("chapter", "footnote", "gutenberg", "illustration", "transcriber", "copyright")
# Names of methods with fixed options: the paper's set cover, and ours.
PRESETS: Final[dict[str, dict[str, Any]]] = {
    "setcover": {"method": "setcover", "weighting": "uniform"},
    "varied": {"method": "setcover", "weighting": "idf"},
}
# The metadata by whose values the paper divides its queries.
PAPER_GROUPS: Final = "reading_level"
PAPER_METHODS: Final = ("setcover", "average", "wmd", "jaccard", "levenshtein")


@dataclass(frozen=True)
class Candidate:
    """A query with every method's suggestions, not yet checked."""

    id: str
    text: str
    lists: Mapping[str, Sequence[str]]
    group: str | None = None


def readable(text: str) -> bool:
    """Tell whether a sentence can be shown: mostly letters, no markup or broken characters, not all capitals.

    >>> readable("It measured four or five miles."), readable("| 12 | 4.0 |"), readable("CHAPTER THE FIRST")
    (True, False, False)
    """
    signs = [c for c in text if not c.isspace()]
    letters = [c for c in signs if c.isalpha()]
    if not signs or _ODD.search(text) or len(letters) < _LETTERS * len(signs):
        return False
    return len(letters) < 4 or not "".join(letters).isupper()


def same_text(text: str) -> str:
    """Return a form of a sentence that is equal for sentences which differ only in case, punctuation and blanks."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", plain))


def prepared(
    candidate: Candidate, chance: random.Random, number: int = LIST, *, clean: bool = True
) -> StudyQuery | str:
    """Return a query that is ready to be shown, or the reason why it cannot be.

    With `clean`, the query itself, unreadable sentences and repetitions are removed from each list, and `number` are
    kept. No two lists may be the same.
    """
    choose = _cleaned if clean else _as_they_are
    lists = {method: choose(found, candidate.text)[:number] for method, found in candidate.lists.items()}
    if any(len(found) < number for found in lists.values()):
        return "too few suggestions"
    if len({frozenset(map(same_text, found)) for found in lists.values()}) < len(lists):
        return "two methods suggest the same list"
    panel = _panel(lists, chance)
    if panel is None:
        return "no different sentence for every method"
    return StudyQuery(candidate.id, candidate.text, lists, panel, candidate.group)


def _as_they_are(found: Sequence[str], _: str) -> tuple[str, ...]:
    return tuple(" ".join(text.split()) for text in found)


def _cleaned(found: Sequence[str], query: str) -> tuple[str, ...]:
    seen, kept = {same_text(query)}, []
    for text in found:
        shown = " ".join(text.split())
        key = same_text(shown)
        if key not in seen and readable(shown):
            seen.add(key)
            kept.append(shown)
    return tuple(kept)


def _panel(lists: Mapping[str, Sequence[str]], chance: random.Random) -> dict[str, int] | None:
    """Return the place of the sentence that represents each method: its best one that no other method has taken.

    Methods take turns in a random order, because one that was always first would always keep its best sentence.
    """
    order = list(lists)
    chance.shuffle(order)
    taken: set[str] = set()
    panel: dict[str, int] = {}
    for method in order:
        place = next((i for i, text in enumerate(lists[method]) if same_text(text) not in taken), None)
        if place is None:
            return None
        panel[method] = place
        taken.add(same_text(lists[method][place]))
    return {method: panel[method] for method in lists}


def import_suggestions(
    path: str | Path,
    *,
    methods: Sequence[str] | None = None,
    arms: Sequence[Arm] | None = None,
    against: str | None = None,
    title: str | None = None,
    seed: int = 0,
) -> Study:
    """Make a study of suggestions in a file; by default of the paper's five methods if it has them, else of all."""
    candidates = read_suggestions(path)
    there = list(dict.fromkeys(method for c in candidates for method in c.lists))
    chosen = list(methods or (PAPER_NAMES if set(PAPER_NAMES) <= set(there) else there))
    wrong = [method for method in chosen if method not in there]
    if wrong:
        raise OptionError(f"no method {wrong[0]!r} in {path}: it has {', '.join(there)}")
    chance = random.Random(seed)
    kept, left_out = [], dict[str, int]()
    for candidate in candidates:
        lists = {method: candidate.lists.get(method, ()) for method in chosen}
        # The sentences of a file were chosen by its makers: they are shown as they are.
        query = prepared(Candidate(candidate.id, candidate.text, lists, candidate.group), chance, clean=False)
        if isinstance(query, StudyQuery):
            kept.append(query)
        else:
            left_out[query] = left_out.get(query, 0) + 1
    if not kept:
        raise SurveyError(f"no query of {path} can be shown: {reasons(left_out)}")
    source = {"suggestions": Path(path).name, "queries": len(candidates), "left_out": left_out}
    return assembled(kept, {method: {} for method in chosen}, arms, against, title, seed, source)


def assembled(
    queries: Sequence[StudyQuery],
    methods: Mapping[str, Mapping[str, Any]],
    arms: Sequence[Arm] | None,
    against: str | None,
    title: str | None,
    seed: int,
    source: Mapping[str, Any],
) -> Study:
    """Return a study with the paper's questions about participants."""
    return Study(
        title=title or "Which suggestions help in writing?",
        arms=tuple(arms or arms_of("choose")),
        methods=methods,
        queries=tuple(queries),
        background=default_background(),
        pairs=pairs_of(list(methods), against),
        seed=seed,
        source=source,
    )


def read_suggestions(path: str | Path) -> list[Candidate]:
    """Read a file of suggestions, in the shape the paper's authors published."""
    path = Path(path)
    content = read_json(path)
    if isinstance(content, list):
        content = {str(i): entry for i, entry in enumerate(content)}
    if not isinstance(content, dict):
        raise InputError(f"{path} holds a {type(content).__name__}: suggestions are an object of queries")
    return [_candidate(path, str(name), entry) for name, entry in content.items()]


def _candidate(path: Path, name: str, entry: Any) -> Candidate:
    if not isinstance(entry, dict) or not isinstance(entry.get("query"), str):
        raise InputError(f'query {name} of {path} has no text: it needs "query": "…"')
    group = next((str(entry[key]) for key in GROUP_KEYS if entry.get(key) is not None), None)
    lists = {key: _texts(value) for key, value in entry.items() if isinstance(value, dict | list)}
    return Candidate(name, " ".join(entry["query"].split()), lists, group)


def _texts(value: dict[str, Any] | list[Any]) -> list[str]:
    """Return suggestions, best first; the keys of an object number them."""
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value, key=lambda key: (len(key), key))]
    return [text for text in value if isinstance(text, str)]


def reasons(left_out: Mapping[str, int]) -> str:
    """Return the reasons why queries were left out, with their numbers."""
    return ", ".join(f"{reason} ({count})" for reason, count in left_out.items()) or "it has none"


# ---- drawn from an index


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

    `by` names a metadata column: each of its values gets the same number of queries, which are searched among sentences
    with that value. `tokens` are the least and most tokens of queries and suggestions; a sentence with one of the words
    `without` is not used as a query. A query for which a method has too few suggestions is replaced by another.
    `methods` may also map names to search options.
    """
    if queries < 1:
        raise OptionError(f"{queries} queries: there must be at least one")
    chosen = _methods(methods)
    chance, left_out = random.Random(seed), dict[str, int]()
    pools = _pools(index, by, tokens, without)
    kept: list[StudyQuery] = []
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
    """Return how many queries each group gets; a remainder goes to the last groups, as in the paper."""
    if queries < len(pools):
        raise OptionError(f"{queries} queries for {len(pools)} values of {by}: ask for at least one each")
    each, more = divmod(queries, len(pools))
    return {group: each + (i >= len(pools) - more) for i, group in enumerate(pools)}


def _pools(
    index: SentenceIndex, by: str | None, tokens: tuple[int, int], without: Sequence[str]
) -> dict[Any, list[str]]:
    """Return, for each group, the sentences that may be queries, each text once."""
    if not len(index):
        raise OptionError("the index has no sentences: there is no query to draw")
    records = index.records()
    if by is not None and not any(by in record for record in records):
        known = ", ".join(index.info.metadata) or "none"
        raise OptionError(f"no sentence of the index has {by!r}: its metadata are {known}")
    banned = {word.casefold() for word in without}
    groups: dict[Any, list[str]] = {}
    for record in records:
        group = None if by is None else record.get(by)
        if tokens[0] <= record["tokens"] <= tokens[1] and (by is None or group is not None):
            groups.setdefault(group, []).append(record["text"])
    if not groups:
        raise OptionError(
            f"none of the {len(records):,} sentences of the index has {tokens[0]} to {tokens[1]} tokens, as a query "
            "should: index shorter or longer ones, or give tokens=(…, …) in Python"
        )
    return {group: _once(groups[group], banned) for group in sorted(groups, key=str)}


def _once(texts: list[str], banned: set[str]) -> list[str]:
    """Return the texts that may be asked, each once."""
    asked = [text for text in texts if _may_be_asked(text, banned)]
    return list({same_text(text): text for text in reversed(asked)}.values())


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
) -> list[StudyQuery]:
    """Search for one query after the other until enough can be shown; count in `left_out` why others cannot."""
    found: list[StudyQuery] = []
    waiting = iter(pool)
    for _ in track(range(wanted), "searching"):
        for text in waiting:
            lists = {name: _search(index, text, options, longest, where) for name, options in methods.items()}
            query = prepared(Candidate("", " ".join(text.split()), lists), chance)
            if isinstance(query, StudyQuery):
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
