"""The answers, in an SQLite file beside the study, and as a table for other tools."""

from __future__ import annotations

import contextlib
import json
import secrets
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import OptionError, SurveyError, UnknownToken, warn
from lexicloud.result import csv_line
from lexicloud.store.folder import replace_text

if TYPE_CHECKING:
    from lexicloud.survey.design import Study

VERSION: Final = 1
WAIT: Final = 30.0  # seconds that a writer waits for another; a write takes milliseconds
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS participants (
    id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, token TEXT NOT NULL UNIQUE,
    background TEXT NOT NULL, comment TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS answers (
    participant TEXT NOT NULL REFERENCES participants (id) ON DELETE CASCADE,
    place INTEGER NOT NULL, arm INTEGER NOT NULL, query TEXT NOT NULL, shown TEXT NOT NULL, chosen TEXT NOT NULL,
    seconds REAL, PRIMARY KEY (participant, place));
CREATE TABLE IF NOT EXISTS invitations (token TEXT PRIMARY KEY);
"""


@dataclass(frozen=True)
class Participant:
    """A participant: a random id, and a number that decides what is asked in which order."""

    id: str
    number: int
    background: Mapping[str, str]
    comment: str = ""


@dataclass(frozen=True)
class GivenAnswer:
    """One answer: the methods in the order shown, and those chosen."""

    participant: str
    place: int  # 0 for the participant's first question
    arm: int
    query: str
    shown: tuple[str, ...]
    chosen: tuple[str, ...]
    seconds: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**vars(self), "shown": list(self.shown), "chosen": list(self.chosen)}


class AnswerStore:
    """The file of answers of one study; a connection is opened for every call, so threads may share a store."""

    def __init__(self, path: str | Path, checksum: str) -> None:
        """Open the file, or make it; `checksum` says to which study its answers belong."""
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._writing() as db:
                self._require_sound(db)
                db.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}")
                db.execute("INSERT OR IGNORE INTO about VALUES ('version', ?)", (str(VERSION),))
                db.execute("INSERT OR IGNORE INTO about VALUES ('study', ?)", (checksum,))
                about = dict(db.execute("SELECT key, value FROM about").fetchall())
        except OSError as error:
            raise SurveyError(f"cannot keep answers in {self.path}: {error.strerror}") from error
        if not str(about["version"]).isdecimal():
            raise SurveyError(_damaged(self.path, f"its version is {about['version']!r}"))
        if int(about["version"]) > VERSION:
            raise SurveyError(f"{self.path} was written by a newer lexicloud: upgrade lexicloud")
        if about["study"] != checksum:
            raise SurveyError(
                f"{self.path} holds answers to another study ({about['study'][:12]}, not {checksum[:12]}): "
                "name another file for the answers"
            )

    def add_participant(
        self, token: str, background: Mapping[str, str], *, most: int | None = None, invited: bool = False
    ) -> Participant:
        """Add a participant, with a random id and the lowest free number.

        Nobody is added where `most` take part already. With `invited` the token must be an unused invitation, which is
        used up.
        """
        participant = secrets.token_hex(8)
        with self._writing() as db:
            db.execute("BEGIN IMMEDIATE")
            taken = {number for (number,) in db.execute("SELECT number FROM participants")}
            if most is not None and len(taken) >= most:
                raise SurveyError(f"{len(taken):,} people take part already: ask whoever sent you here")
            if invited and not db.execute("DELETE FROM invitations WHERE token = ?", (token,)).rowcount:
                raise UnknownToken("this invitation was used before, or is none: check the code")
            number = next(i for i in range(len(taken) + 1) if i not in taken)
            db.execute(
                "INSERT INTO participants (id, number, token, background) VALUES (?, ?, ?, ?)",
                (participant, number, token, json.dumps(dict(background), ensure_ascii=False)),
            )
        return Participant(participant, number, dict(background))

    def invite(self, tokens: Sequence[str]) -> None:
        """Keep invitations (as hashes of their tokens); from now on a server lets nobody take part without one."""
        with self._writing() as db:
            db.execute("INSERT OR IGNORE INTO about VALUES ('invited', '1')")
            db.executemany("INSERT INTO invitations VALUES (?)", [(token,) for token in tokens])

    def by_invitation(self) -> bool:
        """Tell whether anybody was ever invited."""
        with self._reading() as db:
            return db.execute("SELECT 1 FROM about WHERE key = 'invited'").fetchone() is not None

    def is_invitation(self, token: str) -> bool:
        """Tell whether a token is that of an invitation nobody has used."""
        with self._reading() as db:
            return db.execute("SELECT 1 FROM invitations WHERE token = ?", (token,)).fetchone() is not None

    def find(self, token: str) -> Participant | None:
        """Return the participant with this token, given as its hash; None if there is none."""
        with self._reading() as db:
            row = db.execute(f"{_PARTICIPANTS} WHERE token = ?", (token,)).fetchone()
        return self._participant(row) if row else None

    def record(self, answer: GivenAnswer) -> None:
        """Write an answer to disk before returning; an earlier answer to the question is kept, and another refused."""
        row = (
            answer.participant,
            answer.place,
            answer.arm,
            answer.query,
            json.dumps(answer.shown),
            json.dumps(answer.chosen),
            answer.seconds,
        )
        try:
            with self._writing() as db:
                db.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", row)
                kept = db.execute(
                    "SELECT chosen FROM answers WHERE participant = ? AND place = ?", row[:2]
                ).fetchone()
        except sqlite3.IntegrityError:
            raise SurveyError("this participant was removed: start again to take part") from None
        if kept[0] != row[5]:
            raise SurveyError(f"question {answer.place + 1} was answered before, and not like this")

    def comment(self, participant: str, text: str) -> None:
        """Keep a participant's remark, in place of an earlier one."""
        with self._writing() as db:
            db.execute("UPDATE participants SET comment = ? WHERE id = ?", (text, participant))

    def remove(self, participant: str) -> int:
        """Remove a participant with all answers, also from the file's free pages; return the number of answers."""
        with self._writing() as db:
            count = db.execute(
                "SELECT COUNT(*) FROM answers WHERE participant = ?", (participant,)
            ).fetchone()[0]
            gone = db.execute("DELETE FROM participants WHERE id = ?", (participant,)).rowcount
        if not gone:
            raise SurveyError(f"no participant {participant!r} in {self.path}: report --json lists them")
        try:
            # The log still holds the old pages until it is written back and truncated.
            with self._reading() as db:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except (SurveyError, MemoryError) as error:  # the participant is gone all the same
            warn(
                f"{participant} is removed, but may be read in {self.path}-wal until the next removal ({error})"
            )
        return int(count)

    def participants(self) -> list[Participant]:
        """Return everybody, by number."""
        with self._reading() as db:
            rows = db.execute(f"{_PARTICIPANTS} ORDER BY number").fetchall()
        return [self._participant(row) for row in rows]

    def answers(self, participant: str | None = None) -> list[GivenAnswer]:
        """Return all answers, or one participant's, in the order of numbers and places."""
        query = (
            "SELECT participant, place, arm, query, shown, chosen, seconds FROM answers "
            "JOIN participants ON participants.id = participant WHERE ? IS NULL OR participant = ? "
            "ORDER BY participants.number, place"
        )
        with self._reading() as db:
            rows = db.execute(query, (participant, participant)).fetchall()
        try:
            return [
                GivenAnswer(
                    person, place, arm, query, tuple(json.loads(shown)), tuple(json.loads(chosen)), seconds
                )
                for person, place, arm, query, shown, chosen, seconds in rows
            ]
        except (TypeError, ValueError) as error:
            raise SurveyError(_damaged(self.path, str(error))) from error

    def answers_to(self, study: Study) -> list[GivenAnswer]:
        """Return all answers; refuse a file with answers to questions that the study does not ask, which is damaged."""
        methods, queries = set(study.methods), {query.id for query in study.queries}
        asked = {about.id for about in study.background}
        for person in self.participants():
            if not asked.issuperset(person.background):
                raise SurveyError(_damaged(self.path, f"participant {person.id} told what was not asked"))
        found = self.answers()
        for answer in found:
            fits = answer.arm in range(len(study.arms)) and answer.query in queries
            told = isinstance(answer.place, int) and isinstance(answer.seconds, float | int | None)
            if not (fits and told and {*answer.shown, *answer.chosen} <= methods and answer.shown):
                what = f"an answer of participant {answer.participant} is to no question of the study"
                raise SurveyError(_damaged(self.path, what))
        return found

    def count(self, participant: str) -> int:
        """Return how many questions a participant has answered."""
        with self._reading() as db:
            row = db.execute("SELECT COUNT(*) FROM answers WHERE participant = ?", (participant,)).fetchone()
        return int(row[0])

    def _participant(self, row: Sequence[Any]) -> Participant:
        try:
            return Participant(row[0], row[1], dict(json.loads(row[2])), row[3])
        except (TypeError, ValueError) as error:
            raise SurveyError(_damaged(self.path, str(error))) from error

    def _require_sound(self, db: sqlite3.Connection) -> None:
        """Refuse a damaged file before anything is written to it; to check some thousand answers takes milliseconds."""
        (found,) = db.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise SurveyError(_damaged(self.path, found))
        if db.execute("PRAGMA foreign_key_check").fetchone() is not None:
            raise SurveyError(_damaged(self.path, "an answer belongs to nobody"))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as db:
            try:
                yield db
                db.commit()
            except BaseException:
                db.rollback()
                raise

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            db = sqlite3.connect(self.path, timeout=WAIT)
            with contextlib.closing(db):
                _use_log(db)
                # FULL: an answer survives a power cut. secure_delete: what is removed is overwritten.
                db.executescript("PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON;")
                yield db
        except sqlite3.IntegrityError:
            raise
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise SurveyError(f"cannot keep answers in {self.path}: {error}") from error


_PARTICIPANTS: Final = "SELECT id, number, background, comment FROM participants"


def _damaged(path: Path, what: str) -> str:
    return f"{path} is damaged ({what}): put back a copy of it, or name another file for the answers"


def _use_log(db: sqlite3.Connection) -> None:
    """Switch to write-ahead logging; wait while another process does the same, rather than fail."""
    end = time.monotonic() + WAIT
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
            if not busy or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def export_answers(study: Study, store: AnswerStore, path: str | Path, *, text: bool = False) -> Path:
    """Write the answers to `path`, as CSV or JSON by its ending; free text only with `text`."""
    path = Path(path)
    answers, participants = store.answers_to(study), store.participants()
    if path.suffix == ".csv":
        content = as_csv(study, answers, participants, text=text)
    elif path.suffix == ".json":
        content = json.dumps(as_plain(study, answers, participants, text=text), ensure_ascii=False, indent=1)
    else:
        raise OptionError(f"cannot tell how to write {path}: its name ends in neither .csv nor .json")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(path, content)
    except OSError as error:
        raise SurveyError(f"cannot write {path}: {error.strerror}") from error
    return path


def as_plain(
    study: Study, answers: list[GivenAnswer], participants: list[Participant], *, text: bool = False
) -> dict[str, Any]:
    """Return everything as plain values."""
    free = {b.id for b in study.background if not b.options}
    people = []
    for person in participants:
        told = {name: value for name, value in person.background.items() if text or name not in free}
        people.append({"participant": person.id, "number": person.number, "background": told})
        if text and person.comment:
            people[-1]["comment"] = person.comment
    rows = [{**answer.to_dict(), "arm": study.arms[answer.arm].name} for answer in answers]
    return {"study": study.checksum, "title": study.title, "participants": people, "answers": rows}


def as_csv(
    study: Study, answers: list[GivenAnswer], participants: list[Participant], *, text: bool = False
) -> str:
    """Return one row for each method shown in each answer: who, what, where it stood, whether it was chosen."""
    plain = as_plain(study, answers, participants, text=text)
    told = {person["participant"]: person for person in plain["participants"]}
    asked = [b.id for b in study.background if text or b.options]
    groups = {query.id: query.group for query in study.queries}
    names = ["participant", "arm", "place", "query", "group", "method", "position", "chosen", "seconds"]
    lines = [csv_line([*names, *asked, *(["comment"] if text else [])])]
    for answer in answers:
        person = told[answer.participant]
        about = [person["background"].get(name, "") for name in asked]
        about += [person.get("comment", "")] if text else []
        for position, method in enumerate(answer.shown, 1):
            row = [answer.participant, study.arms[answer.arm].name, answer.place + 1, answer.query]
            row += [groups[answer.query] or "", method, position, int(method in answer.chosen)]
            lines.append(csv_line([_inert(cell) for cell in (*row, answer.seconds, *about)]))
    return "".join(lines)


_FORMULA: Final = frozenset("=+-@\t\r\n")


def _inert(cell: Any) -> Any:
    """Return a cell that a spreadsheet does not take for a formula; some skip a tab or a line end before one."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in _FORMULA else cell
