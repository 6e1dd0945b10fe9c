"""One shape for everything that goes wrong: a code, what is wrong, and what to do about it.

{"error": {"code": "too_large", "status": 413, "message": "…", "remedy": "…", "where": "texts.0.text"}}
"""

from __future__ import annotations

import logging
import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError
from starlette.responses import HTMLResponse, JSONResponse

from lexicloud.errors import (
    InputError,
    LexicloudError,
    MissingExtra,
    StorageError,
    UnknownDocument,
    UnknownWord,
    shortage,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import FastAPI, Request
    from starlette.responses import Response

log = logging.getLogger("lexicloud.web")

CODES: Final = {
    400: "bad_request",
    401: "token_needed",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "too_slow",
    409: "conflict",
    410: "gone",
    413: "too_large",
    415: "not_text",
    421: "wrong_host",
    422: "not_valid",
    429: "too_many_requests",
    431: "head_too_large",
    500: "our_mistake",
    501: "not_installed",
    503: "busy",
}
REMEDIES: Final = {
    400: "check the request against /api/v1/openapi.json",
    404: "see /docs for the addresses there are",
    405: "see /docs for the methods of this address",
    422: "correct the named field; /docs lists what it takes",
    500: "try again; if it stays, please report it with what you sent",
    503: "wait a moment and try again",
}
# An absolute path between quotes may have blanks in it. An address of the server (/api/…, /docs) is not a path.
_QUOTED_PATH: Final = re.compile(r"""(['"])((?:/|[A-Za-z]:\\)[^'"]*[/\\][^'"]*)\1""")
_PATH: Final = re.compile(r"""(?<![\w.:/])(?!/api/|/docs)(?:/[^\s/'",;:()]+/|[A-Za-z]:\\)[^\s'",;:()]*""")


class Fault(Exception):
    """Something that ends a request with a status, a message and a remedy."""

    def __init__(
        self,
        status: int,
        message: str,
        remedy: str = "",
        *,
        where: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message = status, message
        self.remedy = remedy or REMEDIES.get(status, "")
        self.where, self.headers = where, dict(headers or {})

    def to_dict(self) -> dict[str, Any]:
        """Return the body of the answer."""
        found = {
            "code": CODES.get(self.status, "error"),
            "status": self.status,
            "message": self.message,
            "remedy": self.remedy,
        }
        return {"error": found if self.where is None else {**found, "where": self.where}}

    def parts(self) -> dict[str, Any]:
        """Return its arguments, so that another process can make it again."""
        return {name: getattr(self, name) for name in ("status", "message", "remedy", "where", "headers")}

    def response(self) -> Response:
        """Return the answer."""
        return JSONResponse(self.to_dict(), self.status, headers=self.headers)


def fault_of(error: Exception) -> Fault:
    """Turn any error into a fault; an unexpected error is logged, and the fault does not reveal its details."""
    if isinstance(error, Fault):
        return error
    if isinstance(error, LexicloudError):
        message, remedy = split_remedy(without_paths(str(error)))
        return Fault(_status(error), message, remedy)
    if isinstance(error, ValidationError):
        return validation_fault(error.errors())
    log.error("a request failed", exc_info=error)
    if isinstance(error, MemoryError):
        return Fault(503, "there is not enough memory for this", "send shorter or fewer texts")
    if (lacking := shortage(error)) is not None:
        return Fault(503, *split_remedy(lacking), headers={"retry-after": "10"})
    return Fault(500, "something went wrong on our side")


def _status(error: LexicloudError) -> int:
    if isinstance(error, UnknownDocument | UnknownWord):
        return 404
    if isinstance(error, MissingExtra):
        return 501
    if isinstance(error, StorageError) and not isinstance(error, InputError):
        return 503
    return 422


def without_paths(line: str) -> str:
    r"""Return a line with only the last part of each path: clients must not learn where a server keeps its files.

    >>> without_paths("'/srv/data/notes.index' is damaged: see /docs")
    "'notes.index' is damaged: see /docs"
    >>> without_paths(r"cannot read C:\Users\ann\a.txt")
    'cannot read a.txt'
    """
    quoted = _QUOTED_PATH.sub(lambda found: found[1] + re.split(r"[/\\]", found[2])[-1] + found[1], line)
    return _PATH.sub(lambda found: re.split(r"[/\\]", found[0])[-1], quoted)


def split_remedy(line: str) -> tuple[str, str]:
    """Split the line of an error into what is wrong and what to do, which follows its last colon or semicolon.

    >>> split_remedy("k = 100 but only 57 distinct words: use a smaller k")
    ('k = 100 but only 57 distinct words', 'use a smaller k')
    >>> split_remedy("the query is empty")
    ('the query is empty', 'correct the named field; /docs lists what it takes')
    """
    at = max(line.rfind(": "), line.rfind("; "))
    if at <= 0:
        return line, REMEDIES[422]
    return line[:at], line[at + 2 :]


def install(app: FastAPI) -> None:
    """Make an app answer every error in the shape above."""
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException

    async def lexicloud_error(_: Request, error: Exception) -> Response:
        return fault_of(error).response()

    async def not_valid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return validation_fault(error.errors()).response()

    async def http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == 404 and _is_reader(request):
            return HTMLResponse(app.state.missing_page, 404)
        name = HTTPStatus(error.status_code).phrase.lower()
        message = f"{name}: there is nothing at this address" if error.status_code == 404 else name
        return Fault(error.status_code, message, headers=error.headers).response()

    app.add_exception_handler(LexicloudError, lexicloud_error)
    app.add_exception_handler(Fault, lexicloud_error)
    app.add_exception_handler(MemoryError, lexicloud_error)
    app.add_exception_handler(RequestValidationError, not_valid)
    app.add_exception_handler(HTTPException, http_error)


def _is_reader(request: Request) -> bool:
    """Tell whether a person asks for a page, rather than a program for the API."""
    return not request.url.path.startswith("/api/") and "text/html" in request.headers.get("accept", "")


def validation_fault(errors: Any) -> Fault:
    """Return a fault that names the first field that does not fit."""
    first = errors[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body") or "body"
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    if first["type"] == "json_invalid":
        return Fault(422, "the body is not valid JSON", "send a JSON object", where="body")
    if first["type"] == "value_error":  # one of our own validators, whose message has a remedy
        return Fault(422, *split_remedy(str(first["ctx"]["error"])), where=where)
    # People who choose too little need no list of fields.
    remedy = "choose or bring more" if first["type"] == "too_short" else ""
    return Fault(422, f"{where}: {_in_words(first)}{more}", remedy, where=where)


# pydantic's error type → our words; `limit` and `given` are filled in.
_WORDS: Final = {
    "missing": "it is needed",
    "extra_forbidden": "there is no such field",
    "too_short": "at least {limit} {needed}, and there {given}",
    "too_long": "at most {limit} are taken, and there are {given}",
    "string_too_short": "it is empty",
    "string_too_long": "it may have at most {limit} characters",
    "greater_than_equal": "it is at least {limit}",
    "less_than_equal": "it is at most {limit}",
    "int_parsing": "a whole number is needed",
    "int_type": "a whole number is needed",
    "int_from_float": "a whole number is needed",
    "float_parsing": "a number is needed",
    "string_type": "a text is needed",
    "list_type": "a list is needed",
    "bool_parsing": "true or false is needed",
    "literal_error": "choose {limit}",
}
_LIMITS: Final = ("min_length", "max_length", "ge", "le", "expected")


def _in_words(error: Mapping[str, Any]) -> str:
    """Return what does not fit, in our words where there are some, else in the validator's.

    >>> _in_words({"type": "too_short", "msg": "…", "ctx": {"min_length": 2, "actual_length": 1}})
    'at least 2 are needed, and there is 1'
    """
    about = error.get("ctx", {})
    limit = next((about[name] for name in _LIMITS if name in about), "")
    said = f"{limit:,}" if isinstance(limit, int | float) else str(limit)
    known = _WORDS.get(error["type"])
    if known is None:
        return str(error["msg"]).lower()
    n = about.get("actual_length", "more")
    given = {0: "are none", 1: "is 1"}.get(n, f"are {n}") if error["type"] == "too_short" else n
    needed = "is needed" if limit == 1 else "are needed"
    return known.format(limit=said, given=given, needed=needed)


# The shape of an error, and what its status means, in the description of the API.
_ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "status", "message", "remedy"],
            "properties": {
                "code": {"type": "string"},
                "status": {"type": "integer"},
                "message": {"type": "string", "description": "What is wrong, in one line."},
                "remedy": {"type": "string", "description": "What to do about it."},
                "where": {"type": "string", "description": "The field that does not fit."},
            },
        }
    },
}
_MEANINGS: Final = {
    400: "The request was cut off.",
    401: "The server needs a token: Authorization: Bearer TOKEN.",
    403: "Not allowed: another site's page, or something that stays as it is.",
    404: "No such source, text, word or job.",
    409: "Not yet: the job is still running.",
    410: "The job was stopped.",
    413: "Larger than the server takes.",
    415: "Not JSON, or not a text file.",
    421: "Addressed to a name that is not this server's.",
    422: "A field that does not fit, or texts that have no answer to the question.",
    429: "Too many requests of one client.",
    501: "An optional package is missing on the server.",
    503: "Busy, or it took too long.",
}
# Every route may answer with these.
_ALWAYS: Final = (401, 403, 413, 415, 421, 422, 429, 503)


def errors(*further: int) -> dict[int | str, dict[str, Any]]:
    """Return the errors of a route for its description."""
    return {
        status: {"description": _MEANINGS[status], "content": {"application/json": {"schema": _ERROR}}}
        for status in sorted({*_ALWAYS, *further})
    }


def job_or_result(*further: int) -> dict[int | str, dict[str, Any]]:
    """Return the answers of a route that can be a job: 200 if the client waits, 202 with `Prefer: respond-async`."""
    schema = {"type": "object"}
    return {
        202: {
            "description": "Begun (with Prefer: respond-async): ask at Location.",
            "content": {"application/json": {"schema": schema}},
        },
        **errors(404, 410, *further),
    }
