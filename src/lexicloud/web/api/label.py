"""Labels for short texts from a few examples."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field, StringConstraints
from starlette.responses import Response

from lexicloud.web import schemas
from lexicloud.web.faults import Fault
from lexicloud.web.schemas import job_or_result
from lexicloud.web.service import Served

if TYPE_CHECKING:
    from lexicloud.labelling import TextLabel
    from lexicloud.vectors import WordVectors

router = APIRouter(tags=["label"])


class Row(schemas.Request):
    """A text, and its label where a person gave one."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=20_000)]
    label: schemas.Name | None = None


class Label(schemas.Request):
    """A table of which some rows are labelled."""

    rows: list[Row] = Field(min_length=2, max_length=schemas.DEFAULT.rows)
    next: int = Field(
        default=10, ge=0, le=100, description="How many rows to name that are worth labelling next."
    )
    explain: list[Annotated[int, Field(ge=0)]] = Field(default_factory=list, max_length=100)


@router.post("/label", responses=job_or_result())
async def label(wanted: Label, service: Served, request: Request) -> Response:
    """Guess the labels of the rows that have none, say why, and which rows to label next."""
    return await service.long(
        request, "learning from your labels", lambda: labelled(wanted, service.library.vectors)
    )


def labelled(wanted: Label, vectors: WordVectors) -> dict[str, Any]:
    """Learn from the labelled rows and guess the others."""
    from lexicloud.labelling import Labeller

    known = [row for row in wanted.rows if row.label is not None and row.text.strip()]
    counts = Counter(row.label for row in known)
    if len(counts) < 2 or min(counts.values()) < 2:
        raise Fault(
            422,
            f"{len(known)} labelled {'row' if len(known) == 1 else 'rows'}, {len(counts)} different "
            f"{'label' if len(counts) == 1 else 'labels'}",
            "label at least two rows with each of two labels",
            where="rows",
        )
    open_rows = [i for i, row in enumerate(wanted.rows) if row.label is None and row.text.strip()]
    texts = [wanted.rows[i].text for i in open_rows]
    labels = [str(row.label) for row in known]
    model = Labeller(vectors=vectors).fit([row.text for row in known], labels, unlabelled=texts)
    guesses = model.label(texts) if texts else []
    following = model.next(texts, n=min(wanted.next, len(texts))) if texts and wanted.next else []
    following_rows = [open_rows[one.index] for one in following]
    explained = [i for i in dict.fromkeys([*wanted.explain, *following_rows]) if i < len(wanted.rows)]
    return {
        "classes": [str(c) for c in model.classes_],
        "guesses": [{"row": i, **_guess(found)} for i, found in zip(open_rows, guesses, strict=True)],
        "next": following_rows,
        "reasons": {str(i): model.explain(wanted.rows[i].text).to_dict() for i in explained},
    }


def _guess(found: TextLabel) -> dict[str, Any]:
    """Return a guess; `none` says that the text is like none of the examples."""
    return {"guess": found.guess, "probability": found.probability, "none": found.label is None}
