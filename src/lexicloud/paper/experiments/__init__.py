"""The experiments by name, in the order of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from lexicloud.paper.comparison import Report
from lexicloud.paper.experiments import (
    checks,
    clusters,
    datasets,
    label_books,
    other_vectors,
    parts_of_speech,
    sentence_search,
    survey,
    trial,
)
from lexicloud.paper.workbench import Workbench


@dataclass(frozen=True)
class Experiment:
    """One experiment: its name and title, the function that runs it, and about how many seconds it takes.

    The seconds are for two cores, and are only used to estimate the time left.
    """

    name: str
    title: str
    run: Callable[[Workbench], Report]
    seconds: float


EXPERIMENTS: Final = {
    experiment.name: experiment
    for experiment in (
        Experiment("datasets", "Dataset statistics", datasets.statistics, 180),
        Experiment("kl", "Books labelled by divergence", label_books.run, 250),
        Experiment("trial", "k-NN against categorical as documents grow", trial.run, 130),
        Experiment("neighbours", "Neighbours of the same part of speech", parts_of_speech.neighbours, 55),
        Experiment("pos", "Part-of-speech composition", parts_of_speech.composition, 25),
        Experiment("projections", "Words on a plane: t-SNE, PCA, MDS", parts_of_speech.projections, 140),
        Experiment("zipf", "Word count against rank", datasets.ranks, 5),
        Experiment("clusters", "Cluster size against rank", clusters.run, 30),
        Experiment("slopes", "Slope of cluster sizes against k", clusters.slopes, 20),
        Experiment("vectors", "The same tables with other vectors", other_vectors.run, 250),
        Experiment("unique", "Suggestions that only one method makes", sentence_search.uniqueness, 180),
        Experiment("jaccard", "Pairwise Jaccard similarity of suggestions", sentence_search.similarity, 3),
        Experiment("examples", "Example suggestions", sentence_search.run, 10),
        Experiment("survey", "The questionnaires", survey.run, 1),
        Experiment("checks", "Published numbers beside each other", checks.run, 60),
    )
}
