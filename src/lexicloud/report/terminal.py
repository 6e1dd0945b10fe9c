"""A study in the terminal: who is like whom, who wrote what, the law, and what the queries find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lexicloud.report.chapters.attribution import BASELINE
from lexicloud.report.chapters.chapter import Missing, found
from lexicloud.report.chapters.search import source_of
from lexicloud.say.figures import APART, CATEGORICAL, TOWARDS
from lexicloud.say.phrases import cut, percent, plural, signed

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from lexicloud.report.chapters import AttributionChapter, DivergenceMapChapter, SearchChapter, ZipfChapter
    from lexicloud.report.study import StudiedTexts
    from lexicloud.search import Suggestion

_ROWS: Final = 14  # texts listed
_WORDS: Final = 3
_BAR: Final = 28
_SUGGESTED: Final = 3


def show(study: StudiedTexts, screen: Console) -> None:
    """Print the study's findings with a table for each."""
    from rich.text import Text

    screen.print()
    screen.print(Text(study.title, style="bold"))
    screen.print(Text(study.reading.finding, style="dim"))
    for doubt in study.reading.doubts:
        screen.print(Text(doubt, style=APART))
    for part, draw in (
        (study.divergence_map, _likeness),
        (study.attribution, _attribution),
        (study.zipf, _zipf),
        (study.search, _search),
    ):
        screen.print()
        screen.print(Text(part.title, style=f"bold {TOWARDS}"))
        screen.print(Text(part.finding))
        if not isinstance(part, Missing):
            draw(part, screen)  # type: ignore[arg-type]


def _table(*headings: str) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for heading in headings:
        table.add_column(heading, header_style="bold dim", overflow="fold")
    return table


def _likeness(part: DivergenceMapChapter, screen: Console) -> None:
    from rich.text import Text

    near = {name: list(found) for name, found in part.neighbours.items()}
    names = part.names if len(part.names) <= _ROWS else _spread(part)
    table = _table("", "is most like", "they share", "they differ in")
    for column in table.columns[:2]:
        column.no_wrap, column.overflow = True, "ellipsis"
    for name in names:
        closest = near[name][0]
        table.add_row(
            Text(cut(name, 24), style="bold"),
            Text(cut(closest.b, 24)),
            Text(", ".join(w.word for w in closest.together[:_WORDS]), style=TOWARDS),
            Text(", ".join(w.word for w in closest.apart[:_WORDS]), style=APART),
        )
    screen.print()
    screen.print(table)
    if len(names) < len(part.names):
        screen.print(Text(f"{len(names)} of {len(part.names)}; all of them are on the page", style="dim"))


def _spread(part: DivergenceMapChapter) -> list[str]:
    """Take texts evenly from first to last, so that a history is seen whole."""
    step = (len(part.names) - 1) / (_ROWS - 1)
    return [part.names[round(i * step)] for i in range(_ROWS)]


def _attribution(part: AttributionChapter, screen: Console) -> None:
    from rich.text import Text

    lengths = ("whole texts", *(f"{e.words:,} words" for e in part.excerpts))
    table = _table(f"{plural(part.kind)} found", *lengths, "")
    rows: list[tuple[str, list[float | None]]] = [
        (name, [result.accuracy, *(e.accuracy.get(name) for e in part.excerpts)])
        for name, result in part.results.items()
    ]
    rows.append(("chance", [part.main.chance] * (1 + len(part.excerpts))))
    for name, shares in rows:
        style = "bold" if name == part.main.method else "dim" if name in {"chance", BASELINE} else ""
        bar = Text(_bar(shares[-1]), style=TOWARDS if style == "bold" else CATEGORICAL[-1])
        written = (Text("–" if s is None else percent(s, 1), style=style) for s in shares)
        table.add_row(Text(name, style=style), *written, bar)
    screen.print()
    screen.print(table)
    wrong = sorted((t for t in part.main.texts if not t.right), key=lambda t: -t.margin)[:5]
    if wrong:
        said = ", ".join(f"{t.name} (taken for {t.found})" for t in wrong)
        screen.print(Text(f"most decided mistakes: {said}", style="dim"))


def _bar(share: float | None) -> str:
    return "" if share is None else "█" * max(1, round(_BAR * share))


def _zipf(part: ZipfChapter, screen: Console) -> None:
    from rich.text import Text

    clusters = found(part.clusters)
    if clusters is None:
        return
    table = _table("clusters of sentences", "slope of size against rank", "")
    low, high = clusters.interval or (clusters.slope, clusters.slope)
    table.add_row(
        Text("these texts", style="bold"), signed(clusters.slope), f"95 %: {signed(low)} to {signed(high)}"
    )
    for name, model in clusters.null.items():
        table.add_row(Text(f"{name} null model", style="dim"), signed(model.slope), f"± {model.spread:.2f}")
    screen.print()
    screen.print(table)


def _search(part: SearchChapter, screen: Console) -> None:
    from rich.text import Text

    for query, answers in part.answers.items():
        screen.print()
        screen.print(Text(f"“{query}”", style="bold"))
        table = _table("", "")
        table.show_header = False
        for suggestion in answers["setcover"][:_SUGGESTED]:
            table.add_row(Text(cut(source_of(suggestion), 24), style="dim"), _marked(suggestion))
        screen.print(table)


def _marked(suggestion: Suggestion) -> Text:
    from rich.text import Text

    line = Text(suggestion.text)
    for start, end in suggestion.highlights:
        line.stylize(f"bold {TOWARDS}", start, end)
    return line
