"""Who wrote it: texts scored against known ones, verification, changes of author within a text, and contrasts."""

from typing import TYPE_CHECKING

# These functions share their name with their module, which would hide them if it were imported first.
from lexicloud.authorship.consensus import Consensus, choose_features, consensus
from lexicloud.authorship.contrast import Contrast, contrast
from lexicloud.authorship.drift import drift
from lexicloud.authorship.leave_one_out import Attribution, leave_one_out
from lexicloud.authorship.rolling import Rolling, rolling
from lexicloud.authorship.style import Style, style
from lexicloud.authorship.verify import Verification, calibrate, verify
from lexicloud.lazy import attach

if TYPE_CHECKING:
    from lexicloud.authorship.classifier import DivergenceClassifier
    from lexicloud.authorship.features import Features, settings
    from lexicloud.authorship.impostors import Population
    from lexicloud.authorship.model import Answer, AttributionModel, train

__all__ = [
    "Answer",
    "Attribution",
    "AttributionModel",
    "Consensus",
    "Contrast",
    "DivergenceClassifier",
    "Features",
    "Population",
    "Rolling",
    "Style",
    "Verification",
    "calibrate",
    "choose_features",
    "consensus",
    "contrast",
    "drift",
    "leave_one_out",
    "rolling",
    "settings",
    "style",
    "train",
    "verify",
]

__getattr__, __dir__ = attach(
    __name__,
    submod_attrs={
        "classifier": ["DivergenceClassifier"],
        "features": ["Features", "settings"],
        "impostors": ["Population"],
        "model": ["Answer", "AttributionModel", "train"],
    },
)
