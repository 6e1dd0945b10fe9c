"""The colours of every figure and page: Okabe and Ito's palette, safe for colour-blind readers."""

from __future__ import annotations

from typing import Final

CATEGORICAL: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#666666")
SEQUENTIAL: Final = "cividis"  # matplotlib and plotly both know it under this name
TOWARDS, APART = "#0072B2", "#D55E00"  # words that bring texts together, and words that set them apart
PARTS_OF_SPEECH: Final = {
    "noun": "#0072B2",
    "verb": "#D55E00",
    "adjective": "#009E73",
    "adverb": "#CC79A7",
    "pronoun": "#E69F00",
    "other": "#888888",
}
