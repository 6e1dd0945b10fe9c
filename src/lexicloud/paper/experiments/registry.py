"""The experiments by name, in the order of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from lexicloud.paper.corpora import Workbench
from lexicloud.paper.experiments import (
    clusters,
    datasets,
    labelling,
    neighbours,
    projections,
    suggestions,
    survey,
    variety,
)
from lexicloud.paper.tables import Report


@dataclass(frozen=True)
class Experiment:
    """One experiment: what it is called, what it shows, and the function that runs it."""

    name: str
    title: str
    run: Callable[[Workbench], Report]


EXPERIMENTS: Final = {
    experiment.name: experiment
    for experiment in (
        Experiment("datasets", "Dataset statistics", datasets.statistics),
        Experiment("kl", "Books labelled by divergence", labelling.run),
        Experiment("neighbours", "Neighbours of the same part of speech", neighbours.run),
        Experiment("pos", "Part-of-speech composition", datasets.composition),
        Experiment("projections", "Words on a plane: t-SNE, PCA, MDS", projections.run),
        Experiment("zipf", "Word count against rank", datasets.ranks),
        Experiment("clusters", "Cluster size against rank", clusters.run),
        Experiment("slopes", "Slope of cluster sizes against k", clusters.slopes),
        Experiment("unique", "Suggestions that only one method makes", variety.uniqueness),
        Experiment("jaccard", "Pairwise Jaccard similarity of suggestions", variety.similarity),
        Experiment("examples", "Example suggestions", suggestions.run),
        Experiment("survey", "The questionnaires", survey.run),
    )
}
