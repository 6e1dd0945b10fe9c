"""The section about telling authors apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexicloud.report.html import Html, details, join, note, paragraph, table, tag
from lexicloud.report.page import Plot
from lexicloud.report.parts.attribution import BASELINE, DOUBTFUL
from lexicloud.report.plots import attribution as plots
from lexicloud.report.sections.frame import how_to_read
from lexicloud.report.wording import listed, many, percent, plural

if TYPE_CHECKING:
    from lexicloud.report.parts.attribution import AttributionPart

_ABOUT = {
    "combined": "the default: latent words both ways, and Delta’s frequent words",
    "smoothed": "words and their neighbours in meaning",
    "delta": "Cosine Delta on the most frequent words, the stylometrist’s tool",
    "knn": "the paper’s k-nearest-neighbour estimate",
    "categorical": "word counts alone, without vectors: the baseline",
}


def blocks(part: AttributionPart) -> list[object]:
    """Return the accuracy of each method, the confusion table, and the doubtful cases."""
    main = part.main
    return [
        paragraph(part.finding, "lead"),
        how_to_read(
            f"Every text in turn is taken out and attributed by the rest: the {part.kind} whose texts are "
            "nearest on average wins. "
            f"Guessing in proportion would find {percent(main.chance, 1)}, always naming the commonest "
            f"{percent(main.majority, 1)}. "
            "Whole texts differ in matter too, not in manner alone; excerpts show how many words it takes."
        ),
        *_remarks(part),
        Plot(
            plots.accuracy(part),
            f"{plural(part.kind).capitalize()} found, by method",
            _accuracy_alt(part),
            _accuracy(part),
            height="22rem",
        ),
        Plot(
            plots.confusion(part),
            f"True {plural(part.kind)} against those found ({main.method})",
            f"A square of {len(main.classes)} labels; texts on the diagonal got their own label, "
            f"{len(main.labels) - main.correct} did not.",
            _confusion(part),
            height=f"{min(60.0, max(20.0, 0.85 * len(main.classes) + 12)):.0f}rem",
        ),
        *_mistakes(part),
        _doubtful(part),
        _by_label(part),
    ]  # fmt: skip


def _remarks(part: AttributionPart) -> list[object]:
    said = []
    if part.main.single_members:
        said.append(
            f"{many(len(part.main.single_members), part.kind)} with a single text "
            f"({listed(list(part.main.single_members)[:12])}) cannot be "
            f"found once that text is taken out: at most {percent(part.main.ceiling)} could be right."
        )
    said += [f"Method {name} has no answer: {reason}" for name, reason in part.failures.items()]
    said += [f"{s.name} was left out: {s.reason}" for s in part.main.skipped[:10]]
    return list(map(note, said))


def _accuracy_alt(part: AttributionPart) -> str:
    shares = listed([f"{name} {percent(result.accuracy)}" for name, result in part.results.items()])
    return (
        f"Bars of the share of labels found on whole texts: {shares}; chance is {percent(part.main.chance)}."
    )


def _accuracy(part: AttributionPart) -> Html:
    headers = [
        "method",
        "what it looks at",
        "right",
        "whole texts",
        *(f"{e.words:,} words" for e in part.excerpts),
        "mean F1",
    ]
    rows: list[list[object]] = [
        [
            name,
            _ABOUT.get(name, ""),
            f"{result.correct} of {len(result.labels)}",
            percent(result.accuracy, 1),
            *(percent(e.accuracy[name], 1) if name in e.accuracy else "–" for e in part.excerpts),
            f"{result.macro_f1:.2f}",
        ]
        for name, result in part.results.items()
    ]
    chance = percent(part.main.chance, 1)
    rows.append(
        ["chance", "labels guessed in proportion", "–", chance, *([chance] * len(part.excerpts)), "–"]
    )
    caption = f"Labels found by leaving one out; {BASELINE} is the baseline"
    return table(headers, rows, caption=caption, best=[0])


def _confusion(part: AttributionPart) -> Html:
    main = part.main
    pairs = [
        [main.classes[i], main.classes[j], int(n)]
        for i, row in enumerate(main.confusion)
        for j, n in enumerate(row)
        if n
    ]
    return table([f"true {part.kind}", "found", "texts"], pairs, caption="Every combination that occurred")


def _mistakes(part: AttributionPart) -> list[object]:
    wrong = [t for t in part.main.texts if not t.right]
    if not wrong:
        return [paragraph("No text got a label that is not its own.")]
    rows = [[t.name, t.label, t.found, t.margin] for t in sorted(wrong, key=lambda t: -t.margin)]
    found = table(
        ["text", f"its {part.kind}", "found", "margin"],
        rows,
        caption=f"Texts that were taken for another {part.kind}’s, the most decided first",
    )
    heading = tag("h3", f"Mistakes: {len(wrong)} of {len(part.main.labels)}")
    return [heading, found if len(rows) <= 12 else details(f"All {len(rows)} mistakes", found)]


def _doubtful(part: AttributionPart) -> Html:
    texts = part.main.doubtful(DOUBTFUL)
    rows = [[t.name, t.label, t.found, t.runner_up, t.margin, "right" if t.right else "wrong"] for t in texts]
    headers = ["text", f"its {part.kind}", "found", "runner-up", "margin", ""]
    caption = "The closest calls: a margin near zero means that two labels were about as near (in standard deviations)"
    return join([tag("h3", "Doubtful cases"), table(headers, rows, caption=caption)])


def _by_label(part: AttributionPart) -> Html:
    rows = [[r.label, r.texts, r.precision, r.recall, r.f1] for r in part.main.report]
    shown = table(
        [part.kind, "texts", "precision", "recall", "F1"],
        rows,
        caption=f"Each {part.kind} ({part.main.method})",
    )
    return details(f"Precision and recall of each {part.kind}", shown)
