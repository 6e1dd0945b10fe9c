"""`lexicloud search`: related or varied sentences, with the reason for each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli.options import AsJson
from lexicloud.cli.shell import as_json, console, fail, new_app, note, print_json, stdin_stream, write_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.text import Text

    from lexicloud.search import SentenceIndex, Suggestion, Suggestions

app: typer.Typer = new_app("Related or varied sentences, with the reason for each.")
INDENT = " " * 12  # the width of a suggestion's place and score


@app.command()
def search(
    index: Annotated[Path, typer.Argument(help="The folder of an index (lexicloud index build makes one).")],
    query: Annotated[
        str | None,
        typer.Argument(
            help="What to look for; without it, or with -, queries are read from stdin, one a line."
        ),
    ] = None,
    document: Annotated[
        Path | None, typer.Option("--document", help="Use the text of a whole file as the query.")
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode",
            help="related ranks (default); varied finds sentences unlike each other; interleaved takes turns.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", help="Instead: setcover, average, wmd, jaccard, levenshtein or bm25."),
    ] = None,
    top: Annotated[int, typer.Option("--top", help="How many sentences to find.")] = 5,
    weighting: Annotated[
        str | None, typer.Option("--weighting", help="Set cover: idf, or uniform as in the paper.")
    ] = None,
    keep: Annotated[
        float | None,
        typer.Option(
            "--keep",
            help="Set cover: the share of its weight that a word keeps once covered; 0 is most varied, 1 most alike.",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            help="Filter by metadata: key=value, key=a,b, key!=value, key>=value, key~part (repeatable).",
        ),
    ] = None,
    context: Annotated[
        int, typer.Option("--context", min=0, help="Show so many sentences before and after each find.")
    ] = 0,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show which words led to each sentence.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Find the texts that a query is about, best first, or sentences that resemble it and differ from each other.

    Example: lexicloud search issues.index "the app crashes on start" --where status=open --explain
    """
    from lexicloud.search import SentenceIndex
    from lexicloud.search.filters import parse_conditions

    given = {"weighting": weighting, "keep": keep}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    options |= {"mode": mode, "method": method, "top": top, "context": context}
    options |= {"where": parse_conditions(where) if where else None}
    opened = SentenceIndex.open(index)
    if document is not None or query not in {None, "-"}:
        answer_one(opened, _text(document, query), options, explain=explain, json=json)
    else:
        answer_lines(opened, options, explain=explain, json=json)


def answer_one(
    index: SentenceIndex, query: str, options: dict[str, Any], *, explain: bool, json: bool
) -> None:
    """Answer one query; as JSON, one object."""
    found = index.search(query, **options)
    if json:
        for line in found.notes:
            note(line)
        print_json(found)
    else:
        show(found, explain=explain)


def answer_lines(index: SentenceIndex, options: dict[str, Any], *, explain: bool, json: bool) -> None:
    """Answer each query of stdin as soon as its line is there; as JSON, one object a line."""
    if sys.stdin.isatty():
        fail('give a query, as in: lexicloud search INDEX "a stormy night"; or pipe queries in, one a line')
    number = 0
    for query in stdin_stream():
        found = index.search(query, **options)
        if json:
            write_line(as_json(found))
        else:
            show(found, explain=explain, apart=number > 0)
        sys.stdout.flush()
        number += 1
    if not number:
        fail("there is no query on standard input: write one a line")


def _text(document: Path | None, query: str | None) -> str:
    if document is None:
        return query or ""
    if query not in {None, "-"}:
        fail("give a query or --document, not both")
    from lexicloud.text import read_documents

    return "\n\n".join(found.text for found in read_documents(document))


def show(found: Suggestions, *, explain: bool, apart: bool = False) -> None:
    """Print suggestions for people, matched words highlighted."""
    from rich.text import Text

    screen = console()
    query = _one_line(" ".join(found.query.split()))
    head = Text("\n" if apart else "").append(
        query if len(query) <= 200 else f"{query[:200]} …", style="bold"
    )
    screen.print(head)
    for line in found.notes:
        note(line)
    for place, suggestion in enumerate(found, 1):
        screen.print(entry(place, suggestion, screen))
        for line in suggestion.context:
            mark = ">" if line == suggestion.text else " "
            screen.print(f"{INDENT}{mark} {_one_line(line)}", style="dim", markup=False, highlight=False)
        if explain:
            for reason in reasons(suggestion):
                screen.print(reason)


def entry(place: int, suggestion: Suggestion, screen: Console) -> Text:
    """Return a suggestion's lines; where a terminal wraps them, they stay clear of the place and the score."""
    from rich.text import Text

    source = f"{suggestion.title}: " if suggestion.title and suggestion.title != suggestion.id else ""
    body = highlighted(suggestion).append(f"  [{source}{suggestion.id}]", style="dim")
    if suggestion.weak:
        body.append("  weak match", style="yellow")
    line = Text(f"{place:>2}  ").append(f"{suggestion.score:<8.4g}", style="green")
    if not screen.is_terminal:
        return line.append_text(body)
    return line.append_text(Text("\n" + INDENT).join(body.wrap(screen, max(20, screen.width - len(INDENT)))))


def highlighted(suggestion: Suggestion) -> Text:
    """Return a suggestion's text with its matched words marked."""
    from rich.text import Text

    text = Text(_one_line(suggestion.text))
    for start, end in suggestion.highlights:
        text.stylize("bold cyan", start, end)
    return text


def _one_line(text: str) -> str:
    """Return a text as one line that cannot steer a terminal, every character still in its place."""
    return "".join(" " if c.isspace() or not c.isprintable() else c for c in text)


def reasons(suggestion: Suggestion) -> Iterator[Text]:
    """Yield a line for each match: query word → matched word, how far apart, and what it adds."""
    from rich.text import Text

    for match in suggestion.matches:
        line = (
            Text(INDENT)
            .append(match.query_word, style="magenta")
            .append(" → ")
            .append(match.word, style="bold cyan")
        )
        line.append(f"  distance {match.distance:.2f}  weight {match.weight:.3g}", style="dim")
        yield line if match.new else line.append("  covered before", style="yellow")
