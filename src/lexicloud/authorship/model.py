"""A model of known authors that can be kept: learnt once, asked any number of times."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.authorship.combined import NoisyDelta, Scorer, WithinTexts, add_up, explain_lead
from lexicloud.authorship.copies import copies
from lexicloud.authorship.features import KnownPassages, Spelling, WordTable
from lexicloud.authorship.open_set import Calibration, Closeness, Curve, calibrate, is_nobody
from lexicloud.authorship.scoring import RULE, check_rule
from lexicloud.divergences.base import check_labels
from lexicloud.errors import EstimateError, OptionError, StorageError
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Facts, Passage, Passages, Sentence, bars, listed, number, percent
from lexicloud.store.folder import ArrayType, Folder, check_runs, open_folder, read_manifest, save_folder
from lexicloud.text import TokenRules, tokenize
from lexicloud.text.tokens import prose
from lexicloud.words.reason import Reason, reason_bars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

KIND: Final = "lexicloud attribution model"
VERSION: Final = 4
NONE: Final = "none of these"
UNDECIDED: Final = "undecided"
# The number of candidates and of passages that an answer shows.
SHOWN: Final = 5
# With fewer tokens no answer is reliable.
RELIABLE: Final = 100
# Frequent words of the known texts; a text with less than this share of what the poorest known text has of them is in
# another language or no running text.
FREQUENT: Final = 500
FITS: Final = 0.5
# Under this share a part of the text is.
PARTLY: Final = 0.8
_TYPES: Final[dict[str, ArrayType]] = {
    "counts": ("int32", 1),
    "indices": ("int32", 1),
    "indptr": ("int64", 1),
    "lengths": ("float64", 1),
    "characters_mean": ("float64", 1),
    "characters_deviation": ("float64", 1),
    "characters_known": ("float32", 2),
    "characters_directions": ("float32", 2),
    "characters_taken": ("float64", 1),
    "delta_directions": ("float32", 2),
    "delta_taken": ("float64", 1),
    "sure": ("float64", 1),
    "right": ("bool", 1),
    "there": ("bool", 1),
}


@dataclass(frozen=True)
class Answer(Result):
    """Who wrote a text: `label` is a candidate, "none of these" (if that is likelier than not), or "undecided" where
    no candidate is probable enough.

    `probabilities` are those of the candidates, the likeliest first; with `none` they add up to one. `evidence`
    speaks for the first candidate against the second, `lead` is the difference of their scores.
    """

    name: str
    label: str
    probabilities: dict[str, float]
    none: float
    lead: float
    nearest: tuple[str, ...]
    tokens: int
    evidence: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> str:
        """The likeliest candidate."""
        return next(iter(self.probabilities))

    @property
    def second(self) -> str:
        """The runner-up."""
        return list(self.probabilities)[1]

    def blocks(self) -> list[Block]:
        """Return who wrote it, how sure that is, the evidence, and passages that show the evidence."""
        found: list[Block] = [Sentence(self.conclusion, "answer")]
        found += [Sentence(f"{note[0].upper()}{note[1:]}.", "note") for note in self.notes]
        shown = [*list(self.probabilities.items())[:SHOWN], (NONE, self.none)]
        found.append(bars(shown, title="how likely each is", write=percent))
        if self.evidence:
            rates = ("here ‰", f"{self.first} ‰", f"{self.second} ‰")
            found.append(
                reason_bars(
                    [replace(e, word=visible(e.word)) for e in self.evidence],
                    sides=rates,
                    title=f"for {self.first} against {self.second}",
                    right=f"speaks for {self.first}",
                    left=f"for {self.second}",
                    top=len(self.evidence),
                )
            )
            where = [Passage(e.passages[0], source=visible(e.word)) for e in self.evidence if e.passages]
            found.append(Passages(tuple(where[:SHOWN]), "where they stand"))
        near = ", ".join(self.nearest)
        return [*found, Facts((("nearest texts", near), ("words and marks", number(self.tokens))))]

    @property
    def conclusion(self) -> str:
        """Who wrote it, in words."""
        if self.label == NONE:
            return (
                f"None of the candidates seems to have written {self.name} ({percent(self.none)}); "
                f"the likeliest of them is {self.first} ({percent(self.probabilities[self.first])})."
            )
        if self.label == UNDECIDED:
            sure = percent(self.probabilities[self.first])
            return f"No candidate for {self.name} is probable enough: {self.first} is likeliest, with {sure}."
        return f"{self.label} wrote {self.name}, with a probability of {percent(self.probabilities[self.label])}."

    def __str__(self) -> str:
        likeliest = ", ".join(f"{c} {p:.0%}" for c, p in list(self.probabilities.items())[:3])
        return f"{self.name}: {self.label} ({likeliest}; {NONE} {self.none:.0%})"


@dataclass(frozen=True, eq=False)
class AttributionModel:
    """Known texts as counts, with what was learnt from them.

    >>> corpus = Corpus.from_folder("novels/", label="@name")           # doctest: +SKIP
    >>> model = train(corpus); model.save("novels.model")               # doctest: +SKIP
    >>> AttributionModel.open("novels.model").attribute({"letter": text})  # doctest: +SKIP
    """

    known: WordTable
    labels: tuple[str, ...]
    scorer: Scorer
    calibration: Calibration
    rules: TokenRules
    rule: str = RULE
    copies: tuple[str, ...] = ()  # known texts that are copies of others

    @property
    def classes(self) -> tuple[str, ...]:
        """The candidates."""
        return tuple(sorted(set(self.labels)))

    @cached_property
    def frequent(self) -> tuple[frozenset[str], float]:
        """The frequent words (no marks) of the known texts, and the least share of a known text that they make up."""
        plain = np.array([any(c.isalnum() for c in word) for word in self.known.words])
        rows = np.argsort(-self.known.totals * plain, kind="stable")[:FREQUENT]
        shares = np.asarray(self.known.counts[:, rows].sum(axis=1)).ravel() / np.maximum(
            self.known.lengths, 1.0
        )
        return frozenset(self.known.words[i] for i in rows.tolist()), float(shares.min())

    def __repr__(self) -> str:
        return f"<AttributionModel of {len(self.labels)} texts by {len(self.classes)} candidates>"

    def attribute(
        self, texts: Mapping[str, str], *, error: float | None = None, evidence: int = 10
    ) -> tuple[Answer, ...]:
        """Say who wrote each text, and on what evidence.

        With `error`, an author is named only if at most this share of such answers was wrong for texts left out.
        """
        tokens = {name: tokenize(text, self.rules) for name, text in texts.items()}
        return tuple(self._one(name, words, error, evidence) for name, words in tokens.items())

    def attribute_tokens(
        self, corpus: Corpus, *, error: float | None = None, evidence: int = 10
    ) -> tuple[Answer, ...]:
        """Say who wrote each text of a corpus, which may be a sample; see `attribute`."""
        words = corpus.vocabulary
        texts = {name: [words[int(t)] for t in corpus.tokens(i)] for i, name in enumerate(corpus.names)}
        return tuple(self._one(name, tokens, error, evidence) for name, tokens in texts.items())

    def closeness(self, texts: WordTable) -> tuple[Closeness, Floats]:
        """Return the scores and cosines of texts with candidates, and their scores with known texts."""
        distances = self.scorer.distances(texts)
        groups = np.array([[label == c for c in self.classes] for label in self.labels], dtype=np.float64)
        return Closeness.of(distances, self.labels, self.rule), add_up(distances, groups)

    def probabilities(self, texts: WordTable) -> Floats:
        """Return the probability of each candidate and, in the last column, of none of them."""
        closeness, _ = self.closeness(texts)
        curves = {n: self.calibration.curve(n) for n in set(texts.lengths.tolist())}
        rows = [curves[n].chances(closeness.rows([i])) for i, n in enumerate(texts.lengths.tolist())]
        return np.concatenate(rows)

    def explain(
        self, text: WordTable, first: str, second: str | None = None, top: int | None = None
    ) -> tuple[Reason, ...]:
        """Return what speaks for a candidate against another one, or against all others."""
        return explain_lead(
            self.scorer, self.known, self.labels, text, first, second, rule=self.rule, top=top
        )

    def _one(self, name: str, tokens: list[str], error: float | None, evidence: int) -> Answer:
        words = [self.rules.normalise(token) for token in tokens]
        if not words:
            raise EstimateError(f"text {name!r} has no words: leave it out")
        table = WordTable.of_tokens([words], [name])
        closeness, scores = self.closeness(table)
        chances = self._chances(words, closeness)
        order = np.argsort(-chances[:-1], kind="stable")
        first, second = (self.classes[i] for i in order[:2])
        found = self.explain(table, first, second, top=evidence)
        return Answer(
            name=name,
            label=self._decide(chances, order[0], words, error),
            probabilities={self.classes[i]: float(chances[i]) for i in order},
            none=float(chances[-1]),
            lead=float(closeness.scores[0, order[1]] - closeness.scores[0, order[0]]),
            nearest=tuple(self.known.names[i] for i in np.argsort(scores[0], kind="stable")[:3]),
            tokens=len(words),
            evidence=tuple(replace(e, passages=passages(tokens, words, e)) for e in found),
            notes=self._notes(words),
        )

    def _chances(self, words: list[str], closeness: Closeness) -> Floats:
        """Return the probabilities for a text; a very long text is scored by its passages."""
        cuts = self.calibration.passages(len(words))
        if len(cuts) > 1:
            passages = WordTable.of_tokens([words[cut] for cut in cuts], [str(cut.start) for cut in cuts])
            closeness = self.closeness(passages)[0].mean
        return np.asarray(self.calibration.curve(len(words)).chances(closeness)[0])

    def _decide(self, chances: Floats, best: int, words: list[str], error: float | None) -> str:
        share, least = self._of_running_text(words)
        if share < FITS * least:
            return UNDECIDED
        if is_nobody(chances):
            return NONE
        unsure = error is not None and chances[best] < self.calibration.threshold(len(words), error)
        return UNDECIDED if unsure else self.classes[best]

    def _of_running_text(self, words: list[str]) -> tuple[float, float]:
        """Return the share of the known texts' frequent words in a text, and the least that a known text has."""
        frequent, least = self.frequent
        return sum(word in frequent for word in words) / len(words), least

    def _notes(self, words: list[str]) -> tuple[str, ...]:
        notes, tokens, (share, least) = [], len(words), self._of_running_text(words)
        if share < PARTLY * least:
            what = "it" if share < FITS * least else "a part of it"
            notes.append(
                f"{percent(share)} of it are frequent words of the known texts, which have {percent(least)} or more: "
                f"{what} seems to be in another language, or no running text, of which nothing can be said"
            )
        if tokens < RELIABLE:
            notes.append(f"the text has {tokens} tokens: under {RELIABLE} no answer is reliable")
        if not self.calibration.lengths:
            notes.append("too few known texts to calibrate on: the probabilities are a guess")
        if self.copies:
            notes.append(
                f"the probabilities are too sure: known texts are copies of others, which find each other "
                f"({listed(self.copies)}). Leave them out and train again"
            )
        return tuple(notes)

    def save(self, path: str | Path) -> None:
        """Write the model to a folder, all or nothing; `AttributionModel.open` reads it."""
        used = np.flatnonzero(self.known.totals)
        counts = sparse.csr_array(self.known.counts[:, used])
        characters, calibration = self.scorer.characters, self.calibration
        within = {"delta": self.scorer.delta.within, "characters": characters.within}
        arrays: dict[str, NDArray[Any]] = {
            "counts": counts.data.astype(np.int32),
            "indices": counts.indices.astype(np.int32),
            "indptr": counts.indptr.astype(np.int64),
            "lengths": self.known.lengths.astype(np.float64),
            "characters_mean": characters.mean,
            "characters_deviation": characters.deviation,
            "characters_known": characters.known.astype(np.float32),
            **{f"{kind}_directions": w.directions.astype(np.float32) for kind, w in within.items()},
            **{f"{kind}_taken": w.taken.astype(np.float64) for kind, w in within.items()},
            **{f"sure_{n}": s for n, s in zip(calibration.lengths, calibration.sure, strict=True)},
            **{f"right_{n}": r for n, r in zip(calibration.lengths, calibration.right, strict=True)},
            **{f"there_{n}": t for n, t in zip(calibration.lengths, calibration.there, strict=True)},
        }
        strings = {
            "words": [self.known.words[i] for i in used],
            "names": self.known.names,
            "sequences": characters.features,
        }
        meta = {
            "labels": self.labels,
            "rules": asdict(self.rules),
            "rule": self.rule,
            "copies": self.copies,
            "curves": {
                str(n): c.numbers for n, c in zip(calibration.lengths, calibration.curves, strict=True)
            },
        }
        save_folder(path, KIND, VERSION, arrays=arrays, strings=strings, meta=meta)

    @classmethod
    def open(cls, path: str | Path) -> AttributionModel:
        """Open a saved model."""
        folder = open_folder(path, KIND, VERSION, _array_type, whole=True)
        made = read_manifest(Path(path))["version"]
        if made < VERSION:  # its calibration does not fit the scores of today
            raise StorageError(
                f"{path} was made by an earlier lexicloud (format {made}): train the model again"
            )
        try:
            return cls._read(folder)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise StorageError(f"{path} is damaged ({error}): train the model again") from error

    @classmethod
    def _read(cls, folder: Folder) -> AttributionModel:
        a, meta = folder.arrays, folder.meta
        words, names = (tuple(folder.strings[key].to_list()) for key in ("words", "names"))
        matrix = (
            np.array(a["counts"], dtype=np.float64),
            np.array(a["indices"]),
            np.array(a["indptr"]),
        )
        check_runs(matrix[2], matrix[1], len(words))  # compiled code follows them unchecked
        counts = sparse.csr_array(matrix, shape=(len(names), len(words)))
        known = WordTable(words, counts, np.asarray(a["lengths"]), names)
        characters = NoisyDelta(
            tuple(folder.strings["sequences"].to_list()),
            np.asarray(a["characters_mean"]),
            np.asarray(a["characters_deviation"]),
            np.asarray(a["characters_known"]),
            WithinTexts(np.asarray(a["characters_directions"]), np.asarray(a["characters_taken"])),
        )
        within = WithinTexts(np.asarray(a["delta_directions"]), np.asarray(a["delta_taken"]))
        scorer = Scorer.beside(known, within, characters)
        lengths = tuple(map(int, meta["curves"]))
        calibration = Calibration(
            lengths,
            tuple(Curve.of_numbers(numbers) for numbers in meta["curves"].values()),
            tuple(np.asarray(a[f"sure_{n}"]) for n in lengths),
            tuple(np.asarray(a[f"right_{n}"]) for n in lengths),
            tuple(np.asarray(a[f"there_{n}"]) for n in lengths),
        )
        model = cls(
            known,
            tuple(meta["labels"]),
            scorer,
            calibration,
            TokenRules(**meta["rules"]),
            meta["rule"],
            tuple(map(str, meta.get("copies", ()))),
        )
        _require_fit(model)
        return model


def _array_type(name: str) -> ArrayType | None:
    """Return the type of an array of a model; those of the calibration end in a length."""
    return _TYPES.get(name) or _TYPES.get(name.rstrip("0123456789").removesuffix("_"))


def _require_fit(model: AttributionModel) -> None:
    """Refuse a model whose parts differ in size, or whose labels are not one for each text."""
    texts, characters, trials = len(model.known.names), model.scorer.characters, model.calibration
    features = len(characters.features)
    sizes = {len(model.labels), len(model.known.lengths), len(characters.known)}
    if sizes != {texts} or not all(isinstance(label, str) for label in model.labels):
        raise ValueError(f"its labels or lengths are not those of its {texts} texts")
    if {len(characters.mean), len(characters.deviation), characters.known.shape[1]} != {features}:
        raise ValueError(f"its characters are not the {features} that there are")
    for within, width in (
        (characters.within, features),
        (model.scorer.delta.within, len(model.scorer.delta.features)),
    ):
        if within.directions.shape != (len(within.taken), width):
            raise ValueError(f"its directions within texts are not those of {width} features")
    if len(set(model.known.words)) != len(model.known.words) or len(set(model.labels)) < 2:
        raise ValueError("a word is there twice, or there are not two labels")
    for sure, right, there in zip(trials.sure, trials.right, trials.there, strict=True):
        if not len(sure) == len(right) == len(there):
            raise ValueError("the answers that it was calibrated on are not complete")
    check_rule(model.rule)


def train(
    corpus: Corpus, labels: Sequence[str] | None = None, *, rule: str = RULE, seed: int = 0
) -> AttributionModel:
    """Learn from texts whose authors are known; `labels` are the corpus's own by default."""
    given = list(labels if labels is not None else corpus.labels or ())
    if len(given) != len(corpus):
        raise OptionError(f"{len(given)} labels for {len(corpus)} texts: give one label each")
    if any(label is None for label in given):
        raise OptionError("a text without a label cannot be learnt from: leave it out")
    check_labels(given)
    if len(set(given)) < 2:
        raise EstimateError(f"all {len(given)} known texts have one label: at least two labels are needed")
    check_rule(rule)
    known = WordTable.of(corpus)
    spelling = Spelling.of(known.words)
    tokens = [corpus.tokens(i) for i in range(len(corpus))]
    names = tuple(map(str, given))
    pieces = KnownPassages.of(known, tokens)
    calibration = calibrate(known, tokens, names, rule, spelling, pieces, seed)
    scorer = Scorer.fit(known, spelling, pieces.by(names))
    twice = tuple(corpus.names[i] for i in copies(tokens))
    return AttributionModel(known, names, scorer, calibration, corpus.rules, rule, twice)


def visible(feature: str) -> str:
    """Return a sequence of characters with its spaces shown.

    >>> visible(" the")
    '␣the'
    """
    return feature.replace(" ", "␣")


def passages(
    tokens: Sequence[str], normalised: Sequence[str], found: Reason, most: int = 2
) -> tuple[str, ...]:
    """Return the first places in a text with the word (or the characters) of a reason, with the words around it."""
    if found.kind == "characters":
        places = [i for i, word in enumerate(normalised) if found.word in f" {word} "]
    else:
        places = [i for i, word in enumerate(normalised) if word == found.word]
    return tuple(prose(tokens[max(0, i - 6) : i + 7]) for i in places[:most])
