"""What gives a writer away, or keeps a draft from a style: words, punctuation and spellings, the strongest first.

A feature points to an author if it adds to the lead over all others together (see `combined`). For a content word it
proposes the nearest word by meaning that others use and the author does not prefer or, towards a chosen author, the
other way round. Names are left out. To see what a change does, a word is replaced, or made as rare as it is in the
other texts, and the model is asked again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.authorship.features import WordTable
from lexicloud.authorship.model import AttributionModel, passages, train, visible
from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import TabularResult
from lexicloud.say.blocks import (
    Block,
    Facts,
    Passage,
    Passages,
    Sentence,
    listed,
    number,
    percent,
    signed,
    table,
)
from lexicloud.text import TokenRules, stopwords, tokenize
from lexicloud.words.kinds import KINDS
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lexicloud.vectors import WordVectors

    Floats = NDArray[np.float64]

# The cosine of refined vectors under which a word is no stand-in for another: between 0.6 and this, one proposal in
# five made sense (marry → niece), above it two in three (idea → notion).
NEAR: Final = 0.75
# A stand-in is at most so many times as frequent in the texts that one writes away from as in the others.
PREFERRED: Final = 1.1
# … and makes up at least one in 50,000 words of the latter: a word that hardly anybody writes is no advice.
USED: Final = 2e-5
# Marks and what may replace them; of several, the one that others use most is taken.
MARKS: Final = {";": ",.", ":": ",.", "—": ",", "–": ",", "!": ".", "…": ".", "(": ",", ")": ",", ",": "."}


@dataclass(frozen=True)
class Style(TabularResult):
    """What points to an author in a draft, or (`towards`) what keeps it from one, the strongest first.

    A reason `adds` to the lead of the author over all others together; `kind` is "words", "punctuation" or
    "characters", `counts` is how often the draft has it, `rates` are per thousand in the draft, in the author's texts
    and in those of others, `near` is what others (or the author) write instead, and `passages` show it. `after` is
    parallel to `reasons`: the probability of the author once this one is changed (None for characters, which change
    with their words). `all_changed` is the probability once all are changed. `more` is what the others (or the author)
    write more often than the draft does.
    """

    _table = "reasons"

    name: str
    author: str
    towards: bool
    probability: float
    all_changed: float
    reasons: tuple[Reason, ...]
    after: tuple[float | None, ...]
    more: tuple[Reason, ...]
    tokens: int

    @property
    def conclusion(self) -> str:
        """Who seems to have written the draft, the strongest reasons, and what changing them would do."""
        words = [f"“{visible(r.word)}”" for r in self.reasons if r.kind != "characters"][:4]
        if not words:
            what = f"keeps {self.name} from" if self.towards else f"in {self.name} points to"
            return f"Nothing {what} {self.author}."
        verb = "speak against it" if self.towards else "say so"
        return (
            f"{self.name} is {self.author}'s with {percent(self.probability)}; {listed(words)} {verb} most. "
            f"With all that is listed changed, it would be {percent(self.all_changed)}."
        )

    def to_columns(self) -> dict[str, Any]:
        """Return the reasons, and the probability that is left after each change."""
        return {**super().to_columns(), "after": self.after}

    def blocks(self) -> list[Block]:
        """Return what gives the author away, passages with it, what others write, and what a change would do."""
        whom = self.author if self.towards else "others"
        texts = f"{whom}'s texts" if self.towards else "the texts of others"
        rows = [
            (
                visible(r.word),
                r.kind,
                signed(r.adds, 3, plus=True),
                r.counts[0],
                *(number(rate) for rate in r.rates),
                r.near or "–",
                "–" if after is None else percent(after, 1),
            )
            for r, after in zip(self.reasons, self.after, strict=True)
        ]
        rates = ["here ‰", f"{self.author} ‰", "others ‰"]
        write = f"{whom} writes" if self.towards else "others write"
        what = f"what keeps the draft from {whom}" if self.towards else f"what points to {self.author}"
        found: list[Block] = [
            Sentence(self.conclusion, "answer"),
            Sentence(
                f"“Then” is the probability once this one is changed, or is as rare as in {texts} where nothing "
                "near is written instead; the words are changed and the model is asked again.",
                "sure",
            ),
            table(["what", "kind", "adds", "times", *rates, write, "then"], rows, title=what),
        ]
        where = [Passage(r.passages[0], source=visible(r.word)) for r in self.reasons if r.passages]
        if where:
            found.append(Passages(tuple(where), "where it stands"))
        if self.more:
            rarer = [(visible(r.word), r.kind, signed(r.adds, 3, plus=True), *r.rates) for r in self.more]
            title = f"what {whom} {'writes' if self.towards else 'write'} more often"
            found.append(table(["what", "kind", "adds", *rates], rarer, title=title))
        return [*found, Facts((("words and marks", number(self.tokens)),))]

    def __str__(self) -> str:
        return f"{self.name}: {self.author} {self.probability:.0%}, {self.all_changed:.0%} with all changed"


def style(
    draft: str,
    against: AttributionModel | Corpus,
    *,
    author: str | None = None,
    towards: str | None = None,
    vectors: WordVectors | None = None,
    name: str = "the draft",
    top: int = 15,
) -> Style:
    """Say what in a draft points to its writer, and what changing it would do.

    `against` are known texts: a trained model, or a corpus with labels. The author is the likeliest candidate unless
    named by `author`. With `towards` the list says what keeps the draft from that author's style, for a teacher or an
    editor. `vectors` find the nearest words: for English the built-in ones by default; without any, no word is
    proposed.
    """
    model = against if isinstance(against, AttributionModel) else train(against)
    if author is not None and towards is not None:
        raise OptionError("author and towards exclude each other: look for one, or write towards one")
    named = towards if towards is not None else author
    if named is not None and named not in model.classes:
        raise OptionError(f"no author {named!r}: the candidates are {', '.join(model.classes)}")
    words = _Draft.of(draft, model.rules, name)
    chances = model.probabilities(words.table)[0]
    chosen = named or model.classes[int(chances[:-1].argmax())]
    change = _Change(model, chosen, towards is not None)
    listed_, more = change.reasons(words, top)
    listed_ = change.with_stand_ins(listed_, words, vectors)
    after, everything = change.asked_again(words.words, listed_)
    return Style(
        name=name,
        author=chosen,
        towards=change.towards,
        probability=float(chances[model.classes.index(chosen)]),
        all_changed=everything,
        reasons=tuple(replace(r, passages=passages(words.tokens, words.words, r)) for r in listed_),
        after=after,
        more=tuple(more),
        tokens=len(words.words),
    )


@dataclass(frozen=True, eq=False)
class _Draft:
    """The words of a draft, as they are written and as they are counted, and the kind of each."""

    tokens: list[str]
    words: list[str]
    kinds: dict[str, str]
    table: WordTable

    @classmethod
    def of(cls, text: str, rules: TokenRules, name: str) -> _Draft:
        tokens = tokenize(text, rules)
        if not tokens:
            raise EstimateError(f"{name} has no words")
        words = [rules.normalise(token) for token in tokens]
        corpus = Corpus.from_texts({name: text}, vectors="none", rules=rules)
        kinds = {w: KINDS[k] for w, k in zip(corpus.vocabulary, corpus.kinds, strict=True)}
        return cls(tokens, words, kinds, WordTable.of_tokens([words], [name]))

    def times(self, feature: str, kind: str) -> int:
        """Count how often the draft has a word, or words with a sequence of characters."""
        if kind == "characters":
            return sum(feature in f" {word} " for word in self.words)
        return self.words.count(feature)

    def is_of_names(self, feature: str, kind: str) -> bool:
        """Tell whether a feature is a name, or characters that only names of the draft have."""
        if kind != "characters":
            return self.kinds.get(feature) == "name"
        carriers = [k for word, k in self.kinds.items() if feature in f" {word} "]
        return bool(carriers) and all(k == "name" for k in carriers)


@dataclass(frozen=True, eq=False)
class _Change:
    """The direction of a change: away from an author to what others write, or `towards` one."""

    model: AttributionModel
    author: str
    towards: bool

    @property
    def wanted(self) -> int:
        """The place in a reason's rates of the rate that a word should have: the author's (1) or that of others (2)."""
        return 1 if self.towards else 2

    def reasons(self, draft: _Draft, top: int) -> tuple[list[Reason], list[Reason]]:
        """Return what the draft has too often, and what too seldom; what a word adds in several ways is summed."""
        total: dict[tuple[str, str], float] = defaultdict(float)
        first: dict[tuple[str, str], Reason] = {}
        for reason in self.model.explain(draft.table, self.author):
            key = ("characters" if reason.kind == "characters" else _kind(reason.word), reason.word)
            total[key] += reason.adds
            first.setdefault(key, reason)
        sign = -1 if self.towards else 1
        found = [
            replace(first[key], adds=adds, kind=key[0], counts=(draft.times(key[1], key[0]),))
            for key, adds in sorted(total.items(), key=lambda item: -sign * item[1])[: 20 * top]
            if sign * adds > 0 and not draft.is_of_names(key[1], key[0])
        ]
        often = [r for r in found if r.counts[0] and r.rates[0] > r.rates[self.wanted]]
        words, spelt = (
            [r for r in often if (r.kind == "characters") == c][:n]
            for c, n in ((False, top), (True, top // 3))
        )
        more = [r for r in found if r.rates[0] < r.rates[self.wanted] and r.kind != "characters"]
        return [*words, *spelt], more[: top // 2]

    def with_stand_ins(
        self, reasons: Sequence[Reason], draft: _Draft, vectors: WordVectors | None
    ) -> list[Reason]:
        """Add to each content word the nearest word that the wanted texts prefer, and to each mark another mark."""
        known = self.model.known
        own = np.array([label == self.author for label in self.model.labels])
        rates = [np.asarray(known.shares()[rows].mean(axis=0)).ravel() for rows in (own, ~own)]
        theirs, ours = rates if self.towards else rates[::-1]
        ids = {word: i for i, word in enumerate(known.words)}
        content = [r.word for r in reasons if r.kind == "words" and draft.kinds.get(r.word) == "content"]
        near = _nearest(content, self.model, (ours <= PREFERRED * theirs) & (theirs >= USED), vectors)
        found = []
        for reason in reasons:
            stand_in, distance = (
                near.get(reason.word, (None, None)) if reason.kind == "words" else (None, None)
            )
            if reason.kind == "punctuation":
                marks = [mark for mark in MARKS.get(reason.word, "") if mark in ids]
                stand_in = max(marks, key=lambda mark: theirs[ids[mark]], default=None)
            found.append(replace(reason, near=stand_in, distance=distance))
        return found

    def asked_again(
        self, words: list[str], reasons: Sequence[Reason]
    ) -> tuple[tuple[float | None, ...], float]:
        """Change each word alone, then all of them, and return the author's probability each time."""
        changed = [r for r in reasons if r.kind != "characters"]
        versions = [changed_words(words, [r], self.wanted) for r in changed]
        versions.append(changed_words(words, changed, self.wanted))
        column = self.model.classes.index(self.author)
        asked = self.model.probabilities(WordTable.of_tokens(versions))[:, column]
        each = {r.word: float(p) for r, p in zip(changed, asked, strict=False)}
        after = tuple(each[r.word] if r.kind != "characters" else None for r in reasons)
        return after, float(asked[-1])


def changed_words(words: Sequence[str], reasons: Sequence[Reason], wanted: int) -> list[str]:
    """Return the words with some replaced (`near`); a word without a replacement is thinned out to the wanted rate.

    `wanted` is the place of the wanted rate in the rates of a reason. The occurrences that stay are spread evenly.

    >>> changed_words(["a", "b"] * 4, [Reason("a", 1.0, rates=(500.0, 500.0, 250.0))], 2)
    ['b', 'a', 'b', 'b', 'a', 'b']
    """
    instead = {reason.word: reason.near for reason in reasons}
    keep = {r.word: round(r.rates[wanted] * len(words) / 1000) for r in reasons if r.near is None}
    total, met, found = Counter(words), Counter[str](), []
    for word in words:
        if word in keep:
            share, n = min(1.0, keep[word] / total[word]), met[word]
            met[word] += 1
            if int((n + 1) * share + 1e-9) == int(n * share + 1e-9):
                continue
        found.append(instead.get(word) or word)
    return found or list(words[:1])


def _kind(word: str) -> str:
    return "words" if any(c.isalnum() for c in word) else "punctuation"


def _nearest(
    words: Sequence[str], model: AttributionModel, allowed: NDArray[np.bool_], vectors: WordVectors | None
) -> Mapping[str, tuple[str, float]]:
    """Return, for each word, the nearest of the allowed words and its distance."""
    if vectors is None:
        if model.rules.language != "english":
            return {}
        from lexicloud.vectors import load_vectors

        vectors = load_vectors()
    refined = vectors.refined()
    wanted = [word for word in dict.fromkeys(words) if word in refined]
    left_out = stopwords(model.rules.language)
    offered = [
        w
        for w, good in zip(model.known.words, allowed, strict=True)
        if good and w.isalpha() and w in refined and w not in left_out
    ]
    if not wanted or not offered:
        return {}
    A, B = (_unit(np.stack([refined[word] for word in each])) for each in (wanted, offered))
    close = A @ B.T
    for i, word in enumerate(wanted):
        close[i, [j for j, each in enumerate(offered) if each == word]] = -1
    best = close.argmax(axis=1)
    return {
        word: (offered[j], float(1 - close[i, j]))
        for i, (word, j) in enumerate(zip(wanted, best, strict=True))
        if close[i, j] >= NEAR
    }


def _unit(matrix: Any) -> Any:
    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
