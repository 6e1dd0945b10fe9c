"""The experiments by name, in the order of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lexicloud.paper.tables import Report
    from lexicloud.paper.workbench import Workbench


@dataclass(frozen=True)
class Experiment:
    """One experiment: what it is called, what it shows, and the module whose function `run` runs it."""

    name: str
    title: str
    module: str
    function: str = "run"

    def run(self, bench: Workbench) -> Report:
        """Run it; what was computed before is not computed again."""
        module = import_module(f"lexicloud.paper.experiments.{self.module}")
        report: Report = getattr(module, self.function)(bench)
        return report


EXPERIMENTS: Final = {
    experiment.name: experiment
    for experiment in (
        Experiment("datasets", "Dataset statistics", "statistics"),
        Experiment("kl", "Books labelled by divergence", "labelling"),
        Experiment("neighbours", "Neighbours of the same part of speech", "neighbours"),
        Experiment("pos", "Part-of-speech composition", "composition"),
        Experiment("projections", "Words on a plane: t-SNE, PCA, MDS", "projections"),
        Experiment("zipf", "Word count against rank", "ranks"),
        Experiment("clusters", "Cluster size against rank", "clusters"),
        Experiment("slopes", "Slope of cluster sizes against k", "slopes"),
        Experiment("unique", "Suggestions that only one method makes", "variety", "uniqueness"),
        Experiment("jaccard", "Pairwise Jaccard similarity of suggestions", "variety", "similarity"),
        Experiment("examples", "Example suggestions", "examples"),
        Experiment("survey", "The questionnaires", "survey"),
    )
}
