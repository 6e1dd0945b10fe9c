"""How good labelling is: every text in turn is labelled by the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.divergence.attribution import Attribution
from lexicloud.divergence.combined import COMBINED, Likeness, opinions
from lexicloud.divergence.documents import Skipped, problems
from lexicloud.divergence.rules import without_single_members
from lexicloud.divergence.standardise import standardise_left_out
from lexicloud.divergence.table import DivergenceMatrix
from lexicloud.errors import CorpusError, EstimateError, OptionError

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.divergence.methods import Method

    Labels = Mapping[str, str] | Sequence[str | None] | None

__all__ = ["Attribution", "leave_one_out"]


def leave_one_out(
    source: Corpus | DivergenceMatrix,
    labels: Labels = None,
    *,
    rule: str = "category-mean",
    method: str | Method = COMBINED,
    standardise: bool = True,
    symmetric: bool = False,
    skip_bad: bool = False,
    **options: Any,
) -> Attribution:
    """Label every text of a corpus, or of a matrix of divergences, by the others and compare with the truth.

    `labels` are the corpus's own by default; texts whose label is None are left out. What is usual (see
    `standardise`) is learnt without the text that is being labelled and without its label. Under
    "category-mean" a label with one member is never chosen, so its text counts as wrong: `ceiling` says how
    many could be right. Background frequencies and Delta's means come from all texts, without their labels.
    `options` belong to the method.

    >>> from lexicloud.corpus import Corpus
    >>> corpus = Corpus.from_texts(["the cat and the dog", "a dog, a cat", "stocks and shares", "shares fell"])
    >>> leave_one_out(corpus, ["pets", "pets", "money", "money"]).accuracy
    1.0
    """
    names, given = source.names, _given(source, labels)
    kept = [i for i, label in enumerate(given) if label is not None]
    _require_labels([given[i] for i in kept])
    if isinstance(source, DivergenceMatrix):
        return _of_matrix(source, given, kept, rule, standardise=standardise)
    likeness = Likeness(opinions(method, **options), standardise, symmetric)
    corpus, skipped = _usable(source.subset([names[i] for i in kept]), likeness, skip_bad=skip_bad)
    truth = [given[source.position(name)] for name in corpus.names]
    _require_labels(truth)
    scores = likeness.left_out(corpus, truth)
    return _result(
        corpus.names,
        truth,
        scores,
        rule,
        method=method if isinstance(method, str) else method.name,
        standardised=standardise,
        vectors=corpus.lexicon.source,
        skipped=(*skipped, *_dropped(corpus)),
    )


def _of_matrix(
    matrix: DivergenceMatrix, given: list[str | None], kept: list[int], rule: str, *, standardise: bool
) -> Attribution:
    values = matrix.values[np.ix_(kept, kept)]
    truth = [given[i] for i in kept]
    scores = values.astype(np.float64, copy=True)
    np.fill_diagonal(scores, np.nan)
    if standardise and not matrix.standardised:
        scores = standardise_left_out(values, truth)
    names = tuple(matrix.names[i] for i in kept)
    return _result(
        names,
        truth,
        scores,
        rule,
        method=matrix.method,
        standardised=standardise or matrix.standardised,
        vectors=matrix.vectors,
        skipped=matrix.skipped,
    )


def _result(names: Sequence[str], truth: list[Any], scores: Any, rule: str, **about: Any) -> Attribution:
    classes = sorted(set(truth))
    found = without_single_members(scores, truth, classes, rule)
    return Attribution.of(tuple(names), tuple(truth), tuple(classes), found, rule=rule, **about)


def _given(source: Corpus | DivergenceMatrix, labels: Labels) -> list[str | None]:
    if labels is None:
        labels = source.labels
    if labels is None:
        raise OptionError("the texts have no labels: give labels=, one for each text")
    if isinstance(labels, Mapping):
        return [labels.get(name) for name in source.names]
    if len(labels) != len(source.names):
        raise OptionError(f"{len(labels)} labels for {len(source.names)} texts: give one label each")
    return list(labels)


def _require_labels(labels: Sequence[str | None]) -> None:
    classes = set(labels)
    if len(labels) < 3:
        raise EstimateError(f"leaving one out needs at least 3 labelled texts, not {len(labels)}")
    if len(classes) < 2:
        raise EstimateError(
            f"all {len(labels)} texts have the label {labels[0]!r}: at least two labels are needed"
        )
    if len(classes) == len(labels):
        raise EstimateError(
            f"each of the {len(labels)} labels has one text, so that no label can be found once its text is left out: "
            "at least one label needs two texts"
        )


def _usable(corpus: Corpus, likeness: Likeness, *, skip_bad: bool) -> tuple[Corpus, tuple[Skipped, ...]]:
    skipped: tuple[Skipped, ...] = ()
    for opinion in likeness.opinions:
        found = problems(corpus, range(len(corpus)), opinion.method, opinion.method.fit(corpus))
        if found and not skip_bad:
            raise EstimateError(
                f"{next(iter(found.values()))}, or skip such texts (skip_bad=True or --skip-bad)"
            )
        if found:
            skipped += tuple(Skipped(corpus.names[row], reason) for row, reason in found.items())
            corpus = corpus.subset([name for row, name in enumerate(corpus.names) if row not in found])
    if len(corpus) < 3:
        raise CorpusError(f"leaving one out needs at least 3 texts, but only {len(corpus)} can be measured")
    return corpus, skipped


def _dropped(corpus: Corpus) -> tuple[Skipped, ...]:
    return tuple(Skipped(name, "shorter than the sample") for name in corpus.dropped)
