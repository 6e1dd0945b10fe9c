"""Answering a study: questions and answers as plain values. The terminal and the browser use the same few calls."""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import NoConsent, SurveyError, UnknownToken
from lexicloud.survey.answer_store import AnswerStore, GivenAnswer, Participant
from lexicloud.survey.design import Arm, AskedQuery, QuestionPlan, Study, plan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lexicloud.survey.results import Results

_LETTERS: Final = "abcdefghjkmnpqrstvwxyz23456789"  # without letters and digits that look alike
_GROUPS = _GROUP = 4  # 30^16 codes: nobody guesses one
LONGEST_TEXT: Final = 2_000  # characters of a free text
PROMPTS: Final = {
    ("choose", "usefulness"): (
        "Imagine that you are writing a text and have just written the sentence above. Choose the {n} suggestions "
        "that would be most useful for writing on. Think of their variety too."
    ),
    ("choose", "variety"): (
        "Imagine that you are writing a text and have just written the sentence above. Choose the {n} related "
        "suggestions that differ most from each other."
    ),
    ("head-to-head", "usefulness"): (
        "Imagine that you are writing a text and have just written the sentence above. Which list of suggestions "
        "would help you more?"
    ),
    ("head-to-head", "variety"): (
        "Imagine that you are writing a text and have just written the sentence above. Which list has the greater "
        "variety of related sentences?"
    ),
}


@dataclass(frozen=True)
class Questionnaire:
    """A study together with its answers."""

    study: Study
    store: AnswerStore

    @classmethod
    def open(cls, path: str | Path, answers: str | Path | None = None) -> Questionnaire:
        """Open a study; its answers are kept in `answers`, or beside it (`study.answers.db`)."""
        study = Study.open(path)
        return cls(study, AnswerStore(answers or answers_beside(path), study.checksum))

    def welcome(self) -> dict[str, Any]:
        """Return what a participant reads before the first question."""
        asked = [
            {"id": b.id, "text": b.text, "kind": b.kind, "options": list(b.options), "required": b.required}
            for b in self.study.background
        ]
        return {
            "title": self.study.title,
            "consent": self.study.consent,
            "background": asked,
            "questions": len(self.study.queries),
            "study": self.study.checksum[:12],
            "by_invitation": self.store.by_invitation(),
        }

    def invite(self, n: int) -> list[str]:
        """Return `n` new codes. Each lets one person take part, and continue later where that person stopped.

        From now on a server lets nobody take part without one.
        """
        codes = [_new_code() for _ in range(n)]
        self.store.invite([_hashed(code) for code in codes])
        return codes

    def is_invited(self, code: str) -> bool:
        """Tell whether a code is an invitation that nobody has used."""
        return self.store.is_invitation(_hashed(code))

    def start(
        self,
        *,
        consent: bool,
        background: Mapping[str, str] | None = None,
        invitation: str | None = None,
        most: int | None = None,
    ) -> Session:
        """Start the session of a new participant; without consent nothing is stored.

        An `invitation` becomes the participant's code. Where `most` people take part already, the call is refused.
        """
        if consent is not True:
            raise NoConsent("nobody takes part without consent: agree to the text that is shown first")
        told = _checked_background(self.study, background or {})
        token = invitation or _new_code()
        added = self.store.add_participant(_hashed(token), told, most=most, invited=invitation is not None)
        return Session(self, added, token)

    def resume(self, token: str) -> Session:
        """Let a participant continue; case, blanks and hyphens of the token do not matter."""
        participant = self.store.find(_hashed(token))
        if participant is None:
            raise UnknownToken(f"no participant has the code {token!r}: check it, or start without a code")
        return Session(self, participant, token)

    def counts(self) -> dict[str, Any]:
        """Return how many people took part and how many answers there are."""
        answers = self.store.answers()
        by_arm = {arm.name: sum(a.arm == i for a in answers) for i, arm in enumerate(self.study.arms)}
        return {"participants": len(self.store.participants()), "answers": len(answers), "by_arm": by_arm}

    def results(self, seed: int = 0) -> Results:
        """Return the statistics of all answers."""
        from lexicloud.survey.results import score

        return score(self.study, self.store.answers_to(self.study), self.store.participants(), seed=seed)

    def export(self, path: str | Path, *, text: bool = False) -> Path:
        """Write all answers as CSV or JSON; free text only when `text` asks for it."""
        from lexicloud.survey.answer_store import export_answers

        return export_answers(self.study, self.store, path, text=text)

    def remove(self, participant: str) -> int:
        """Remove a participant with all answers, and return how many there were."""
        return self.store.remove(participant)


@dataclass(frozen=True)
class Session:
    """One participant answering the questionnaire; everything it knows is in the store."""

    questionnaire: Questionnaire
    participant: Participant
    token: str = field(repr=False)

    @property
    def id(self) -> str:
        """The random id of the participant."""
        return self.participant.id

    @property
    def plan(self) -> QuestionPlan:
        """Everything this participant is asked, in order."""
        return plan(self.questionnaire.study, self.participant.number)

    def question(self) -> dict[str, Any] | None:
        """Return the next question as plain data, which does not name the methods, or None after the last."""
        asked, place = self.plan, self.questionnaire.store.count(self.id)
        if place >= len(asked.items):
            return None
        query = self.questionnaire.study.queries[asked.items[place].query]
        return {
            "id": str(place),
            "number": place + 1,
            "total": len(asked.items),
            "task": asked.arm.task,
            "criterion": asked.arm.criterion,
            "prompt": PROMPTS[asked.arm.task, asked.arm.criterion].format(n=asked.arm.choose),
            "query": query.text,
            "choose": chosen_number(asked.arm),
            "options": self._options(asked.arm, asked.items[place]),
        }

    def answer(self, question: str, chosen: Sequence[str], seconds: float | None = None) -> dict[str, Any]:
        """Store an answer, given by the keys of its options, and return the progress.

        The answer is on disk when this returns. Giving the same answer again changes nothing.
        """
        asked, place = self.plan, self.questionnaire.store.count(self.id)
        number = _question_number(question, place, len(asked.items))
        item = asked.items[number]
        methods = _chosen_methods(asked.arm, item, chosen)
        answer = GivenAnswer(
            self.id,
            number,
            self.questionnaire.study.arms.index(asked.arm),
            self.questionnaire.study.queries[item.query].id,
            item.shown,
            methods,
            _checked_seconds(seconds),
        )
        self.questionnaire.store.record(answer)
        # The answer is stored now: nothing that could fail may follow.
        return _progress(max(place, number + 1), len(asked.items))

    def progress(self) -> dict[str, Any]:
        """Return how far the participant has come."""
        return _progress(self.questionnaire.store.count(self.id), len(self.plan.items))

    def comment(self, text: str) -> None:
        """Keep a remark; it is exported only with free text."""
        self.questionnaire.store.comment(self.id, text[:LONGEST_TEXT])

    def _options(self, arm: Arm, item: AskedQuery) -> list[dict[str, Any]]:
        query = self.questionnaire.study.queries[item.query]
        if arm.task == "choose":
            shown = [[query.lists[m][query.panel[m]]] for m in item.shown]
        else:
            shown = [list(query.lists[m]) for m in item.shown]
        return [{"key": key, "sentences": s} for key, s in zip(keys_of(arm, item), shown, strict=True)]


def _progress(answered: int, total: int) -> dict[str, Any]:
    return {"answered": answered, "total": total, "finished": answered >= total}


def answers_beside(path: str | Path) -> Path:
    """Return where the answers to a study are kept by default.

    >>> str(answers_beside("studies/poems.json"))
    'studies/poems.answers.db'
    """
    return Path(path).with_suffix(".answers.db")


def keys_of(arm: Arm, item: AskedQuery) -> list[str]:
    """Return the key of each option: a digit, or A and B for lists."""
    return [str(i + 1) if arm.task == "choose" else "AB"[i] for i in range(len(item.shown))]


def chosen_number(arm: Arm) -> int:
    """Return how many options are chosen in an answer."""
    return arm.choose if arm.task == "choose" else 1


def _question_number(question: str, place: int, total: int) -> int:
    if not (question.isascii() and question.isdigit()) or int(question) > min(place, total - 1):
        raise SurveyError(f"question {question!r} is not open: the next one is {place}")
    return int(question)


def _chosen_methods(arm: Arm, item: AskedQuery, chosen: Sequence[str]) -> tuple[str, ...]:
    keys, needed = keys_of(arm, item), chosen_number(arm)
    wrong = [key for key in chosen if key not in keys]
    if wrong:
        raise SurveyError(f"there is no option {wrong[0]!r}: choose among {', '.join(keys)}")
    if len(set(chosen)) != needed or len(chosen) != needed:
        raise SurveyError(f"{len(set(chosen))} options are chosen: choose {needed}")
    return tuple(item.shown[i] for i, key in enumerate(keys) if key in chosen)


def _checked_seconds(seconds: float | None) -> float | None:
    if seconds is None:
        return None
    if not isinstance(seconds, int | float) or not math.isfinite(seconds) or seconds < 0:
        raise SurveyError(f"{seconds!r} is no time: give seconds, 0 or more")
    return round(float(seconds), 3)


def _checked_background(study: Study, told: Mapping[str, str]) -> dict[str, str]:
    asked = {b.id: b for b in study.background}
    for name, value in told.items():
        if name not in asked:
            raise SurveyError(
                f"nothing was asked about {name!r}: the questions are {', '.join(asked) or 'none'}"
            )
        if not isinstance(value, str):
            raise SurveyError(f"the answer about {name!r} is a {type(value).__name__}, not a text")
        if asked[name].options and value and value not in asked[name].options:
            raise SurveyError(
                f"{value!r} is no answer about {name!r}: choose among {'; '.join(asked[name].options)}"
            )
    missing = [b.id for b in study.background if b.required and not told.get(b.id)]
    if missing:
        raise SurveyError(f"the question about {missing[0]!r} needs an answer")
    return {name: told[name][:LONGEST_TEXT] for name in asked if told.get(name)}


def _new_code() -> str:
    return "-".join("".join(map(secrets.choice, [_LETTERS] * _GROUP)) for _ in range(_GROUPS))


def _hashed(token: str) -> str:
    plain = "".join(token.lower().split()).replace("-", "")
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()


# Simulated participants with known preferences: to plan a study, and to check the statistics of the report.


@dataclass(frozen=True)
class Crowd:
    """How people choose: the strength of each method, how far persons and queries differ, and what disturbs them.

    The worth of a suggestion is the sum of these and Gumbel noise; the highest are chosen. With strengths alone, a
    head-to-head follows the Bradley–Terry model exactly.
    """

    strengths: Mapping[str, float] = field(default_factory=dict)  # methods without one have 0
    persons: float = 0.0  # standard deviation of a person's own taste for a method
    queries: float = 0.0  # standard deviation of how well a method did for a query
    # what the first place on the screen adds to a suggestion's worth; the last loses as much
    first: float = 0.0
    # mean number of answers before somebody stops (the paper's choose-3: 1,492 from 58)
    answers: float = 26.0
    careless: float = 0.0  # share of participants who always choose the same places


def simulate(study: Study, participants: int, crowd: Crowd, seed: int = 0) -> list[GivenAnswer]:
    """Return the answers of simulated participants; `seed` draws the people, the queries stay the same."""
    import numpy as np

    queries = np.random.default_rng([0, 7]).normal(0, 1, (len(study.queries), len(study.methods)))
    answers: list[GivenAnswer] = []
    for number in range(participants):
        chance = np.random.default_rng([seed, 0, number])
        answers += _answers(study, number, crowd, crowd.queries * queries, chance)
    return answers


def _answers(
    study: Study, number: int, crowd: Crowd, queries: NDArray[np.float64], chance: np.random.Generator
) -> list[GivenAnswer]:
    import numpy as np

    columns = {name: i for i, name in enumerate(study.methods)}
    base = np.array([crowd.strengths.get(name, 0.0) for name in columns])
    taste = base + crowd.persons * chance.normal(size=len(columns))
    asked = plan(study, number)
    arm = number % len(study.arms)
    # Many people stop early: the number of answers is exponential, at least one.
    count = min(len(asked.items), 1 + int(chance.exponential(crowd.answers - 1)))
    careless = chance.random() < crowd.careless
    items = asked.items[:count]
    rows = np.array([[columns[name] for name in item.shown] for item in items])
    places = crowd.first * np.linspace(1, -1, rows.shape[1])
    worth = taste[rows] + queries[np.array([item.query for item in items])[:, None], rows] + places
    worth += chance.gumbel(size=rows.shape)
    if careless:
        worth[:] = -np.arange(rows.shape[1])
    best = np.sort(np.argsort(-worth, axis=1)[:, : chosen_number(asked.arm)], axis=1).tolist()
    seconds = chance.lognormal(np.log(1.5 if careless else 12.0), 0.5, size=count).tolist()
    return [
        GivenAnswer(
            f"p{number:04d}",
            place,
            arm,
            study.queries[item.query].id,
            item.shown,
            tuple(item.shown[i] for i in best[place]),
            seconds[place],
        )
        for place, item in enumerate(items)
    ]
