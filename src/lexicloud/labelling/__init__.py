"""Labels for short texts from a handful of examples, explained word by word."""

from lexicloud.labelling.labeller import Labeller
from lexicloud.labelling.text_labels import (
    LabelChange,
    LabelledTexts,
    LabelReasons,
    LabelShare,
    Suspect,
    SuspectedLabels,
    TextLabel,
    TextsToLabel,
    ToLabel,
)

__all__ = [
    "LabelChange",
    "LabelReasons",
    "LabelShare",
    "LabelledTexts",
    "Labeller",
    "Suspect",
    "SuspectedLabels",
    "TextLabel",
    "TextsToLabel",
    "ToLabel",
]
