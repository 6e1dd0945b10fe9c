"""The API under /api/v1: a route for each operation, and routes for state, texts, the shelf and a study."""

from __future__ import annotations

from fastapi import APIRouter

from lexicloud.web import rest
from lexicloud.web.api import shelf, state, survey, texts

PREFIX = "/api/v1"


def router(*, study: bool) -> APIRouter:
    """Return all routes; those of a study only where there is one."""
    whole = APIRouter(prefix=PREFIX)
    for part in (state.router, rest.router(), texts.router, shelf.router):
        whole.include_router(part)
    if study:
        whole.include_router(survey.router)
    return whole
