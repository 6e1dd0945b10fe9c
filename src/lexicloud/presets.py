"""Published settings by name: `preset="paper"` is what the paper's text says, `"authors"` what its code does.

Use them as `divergence(…, preset="paper")`, `index.search(…, preset="paper")`,
`part_of_speech_table(…, preset="paper")` and `rules=preset("paper").rules` where a corpus is read. An option that is
given beside a preset wins. Text and code differ in:

- *Equation 4's neighbours.* The text speaks of points. If every repetition of a word were a point, the nearest point
  would be at distance zero. "paper" takes distinct other words, weighted by their counts. "authors" counts the word
  itself as its own first neighbour and squares the distances in the other text.
- *α.* The text takes the mean of 1 ± 1e-5, which is the limit at 1 to every digit that counts. The code takes the mean
  of 0.99 and 1.01.
- *The ball of a query word.* In the text it holds the nearest words without the word itself; the code keeps the word.
  The published answers come from the code, so both presets keep the word; `own_words=False` leaves it out.
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
    """All settings of a paper: how text is cut, how words are tagged, and the options of divergence and search.

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
        """How text is cut into words and sentences; where punkt is not installed, our own rules find the sentences."""
        from lexicloud.text import TokenRules

        there = self.tokens["sentences"] != "punkt" or _has_punkt()
        return TokenRules(**self.tokens if there else {**self.tokens, "sentences": "rules"})

    def said(self, *parts: str) -> str:
        """Return the settings of some parts, in one line.

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
    """Write out options as name and value; the options of a method follow its name in brackets."""
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
    """Replace `preset` among the options of a search by its settings; options that are given beside it win.

    >>> search_options({"preset": "paper", "top": 3, "r": 5})["r"]
    5
    """
    given = dict(options)
    name = given.pop("preset", None)
    return given if name is None else {**preset(name).search, **given}
