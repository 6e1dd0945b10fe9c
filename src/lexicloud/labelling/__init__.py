"""Labels for short texts from a handful of examples, explained word by word."""

from lexicloud.labelling.labeller import Labeller
from lexicloud.labelling.text_labels import LabelReasons, TextLabel, ToLabel, WordReason

__all__ = ["LabelReasons", "Labeller", "TextLabel", "ToLabel", "WordReason"]
