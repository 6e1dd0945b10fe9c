"""The API: one router for each thing to ask, all under /api/v1."""

from __future__ import annotations

from fastapi import APIRouter

from lexicloud.web.api import authorship, compare, explore, indexes, label, search, state, survey, texts

PREFIX = "/api/v1"


def router(*, study: bool) -> APIRouter:
    """Return all routes; those of a study only where there is one."""
    whole = APIRouter(prefix=PREFIX)
    for part in (state, search, texts, compare, authorship, explore, indexes, label):
        whole.include_router(part.router)
    if study:
        whole.include_router(survey.router)
    return whole
