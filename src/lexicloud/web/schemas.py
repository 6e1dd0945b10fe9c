"""The schemas of requests that are not operations, and of errors in the OpenAPI page."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints

from lexicloud.operations.asked import TEXTS, Asked, Name, TextItem


class NewSource(Asked):
    """Texts to search in, kept in memory until they are removed or the server stops."""

    title: Name = "Your texts"
    texts: list[TextItem] = Field(min_length=1, max_length=TEXTS)


class GivenToken(Asked):
    """A token, to be exchanged for a cookie."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=500)]


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
