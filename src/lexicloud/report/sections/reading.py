"""The section about what was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexicloud.report.html import Html, bullets, details, facts, join, note, paragraph, table
from lexicloud.report.wording import many, percent, plural

if TYPE_CHECKING:
    from lexicloud.report.parts.reading import Reading

_LISTED = 40  # lost words listed


def blocks(part: Reading) -> list[object]:
    """Return figures, doubts, what reading did to the files, and a table of the documents."""
    coverage = part.coverage
    shown: dict[str, object] = {"texts": f"{len(part.documents):,}"}
    if part.labels:
        shown[plural(part.kind)] = f"{len(part.labels):,}"
    shown |= {
        "tokens": f"{coverage.tokens:,}",
        "distinct words": f"{coverage.types:,}",
        "tokens with a vector": percent(coverage.share, 1),
        "words with a vector": percent(coverage.type_share, 1),
    }
    return [
        paragraph(part.finding, "lead"),
        facts(shown),
        *map(note, part.doubts),
        *_changed(part),
        _lost(part),
        _documents(part),
    ]


def _changed(part: Reading) -> list[object]:
    said = list(part.notes)
    if part.dropped:
        said.append(
            f"{many(len(part.dropped), 'text')} too short for the sample: {', '.join(part.dropped[:20])}"
        )
    return (
        [details(f"What reading did to the files: {many(len(said), 'note')}", bullets(said))] if said else []
    )


def _lost(part: Reading) -> Html:
    coverage = part.coverage
    if not coverage.lost_types and not coverage.recovered_types:
        return paragraph("Every word has a vector of its own: nothing was lost.", "soft")
    said = paragraph(
        f"{many(coverage.lost_types, 'word')} ({many(coverage.lost_tokens, 'token')}) have no vector and "
        "are invisible to the "
        f"methods that work on meaning; {many(coverage.recovered_types, 'word')} "
        f"({many(coverage.recovered_tokens, 'token')}) "
        "were recovered under another spelling.",
        "soft",
    )
    lost = table(
        ["word", "count"],
        coverage.lost[:_LISTED],
        caption=f"The most frequent of {coverage.lost_types:,} words without a vector",
    )
    return join([said, details("Words without a vector", lost)]) if coverage.lost else said


def _documents(part: Reading) -> Html:
    labelled = bool(part.labels)
    headers = ["text", *([part.kind] if labelled else []), "tokens", "distinct words", "with a vector"]
    rows = [
        [d.name, *([d.label or "–"] if labelled else []), d.tokens, d.words, percent(d.coverage, 1)]
        for d in part.documents
    ]
    return details(f"All {many(len(rows), 'text')}", table(headers, rows, caption="The texts"))
