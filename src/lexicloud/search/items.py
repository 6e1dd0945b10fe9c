"""What goes into an index (strings, pairs, records, a corpus), and what a search answers with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from operator import index as whole_number
from typing import TYPE_CHECKING, Any, Final

from lexicloud.corpus import Corpus
from lexicloud.errors import InputError, OptionError
from lexicloud.plotting import APART, TOWARDS
from lexicloud.result import Result, TabularResult
from lexicloud.text import Document, TokenRules, split_sentences
from lexicloud.text.tables import value_at

if TYPE_CHECKING:
    import pandas as pd

    from lexicloud.search.database import Database, Identifier, ScoredRow
    from lexicloud.text.clean import Boilerplate

    Item = str | tuple[Identifier, str] | tuple[Identifier, str, Mapping[str, Any]] | Mapping[str, Any]

_NUMBER: Final = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d+)?")
# The metadata keys under which a sentence keeps the id of the text it was split from, and that text's title.
DOCUMENT: Final = "document"
TITLE: Final = "title"


@dataclass(frozen=True)
class Items:
    """Sentences with their ids and metadata, row by row."""

    texts: list[str]
    identifiers: list[Identifier]
    metadata: list[Mapping[str, Any] | None] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)

    def split(self, rules: TokenRules) -> Items:
        """Cut every text into its sentences, named `id#0`, `id#1` …, each with its text's metadata and id."""
        texts: list[str] = []
        names: list[Identifier] = []
        records: list[Mapping[str, Any] | None] = []
        for text, name, record in zip(self.texts, self.identifiers, self.metadata, strict=True):
            sentences = split_sentences(text, rules)
            texts += sentences
            names += [f"{name}#{j}" for j in range(len(sentences))]
            records += [{**(record or {}), DOCUMENT: name}] * len(sentences)
        return Items(texts, names, records)

    def cleaned(self, boilerplate: Boilerplate) -> Items:
        """Take the boilerplate out of every text."""
        return Items([boilerplate.clean(text) for text in self.texts], self.identifiers, self.metadata)

    def check_distinct(self) -> None:
        """Make sure that no id is given twice."""
        if len(set(self.identifiers)) == len(self):
            return
        seen: dict[Identifier, int] = {}
        for position, name in enumerate(self.identifiers):
            if seen.setdefault(name, position) != position:
                raise InputError(
                    f"the id {name!r} is given twice (items {seen[name]} and {position}): ids must be distinct"
                )


def read_items(
    sentences: Iterable[Item] | Mapping[Identifier, str] | Corpus | Items, first: int = 0
) -> Items:
    """Read anything that `SentenceIndex.build` takes; plain strings are numbered from `first`."""
    if isinstance(sentences, Items):
        return sentences
    if isinstance(sentences, Corpus):
        return _from_corpus(sentences)
    if isinstance(sentences, str | bytes):
        raise OptionError(
            "sentences is one string, not a list of them: write [text], or split_sentences(text)"
        )
    if isinstance(sentences, Mapping):
        sentences = list(sentences.items())
    if not isinstance(sentences, Iterable):
        raise OptionError(f"sentences is a {type(sentences).__name__}: give a list of texts")
    sentences = list(sentences)
    plain = [item for item in sentences if isinstance(item, str)]
    if len(plain) == len(sentences):
        return Items(plain, list(range(first, first + len(plain))), [None] * len(plain))
    items = Items([], [], [])
    for position, item in enumerate(sentences):
        name, text, record = _read_item(item, first + position, position)
        items.texts.append(text)
        items.identifiers.append(name)
        items.metadata.append(record)
    return items


def from_documents(documents: Sequence[Document], meta: Sequence[str] = ()) -> Items:
    """Take documents as a reader returns them, with their labels and some columns of tables (`*`: all) as metadata.

    A column that holds nothing but numbers becomes numbers, so that filters can compare them.
    """
    fields: dict[str, list[Any]] = {}
    for name in _chosen(documents, meta):
        fields[name] = _numbers([value_at(document.fields, name) for document in documents])
    if any(document.label is not None for document in documents):
        fields["label"] = [document.label for document in documents]
    records = [
        {name: values[i] for name, values in fields.items() if not _blank(values[i])}
        for i in range(len(documents))
    ]
    return Items([d.text for d in documents], [d.name for d in documents], list(records))


def _chosen(documents: Sequence[Document], meta: Sequence[str]) -> list[str]:
    there = list(dict.fromkeys(name for document in documents for name in document.fields))
    if "*" in meta:
        return there
    for name in meta:
        if name != "label" and all(value_at(document.fields, name) is None for document in documents):
            raise InputError(
                f"there is no column {name!r} to keep; the others are {', '.join(there) or 'none'}"
            )
    return [name for name in meta if name != "label" or name in there]


def _numbers(values: list[Any]) -> list[Any]:
    filled = [value for value in values if not _blank(value)]
    # Numbers with leading zeros are names, such as postcodes.
    if not all(isinstance(value, str) and _NUMBER.fullmatch(value) for value in filled):
        return values
    return [value if _blank(value) else (float(value) if "." in value else int(value)) for value in values]


def _blank(value: Any) -> bool:
    return value is None or value == ""


def _from_corpus(corpus: Corpus) -> Items:
    if corpus.texts is None:
        raise OptionError(
            "this corpus holds a sample, whose words have lost their order: index it before sampling"
        )
    labels = corpus.labels or (None,) * len(corpus)
    records = [None if label is None else {"label": label} for label in labels]
    return Items(list(corpus.texts), list(corpus.names), list(records))


def _read_item(item: Item, number: int, position: int) -> tuple[Identifier, str, Mapping[str, Any] | None]:
    record: Mapping[str, Any] | None = None
    name: Any = number
    text: Any
    if isinstance(item, str):
        return number, item, None
    if isinstance(item, Mapping):
        name, text, record = item.get("id", number), item.get("text"), item.get("metadata")
        if record is None:
            record = {k: v for k, v in item.items() if k not in {"id", "text", "metadata"}} or None
    elif isinstance(item, tuple | list) and len(item) in {2, 3}:
        name, text = item[:2]
        record = item[2] if len(item) == 3 else None
    else:
        raise InputError(
            f"item {position} is a {type(item).__name__}: "
            "give strings, (id, text), (id, text, metadata) or dicts with text"
        )
    if not isinstance(text, str):
        raise InputError(f"item {position} has no text: expected a string, found {type(text).__name__}")
    if record is not None and not isinstance(record, Mapping):
        raise InputError(f"the metadata of item {position} is a {type(record).__name__}, not a dict")
    return _identifier(name, position), text, record


def _identifier(name: Any, position: int) -> Identifier:
    if isinstance(name, str):
        return name
    try:
        return whole_number(name)
    except TypeError:
        raise InputError(
            f"the id of item {position} is {name!r}: an id is a string or a whole number"
        ) from None


# Methods whose score is a distance: the best suggestion has the lowest.
DISTANCES: Final = frozenset({"average", "wmd", "levenshtein"})


@dataclass(frozen=True, slots=True)
class Match(Result):
    """One reason: a word of the query, the word of the sentence it led to, and what that adds to the score."""

    query_word: str
    word: str
    distance: float  # between the two words' vectors; 0 for the same word
    weight: float  # the weights of a suggestion's matches add up to its score
    new: bool = True  # False where an earlier suggestion had covered the word already


@dataclass(frozen=True)
class Suggestion(TabularResult):
    """A sentence that a search found, with the reasons for it.

    For `average`, `wmd` and `levenshtein` the score is a distance (lower is nearer), for the other methods
    higher is better.

    >>> Suggestion(7, "A cat sat.", 1.5, (Match("kitten", "cat", 0.4, 1.5),)).highlights
    [(2, 5)]
    """

    _left_out = ("row",)
    _table = "matches"

    id: int | str
    text: str
    score: float
    matches: tuple[Match, ...] = field(default_factory=tuple)
    method: str = "related"
    metadata: dict[str, Any] = field(default_factory=dict)
    row: int = -1  # the sentence's number in its database
    weak: bool | None = None  # whether random queries reach as much (`related`); None where nobody knows
    title: str = ""  # of the text that the sentence was taken from
    context: tuple[str, ...] = ()  # the sentences before and after it, where they were asked for

    def __getattr__(self, name: str) -> Any:
        """Read the text and work the reasons out when they are first looked at; see `suggested`."""
        # Two threads may both do it: they find the same.
        if name == "text":
            text = self.__dict__["text"] = self.__dict__["_texts"][self.row]
            return text
        if name == "matches":
            matches = self.__dict__["matches"] = self.__dict__["_reasons"]()
            return matches
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs: the fields, the reasons worked out."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def known(self, **more: Any) -> Suggestion:
        """Return the same with more known of its row."""
        made = object.__new__(Suggestion)
        made.__dict__.update(self.__dict__, **more)
        return made

    @property
    def highlights(self) -> list[tuple[int, int]]:
        """Where the matched words stand in the text, as (start, end), in order."""
        return [span for span, _ in self._marked()]

    def _marked(self) -> list[tuple[tuple[int, int], Match]]:
        by_word = {m.word: m for m in reversed(self.matches) if m.word}
        if not by_word:
            return []
        plain = self.text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        found = _whole_words(plain, by_word)
        return [
            (span, by_word.get(word := plain[slice(*span)]) or by_word.get(word.lower()) or self.matches[0])
            for span in found
        ]

    def _repr_html_(self) -> str:
        parts, end = [], 0
        for (start, stop), match in self._marked():
            reason = (
                f"{match.query_word} → {match.word}, distance {match.distance:.2f}, weight {match.weight:.3g}"
            )
            colour = TOWARDS if match.new else "#888888"
            parts += [
                escape(self.text[end:start]),
                f'<b style="color:{colour}" title="{escape(reason)}">{escape(self.text[start:stop])}</b>',
            ]
            end = stop
        return "".join(parts) + escape(self.text[end:])


def _whole_words(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """Return where any of some words stands by itself, in either case; of two that overlap the first, then the longer.

    A pattern of all the words would do the same, but compiling it takes longer than the search that found them.
    """
    lowered = text.lower()
    if len(lowered) != len(text):  # İ becomes two letters, and every place behind it would move
        lowered = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    hits: list[tuple[int, int]] = []
    for word in {word.lower() for word in words}:
        at = lowered.find(word)
        while at >= 0:
            end = at + len(word)
            if not (_in_word(lowered[max(0, at - 1) : at]) or _in_word(lowered[end : end + 1])):
                hits.append((at, end))
            at = lowered.find(word, at + 1)
    found: list[tuple[int, int]] = []
    for at, end in sorted(hits, key=lambda hit: (hit[0], -hit[1])):
        if not found or at >= found[-1][1]:
            found.append((at, end))
    return found


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def suggested(database: Database, found: ScoredRow, method: str) -> Suggestion:
    """Make a suggestion whose text is read, and whose reasons are worked out, when they are first looked at."""
    row, score, matches, weak = found
    made = object.__new__(Suggestion)
    made.__dict__.update(
        id=database.identifiers[row],
        score=score,
        method=method,
        metadata={},
        row=row,
        weak=weak,
        title="",
        context=(),
        _texts=database.texts,
    )
    made.__dict__["_reasons" if callable(matches) else "matches"] = matches
    return made


class Suggestions(TabularResult, list[Suggestion]):
    """A list of suggestions, best first, that remembers its query and can say why it is short or empty."""

    _derived = ("query", "method", "suggestions", "notes", "unknown")

    def __init__(
        self,
        items: Iterable[Suggestion] = (),
        *,
        query: str = "",
        method: str = "related",
        notes: Iterable[str] = (),
        unknown: Iterable[str] = (),
    ) -> None:
        super().__init__(items)
        self.query = query
        self.method = method
        self.notes = tuple(notes)
        self.unknown = tuple(
            unknown
        )  # words of the query that could not take part: no sentence has them, no vector is known

    def filled(self, fetch: Callable[[int], dict[str, Any]]) -> Suggestions:
        """Return the same suggestions, each with what is known of its row: metadata, title, context."""
        filled = [s.known(**fetch(s.row)) for s in self]
        return Suggestions(
            filled, query=self.query, method=self.method, notes=self.notes, unknown=self.unknown
        )

    @property
    def suggestions(self) -> list[Suggestion]:
        """The suggestions as a plain list."""
        return list(self)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each suggestion: its id, text, score and metadata."""
        import pandas as pd

        return pd.DataFrame([{"id": s.id, "text": s.text, "score": s.score, **s.metadata} for s in self])

    def __repr__(self) -> str:
        found = ", ".join(repr(s.text if len(s.text) <= 60 else f"{s.text[:59]}…") for s in self[:3])
        more = f" and {len(self) - 3} more" if len(self) > 3 else ""
        return f"<Suggestions by {self.method}: {found or 'none'}{more}>"

    def _repr_html_(self) -> str:
        score = "distance" if self.method in DISTANCES else "score"
        rows = "".join(
            f"<tr><td>{i}</td><td style='text-align:left'>{s._repr_html_()}</td>"
            f"<td>{s.score:.4g}</td><td>{escape(str(s.id))}</td></tr>"
            for i, s in enumerate(self, 1)
        )
        notes = "".join(f"<p style='color:{APART}'>{escape(note)}</p>" for note in self.notes)
        return (
            f"<div><p><b>{escape(self.query)}</b> ({escape(self.method)})</p>{notes}"
            f"<table><tr><th></th><th>sentence</th><th>{score}</th><th>id</th></tr>{rows}</table></div>"
        )
