"""The two sides of a question beside a reference: whether the reference can judge them, and what it finds.

A reference can judge sides that are long enough, use its words, and are of its kind. Then passages as long as the sides
are drawn from every author of the reference, four times, and the sides are scored, ranked and explained beside them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.authorship.combined import z_scores
from lexicloud.authorship.impostors import CHUNK, LEAST, Chunked, Population
from lexicloud.authorship.outside import share_as_far
from lexicloud.authorship.pairs import FREQUENT, Setting, View, as_table
from lexicloud.errors import EstimateError
from lexicloud.say.blocks import many, percent
from lexicloud.text import TokenRules, tokenize
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.authorship.features import WordTable

    Floats = NDArray[np.float64]

# With fewer words in a side nothing is reliable.
RELIABLE: Final = 100
# From this cosine on two passages share a text; other books of one author stay below.
COPY: Final = 0.8
# How many times impostors are drawn.
DRAWS: Final = 4
# Texts of one language have the words of the sides at least this often, compared with the text that has most.
SPOKEN: Final = 1 / 3
# A side must have at least this share of what is usual in the reference; see `fit_of`.
FITS: Final = 0.75
# The least lead in log likelihood per word of the reference's word shares over those of another kind: nine in ten
# modern stories of 1,000 words have it, and one in ten of news, essays and addresses.
KIND: Final = 0.3
# The least share of pairs of the reference's own passages that lie as far outside as the sides do. The built-in
# reference lowers its ratios for what modern stories share, so that these may lie farther out.
OUTSIDE: Final = 0.05
OUTSIDE_OLDER: Final = 0.01
# How many of the strongest features are named; the rest is one more reason, so that all add up.
NAMED: Final = 300
REST: Final = "all else"


@dataclass(frozen=True, eq=False)
class Question:
    """The two sides, and passages of the reference drawn several times in the same way."""

    setting: Setting
    known: Chunked
    unknown: Chunked
    drawn: tuple[tuple[WordTable, WordTable], ...]  # in each: the sides first, then one row for each author
    notes: tuple[str, ...] = ()
    tokens: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, sides: tuple[list[list[str]], list[str]], population: Population, seed: int = 0) -> Question:
        """Count both sides, leave out impostors that share a text with them, and draw passages from all."""
        known, unknown = population.counted(sides[0]), population.counted([sides[1]])
        tokens = int(known.lengths.sum()), int(unknown.lengths.sum())
        kept, notes = _without_copies(population, (known, unknown))
        return cls.between(known, unknown, kept, seed, notes=notes, tokens=tokens)

    @classmethod
    def between(
        cls, known: Chunked, unknown: Chunked, population: Population, seed: int = 0, **about: Any
    ) -> Question:
        """Return the question of two sides that are counted already, over the words of the population."""
        lengths = float(known.lengths.sum()), float(unknown.lengths.sum())
        setting = Setting.of(population, len(known), *lengths, asked=(known.whole, unknown.whole))
        rng, drawn = np.random.default_rng(seed), []
        for _ in range(DRAWS):
            others = setting.draw(rng)
            own = [
                as_table(population.features, [side.draw(range(len(side)), words, rng)])
                for side, words in ((known, setting.known), (unknown, setting.unknown))
            ]
            drawn.append((joined(own[0], others[0]), joined(own[1], others[1])))
        return cls(setting, known, unknown, tuple(drawn), **about)

    @cached_property
    def z(self) -> tuple[tuple[tuple[Floats, Floats], ...], ...]:
        """The z-scores of known and unknown sides, for each kind of features and each draw."""
        return tuple(tuple((view.z(y), view.z(x)) for y, x in self.drawn) for view in self.setting.views)

    def rank(self) -> tuple[int, int]:
        """Return the rank of the unknown text among the impostors' by closeness to the known ones, and how many ranks.

        Under the hypothesis that an author like theirs wrote it, all places are equally likely: it is one passage
        among one of each of them, and what is usual is learnt from these passages alone. The mean over several
        passages of each would vary less than one text does, which would then be first or last too often.
        """
        others = self.drawn[0][1]
        total = np.zeros(len(others.lengths))
        for view in self.setting.views:
            row = np.mean([view.among(others, known.rows([0])) for known, _ in self.drawn], axis=0)
            total += (row - row.mean()) / max(float(row.std()), 1e-12)
        return int((total >= total[0]).sum()), len(total)

    def parts(self) -> list[Floats]:
        """Return what each feature adds to the score, for each kind of features."""
        return [self._parts_of(drawn) / len(self.z) for drawn in self.z]

    def _parts_of(self, drawn: Sequence[tuple[Floats, Floats]]) -> Floats:
        total = np.zeros(drawn[0][0].shape[1])
        for k, u in drawn:
            own = k * u / (len(k) - 1)
            for one, others in ((k[0], u), (u[0], k)):
                parts = others * one
                parts[1:] += own[0] + own[1:]
                spread = max(float(parts[1:].sum(axis=1).std()), 1e-12)
                total += (parts[0] - parts[1:].mean(axis=0)) / spread / 2
        return np.asarray(total / len(self.drawn))

    def reasons(self, values: Sequence[Floats]) -> tuple[Reason, ...]:
        """Return the strongest features with what they add, and how often the sides and the reference have them.

        Rates are per thousand words, or sequences. The sum of all other features comes last.
        """
        found: list[Reason] = []
        for view, each in zip(self.setting.views, values, strict=True):
            strongest = np.argsort(-np.abs(each), kind="stable")[:NAMED]
            sides = [1000 * view.shares(side.whole_side)[0][0] for side in (self.known, self.unknown)]
            rates = np.stack([*sides, 1000 * view.mean])
            found += [
                Reason(
                    view.features[i],
                    float(each[i]),
                    "characters" if view.sizes is not None else kind_of(view.features[i]),
                    rates=tuple(rates[:, i].tolist()),
                )
                for i in strongest.tolist()
                if each[i]
            ]
        found = sorted(found, key=lambda reason: -abs(reason.adds))[:NAMED]
        rest = sum(float(each.sum()) for each in values) - sum(reason.adds for reason in found)
        return (*found, Reason(REST, rest, "rest")) if found else ()

    def about_lengths(self) -> tuple[str, ...]:
        """Return a note for each side of which only a part is compared."""
        pairs = zip(
            ("known texts", "unknown text"),
            self.tokens,
            (self.setting.known, self.setting.unknown),
            strict=True,
        )
        return tuple(
            f"of the {what} {used:,.0f} of {there:,} words are compared, as many as the other hands have"
            for what, there, used in pairs
            if used < there - CHUNK
        )


def joined(first: WordTable, second: WordTable) -> WordTable:
    """Return the rows of two tables over the same words."""
    return replace(
        second,
        counts=sparse.csr_array(sparse.vstack([first.counts, second.counts])),
        lengths=np.concatenate([first.lengths, second.lengths]),
        names=(*first.names, *second.names),
    )


def kind_of(word: str) -> str:
    """Return "pair", "content" (a word) or "punctuation"."""
    if " " in word:
        return "pair"
    return "content" if any(c.isalnum() for c in word) else "punctuation"


def fit_of(sides: Sequence[Chunked], population: Population) -> tuple[float, float]:
    """Return the lower share of the two sides' words that are frequent in the reference, and the usual share.

    Punctuation does not count. The usual share is the median over the reference's own texts.
    """
    words = population.words[:FREQUENT]
    listed = np.array([kind_of(word) != "punctuation" for word in words])
    shares = []
    for texts in (*(side.whole for side in sides), population.chunked.whole):
        all_marks = np.array([kind_of(word) == "punctuation" for word in texts.words])
        counts = texts.counts
        marks = np.asarray(counts @ all_marks.astype(float))
        among = np.asarray(texts.over(words) @ listed.astype(float))
        shares.append(among / np.maximum(texts.lengths - marks, 1))
    least = min(
        float(np.average(each, weights=side.lengths)) for each, side in zip(shares, sides, strict=False)
    )
    return least, float(np.median(shares[-1]))


def sides_of(known: Sequence[str], unknown: str, rules: TokenRules) -> tuple[list[list[str]], list[str]]:
    """Return the words and punctuation marks of both sides; refuse an empty side."""
    first = [[rules.normalise(t) for t in tokenize(text, rules)] for text in known]
    second = [rules.normalise(t) for t in tokenize(unknown, rules)]
    for tokens, what in ((sum(map(len, first)), "known texts have"), (len(second), "unknown text has")):
        if not tokens:
            raise EstimateError(f"the {what} no words")
    return [tokens for tokens in first if tokens], second


def too_short(sides: tuple[list[list[str]], list[str]]) -> str:
    """Return a sentence that says which side has too few words; empty where both have enough."""
    counts = [
        sum(kind_of(token) != "punctuation" for text in texts for token in text)
        for texts in (sides[0], [sides[1]])
    ]
    short = min(counts)
    if short >= RELIABLE:
        return ""
    what = ("known texts have", "unknown text has")[counts.index(short)]
    return f"the {what} {many(short, 'word')}, and under {RELIABLE} nobody can tell: give longer texts"


def in_their_language(sides: tuple[list[list[str]], list[str]], population: Population) -> Population:
    """Leave out authors of the reference whose texts hardly have the words of the sides: they write another language.

    Beside texts of another language any two of one language look alike.
    """
    asked = {word for text in (*sides[0], sides[1]) for word in text}
    foreign = _foreign_to(asked, population)
    if not foreign:
        return population
    note = f"left {many(len(foreign), 'author')} out of the reference: their texts seem to be in another language"
    kept = population.rows([i for i, author in enumerate(population.authors) if author not in set(foreign)])
    return replace(kept, notes=(*population.notes, note))


def in_other_languages(population: Population) -> int:
    """Return how many authors seem to write another language than that of the longest text."""
    whole = population.chunked.whole
    words = whole.counts[[int(whole.lengths.argmax())]].indices
    return len(_foreign_to({population.features[i] for i in words.tolist()}, population))


def _foreign_to(asked: set[str], population: Population) -> list[str]:
    """Return the authors whose texts hardly have some words, compared with those that have them most."""
    content = np.array([kind_of(word) == "content" for word in population.features])
    common = content & np.array([word in asked for word in population.features])
    counts = population.chunked.whole.counts
    share = np.asarray(counts @ common.astype(float)) / np.maximum(
        np.asarray(counts @ content.astype(float)), 1.0
    )
    best = {author: float(share[list(rows)].max()) for author, rows in population.members.items()}
    return [author for author, most in best.items() if most < SPOKEN * max(best.values())]


def does_not_fit(sides: tuple[list[list[str]], list[str]], population: Population) -> str:
    """Return a sentence that says how the reference differs from a side in language or kind; empty if it fits."""
    counted = [population.counted(texts) for texts in (sides[0], [sides[1]])]
    share, usual = fit_of(counted, population)
    if share >= FITS * usual:
        return _of_another_kind(counted, population) or _far_outside(counted, population)
    return (
        f"the reference ({population.name}) has too few of the words of these texts: {percent(share)} of them are "
        f"among its frequent words, {percent(usual)} are usual. Give texts by other hands in the language and of "
        "the kind of these"
    )


def _of_another_kind(sides: Sequence[Chunked], population: Population) -> str:
    """Return a sentence that says which side is of another kind than the reference; empty if none is known to be."""
    if population.elsewhere is None:
        return ""
    words = len(population.elsewhere)
    usual = np.asarray(population.chunked.whole.shares().mean(axis=0)).ravel()[:words]
    lead = np.log((usual + 1e-6) / (np.array(population.elsewhere) + 1e-6))
    for side, what in zip(sides, ("known texts are", "unknown text is"), strict=True):
        counts = np.asarray(side.table.counts.sum(axis=0), dtype=np.float64).ravel()[:words]
        if float(counts @ lead) < KIND * side.lengths.sum():
            return (
                f"the {what} less like the reference ({population.about.split(';')[0]}) than like speeches and essays, "
                "any two of which look alike compared with it: give texts by other hands of the kind of these"
            )
    return ""


def _far_outside(sides: Sequence[Chunked], population: Population) -> str:
    """Return a sentence that says that the sides lie outside what the reference looks like; empty if they do not."""
    share = share_as_far(sides, population)
    if share >= (OUTSIDE_OLDER if population.kinship else OUTSIDE):
        return ""
    return (
        f"the texts seem to be of another kind or time than the reference ({population.name}): {percent(share, 1)} of "
        "pairs of its own passages lie as far outside it, and any two texts of another kind look alike beside it. Give "
        "texts by other hands of the kind and time of these"
    )


def _without_copies(population: Population, sides: Sequence[Chunked]) -> tuple[Population, tuple[str, ...]]:
    """Leave out authors who share a text with a side: they would be closer than any other author can be."""
    view = View.of_words(population, (), 0.0)
    z = [
        z_scores(*view.shares(whole), view.mean, view.deviation)
        for whole in (population.chunked.whole, *(side.whole for side in sides))
    ]
    close = np.max([z[0] @ one for side in z[1:] for one in side], axis=0)
    copies = {population.authors[i] for i in np.flatnonzero(close > COPY)}
    if not copies:
        return population, ()
    kept = population.rows([i for i, author in enumerate(population.authors) if author not in copies])
    if len(kept.members) < LEAST:
        raise EstimateError(
            f"{len(kept.members)} impostors are left of {len(population.members)}, but {LEAST} are needed: "
            "give a larger reference"
        )
    notes = (
        f"left {author} out of the reference: it seems to share a text with these"
        for author in sorted(copies)
    )
    return kept, tuple(notes)
