"""Who wrote each text, as far as it is said: the one place that decides the labels of texts.

They come from a table of their own, from a column of a table that holds or describes the texts, from folders, or from
names like `Austen_Emma.txt`. What is not asked for is looked for in this order: a column named like a label beside the
texts, then names that repeat, then folders. `notes` of the corpus say what was found.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.corpus.corpus import Corpus
from lexicloud.corpus.from_files import corpus_from_documents, is_saved
from lexicloud.errors import InputError
from lexicloud.text import DEFAULT_RULES, TokenRules, labels_from_names, read_documents
from lexicloud.text.tables import read_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.text import Document
    from lexicloud.vectors import WordVectors

    Labels = list[str | None]

# What people write for "I do not know" in a name or a column of labels.
NOBODY: Final = frozenset({"", "?", "unknown", "anonymous", "anon", "disputed", "na", "n/a", "none"})
COLUMNS: Final = ("label", "author", "writer", "speaker")


def labelled_corpus(
    path: str | Path,
    *,
    label: str | None = None,
    labels: str | Path | None = None,
    vectors: WordVectors | str | Path | None = None,
    rules: TokenRules = DEFAULT_RULES,
    encoding: str | None = None,
) -> Corpus:
    """Read texts with their labels; None where a text has none, or one that says nobody (Unknown_…).

    `labels` is a table with the names of the texts and their labels, in the column `label`. Without it `label` is
    a column, `@name` or `@folder`; without both, labels are looked for.
    """
    if is_saved(path):
        corpus = Corpus.from_folder(path, vectors=vectors)
        documents: Sequence[Document] = ()
    else:
        column = None if labels is not None else label
        documents = read_documents(path, label=column, encoding=encoding)
        corpus = corpus_from_documents(documents, vectors=vectors, rules=rules)
    found, where = _decided(corpus, documents, label, labels)
    given = tuple(each if each is not None and says_who(each) else None for each in found)
    if not any(given):
        raise InputError(
            f"the {len(corpus)} texts have no labels: name them like Austen_Emma.txt, or give --label or --labels"
        )
    counts = Counter(each for each in given if each is not None)
    without = len(given) - counts.total()
    rest = f", {without} without" if without else ""
    note = f"labels from {where}: {counts.total()} texts with {len(counts)} labels{rest}"
    return replace(corpus, labels=given).noting(note)


def known_texts(corpus: Corpus) -> Corpus:
    """Return the texts that have a label.

    >>> known_texts(Corpus.from_texts(["one", "two"], labels=["Austen", None])).names
    ('0',)
    """
    labels = corpus.labels or (None,) * len(corpus)
    return corpus.subset([n for n, label in zip(corpus.names, labels, strict=True) if label is not None])


def says_who(label: str) -> bool:
    """Tell a label from what people write where they do not know.

    >>> says_who("Austen"), says_who("Unknown")
    (True, False)
    """
    return label.strip().lower() not in NOBODY


def _decided(
    corpus: Corpus, documents: Sequence[Document], label: str | None, labels: str | Path | None
) -> tuple[Labels, str]:
    """Return the labels and where they come from."""
    if labels is not None:
        table = read_labels(labels, corpus.names, label)
        return [table.get(name) for name in corpus.names], Path(labels).name
    if corpus.labels is not None or label is not None:
        return list(corpus.labels or [None] * len(corpus)), _asked(label)
    for column in COLUMNS:
        beside = _beside(documents, column)
        if _tells_apart(beside):
            return beside, f"the column {column!r} beside the texts"
    names = labels_from_names(corpus.names)
    folders: Labels = [Path(d.source).parent.name or None for d in documents]
    repeated = len(set(names)) < len(names)
    if _tells_apart(folders) and not (repeated and _tells_apart(names)):
        return folders, "folders"
    return names, "names"


def _asked(label: str | None) -> str:
    return {None: "the texts' own table", "@name": "names", "@folder": "folders"}.get(
        label, f"the column {label!r}"
    )


def _beside(documents: Sequence[Document], column: str) -> Labels:
    def value(fields: Any) -> str | None:
        found = next((v for k, v in fields.items() if str(k).lower() == column), None)
        return None if found in {None, ""} else str(found).strip()

    return [value(document.fields) for document in documents]


def _tells_apart(labels: Labels) -> bool:
    """Tell whether at least half of the texts have a label, and there are two or more."""
    some = [each for each in labels if each is not None and says_who(each)]
    return len(some) * 2 >= max(1, len(labels)) and len(set(some)) > 1
