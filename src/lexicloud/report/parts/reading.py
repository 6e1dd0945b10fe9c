"""What was read: documents, tokens, vocabulary, coverage, and what was lost on the way."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.report.parts.part import Part
from lexicloud.report.wording import many, percent

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus, Coverage

# Running text of a covered language has a vector for nearly every token (98 % of novels' in the built-in vectors).
_LOW_COVERAGE: Final = 0.85
# Function words make up 35 to 55 % of running text in the languages with lists; far less means another language.
_LOW_STOPWORDS: Final = 0.2


@dataclass(frozen=True)
class DocumentFacts:
    """One document: its length, its distinct words, and the share of its tokens that have a vector."""

    name: str
    label: str | None
    tokens: int
    words: int
    coverage: float


@dataclass(frozen=True)
class Reading(Part):
    """What was read, and what of it has a vector."""

    id = "reading"
    title = "What was read"

    documents: tuple[DocumentFacts, ...]
    coverage: Coverage
    stopword_share: float
    language: str
    vectors: str
    notes: tuple[str, ...]
    dropped: tuple[str, ...]
    kind: str = "label"  # what a label is: an author, a president

    @classmethod
    def gather(cls, corpus: Corpus, kind: str = "label") -> Reading:
        """Count."""
        return cls(
            _documents(corpus),
            corpus.coverage,
            _stopword_share(corpus),
            corpus.rules.language,
            corpus.lexicon.source,
            corpus.notes,
            corpus.dropped,
            kind,
        )

    @property
    def labels(self) -> dict[str, int]:
        """How many documents have each label, in the order of first appearance."""
        return dict(Counter(d.label for d in self.documents if d.label is not None))

    @property
    def finding(self) -> str:
        """How much was read and how much of it has a vector."""
        labels = f" by {many(len(self.labels), self.kind)}" if self.labels else ""
        return (
            f"{many(len(self.documents), 'text')}{labels} with {self.coverage.tokens:,} tokens and "
            f"{self.coverage.types:,} distinct words; {percent(self.coverage.share, 1)} of the tokens have "
            "a vector."
        )

    @property
    def doubts(self) -> tuple[str, ...]:
        """What makes the rest of the page less trustworthy, in sentences."""
        doubts = []
        if self.stopword_share < _LOW_STOPWORDS:
            doubts.append(
                f"Only {percent(self.stopword_share)} of the tokens are {self.language} function words: if "
                "the texts are "
                "in another language, say so with --language, and bring vectors of that language with "
                "--vectors."
            )
        if self.coverage.share < _LOW_COVERAGE:
            doubts.append(
                f"Only {percent(self.coverage.share)} of the tokens have a vector in {self.vectors}: what "
                "follows sees "
                "only those. Vectors of the texts' own language and period would see more (--vectors)."
            )
        return tuple(doubts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        coverage = self.coverage.to_dict()
        coverage["lost"], coverage["recovered"] = coverage["lost"][:50], coverage["recovered"][:50]
        return {
            "finding": self.finding,
            "documents": [asdict(d) for d in self.documents],
            "labels": self.labels,
            "coverage": coverage,
            "stopword_share": self.stopword_share,
            "language": self.language,
            "notes": list(self.notes),
            "doubts": list(self.doubts),
            "dropped": list(self.dropped),
        }


def _documents(corpus: Corpus) -> tuple[DocumentFacts, ...]:
    counts, embedded = corpus.counts, corpus.embedded
    covered = np.asarray(counts @ embedded.astype(np.int64)).ravel()
    words = np.diff(counts.indptr)
    labels = corpus.labels or (None,) * len(corpus)
    rows = zip(corpus.names, labels, corpus.lengths, words, covered, strict=True)
    return tuple(DocumentFacts(n, la, int(t), int(w), float(c / max(t, 1))) for n, la, t, w, c in rows)


def _stopword_share(corpus: Corpus) -> float:
    true_words = corpus.totals[~corpus.punctuation].sum()
    return float(corpus.totals[corpus.stopwords].sum() / max(true_words, 1))
