"""The labels of texts, most often their authors: this module alone decides them.

A user may name their source: a table of labels, a column, folders (`@folder`) or names (`@name`). Otherwise they are
looked for in this order: the headers of the files or a table beside them (a column called label, author, writer or
speaker), names like `Austen_Emma.txt`, folders, and the one column of a table whose values repeat.

Names count only on evidence, because `pride_and_prejudice.txt` looks like `Austen_Emma.txt`. The first part (without
numbers and shelf marks) must repeat over the files, there must be at least two different ones, and they must look like
names: no article or other function word, and no word that the texts write in lower case. A file called
`Unknown_letter.txt` is evidence that the others are named after their authors. `notes` of the corpus say what was
found.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.corpus.corpus import Corpus
from lexicloud.corpus.from_files import corpus_from_documents, is_saved
from lexicloud.errors import InputError
from lexicloud.text import DEFAULT_RULES, LANGUAGES, TokenRules, labels_from_names, read_documents, stopwords
from lexicloud.text.tables import read_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lexicloud.text import Document
    from lexicloud.vectors import WordVectors

    Labels = list[str | None]

# What people write for "I do not know" in a name or a column of labels.
NOBODY: Final = frozenset({"", "?", "unknown", "anonymous", "anon", "disputed", "na", "n/a", "none"})
COLUMNS: Final = ("label", "author", "writer", "speaker")
_NAME: Final = re.compile(r"[^\W\d_](?:[^\W_]|[-'’., ])*")
_WORD: Final = re.compile(r"[^\W\d_]+")
# Words in lower case are looked for in so many texts, and in so many characters of each.
_TEXTS, _CHARACTERS = 50, 20_000
_REPEATED: Final = 0.5  # least share of texts whose label another text has too
_FUNCTION_WORDS: Final = 0.1  # share of labels that may be function words: there are authors called An and De
_WITH_ARTICLES: Final = ("english", "french", "german", "spanish", "italian", "portuguese", "dutch")
_COMMON: Final = 0.5  # share of labels that may be ordinary words: there are authors called King and Stone
# With so many texts a label, even ordinary words are taken as labels: titles do not begin alike so often.
_OFTEN: Final = 3


@dataclass(frozen=True)
class FoundLabels:
    """A label for each text (or None), and where the labels come from."""

    labels: tuple[str | None, ...]
    where: str

    @property
    def note(self) -> str:
        """One line that says what was found."""
        counts = Counter(label for label in self.labels if label is not None)
        without = len(self.labels) - counts.total()
        rest = f", {without} without" if without else ""
        return f"labels from {self.where}: {counts.total()} texts with {len(counts)} labels{rest}"

    @property
    def kind(self) -> str:
        """What the labels are: "author" or "label"."""
        return "author" if self.where == "names" or "author" in self.where else "label"

    def given_to(self, corpus: Corpus) -> Corpus:
        """Return the corpus with these labels and the note."""
        return replace(corpus, labels=self.labels).noting(self.note)


def labelled_corpus(
    path: str | Path,
    *,
    label: str | None = None,
    labels: str | Path | None = None,
    vectors: WordVectors | str | Path | None = None,
    rules: TokenRules = DEFAULT_RULES,
    encoding: str | None = None,
    **reading: Any,
) -> Corpus:
    """Read texts with their labels; a label is None if the text has none, or one like "Unknown".

    `labels` is a table with the names of the texts, and their labels in the column `label`. Without `labels`, `label`
    is a column, `@name` or `@folder`. Without both, labels are looked for; if there are none, the texts are refused.
    `reading` are further options of `read_documents`.
    """
    if is_saved(path):
        corpus = Corpus.from_folder(path, vectors=vectors)
        documents: Sequence[Document] = ()
    else:
        column = None if labels is not None else label
        documents = read_documents(path, label=column, encoding=encoding, **reading)
        corpus = corpus_from_documents(documents, vectors=vectors, rules=rules)
    found = _decided(corpus, documents, label, labels)
    if found is None or not any(found.labels):
        unlabelled = (
            "the text has no label" if len(corpus) == 1 else f"the {len(corpus)} texts have no labels"
        )
        raise InputError(
            f"{unlabelled}: name them like Austen_Emma.txt, several by each author, or say "
            "where the labels are: --label @name, --label @folder, --label COLUMN, or a table with --labels"
        )
    return found.given_to(corpus)


def sure_labels(corpus: Corpus, documents: Sequence[Document] = ()) -> FoundLabels | None:
    """Look for the labels of a corpus that has none; return None if there are none, or more than one candidate."""
    if corpus.labels is not None:
        return None
    try:
        found = _decided(corpus, documents, None, None)
    except InputError:  # several columns may hold them, and the user did not ask for labels
        return None
    return found if found and any(found.labels) else None


def with_found_labels(corpus: Corpus, documents: Sequence[Document] = ()) -> Corpus:
    """Return the corpus with the labels of `sure_labels` and a note of them, or as it is."""
    found = sure_labels(corpus, documents)
    return found.given_to(corpus) if found else corpus


def known_texts(corpus: Corpus) -> Corpus:
    """Return the texts that have a label.

    >>> known_texts(Corpus.from_texts(["one", "two"], labels=["Austen", None])).names
    ('0',)
    """
    labels = corpus.labels or (None,) * len(corpus)
    return corpus.subset([n for n, label in zip(corpus.names, labels, strict=True) if label is not None])


def says_who(label: str) -> bool:
    """Return whether a label names somebody, unlike "Unknown" and the like.

    >>> says_who("Austen"), says_who("Unknown")
    (True, False)
    """
    return label.strip().lower() not in NOBODY


def find_labels(documents: Sequence[Document]) -> FoundLabels | None:
    """Look for the labels of documents where the user named no source; None if nothing says who wrote them."""
    own: Labels = [document.label for document in documents]
    if any(own):
        return _found(own, "the texts' own table")
    for column in COLUMNS:
        beside = _beside(documents, column)
        if _tells_apart(beside):
            return _found(beside, _column_of(documents, column))
    names = labels_in_names([d.name for d in documents], [d.text for d in documents])
    if names is not None:
        return names
    folders: Labels = [_folder_of(document) for document in documents]
    if _tells_apart(folders):
        return _found(folders, "folders")
    return _only_column(documents)


def labels_in_names(names: Sequence[str], texts: Iterable[str] | None = None) -> FoundLabels | None:
    """Return authors from names like `Austen_Emma`, if there is evidence that these are authors.

    >>> titles = ["pride_and_prejudice", "sense_and_sensibility", "the_great_gatsby", "the_jungle", "white_fang"]
    >>> labels_in_names(titles) is None
    True
    >>> labels_in_names(["austen_emma", "austen_persuasion", "joyce_dubliners"]).labels
    ('austen', 'austen', 'joyce')
    """
    labels = labels_from_names(names)
    given = [label for label in labels if label is not None]
    people = [label for label in given if says_who(label)]
    counts = Counter(label.casefold() for label in people)
    shared = sum(n for n in counts.values() if n > 1)
    scheme = shared >= _REPEATED * len(people) or len(people) < len(given)  # or there is an Unknown_letter
    if len(given) * 2 < len(names) or len(counts) < 2 or not scheme:
        return None
    spelled: dict[str, str] = {}
    # Austen and austen are one label.
    labels = [label and spelled.setdefault(label.casefold(), label) for label in labels]
    codes = all(len(label) == 1 and label.isupper() for label in people)  # authors called A, B, C
    if not codes and not _look_like_names(counts, texts or ()):
        return None
    return _found(labels, "names")


def _look_like_names(counts: Counter[str], texts: Iterable[str]) -> bool:
    """Return whether labels look like names, not titles: few function words, few words that the texts write small."""
    odd = sum(n for label, n in counts.items() if label in _function_words() or not _NAME.fullmatch(label))
    if odd > _FUNCTION_WORDS * counts.total():
        return False
    often = counts.total() >= _OFTEN * len(counts)
    return often or len(counts.keys() & _lower_case_words(texts)) < _COMMON * len(counts)


# Function words that are first names too.
_FIRST_NAMES: Final = frozenset({"al", "ben", "dan", "per", "will"})


@cache
def _function_words() -> frozenset[str]:
    """Return the function words of languages whose titles often begin with an article."""
    listed = [language for language in _WITH_ARTICLES if language in LANGUAGES.values()]
    return frozenset(word for language in listed for word in stopwords(language)) - _FIRST_NAMES


def _lower_case_words(texts: Iterable[str]) -> set[str]:
    """Return the words that occur in lower case; authors' names rarely do."""
    found: set[str] = set()
    for text, _ in zip(texts, range(_TEXTS), strict=False):
        found.update(word for word in _WORD.findall(text[:_CHARACTERS]) if word.islower())
    return found


def _found(labels: Labels, where: str) -> FoundLabels:
    return FoundLabels(tuple(each if each is not None and says_who(each) else None for each in labels), where)


def _decided(
    corpus: Corpus, documents: Sequence[Document], label: str | None, labels: str | Path | None
) -> FoundLabels | None:
    """Return the labels from the source that the user named, else those that are found; and where they come from."""
    if labels is not None:
        table = read_labels(labels, corpus.names, label)
        return _found([table.get(name) for name in corpus.names], Path(labels).name)
    if corpus.labels is not None or label is not None:
        return _found(list(corpus.labels or [None] * len(corpus)), _asked(label))
    if not documents:  # a saved corpus
        return labels_in_names(corpus.names, corpus.texts)
    return find_labels(documents)


def _asked(label: str | None) -> str:
    return {None: "the texts' own table", "@name": "names", "@folder": "folders"}.get(
        label, f"the column {label!r}"
    )


def _column_of(documents: Sequence[Document], column: str) -> str:
    """Return a phrase for where a column is: in the files' own headers or in a table beside them."""
    headers = {d.kind for d in documents if d.kind in {"TEI", "EPUB", "mail"}}
    return f"the {column} in the files' headers" if headers else f"the column {column!r} beside the texts"


def _folder_of(document: Document) -> str | None:
    return Path(document.source).parent.name or None


def _beside(documents: Sequence[Document], column: str) -> Labels:
    def value(fields: Any) -> str | None:
        found = next((v for k, v in fields.items() if str(k).lower() == column), None)
        return None if found in {None, ""} else str(found).strip()

    return [value(document.fields) for document in documents]


def _tells_apart(labels: Labels) -> bool:
    """Return whether at least half of the texts have a label, and there are two different ones."""
    some = [each for each in labels if each is not None and says_who(each)]
    return len(some) * 2 >= max(1, len(labels)) and len(set(some)) > 1


def _only_column(documents: Sequence[Document]) -> FoundLabels | None:
    """Return the labels of the only column whose values repeat; refuse to choose between several."""
    columns = dict.fromkeys(str(key) for document in documents for key in document.fields)
    found = {column: values for column in columns if _repeats(values := _beside(documents, column.lower()))}
    if len(found) > 1:
        raise InputError(
            f"the labels may be in {' or '.join(map(repr, list(found)[:5]))}: say which with --label COLUMN"
        )
    return next((_found(values, f"the column {column!r}") for column, values in found.items()), None)


def _repeats(labels: Labels) -> bool:
    """Return whether values look like labels: each occurs at least twice on average, and not all are numbers."""
    some = [each for each in labels if each is not None and says_who(each)]
    numbers = sum(each.replace(".", "", 1).lstrip("-").isdecimal() for each in some)
    return _tells_apart(labels) and 2 * len(set(some)) <= len(some) and numbers < len(some)
