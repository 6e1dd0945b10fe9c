"""A study answered in the browser. Participants need no token of the server, only their own code."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Header, Request
from pydantic import Field
from starlette.responses import Response

from lexicloud.errors import NoConsent, SurveyError, UnknownToken
from lexicloud.operations.asked import Asked, Name
from lexicloud.web.faults import Fault, split_remedy
from lexicloud.web.schemas import errors, job_or_result
from lexicloud.web.service import Served, Service, answer

if TYPE_CHECKING:
    from lexicloud.survey import Results

router = APIRouter(prefix="/survey", tags=["survey"])
_NOBODY: Final = "a participant"  # in the log, in place of an address: participants stay anonymous
Code = Annotated[str, Header(alias="x-participant", min_length=1, max_length=100, description="The code.")]
Invitation = Annotated[
    str | None, Header(alias="x-participant", max_length=100, description="The code of an invitation.")
]


class Start(Asked):
    """A participant's consent, and answers to the questions about the person."""

    consent: bool
    background: dict[Name, Annotated[str, Field(max_length=2000)]] = Field(default_factory=dict)


class SentAnswer(Asked):
    """The options chosen for a question, and the seconds it took."""

    question: Name
    chosen: list[Name] = Field(min_length=1, max_length=20)
    seconds: float | None = Field(default=None, ge=0, le=86_400)


class Comment(Asked):
    """A remark."""

    text: Annotated[str, Field(max_length=2000)]


@router.get("", responses=errors(404))
async def welcome(service: Served) -> Response:
    """Return the text that a participant reads first."""
    return answer(await service.quick(lambda: _study(service).welcome()))


@router.post("/start", responses=errors(404))
async def start(given: Start, service: Served, invitation: Invitation = None) -> Response:
    """Start a participant and return the code to continue with; an invitation is that code."""

    def work() -> dict[str, Any]:
        study = _study(service)
        if study.store.by_invitation() and not invitation:
            raise Fault(403, "this study is by invitation", "use the code, or the link, that you were sent")
        session = _asked(
            lambda: study.start(
                consent=given.consent,
                background=given.background,
                invitation=invitation if study.store.by_invitation() else None,
                most=service.settings.limits.participants,
            )
        )
        service.wrote("participant", "study", 1, _NOBODY)
        return {"participant": session.id, "code": session.token, "question": session.question()}

    return answer(await service.quick(work))


@router.get("/question", responses=errors(404))
async def question(code: Code, service: Served) -> Response:
    """Return the next question; null when all are answered, or, with `invited`, before the participant has started."""

    def work() -> dict[str, Any]:
        if _study(service).is_invited(code):
            return {"participant": None, "question": None, "invited": True}
        session = _asked(lambda: _study(service).resume(code))
        return {"participant": session.id, "question": session.question(), "progress": session.progress()}

    return answer(await service.quick(work))


@router.post("/answer", responses=errors(404, 409))
async def give_answer(given: SentAnswer, code: Code, service: Served) -> Response:
    """Keep an answer, on disk before this returns, and return the next question."""

    def work() -> dict[str, Any]:
        session = _asked(lambda: _study(service).resume(code))
        progress = _asked(lambda: session.answer(given.question, given.chosen, seconds=given.seconds))
        service.wrote("answer", "study", 1, _NOBODY)
        return {"participant": session.id, "question": session.question(), "progress": progress}

    return answer(await service.quick(work))


@router.post("/comment", status_code=204, responses=errors(404))
async def comment(given: Comment, code: Code, service: Served) -> Response:
    """Keep a remark."""
    await service.quick(lambda: _asked(lambda: _study(service).resume(code)).comment(given.text))
    service.wrote("remark", "study", 1, _NOBODY)
    return Response(status_code=204)


@router.get("/results", responses=job_or_result())
async def results(service: Served, request: Request) -> Response:
    """Return the results, for the study's owner: this needs the server's token, or the owner's code."""
    return await service.long(request, "counting answers", lambda: told(_study(service).results()))


@router.get("/export", responses=errors(404))
async def export(service: Served) -> Response:
    """Return all answers as CSV, without free text, for the study's owner."""

    def work() -> bytes:
        with tempfile.TemporaryDirectory(prefix="lexicloud-") as folder:
            written: Path = _study(service).export(Path(folder, "answers.csv"))
            return written.read_bytes()

    headers = {"content-disposition": 'attachment; filename="answers.csv"'}
    return Response(await service.quick(work), 200, headers, "text/csv; charset=utf-8")


def told(found: Results) -> dict[str, Any]:
    """Return results as plain values, each arm with its findings in sentences and the paper's shares."""
    from lexicloud.survey.results_page import findings
    from lexicloud.survey.score import PAPER

    plain = found.to_dict()
    for arm, shown in zip(found.arms, plain["arms"], strict=True):
        shown["findings"] = findings(arm)
        paper = {s.method: PAPER.share(arm.task, arm.criterion, s.method) for s in arm.shares}
        shown["paper"] = {method: share for method, share in paper.items() if share is not None}
    return plain


def _study(service: Service) -> Any:
    if service.study is None:
        raise Fault(404, "this server has no study", "start it with --study STUDY")
    return service.study


def _asked(call: Any) -> Any:
    """Run a call; turn a participant's mistake into a fault with the status that fits it."""
    try:
        return call()
    except SurveyError as error:
        status = {NoConsent: 403, UnknownToken: 404}.get(type(error), 409)
        raise Fault(status, *split_remedy(str(error))) from None


def open_study(service: Service) -> None:
    """Open the study that was named at the start."""
    if service.settings.study is not None:
        from lexicloud.survey import Questionnaire

        service.study = Questionnaire.open(service.settings.study)
