"""A study: the queries, what every method suggests for them, and who is asked what in which order.

A study is frozen when it is made. It is kept as one JSON file with a checksum, so that everybody is asked the same and
a report can say which study its answers belong to.

Orders are balanced over participants and, because people stop when they like, also over the first answers of each. The
order of queries is a row of a Williams square: once the square is complete, every query has been at every place, and
after every other query, equally often. Rows far apart from each other are taken first, so that the first few
participants cover all queries. The places of methods on the screen follow a Williams square of their own; the pairs of
a head-to-head alternate, and so do their sides.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from lexicloud.errors import InputError, LexicloudError, OptionError, SurveyError
from lexicloud.store.files import refuse_device
from lexicloud.store.folder import replace_text

FORMAT: Final = "lexicloud-study"
VERSION: Final = 1
TASKS: Final = ("choose", "head-to-head")
CRITERIA: Final = ("usefulness", "variety")
MOST_METHODS: Final = 9  # an option is chosen by one key, 1 to 9

CONSENT: Final = (
    "You will see a sentence and suggestions for somebody who is writing a text around it, and say which suggestions "
    "you prefer. Taking part is voluntary. You may stop after any answer and continue later, or not at all. Your "
    "answers, how long each took, and the few things you tell about yourself are kept under a random number; your "
    "name, your address and the name of your computer are not. You can ask for your answers to be removed: note the "
    "number that you are given."
)


@dataclass(frozen=True)
class Arm:
    """The task of a group of participants: choose some of the methods' sentences, or one of two lists."""

    task: str = "choose"
    criterion: str = "usefulness"
    choose: int = 3

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise OptionError(f"no task {self.task!r}: choose one of {', '.join(TASKS)}")
        if self.criterion not in CRITERIA:
            raise OptionError(f"no criterion {self.criterion!r}: choose one of {', '.join(CRITERIA)}")

    @property
    def name(self) -> str:
        """The name in reports.

        >>> Arm().name, Arm("head-to-head", "variety").name
        ('choose-3', 'head-to-head on variety')
        """
        return f"choose-{self.choose}" if self.task == "choose" else f"{self.task} on {self.criterion}"


@dataclass(frozen=True)
class BackgroundQuestion:
    """Something asked about the participant before the first question; without options it is free text."""

    id: str
    text: str
    options: tuple[str, ...] = ()
    required: bool = False

    @property
    def kind(self) -> str:
        """`choice` or `text`."""
        return "choice" if self.options else "text"


@dataclass(frozen=True)
class StudyQuery:
    """A sentence, each method's list of suggestions for it, and which of a list stands for its method in `choose`."""

    id: str
    text: str
    lists: Mapping[str, tuple[str, ...]]
    panel: Mapping[str, int]
    group: str | None = None


@dataclass(frozen=True)
class Study:
    """A frozen questionnaire; `lexicloud.survey.make_study` and `import_suggestions` make one."""

    title: str
    arms: tuple[Arm, ...]
    methods: Mapping[str, Mapping[str, Any]]  # name → the options it was searched with
    queries: tuple[StudyQuery, ...]
    background: tuple[BackgroundQuestion, ...] = ()
    consent: str = CONSENT
    pairs: tuple[tuple[str, str], ...] = ()  # the pairs of methods in head-to-head
    seed: int = 0
    # where the sentences come from, and what was left out
    source: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check(self)

    @property
    def checksum(self) -> str:
        """SHA-256 of everything in the study."""
        text = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def protocol(self) -> str:
        """The design of the study in one line: queries, methods and tasks."""
        by, tokens = self.source.get("by"), self.source.get("tokens")
        shared = f", shared evenly by {by}" if by else ""
        long = f", of {tokens[0]} to {tokens[1]} tokens" if tokens else ""
        groups = "; ".join(arm.name for arm in self.arms)
        return f"{len(self.queries)} queries{shared}{long}; methods {', '.join(self.methods)}; {groups}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self), ensure_ascii=False))
        return plain

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the study in one step; an existing file is replaced only with `overwrite`."""
        path = Path(path)
        content = {"format": FORMAT, "version": VERSION, "checksum": self.checksum, "study": self.to_dict()}
        try:
            if path.exists() and not overwrite:
                raise SurveyError(
                    f"{path} is there already, and answers may belong to it: choose another name, or overwrite it"
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
        except OSError as error:
            raise SurveyError(f"cannot write {path}: {error.strerror}") from error
        return path

    @classmethod
    def open(cls, path: str | Path) -> Study:
        """Read a study and make sure that nobody has changed it since it was frozen."""
        content = _read(Path(path))
        try:
            study = cls.from_dict(content["study"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SurveyError(f"{path} is damaged ({error}): create the study again") from error
        if content.get("checksum") != study.checksum:
            raise SurveyError(
                f"{path} was changed after it was frozen: its checksum is {study.checksum[:12]}, "
                f"{str(content.get('checksum'))[:12]} is written in it; create the study again"
            )
        return study

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Study:
        """Make a study of the plain values that `to_dict` gave."""
        queries = [
            StudyQuery(
                q["id"],
                q["text"],
                {m: tuple(found) for m, found in q["lists"].items()},
                q["panel"],
                q["group"],
            )
            for q in plain["queries"]
        ]
        background = [
            BackgroundQuestion(b["id"], b["text"], tuple(b["options"]), b["required"])
            for b in plain["background"]
        ]
        return cls(
            title=plain["title"],
            arms=tuple(Arm(**arm) for arm in plain["arms"]),
            methods=plain["methods"],
            queries=tuple(queries),
            background=tuple(background),
            consent=plain["consent"],
            pairs=tuple((a, b) for a, b in plain["pairs"]),
            seed=plain["seed"],
            source=plain["source"],
        )

    def __repr__(self) -> str:
        arms = ", ".join(arm.name for arm in self.arms)
        return f"<Study {self.title!r}: {len(self.queries)} queries, {len(self.methods)} methods, {arms}>"


def _check(study: Study) -> None:
    names = list(study.methods)
    if not 2 <= len(names) <= MOST_METHODS:
        raise OptionError(f"{len(names)} methods: a study compares 2 to {MOST_METHODS}")
    if not study.queries or not study.arms:
        raise OptionError(
            f"{len(study.queries)} queries and {len(study.arms)} tasks: there must be one of each"
        )
    for arm in study.arms:
        if arm.task == "choose" and not 1 <= arm.choose < len(names):
            raise OptionError(f"choose {arm.choose} of {len(names)} methods: choose fewer, at least 1")
        if arm.task == "head-to-head" and not study.pairs:
            raise OptionError("head-to-head needs at least one pair of methods")
    unknown = sorted({name for pair in study.pairs for name in pair} - set(names))
    if unknown:
        raise OptionError(f"the pairs name {unknown[0]!r}, but the methods are {', '.join(names)}")
    for query in study.queries:
        if set(query.lists) != set(names) or set(query.panel) != set(names):
            raise OptionError(f"query {query.id} has suggestions of other methods than {', '.join(names)}")


def read_json(path: Path, refusal: type[LexicloudError] = InputError) -> Any:
    """Return the content of a JSON file; raise `refusal` if it cannot be read."""
    try:
        refuse_device(path)
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise refusal(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise refusal(f"{path} is no JSON ({error})") from error


def _read(path: Path) -> dict[str, Any]:
    content = read_json(path, SurveyError)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise SurveyError(f"{path} is not a study: lexicloud survey create makes one")
    if not isinstance(content.get("version"), int) or content["version"] > VERSION:
        raise SurveyError(
            f"{path} has format {content.get('version')}, this lexicloud reads up to {VERSION}: upgrade lexicloud"
        )
    return content


def default_background() -> tuple[BackgroundQuestion, ...]:
    """Return what the paper asked of its participants, in words of our own."""
    return (
        BackgroundQuestion(
            "field",
            "What do you study or work in?",
            (
                "Not a student, or undecided",
                "Humanities",
                "Social sciences",
                "Engineering or hard sciences",
                "Other",
            ),
        ),
        BackgroundQuestion(
            "writing",
            "How often do you write for pleasure?",
            ("Never", "A few times a year", "A few times a month", "Several times a week"),
        ),
        BackgroundQuestion(
            "adoption",
            "How likely would you use a tool that suggests sentences while you write?",
            ("Not at all likely", "Not very likely", "Neutral", "Somewhat likely", "Very likely"),
        ),
    )


def arms_of(task: str, criterion: str = "both", choose: int = 3) -> tuple[Arm, ...]:
    """Return the arms of a task: `choose`, `head-to-head` (on one criterion or on both), or `both` tasks.

    >>> [arm.name for arm in arms_of("head-to-head")]
    ['head-to-head on usefulness', 'head-to-head on variety']
    """
    if task not in (*TASKS, "both"):
        raise OptionError(f"no task {task!r}: choose one of choose, head-to-head, both")
    if criterion not in (*CRITERIA, "both"):
        raise OptionError(f"no criterion {criterion!r}: choose one of usefulness, variety, both")
    chosen = [Arm("choose", "usefulness", choose)] if task in {"choose", "both"} else []
    asked = CRITERIA if criterion == "both" else (criterion,)
    heads = [Arm("head-to-head", c, 1) for c in asked] if task in {"head-to-head", "both"} else []
    return (*chosen, *heads)


def pairs_of(methods: list[str], against: str | None = None) -> tuple[tuple[str, str], ...]:
    """Return the pairs of methods to compare: one method with each other, as in the paper, or all (`against="all"`).

    >>> pairs_of(["setcover", "average", "wmd"])
    (('setcover', 'average'), ('setcover', 'wmd'))
    """
    if against == "all":
        return tuple(combinations(methods, 2))
    first = against or methods[0]
    if first not in methods:
        raise OptionError(f"no method {first!r} in this study: choose one of {', '.join(methods)}, or all")
    return tuple((first, other) for other in methods if other != first)


# ---- orders


@dataclass(frozen=True)
class AskedQuery:
    """One question of a participant: which query, and which methods in the order shown."""

    query: int
    shown: tuple[str, ...]


@dataclass(frozen=True)
class QuestionPlan:
    """Everything one participant is asked."""

    arm: Arm
    items: tuple[AskedQuery, ...]


def plan(study: Study, number: int) -> QuestionPlan:
    """Return the questions of the participant with this number, always the same for the same number."""
    arm = study.arms[number % len(study.arms)]
    row = number // len(study.arms)
    base = _mixed_queries(tuple(query.group for query in study.queries), study.seed)
    treatments: Sequence[tuple[str, ...]] = (
        panel_orders(tuple(study.methods)) if arm.task == "choose" else pair_orders(study.pairs)
    )
    order = query_order(len(base), row)
    items = [
        AskedQuery(base[q], treatments[(row + place) % len(treatments)]) for place, q in enumerate(order)
    ]
    return QuestionPlan(arm, tuple(items))


@cache
def zigzag(n: int) -> tuple[int, ...]:
    """Return the first row of a Williams square: the differences of neighbours (modulo n) are all distinct.

    >>> zigzag(6)
    (0, 1, 5, 2, 4, 3)
    """
    return tuple((place + 1) // 2 if place % 2 else (n - place // 2) % n for place in range(n))


def williams_square(n: int) -> list[list[int]]:
    """Return rows in which every item is at every place, and after every other item, equally often.

    An odd n needs the mirror image of each row, too, so that there are twice as many rows.
    """
    rows = [[(first + shift) % n for first in zigzag(n)] for shift in range(n)]
    return rows if n % 2 == 0 else rows + [row[::-1] for row in rows]


def query_order(n: int, row: int) -> list[int]:
    """Return the order of n queries for the participant in this row; every second square is mirrored."""
    shift = _spread(n)[row % n]
    order = [(first + shift) % n for first in zigzag(n)]
    return order if row // n % 2 == 0 else order[::-1]


@lru_cache(maxsize=32)
def panel_orders(methods: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the orders in which methods are shown, used in turn."""
    return [tuple(methods[i] for i in row) for row in williams_square(len(methods))]


def pair_orders(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return every pair both ways round, with sides that alternate.

    >>> pair_orders([("a", "b"), ("a", "c")])
    [('a', 'b'), ('c', 'a'), ('b', 'a'), ('a', 'c')]
    """
    there = [pair if i % 2 == 0 else pair[::-1] for i, pair in enumerate(pairs)]
    return there + [(b, a) for a, b in there]


@cache
def _spread(n: int) -> tuple[int, ...]:
    """Return 0 … n − 1 in an order whose first few are always evenly spread (ranks of van der Corput's sequence)."""
    ranked = sorted(range(n), key=_radical_inverse)
    places = [0] * n
    for place, number in enumerate(ranked):
        places[number] = place
    return tuple(places)


def _radical_inverse(number: int) -> float:
    """Mirror a number's binary digits at the point: 1, 2, 3, 4 become ½, ¼, ¾, ⅛."""
    found, unit = 0.0, 0.5
    while number:
        found += unit * (number & 1)
        number, unit = number >> 1, unit / 2
    return found


@lru_cache(maxsize=32)
def _mixed_queries(labels: tuple[str | None, ...], seed: int) -> list[int]:
    """Shuffle queries within their groups by the study's seed, then take from the groups in turn."""
    groups: dict[str | None, list[int]] = {}
    for i, label in enumerate(labels):
        groups.setdefault(label, []).append(i)
    chance = random.Random(seed)
    for members in groups.values():
        chance.shuffle(members)
    most = max(map(len, groups.values()))
    return [members[i] for i in range(most) for members in groups.values() if i < len(members)]
