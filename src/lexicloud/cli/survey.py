"""`lexicloud survey`: ask people which suggestions they prefer, and evaluate what they say."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli.options import AsJson, AsPublished, Seed
from lexicloud.cli.shell import answer, console, fail, new_group, note, print_json, progress

if TYPE_CHECKING:
    from lexicloud.survey import Questionnaire, Study

survey: typer.Typer = new_group(
    "Ask people which suggestions they prefer.\n\n"
    "Example: lexicloud survey create --index books.index --out study.json && lexicloud survey run study.json",
)

StudyFile = Annotated[Path, typer.Argument(help="The study (lexicloud survey create makes one).")]
AnswersFile = Annotated[
    Path | None, typer.Option("--answers", help="The file of the answers; by default beside the study.")
]


@survey.command()
def create(
    out: Annotated[Path, typer.Option(help="The file to write the study to.")],
    index: Annotated[Path | None, typer.Option(help="Draw queries from this index and search it.")] = None,
    suggestions: Annotated[
        Path | None, typer.Option("--from", help="Take suggestions that exist already, from a JSON file.")
    ] = None,
    queries: Annotated[int, typer.Option(min=1, help="How many queries to draw.")] = 100,
    by: Annotated[
        str | None,
        typer.Option(help="A column whose values get equal shares of the queries: reading_level."),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Methods to compare, separated by commas; by default the paper's five."),
    ] = None,
    task: Annotated[
        str,
        typer.Option(help="choose; head-to-head; usefulness or variety (head-to-head on one); both tasks."),
    ] = "choose",
    against: Annotated[
        str | None,
        typer.Option(help="Head to head: the method that meets the others (the first), or all."),
    ] = None,
    as_published: AsPublished = False,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Freeze a study: queries, and what every method suggests for them.

    With --as-published it is the paper's: 100 queries, shared evenly by reading_level, of 5 to 15 tokens; its five
    methods; one group chooses 3 of 5, two meet set cover head to head, on usefulness and on variety.

    Example: lexicloud survey create --index books.index --queries 100 --by reading_level --out study.json
    """
    from lexicloud.survey import arms_of
    from lexicloud.survey.design import CRITERIA
    from lexicloud.survey.suggestions import PAPER_GROUPS

    if as_published:
        task, by = "both", by or (PAPER_GROUPS if index is not None else None)
    if (index is None) == (suggestions is None):
        fail("name an index (--index) or a file of suggestions (--from), one of the two")
    if out.exists():  # checked before the search, which takes time
        fail(f"{out} is there already, and answers may belong to it: choose another name")
    named = [name.strip() for name in methods.split(",") if name.strip()] if methods else None
    # The name of a criterion means head-to-head on it.
    arms = arms_of("head-to-head", task) if task in CRITERIA else arms_of(task)
    asked = {"arms": arms, "against": against, "seed": seed}
    with progress():
        study = (
            _imported(suggestions, named, asked) if suggestions else _drawn(index, queries, by, named, asked)
        )
    study.save(out)
    if as_published:
        note(f"as published: {study.protocol}")
    _tell_study(study, out, json=json)


def _imported(path: Path, methods: list[str] | None, asked: dict[str, Any]) -> Study:
    from lexicloud.survey import import_suggestions

    study = import_suggestions(path, methods=methods, **asked)
    if study.source["left_out"]:
        from lexicloud.survey.suggestions import reasons

        lost = study.source["queries"] - len(study.queries)
        note(
            f"{lost} of {study.source['queries']} queries cannot be shown: {reasons(study.source['left_out'])}"
        )
    return study


def _drawn(
    index: Path | None, queries: int, by: str | None, methods: list[str] | None, asked: dict[str, Any]
) -> Study:
    from lexicloud.search import SentenceIndex
    from lexicloud.survey import make_study
    from lexicloud.survey.suggestions import PAPER_METHODS

    assert index is not None
    return make_study(SentenceIndex.open(index), queries, by=by, methods=methods or PAPER_METHODS, **asked)


def _tell_study(study: Study, out: Path, *, json: bool) -> None:
    arms = [arm.name for arm in study.arms]
    if json:
        about = {"queries": len(study.queries), "methods": list(study.methods), "arms": arms}
        print_json({"study": out, "checksum": study.checksum, **about, "source": study.source})
        return
    console().print(
        f"{out}: {len(study.queries)} queries, methods {', '.join(study.methods)}; {', '.join(arms)}\n"
        f"next: lexicloud survey run {out}",
        markup=False,
    )


@survey.command()
def run(
    study: StudyFile,
    resume: Annotated[
        str | None, typer.Option(help="Continue with the code that was shown at the start.")
    ] = None,
    answers: AnswersFile = None,
    json: AsJson = False,
) -> None:
    """Answer the questionnaire in this terminal, with the keyboard.

    Example: lexicloud survey run study.json --resume k7f2-9qmd-abcd-efgh
    """
    from lexicloud.cli.survey_terminal import require_terminal, run_in_terminal
    from lexicloud.survey import Questionnaire

    require_terminal()
    opened = Questionnaire.open(study, answers)
    if not sys.stdin.isatty() or not (sys.stdout.isatty() or sys.stderr.isatty()):
        fail(
            f"the questionnaire needs a terminal: run it in one, or in a browser with lexicloud serve --study {study}"
        )
    session = run_in_terminal(opened, opened.resume(resume) if resume else None)
    if session is None:
        note("nothing was stored")
        return
    done = session.progress()
    if json:
        print_json({"participant": session.id, "code": session.token, **done})
        return
    console().print(f"{done['answered']} of {done['total']} questions answered. Thank you.", markup=False)
    if not done["finished"]:
        console().print(
            f"to continue: lexicloud survey run {study} --resume {session.token}",
            markup=False,
            soft_wrap=True,
        )


@survey.command()
def invite(
    study: StudyFile,
    people: Annotated[int, typer.Argument(min=1, max=10_000, help="How many people to invite.")],
    answers: AnswersFile = None,
    json: AsJson = False,
) -> None:
    """Print a code for each person who may take part; from now on `serve --study` lets in nobody else.

    Send somebody the address with their code behind it: https://texts.example/survey#k7f2-9qmd-abcd-efgh

    Example: lexicloud survey invite study.json 30
    """
    from lexicloud.survey import Questionnaire

    codes = Questionnaire.open(study, answers).invite(people)
    if json:
        print_json({"codes": codes})
        return
    note("each code is shown here only, and lets one person in")
    console().print("\n".join(codes), markup=False)


@survey.command()
def report(
    study: StudyFile,
    out: Annotated[Path | None, typer.Option(help="A folder for the page, the plots, CSV and JSON.")] = None,
    beside: Annotated[
        list[Path] | None,
        typer.Option(help="Aggregates of another study to show beside, in the paper's format."),
    ] = None,
    answers: AnswersFile = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Show what participants preferred, with intervals that allow for several answers by one person.

    Example: lexicloud survey report study.json --out results/
    """
    from lexicloud.survey import read_aggregates

    others = [read_aggregates(path) for path in beside or ()]
    found = _existing(study, answers).results(seed)
    if out is not None:
        for path in found.write(out, beside=others):
            note(f"wrote {path}")
    answer(found, json=json)


def _existing(study: Path, answers: Path | None) -> Questionnaire:
    """Open a study whose answers must exist: a report must not make an empty file."""
    from lexicloud.survey import Questionnaire, Study, answers_beside

    place = answers or answers_beside(study)
    if not place.exists():
        Study.open(study)
        fail(f"there are no answers yet ({place} is not there): lexicloud survey run {study}")
    return Questionnaire.open(study, answers)


@survey.command()
def export(
    study: StudyFile,
    out: Annotated[Path, typer.Option(help="A file that ends in .csv or .json.")],
    text: Annotated[
        bool, typer.Option("--with-text", help="Include free text, which may reveal who wrote it.")
    ] = False,
    answers: AnswersFile = None,
    json: AsJson = False,
) -> None:
    """Write all answers to a file, free text left out unless it is asked for.

    Example: lexicloud survey export study.json --out answers.csv
    """
    opened = _existing(study, answers)
    opened.export(out, text=text)
    if json:
        print_json({"file": out, **opened.counts()})
    else:
        console().print(f"wrote {out}", markup=False)


@survey.command()
def remove(
    study: StudyFile,
    participant: Annotated[str, typer.Argument(help="The random id of the participant.")],
    answers: AnswersFile = None,
    json: AsJson = False,
) -> None:
    """Remove a participant with all answers.

    Example: lexicloud survey remove study.json 9f86d081884c7d65
    """
    gone = _existing(study, answers).remove(participant)
    if json:
        print_json({"participant": participant, "answers": gone})
    else:
        console().print(f"removed {participant} and {gone} answers", markup=False)
