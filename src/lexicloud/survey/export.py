"""All answers as a table, for other tools: CSV, or JSON with what is known about participants."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lexicloud.errors import OptionError, SurveyError
from lexicloud.storage import replace_text

if TYPE_CHECKING:
    from lexicloud.survey.design import Study
    from lexicloud.survey.store import Answer, AnswerStore, Participant


def export_answers(study: Study, store: AnswerStore, path: str | Path, *, text: bool = False) -> Path:
    """Write the answers to `path`, whose ending (.csv or .json) says how; free text only when `text` asks for it."""
    path = Path(path)
    answers, participants = store.answers(), store.participants()
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
    study: Study, answers: list[Answer], participants: list[Participant], *, text: bool = False
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
    study: Study, answers: list[Answer], participants: list[Participant], *, text: bool = False
) -> str:
    """Return one row for each method shown in each answer: who, what, where it stood, whether it was chosen."""
    plain = as_plain(study, answers, participants, text=text)
    told = {person["participant"]: person for person in plain["participants"]}
    asked = [b.id for b in study.background if text or b.options]
    groups = {query.id: query.group for query in study.queries}
    names = ["participant", "arm", "place", "query", "group", "method", "position", "chosen", "seconds"]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*names, *asked, *(["comment"] if text else [])])
    for answer in answers:
        person = told[answer.participant]
        about = [person["background"].get(name, "") for name in asked]
        about += [person.get("comment", "")] if text else []
        for position, method in enumerate(answer.shown, 1):
            row = [answer.participant, study.arms[answer.arm].name, answer.place + 1, answer.query]
            row += [groups[answer.query] or "", method, position, int(method in answer.chosen)]
            writer.writerow(
                [_inert(cell) for cell in [*row, "" if answer.seconds is None else answer.seconds, *about]]
            )
    return out.getvalue()


def _inert(cell: Any) -> Any:
    """Keep a spreadsheet from taking a text for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in {"=", "+", "-", "@"} else cell
