"""Labels for short texts from a handful of examples, with probabilities, reasons, and what to label next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import EstimateError, InputError, OptionError
from lexicloud.labelling.evidence import KINDS, LabelEvidence, accuracy_to_expect, softmax, temper
from lexicloud.labelling.given_labels import GivenLabels, SeveralLabels
from lexicloud.labelling.linear import WordScores
from lexicloud.labelling.smoothed_words import TextCounts, UnlabelledTexts, WordSource
from lexicloud.labelling.text_labels import (
    FEW_TEXTS,
    PAIR,
    LabelChange,
    LabelReasons,
    Suspect,
    SuspectedLabels,
    TextLabel,
    ToLabel,
    compare_mixes,
    words_of_a_new_kind,
)
from lexicloud.say.blocks import many, percent
from lexicloud.text import DEFAULT_RULES, TokenRules
from lexicloud.text.language import UNKNOWN
from lexicloud.vectors import WordVectors, load_vectors
from lexicloud.vectors.static_embeddings import StaticEmbeddings, load_static_embeddings
from lexicloud.words.lexicon import vectors_of
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

AUTO: Final = "auto"
_MIX: Final = 2000  # unlabelled texts from which the mix of labels is found
_LEAST_MIX: Final = 50  # with fewer, the mix of the examples is taken
_SUSPECT: Final = 0.5  # a label is reported as suspect from this chance of being wrong


class Labeller:
    """Labels short texts from a few examples: what they are about, or what kind they are.

    It combines words and their neighbours, rare words, pairs of words, mean vectors, sentence embeddings and
    characters. The weight of each, and how sure the answers are, follow from the likelihood of held-out examples.
    `label` may answer "none of these": for a text that fits its best label worse than all but the share `refuse` of the
    held-out examples fit theirs. `embeddings` are static ones, by name, as a model2vec folder, or None. By default
    English texts use those that come with lexicloud, and other languages none; word vectors are those of the language.
    English embeddings helped no other language, and harmed where examples are few (docs/labelling-measured.md). It is a
    scikit-learn classifier, for `clone`, `cross_val_score`, `GridSearchCV` and pipelines.

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
        embeddings: StaticEmbeddings | str | Path | None = AUTO,
    ) -> None:
        self.vectors, self.refuse, self.rules, self.seed = vectors, refuse, rules, seed
        self.embeddings = embeddings
        _check_refuse(refuse)

    def fit(
        self,
        texts: Sequence[str],
        labels: Sequence[Any],
        groups: Sequence[str] | None = None,
        unlabelled: Sequence[str] | None = None,
    ) -> Labeller:
        """Learn from labelled texts: at least two labels with at least two texts each.

        A label is a word or a number; if texts have several, give a list of labels for each text.

        `groups` names the origin of each text (its author, thread or file). Texts of one origin are held out together;
        otherwise they would label each other, and the probabilities would be too high.

        `unlabelled` are more texts of the same collection, such as those to be labelled. From 300 texts on, they show
        which words are rare and which occur together.
        """
        if isinstance(texts, str) or len(texts) != len(labels):
            raise InputError(f"{len(texts):,} texts but {len(labels):,} labels: give one label for each text")
        if groups is not None and len(groups) != len(texts):
            raise InputError(f"{len(texts):,} texts but {len(groups):,} groups: give one group for each text")
        _check_refuse(self.refuse)
        given, texts = GivenLabels.read(labels), _checked(texts)
        self.rules = self.rules.settled(texts)
        vectors, more = self.loaded_vectors(), _checked(unlabelled or ())
        learnt = UnlabelledTexts.learn([*texts, *more], self.rules, vectors) if more else None
        source = WordSource(vectors, self.rules, learnt, self.loaded_embeddings())
        self.restore(source, source.count(texts), given)
        smoothing, joint, unseen = self.evidence_.join(self.seed, groups, temper_them=not given.several)
        self.evidence_.fit(smoothing, joint.weights, joint.spread)
        self.several_ = SeveralLabels.fit(unseen, given.targets) if given.several else None
        self.unseen_, self.examples_ = self._probabilities(unseen, tempered=True), list(texts)
        self.fits_ = np.sort(joint.closeness)
        self._judge(given.targets)
        refused = self._fit_of(joint.closeness) <= self.refuse
        self.mix_ = self._mix(self.unseen_, refused)
        if len(more) >= _LEAST_MIX:
            self.mix_ = self._mix(*self._answers(more[:: -(-len(more) // _MIX)])[:2])
        return self

    def restore(self, source: WordSource, texts: TextCounts, given: GivenLabels) -> None:
        """Set the examples from their word counts; `fit` and `load` share this."""
        self.classes_, self.names_ = given.classes, [str(label) for label in given.classes.tolist()]
        self.source_ = source
        self.evidence_ = LabelEvidence(source, texts, given.targets)

    def loaded_vectors(self) -> WordVectors:
        """Return the vectors, loaded if they were given by name; those of the language if none were given."""
        if isinstance(self.vectors, WordVectors):
            return self.vectors
        return load_vectors(vectors_of(self.rules.language)[0] if self.vectors is None else self.vectors)

    def loaded_embeddings(self) -> StaticEmbeddings | None:
        """Return the static embeddings, loaded if they were given by name."""
        if self.embeddings is None or isinstance(self.embeddings, StaticEmbeddings):
            return self.embeddings
        if self.embeddings == AUTO:
            return load_static_embeddings() if self.rules.language in {"english", UNKNOWN} else None
        return load_static_embeddings(self.embeddings)

    def _judge(self, targets: Floats) -> None:
        """Estimate from held-out examples the share of right answers to expect, with a 95 % interval.

        If texts have several labels, it is the F1 of the labels given.
        """
        if self.several_ is not None:
            chosen = self.several_.chosen(self.unseen_)
            both, either = float((chosen * targets).sum()), float(chosen.sum() + targets.sum())
            self.accuracy_ = 2 * both / max(either, 1.0)
        else:
            right = targets[np.arange(len(targets)), self.unseen_.argmax(axis=1)]
            self.accuracy_ = float(right.mean())
        self.accuracy_, *interval = accuracy_to_expect(self.accuracy_, len(targets))
        self.accuracy_interval_ = (interval[0], interval[1])

    @property
    def trust(self) -> str:
        """How far the answers can be trusted, in words."""
        self._require_examples()
        texts, learnt = len(self.evidence_.texts), self.source_.unlabelled
        beside = "" if learnt is None else f", and from all {learnt.texts:,} rows what words mean"
        begun = f"{len(self.classes_)} labels from {many(texts, 'example')}{beside}; "
        low, high = (percent(share) for share in self.accuracy_interval_)
        if texts < FEW_TEXTS:
            return f"{begun}too few to say how many answers are right: from {low} to {high} is possible"
        right = "the labels" if self.several_ else "the answers"
        return f"{begun}expect {percent(self.accuracy_)} ({low} to {high}) of {right} to be right"

    def predict_proba(self, texts: Sequence[str]) -> Floats:
        """Return the probability of each label (columns, in the order of `classes_`) for each text."""
        counted = self._count(texts)
        return self._probabilities(self.evidence_.scores(counted))

    def _probabilities(self, scores: Floats, *, tempered: bool = False) -> Floats:
        if self.several_ is not None:
            return self.several_.probabilities(scores)
        return softmax(scores if tempered else temper(scores, self.evidence_.spread))

    def predict(self, texts: Sequence[str]) -> Any:
        """Return the likeliest label of each text; if texts have several labels, a tuple for each."""
        P = self.predict_proba(texts)
        if self.several_ is None:
            return self.classes_[P.argmax(axis=1)]
        return [tuple(self.classes_[row].tolist()) for row in self.several_.chosen(P)]

    def score(self, texts: Sequence[str], labels: Sequence[Any]) -> float:
        """Return the share of texts with the right label; if texts have several labels, the F1 over all of them."""
        found = self.predict(texts)
        if self.several_ is None:
            return float(np.mean([str(a) == str(b) for a, b in zip(found, labels, strict=True)]))
        pairs = [(set(map(str, a)), set(map(str, b))) for a, b in zip(found, labels, strict=True)]
        return 2 * sum(len(a & b) for a, b in pairs) / max(1, sum(len(a) + len(b) for a, b in pairs))

    def kind_scores(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Return the score of each text (rows) for each label (columns), by kind of evidence."""
        counted = self._count(texts)
        return self.evidence_.kind_scores(counted)

    def label(self, texts: Sequence[str]) -> list[TextLabel]:
        """Label texts; a text that is unlike all examples has the label None."""
        P, refused, fits = self._answers(texts)
        chosen = self._chosen(P, refused)
        rows = zip(texts, P, chosen, fits, strict=True)
        return [self._labelled(text, row, some, float(fit)) for text, row, some, fit in rows]

    def _answers(self, texts: Sequence[str]) -> tuple[Floats, NDArray[np.bool_], Floats]:
        """Return the probabilities of texts, whether each is refused, and how well it fits."""
        counted = self._count(texts)
        scores, closeness = self.evidence_.scores_and_closeness(counted)
        fits = self._fit_of(closeness)
        return self._probabilities(scores), fits <= self.refuse, fits

    def _fit_of(self, closeness: Floats) -> Floats:
        below = np.searchsorted(self.fits_, closeness, side="right")
        return np.asarray((1 + below) / (1 + len(self.fits_)))  # the text itself is counted too

    def _chosen(self, P: Floats, refused: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which labels (columns) each text has."""
        best = np.eye(P.shape[1], dtype=bool)[P.argmax(axis=1)]
        chosen = best if self.several_ is None else self.several_.chosen(P)
        return np.asarray(chosen & ~refused[:, None])

    def _mix(self, P: Floats, refused: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many texts have each label, how many have none, and how many there are."""
        counts = self._chosen(P, refused).sum(axis=0)
        return np.array([*counts, refused.sum(), len(P)], dtype=np.int64)

    def _labelled(self, text: str, row: Floats, chosen: NDArray[np.bool_], fit: float) -> TextLabel:
        guess = self.names_[int(row.argmax())]
        probabilities = dict(zip(self.names_, row.tolist(), strict=True))
        order = [int(i) for i in np.argsort(-row, kind="stable") if chosen[i]]
        labels = tuple(self.names_[i] for i in order)
        return TextLabel(
            text, labels[0] if labels else None, guess, float(row.max()), probabilities, fit, labels
        )

    def explain(self, text: str, label: Any = None) -> LabelReasons:
        """Explain word by word why a text has a label, by default the likeliest."""
        return self.explain_many([text], None if label is None else [label])[0]

    def explain_many(self, texts: Sequence[str], labels: Sequence[Any] | None = None) -> list[LabelReasons]:
        """Explain many texts at once, several times faster than one by one; see `explain`."""
        columns = None if labels is None else [self._column(label) for label in labels]
        return _explained(self, texts, self._count(texts), columns)

    def next(self, texts: Sequence[str], n: int = 10) -> list[ToLabel]:
        """Return the texts that a person should label next, most informative first, with the gain to expect."""
        if n < 1:
            raise OptionError(f"n = {n}: ask for at least one text")
        counted = self._count(texts)
        P = self._probabilities(self.evidence_.scores(counted))
        evidence = self.evidence_
        order, covers = choose(P, evidence.text_vectors(counted), n, evidence.example_vectors)
        best, sure = P.argmax(axis=1), P.max(axis=1)
        return [
            ToLabel(int(i), texts[i], self.names_[best[i]], float(sure[i]), float(c), float(1 - sure[i]))
            for i, c in zip(order, covers, strict=True)
        ]

    def suspects(self) -> SuspectedLabels:
        """Return the examples whose label looks wrong, judged by the other examples, most certain first."""
        self._require_examples()
        if self.several_ is not None:
            raise OptionError("texts have several labels: wrong ones are found only where each text has one")
        if not hasattr(self, "unseen_"):
            raise EstimateError(
                "a saved labeller keeps no texts: fit it again to see which labels look wrong"
            )
        own = self.evidence_.targets.argmax(axis=1)
        P, rows = self.unseen_, np.arange(len(own))
        wrong, better = 1 - P[rows, own], P.argmax(axis=1)
        some = np.flatnonzero((better != own) & (wrong >= _SUSPECT))
        some = some[np.argsort(-wrong[some], kind="stable")]
        texts = [self.examples_[i] for i in some]
        why = self.explain_many(texts, [self.classes_[better[i]] for i in some]) if texts else []
        found = zip(some.tolist(), texts, why, strict=True)
        return SuspectedLabels(
            tuple(
                Suspect(i, text, self.names_[own[i]], reasons.label, float(wrong[i]), reasons.sentence)
                for i, text, reasons in found
            ),
            len(own),
        )

    def change(self, texts: Sequence[str]) -> LabelChange:
        """Return how the mix of labels has moved since training, and the words of a new kind of text, if there is one.

        The earlier mix is that of the unlabelled texts that `fit` was given, or of the examples if these were fewer
        than 50.
        """
        P, refused, _ = self._answers(texts)
        return self.change_of(texts, P, refused)

    def change_of(self, texts: Sequence[str], P: Floats, refused: NDArray[np.bool_]) -> LabelChange:
        """Do as `change` does, for texts whose probabilities and refusals are known."""
        now = self._mix(P, refused)
        shares = compare_mixes(self.names_, self.mix_.tolist(), now.tolist())
        grown = shares[-1].moved and shares[-1].difference > 0
        words = words_of_a_new_kind(texts, refused.tolist(), self.rules) if grown else ()
        return LabelChange(shares, int(self.mix_[-1]), len(texts), words)

    def save(self, path: str | Path) -> None:
        """Write the labeller as a folder that `load` opens; it holds the examples' word counts, not their texts."""
        from lexicloud.labelling.saved import save

        self._require_examples()
        save(self, path)

    @classmethod
    def load(cls, path: str | Path, vectors: WordVectors | None = None) -> Labeller:
        """Open a saved labeller; its vectors are loaded from their old place unless they are given."""
        from lexicloud.labelling.saved import load

        return load(path, vectors)

    def _count(self, texts: Sequence[str]) -> TextCounts:
        self._require_examples()
        if isinstance(texts, str):
            raise InputError("give a list of texts, not one text")
        return self.source_.count(_checked(texts))

    def _require_examples(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise EstimateError("the labeller has no examples yet: call fit first")

    def _column(self, label: Any) -> int:
        if str(label) not in self.names_:
            raise OptionError(f"no label {label!r}; the labels are {', '.join(self.names_)}")
        return self.names_.index(str(label))

    # ---- what scikit-learn asks of a classifier

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """Return the options that the labeller was made with."""
        return {name: getattr(self, name) for name in _PARAMETERS}

    def set_params(self, **params: Any) -> Labeller:
        """Change the options that the labeller was made with."""
        for name, value in params.items():
            if name not in _PARAMETERS:
                raise OptionError(f"no option {name!r}; there are {', '.join(_PARAMETERS)}")
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there are examples."""
        return hasattr(self, "fits_")

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: a classifier of texts."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(string=True, two_d_array=False, one_d_array=True),
        )

    def __repr__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return "<Labeller without examples>"
        return f"<Labeller of {len(self.classes_)} labels from {len(self.evidence_.texts):,} examples>"


_PARAMETERS: Final = ("vectors", "refuse", "rules", "seed", "embeddings")


def _check_refuse(refuse: float) -> None:
    if not 0 <= refuse < 1:
        raise OptionError(f"refuse = {refuse}: give a share from 0 (every text gets a label) to below 1")


def _checked(texts: Sequence[Any]) -> list[str]:
    """Return texts as a list; refuse a value that is no text."""
    listed = list(texts)
    for i, text in enumerate(listed):
        if not isinstance(text, str):
            raise InputError(f"text {i + 1:,} is a {type(text).__name__} ({text!r}): give texts")
    return listed


# Which texts a person should label next: those that represent many texts whose label is in doubt.
# A text represents another to the degree that their mean vectors agree (cosine squared). The doubt about a text is the
# chance that its likeliest label is wrong. Each time the text is taken that covers most of the doubt that the examples
# and the texts taken before do not cover.

_MOST_COMPARED: Final = 4000  # so many texts, the most doubtful, are compared with each other
# Gains that differ by less count as equal, since sums differ between processors; then the earlier text comes first.
_EQUAL_GAINS: Final = 1e-6


def choose(P: Floats, vectors: Floats, n: int, examples: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return `n` texts in the order in which to label them, and how much doubt each covers in addition.

    `vectors` and `examples` are mean vectors of the texts and of the examples, of unit length.
    """
    doubt = 1 - P.max(axis=1)
    places = np.sort(np.argsort(-np.round(doubt / _EQUAL_GAINS), kind="stable")[:_MOST_COMPARED])
    likeness = np.square(np.maximum(vectors[places] @ vectors[places].T, 0))
    np.fill_diagonal(likeness, 1.0)  # even a text without vectors represents itself
    covered = _covered(vectors[places], examples)
    taken: list[int] = []
    covers: list[float] = []
    for _ in range(min(n, len(places))):
        more = np.maximum(likeness - covered, 0) @ doubt[places]
        more[taken] = -1
        best = int((more >= more.max() - _EQUAL_GAINS).argmax())
        taken.append(best)
        covers.append(float(more[best]))
        covered = np.maximum(covered, likeness[best])
    return places[taken], np.minimum.accumulate(covers)


def _covered(vectors: Floats, examples: Floats) -> Floats:
    """Return to what degree the examples represent each text."""
    out = np.zeros(len(vectors))
    for start in range(0, len(examples), _MOST_COMPARED):
        out = np.maximum(out, (vectors @ examples[start : start + _MOST_COMPARED].T).max(axis=1))
    return np.square(out)


# Why a text has a label: what each of its words and pairs of words adds to the label's score.

_NEAR: Final = 0.4  # cosine of refined vectors from which a word "stands near" another


@dataclass(frozen=True, eq=False)
class _Scores:
    """The scores of texts, by kind and word, and the factor (`scale`) by which the words add up to the score."""

    kinds: list[list[WordScores]]
    scores: Floats
    probabilities: Floats
    start: Floats
    scale: Floats


def _explained(
    labeller: Labeller, texts: Sequence[str], counted: TextCounts, columns: Sequence[int] | None
) -> list[LabelReasons]:
    """Explain a label of each text: those of `columns`, or the likeliest."""
    found = _scored(labeller, counted)
    best = found.probabilities.argmax(axis=1) if columns is None else np.asarray(columns)
    out = []
    for i, (text, column) in enumerate(zip(texts, best.tolist(), strict=True)):
        words, by_kind = _reasons(labeller, counted, found, i, column)
        out.append(
            LabelReasons(
                text,
                labeller.names_[column],
                float(found.probabilities[i, column]),
                float(found.scores[i, column]),
                float(found.start[i, column]),
                words,
                by_kind,
            )
        )
    return out


def _scored(labeller: Labeller, counted: TextCounts) -> _Scores:
    evidence, several = labeller.evidence_, labeller.several_
    start = np.sum(evidence.constants, axis=0)[None]
    kinds = evidence.word_scores(counted)
    if several is None:
        kinds = [[WordScores(p.amounts, _centred(p.adds), p.pairs) for p in parts] for parts in kinds]
        start = _centred(start)
    plain = start + sum(part.total for parts in kinds for part in parts)
    if several is not None:
        scale = np.full(len(counted), several.slope)
        start = np.repeat(several.log_odds(start), len(counted), axis=0)
        return _Scores(kinds, several.log_odds(plain), several.probabilities(plain), start, scale)
    scores = temper(plain, evidence.spread)
    scale = np.abs(scores).sum(axis=1) / np.maximum(np.abs(plain).sum(axis=1), 1e-300)
    return _Scores(kinds, scores, softmax(scores), scale[:, None] * start, scale)


def _reasons(
    labeller: Labeller, counted: TextCounts, found: _Scores, i: int, column: int
) -> tuple[tuple[Reason, ...], dict[str, float]]:
    """Return what each word and pair of text `i` adds to a label's score, the most first, and what each kind adds."""
    own = {pairs: _row(counted.pair_counts if pairs else counted.counts, i) for pairs in (False, True)}
    adds = {pairs: np.zeros(len(places)) for pairs, (places, _) in own.items()}
    by_kind = dict.fromkeys(KINDS, 0.0)
    for name, parts in zip(KINDS, found.kinds, strict=True):
        for part in parts:
            places, held = _row(part.amounts, i)
            given = found.scale[i] * held * part.adds[places, column]
            by_kind[name] += float(given.sum())
            adds[part.pairs][np.searchsorted(own[part.pairs][0], places)] += given
    words = [
        _reason(labeller, counted, int(place), int(times), float(added), column)
        for place, times, added in zip(*own[False], adds[False], strict=True)
    ]
    pairs = [
        _pair(labeller, counted, int(place), int(times), float(added), column)
        for place, times, added in zip(*own[True], adds[True], strict=True)
        if added
    ]
    return tuple(sorted(words + pairs, key=lambda reason: -reason.adds)), by_kind


def _reason(
    labeller: Labeller, counted: TextCounts, place: int, times: int, adds: float, column: int
) -> Reason:
    words, evidence = counted.words, labeller.evidence_
    word, content = words.words[place], bool(words.content[place])
    seen = evidence.times(word, column)
    kind = "content" if content else "punctuation" if words.lexicon.punctuation[place] else "function"
    near = None if seen or not content else evidence.carrier(words.vectors[place], column, _NEAR)
    carried, distance = near or (None, None)
    return Reason(word, adds, kind, carried, distance, counts=(times, seen))


def _pair(
    labeller: Labeller, counted: TextCounts, place: int, times: int, adds: float, column: int
) -> Reason:
    pair = counted.pairs.words[place]
    return Reason(pair, adds, PAIR, counts=(times, labeller.evidence_.times(pair, column, pairs=True)))


def _row(table: sparse.csr_array, i: int) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return the columns of a row in ascending order, and its values."""
    table.sort_indices()
    span = slice(table.indptr[i], table.indptr[i + 1])
    return table.indices[span], table.data[span]


def _centred(scores: Floats) -> Floats:
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))
