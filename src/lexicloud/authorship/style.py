"""What gives a writer away: the words, marks and spellings of a draft that point to one of known authors.

What points to the author is what adds to the lead over all others together (see `combined`). For each word the nearest
by meaning that others use and the author does not prefer is looked up. How far the attribution falls is worked out: the
words are changed in the draft, and the model is asked again.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.authorship.features import WordTable
from lexicloud.authorship.model import AttributionModel, passages, train, visible
from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import TabularResult
from lexicloud.say.blocks import Block, Facts, Passage, Passages, Sentence, table
from lexicloud.say.phrases import listed, number, percent, signed
from lexicloud.text import tokenize
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.vectors import WordVectors

    Floats = NDArray[np.float64]

# The cosine of refined vectors under which a word is no stand-in for another.
NEAR: Final = 0.45
# A stand-in is at most so many times as frequent in the author's texts as in those of others.
PREFERRED: Final = 1.1
# Marks that may stand for each other; of several, the one that others use most.
MARKS: Final = {";": ",.", ":": ",.", "—": ",", "–": ",", "!": ".", "…": ".", "(": ",", ")": ",", ",": "."}


@dataclass(frozen=True)
class Style(TabularResult):
    """What points to an author in a draft, the most telling first.

    A reason `adds` to the lead of the author over all others together; `kind` is "words", "punctuation" or
    "characters", `counts` is how often the draft has it, `rates` are per thousand in the draft, in the author's texts
    and in those of others, `near` is what others write instead, and `passages` show it. `after` runs beside `reasons`:
    the probability of the author once this one is changed (None for characters, which change with their words).
    `all_changed` is the probability once all are. `against` is what the author would write and the draft does not.
    """

    _table = "reasons"

    name: str
    author: str
    probability: float
    all_changed: float
    reasons: tuple[Reason, ...]
    after: tuple[float | None, ...]
    against: tuple[Reason, ...]
    tokens: int

    @property
    def conclusion(self) -> str:
        """Whose the draft seems, what gives that away most, and what changing it would do."""
        words = [f"“{visible(r.word)}”" for r in self.reasons if r.kind != "characters"][:4]
        if not words:
            return f"Nothing in {self.name} points to {self.author}."
        return (
            f"{self.name} is {self.author}'s with {percent(self.probability)}; {listed(words)} say so most. "
            f"With all that is listed changed, it would be {percent(self.all_changed)}."
        )

    def to_columns(self) -> dict[str, Any]:
        """Return the reasons, and the probability that is left after each change."""
        return {**super().to_columns(), "after": self.after}

    def blocks(self) -> list[Block]:
        """Return what gives the author away, where it stands, what others write, and what a change would do."""
        rows = [
            (
                visible(r.word),
                r.kind,
                signed(r.adds, 3, plus=True),
                r.counts[0],
                *(number(rate) for rate in r.rates),
                r.near or "–",
                "–" if after is None else percent(after),
            )
            for r, after in zip(self.reasons, self.after, strict=True)
        ]
        heads = [
            "what",
            "kind",
            "adds",
            "times",
            "here ‰",
            f"{self.author} ‰",
            "others ‰",
            "others write",
            "then",
        ]
        found: list[Block] = [
            Sentence(self.conclusion, "answer"),
            Sentence(
                "“Then” is the probability once this one is changed (left out where others write nothing near); the "
                "words are changed and the model is asked again.",
                "sure",
            ),
            table(heads, rows, title=f"what points to {self.author}"),
        ]
        where = [Passage(r.passages[0], source=visible(r.word)) for r in self.reasons if r.passages]
        if where:
            found.append(Passages(tuple(where), "where it stands"))
        if self.against:
            missing = [
                (visible(r.word), r.kind, signed(r.adds, 3, plus=True), *r.rates) for r in self.against
            ]
            title = f"what {self.author} would write otherwise"
            found.append(
                table(
                    ["what", "kind", "adds", "here ‰", f"{self.author} ‰", "others ‰"], missing, title=title
                )
            )
        return [*found, Facts((("words and marks", number(self.tokens)),))]

    def __str__(self) -> str:
        return f"{self.name}: {self.author} {self.probability:.0%}, {self.all_changed:.0%} with all changed"


def style(
    draft: str,
    against: AttributionModel | Corpus,
    *,
    author: str | None = None,
    vectors: WordVectors | None = None,
    name: str = "the draft",
    top: int = 15,
) -> Style:
    """Say what in a draft points to its writer, or to a chosen author, and what changing it would do.

    `against` are known texts: a trained model, or a corpus with labels. The author is the likeliest candidate unless
    named. `vectors` find the nearest words (the built-in ones for English by default; without any, no word is
    proposed). For an editor who matches a house style, `against` on the result lists what the author would write.
    """
    model = against if isinstance(against, AttributionModel) else train(against)
    if author is not None and author not in model.classes:
        raise OptionError(f"no author {author!r}: the candidates are {', '.join(model.classes)}")
    tokens = tokenize(draft, model.rules)
    words = [model.rules.normalise(token) for token in tokens]
    if not words:
        raise EstimateError(f"{name} has no words")
    text = WordTable.of_tokens([words], [name])
    chances = model.probabilities(text)[0]
    chosen = author or model.classes[int(chances[:-1].argmax())]
    telling, against_it = _reasons(model, text, chosen, top)
    telling = [replace(r, passages=passages(tokens, words, r)) for r in telling]
    telling = _with_stand_ins(telling, model, chosen, vectors)
    after, everything = _asked_again(model, words, telling, chosen)
    return Style(
        name=name,
        author=chosen,
        probability=float(chances[model.classes.index(chosen)]),
        all_changed=everything,
        reasons=tuple(telling),
        after=after,
        against=tuple(against_it),
        tokens=len(words),
    )


def _reasons(
    model: AttributionModel, text: WordTable, author: str, top: int
) -> tuple[list[Reason], list[Reason]]:
    """Return what speaks for the author and stands in the draft, and what speaks against; a word's parts together."""
    total: dict[tuple[str, str], float] = defaultdict(float)
    first: dict[tuple[str, str], Reason] = {}
    for reason in model.explain(text, author):
        key = ("characters" if reason.kind == "characters" else _kind(reason.word), reason.word)
        total[key] += reason.adds
        first.setdefault(key, reason)
    found = []
    for (kind, word), adds in total.items():
        # Rates are per thousand words, or sequences: of the draft, the author, and all others.
        here = first[kind, word].rates
        times = round(here[0] * text.lengths[0] / 1000) if kind != "characters" else max(1, round(here[0]))
        found.append(replace(first[kind, word], adds=adds, kind=kind, counts=(times,) if here[0] else (0,)))
    found.sort(key=lambda r: -r.adds)
    telling = [r for r in found if r.adds > 0 and r.counts[0]]
    words, spelt = (
        [r for r in telling if (r.kind == "characters") == c][:n] for c, n in ((False, top), (True, top // 3))
    )
    against = [r for r in reversed(found) if r.adds < 0 and r.kind != "characters"][: top // 2]
    return [*words, *spelt], against


def _kind(word: str) -> str:
    return "words" if any(c.isalnum() for c in word) else "punctuation"


def _with_stand_ins(
    reasons: Sequence[Reason], model: AttributionModel, author: str, vectors: WordVectors | None
) -> list[Reason]:
    """Add to each word what others write instead: the nearest by meaning that the author does not prefer."""
    own = np.array([label == author for label in model.labels])
    rates = [np.asarray(model.known.shares()[rows].mean(axis=0)).ravel() for rows in (own, ~own)]
    others_more = rates[0] <= PREFERRED * rates[1]
    ids = {word: i for i, word in enumerate(model.known.words)}
    near = _nearest([r.word for r in reasons if r.kind == "words"], model, others_more, vectors)
    found = []
    for reason in reasons:
        stand_in, distance = near.get(reason.word, (None, None)) if reason.kind == "words" else (None, None)
        if reason.kind == "punctuation":
            marks = [mark for mark in MARKS.get(reason.word, "") if mark in ids]
            stand_in = max(marks, key=lambda mark: rates[1][ids[mark]], default=None)
        found.append(replace(reason, near=stand_in, distance=distance))
    return found


def _nearest(
    words: Sequence[str], model: AttributionModel, allowed: NDArray[np.bool_], vectors: WordVectors | None
) -> Mapping[str, tuple[str, float]]:
    """Return for words the nearest of the allowed ones, and how far it is."""
    if vectors is None:
        if model.rules.language != "english":
            return {}
        from lexicloud.vectors import load_vectors

        vectors = load_vectors()
    refined = vectors.refined()
    wanted = [word for word in dict.fromkeys(words) if word in refined]
    offered = [
        w for w, good in zip(model.known.words, allowed, strict=True) if good and w.isalpha() and w in refined
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


def _asked_again(
    model: AttributionModel, words: list[str], reasons: Sequence[Reason], author: str
) -> tuple[tuple[float | None, ...], float]:
    """Change each word alone, then all of them, and return the author's probability each time."""
    changed = [r for r in reasons if r.kind != "characters"]
    versions = [_changed(words, [r]) for r in changed] + [_changed(words, changed)]
    asked = model.probabilities(WordTable.of_tokens(versions))[:, model.classes.index(author)]
    each = {r.word: float(p) for r, p in zip(changed, asked, strict=False)}
    after = tuple(each[r.word] if r.kind != "characters" else None for r in reasons)
    return after, float(asked[-1])


def _changed(words: list[str], reasons: Sequence[Reason]) -> list[str]:
    """Return the words with some replaced by what others write, or left out where that is nothing."""
    instead = {reason.word: reason.near for reason in reasons}
    kept = [instead.get(word, word) for word in words]
    return [word for word in kept if word is not None] or words[:1]
