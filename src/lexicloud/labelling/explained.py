"""Why a text has a label: what each of its words and pairs of words adds to the label's score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.labelling.evidence import KINDS, softmax, temper
from lexicloud.labelling.linear import WordScores
from lexicloud.labelling.text_labels import PAIR, LabelReasons
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.labelling.labeller import Labeller
    from lexicloud.labelling.smoothed_words import TextCounts

    Floats = NDArray[np.float64]

_NEAR: Final = 0.4  # cosine of refined vectors from which a word "stands near" another


@dataclass(frozen=True, eq=False)
class _Scores:
    """The scores of texts, by kind and word, and the factor (`scale`) by which the words add up to the score."""

    kinds: list[list[WordScores]]
    scores: Floats
    probabilities: Floats
    start: Floats
    scale: Floats


def explain_many(
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
