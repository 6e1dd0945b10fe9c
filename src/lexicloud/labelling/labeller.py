"""Labels for short texts from a handful of examples, with probabilities, reasons, and what to label next."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import EstimateError, InputError, OptionError, StorageError, VectorsError
from lexicloud.labelling.joining import KINDS, Evidence, softmax, temper
from lexicloud.labelling.next_texts import choose
from lexicloud.labelling.smoothed_words import Smoothing, WordSource, count_words
from lexicloud.labelling.table_rows import TableRows
from lexicloud.labelling.text_labels import LabelReasons, TextLabel, ToLabel, WordReason
from lexicloud.storage import Folder, check_runs, open_folder, save_folder
from lexicloud.text import DEFAULT_RULES, TokenRules
from lexicloud.vectors import WordVectors, load_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lexicloud.labelling.smoothed_words import Words

    Floats = NDArray[np.float64]


_KIND: Final = "labeller"
_VERSION: Final = 3
_TYPES: Final = {
    "counts": ("float64", 1),
    "columns": ("int64", 1),
    "bounds": ("int64", 1),
    "labels": ("int64", 1),
    "weights": ("float64", 1),
    "fits": ("float64", 1),
    "row_totals": ("float64", 1),
    "row_having": ("int64", 1),
    "row_vectors": ("float32", 2),
}
_WIDEST_SPREAD: Final = 10.0  # far beyond what fitting finds
_NAMED: Final = 3  # words of a label's examples named beside a word
_NEAR: Final = 0.4  # cosine of refined vectors from which one may say "stands near"


class Labeller:
    """Labels short texts from a few examples: what they are about, or what kind they are.

    Words and their latent neighbours, rare words, mean vectors and characters are joined. How strongly each counts, and
    how sure the answers are, follow from held-out likelihood on the examples. An answer of `label` may be "none of
    these": for a text that fits its best label less well than all but the share `refuse` of the examples did, held out.

    >>> labeller = Labeller().fit(
    ...     ["please refund my last payment", "the invoice shows a wrong amount", "I was charged twice",
    ...      "the app crashes at start", "a blank screen after login", "it freezes when I upload a photo"],
    ...     ["billing", "billing", "billing", "bug", "bug", "bug"])
    >>> labeller.predict(["why is my credit card bill so high?", "error on opening the program"]).tolist()
    ['billing', 'bug']
    >>> why = labeller.explain("why is my credit card bill so high?")
    >>> abs(why.start + sum(reason.adds for reason in why.words) - why.score) < 1e-9
    True
    """

    def __init__(
        self,
        vectors: WordVectors | str | Path | None = None,
        *,
        refuse: float = 0.1,
        rules: TokenRules = DEFAULT_RULES,
        seed: int = 0,
    ) -> None:
        if not 0 <= refuse < 1:
            raise OptionError(f"refuse = {refuse}: give a share from 0 (every text gets a label) to below 1")
        self.vectors, self.refuse, self.rules, self.seed = vectors, refuse, rules, seed

    def fit(
        self,
        texts: Sequence[str],
        labels: Sequence[str],
        groups: Sequence[str] | None = None,
        unlabelled: Sequence[str] | None = None,
    ) -> Labeller:
        """Learn from labelled texts: at least two labels with at least two texts each.

        `groups` names where each text comes from (its author, thread or file), where several come from one place: these
        are held out together, so that a text is not labelled by its own neighbours and the probabilities stay honest.

        `unlabelled` are more texts of the same collection, such as those to be labelled. From some hundreds on, they
        tell which words are rare in it and which keep company.
        """
        if isinstance(texts, str) or len(texts) != len(labels):
            raise InputError(f"{len(texts):,} texts but {len(labels):,} labels: give one label for each text")
        if groups is not None and len(groups) != len(texts):
            raise InputError(f"{len(texts):,} texts but {len(groups):,} groups: give one group for each text")
        names, y = np.unique(np.asarray(labels, dtype=str), return_inverse=True)
        _check_sizes(names, y)
        words, counts = count_words(texts, self.rules)
        vectors = self.loaded_vectors()
        rows = TableRows.learn([*texts, *(unlabelled or ())], self.rules, vectors) if unlabelled else None
        self.restore(words, counts, y, names, WordSource(vectors, self.rules, rows))
        smoothing, joint = self.evidence_.join(self.seed, groups)
        self.evidence_.fit(smoothing, joint.weights, joint.spread)
        self.accuracy_ = float((joint.held_out.argmax(axis=1) == y).mean())
        self.fits_ = np.sort(joint.closeness)
        return self

    def restore(
        self,
        words: Sequence[str],
        counts: sparse.csr_array,
        y: NDArray[np.int64],
        names: Sequence[str] | NDArray[np.str_],
        source: WordSource,
    ) -> None:
        """Take the examples from their word counts; `fit` and loading share this."""
        self.classes_ = np.asarray(names, dtype=str)
        self.source_ = source
        self.evidence_ = Evidence(self.source_, self.source_.of(words), counts, np.asarray(y, dtype=np.int64))

    def loaded_vectors(self) -> WordVectors:
        """Return the vectors, loaded if they were given by name."""
        return self.vectors if isinstance(self.vectors, WordVectors) else load_vectors(self.vectors)

    def predict_proba(self, texts: Sequence[str]) -> Floats:
        """Return the probability of each label (columns, in the order of `classes_`) for each text."""
        counts, words = self._count(texts)
        return self._probabilities(self.evidence_.scores(counts, words))

    def _probabilities(self, scores: Floats) -> Floats:
        return softmax(temper(scores, self.evidence_.spread))

    def predict(self, texts: Sequence[str]) -> NDArray[np.str_]:
        """Return the likeliest label of each text."""
        P = self.predict_proba(texts)
        return np.asarray(self.classes_[P.argmax(axis=1)])

    def kind_scores(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Return what each kind of evidence says for each label of each text."""
        return self.evidence_.kind_scores(*self._count(texts))

    def label(self, texts: Sequence[str]) -> list[TextLabel]:
        """Label texts; those that are like no label's examples have the label None."""
        counts, words = self._count(texts)
        scores, closeness = self.evidence_.scores_and_closeness(counts, words)
        below = np.searchsorted(self.fits_, closeness, side="right")
        fits = (1 + below) / (1 + len(self.fits_))  # the text is counted among the examples
        P = self._probabilities(scores)
        return [self._labelled(text, row, float(fit)) for text, row, fit in zip(texts, P, fits, strict=True)]

    def _labelled(self, text: str, row: Floats, fit: float) -> TextLabel:
        guess = str(self.classes_[row.argmax()])
        probabilities = dict(zip(self.classes_.tolist(), row.tolist(), strict=True))
        label = None if fit <= self.refuse else guess
        return TextLabel(text, label, guess, float(row.max()), probabilities, fit)

    def explain(self, text: str, label: str | None = None) -> LabelReasons:
        """Say word by word why a text has a label, the likeliest unless one is given."""
        return self.explain_many([text], None if label is None else [label])[0]

    def explain_many(self, texts: Sequence[str], labels: Sequence[str] | None = None) -> list[LabelReasons]:
        """Explain many texts at once, several times faster than one by one; see `explain`."""
        counts, words = self._count(texts)
        kinds = [(amounts, _centred(adds)) for amounts, adds in self.evidence_.word_scores(counts, words)]
        start = _centred(np.sum(self.evidence_.constants, axis=0)[None])[0]
        plain = start + sum(amounts @ adds for amounts, adds in kinds)
        scores = temper(plain, self.evidence_.spread)
        shrunk = np.abs(scores).sum(axis=1) / np.maximum(np.abs(plain).sum(axis=1), 1e-300)
        P = softmax(scores)
        found = []
        for i, text in enumerate(texts):
            column = int(scores[i].argmax()) if labels is None else self._column(labels[i])
            reasons, by_kind = self._reasons(words, counts, kinds, i, column, float(shrunk[i]))
            found.append(
                LabelReasons(
                    text,
                    str(self.classes_[column]),
                    float(P[i, column]),
                    float(scores[i, column]),
                    float(shrunk[i] * start[column]),
                    reasons,
                    by_kind,
                )
            )
        return found

    def _reasons(
        self,
        words: Words,
        counts: sparse.csr_array,
        kinds: Sequence[tuple[sparse.csr_array, Floats]],
        i: int,
        column: int,
        shrunk: float,
    ) -> tuple[tuple[WordReason, ...], dict[str, float]]:
        """Return what each word of text `i` adds to a label's score, the most first, and what each kind does."""
        own, times = _row(counts, i)
        adds, by_kind = np.zeros(len(own)), {}
        for name, (amounts, added) in zip(KINDS, kinds, strict=True):
            places, held = _row(amounts, i)
            given = shrunk * held * added[places, column]
            by_kind[name] = float(given.sum())
            adds[np.searchsorted(own, places)] += given
        order = np.argsort(-adds, kind="stable")
        told = [self._reason(words, int(own[k]), int(times[k]), float(adds[k]), column) for k in order]
        return tuple(told), by_kind

    def _reason(self, words: Words, i: int, count: int, adds: float, column: int) -> WordReason:
        word = words.words[i]
        known = self.evidence_.has_word(word, column)
        content = bool(words.content[i])
        carriers = [] if known or not content else self.evidence_.carriers(words.vectors[i], column, _NEAR)
        return WordReason(word, count, adds, known, tuple(carriers[:_NAMED]), content)

    def next(self, texts: Sequence[str], n: int = 10) -> list[ToLabel]:
        """Return the texts that a person should label next, most informative first, with the gain to expect."""
        if n < 1:
            raise OptionError(f"n = {n}: ask for at least one text")
        counts, words = self._count(texts)
        P = self._probabilities(self.evidence_.scores(counts, words))
        order, covers = choose(
            P, self.evidence_.text_vectors(counts, words), n, self.evidence_.example_vectors
        )
        best, sure = P.argmax(axis=1), P.max(axis=1)
        return [
            ToLabel(
                int(i), texts[i], str(self.classes_[best[i]]), float(sure[i]), float(c), float(1 - sure[i])
            )
            for i, c in zip(order, covers, strict=True)
        ]

    def save(self, path: str | Path) -> None:
        """Write the labeller as a folder that `load` opens; it holds the examples' word counts, not their texts."""
        self._require_examples()
        _save(self, path)

    @classmethod
    def load(cls, path: str | Path, vectors: WordVectors | None = None) -> Labeller:
        """Open a saved labeller; its vectors are loaded from where they were unless they are given."""
        return _load(path, vectors)

    def _count(self, texts: Sequence[str]) -> tuple[sparse.csr_array, Words]:
        self._require_examples()
        if isinstance(texts, str):
            raise InputError("give a list of texts, not one text")
        words, counts = count_words(texts, self.rules)
        return counts, self.source_.of(words)

    def _require_examples(self) -> None:
        if not hasattr(self, "fits_"):
            raise EstimateError("the labeller has no examples yet: call fit first")

    def _column(self, label: str) -> int:
        found = np.flatnonzero(self.classes_ == label)
        if not len(found):
            raise OptionError(f"no label {label!r}; the labels are {', '.join(self.classes_)}")
        return int(found[0])

    def __repr__(self) -> str:
        if not hasattr(self, "fits_"):
            return "<Labeller without examples>"
        return f"<Labeller of {len(self.classes_)} labels from {len(self.evidence_.y):,} examples>"


def _row(table: sparse.csr_array, i: int) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return the columns of a row in ascending order, and its values."""
    table.sort_indices()
    span = slice(table.indptr[i], table.indptr[i + 1])
    return table.indices[span], table.data[span]


def _centred(scores: Floats) -> Floats:
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


def _check_sizes(names: NDArray[np.str_], y: NDArray[np.int64]) -> None:
    if len(names) < 2:
        raise EstimateError(f"the examples have {len(names)} label: give examples of at least two")
    lone = [repr(str(name)) for name in names[np.bincount(y) < 2]]
    if lone:
        which = f"label {lone[0]} has" if len(lone) == 1 else f"{len(lone)} labels ({_some(lone)}) have"
        raise EstimateError(f"{which} 1 example: give at least 2 of each label, or leave out what has 1")


def _some(names: Sequence[str]) -> str:
    """List the first few names."""
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")


def _save(labeller: Labeller, path: str | Path) -> None:
    """Write a labeller; one that is there already is replaced, all or nothing."""
    evidence, vectors, rows = labeller.evidence_, labeller.source_.vectors, labeller.source_.rows
    save_folder(
        path,
        _KIND,
        _VERSION,
        arrays={
            "counts": evidence.counts.data.astype(np.float64),
            "columns": evidence.counts.indices.astype(np.int64),
            "bounds": evidence.counts.indptr.astype(np.int64),
            "labels": evidence.y.astype(np.int64),
            "weights": np.asarray(evidence.joint_weights, dtype=np.float64),
            "fits": labeller.fits_.astype(np.float64),
            **({} if rows is None else _row_arrays(rows)),
        },
        strings={
            "words": list(evidence.known.words),
            "names": labeller.classes_.tolist(),
            **({} if rows is None else {"row_words": rows.words}),
        },
        meta={
            "source": _source(labeller.vectors),
            "fingerprint": vectors.fingerprint,
            "smoothing": asdict(evidence.smoothing),
            "accuracy": labeller.accuracy_,
            "refuse": labeller.refuse,
            "seed": labeller.seed,
            "rules": asdict(labeller.rules),
            "spread": evidence.spread,
            "rows": 0 if rows is None else rows.texts,
        },
    )


def _row_arrays(rows: TableRows) -> dict[str, NDArray[Any]]:
    return {
        "row_totals": rows.totals.astype(np.float64),
        "row_having": rows.having.astype(np.int64),
        "row_vectors": rows.vectors.astype(np.float32),
    }


def _source(vectors: WordVectors | str | Path | None) -> str | None:
    """Return what the vectors can be loaded by again; those made in memory have only their name."""
    if vectors is None or isinstance(vectors, str):
        return vectors
    return vectors.name if isinstance(vectors, WordVectors) else str(vectors)


def _load(path: str | Path, vectors: WordVectors | None) -> Labeller:
    """Open a saved labeller and make its models again from the counts, which takes less than a second."""
    folder = open_folder(path, _KIND, _VERSION, _TYPES.get, whole=True)
    try:
        return _read(folder, vectors)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise StorageError(f"{path} is damaged ({error}): train the labeller again") from error


def _read(folder: Folder, vectors: WordVectors | None) -> Labeller:
    meta, arrays, words = folder.meta, folder.arrays, folder.strings["words"].to_list()
    names, labels = folder.strings["names"].to_list(), np.array(arrays["labels"])
    if len(labels) == 0 or labels.min() < 0 or labels.max() != len(names) - 1:
        raise ValueError(f"its labels are not the {len(names)} that there are")
    data, columns, bounds = (np.array(arrays[name]) for name in ("counts", "columns", "bounds"))
    check_runs(bounds, columns, len(words))  # compiled code follows them
    if len(bounds) != len(labels) + 1 or len(data) != len(columns):
        raise ValueError(f"its counts are not those of its {len(labels)} examples")
    if len(arrays["weights"]) != len(KINDS):
        raise StorageError(
            f"{folder.path} joins {len(arrays['weights'])} kinds of evidence, as an earlier lexicloud did, this one "
            f"{len(KINDS)}: train the labeller again"
        )
    if not (isinstance(meta["smoothing"]["kappa"], float) and meta["smoothing"]["power"] in range(1, 20)):
        raise TypeError(f"its smoothing is {meta['smoothing']}")
    if not 0 <= float(meta["spread"]) < _WIDEST_SPREAD:
        raise ValueError(f"its spread is {meta['spread']}")
    counts = sparse.csr_array((data, columns, bounds), shape=(len(labels), len(words)))
    labeller = Labeller(
        vectors if vectors is not None else meta["source"],
        refuse=meta["refuse"],
        rules=TokenRules(**meta["rules"]),
        seed=meta["seed"],
    )
    source = WordSource(labeller.loaded_vectors(), labeller.rules, _read_rows(folder))
    labeller.restore(words, counts, labels, names, source)
    labeller.evidence_.fit(Smoothing(**meta["smoothing"]), np.array(arrays["weights"]), float(meta["spread"]))
    if labeller.source_.vectors.fingerprint != meta["fingerprint"]:
        raise VectorsError(
            f"{folder.path} was trained with other vectors than {labeller.source_.vectors.name}: give it those"
        )
    labeller.accuracy_, labeller.fits_ = meta["accuracy"], np.array(arrays["fits"])
    return labeller


def _read_rows(folder: Folder) -> TableRows | None:
    """Return what was learnt from the rows of a table, if there were enough."""
    texts = int(folder.meta["rows"])
    if not texts:
        return None
    words = folder.strings["row_words"].to_list()
    totals, having, vectors = (np.array(folder.arrays[f"row_{x}"]) for x in ("totals", "having", "vectors"))
    if not len(words) == len(totals) == len(having) == len(vectors):
        raise ValueError(f"its rows have {len(words)} words but {len(vectors)} vectors")
    if having.min() < 0 or having.max() > texts or not np.isfinite(vectors).all():
        raise ValueError(f"its {texts} rows cannot have these words")
    return TableRows(words, totals, having, texts, vectors)
