"""One example of every public result, from small texts of our own; each name holds markup that a page must escape."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lexicloud.corpus import Corpus, train_vectors
from lexicloud.corpus.explore import contexts, keywords, trends_along
from lexicloud.divergences import (
    contrast,
    divergence,
    divergence_matrices,
    divergence_matrix,
    drift,
    leave_one_out,
    rolling,
    similarity,
    train,
    verify,
    word_shift,
)
from lexicloud.divergences.attribution.classifier import label_unknown
from lexicloud.divergences.attribution.consensus import choose_features, compare_methods, consensus
from lexicloud.divergences.attribution.features import settings
from lexicloud.divergences.attribution.rolling import Seam
from lexicloud.divergences.base import Skipped
from lexicloud.divergences.drift import ChangePoint
from lexicloud.divergences.uncertainty import Standing
from lexicloud.divergences.words import Explainer
from lexicloud.labelling import Labeller
from lexicloud.paper.runner import PaperResult
from lexicloud.paper.workbench import PaperOptions
from lexicloud.report import study
from lexicloud.report.chapters.chapter import Missing
from lexicloud.search import SentenceIndex, clean, evaluate_methods, find_duplicates
from lexicloud.survey import Crowd, Query, Study, arms_of, pairs_of, score, simulate
from lexicloud.text import Document
from lexicloud.vectors import load_vectors
from lexicloud.vectors.catalogue import CATALOGUE, VectorsInfo
from lexicloud.vectors.cooccurrence import TrainOptions
from lexicloud.zipf import (
    StudyOptions,
    choose_k,
    cluster_sizes,
    compare_distributions,
    fit_power_law,
    goodness_of_fit,
    heaps,
    part_of_speech_purity,
    part_of_speech_table,
    project_words,
    rank_frequency,
    study_zipf,
    sweep_clusters,
)
from tests.texts import COURT, HARBOUR, KITCHEN, SEA

MARKUP = "<i>a & b</i>"
METHOD = "categorical"


@cache
def corpus() -> Corpus:
    texts = {MARKUP: SEA, "harbour": HARBOUR, "kitchen": KITCHEN, "court": COURT}
    return Corpus.from_texts(texts, labels=[MARKUP, MARKUP, "land", "land"])


@cache
def examples() -> dict[str, Any]:
    """Return every example by the name of its class."""
    found = [
        corpus(),
        corpus().coverage,
        *_corpus(),
        *_text(),
        *_vectors(),
        *_divergences(),
        *_attribution(),
        *_search(),
        *_survey(),
        *_zipf(),
        *_labelling(),
    ]
    found += _reports()
    return {type(result).__name__: result for result in found}


def _text() -> list[Any]:
    cleaned = clean([f"Version: {i}\n{MARKUP} repeats\nbody {word}" for i, word in enumerate("abcd")])
    return [Document(MARKUP, SEA, fields={"year": 1}), cleaned, cleaned.removed[0], cleaned.boilerplate]


def _corpus() -> list[Any]:
    telling = keywords(corpus(), [MARKUP, "harbour"])
    found = contexts(corpus(), "the")
    return [telling, telling.over[0], found, found.lines[0], trends_along(corpus(), MARKUP, [MARKUP, "sea"])]


def _vectors() -> list[Any]:
    training = train_vectors([SEA, COURT] * 3, options=TrainOptions(dimension=3), name=MARKUP).training
    return [VectorsInfo.of(load_vectors()), CATALOGUE["glove-6b-50d"], training, training.quality]


def _labelling() -> list[Any]:
    labeller = Labeller().fit([SEA, HARBOUR, KITCHEN, COURT], [MARKUP, MARKUP, "land", "land"])
    text = f"a boat {MARKUP} came into the port"
    why = labeller.explain(text, MARKUP)
    return [labeller.label([text])[0], why, why.words[0], labeller.next([text])[0]]


def _divergences() -> list[Any]:
    texts = corpus()
    new = Corpus.from_texts({f"{MARKUP} again": HARBOUR[:120]})
    labelled = leave_one_out(texts, method=METHOD)
    shift = word_shift(texts, MARKUP, "court", method=METHOD)
    closeness = Explainer(texts, _fitted(texts)).pairs(0, [1], [1.0], [0.5])[0]
    pair = divergence(texts, MARKUP, "court", method=METHOD, seed=1)
    return [
        *(pair, pair.kinds[0], pair.yardstick, Standing(500, 0.5, 0.3, 0.2, 0.9)),
        ChangePoint(2000, 1.2, 0.99),
        divergence_matrix(texts, method=METHOD),
        divergence_matrices(texts, [1, 2]),
        drift(texts, MARKUP, window=20, step=10, method=METHOD),
        *(shift, shift.words[0], closeness, Skipped(MARKUP, "it is empty")),
        *(labelled, labelled.texts[0], labelled.report[0]),
        label_unknown(texts, ["sea", "sea", "land", "land"], new, method=METHOD)[0],
    ]


def _attribution() -> list[Any]:
    texts = corpus()
    model = train(texts)
    (answer,) = model.attribute({MARKUP: HARBOUR})
    rolled = rolling(f"{SEA} {SEA} {COURT} {COURT}", model, window=50, step=25, name=MARKUP, sure=0.0)
    verified = verify(SEA, HARBOUR)
    found = contrast(texts, MARKUP, "land", order="zeta", segment=30)
    alike = similarity(SEA, HARBOUR)
    trees = consensus(texts, settings(last=(20, 40)))
    choice = choose_features(texts, settings(last=(20, 40)))
    compared = compare_methods(texts)
    seam = Seam(50, MARKUP, "land", 0.9, MARKUP)
    return [
        *(answer, answer.evidence[0], rolled, rolled.windows[0], seam),
        *(verified, verified.evidence[0], found, found.words[0], alike, alike.words[0]),
        *(trees, choice, choice.tried[0], choice.best, compared, compared.tried[0]),
    ]


def _fitted(texts: Corpus) -> Any:
    from lexicloud.divergences import make_method

    return make_method(METHOD).fit(texts)


def _search() -> list[Any]:
    sentences = [(MARKUP, "The ship sailed into the old harbour.", {"place": MARKUP})]
    sentences += [(str(i), text, {"place": "court"}) for i, text in enumerate(COURT.split(". "))]
    index = SentenceIndex.build(sentences)
    found = index.search(f"a boat {MARKUP} came into the port", top=2)
    evaluation = evaluate_methods(index, 3, methods=("setcover", "jaccard"), workers=1)
    twice = find_duplicates(SentenceIndex.build([f"a boat {MARKUP}", f"A boat {MARKUP}"]))
    duplicates = [twice, twice.clusters[0], twice.clusters[0].pairs[0]]
    return [
        index,
        index.info,
        found,
        found[0],
        found[0].matches[0],
        evaluation,
        evaluation.variety,
        *duplicates,
    ]


def _survey() -> list[Any]:
    names = [MARKUP, "b", "c", "d"]
    lists = {name: tuple(f"{name} suggests {i}" for i in range(5)) for name in names}
    query = Query("q", MARKUP, lists, dict.fromkeys(names, 0))
    asked = Study(
        MARKUP, arms_of("choose"), {name: {} for name in names}, (query,) * 12, pairs=pairs_of(names)
    )
    found = score(asked, simulate(asked, 8, Crowd(careless=1.0, answers=50)))
    arm = found.arms[0]
    parts = [arm.shares[0], arm.shares[0].share, arm.comparisons[0], arm.positions, arm.seconds, arm.flags[0]]
    return [found, arm, *parts]


def _reports() -> list[Any]:
    found = study(corpus())
    return [
        found,
        *found.parts,
        Missing("zipf", MARKUP, MARKUP),
        PaperResult(PaperOptions(Path("data"), Path("out")), {}, {}, MARKUP, {}, (), ()),
    ]


def _zipf() -> list[Any]:
    texts = corpus()
    counts = np.random.default_rng(0).zipf(2.0, 600)
    law = fit_power_law(counts)
    tags = ["noun", "verb", "adjective"] * len(texts.vocabulary)
    tags = tags[: len(texts.vocabulary)]
    sentences = texts.sentences()
    clusters = cluster_sizes(sentences, 4, resamples=2, null_seeds=2)
    ranks = rank_frequency(texts, MARKUP)
    return [
        *(ranks, ranks.fit(), law, heaps(np.random.default_rng(0).zipf(2.0, 900))),
        goodness_of_fit(law, samples=3, workers=1),
        compare_distributions(law, ["exponential"])[0],
        part_of_speech_table(texts, tags=tags),
        part_of_speech_purity(texts, tags=tags),
        project_words(texts, "pca", tags=tags),
        choose_k(sentences, candidates=[2, 3, 4]),
        *(clusters, clusters.clusters[0], next(iter(clusters.null.values()))),
        sweep_clusters(sentences, 3, seeds=[0, 1]),
        study_zipf(texts, StudyOptions(by_document=True)),
    ]
