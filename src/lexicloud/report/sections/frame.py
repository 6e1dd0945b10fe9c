"""What stands around the sections: the line under the title, and the last line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexicloud.report.html import Html, join, tag
from lexicloud.report.wording import many, percent

if TYPE_CHECKING:
    from lexicloud.report.study import Study


def subtitle(study: Study) -> str:
    """Say what the page is about in one line."""
    reading = study.reading
    labels = f", {many(len(reading.labels), reading.kind)}" if reading.labels else ""
    return (
        f"{many(len(reading.documents), 'text')}{labels}, {reading.coverage.tokens:,} tokens, seen as "
        "clouds of word vectors "
        f"({reading.vectors}; {percent(reading.coverage.share, 1)} of the tokens covered)."
    )


def footer(study: Study) -> Html:
    """Say how to get the page again."""
    made, seconds = study.provenance.versions["lexicloud"], sum(study.provenance.seconds.values())
    said = f"Made by lexicloud {made} in {seconds:.0f} seconds. This page needs no network. "
    return join([said, tag("a", "Get it again", href="#provenance"), "."])


def how_to_read(*sentences: str) -> Html:
    """Return the line that explains a plot or table."""
    said = " ".join(sentences).replace(" %", "\u00a0%")
    return tag("p", join([tag("strong", "How to read it. "), said]), class_="soft")
