"""Labelling texts by divergence, with the interface of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from lexicloud.authorship.combined import about_as_long, explain_lead
from lexicloud.authorship.features import WordTable
from lexicloud.authorship.scoring import (
    COMBINED,
    RULE,
    KnownCombined,
    best_two,
    category_scores,
    check_rule,
    scoring_method,
)
from lexicloud.corpus import Corpus
from lexicloud.divergences.base import check_labels
from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Facts, Sentence
from lexicloud.text import DEFAULT_RULES, TokenRules, tokenize
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lexicloud.authorship.scoring import ScoringMethod
    from lexicloud.divergences.base import Method
    from lexicloud.vectors import WordVectors

    Floats = NDArray[np.float64]


class DivergenceClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Give a text the label of the known texts from which it diverges least.

    `method` is "combined" (words, frequent words and characters), the name of a divergence method, or a
    method made with its own options (`Smoothed(kappa=300)`); `k` is the k of "knn". `rule` is
    "category-mean", the label whose texts are closest on average, "nearest", the label of the closest
    text, or "between", the mean of both. `standardise` compares the divergence of a pair with what is usual for
    both texts (not for "combined"); what is usual is learnt from the training texts alone. A label with one
    training text can be predicted. `rules` say how text becomes words: `TokenRules(language="french")` for other
    languages, with vectors of that language.

    >>> texts = ["the cat sat on the mat", "a dog and a cat", "stocks fell sharply", "the market and its shares"]
    >>> model = DivergenceClassifier().fit(texts, ["pets", "pets", "money", "money"])
    >>> model.predict(["kittens and puppies", "investors sold bonds"]).tolist()
    ['pets', 'money']
    """

    def __init__(
        self,
        method: str | Method = COMBINED,
        rule: str = RULE,
        k: int | None = None,
        vectors: WordVectors | str | Path | None = None,
        *,
        rules: TokenRules = DEFAULT_RULES,
        standardise: bool = True,
        symmetric: bool = False,
    ) -> None:
        self.method = method
        self.rule = rule
        self.k = k
        self.vectors = vectors
        self.rules = rules
        self.standardise = standardise
        self.symmetric = symmetric

    def fit(self, texts: Iterable[str], labels: Iterable[Any]) -> Self:
        """Learn from texts (strings) and their labels."""
        known, given = _texts(texts, "training text"), _one_kind(labels)
        if len(known) != len(given):
            raise OptionError(f"{len(known)} texts but {len(given)} labels: give one label each")
        check_rule(self.rule)
        missing = [i for i, label in enumerate(given) if label is None or label != label]  # noqa: PLR0124
        if missing:
            raise OptionError(f"training text {missing[0]} has no label ({given[missing[0]]}): leave it out")
        self.classes_ = np.unique(np.asarray(given))
        if len(self.classes_) < 2:
            raise OptionError(
                f"all {len(known)} texts have the label '{given[0]}': at least two labels are needed"
            )
        corpus = Corpus.from_texts(known, vectors=self.vectors, rules=self.rules)
        scoring = scoring_method(
            self.method,
            standardise=self.standardise,
            symmetric=self.symmetric,
            **({} if self.k is None else {"k": self.k}),
        )
        self.known_, self.labels_ = scoring.fit(corpus), given
        for problem in self.known_.problems().values():
            raise EstimateError(problem)
        self.sharpness_ = self._calibrate(scoring)
        return self

    def decision_function(self, texts: Iterable[str]) -> Floats:
        """Return texts × classes: the score of each class, negated so that more is better.

        With two classes there is one column, positive for the second class, as in scikit-learn.
        """
        found = -self._categories(texts)
        return found if len(self.classes_) > 2 else found[:, 1] - found[:, 0]

    def predict(self, texts: Iterable[str]) -> NDArray[Any]:
        """Return the label of each text."""
        best = self._categories(texts).argmin(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, texts: Iterable[str]) -> Floats:
        """Return the probability of each class: a softmax of the scores.

        Its sharpness maximises the likelihood of the training labels, each text left out in turn.
        """
        found = self._categories(texts)
        return _softmax(-self.sharpness_ * found)

    def explain(
        self, text: str, first: Any = None, second: Any = None, top: int | None = 10
    ) -> tuple[Reason, ...]:
        """Return what speaks for a class against another one, or against all others together, largest first.

        `first` is the predicted class by default. All values (`top=None`) add up to the lead of the first. Only
        method "combined" without vectors can explain: with long texts, or with `vectors="none"`.
        """
        check_is_fitted(self, "known_")
        known = self.known_
        if not isinstance(known, KnownCombined) or self.method != COMBINED or known.latent:
            raise OptionError(
                "only method 'combined' without vectors explains itself: fit with vectors='none'"
            )
        chosen = self.predict([text])[0] if first is None else first
        words = [known.corpus.rules.normalise(token) for token in tokenize(text, known.corpus.rules)]
        table, labels = WordTable.of_tokens([words]), list(self.labels_)
        for label in (chosen, second):
            if label is not None and label not in labels:
                raise OptionError(f"no class {label!r}: choose from {', '.join(map(str, self.classes_))}")
        alike = about_as_long(table.lengths, known.corpus.lengths)[0]
        return explain_lead(
            known.scorer,
            WordTable.of(known.corpus),
            labels,
            table,
            chosen,
            second,
            rule=self.rule,
            top=top,
            usual=known.usual(labels) if alike else None,
        )

    def _categories(self, texts: Iterable[str]) -> Floats:
        check_is_fitted(self, "known_")
        fresh = {f"text {i}": text for i, text in enumerate(_texts(texts, "text"))}
        known = self.known_
        new = Corpus.from_texts(fresh, vectors=self.vectors, rules=known.corpus.rules)
        _require_known_words(known.corpus, new)
        return category_scores(known.score(new, self.labels_), self.labels_, list(self.classes_), self.rule)

    def _calibrate(self, scoring: ScoringMethod) -> float:
        """Return the sharpness under which the labels of the training texts, each left out in turn, are likeliest."""
        labels = self.labels_
        if len(labels) < 4:
            return 1.0
        Z = scoring.left_out_of(self.known_.measured, labels, self.known_.corpus.lengths)
        found = category_scores(Z, labels, list(self.classes_), self.rule)
        right = np.searchsorted(self.classes_, labels)
        rows = np.flatnonzero(np.isfinite(found[np.arange(len(labels)), right]))
        if not len(rows):
            return 1.0
        return _sharpest(np.where(np.isfinite(found[rows]), found[rows], 1e9), right[rows])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags


def _one_kind(labels: Iterable[Any]) -> list[Any]:
    """Return labels as a list, after checking that they are of one kind: NumPy would turn mixed ones into strings."""
    given = labels.ravel().tolist() if isinstance(labels, np.ndarray) else list(labels)
    check_labels(given)
    return list(np.asarray(given).ravel())


def _texts(texts: Iterable[str], what: str) -> list[str]:
    if isinstance(texts, str):
        raise OptionError("texts are a list of strings, not one string: write [text]")
    found = list(texts)
    if not found:
        raise OptionError(f"there is no {what}")
    for i, text in enumerate(found):
        if not isinstance(text, str):
            raise OptionError(f"{what} {i} is a {type(text).__name__}, not a string")
        if not text.strip():
            raise EstimateError(f"{what} {i} is empty: remove it")
    return [str(text) for text in found]


def _require_known_words(known: Corpus, new: Corpus) -> None:
    """Refuse a text none of whose words is in the training texts or in the vectors."""
    ids = known.vocabulary.ids
    familiar = np.array([word in ids for word in new.vocabulary]) | new.embedded
    for row, name in enumerate(new.names):
        tokens = new.tokens(row)
        if not familiar[tokens].any():
            raise EstimateError(
                f"{name} has no word that the training texts or the vectors {known.lexicon.source!r} know "
                f"({len(tokens)} tokens): leave it out or use other vectors"
            )


def _sharpest(found: Floats, right: NDArray[np.int64]) -> float:
    from scipy.optimize import minimize_scalar

    # Platt's targets: n right labels are evidence for a probability of (n + 1) / (n + 2), not of 1.
    sure = (len(right) + 1) / (len(right) + 2)
    hits = np.arange(len(right)), right

    def loss(log_sharpness: float) -> float:
        chances = np.maximum(_softmax(-np.exp(log_sharpness) * found), 1e-12)
        missed = np.log(np.maximum(1 - chances[hits], 1e-12))
        return -float((sure * np.log(chances[hits]) + (1 - sure) * missed).mean())

    # The bounds reach from hardly any preference to certainty: standardised scores differ by about one.
    return float(np.exp(minimize_scalar(loss, bounds=(-4.0, 4.0), method="bounded").x))


def _softmax(values: Floats) -> Floats:
    values = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(values / values.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class Guess(Result):
    """The label of a text that has none: the best, the runner-up, the margin, and the closest known texts."""

    name: str
    found: str
    runner_up: str
    margin: float
    nearest: tuple[str, ...]

    def blocks(self) -> list[Block]:
        """Return whose text it is nearest to, and by how much."""
        return [
            Sentence(f"{self.name} is nearest to {self.found}, before {self.runner_up}.", "answer"),
            Facts(
                (("ahead by", f"{self.margin:.2f} deviations"), ("nearest texts", ", ".join(self.nearest)))
            ),
        ]


def label_unknown(
    known: Corpus,
    labels: Sequence[str],
    new: Corpus,
    *,
    method: str | Method = COMBINED,
    rule: str = RULE,
    standardise: bool = True,
    symmetric: bool = False,
    **options: Any,
) -> tuple[Guess, ...]:
    """Label the texts of `new` by those of `known`; a label with a single text can be found."""
    classes = sorted(set(labels))
    if len(classes) < 2:
        raise EstimateError(f"all {len(labels)} known texts have one label: at least two labels are needed")
    scoring = scoring_method(method, standardise=standardise, symmetric=symmetric, **options)
    scores = scoring.fit(known).score(new, labels)
    found = category_scores(scores, labels, classes, rule)
    best, second, margins = best_two(found)
    nearest = np.argsort(scores, axis=1, kind="stable")[:, :3]
    return tuple(
        Guess(name, classes[b], classes[s], float(m), tuple(known.names[j] for j in near))
        for name, b, s, m, near in zip(new.names, best, second, margins, nearest, strict=True)
    )
