"""The features that stylometrists choose from: frequent words, culled, with kinds of words left out; or characters.

`settings` makes the grid of them, and `choose_features` tries it: which setting labels the known texts best, and how
well that way of choosing does on texts that took no part in the choice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.divergences.attribution.combined import Spelling
from lexicloud.divergences.attribution.leave_one_out import equal_sizes
from lexicloud.divergences.attribution.rules import RULE, category_scores, check_rule
from lexicloud.divergences.attribution.word_table import WordTable
from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import Result, TabularResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

# Pronouns follow the point of view of a text, not its author, which is why stylometrists leave them out.
PRONOUNS: Final = {
    "english": """i me my mine myself we us our ours ourselves you your yours yourself yourselves thou thee thy thine
        he him his himself she her hers herself it its itself they them their theirs themselves""",
    "french": """je j' me m' moi mon ma mes mien mienne tu te t' toi ton ta tes tien tienne il elle on lui le la l' les
        leur leurs se s' soi son sa ses sien sienne nous notre nos vous votre vos ils elles eux""",
    "german": """ich mich mir mein meine meiner meinem meinen du dich dir dein deine deiner deinem deinen er ihn ihm
        sein seine seiner seinem seinen sie ihr ihre ihrer ihrem ihren es wir uns unser unsere euch euer eure sich""",
    "spanish": """yo me mí mi mis mío mía tú te ti tu tus tuyo tuya él lo le se sí su sus suyo suya ella la nosotros nos
        nuestro nuestra nuestros nuestras vosotros os vuestro vuestra ellos ellas los las les usted ustedes""",
}


@dataclass(frozen=True)
class Features(Result):
    """What Delta looks at: words from the `first` to the `last` in frequency, if in at least `culling` of the texts.

    `pronouns`, `punctuation` and `names` leave those out where False; `function` keeps stop words alone;
    `characters` looks at sequences of so many characters inside words instead.
    """

    last: int = 1000
    first: int = 1
    culling: float = 0.0
    pronouns: bool = True
    punctuation: bool = True
    names: bool = True
    function: bool = False
    characters: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise OptionError(
                f"the range of frequent words is from {self.first} to {self.last}: begin before the end"
            )
        if not 0 <= self.culling <= 1:
            raise OptionError(f"culling is a share of the texts between 0 and 1, not {self.culling}")

    def table(self, corpus: Corpus) -> WordTable:
        """Return the counts of the features; shares are of all tokens, as ever."""
        kept = np.ones(len(corpus.vocabulary), dtype=bool)
        if not self.punctuation:
            kept &= ~corpus.punctuation
        if self.function:
            kept &= corpus.stopwords
        if not self.pronouns:
            left_out = set(_pronouns(corpus.rules.language))
            kept &= np.array([word not in left_out for word in corpus.vocabulary])
        if not self.names:
            kept &= ~names(corpus)
        texts = _columns(WordTable.of(corpus), np.flatnonzero(kept))
        if self.characters is not None:
            texts = Spelling.of(texts.words, self.characters).table(texts)
        return self._ranked(texts)

    def _ranked(self, texts: WordTable) -> WordTable:
        order = np.argsort(-texts.totals, kind="stable")[self.first - 1 : self.last]
        present = np.asarray((texts.counts[:, order] > 0).sum(axis=0)).ravel()
        chosen = order[(present >= self.culling * len(texts)) & (texts.totals[order] > 0)]
        if len(chosen) < 2:
            raise EstimateError(f"{len(chosen)} features are left: cull less, or take a wider range of words")
        return _columns(texts, chosen)

    def distances(self, corpus: Corpus) -> Floats:
        """Return Cosine Delta of all pairs on these features."""
        shares = self.table(corpus).shares().toarray()
        deviation = shares.std(axis=0)
        z = (shares - shares.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
        sizes = np.linalg.norm(z, axis=1, keepdims=True)
        z /= np.where(sizes > 0, sizes, 1.0)
        return np.asarray(1 - z @ z.T)


def settings(**choices: Iterable[Any]) -> tuple[Features, ...]:
    """Return all combinations of settings.

    >>> [f.last for f in settings(last=(100, 500), culling=(0.0,))]
    [100, 500]
    """
    return tuple(Features(**dict(zip(choices, values, strict=True))) for values in product(*choices.values()))


@dataclass(frozen=True)
class Tried(Result):
    """A setting, and the share of texts that it labels right when they are left out."""

    features: Features
    accuracy: float


@dataclass(frozen=True)
class Choice(TabularResult):
    """The best setting, and the honest share: of texts labelled right by settings chosen without them.

    The best of many settings is partly the luckiest: its own share promises too much.
    """

    _table = "tried"

    best: Features
    honest: float
    tried: tuple[Tried, ...]

    def __str__(self) -> str:
        luckiest = max(each.accuracy for each in self.tried)
        return f"best of {len(self.tried)} settings {luckiest:.0%}, honestly {self.honest:.0%}"


def choose_features(
    corpus: Corpus, grid: Sequence[Features], labels: Sequence[str] | None = None, *, rule: str = RULE
) -> Choice:
    """Try settings on texts with labels, and say honestly how good such a choice is (nested cross-validation)."""
    check_rule(rule)
    given = [str(label) for label in (labels if labels is not None else corpus.labels or ())]
    if len(given) != len(corpus):
        raise OptionError(f"{len(given)} labels for {len(corpus)} texts: give one label each")
    if not grid:
        raise OptionError("no settings are given: make some with settings(last=(100, 500, 1000))")
    measured = [features.distances(corpus) for features in grid]
    right = np.stack([_right(D, given, range(len(given)), rule) for D in measured])
    tried = tuple(Tried(f, float(np.nanmean(r))) for f, r in zip(grid, right, strict=True))
    best = grid[int(np.nanmean(right, axis=1).argmax())]
    return Choice(best, _honest(measured, given, right, rule), tried)


def _right(D: Floats, labels: Sequence[str], rows: Sequence[int], rule: str) -> Floats:
    """Tell which texts are labelled right by the others of `rows`; nan for a label with one text."""
    part, theirs = D[np.ix_(rows, rows)].copy(), [labels[i] for i in rows]
    np.fill_diagonal(part, np.nan)
    classes = sorted(set(theirs))
    found = category_scores(equal_sizes(part, theirs), theirs, classes, rule).argmin(axis=1)
    hits = np.array([classes[c] == label for c, label in zip(found, theirs, strict=True)], dtype=np.float64)
    return np.where([theirs.count(label) > 1 for label in theirs], hits, np.nan)


def _honest(measured: Sequence[Floats], labels: Sequence[str], right: Floats, rule: str) -> float:
    """Choose for every text without it, and see whether the choice labels it right."""
    hits = []
    for i in np.flatnonzero(np.isfinite(right[0])).tolist():
        others = [j for j in range(len(labels)) if j != i]
        inner = [np.nanmean(_right(D, labels, others, rule)) for D in measured]
        hits.append(right[int(np.argmax(inner)), i])
    return float(np.mean(hits)) if hits else float("nan")


def names(corpus: Corpus) -> NDArray[np.bool_]:
    """Tell which words are names: hardly ever written small, and seen large inside a sentence."""
    from lexicloud.text import tokenize

    if corpus.texts is None:
        raise OptionError(
            "the corpus keeps no texts to find names in: build it with from_texts or from_folder"
        )
    ids, large, small = (
        corpus.vocabulary.ids,
        np.zeros(len(corpus.vocabulary)),
        np.zeros(len(corpus.vocabulary)),
    )
    for text in corpus.texts:
        before = "."
        for token in tokenize(text, corpus.rules):
            word = ids.get(corpus.rules.normalise(token), -1)
            if word >= 0 and token[:1].islower():
                small[word] += 1
            elif word >= 0 and token[:1].isupper() and before[-1:].isalpha() | (before == ","):
                large[word] += 1
            before = token
    return np.asarray((large > 0) & (small < 0.1 * large))


def _pronouns(language: str) -> list[str]:
    if language not in PRONOUNS:
        raise OptionError(f"no list of pronouns for {language}: there are {', '.join(PRONOUNS)}")
    return PRONOUNS[language].split()


def _columns(texts: WordTable, chosen: NDArray[Any]) -> WordTable:
    words = tuple(texts.words[i] for i in chosen.tolist())
    return replace(texts, words=words, counts=texts.counts[:, chosen])
