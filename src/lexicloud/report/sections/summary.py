"""The section that says it all in a few sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexicloud.report.html import join, tag
from lexicloud.report.page import Section
from lexicloud.report.parts.part import Missing

if TYPE_CHECKING:
    from lexicloud.report.study import Study


def summary(study: Study) -> Section:
    """Return one sentence from each part that has an answer, with the way to it."""
    parts = [p for p in study.parts if p is not study.provenance and not isinstance(p, Missing)]
    items = (tag("li", join([tag("a", p.title, href=f"#{p.id}"), tag("br"), p.finding])) for p in parts)
    return Section("summary", "In short", [tag("ol", join(items), class_="short")])
