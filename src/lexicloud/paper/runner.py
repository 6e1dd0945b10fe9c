"""Run the experiments one after another, reuse results computed before, and write all results."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lexicloud.errors import InputError, OptionError
from lexicloud.paper.claims import UNTRIED, Claim, claims
from lexicloud.paper.comparison import Report
from lexicloud.paper.data import nltk_data
from lexicloud.paper.experiments import EXPERIMENTS
from lexicloud.paper.rerun_page import png_of, result_page
from lexicloud.paper.workbench import Countdown, PaperOptions, Workbench
from lexicloud.progress import stage
from lexicloud.report.page import write_text
from lexicloud.result import Result, plain
from lexicloud.say.blocks import Block, Facts, Sentence, table
from lexicloud.store.files import replace_bytes

if TYPE_CHECKING:
    from lexicloud.paper.comparison import ComparisonTable, Listing


@dataclass(frozen=True)
class PaperResult(Result):
    """The reports of all experiments, which data were missing, and which results were computed or reused."""

    options: PaperOptions
    reports: dict[str, Report]
    missing: dict[str, str]
    vectors: str
    versions: dict[str, str]
    computed: tuple[str, ...]
    recalled: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())
    seconds: float = 0.0  # the time of all results, also of those that were reused
    memory: int = 0  # the most bytes that any result needed

    def blocks(self) -> list[Block]:
        """Return which claims of the paper hold, what was left out, and the evidence for each claim."""
        judged = claims(self.reports)
        run = [claim for claim in judged if claim.verdict != UNTRIED]
        sample = ["This is a sample (--quick): no number here is final."] if self.options.quick else []
        tables = [table for report in self.reports.values() for table in report.tables]
        again = f"{len(self.computed)} computed, {len(self.recalled)} taken up again"
        return [
            Sentence(_verdicts(judged), "answer"),
            *(Sentence(text, "note") for text in (*sample, *self.missing.values(), *self.notes)),
            *(
                [table(["claim", "verdict", "evidence"], [(c.claim, c.verdict, c.evidence) for c in run])]
                if run
                else []
            ),
            table(["table", "lines"], [(t.title, len(t.records())) for t in tables]),
            Facts((("vectors", self.vectors), ("results", again))),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "sample": self.options.quick,
            "seed": self.options.seed,
            "vectors": self.vectors,
            "versions": self.versions,
            "missing": self.missing,
            "notes": list(self.notes),
            "seconds": round(self.seconds, 1),
            "memory": self.memory,
            "computed": list(self.computed),
            "recalled": list(self.recalled),
            "tables": {
                table.name: {
                    "title": table.title,
                    "vectors": table.vectors,
                    "sample": table.sample,
                    "notes": list(table.why),
                    "records": table.records(),
                }
                for report in self.reports.values()
                for table in report.tables
            },
            "claims": [vars(claim) for claim in claims(self.reports)],
        }


def _verdicts(judged: list[Claim]) -> str:
    """Return a sentence on how many claims hold.

    >>> _verdicts([Claim("", "", "holds", "", ""), Claim("", "", "was not run", "", "")])
    'Of 2 claims of the paper 1 holds, 1 was not run.'
    """
    counts = Counter(claim.verdict for claim in judged)
    plural = {"holds": "hold", "holds in part": "hold in part", "does not hold here": "do not hold here",
              "was not run": "were not run"}  # fmt: skip
    told = [f"{n} {verdict if n == 1 else plural[verdict]}" for verdict, n in counts.items()]
    return f"Of {len(judged)} claims of the paper {', '.join(told)}."


def run_paper(options: PaperOptions) -> PaperResult:
    """Run the experiments that `options.tables` names, by default all; only the cache is written.

    Missing datasets are left out and listed in `missing`. A run that is stopped loses only its current step.
    """
    chosen = check_tables(options.tables)
    if not Path(options.data).is_dir():
        raise InputError(
            f"there is no data folder {options.data}: give --data, or set LEXICLOUD_DATA; it holds books/, "
            "nltk_data/, RACE/"
        )
    bench = Workbench(options)
    bench.countdown = Countdown({name: EXPERIMENTS[name].seconds for name in chosen})
    reports: dict[str, Report] = {}
    with nltk_data(options.data), stage("experiments", len(chosen)) as advance:
        if not bench.datasets and not (Path(options.data) / "survey").is_dir():
            raise InputError(f"{options.data} has none of the datasets: {'; '.join(bench.missing.values())}")
        for name in chosen:
            bench.countdown.begin(name)
            with stage(f"{EXPERIMENTS[name].title}{bench.countdown.said}"):
                reports[name] = EXPERIMENTS[name].run(bench)
            advance()
        notes = _notes(bench)
    return PaperResult(
        options,
        reports,
        dict(bench.missing),
        bench.about_vectors,
        versions(),
        tuple(bench.computed),
        tuple(bench.recalled),
        notes,
        bench.countdown.seconds,
        bench.countdown.memory,
    )


def check_tables(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of experiments in the paper's order; refuse unknown names."""
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown:
        raise OptionError(f"no table {', '.join(map(repr, unknown))}: choose from {', '.join(EXPERIMENTS)}")
    return tuple(name for name in EXPERIMENTS if not names or name in names)


def versions() -> dict[str, str]:
    """Return the versions of Python and the packages that the numbers depend on."""
    import platform
    from importlib.metadata import version

    packages = ("numpy", "scipy", "scikit-learn", "nltk")
    from lexicloud.version import __version__

    return {
        "lexicloud": __version__,
        "python": platform.python_version(),
        **{p: version(p) for p in packages},
    }


def _notes(bench: Workbench) -> tuple[str, ...]:
    """Return the notes on reading the datasets."""
    notes = [f"{name}: {note}" for name, found in bench.notes.items() for note in found]
    if bench.sample:
        notes.insert(0, f"every table is of {bench.sample}")
    return tuple(notes)


def write_results(result: PaperResult, folder: str | Path) -> list[Path]:
    """Write index.html, results.json, tables/*.csv and figures/*.png; return the files, the page first."""
    folder = Path(folder)
    images = {
        drawing.name: png_of(drawing.draw())
        for report in result.reports.values()
        for drawing in report.drawings
    }
    written = [result_page(result, images).save(folder / "index.html")]
    written.append(write_text(folder / "results.json", _json(_stable(result.to_dict()))))
    tables = [table for report in result.reports.values() for table in report.tables]
    written += [write_text(folder / "tables" / f"{table.name}.csv", _csv(table)) for table in tables]
    written += [_write_bytes(folder / "figures" / f"{name}.png", data) for name, data in images.items()]
    return written


def _stable(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values that are the same for a first and a resumed run, and on all machines."""
    passing = {"computed", "recalled", "seconds", "memory"}
    return {key: value for key, value in values.items() if key not in passing}


def _json(values: dict[str, Any]) -> str:
    return json.dumps(plain(values), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _csv(table: ComparisonTable | Listing) -> str:
    records = table.records()
    out = StringIO()
    writer = csv.DictWriter(out, fieldnames=list(records[0]) if records else ["empty"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def _write_bytes(path: Path, data: bytes) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    replace_bytes(path, data)
    return path
