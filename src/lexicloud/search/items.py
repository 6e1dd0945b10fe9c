"""From what people have (strings, pairs, records, a corpus) to sentences with ids and metadata."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import index as whole_number
from typing import TYPE_CHECKING, Any, Final

from lexicloud.corpus import Corpus
from lexicloud.errors import InputError, OptionError
from lexicloud.text import Document, TokenRules, split_sentences

if TYPE_CHECKING:
    from lexicloud.search.query import Identifier
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
        fields[name] = _numbers([document.fields.get(name) for document in documents])
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
        if name not in there and name != "label":
            raise InputError(
                f"there is no column {name!r} to keep; the others are {', '.join(there) or 'none'}"
            )
    return [name for name in meta if name in there]


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
