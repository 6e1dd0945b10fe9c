"""The paper's experiments, one file each."""

from lexicloud.paper.experiments.table import EXPERIMENTS, Experiment

__all__ = ["EXPERIMENTS", "Experiment"]
