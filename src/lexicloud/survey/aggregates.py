"""What other studies found, beside ours: the paper's own questionnaires, or a file of aggregates in its shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from lexicloud.errors import InputError
from lexicloud.survey.panel import PAPER_NAMES

_CRITERIA: Final = {"preference": "usefulness", "variety": "variety"}


@dataclass(frozen=True)
class Aggregates:
    """Shares that somebody published, without who answered what: so without intervals that could be trusted."""

    name: str
    shares: Mapping[tuple[str, str], Mapping[str, float]]  # (task, criterion) → method → share
    wins: Mapping[tuple[str, str, str], float] = field(
        default_factory=dict
    )  # (criterion, first, second) → share

    def share(self, task: str, criterion: str, method: str) -> float | None:
        """Return the share of a method, under our name or the paper's."""
        return self.shares.get((task, criterion), {}).get(_known(method))

    def won(self, criterion: str, first: str, second: str) -> float | None:
        """Return the share of head-to-heads that the first won."""
        return self.wins.get((criterion, _known(first), _known(second)))


# Section "Qualitative Results via Questionnaire" of the paper: 58 and 49 participants.
PAPER: Final = Aggregates(
    "the paper",
    {
        ("choose", "usefulness"): {
            "setcover": 0.57,
            "average": 0.63,
            "wmd": 0.61,
            "jaccard": 0.58,
            "levenshtein": 0.61,
        },
        ("head-to-head", "usefulness"): {"setcover": 0.44},
        ("head-to-head", "variety"): {"setcover": 0.47},
    },
)


def read_aggregates(path: str | Path) -> Aggregates:
    """Read a file such as the paper's choose-3-results.json or head-to-head-results.json."""
    path = Path(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path} is no JSON ({error})") from error
    methods = {name: entry for name, entry in content.items() if isinstance(entry, dict)}
    heads = {name: entry for name, entry in methods.items() if "wins" in entry and "losses" in entry}
    if heads:
        return _heads(path.name, heads)
    answered = content.get("num_answered_unweighted")
    chosen = {
        _known(name): entry["included_count_unweighted"] / answered
        for name, entry in methods.items()
        if answered and "included_count_unweighted" in entry
    }
    if not chosen:
        raise InputError(f"{path} has neither included_count_unweighted nor wins and losses of any method")
    return Aggregates(path.name, {("choose", "usefulness"): chosen})


def _heads(name: str, methods: Mapping[str, Any]) -> Aggregates:
    shares: dict[tuple[str, str], dict[str, float]] = {("head-to-head", c): {} for c in _CRITERIA.values()}
    wins: dict[tuple[str, str, str], float] = {}
    for method, entry in methods.items():
        for theirs, ours in _CRITERIA.items():
            # The paper's own set cover only: its weighted variant met the others too.
            met = [m for m in entry["losses"].get(theirs, {}) if method in PAPER_NAMES and m in PAPER_NAMES]
            won = {other: entry["wins"][theirs][other] for other in met}
            lost = {other: entry["losses"][theirs][other] for other in met}
            for other in met:
                wins[ours, _known(method), _known(other)] = won[other] / (won[other] + lost[other])
            if met:
                total = sum(won.values())
                shares["head-to-head", ours][_known(method)] = total / (total + sum(lost.values()))
    return Aggregates(name, shares, wins)


def _known(method: str) -> str:
    return PAPER_NAMES.get(method, method)
