"""`lexicloud verify`: did one hand write these?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexicloud.cli.options import AsJson, Encoding, Language, Seed
from lexicloud.cli.shell import console, new_app, note, print_json, progress

if TYPE_CHECKING:
    from lexicloud.divergences import Population, Verification
    from lexicloud.text import TokenRules

app: typer.Typer = new_app(
    "Did one hand write these? A calibrated likelihood ratio, with the words behind it."
)


@app.command()
def verify(
    known: Annotated[list[Path], typer.Argument(metavar="KNOWN…", help="Texts by the known hand.")],
    unknown: Annotated[Path, typer.Option("--unknown", help="The text in question.")],
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference", help="A folder of texts by other hands; for English there is one built in."
        ),
    ] = None,
    method: Annotated[
        str, typer.Option("--method", help="two-sided or imposters (General Imposters).")
    ] = "two-sided",
    exclude: Annotated[
        list[str] | None,
        typer.Option("--exclude", help="An author of the reference who may have written these; repeatable."),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=0, help="How many words to show.")] = 12,
    language: Language = "english",
    encoding: Encoding = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Say how many times likelier the evidence is if one hand wrote the known texts and the unknown one.

    The reference should be of the language, the time and the kind of the texts, by authors who wrote neither.

    Example: lexicloud verify emma.txt persuasion.txt --unknown letter.txt

    Example: lexicloud verify known.txt --unknown letter.txt --reference novels/ --language french
    """
    from lexicloud.divergences import verify as compare
    from lexicloud.text import TokenRules, read_documents

    rules = TokenRules(language=language)
    with progress():
        texts = [d.text for path in known for d in read_documents(path, encoding=encoding)]
        asked = "\n".join(d.text for d in read_documents(unknown, encoding=encoding))
        others = None if reference is None else _reference(reference, rules, encoding)
        found = compare(texts, asked, others, method=method, exclude=exclude or (), rules=rules, seed=seed)
    if json:
        print_json(found.to_dict())
        return
    _show(found, top)


def _reference(path: str, rules: TokenRules, encoding: str | None) -> Population:
    """Read a reference; its authors are the labels of the texts, where they have any."""
    from lexicloud.corpus import Corpus
    from lexicloud.corpus.labels import labelled_corpus
    from lexicloud.divergences import Population
    from lexicloud.errors import InputError

    try:
        corpus = labelled_corpus(path, vectors="none", rules=rules, encoding=encoding)
    except InputError:
        corpus = Corpus.from_folder(path, vectors="none", rules=rules, encoding=encoding)
    return Population.of_corpus(corpus, path)


def _show(found: Verification, top: int) -> None:
    from rich.table import Table
    from rich.text import Text

    screen = console()
    for line in found.notes:
        note(line)
    screen.print(found.decision, style="bold")
    screen.print(
        f"likelihood ratio {found.likelihood_ratio:.3g}; "
        f"probability {found.probability:.0%} if both were equally likely",
        markup=False,
    )
    if found.p_value is not None:
        screen.print(f"{found.p_value:.1%} of the impostors are as close", markup=False)
    screen.print(
        f"method {found.method}; {found.tokens[0]:,} and {found.tokens[1]:,} tokens; {found.impostors} passages by "
        f"other hands ({found.reference})\n",
        markup=False,
    )
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("word", "adds", "known ‰", "unknown ‰", "usual ‰"):
        table.add_column(heading, header_style="bold", justify="left" if heading == "word" else "right")
    for w in found.evidence[:top]:
        table.add_row(Text(w.word), f"{w.value:+.3f}", *(f"{r:.2f}" for r in (w.known, w.unknown, w.usual)))
    if found.evidence:
        screen.print(table)
        screen.print("\n+ speaks for one hand, - for two")
