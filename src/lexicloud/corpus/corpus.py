"""The Corpus: sparse counts over one vocabulary, with the vocabulary's vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lexicloud.errors import CorpusError, EstimateError, OptionError, UnknownDocument
from lexicloud.result import TabularResult
from lexicloud.text import DEFAULT_RULES, TokenRules, tokenize
from lexicloud.text.detection import settle
from lexicloud.vectors import WordVectors, load_vectors
from lexicloud.vectors.load import NO_VECTORS
from lexicloud.vectors.word_vectors import EXACT, RECOVERED
from lexicloud.words.counting import STRETCH, count_lemmas, count_tokens, totals_of
from lexicloud.words.kinds import word_kinds
from lexicloud.words.lexicon import Coverage, Lexicon, Vocabulary, doubts, vectors_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.text import Document

    Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Corpus(TabularResult):
    """Documents (or sentences) as counts over one vocabulary, with vectors.

    It keeps every word. Methods differ in the words they use, so stop words, punctuation and words without a vector are
    marked by masks and not deleted.

    >>> corpus = Corpus.from_texts({"a": "The cat sat.", "b": "A dog ran, and the cat ran."})
    >>> corpus.names, corpus.counts.shape[0], corpus.vocabulary[0]
    (('a', 'b'), 2, '.')
    >>> corpus.count("b", "ran")
    2
    """

    names: tuple[str, ...]
    lexicon: Lexicon
    stream: NDArray[np.int32]  # every token's number, document after document
    bounds: NDArray[np.int64]  # document i is stream[bounds[i]:bounds[i + 1]]
    rules: TokenRules = DEFAULT_RULES
    labels: tuple[str | None, ...] | None = None
    texts: Sequence[str] | None = None
    parents: NDArray[np.int32] | None = None  # for sentences: the number of the document each comes from
    dropped: tuple[str, ...] = ()  # documents that `sample` left out because they were too short
    notes: tuple[
        str, ...
    ] = ()  # what a reader should know of how the texts were read: headers cut, bytes replaced

    # ---- building

    @classmethod
    def from_texts(
        cls,
        texts: Mapping[str, str] | Sequence[str],
        *,
        labels: Mapping[str, str] | Sequence[str | None] | None = None,
        vectors: WordVectors | str | Path | None = None,
        rules: TokenRules = DEFAULT_RULES,
        workers: int | None = None,
    ) -> Corpus:
        """Build from a mapping of names to texts, or a list of texts (named by their position).

        `vectors="none"` loads no vectors, which suffices for methods that only count words. Without `vectors`, texts in
        English get the built-in ones, and texts in another language its own once `lexicloud vectors get` has fetched
        them.
        """
        if isinstance(texts, str):
            raise OptionError("from_texts takes a mapping or a list of texts, not one string: write [text]")
        if not isinstance(texts, Mapping):
            texts = {str(i): text for i, text in enumerate(texts)}
        wrong = [name for name, text in texts.items() if not isinstance(text, str)]
        if wrong:
            raise CorpusError(f"document {wrong[0]!r} is a {type(texts[wrong[0]]).__name__}, not a string")
        if not texts:
            raise CorpusError("there is no text to build a corpus from")
        names, bodies = tuple(map(str, texts)), list(texts.values())
        rules, found = settle(rules, texts)
        words, stream, bounds = _counted(bodies, rules, workers)
        if not len(stream):
            raise CorpusError(f"none of the {len(names)} texts has a word in it")
        found += () if vectors is not None else vectors_of(rules.language)[1]
        lexicon = lexicon_of(words, vectors, rules)
        if rules.lemmas:
            found += (f"the forms of a word are counted as one: {len(words):,} lemmas",)
        corpus = cls(
            names, lexicon, stream, bounds, rules, _labels(labels, names), tuple(bodies), notes=found
        )
        return corpus.noting(*corpus.doubts())

    @classmethod
    def from_folder(cls, path: str | Path, **options: Any) -> Corpus:
        """Build from a folder of files, any file that `lexicloud.text.read_documents` reads, or a saved corpus.

        Options are those of `from_texts` (vectors, rules, workers) and of `read_documents` (text, name and label
        columns, encoding, errors, gutenberg).
        """
        from lexicloud.corpus.from_files import corpus_from_path

        return corpus_from_path(path, **options)

    @classmethod
    def from_csv(cls, path: str | Path, *, text: str = "text", **options: Any) -> Corpus:
        """Build from a table (.csv, .tsv or .jsonl, also .gz): one document a row."""
        from lexicloud.corpus.from_files import corpus_from_path

        return corpus_from_path(path, text=text, **options)

    @classmethod
    def from_documents(cls, documents: Sequence[Document], **options: Any) -> Corpus:
        """Build from documents that `lexicloud.text.read_documents` returned."""
        from lexicloud.corpus.from_files import corpus_from_documents

        return corpus_from_documents(documents, **options)

    def doubts(self) -> tuple[str, ...]:
        """Return why the vectors may not fit: they are of another language, or few words have one."""
        if self.lexicon.source == NO_VECTORS:
            return ()
        lexicon, counts = self.lexicon, np.where(self.punctuation, 0, self.totals)
        ids = lexicon.vocabulary.ids
        return tuple(doubts(lexicon.source, self.rules.language, ids, counts, lexicon.embedded))

    # ---- what it is

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def __repr__(self) -> str:
        return (
            f"<Corpus of {len(self):,} documents, {len(self.stream):,} tokens, "
            f"{len(self.vocabulary):,} words, {self.lexicon.source}>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of the corpus, without its words and texts."""
        return {
            "documents": len(self),
            "labels": None if self.labels is None else len(set(self.labels) - {None}),
            "tokens": len(self.stream),
            "types": int(np.count_nonzero(self.totals)),
            "share": self.coverage.share,
            "vectors": self.lexicon.source,
            "language": self.rules.language,
            "dropped": list(self.dropped),
            "notes": list(self.notes),
        }

    def to_columns(self) -> dict[str, Any]:
        """Return the name, label, tokens and types of each document."""
        labels = self.labels or (None,) * len(self)
        types = np.diff(self.counts.indptr)
        return {"name": self.names, "label": labels, "tokens": self.lengths, "types": types}

    def plot(self, ax: Axes | None = None, top: int = 40) -> Axes:
        """Draw the number of tokens of the first `top` documents."""
        from lexicloud.say.figures import named_bars

        return named_bars(ax, self.names[:top], self.lengths[:top].tolist(), "tokens")

    @property
    def vocabulary(self) -> Vocabulary:
        """The distinct words, most frequent first."""
        return self.lexicon.vocabulary

    @property
    def vectors(self) -> NDArray[np.float32]:
        """One row per word of the vocabulary; zeros for a word without a vector (see `embedded`)."""
        return self.lexicon.vectors

    @property
    def embedded(self) -> Mask:
        """Which words have a vector, exact or recovered."""
        return self.lexicon.embedded

    @property
    def stopwords(self) -> Mask:
        """Which words are stop words of the rules' language."""
        return self.lexicon.stopwords

    @property
    def punctuation(self) -> Mask:
        """Which tokens have neither letter nor digit."""
        return self.lexicon.punctuation

    @property
    def content(self) -> Mask:
        """The paper's words: those with a vector that are neither stop words nor punctuation."""
        return self.embedded & ~self.stopwords & ~self.punctuation

    @property
    def refined(self) -> NDArray[np.float32]:
        """The vectors without their mean and top components, at unit length."""
        return self.lexicon.refined

    @property
    def cache(self) -> dict[Any, Any]:
        """What was computed for the words before: neighbour tables, refined vectors."""
        return self.lexicon.cache

    def nearest(self, word: str, k: int = 10, *, refined: bool = False) -> list[tuple[str, float]]:
        """Return the k words of the corpus nearest to any word that has a vector, with distances."""
        require_vectors(self, "the nearest word")
        return self.lexicon.nearest(self.rules.normalise(word), k, refined=refined)

    @cached_property
    def counts(self) -> sparse.csr_array:
        """Documents × vocabulary, as a SciPy CSR array of int32, counted in parts so that memory stays bounded."""
        ends = np.searchsorted(self.bounds, np.arange(STRETCH, int(self.bounds[-1]), STRETCH), side="right")
        edges = sorted({0, *ends.tolist(), len(self)})
        parts = [self._counts(a, b) for a, b in pairwise(edges)]
        return parts[0] if len(parts) == 1 else sparse.vstack(parts, format="csr")

    def _counts(self, first: int, last: int) -> sparse.csr_array:
        bounds = self.bounds[first : last + 1]
        rows = np.repeat(np.arange(last - first, dtype=np.int32), np.diff(bounds))
        ones = np.ones(len(rows), dtype=np.int32)
        shape = (last - first, len(self.vocabulary))
        tokens = self.stream[bounds[0] : bounds[-1]]
        counts = sparse.coo_array((ones, (rows, tokens)), shape=shape).tocsr()
        counts.sum_duplicates()
        return counts

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of tokens of each document."""
        return np.diff(self.bounds)

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """The number of times each word occurs in the whole corpus."""
        return totals_of(self.stream, len(self.vocabulary))

    @cached_property
    def coverage(self) -> Coverage:
        """How many words have a vector, which were recovered, and which were lost."""
        status, totals = self.lexicon.status, self.totals
        present = totals > 0
        exact, recovered = present & (status == EXACT), present & (status == RECOVERED)
        lost = present & (status == 0)

        def listed(mask: Mask) -> tuple[tuple[str, int], ...]:
            order = np.flatnonzero(mask)
            order = order[np.argsort(-totals[order], kind="stable")]
            return tuple((self.vocabulary[i], int(totals[i])) for i in order)

        return Coverage(
            tokens=int(totals.sum()),
            types=int(present.sum()),
            exact_tokens=int(totals[exact].sum()),
            exact_types=int(exact.sum()),
            recovered_tokens=int(totals[recovered].sum()),
            recovered_types=int(recovered.sum()),
            lost_tokens=int(totals[lost].sum()),
            lost_types=int(lost.sum()),
            recovered=listed(recovered),
            lost=listed(lost),
        )

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def position(self, name: str) -> int:
        """Return the row of a document."""
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            close = get_close_matches(str(name), self.names, n=3, cutoff=0.4)
            hint = (
                f"did you mean {', '.join(map(repr, close))}?"
                if close
                else f"there are {len(self)} documents"
            )
            raise UnknownDocument(f"no document named {name!r}; {hint}") from None

    def count(self, name: str, word: str) -> int:
        """Return how often a word occurs in a document."""
        i, w = self.position(name), self.vocabulary.ids.get(self.rules.normalise(word))
        return 0 if w is None else int(np.count_nonzero(self.tokens(i) == w))

    def tokens(self, document: int) -> NDArray[np.int32]:
        """Return a document's tokens in their order, as word numbers."""
        return self.stream[self.bounds[document] : self.bounds[document + 1]]

    def written(self, document: int) -> list[str]:
        """Return a document's tokens as words; where lemmas are counted, as the text spells them."""
        tokens = self.tokens(document)
        if self.vocabulary.lemmatised and self.texts is not None:
            words = tokenize(self.texts[document], self.rules)
            if len(words) == len(tokens):  # not a sample of the text
                return words
        return [self.vocabulary[int(token)] for token in tokens]

    # ---- cutting

    @cached_property
    def kinds(self) -> NDArray[np.int8]:
        """The kind of each word of the vocabulary, judged by all documents, as a place in `words.kinds.KINDS`."""
        return word_kinds(self)

    def subset(self, names: Sequence[str]) -> Corpus:
        """Return some documents, in the order given, over the same vocabulary."""
        if tuple(names) == self.names:
            return self
        return self._rows([self.position(name) for name in names])

    def _rows(self, rows: Sequence[int]) -> Corpus:
        pieces = [self.tokens(i) for i in rows]
        return replace(
            self,
            names=tuple(self.names[i] for i in rows),
            stream=np.concatenate(pieces) if pieces else np.zeros(0, np.int32),
            bounds=np.concatenate([[0], np.cumsum([len(p) for p in pieces])]).astype(np.int64),
            labels=None if self.labels is None else tuple(self.labels[i] for i in rows),
            texts=None if self.texts is None else tuple(self.texts[i] for i in rows),
            parents=None if self.parents is None else self.parents[list(rows)],
        )

    def noting(self, *notes: str) -> Corpus:
        """Return the corpus with further notes about how it was read."""
        return replace(self, notes=self.notes + notes)

    def sample(self, n: int, seed: int = 0, *, running: bool = False) -> Corpus:
        """Draw `n` tokens of each document without replacement, as the paper does.

        Only content words with a vector are drawn; `running=True` draws from all tokens. Documents with fewer than `n`
        are left out and named in `dropped`. A document's sample depends on the seed and its name alone, not on the
        other documents.
        """
        from lexicloud.corpus.cut import sample_corpus

        return sample_corpus(self, n, seed, running=running)

    def sentences(self) -> Corpus:
        """Return the sentences of all documents as a corpus over the same vocabulary.

        `texts` holds each sentence and `parents` the number of its document.
        """
        from lexicloud.corpus.cut import sentence_corpus

        return sentence_corpus(self)

    # ---- keeping

    def save(self, path: str | Path) -> None:
        """Save to a folder that `Corpus.open` maps into memory."""
        from lexicloud.corpus.from_files import save_corpus

        save_corpus(self, path)

    @classmethod
    def open(cls, path: str | Path) -> Corpus:
        """Open a saved corpus memory-mapped."""
        from lexicloud.corpus.from_files import open_corpus

        return open_corpus(path)


def lexicon_of(words: Sequence[str], vectors: WordVectors | str | Path | None, rules: TokenRules) -> Lexicon:
    """Return the words of a corpus with the vectors given, or with the default ones of the language."""
    vectors = vectors_of(rules.language)[0] if vectors is None else vectors
    return Lexicon.build(words, _as_vectors(vectors), rules)


def require_corpus(value: object) -> None:
    """Refuse a value that is not a Corpus, and say how to make one."""
    if not isinstance(value, Corpus):
        raise OptionError(
            f"a Corpus is needed, not a {type(value).__name__}: make one with Corpus.from_texts or from_folder"
        )


def require_vectors(corpus: Corpus, what: str) -> None:
    """Refuse to do `what` with a corpus that has no vectors, and say how to get some."""
    if corpus.lexicon.source == NO_VECTORS:
        said = vectors_of(corpus.rules.language)[1] or (
            "there are no vectors: name some (vectors=, --vectors)",
        )
        raise EstimateError(f"{what} needs vectors; {said[0]}")


def _counted(
    texts: Sequence[str], rules: TokenRules, workers: int | None
) -> tuple[Vocabulary, NDArray[np.int32], NDArray[np.int64]]:
    """Count words, or lemmas if the rules ask for them."""
    if not rules.lemmas:
        words, stream, bounds = count_tokens(texts, rules, workers)
        return Vocabulary(words), stream, bounds
    shown, lemmas, stream, bounds = count_lemmas(texts, rules, workers)
    return Vocabulary(shown, lemmas), stream, bounds


def _as_vectors(vectors: WordVectors | str | Path | None) -> WordVectors:
    return vectors if isinstance(vectors, WordVectors) else load_vectors(vectors)


def _labels(
    labels: Mapping[str, str] | Sequence[str | None] | None, names: tuple[str, ...]
) -> tuple[str | None, ...] | None:
    if labels is None:
        return None
    if isinstance(labels, Mapping):
        return tuple(labels.get(name) for name in names)
    if len(labels) != len(names):
        raise CorpusError(f"{len(labels)} labels for {len(names)} documents: give one label each")
    return tuple(labels)
