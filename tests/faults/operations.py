"""What is public and reads or writes: each with what it finds on the disk, what it does, and what is there then."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lexicloud.authorship.model import AttributionModel, train
from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence, divergence_matrix
from lexicloud.labelling import Labeller
from lexicloud.search import SentenceIndex, verify_index
from lexicloud.search.duplicates import find_duplicates
from lexicloud.store.folder import LOCK, MANIFEST, read_manifest, verify_folder
from lexicloud.survey import Questionnaire
from lexicloud.text import read_documents
from lexicloud.vectors import load_vectors, save_vectors
from lexicloud.web.jobs import Jobs
from lexicloud.web.settings import ServerLimits
from tests.authorship import hands
from tests.faults.inject import MEMORY, Fault
from tests.fuzz import METHODS, sound_files
from tests.search.toy import VECTORS, build
from tests.survey.studies import small_study
from tests.texts import TEXTS

OLD: Final = [(c, f"{c}dan {c}fel {c}gos {c}hin {c}jat", {"kind": c}) for c in ("ka", "lo", "mi", "ru")]
NEW: Final = [("sen", "sendan kafel the logos", {"kind": "sen"}), ("tor", "tordan mifel of", {"kind": "ka"})]


@dataclass(frozen=True)
class Operation:
    """`begin` opens what the work begins with, `do` is what fails; `state` reads what is there and refuses ruins."""

    name: str
    files: Mapping[str, bytes]
    do: Callable[[Any], Any]
    state: Callable[[Path], Any]
    begin: Callable[[Path], Any] = lambda folder: folder
    most: int = 400  # calls of one kind that fail; more are sampled
    several: bool = False  # whether it writes things that are whole each, not all at once
    again: bool = True  # whether doing it after a failure comes to the same
    threads: bool = False  # whether it starts some: Python waits for ever for one that has no memory to start

    def takes(self, fault: Fault) -> bool:
        """Tell whether a fault says anything about the operation."""
        return not (self.threads and fault.kind in MEMORY)


class Refused(Exception):
    """A command that ended with 2, and the one line that it told."""


class NotPrinted(Refused):
    """A command did its work and could not print its answer."""


# ---- what is there


def tree(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != LOCK
    }


def put_back(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder what it was; files are replaced and never changed, because somebody may have them mapped."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            with contextlib.suppress(OSError):
                path.rmdir()
        elif str(path.relative_to(folder)) not in files:
            path.unlink()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            path.unlink(missing_ok=True)
            path.write_bytes(data)


def rubbish(folder: Path) -> list[str]:
    """Return what lies in saved folders and is not named by their manifests, and what writers left elsewhere."""
    left = [str(path) for path in folder.rglob("*.g????????????")]
    for manifest in folder.rglob(MANIFEST):
        named = {entry["file"] for entry in read_manifest(manifest.parent)["files"].values()}
        left += [p.name for p in manifest.parent.iterdir() if p.name not in named | {MANIFEST, LOCK}]
    return left


def index_state(folder: Path) -> Any:
    path = folder / "index"
    if not (path / MANIFEST).exists():
        return None
    assert verify_index(path) == []
    index = SentenceIndex.open(path, vectors=VECTORS)
    found = [
        (s.id, round(s.score, 4)) for s in index.search("kadan lofel migos the", "setcover", min_tokens=1)
    ]
    database, kinds = index.database, index._snapshot.columns.get("kind")
    rows = range(len(database)) if database.alive is None else database.alive.nonzero()[0].tolist()
    held = [(database.identifiers[i], database.texts[i], kinds and kinds.value(i)) for i in rows]
    return sorted(held), found


def folder_state(name: str) -> Callable[[Path], Any]:
    def state(folder: Path) -> Any:
        path = folder / name
        if not (path / MANIFEST).exists():
            return None
        assert verify_folder(path) == []
        manifest = read_manifest(path)
        return {key: entry["sha256"] for key, entry in manifest["files"].items()}, manifest["meta"]

    return state


def study_state(folder: Path) -> Any:
    """What was answered: people by number, since their ids are random."""
    file = folder / "answers.sqlite"
    if not file.exists():
        return None
    asked = Questionnaire.open(folder / "study.json", file)
    people = asked.store.participants()
    numbers = {person.id: person.number for person in people}
    answers = [(numbers[a.participant], a.place, a.query, a.chosen) for a in asked.store.answers()]
    invited = asked.store.by_invitation()
    exported = (folder / "out.csv").read_bytes().count(b"\n") if (folder / "out.csv").exists() else None
    return [(p.number, dict(p.background), p.comment) for p in people], answers, invited, exported


def out_state(folder: Path) -> dict[str, bytes]:
    """The files of a command's output; a page and a picture name their making, so they are seen by their ends."""
    found = tree(folder / "out")
    return {
        name: _ends(data) if name.endswith((".html", ".png", ".svg")) else data
        for name, data in found.items()
    }


def _ends(data: bytes) -> bytes:
    return data[:8] + data[-8:].strip()


# ---- what is done


def cli(*words: str) -> Callable[[Any], str]:
    """A command, in this process: `{}` stands for its folder; what it prints goes to a file."""

    def do(begun: tuple[Path, Any]) -> str:
        from lexicloud.cli import main

        folder, out = begun
        told, before = io.StringIO(), sys.stdout
        sys.stdout = out
        code: Any = 0
        try:
            with contextlib.redirect_stderr(told):
                main([word.replace("{}", str(folder)) for word in words])
        except SystemExit as end:
            code = end.code
        finally:
            sys.stdout = before
        # What was read and written is told beside; of what went wrong there is one line, the last.
        lines = told.getvalue().splitlines()
        errors = [line for line in lines if not line.startswith("lexicloud: ") or "error: " in line[:20]]
        if code == 2 and len(errors) == 1 and lines[-1].startswith("lexicloud: error: "):
            raise (NotPrinted if "cannot print the answer" in errors[0] else Refused)(errors[0])
        assert code in {0, None}, f"exit {code}: {told.getvalue()[-300:]}"
        return "done"

    return do


def with_output(folder: Path) -> tuple[Path, Any]:
    """Open a file for what a command prints."""
    return folder, (folder / "printed").open("w", encoding="utf-8")


def opened(folder: Path) -> SentenceIndex:
    return SentenceIndex.open(folder / "index", vectors=VECTORS)


def searched(folder: Path) -> Any:
    index = opened(folder)
    found = [[s.id for s in index.search("kadan lofel migos", method, min_tokens=1)] for method in METHODS]
    many = index.search_many(["kadan", "lofel migos"], "bm25", min_tokens=1)
    return found, [[s.id for s in answers] for answers in many], len(find_duplicates(index).clusters)


def verified(folder: Path) -> None:
    for problem in verify_index(folder / "index"):
        raise Refused(problem)


def answered(folder: Path) -> Any:
    asked = Questionnaire.open(folder / "study.json", folder / "answers.sqlite")
    session = asked.start(consent=True, background={"writing": "Often"})
    for _ in range(2):
        question = session.question()
        assert question is not None
        session.answer(question["id"], [o["key"] for o in question["options"][:3]])
    return "done"


def one_answer(session: Any) -> str:
    question = session.question()
    session.answer(question["id"], [o["key"] for o in question["options"][:3]])
    return "done"


def begun_session(folder: Path) -> Any:
    asked = Questionnaire.open(folder / "study.json", folder / "answers.sqlite")
    (folder / "code").write_text("")
    return asked.resume((folder / "token").read_text())


def study_of(folder: Path) -> Any:
    return Questionnaire.open(folder / "study.json", folder / "answers.sqlite")


def listed(folder: Path) -> list[Path]:
    return sorted((folder / "files").iterdir())


def read_all(files: list[Path]) -> Any:
    found = []
    for file in files:
        if file.name == "v.txt":
            continue
        if file.name.startswith("v"):
            found.append((file.name, len(load_vectors(file))))
        else:
            found.append((file.name, [document.text for document in read_documents(file)]))
    return found


def worked(jobs: Jobs) -> Any:
    job = jobs.submit("adding", lambda: {"sum": sum(range(1000)), "text": "x" * 100_000})
    assert job.future is not None
    job.future.result()
    return len(jobs.result(job).data)


# ---- all of them


def operations(root: Path, groups: Iterable[str] = ()) -> Iterator[Operation]:
    """Make everything that the operations of some groups begin with, below `root`, and yield them."""
    for name in groups or GROUPS:
        yield from GROUPS[name](root / name)


def _of_readers(_: Path) -> Iterator[Operation]:
    files = {f"files/{name}": data for name, data in sound_files().items()}
    files["files/v.txt"] = b"whale\nsea\nship\n"
    yield Operation("read files of every kind", files, read_all, lambda _: None, begin=listed, most=150)
    yield Operation(
        "read a folder of texts",
        _texts(),
        lambda f: [d.text for d in read_documents(f / "texts")],
        lambda _: None,
    )


def _texts() -> dict[str, bytes]:
    """Eight texts by two authors."""
    both = itertools.product(("Ann", "Bob"), TEXTS.items())
    return {f"texts/{author}_{name}.txt": (text * 6).encode() for author, (name, text) in both}


def _of_jobs(_: Path) -> Iterator[Operation]:
    yield Operation(
        "a job of the server",
        {},
        worked,
        lambda _: None,
        begin=lambda _: Jobs(ServerLimits()),
        most=100,
        threads=True,
    )


def _of_indexes(root: Path) -> Iterator[Operation]:
    build(OLD).save(root / "index")
    one = tree(root)
    index = SentenceIndex.open(root / "index", vectors=VECTORS)
    index.add([("gone", "kadan", {"kind": "no"})])
    index.remove("gone")
    many = [(f"n{i}", f"kadan rugos {i}") for i in range(40)]
    two = tree(root)
    changes: dict[str, Callable[[SentenceIndex], Any]] = {
        "add": lambda index: index.add(NEW),
        "add many": lambda index: index.add(many),
        "replace": lambda index: index.upsert([("lo", "sengos the", {"kind": "x"}), ("new", "tordan")]),
        "update": lambda index: index.update("mi", kind="other"),
        "remove": lambda index: index.remove("ka"),
        "remove most": lambda index: index.remove(["ka", "lo", "mi"]),
        "compact": lambda index: index.compact(),
    }
    for name, change in changes.items():
        yield Operation(f"index: {name}", two, change, index_state, begin=opened)
    yield Operation("index: build and save", {}, lambda f: build(OLD).save(f / "index"), index_state)
    yield Operation("index: save over another", one, lambda f: build(NEW).save(f / "index"), index_state)
    yield Operation("index: open, change", two, lambda f: opened(f).add(NEW), index_state)
    yield Operation("index: open, search", two, searched, index_state, most=150, threads=True)
    yield Operation("index: verify", two, verified, index_state)
    yield Operation("index: refresh", two, lambda i: [i.refresh(), len(i)], index_state, begin=_stale)


def _stale(folder: Path) -> SentenceIndex:
    """Return an index that somebody else has written to."""
    index = opened(folder)
    opened(folder).remove("ru")
    return index


def _of_folders(root: Path) -> Iterator[Operation]:
    corpus = Corpus.from_texts({name: text * 3 for name, text in TEXTS.items()}, vectors=VECTORS)
    smaller = Corpus.from_texts({"sea": TEXTS["sea"]}, vectors=VECTORS)
    model = train(hands.library(authors=3, texts=2, tokens=300))
    labelled = [f"{c}dan {d}fel" for c in ("ka", "lo") for d in ("mi", "ru", "sen")]
    labeller = Labeller(VECTORS).fit(labelled, ["k"] * 3 + ["l"] * 3)
    savers: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]] = {
        "corpus": (corpus.save, lambda p: divergence(Corpus.open(p), "sea", "court", interval=False).value),
        "vectors": (
            lambda p: save_vectors(VECTORS, p),
            lambda p: load_vectors(p).lookup(["kadan", "nothing"]).matrix.tolist(),
        ),
        "model": (
            model.save,
            lambda p: [a.label for a in AttributionModel.open(p).attribute({"x": hands.write(1, 100, 7)})],
        ),
        "labeller": (
            labeller.save,
            lambda p: [g.label for g in Labeller.load(p, VECTORS).label(["kadan lofel"])],
        ),
    }
    for name, (save, use) in savers.items():
        save(root / name)
        there = {f"{name}/{file}": data for file, data in tree(root / name).items()}
        state = folder_state(name)
        yield Operation(f"{name}: save", {}, _into(save, name), state)
        yield Operation(f"{name}: open and use", there, _into(use, name), state, most=150)
    there = {f"corpus/{file}": data for file, data in tree(root / "corpus").items()}
    yield Operation("corpus: save over another", there, _into(smaller.save, "corpus"), folder_state("corpus"))
    matrix = divergence_matrix(corpus, method="categorical")
    yield Operation(
        "matrix: write", {"out/a.json": b"{}"}, lambda f: len(matrix.write(f / "out")), out_state,
        most=40, several=True,
    )  # fmt: skip


def _into(do: Callable[[Path], Any], name: str) -> Callable[[Path], Any]:
    return lambda folder: do(folder / name)


def _of_studies(root: Path) -> Iterator[Operation]:
    root.mkdir(parents=True)
    small_study().save(root / "study.json")
    alone = tree(root)
    asked = study_of(root)
    session = asked.start(consent=True, background={"writing": "Often", "why": "for fun"})
    one_answer(session)
    (root / "token").write_text(session.token or "")
    person = session.id
    _close_log(root)
    begun = tree(root)
    yield Operation("study: save", {}, lambda f: bool(small_study().save(f / "study.json")), tree)
    yield Operation("study: first answers", alone, answered, study_state, most=150, several=True, again=False)
    yield Operation("study: an answer", begun, one_answer, study_state, begin=begun_session, most=150)
    changes: dict[str, Callable[[Any], Any]] = {
        "a remark": lambda asked: asked.store.comment(person, "a remark"),
        "remove somebody": lambda asked: asked.store.remove(person),
        "invite": lambda asked: asked.store.invite(["a", "b"]),
        "export": lambda asked: bool(asked.export(asked.store.path.parent / "out.csv", text=True)),
        "results": lambda asked: len(asked.results().arms),
    }
    for name, change in changes.items():
        yield Operation(f"study: {name}", begun, change, study_state, begin=study_of, most=100)


def _close_log(folder: Path) -> None:
    """Let one file hold all answers."""
    with sqlite3.connect(folder / "answers.sqlite") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def _of_commands(root: Path) -> Iterator[Operation]:
    """Commands as they are typed; their output goes to `out`, where older output lies."""
    a, b = "{}/texts/Ann_sea.txt", "{}/texts/Bob_court.txt"
    rows = "".join(
        f"{json.dumps({'text': t[:80], 'label': n})}\n" for n, t in TEXTS.items() for _ in range(3)
    )
    base = _texts() | {"rows.jsonl": (rows + '{"text": "the old ship", "label": ""}\n').encode()}
    base["out/older.txt"] = b"what was there before"
    base["own.vec"] = b"3 4\nwhale 1 2 3 4\nsea 0 1 0 1\nship -1 .5 1e-3 0\n"
    commands: dict[str, tuple[str, ...]] = {
        "compare": ("compare", a, b, "--json", "--plot", "{}/out/shift.svg"),
        "matrix": ("matrix", "{}/texts", "--out", "{}/out"),
        "report": ("report", "{}/texts", "--out", "{}/out/page.html"),
        "corpus save": ("corpus", "save", "{}/texts", "--out", "{}/out/corpus"),
        "vectors convert": ("vectors", "convert", "{}/own.vec", "{}/out/vectors"),
        "index build": ("index", "build", "{}/texts", "--out", "{}/out/index"),
        "train": ("train", "{}/texts", "--label", "@name", "--out", "{}/out/model"),
        "label": ("label", "{}/rows.jsonl", "--label", "label", "--out", "{}/out/labels.csv"),
        "zipf": ("zipf", "{}/texts", "--out", "{}/out"),
    }
    for name, words in commands.items():
        yield Operation(
            f"command: {name}", base, cli(*words), command_state, begin=with_output, most=12, several=True
        )
    built = cli("index", "build", "{}/texts", "--out", "{}/out/index")
    root.mkdir(parents=True)
    put_back(root, base)
    built(with_output(root))
    there = tree(root)
    for name, words in {
        "index add": ("index", "add", "{}/out/index", "{}/rows.jsonl", "--text", "text"),
        "index remove": ("index", "remove", "{}/out/index", "Ann_sea"),
        "index compact": ("index", "compact", "{}/out/index"),
        "search": ("search", "{}/out/index", "the captain of the ship", "--json"),
    }.items():
        yield Operation(f"command: {name}", there, cli(*words), command_state, begin=with_output, most=20)


def command_state(folder: Path) -> Any:
    """What a command's output is: folders by what they hold, files by their bytes, and that what was there is."""
    out = folder / "out"
    saved = {manifest.parent for manifest in out.rglob(MANIFEST)} if out.exists() else set()
    plain = {
        n: d for n, d in (out_state(folder) if out.exists() else {}).items() if (out / n).parent not in saved
    }
    held = {}
    for path in saved:
        assert verify_folder(path) == []
        kind = read_manifest(path)["kind"]
        held[path.name] = (
            sorted(map(str, SentenceIndex.open(path).to_pandas()["text"])) if "index" in kind else kind
        )
    return plain, held


GROUPS: Final[dict[str, Callable[[Path], Iterator[Operation]]]] = {
    "indexes": _of_indexes,
    "folders": _of_folders,
    "studies": _of_studies,
    "readers": _of_readers,
    "jobs": _of_jobs,
    "commands": _of_commands,
}
