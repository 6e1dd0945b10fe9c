"""Texts of one label as one text: a map of forty authors is readable where one of four hundred texts is not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

By = Literal["auto", "text", "label"]

# A heat map on a laptop's screen has room for about this many legible names.
READABLE: Final = 60


def group_by(corpus: Corpus, by: By = "auto") -> Literal["text", "label"]:
    """Decide whether a map shows texts or labels: labels where texts are too many to read and labels are not."""
    labels = {label for label in corpus.labels or () if label is not None}
    if by != "auto":
        return by if by == "text" or labels else "text"
    return "label" if len(corpus) > READABLE and 3 <= len(labels) <= READABLE else "text"


def merged_by_label(corpus: Corpus) -> Corpus:
    """Return one document for each label, in the order of first appearance; texts without a label stay out.

    >>> from lexicloud.corpus import Corpus
    >>> texts = {"a": "one two", "b": "three", "c": "two"}
    >>> merged = merged_by_label(Corpus.from_texts(texts, labels=["x", "y", "x"]))
    >>> merged.names, merged.lengths.tolist()
    (('x', 'y'), [3, 1])
    """
    rows: dict[str, list[int]] = {}
    for i, label in enumerate(corpus.labels or ()):
        if label is not None:
            rows.setdefault(label, []).append(i)
    pieces = [np.concatenate([corpus.tokens(i) for i in members]) for members in rows.values()]
    texts = corpus.texts
    return replace(
        corpus,
        names=tuple(rows),
        stream=np.concatenate(pieces),
        bounds=np.concatenate([[0], np.cumsum([len(p) for p in pieces])]).astype(np.int64),
        labels=None,
        texts=None if texts is None else tuple("\n\n".join(texts[i] for i in m) for m in rows.values()),
        parents=None,
    )
