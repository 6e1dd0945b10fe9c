"""What a divergence is to be read against: one source, one hand, different hands.
 A divergence of word frequencies grows as texts get shorter, so a number alone says little. Two yardsticks go
with it: what two texts of the same lengths give that are dealt from the blocks of both, and where the value
stands among reference pairs of that length, by one hand and by different hands.
`benchmarks/reference_pairs.py` made the reference.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.result import Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Method
    from lexicloud.divergences.uncertainty import Pair

    Floats = NDArray[np.float64]

RELATIONS: Final = ("one text", "one hand", "different hands")
DEALS: Final = 20


@dataclass(frozen=True)
class Standing(Result):
    """Where two texts stand among reference pairs: the share of pairs that are at least as far apart.

    `tokens` is the length that was compared: the middle of both texts, no longer than the shorter one or than
    the reference; `value` is the divergence there.
    """

    tokens: int
    value: float
    one_text: float
    one_hand: float
    different_hands: float

    def __str__(self) -> str:
        return (
            f"nearer than {self.different_hands:.0%} of pairs by different hands, "
            f"farther apart than {1 - self.one_hand:.0%} of pairs by one"
        )


@dataclass(frozen=True)
class Yardstick(Result):
    """What texts of one source and these lengths give, how much more was found, and where that stands.

    `standing` is None where there is no reference: other languages, other options, other vectors, short
    texts.
    """

    same_source: float
    excess: float
    deals: int
    standing: Standing | None = None


def standing(corpus: Corpus, method: Method, pair: Pair) -> Standing | None:
    """Compare the middles of two texts with the reference pairs of their length."""
    table = reference_pairs()
    n = min(len(pair.a), len(pair.b), table["lengths"][-1])
    if n < table["lengths"][0] or not _applies(table, corpus, method):
        return None
    value = float(pair.values([_middle(pair.a, n)], [_middle(pair.b, n)])[0])
    direction = "both" if pair.symmetric else "one"
    shares = [_share(table, method.name, direction, relation, n, value) for relation in RELATIONS]
    return Standing(n, value, *shares)


@cache
def reference_pairs() -> dict[str, Any]:
    """Return the table of reference pairs: quantiles of the divergence by method, length and relation."""
    source = resources.files("lexicloud.divergences") / "reference" / "pairs.json"
    table: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return table


def _applies(table: dict[str, Any], corpus: Corpus, method: Method) -> bool:
    """Tell whether the reference was made in this language, with these options and, where they matter, these
    vectors.
    """
    made = table["methods"].get(method.name)
    if made is None or corpus.rules.language != table["language"]:
        return False
    if made["vectors"] and corpus.lexicon.source != made["vectors"]:
        return False
    return bool({k: v for k, v in method.to_dict().items() if k != "method"} == made["options"])


def _share(table: dict[str, Any], method: str, direction: str, relation: str, n: int, value: float) -> float:
    """Return the share of reference pairs at least as far apart, between lengths by the logarithm of the
    length.
    """
    by_length = np.array(table["methods"][method][direction][relation])
    at = np.interp(np.log(n), np.log(table["lengths"]), np.arange(len(by_length)))
    low = min(int(at), len(by_length) - 2)
    quantiles = by_length[low] + (at - low) * (by_length[low + 1] - by_length[low])
    share = 1 - float(np.interp(value, quantiles, table["levels"]))
    # Of so many pairs the farthest stands for itself: no share is zero.
    return max(share, 1 / (int(table["pairs"]) + 1))


def _middle(tokens: NDArray[np.int32], n: int) -> NDArray[np.int32]:
    start = (len(tokens) - n) // 2
    return tokens[start : start + n]
