"""Settings as published, under one word: `preset="paper"` as the paper's text has them, `"authors"` as its code has.

They are given to what they set: `divergence(…, preset="paper")`, `index.search(…, preset="paper")`,
`part_of_speech_table(…, preset="paper")`, and `rules=preset("paper").rules` where a corpus is read. An option that is
given beside a preset wins. Where text and code differ:

- *Equation 4's neighbours.* The text speaks of points; of repeated words taken as points the nearest would be at
  distance zero. "paper" takes distinct other words, weighted by their counts. "authors" counts the word itself as its
  own first neighbour and squares the distances in the other text.
- *α.* The text takes the mean of 1 ± 1e-5, which is the limit at 1 to every digit that counts. The code takes the mean
  of 0.99 and 1.01.
- *The ball of a query word.* In the text it holds the nearest words without the word itself; the code keeps the word.
  The published answers are those of the code's reading, so both presets keep the word; `own_words=False` beside them
  is the text's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import OptionError
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Facts, Sentence

if TYPE_CHECKING:
    from lexicloud.text import TokenRules

    Options = Mapping[str, Any]

# Token counts at which the paper samples its books; shorter books are left out.
SIZES: Final = (3_000, 10_000, 20_000, 32_000)


@dataclass(frozen=True)
class Preset(Result):
    """All that a paper sets: how text is cut, how words are tagged, and the options of divergence and search.

    `divergence` holds options by the name of the method, `knn` first and then its baseline.
    """

    name: str
    about: str
    tokens: Options
    tags: Options
    divergence: Mapping[str, Options]
    search: Options
    notes: tuple[str, ...] = ()

    @property
    def rules(self) -> TokenRules:
        """How text is cut into words and sentences; sentences by our own rules where punkt is not installed."""
        from lexicloud.text import TokenRules

        there = self.tokens["sentences"] != "punkt" or _has_punkt()
        return TokenRules(**self.tokens if there else {**self.tokens, "sentences": "rules"})

    def said(self, *parts: str) -> str:
        """Return what some parts set, in one line.

        >>> preset("paper").said("tags")
        'as published (paper): tags: tagger nltk, grouping authors'
        """
        lines = [f"{part}: {_listed(getattr(self, part))}" for part in parts]
        return f"as published ({self.name}): {'; '.join(lines)}"

    def blocks(self) -> list[Block]:
        """Return whose settings these are, and all of them."""
        parts = ("tokens", "tags", "divergence", "search")
        return [
            Sentence(f"{self.about}.", "answer"),
            Facts(tuple((part, _listed(getattr(self, part))) for part in parts)),
            *(Sentence(f"{note}.", "note") for note in self.notes),
        ]


def _has_punkt() -> bool:
    """Tell whether NLTK's model of sentences is installed."""
    import nltk

    try:
        nltk.data.find("tokenizers/punkt_tab")
    except LookupError:
        return False
    return True


def _listed(options: Options) -> str:
    """Write options out: name and value, those of a method after its name."""
    return ", ".join(
        f"{name} ({_listed(value)})" if isinstance(value, Mapping) else f"{name} {value}"
        for name, value in options.items()
    )


_SEARCH: Final = {
    "weighting": "uniform",
    "r": 10,
    "rho": 0.5,
    "keep": 0.0,
    "min_tokens": 5,
    "max_tokens": 15,
    "near_copy": 9,
}
_TOKENS: Final = {"tokenizer": "nltk", "sentences": "punkt", "lowercase": False}
_TAGS: Final = {"tagger": "nltk", "grouping": "authors"}
_NOTES: Final = (
    "The paper used fastText vectors of 300 dimensions with upper case; yours are whatever you load",
    "NLTK cuts don't into do and n't; n't is a stop word here and is none in the authors' list",
)
PRESETS: Final = {
    found.name: found
    for found in (
        Preset(
            "paper",
            "Settings of the paper's text",
            _TOKENS,
            _TAGS,
            {"knn": {"k": 3, "alpha": 1.0}, "categorical": {"support": "intersection", "words": "content"}},
            _SEARCH,
            _NOTES,
        ),
        Preset(
            "authors",
            "Settings of the authors' code",
            _TOKENS,
            _TAGS,
            {
                "knn": {"k": 3, "alpha": 1.0, "compat": "authors"},
                "categorical": {"support": "intersection", "words": "content", "compat": "authors"},
            },
            _SEARCH,
            _NOTES,
        ),
    )
}


def preset(name: str) -> Preset:
    """Return a preset by its name.

    >>> preset("paper").divergence["knn"]
    {'k': 3, 'alpha': 1.0}
    """
    if name not in PRESETS:
        raise OptionError(f"no preset {name!r}: there are {' and '.join(PRESETS)}")
    return PRESETS[name]


def search_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a search with those of a `preset` among them put in; what is given beside it wins.

    >>> search_options({"preset": "paper", "top": 3, "r": 5})["r"]
    5
    """
    given = dict(options)
    name = given.pop("preset", None)
    return given if name is None else {**preset(name).search, **given}
