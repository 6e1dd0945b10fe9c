"""`lexicloud verify`: did one hand write these?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexicloud.cli.options import AsJson, Encoding, Language, Seed, one_of
from lexicloud.cli.shell import answer, command, progress, write

if TYPE_CHECKING:
    from lexicloud.authorship.impostors import Population
    from lexicloud.text import TokenRules


@command
def verify(
    known: Annotated[
        list[Path] | None, typer.Argument(metavar="KNOWN…", help="Texts by the known hand.")
    ] = None,
    unknown: Annotated[Path | None, typer.Option(help="The text in question.")] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            help="A folder of texts by other hands, several by each; for English novels there is one built in.",
        ),
    ] = None,
    calibrate: Annotated[
        str | None,
        typer.Option(help="Instead: measure how reliable answers with this reference are."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="A folder for the JSON and, with --calibrate, the plots.")
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            callback=one_of("lexicloud.authorship.verify", "METHODS"),
            help="two-sided or imposters (General Imposters).",
        ),
    ] = "two-sided",
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="An author of the reference who may have written these; repeatable."),
    ] = None,
    language: Language = "detect",
    encoding: Encoding = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Say how many times likelier the evidence is if one hand wrote the known texts and the unknown one.

    The reference should be of the language, the time and the kind of the texts, by authors who wrote neither. A verdict
    needs ten of them with several texts, and thirty are better. Pairs of their texts show how often it is wrong.
    What both sides share word for word is left out, and texts of another language, kind or time get no verdict.

    Example: lexicloud verify emma.txt persuasion.txt --unknown letter.txt

    Example: lexicloud verify known.txt --unknown letter.txt --reference novels/ --language french

    Example: lexicloud verify --calibrate novels/ --language french --out calibration
    """
    from lexicloud.authorship import calibrate as try_reference
    from lexicloud.authorship import verify as compare
    from lexicloud.errors import OptionError
    from lexicloud.result import Result
    from lexicloud.text import TokenRules, read_documents

    rules = TokenRules(language=language)
    found: Result
    with progress():
        if calibrate is not None:
            found = try_reference(
                _reference(calibrate, rules, encoding), method=method, rules=rules, seed=seed
            )
        elif not known or unknown is None:
            raise OptionError("name the known texts and --unknown TEXT, or --calibrate REFERENCE")
        else:
            texts = [d.text for path in known for d in read_documents(path, encoding=encoding)]
            asked = "\n".join(d.text for d in read_documents(unknown, encoding=encoding))
            rules = rules.settled([*texts, asked])
            others = None if reference is None else _reference(reference, rules, encoding)
            found = compare(
                texts, asked, others, method=method, exclude=exclude or (), rules=rules, seed=seed
            )
    write(found, out)
    answer(found, json=json)


def _reference(path: str, rules: TokenRules, encoding: str | None) -> Population:
    """Return the texts of a path as a reference; its authors are the labels of the texts, if they have any."""
    from lexicloud.authorship.impostors import Population
    from lexicloud.corpus import Corpus
    from lexicloud.corpus.labels import labelled_corpus
    from lexicloud.errors import InputError

    try:
        corpus = labelled_corpus(path, vectors="none", rules=rules, encoding=encoding)
    except InputError:
        corpus = Corpus.from_folder(path, vectors="none", rules=rules, encoding=encoding)
    return Population.of_corpus(corpus, path)
