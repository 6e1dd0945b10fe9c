"""What goes into an index (strings, pairs, records, a corpus), and what a search answers with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import index as whole_number
from typing import TYPE_CHECKING, Any, Final

from lexicloud.corpus import Corpus
from lexicloud.errors import InputError, OptionError
from lexicloud.result import TabularResult, columns_of_rows
from lexicloud.say.blocks import Bars, Block, Passage, Passages, Sentence, many, number
from lexicloud.search.typed import plain, read_lists
from lexicloud.text import Document, TokenRules, split_sentences
from lexicloud.text.records import MARK
from lexicloud.text.tables import value_at
from lexicloud.words.reason import Reason, reason_bars

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database, Identifier
    from lexicloud.search.candidates import ScoredRow
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
    weights: tuple[int, ...] = ()  # of the text fields, where texts have several (see `fields`)
    prepared: bool = False  # whether they are as an index keeps them: cleaned and split already

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def as_lines(self) -> list[str]:
        """The texts with each field on lines of its own, to find boilerplate in."""
        return [text.replace(MARK, "\n") for text in self.texts] if self.weights else self.texts

    @property
    def counted(self) -> list[str]:
        """The texts as their words are counted: each field as many times as its weight."""
        if not self.weights:
            return self.texts
        return [_repeated(text, self.weights) for text in self.texts]

    def own_lengths(
        self, counted: NDArray[np.int32], measure: Callable[[list[str]], Any]
    ) -> NDArray[np.int32]:
        """Return the number of tokens of each text, given that of the texts in `counted`: without the repetitions."""
        lengths = counted
        for place, weight in enumerate(self.weights):
            if weight > 1:
                parts = [_part(text, place) for text in self.texts]
                lengths = lengths - (weight - 1) * measure(parts)
        return lengths

    def split(self, rules: TokenRules) -> Items:
        """Cut every text into its sentences, named `id#0`, `id#1` …, each with the metadata and the id of its text."""
        if self.weights:
            raise OptionError("records of several text fields are kept whole: leave split out")
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
        cleaned = [MARK.join(map(boilerplate.clean, text.split(MARK))) for text in self.texts]
        return replace(self, texts=cleaned)

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


def _repeated(text: str, weights: tuple[int, ...]) -> str:
    parts = zip(text.split(MARK), weights, strict=False)
    return " ".join(" ".join([part] * weight) for part, weight in parts if part)


def _part(text: str, place: int) -> str:
    parts = text.split(MARK)
    return parts[place] if place < len(parts) else ""


def whole_text(text: str) -> str:
    """Return a kept text as people read it: its fields one below the other."""
    return "\n\n".join(part for part in text.split(MARK) if part) if MARK in text else text


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
        name, text, record = item_of(item, first + position, position)
        items.texts.append(text)
        items.identifiers.append(name)
        items.metadata.append(record)
    return items


def from_documents(documents: Sequence[Document], meta: Sequence[str] = ()) -> Items:
    """Take documents as a reader returns them, with their labels and some columns of tables (`*`: all) as metadata.

    A column that holds nothing but numbers becomes numbers, and one of lists lists, so that filters can compare them.
    """
    fields: dict[str, list[Any]] = {}
    for name in _chosen(documents, meta):
        fields[name] = read_lists(_numbers([value_at(document.fields, name) for document in documents]))
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


def item_of(item: Item, number: int, position: int) -> tuple[Identifier, str, Mapping[str, Any] | None]:
    """Return the id, the text and the metadata of one item."""
    record: Mapping[str, Any] | None = None
    name: Any = number
    text: Any
    if isinstance(item, str):
        return number, item, None
    if isinstance(item, Mapping):
        name, text, record = item.get("id"), item.get("text"), item.get("metadata")
        name = number if name is None else name
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
    if text is None and isinstance(item, Mapping):
        there = ", ".join(map(str, item)) or "nothing"
        raise InputError(f"record {position} has no 'text' but {there}: name the text columns, text=\"…\"")
    if not isinstance(text, str):
        raise InputError(f"item {position} has no text: expected a string, found {type(text).__name__}")
    if record is not None and not isinstance(record, Mapping):
        raise InputError(f"the metadata of item {position} is a {type(record).__name__}, not a dict")
    return _identifier(name, position), text, record


def _identifier(name: Any, position: int) -> Identifier:
    name = plain(name)
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


NO_WORDS: Final = "no words to rank by"
LISTED: Final = "listed"  # the method of an answer to a query without words: what filters let through
COVERED: Final = "covered"  # the kind of a reason whose word an earlier suggestion of a cover had already


def match(query_word: str, word: str, distance: float, adds: float, *, new: bool = True) -> Reason:
    """Return the reason that a word of a text matches one of the query (`near`), and what that adds to the score.

    The distance is that of the two words' vectors, 0 for the same word. A suggestion's reasons add up to its score.
    """
    return Reason(word, adds, "content" if new else COVERED, query_word, distance)


def matches_in_order(found: Iterable[Reason]) -> tuple[Reason, ...]:
    """Return reasons with the nearest words first."""
    return tuple(sorted(found, key=lambda reason: (reason.distance or 0.0, reason.near or "", reason.word)))


@dataclass(frozen=True)
class Suggestion(TabularResult):
    """A sentence that a search found, with the reasons for it.

    For `average`, `wmd` and `levenshtein` the score is a distance (lower is nearer), for the other methods
    higher is better.

    >>> Suggestion(7, "A cat sat.", 1.5, (match("kitten", "cat", 0.4, 1.5),)).highlights
    [(2, 5)]
    """

    _left_out = ("row",)
    _table = "matches"

    id: int | str
    text: str
    score: float
    matches: tuple[Reason, ...] = field(default_factory=tuple)
    method: str = "related"
    metadata: dict[str, Any] = field(default_factory=dict)
    row: int = -1  # the sentence's number in its database
    weak: bool | None = None  # whether random queries score as high (`related`); None: not known
    same: bool = False  # whether its text is exactly the query, or one of its fields in any case (`related`)
    title: str = ""  # of the text that the sentence was taken from
    context: tuple[str, ...] = ()  # the sentences before and after it, where they were asked for
    fields: dict[str, str] = field(default_factory=dict)  # the text fields of a record, without empty ones

    def __getattr__(self, name: str) -> Any:
        """Read the text and work the reasons out when they are first looked at; see `suggested`."""
        # Two threads may both do it: they find the same.
        known = self.__dict__
        if name == "text" and "_texts" in known:
            known["text"] = whole_text(known["_texts"][self.row])
        elif name == "fields" and "_texts" in known:
            parts = known["_texts"][self.row].split(MARK) if known.get("_names") else ()
            known["fields"] = {
                field: part for field, part in zip(known.get("_names", ()), parts, strict=False) if part
            }
        elif name == "matches" and "_reasons" in known:
            reasons = known["_reasons"]()
            locate = known.get("_locate")
            known["matches"] = locate(reasons, self.fields) if locate else reasons
        if name in known:
            return known[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs: all fields, with the reasons worked out."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def known(self, **more: Any) -> Suggestion:
        """Return a copy with some attributes set."""
        made = object.__new__(Suggestion)
        made.__dict__.update(self.__dict__, **more)
        return made

    def blocks(self) -> list[Block]:
        """Return the text with its matching words marked, and what each adds to the score."""
        return [Passages((self.passage(),)), self.reasons()]

    def passage(self, place: int = 0) -> Passage:
        """Return the text (with its context, where that was asked for), what it is, and why it was found."""
        source = f"{self.title}: {self.id}" if self.title and self.title != self.id else str(self.id)
        return Passage(*self.snippet, f"{place}. {source}" if place else source, self._remark())

    @property
    def snippet(self) -> tuple[str, tuple[tuple[int, int], ...]]:
        """The text in one line (of a long text, the piece with the most matching words), and where these words are.

        The first field of a record is always shown.
        """
        text, start = self.text, 0
        if len(self.fields) > 1 and len(text) > SNIPPET:
            return self._snippet_of_fields()
        if self.text in self.context:
            before = " ".join(self.context[: self.context.index(self.text)])
            start = len(before) + (1 if before else 0)
            text = " ".join(self.context)
        return snippet(text, tuple((start + a, start + b) for a, b in self.highlights))

    def _snippet_of_fields(self) -> tuple[str, tuple[tuple[int, int], ...]]:
        first, *others = self.fields.values()
        rest = "\n\n".join(others)
        head, own = snippet(first, tuple(self._marks_in(first)), SNIPPET // 3)
        tail, more = snippet(rest, tuple(self._marks_in(rest)), SNIPPET - len(head) - len(BETWEEN))
        shift = len(head) + len(BETWEEN)
        return f"{head}{BETWEEN}{tail}", (*own, *((a + shift, b + shift) for a, b in more))

    @property
    def telling(self) -> tuple[Reason, ...]:
        """The reasons that are words, the most telling first: of a distance the nearest, of a score what adds most."""
        words = [one for one in self.matches if one.word and not _of_whole_text(one)]
        nearest = self.method in {*DISTANCES, "interleaved"}
        return tuple(sorted(words, key=lambda one: (one.distance or 0.0) if nearest else -abs(one.adds)))

    @property
    def because(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each word of the query with the words of the text that match it, the most telling first."""
        found: dict[str, tuple[str, ...]] = {}
        for one in self.telling[:TOLD]:
            own = one.near or one.word
            found[own] = tuple(dict.fromkeys((*found.get(own, ()), one.word)))
        return tuple(found.items())

    def _remark(self) -> str:
        """Say in short why it was found."""
        parts = ["the same text"] if self.same else []
        parts += ["a weak match: a random query finds as much"] if self.weak else []
        if self.method != LISTED:
            parts.append(f"{'distance' if self.method in DISTANCES else 'score'} {number(self.score)}")
        strongest = sorted(_said_once(self.matches), key=lambda reason: -abs(reason.adds))[:SHOWN]
        # What no single word adds comes last: words are what one looks for first.
        why = ", ".join(reason.word for reason in sorted(strongest, key=_of_whole_text))
        return "; ".join(part for part in (*parts, why) if part)

    def reasons(self) -> Bars:
        """Return what each word adds to the score, words before what the text as a whole adds."""
        shown = sorted(_said_once(self.matches), key=_of_whole_text)
        what = "distance" if self.method in DISTANCES else "score"
        return reason_bars(shown, title=f"What adds up to the {what} of {self.id}", top=len(shown))

    @property
    def highlights(self) -> list[tuple[int, int]]:
        """Where the matched words stand in the text, as (start, end), in order."""
        return self._marks_in(self.text)

    def _marks_in(self, text: str) -> list[tuple[int, int]]:
        words = {reason.word for reason in self.matches if reason.word and reason.adds >= 0}
        return _whole_words(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"), words) if words else []


SHOWN: Final = 4  # reasons in a remark
TOLD: Final = 6  # reasons beside a text
SNIPPET: Final = 400  # characters of a text that are shown
BETWEEN: Final = " — "  # between the first field of a record and what is shown of the others


def snippet(
    text: str, marks: tuple[tuple[int, int], ...], most: int = SNIPPET
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return a text as one line (of a long text, the piece with the most marks), and where the marks are in it.

    >>> snippet("a long tale of a ship", ((17, 21),), 12)
    ('… of a ship', ((7, 11),))
    """
    # Control characters, which could steer a terminal, become blanks.
    line = "".join(" " if c.isspace() or not c.isprintable() else c for c in text)
    if len(line) <= most:
        return line, marks
    firsts = [start for start, _ in marks] or [0]
    begin = max(firsts, key=lambda at: (sum(at <= start < at + most for start in firsts), -at))
    begin = max(0, min(begin - most // 2 if len(firsts) == 1 else begin - most // 8, len(line) - most + 2))
    begin = begin if not begin else line.find(" ", begin) + 1 or begin
    fits = len(line) - begin <= most - 2  # the rest, behind an ellipsis
    end = len(line) if fits else max(line.rfind(" ", begin, begin + most - 4), begin + most // 2)
    head, tail = ("… " if begin else ""), (" …" if end < len(line) else "")
    shift = len(head) - begin
    inside = tuple((a + shift, b + shift) for a, b in marks if begin <= a and b <= end)
    return f"{head}{line[begin:end]}{tail}", inside


def _said_once(reasons: Iterable[Reason]) -> list[Reason]:
    """Return reasons in words, those that read alike added up: a word may add by itself and by its embedding."""
    added: dict[str, float] = {}
    for reason in reasons:
        said = _phrase(reason)
        added[said] = added.get(said, 0.0) + reason.adds
    return [Reason(said, adds) for said, adds in added.items()]


def _of_whole_text(reason: Reason) -> bool:
    return reason.word.startswith("(")


def _phrase(reason: Reason) -> str:
    """Say which word of the query led to which of the text."""
    if reason.near in {None, "", reason.word}:
        said = reason.word
    elif not reason.word:
        said = f"{reason.near} (missing)"
    else:
        said = f"{reason.near} → {reason.word}"
    if reason.fields:
        said = f"{said} in {' and '.join(reason.fields)}"
    return f"{said} (covered before)" if reason.kind == COVERED else said


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
    """Return a suggestion that reads its text and works out its reasons when they are first looked at."""
    row, score, matches, weak, same = found
    made = object.__new__(Suggestion)
    made.__dict__.update(
        id=database.identifiers[row],
        score=score,
        method=method,
        metadata={},
        row=row,
        weak=weak,
        same=same,
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
        explain: bool = False,
        ranked: bool = True,
    ) -> None:
        super().__init__(items)
        self.ranked = ranked  # whether the best comes first; otherwise the notes say what does
        self.query = query
        self.method = method
        self.notes = tuple(notes)
        self.explain = explain  # whether `blocks` say what each word adds
        # words of the query that could not take part: no sentence has them, no vector is known
        self.unknown = tuple(unknown)

    def filled(self, fetch: Callable[[int], dict[str, Any]]) -> Suggestions:
        """Return the same suggestions, each with what is known of its row: metadata, title, context."""
        filled = [s.known(**fetch(s.row)) for s in self]
        return self.with_items(filled)

    def with_items(self, items: Iterable[Suggestion], **changes: Any) -> Suggestions:
        """Return the same answer with other suggestions."""
        kept = {name: getattr(self, name) for name in _KEPT}
        return Suggestions(items, **{**kept, **changes})

    def explained(self) -> Suggestions:
        """Return the same answer, whose `blocks` say what each word adds."""
        return self.with_items(self, explain=True)

    @property
    def suggestions(self) -> list[Suggestion]:
        """The suggestions as a plain list."""
        return list(self)

    def to_columns(self) -> dict[str, Any]:
        """Return the id, text, score and metadata of each suggestion."""
        return columns_of_rows([{"id": s.id, "text": s.text, "score": s.score, **s.metadata} for s in self])

    def __repr__(self) -> str:
        found = ", ".join(repr(s.text if len(s.text) <= 60 else f"{s.text[:59]}…") for s in self[:3])
        more = f" and {len(self) - 3} more" if len(self) > 3 else ""
        return f"<Suggestions by {self.method}: {found or 'none'}{more}>"

    def blocks(self) -> list[Block]:
        """Return the answer: what was asked, what a reader should know, and the texts, best first."""
        query = " ".join(self.query.split())
        asked = query if len(query) <= LONGEST else f"{query[:LONGEST]} …"
        best = (", the best first" if len(self) > 1 else ", the best") if self and self.ranked else ""
        head = f"{many(len(self), 'text')}" + (f" for “{asked}”" if asked else "") + f"{best}."
        told: list[Block] = [Sentence(head, "answer"), *(Sentence(note, "note") for note in self.notes)]
        if self and not self.explain:
            told.append(Passages(tuple(found.passage() for found in self)))
        for i, found in enumerate(self if self.explain else (), 1):
            told += [Passages((found.passage(i),)), found.reasons()]
        return told


LONGEST: Final = 200  # characters of a query that an answer repeats
# The attributes of an answer besides its finds.
_KEPT: Final = ("query", "method", "notes", "unknown", "explain", "ranked")
