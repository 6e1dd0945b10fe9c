"""The experiments by name, in the order of the paper; a file for each or for a few that belong together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from lexicloud.paper.entries import Report
from lexicloud.paper.experiments import (
    clusters,
    datasets,
    label_tables,
    other_vectors,
    parts_of_speech,
    projections,
    sentence_search,
    survey,
    trial,
    variety,
)
from lexicloud.paper.workbench import Workbench


@dataclass(frozen=True)
class Experiment:
    """One experiment: its name and title, the function that runs it, and the seconds that it took on two cores."""

    name: str
    title: str
    run: Callable[[Workbench], Report]
    seconds: float = 10.0


EXPERIMENTS: Final = {
    experiment.name: experiment
    for experiment in (
        Experiment("datasets", "Dataset statistics", datasets.statistics),
        Experiment("kl", "Books labelled by divergence", label_tables.run),
        Experiment("trial", "k-NN against categorical as documents grow", trial.run),
        Experiment("neighbours", "Neighbours of the same part of speech", parts_of_speech.neighbours),
        Experiment("pos", "Part-of-speech composition", parts_of_speech.composition),
        Experiment("projections", "Words on a plane: t-SNE, PCA, MDS", projections.run),
        Experiment("zipf", "Word count against rank", datasets.ranks),
        Experiment("clusters", "Cluster size against rank", clusters.run),
        Experiment("slopes", "Slope of cluster sizes against k", clusters.slopes),
        Experiment("vectors", "The same tables with other vectors", other_vectors.run),
        Experiment("unique", "Suggestions that only one method makes", variety.uniqueness),
        Experiment("jaccard", "Pairwise Jaccard similarity of suggestions", variety.similarity),
        Experiment("examples", "Example suggestions", sentence_search.run),
        Experiment("survey", "The questionnaires", survey.run),
    )
}
