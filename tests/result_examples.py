"""One example of every public result, from small texts of our own; each name holds markup that a page must escape."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

import numpy as np

import lexicloud
from lexicloud import presets
from lexicloud.authorship import contrast, drift, leave_one_out, rolling, style, train, verify
from lexicloud.authorship.classifier import label_unknown
from lexicloud.authorship.consensus import choose_features, compare_methods, consensus
from lexicloud.authorship.features import settings
from lexicloud.authorship.likelihood_ratio import CalibrationReport, PairCalibration, RatioCurve
from lexicloud.authorship.rolling import Seam
from lexicloud.corpus import Corpus, train_vectors
from lexicloud.corpus.trends import trends_along
from lexicloud.divergences import (
    divergence,
    divergence_matrices,
    divergence_matrix,
    nearest_documents,
    similarity,
    word_shift,
)
from lexicloud.divergences.base import Skipped
from lexicloud.divergences.nearest_texts import Explainer
from lexicloud.divergences.uncertainty import Standing
from lexicloud.labelling import LabelledTexts, Labeller, Suspect, TextsToLabel
from lexicloud.maps import map_texts
from lexicloud.operations.authorship import Attribute
from lexicloud.operations.compare import Compare
from lexicloud.operations.explore import FitRanks, ReportPage
from lexicloud.operations.index import AddSentences
from lexicloud.operations.label import Label
from lexicloud.operations.search import Explain, FindNeighbours, Search, SearchMany
from lexicloud.paper.runner import PaperResult
from lexicloud.paper.workbench import PaperOptions
from lexicloud.presets import preset
from lexicloud.report import study
from lexicloud.report.chapters.chapter import Missing
from lexicloud.result import Result, TabularResult
from lexicloud.search import SentenceIndex, clean, evaluate_methods, find_duplicates
from lexicloud.search.exports import Exported
from lexicloud.search.query import SynonymList
from lexicloud.survey import Crowd, Study, StudyQuery, arms_of, pairs_of, score, simulate
from lexicloud.text import Document
from lexicloud.text.detection import Detections, detect_language
from lexicloud.text.read import ReadReport, read_bytes
from lexicloud.vectors import load_vectors
from lexicloud.vectors.catalogue import CATALOGUE, VectorsInfo
from lexicloud.vectors.cooccurrence import TrainOptions
from lexicloud.words.contexts import contexts
from lexicloud.words.keyness import keywords
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
        *_operations(),
    ]
    found += [*_reports(), ReportPage(2, f"<p>{MARKUP}</p>")]
    return {type(result).__name__: result for result in found}


class Shelf:
    """One collection: the texts of the examples, and an index of two sentences."""

    id = title = MARKUP
    kind = "index"
    years: ClassVar[dict[str, int]] = {}

    def __init__(self) -> None:
        self.corpus, self.writing, self.vectors = corpus(), Lock(), load_vectors()
        self.refined = self.vectors.refined()
        self.index = SentenceIndex.build([(MARKUP, f"A boat {MARKUP} came in."), ("b", "The king sat.")])

    def get(self, source: str | None = None) -> Shelf:
        return self

    def changed(self) -> None: ...


def _operations() -> list[Any]:
    shelf, texts = Shelf(), [{"name": MARKUP, "text": SEA}, {"name": "court", "text": COURT}]
    known = [
        {"name": f"{author} {i}", "text": text, "author": author}
        for author, own in ((MARKUP, (SEA, HARBOUR)), ("land", (KITCHEN, COURT)))
        for i, text in enumerate(own)
    ]
    rows = [
        {"text": text, "label": label}
        for text, label in ((SEA, "a"), (HARBOUR, "a"), (COURT, "b"), (KITCHEN, "b"))
    ]
    asked = [
        Compare(texts=texts),
        Attribute(known=known, unknown=[{"name": MARKUP, "text": f"{SEA} {MARKUP}"}]),
        Search(query="a boat"),
        SearchMany(queries=["a boat"]),
        Explain(query="a boat", id=MARKUP),
        FindNeighbours(word="sea", k=2),
        FitRanks(),
        Label(rows=[*rows, {"text": f"the waves {MARKUP}"}]),
        AddSentences(source=MARKUP, items=[{"text": "The cook ate."}]),
    ]
    return [operation.run(shelf) for operation in asked]


def _text() -> list[Any]:
    cleaned = clean([f"Version: {i}\n{MARKUP} repeats\nbody {word}" for i, word in enumerate("abcd")])
    told = ReadReport.of(read_bytes(SEA.encode(), f"{MARKUP}.txt"))
    language = detect_language(SEA)
    found = [told, told.files[0], language, presets.preset("paper")]
    found.append(Detections((MARKUP,), (language,), (len(SEA),)))
    return [
        *found,
        Document(MARKUP, SEA, fields={"year": 1}),
        cleaned,
        cleaned.removed[0],
        cleaned.boilerplate,
    ]


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
    wrong = Labeller().fit(
        [SEA, HARBOUR, KITCHEN, COURT, SEA, COURT], [MARKUP, MARKUP, "land", "land", "land", "land"]
    )
    found, following = labeller.label([text])[0], labeller.next([text])[0]
    suspect = Suspect(0, text, MARKUP, "land", 0.9, f"{MARKUP} because")
    return [
        *(found, why, why.words[0], following, suspect, wrong.suspects()),
        *(labeller.change([text]), labeller.change([text]).shares[0]),
        LabelledTexts((MARKUP,), (found,), (why.sentence,), labeller.trust),
        TextsToLabel((MARKUP,), (following,), 1, labeller.trust),
    ]


def _divergences() -> list[Any]:
    texts = corpus()
    new = Corpus.from_texts({f"{MARKUP} again": HARBOUR[:120]})
    labelled = leave_one_out(texts, method=METHOD)
    shift = word_shift(texts, MARKUP, "court", method=METHOD)
    closeness = Explainer(texts, _fitted(texts)).pairs(0, [1], [1.0], [0.5])[0]
    pair = divergence(texts, MARKUP, "court", method=METHOD, seed=1)
    return [
        *(pair, pair.kinds[0], pair.yardstick, Standing(500, 0.5, 0.3, 0.2, 0.9)),
        divergence_matrix(texts, method=METHOD),
        divergence_matrices(texts, [1, 2]),
        nearest_documents(texts, METHOD, n=1),
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
    seam = Seam(50, MARKUP, MARKUP, "land", 0.9)
    return [
        *(answer, answer.evidence[0], rolled, seam),
        *(verified, *_calibrated(), style(HARBOUR, model, name=MARKUP), found, alike, alike.words[0]),
        *(trees, choice, choice.tried[0], choice.best, compared, compared.tried[0]),
    ]


def _calibrated() -> list[Any]:
    rng = np.random.default_rng(0)
    curve = RatioCurve(0.0, 1.0)
    about = PairCalibration(
        curve,
        rng.normal(1, 1, 40),
        rng.normal(-1, 1, 90),
        10,
        12,
        (300, 300),
        1,
        (-1.0, 2.0),
        MARKUP,
        "two-sided",
    )
    return [curve, about, CalibrationReport(MARKUP, (about,))]


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
        index.record(MARKUP),
        index.count_values("place"),
        SynonymList({MARKUP: [MARKUP]}),
        Exported("OpenSearch", 1, (MARKUP,), MARKUP),
    ]


def _survey() -> list[Any]:
    names = [MARKUP, "b", "c", "d"]
    lists = {name: tuple(f"{name} suggests {i}" for i in range(5)) for name in names}
    query = StudyQuery("q", MARKUP, lists, dict.fromkeys(names, 0))
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
        map_texts(texts),
        preset("paper"),
    ]


def result_classes() -> list[str]:
    """The names of all classes of the package that stand on the base and can be made."""
    for module in pkgutil.walk_packages(lexicloud.__path__, "lexicloud."):
        if module.name != "lexicloud.__main__":  # which runs on import
            importlib.import_module(module.name)
    found, waiting = set(), [Result]
    while waiting:
        below = waiting.pop().__subclasses__()
        waiting += below
        found |= {
            cls.__name__ for cls in below if cls.__module__.startswith("lexicloud.") and not _abstract(cls)
        }
    return sorted(found)


def _abstract(cls: type) -> bool:
    return inspect.isabstract(cls) or cls is TabularResult
