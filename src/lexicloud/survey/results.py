"""From answers to results: shares, comparisons, strengths, agreement, places and attention, for each arm.

It also reads the published shares of other studies, such as the paper's own questionnaires.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import comb
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, ClassVar, Final

from lexicloud.errors import InputError
from lexicloud.result import Result, TabularResult, columns_of_rows
from lexicloud.survey.design import Arm, read_json
from lexicloud.survey.inference import (
    FEWEST,
    Interval,
    answers_needed,
    holm,
    krippendorff_alpha,
    ratio_interval,
    sign_flip,
    strengths,
)
from lexicloud.survey.suggestions import PAPER_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from lexicloud.say.blocks import Block
    from lexicloud.survey.answer_store import GivenAnswer, Participant
    from lexicloud.survey.design import Study
    from lexicloud.survey.inference import Floats

HASTE: Final = 3.0  # seconds; to read five sentences, some fifty words, takes at least ten
FEW: Final = 5  # answers needed before somebody is called hasty
# A participant is flagged for choosing the same places if somebody who chooses them LIKING times as often as chance
# (at most the share LIKING_MOST) would do so as often with a probability below HARDLY.
LIKING, LIKING_MOST, HARDLY = 2.0, 0.7, 0.001
_CRITERIA: Final = {"preference": "usefulness", "variety": "variety"}  # the paper's name → ours


@dataclass(frozen=True)
class MethodShare(Result):
    """How often a method was chosen where it was shown, and how often it would be by chance."""

    method: str
    chosen: int
    shown: int
    share: Interval
    chance: float


@dataclass(frozen=True)
class Comparison(Result):
    """Two methods: the difference of their chosen shares, or the share of head-to-heads that the first won.

    `p_value` is for the hypothesis that people have no preference between the two; `p_holm` allows for the number
    of comparisons of this arm. `needed` is the total number of answers to this comparison with which a difference
    of five points would be found four times in five.
    """

    first: str
    second: str
    answers: int
    value: Interval
    none: float  # the value if there is no preference: 0 for a difference, 0.5 for a share of wins
    p_value: float | None
    p_holm: float | None
    needed: int | None


@dataclass(frozen=True)
class Positions(Result):
    """How often each place on the screen was chosen, and the p-value of the hypothesis that places do not matter."""

    shares: tuple[Interval, ...]
    chance: float
    p_value: float | None


@dataclass(frozen=True)
class Flag(Result):
    """A participant whose answers look careless, and why."""

    participant: str
    reason: str


@dataclass(frozen=True)
class Times(Result):
    """Seconds per answer: the median, and the limits below and above which a tenth of the answers is."""

    answers: int
    low: float
    median: float
    high: float


@dataclass(frozen=True, repr=False)
class ArmResults(TabularResult):
    """The results of one arm of a study."""

    _left_out: ClassVar[tuple[str, ...]] = ("arm",)
    _derived: ClassVar[tuple[str, ...]] = ("name", "task", "criterion")

    arm: Arm
    participants: int
    answers: int
    shares: tuple[MethodShare, ...] = ()
    attentive: tuple[MethodShare, ...] = ()  # the shares without flagged participants
    by_group: Mapping[str, tuple[MethodShare, ...]] = field(default_factory=dict)
    p_equal: float | None = None  # of the hypothesis that no method is preferred to another
    comparisons: tuple[Comparison, ...] = ()
    strengths: Mapping[str, Interval] = field(default_factory=dict)
    agreement: Interval | None = None
    positions: Positions | None = None
    seconds: Times | None = None
    flags: tuple[Flag, ...] = ()

    @property
    def name(self) -> str:
        """The name of the arm in reports."""
        return self.arm.name

    @property
    def task(self) -> str:
        """`choose` or `head-to-head`."""
        return self.arm.task

    @property
    def criterion(self) -> str:
        """`usefulness` or `variety`."""
        return self.arm.criterion

    def to_columns(self) -> dict[str, Any]:
        """Return how often each method was chosen, with its interval."""
        rows = [
            {"arm": self.name, "method": s.method, "chosen": s.chosen, "shown": s.shown, **s.share.to_dict()}
            for s in self.shares
        ]
        return columns_of_rows(rows, ("arm", "method", "chosen", "shown", "value", "low", "high"))

    def blocks(self) -> list[Block]:
        """Return the answer in words, beside what the paper found."""
        from lexicloud.survey.results_page import arm_blocks

        return arm_blocks(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the chosen shares with their intervals and the chance level; return the axes."""
        from lexicloud.survey.results_page import draw_shares

        return draw_shares(self, ax)

    def plot_strengths(self, ax: Axes | None = None) -> Axes:
        """Draw the Bradley–Terry strengths with their intervals; return the axes."""
        from lexicloud.survey.results_page import draw_strengths

        return draw_strengths(self, ax)

    def __repr__(self) -> str:
        return f"<ArmResults of {self.name}: {self.participants} participants, {self.answers:,} answers>"


@dataclass(frozen=True, repr=False)
class Results(TabularResult):
    """The results of all answers to a study."""

    title: str
    checksum: str
    arms: tuple[ArmResults, ...]
    background: Mapping[str, Mapping[str, int]]  # question → answer → how many gave it
    participants: tuple[str, ...]
    seed: int = 0

    def to_columns(self) -> dict[str, Any]:
        """Return the shares of every arm and method."""
        arms = [arm.to_columns() for arm in self.arms]
        return {name: [value for arm in arms for value in arm[name]] for name in arms[0]}

    def blocks(self) -> list[Block]:
        """Return the answer in words: who took part, what each arm says, and how sure it is."""
        from lexicloud.survey.results_page import study_blocks

        return study_blocks(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares of the first arm; return the axes."""
        return self.arms[0].plot(ax)

    def _figures(self) -> dict[str, Callable[[], Axes]]:
        figures: dict[str, Callable[[], Axes]] = {}
        for arm in self.arms:
            name = arm.name.replace(" ", "-")
            figures |= {f"shares_{name}": arm.plot} if arm.shares else {}
            figures |= {f"strengths_{name}": arm.plot_strengths} if arm.strengths else {}
        return figures

    def page(self, beside: Sequence[Aggregates] = ()) -> str:
        """Return one self-contained page of HTML; `beside` is the paper's results by default."""
        from lexicloud.survey.results_page import page

        return page(self, beside).render()

    def write(
        self, folder: str | Path, name: str | None = None, *, beside: Sequence[Aggregates] = ()
    ) -> list[Path]:
        """Write the page, the plots, CSV and JSON into a folder, and return the files."""
        from lexicloud.survey.results_page import write_page

        files = super().write(folder, name)
        return [*write_page(self, files[0], beside), *files]

    def __repr__(self) -> str:
        answers = sum(arm.answers for arm in self.arms)
        return f"<Results of {self.title!r}: {len(self.participants)} participants, {answers:,} answers>"


def score(
    study: Study, answers: Sequence[GivenAnswer], participants: Sequence[Participant] = (), seed: int = 0
) -> Results:
    """Return the results of all answers to a study."""
    free = {b.id for b in study.background if not b.options}
    background: dict[str, dict[str, int]] = {
        b.id: dict.fromkeys(b.options, 0) for b in study.background if b.options
    }
    for person in participants:
        for question, told in person.background.items():
            if question not in free:
                background[question][told] += 1
    arms = [
        _score_arm(study, arm, [a for a in answers if a.arm == i], seed) for i, arm in enumerate(study.arms)
    ]
    people = dict.fromkeys([p.id for p in participants] + [a.participant for a in answers])
    return Results(study.title, study.checksum, tuple(arms), background, tuple(people), seed)


def _score_arm(study: Study, arm: Arm, answers: list[GivenAnswer], seed: int) -> ArmResults:
    if not answers:
        return ArmResults(arm, 0, 0)
    counts = count_answers(study, arm, answers)
    flags = tuple(flagged(answers, arm))
    careless = {flag.participant for flag in flags}
    attentive = [a for a in answers if a.participant not in careless]
    return ArmResults(
        arm,
        participants=len(counts.people),
        answers=len(answers),
        shares=_shares(counts, seed),
        attentive=_shares(count_answers(study, arm, attentive), seed) if flags and attentive else (),
        by_group=_by_group(study, arm, answers, seed),
        p_equal=_p_equal(counts, seed),
        comparisons=_comparisons(study, counts, seed),
        strengths=dict(zip(study.methods, strengths(counts.wins, seed), strict=False)),
        agreement=krippendorff_alpha(counts.judgements),
        positions=_positions(counts, seed),
        seconds=times(answers),
        flags=flags,
    )


def _shares(counts: ArmCounts, seed: int) -> tuple[MethodShare, ...]:
    found = []
    for i, method in enumerate(counts.methods):
        chosen, shown = counts.chosen[:, i], counts.shown[:, i]
        if shown.sum():
            share = ratio_interval(chosen, shown, seed)
            found.append(MethodShare(method, int(chosen.sum()), int(shown.sum()), share, counts.chance))
    return tuple(found)


def _by_group(
    study: Study, arm: Arm, answers: list[GivenAnswer], seed: int
) -> dict[str, tuple[MethodShare, ...]]:
    groups = {query.id: query.group for query in study.queries}
    names = sorted({group for a in answers if (group := groups[a.query]) is not None})
    if len(names) < 2:
        return {}
    chosen = {name: [a for a in answers if groups[a.query] == name] for name in names}
    return {name: _shares(count_answers(study, arm, given), seed) for name, given in chosen.items()}


def _p_equal(counts: ArmCounts, seed: int) -> float | None:
    if len(counts.people) < FEWEST:
        return None
    return sign_flip(counts.chosen - counts.chance * counts.shown, seed)


def _comparisons(study: Study, counts: ArmCounts, seed: int) -> tuple[Comparison, ...]:
    found: list[Comparison] = []
    for first, second in study.pairs:
        margin, games, none = counts.margin(first, second)
        if not games.sum():
            continue
        value = ratio_interval(margin, games, seed)
        enough = int((games > 0).sum()) >= FEWEST
        p_value = sign_flip(margin - none * games, seed) if enough else None
        needed = answers_needed(margin, games) if enough else None
        found.append(Comparison(first, second, int(games.sum()), value, none, p_value, None, needed))
    adjusted = iter(holm([c.p_value for c in found if c.p_value is not None]))
    return tuple(
        Comparison(**{**vars(c), "p_holm": None if c.p_value is None else next(adjusted)}) for c in found
    )


def _positions(counts: ArmCounts, seed: int) -> Positions:
    answers = counts.places_shown
    shares = [ratio_interval(column, answers, seed) for column in counts.places.T]
    enough = len(counts.people) >= FEWEST
    p_value = sign_flip(counts.places - counts.chance * answers[:, None], seed) if enough else None
    return Positions(tuple(shares), counts.chance, p_value)


@dataclass(frozen=True, eq=False)
class ArmCounts:
    """Counts by participant, from which every statistic is computed."""

    people: tuple[str, ...]
    methods: tuple[str, ...]
    task: str
    chance: float  # the probability that a shown suggestion is chosen at random
    chosen: Floats  # people × methods
    shown: Floats  # people × methods
    # people × methods × methods: the first was chosen where both were shown and the second was not
    wins: Floats
    places: Floats  # people × places on the screen: how often something there was chosen
    places_shown: Floats  # people: their answers
    judgements: Floats  # people × units: 1, 0, or nan

    def margin(self, first: str, second: str) -> tuple[Floats, Floats, float]:
        """Return a numerator and a denominator of a comparison for each person, and its value without a preference.

        Choose: times the first was chosen minus times the second was, over answers. Head to head: wins over meetings.
        """
        a, b = self.methods.index(first), self.methods.index(second)
        if self.task == "choose":
            return self.chosen[:, a] - self.chosen[:, b], self.shown[:, a], 0.0
        return self.wins[:, a, b], self.wins[:, a, b] + self.wins[:, b, a], 0.5


def count_answers(study: Study, arm: Arm, answers: Sequence[GivenAnswer]) -> ArmCounts:
    """Count the answers of one arm."""
    import numpy as np

    people = list(dict.fromkeys(answer.participant for answer in answers))
    row = {person: i for i, person in enumerate(people)}
    column = {method: i for i, method in enumerate(study.methods)}
    who = np.array([row[answer.participant] for answer in answers])
    seen = np.array([[column[method] for method in answer.shown] for answer in answers])
    picked = np.array([[method in answer.chosen for method in answer.shown] for answer in answers])
    width = seen.shape[1]
    chosen, shown = np.zeros((len(people), len(column))), np.zeros((len(people), len(column)))
    wins, places = np.zeros((len(people), len(column), len(column))), np.zeros((len(people), width))
    np.add.at(shown, (who[:, None], seen), 1)
    np.add.at(chosen, (who[:, None], seen), picked)
    np.add.at(places, (who[:, None], np.arange(width)), picked)
    for i, j in permutations(range(width), 2):
        np.add.at(wins, (who, seen[:, i], seen[:, j]), picked[:, i] & ~picked[:, j])
    return ArmCounts(
        people=tuple(people),
        methods=tuple(column),
        task=arm.task,
        chance=len(answers[0].chosen) / width,
        chosen=chosen,
        shown=shown,
        wins=wins,
        places=places,
        places_shown=np.bincount(who, minlength=len(people)).astype(float),
        judgements=_judgements(row, column, answers),
    )


def _judgements(row: dict[str, int], column: dict[str, int], answers: Sequence[GivenAnswer]) -> Floats:
    """Return each person's judgement of each unit: a method's suggestion for a query, or a pair of lists."""
    import numpy as np

    said: dict[tuple[str, ...], dict[int, bool]] = {}
    for answer in answers:
        person = row[answer.participant]
        named = sorted(answer.shown, key=column.__getitem__)
        if len(named) == 2:  # one unit: did the first of the two win?
            said.setdefault((answer.query, *named), {})[person] = named[0] in answer.chosen
        else:
            for method in named:
                said.setdefault((answer.query, method), {})[person] = method in answer.chosen
    values = np.full((len(row), len(said)), np.nan)
    for unit, judged in enumerate(said.values()):
        values[list(judged), unit] = list(judged.values())
    return values


def times(answers: Sequence[GivenAnswer]) -> Times | None:
    """Return how long answers took, or None where nobody measured it."""
    import numpy as np

    seconds = [answer.seconds for answer in answers if answer.seconds is not None]
    if not seconds:
        return None
    low, middle, high = np.quantile(seconds, [0.1, 0.5, 0.9])
    return Times(len(seconds), float(low), float(middle), float(high))


def flagged(answers: Sequence[GivenAnswer], arm: Arm) -> list[Flag]:
    """Return participants who keep choosing the same places, or who answer faster than anybody can read.

    Methods change places from question to question, so a preference for a method does not look like this.
    """
    people: dict[str, list[GivenAnswer]] = {}
    for answer in answers:
        people.setdefault(answer.participant, []).append(answer)
    found = []
    for person, given in people.items():
        reasons = [reason for reason in (_same_places(given, arm), _haste(given)) if reason]
        found += [Flag(person, "; ".join(reasons))] if reasons else []
    return found


def _same_places(answers: Sequence[GivenAnswer], arm: Arm) -> str | None:
    shown = len(answers[0].shown)
    patterns = comb(shown, arm.choose if arm.task == "choose" else 1)
    counts = Counter(tuple(a.shown.index(method) + 1 for method in a.chosen) for a in answers)
    places, most = counts.most_common(1)[0]
    if patterns * _tail(len(answers), most, min(LIKING_MOST, LIKING / patterns)) >= HARDLY:
        return None
    where = ", ".join("AB"[p - 1] if arm.task == "head-to-head" else str(p) for p in places)
    return f"chose {where} in {most} of {len(answers)} answers"


def _tail(n: int, least: int, chance: float) -> float:
    """Return the probability of at least `least` successes in n trials."""
    return sum(comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(least, n + 1))


def _haste(answers: Sequence[GivenAnswer]) -> str | None:
    seconds = [a.seconds for a in answers if a.seconds is not None]
    if len(seconds) < FEW or median(seconds) >= HASTE:
        return None
    return f"half of {len(seconds)} answers took less than {median(seconds):.1f} seconds"


# ---- what other studies found


@dataclass(frozen=True)
class Aggregates:
    """Published shares of another study, without single answers, and so without reliable intervals."""

    name: str
    shares: Mapping[tuple[str, str], Mapping[str, float]]  # (task, criterion) → method → share
    # (criterion, first, second) → share
    wins: Mapping[tuple[str, str, str], float] = field(default_factory=dict)

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
    content = read_json(path)
    if not isinstance(content, dict):
        raise InputError(f"{path} holds a {type(content).__name__}: aggregates are an object of methods")
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
