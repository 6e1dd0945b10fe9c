"""A study answered in the browser. Participants need no token of the server, only their own code."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastapi import APIRouter, Header, Request
from pydantic import Field
from starlette.responses import Response

from lexicloud.errors import NoConsent, SurveyError, UnknownToken
from lexicloud.operations.asked import Asked, Name, SourceId
from lexicloud.say.blocks import as_data
from lexicloud.survey.design import MOST_METHODS
from lexicloud.web.faults import Fault, errors, job_or_result, split_remedy
from lexicloud.web.service import Served, Service, answer, client_of

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


class NewStudy(Asked):
    """A study to be made of some texts: which methods are compared, on how many queries, and what is asked."""

    source: SourceId | None = None
    title: Name | None = None
    methods: list[Name] = Field(min_length=2, max_length=MOST_METHODS)
    queries: int = Field(default=20, ge=1, le=200)
    task: Literal["choose", "head-to-head", "both"] = "choose"

    def made(self, index: Any) -> dict[str, Any]:
        """Draw queries, search with every method, and return the study as plain values."""
        from lexicloud.survey import arms_of, make_study

        arms = arms_of(self.task, choose=min(3, len(self.methods) - 1))
        return make_study(index, self.queries, methods=self.methods, arms=arms, title=self.title).to_dict()


class Invited(Asked):
    """How many people to invite."""

    people: int = Field(ge=1, le=1000)


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


@router.post("/create", responses=job_or_result(409))
async def create(given: NewStudy, service: Served, request: Request) -> Response:
    """Make the study that the server was started for, once; for its owner, as the results are."""
    path = service.settings.study
    if service.study is not None or path is None:
        raise Fault(
            409, "there is a study already", "start the server with --study and a new name for another"
        )
    source = service.library.get(given.source)

    def then(plain: dict[str, Any]) -> dict[str, Any]:
        from lexicloud.survey import Study

        Study.from_dict(plain).save(path)
        open_study(service)
        service.wrote("study", "study", len(plain["queries"]), client_of(request))
        found: dict[str, Any] = _study(service).welcome()
        return found

    return await service.long(
        request, "searching with every method", lambda: given.made(source.index), then=then
    )


@router.post("/invite", responses=errors(404))
async def invite(given: Invited, service: Served, request: Request) -> Response:
    """Return codes, each of which lets one person in; from then on nobody takes part without one. For the owner."""
    codes = await service.quick(lambda: _study(service).invite(given.people))
    service.wrote("invitation", "study", given.people, client_of(request))
    return answer({"codes": codes})


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
    """Return results as plain values with their words: each arm's own, who took part, and how sure this is."""
    plain = found.to_dict()
    for arm, shown in zip(found.arms, plain["arms"], strict=True):
        shown["say"] = as_data(arm.blocks())
    first, *_, last = as_data(found.blocks())
    return {**plain, "said": first["text"], "how": last["text"]}


def _study(service: Service) -> Any:
    if service.study is None:
        raise Fault(404, "there is no study yet", "its owner makes one at /results")
    return service.study


def _asked(call: Any) -> Any:
    """Run a call; turn a participant's mistake into a fault with the status that fits it."""
    try:
        return call()
    except SurveyError as error:
        status = {NoConsent: 403, UnknownToken: 404}.get(type(error), 409)
        raise Fault(status, *split_remedy(str(error))) from None


def open_study(service: Service) -> None:
    """Open the study that was named at the start; one that is not there yet is made in the browser."""
    if service.settings.study is not None and service.settings.study.exists():
        from lexicloud.survey import Questionnaire

        service.study = Questionnaire.open(service.settings.study)
