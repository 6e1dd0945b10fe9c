"""What was read: documents, tokens, vocabulary, coverage, and what was lost on the way."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from lexicloud.report.chapters.chapter import Chapter
from lexicloud.say.blocks import Block, Facts, Folded, Sentence, many, percent, plural, table

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus, Coverage

# In running text of a covered language nearly every token has a vector (98 % in novels, by the built-in vectors).
_LOW_COVERAGE: Final = 0.85
# Function words make up 35 to 55 % of running text in the languages with lists; a far lower share means another
# language.
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
class Reading(Chapter):
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
        """Count the documents, tokens and words of a corpus."""
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

    def blocks(self) -> list[Block]:
        """Return the counts, doubts, what reading changed in the files, and a table of the documents."""
        return [
            Sentence(self.finding, "answer"),
            Facts(_counted(self)),
            *(Sentence(doubt, "note") for doubt in self.doubts),
            *_changed(self),
            *_lost(self),
            _documents_table(self),
        ]

    @property
    def finding(self) -> str:
        """How much was read and how much of it has a vector."""
        labels = f" by {many(len(self.labels), self.kind)}" if self.labels else ""
        shown = f"{percent(self.coverage.share, 1)} of the tokens have a vector"
        return (
            f"{many(len(self.documents), 'text')}{labels} with {self.coverage.tokens:,} tokens and "
            f"{self.coverage.types:,} distinct words; "
            f"{'there are no vectors' if self.vectors == 'none' else shown}."
        )

    @property
    def doubts(self) -> tuple[str, ...]:
        """What makes the rest of the page less trustworthy, in sentences."""
        doubts = []
        if self.stopword_share < _LOW_STOPWORDS and self.language == "english":
            doubts.append(
                f"Only {percent(self.stopword_share)} of the tokens are {self.language} function words: if "
                "the texts are "
                "in another language, say so with --language, and bring vectors of that language with "
                "--vectors."
            )
        if self.coverage.share < _LOW_COVERAGE and self.vectors != "none":
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
    covered = counts @ embedded.astype("int64")
    words = (counts > 0).sum(axis=1)
    labels = corpus.labels or (None,) * len(corpus)
    rows = zip(corpus.names, labels, corpus.lengths, words, covered, strict=True)
    return tuple(DocumentFacts(n, la, int(t), int(w), float(c / max(t, 1))) for n, la, t, w, c in rows)


def _stopword_share(corpus: Corpus) -> float:
    true_words = corpus.totals[~corpus.punctuation].sum()
    return float(corpus.totals[corpus.stopwords].sum() / max(true_words, 1))


_LISTED = 40  # how many lost words are listed


def _counted(part: Reading) -> tuple[tuple[str, str], ...]:
    coverage = part.coverage
    labels = [(plural(part.kind), f"{len(part.labels):,}")] if part.labels else []
    return (
        ("texts", f"{len(part.documents):,}"),
        *labels,
        ("tokens", f"{coverage.tokens:,}"),
        ("distinct words", f"{coverage.types:,}"),
        ("tokens with a vector", percent(coverage.share, 1)),
        ("words with a vector", percent(coverage.type_share, 1)),
    )


def _changed(part: Reading) -> list[Block]:
    said = list(part.notes)
    if part.dropped:
        said.append(
            f"{many(len(part.dropped), 'text')} too short for the sample: {', '.join(part.dropped[:20])}"
        )
    told = f"What reading did to the files: {many(len(said), 'note')}"
    return [Folded(told, tuple(map(Sentence, said)))] if said else []


def _lost(part: Reading) -> list[Block]:
    coverage = part.coverage
    if not coverage.lost_types and not coverage.recovered_types:
        return [Sentence("Every word has a vector of its own: nothing was lost.")]
    said = Sentence(
        f"{many(coverage.lost_types, 'word')} ({many(coverage.lost_tokens, 'token')}) have no vector and are "
        f"invisible to the methods that work on meaning; {many(coverage.recovered_types, 'word')} "
        f"({many(coverage.recovered_tokens, 'token')}) were recovered under another spelling."
    )
    title = f"The most frequent of {coverage.lost_types:,} words without a vector"
    lost = table(["word", "count"], coverage.lost[:_LISTED], title=title)
    return [said, Folded("Words without a vector", (lost,))] if coverage.lost else [said]


def _documents_table(part: Reading) -> Folded:
    labelled = bool(part.labels)
    columns = ["text", *([part.kind] if labelled else []), "tokens", "distinct words", "with a vector"]
    rows = [
        [d.name, *([d.label or "–"] if labelled else []), d.tokens, d.words, percent(d.coverage, 1)]
        for d in part.documents
    ]
    return Folded(f"All {many(len(rows), 'text')}", (table(columns, rows, title="The texts"),))
