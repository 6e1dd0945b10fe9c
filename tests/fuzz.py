"""Attack lexicloud for some minutes: damaged folders, forged manifests, nonsense as text and as files, kills.

Run it as `make fuzz` (every attack until its goal is reached, some minutes on two cores), as
`python -m tests.fuzz --seconds 60`, or one attack alone: `python -m tests.fuzz --only texts --goal 1000000`. It prints
one JSON object, and ends with 1 if anything was missed, raised what is no refusal, crashed the interpreter, took more
than two GiB or longer than ten seconds. `--case N` runs one case of an attack again, here and with its traceback.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import logging
import os
import random
import sqlite3
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Final

import numpy as np

from lexicloud.authorship.model import AttributionModel, train
from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence
from lexicloud.errors import LexicloudError
from lexicloud.labelling import Labeller
from lexicloud.search import SentenceIndex, verify_index
from lexicloud.search.duplicates import find_duplicates
from lexicloud.store.folder import LOCK, MANIFEST, sign, verify_folder
from lexicloud.survey import Questionnaire
from lexicloud.text import read_documents, tokenize
from lexicloud.text.clean import Boilerplate, cut_gutenberg, mark_mail, without_comments
from lexicloud.text.document import decode
from lexicloud.text.markup import html_to_text, markdown_to_text
from lexicloud.text.sentences import split_sentences
from lexicloud.text.tables import read_csv, read_jsonl
from lexicloud.vectors import WordVectors, load_vectors, save_vectors
from lexicloud.vectors.subwords import Ngrams
from tests.authorship import hands
from tests.search import killing
from tests.search.toy import VECTORS, build
from tests.survey.studies import small_study
from tests.text.test_formats import epub, pdf
from tests.text.test_mail import MAIL
from tests.text.test_office import RTF, odt, zipped
from tests.text.test_tables import xlsx
from tests.text.test_tei import TEI
from tests.vectors.test_binary_formats import binary
from tests.vectors.test_folder_format import wink_json
from tests.watched import Counter, Watch

METHODS: Final = ("related", "setcover", "bm25", "average", "jaccard", "levenshtein", "wmd")
SCRAPS: Final = (
    "<", ">", "<!--", "-->", "<div>", "</p>", "&amp;", "*", "***", "[", "](", "`", "\n", "\n\n", " ", "\t", "\r\n",
    "a", "word", "Mr. ", "U.S.", "3.14", "...", "“", "’", "-", "--", "_", "|", "#", "> ", "On 3 May, Ann wrote:",
    "From: a\n", "é", "ß", "日本", "👍🏽", "\u0301", "\u200d", "\ufeff", "\x00", "\x1b[2J", "http://a.b/c", "a@b.c",
    "START OF THE PROJECT GUTENBERG EBOOK", "{", "}", '"', ",", ";", "\\ud800", "1e999", "nan", "null",
)  # fmt: skip
FORGED: Final = (
    0,
    -1,
    2**31,
    2**63,
    1e308,
    None,
    "",
    "|O",
    "<f8",
    "<i8",
    "../a",
    [],
    {},
    [2**40],
    [-1],
    True,
)


# ---- what is attacked


@dataclass(frozen=True)
class Victim:
    """Something on disk, sound; how it is used; and who must notice any damage to it."""

    files: Mapping[str, bytes]
    use: Callable[[Path, random.Random], Any]
    verify: Callable[[Path], list[str]] | None = None

    def put_back(self, folder: Path) -> None:
        """Make a folder what it was; files are replaced and never changed, because somebody may have them mapped."""
        for path in folder.iterdir():
            if path.name not in self.files:
                path.unlink()
        for name, data in self.files.items():
            path = folder / name
            if not path.exists() or path.read_bytes() != data:
                path.unlink(missing_ok=True)
                path.write_bytes(data)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != LOCK}


def use_index(folder: Path, chance: random.Random) -> None:
    index = SentenceIndex.open(folder, vectors=VECTORS)
    index.search("kadan lofel migos", chance.choice(METHODS), min_tokens=1)
    change = chance.random()
    if change < 0.1:
        index.add([("later", "rudan kadan")])
    elif change < 0.2:
        index.remove("ka")
    elif change < 0.25:
        index.compact()
    elif change < 0.35:
        find_duplicates(index)
    elif change < 0.45:
        index.search("kadan lofel", "setcover", where={"kind": "ka"})


def use_corpus(folder: Path, chance: random.Random) -> None:
    corpus = Corpus.open(folder)
    a, b = corpus.names[:2]
    divergence(corpus, a, b, method=chance.choice(("smoothed", "knn", "categorical", "delta")))


def use_vectors(folder: Path, chance: random.Random) -> None:
    vectors = load_vectors(folder)
    vectors.lookup(["kadan", "unseenness", chance.choice(("the", "xyz"))])
    vectors.nearest("kadan")


def use_model(folder: Path, chance: random.Random) -> None:
    AttributionModel.open(folder).attribute({"x": hands.write(chance.randrange(3), 100, 7)})


def use_labeller(folder: Path, chance: random.Random) -> None:
    labeller = Labeller.load(folder, VECTORS)
    labeller.label(["kadan lofel", chance.choice(("", "xqzt", "rudan the of"))])
    labeller.explain("kadan lofel migos")


def use_study(folder: Path, chance: random.Random) -> None:
    asked = Questionnaire.open(folder / "study.json", folder / "answers.sqlite")
    if chance.random() < 0.5:
        session = asked.start(consent=True)
        if question := session.question():
            session.answer(question["id"], [o["key"] for o in question["options"][:3]])
    asked.export(folder / "out.csv", text=True)
    asked.results()


def victims(root: Path) -> dict[str, Victim]:
    """Build one of each thing that is kept on disk."""
    index = build([(c, f"{c}dan {c}fel {c}gos", {"kind": c}) for c in ("ka", "lo", "mi", "ru")])
    index.save(root / "index")
    index.add([("new", "sendan kafel the")])
    index.remove("lo")
    texts = {c: f"{c}dan {c}fel the {c}gos of kadan lofel migos. " * 5 for c in ("ka", "lo", "mi")}
    Corpus.from_texts(texts, vectors=VECTORS).save(root / "corpus")
    ngrams = Ngrams(np.ones((20, VECTORS.dimension), dtype=np.float32), 3, 4)
    save_vectors(WordVectors(VECTORS.words, VECTORS.matrix, "toy", subwords=ngrams), root / "vectors")
    train(hands.library(authors=3, texts=2, tokens=300)).save(root / "model")
    labelled = [f"{c}dan {d}fel" for c in ("ka", "lo") for d in ("mi", "ru", "sen")]
    rows = [f"{text} rudan" for text in labelled] * 60  # enough of them to be learnt from
    Labeller(VECTORS).fit(labelled, ["k"] * 3 + ["l"] * 3, unlabelled=rows).save(root / "labeller")
    _ask(root / "study")
    users: dict[str, Any] = {
        "index": use_index, "corpus": use_corpus, "vectors": use_vectors, "model": use_model,
        "labeller": use_labeller, "study": use_study,
    }  # fmt: skip
    checks: dict[str, Any] = dict.fromkeys(users, verify_folder) | {"index": verify_index, "study": None}
    return {name: Victim(contents(root / name), use, checks[name]) for name, use in users.items()}


def _ask(folder: Path) -> None:
    """Make a study with some answers."""
    folder.mkdir()
    small_study().save(folder / "study.json")
    asked = Questionnaire.open(folder / "study.json", folder / "answers.sqlite")
    for _ in range(3):
        session = asked.start(consent=True, background={"writing": "Often", "why": "=for fun"})
        for _ in range(4):
            question = session.question()
            assert question is not None
            session.answer(question["id"], [o["key"] for o in question["options"][:3]])
    with sqlite3.connect(folder / "answers.sqlite") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


# ---- attacks: each makes, for a worker's folder, the function that does one case


def damage(folder: Path, chance: random.Random) -> None:
    """Do one random harm to a folder."""
    files = sorted(p for p in folder.iterdir() if p.name != LOCK)
    file, kind = (
        chance.choice(files),
        chance.choice(("flip", "flip", "bytes", "cut", "grow", "swap", "delete", "empty")),
    )
    data = bytearray(file.read_bytes())
    if kind == "flip" and data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif kind == "bytes" and data:
        place = chance.randrange(len(data))
        data[place : place + 8] = chance.randbytes(len(data[place : place + 8]))
    elif kind == "cut" and data:
        del data[chance.randrange(len(data)) :]
    elif kind == "grow":
        data += chance.randbytes(chance.randint(1, 64))
    elif kind == "swap":
        data = bytearray(chance.choice(files).read_bytes())
    elif kind == "empty":
        data.clear()
    file.unlink()  # and not written into, because an earlier case may have it mapped
    if kind != "delete":
        file.write_bytes(bytes(data))


def forge(folder: Path, chance: random.Random) -> None:
    """Change the manifest, or a file and what the manifest says of it, and sign that as a forger would."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    entry = chance.choice(list(manifest["files"].values()))
    if chance.random() < 0.5:
        file = folder / entry["file"]
        data = bytearray(file.read_bytes())
        places = range(min(len(data) - 1, 128), len(data))
        for place in chance.choices(places, k=chance.choice((1, 1, 4, 32))):
            data[place] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
        file.unlink()
        file.write_bytes(bytes(data))
        entry["sha256"] = hashlib.sha256(data).hexdigest()
    elif chance.random() < 0.5:
        entry[chance.choice(list(entry))] = chance.choice(FORGED)
    else:
        _forge_value(manifest, chance)
    manifest["checksum"] = "0" * 64
    file = folder / MANIFEST
    file.unlink()
    file.write_text(sign(json.dumps(manifest, indent=1)), encoding="utf-8")


def _forge_value(manifest: dict[str, Any], chance: random.Random) -> None:
    """Change or take away one value somewhere in a manifest."""
    holder: Any = manifest
    while True:
        key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        if not isinstance(holder[key], dict | list) or not holder[key] or chance.random() < 0.15:
            break
        holder = holder[key]
    if chance.random() < 0.2:
        del holder[key]
    else:
        holder[key] = chance.choice(FORGED)


def attack_folders(names: tuple[str, ...], harm: Callable[[Path, random.Random], None]) -> Any:
    """Return the attack that harms folders of some kinds."""

    def make(things: Mapping[str, Victim], seed: str, scratch: Path, count: Counter) -> Callable[[int], None]:
        folders = {name: scratch / name for name in names}
        for name, folder in folders.items():
            folder.mkdir(exist_ok=True)
            things[name].put_back(folder)

        def case(n: int) -> None:
            chance = random.Random(f"{seed} {n}")
            name = chance.choice(names)
            thing, folder = things[name], folders[name]
            harm(folder, chance)
            if contents(folder) == dict(thing.files):
                count.add("without effect")
                return
            try:
                if harm is damage and thing.verify and not _noticed(thing, folder):
                    count.add("missed by verify")
                with suppress(LexicloudError):
                    thing.use(folder, chance)
                    count.add("answered")
            finally:
                thing.put_back(folder)

        return case

    return make


def _noticed(thing: Victim, folder: Path) -> bool:
    assert thing.verify is not None
    try:
        return bool(thing.verify(folder))
    except LexicloudError:
        return True


def nonsense(chance: random.Random) -> str:
    """Return some scraps of text, mostly few, sometimes one of them very often."""
    if chance.random() < 0.004:
        return chance.choice(SCRAPS) * chance.randint(1, 5_000)
    return "".join(chance.choices(SCRAPS, k=chance.randint(1, 40)))


READERS: Final[tuple[Callable[[str], Any], ...]] = (
    tokenize,
    split_sentences,
    html_to_text,
    markdown_to_text,
    cut_gutenberg,
    without_comments,
    Boilerplate().separate,
    lambda text: mark_mail(text.split("\n")),
    lambda text: read_csv(text, "a table"),
    lambda text: read_jsonl(text, "a table"),
    lambda text: Boilerplate.fit([text, text[::-1], text]),
    lambda text: decode(text.encode("utf-8", "replace")[1:], "a file"),
    lambda text: decode(text.encode("utf-16", "replace"), "a file"),
)
_BATCH: Final = 50


def attack_texts(_: Any, seed: str, scratch: Path, count: Counter) -> Callable[[int], None]:
    """Feed nonsense to every function that takes a text; a case is fifty texts, each to one function."""
    del scratch

    def case(n: int) -> None:
        chance = random.Random(f"{seed} {n}")
        for _ in range(_BATCH):
            reader = chance.choice(READERS)
            count.add("inputs")
            with suppress(LexicloudError):
                reader(nonsense(chance))
                count.add("answered")

    return case


def sound_files() -> dict[str, bytes]:
    """Return one good file of each kind that is read."""
    import docx

    word = io.BytesIO()
    made = docx.Document()
    made.add_paragraph("Call me Ishmael.")
    made.add_table(2, 2).cell(0, 0).text = "a cell"
    made.save(word)
    table = io.BytesIO()
    np.save(table, np.ones((3, 4), dtype=np.float32))
    page = (
        b"<html><head><meta charset='utf-8'></head><body><p>One &amp; two</p><table><tr><td>x</table></body>"
    )
    return {
        "a.docx": word.getvalue(),
        "a.odt": odt("<text:p>Call me<text:s text:c='3'/>Ishmael</text:p>"),
        "a.rtf": RTF,
        "a.xml": TEI.encode(),
        "a.xlsx": xlsx("<row><c><v>text</v></c></row><row><c><v>words</v></c></row>"),
        "a.zip": zipped({"a.txt": "One.", "b.csv": "text\nTwo\n"}),
        "a.eml": MAIL,
        "a.mbox": b"From ann Thu Jan  1 10:00:00 1998\n" + MAIL,
        "a.epub": epub({}),
        "a.pdf": pdf("Call me Ishmael"),
        "a.html": page,
        "a.md": b"---\ntitle: a\n---\n# Call\n\n> * me [Ishmael](http://a.b) `x`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "a.csv": b'id,text\n1,"Some, ""years"""\n2,ago\n',
        "a.tsv": b"id\ttext\n1\tSome\n",
        "a.jsonl": b'{"id": 1, "text": "Some \\ud83d\\ude00 years"}\n{"id": 2, "text": "ago"}\n',
        "a.txt": "From: a\nTo: b\nSubject: c\n\nCaf\u00e9, na\u00efve.\n-- \nAnn".encode(),
        "a.txt.gz": gzip.compress(b"Some years ago. " * 20),
        "v.npy": table.getvalue(),
        "v.vec": b"3 4\nwhale 1 2 3 4\nsea 0 1 0 1\nship -1 .5 1e-3 0\n",
        "v.bin": binary([b"whale", b"sea"], np.ones((2, 4), dtype=np.float32)),
        "v.w2v": b"2 4\n" + b"".join(w + np.ones(4, "<f4").tobytes() for w in (b"whale ", b"sea ")),
        "v.json": wink_json(["whale", "sea"], [[1.0, 2.0, 3.0], [0.5, 1.0, 0.0]]).encode(),
        "v.txt.gz": gzip.compress(b"whale 1 2 3 4\nsea 0 1 0 1\n"),
    }


def attack_files(_: Any, seed: str, scratch: Path, count: Counter) -> Callable[[int], None]:
    """Read damaged files of every kind, and nonsense under their names."""
    good = sound_files()
    (scratch / "v.txt").write_text("whale\nsea\nship\n", encoding="utf-8")  # the words of v.npy

    def case(n: int) -> None:
        chance = random.Random(f"{seed} {n}")
        name = chance.choice(list(good))
        data = bytearray(good[name])
        kind = chance.random()
        if kind < 0.2:
            data = bytearray(nonsense(chance).encode("utf-8", "replace"))
            data = bytearray(gzip.compress(data)) if name.endswith(".gz") else data
        elif kind < 0.4:
            del data[chance.randrange(len(data)) :]
        else:
            for _ in range(chance.choice((1, 1, 2, 8, 40))):
                place = chance.randrange(len(data))
                data[place : place + chance.choice((0, 1, 1, 1, 4))] = chance.choice(
                    (chance.randbytes(1), chance.randbytes(4), b"\xff", b"\0", chance.choice(SCRAPS).encode())
                )
        file = scratch / name
        file.write_bytes(bytes(data))
        with suppress(LexicloudError):
            (load_vectors if name.startswith("v") else read_documents)(file)
            count.add("answered")

    return case


@dataclass(frozen=True)
class Attack:
    """How its cases are made, how many a whole run has, and which part of a run by the clock it takes."""

    make: Any
    goal: int
    share: float


OTHERS: Final = ("corpus", "vectors", "model", "labeller", "study")
ATTACKS: Final = {
    "damaged index": Attack(attack_folders(("index",), damage), 10_500, 0.3),
    "damaged corpus, vectors, models, study": Attack(attack_folders(OTHERS, damage), 5_000, 0.2),
    "forged manifests": Attack(attack_folders(("index", *OTHERS[:-1]), forge), 5_000, 0.15),
    "files": Attack(attack_files, 20_000, 0.1),
    "texts": Attack(attack_texts, 1_000_000 // _BATCH, 0.25),
}
COUNTED: Final = ("inputs", "answered", "without effect", "missed by verify")


def warm_up(things: Mapping[str, Victim], scratch: Path) -> None:
    """Let everything be compiled and imported before the clock starts; the workers inherit it."""
    for name, thing in things.items():
        (scratch / name).mkdir()
        for n in range(40 if name == "index" else 10):
            thing.put_back(scratch / name)
            thing.use(scratch / name, random.Random(n))
    for reader in READERS:
        with suppress(LexicloudError):
            reader("a, b\n1, 2\n")
    for name, data in sound_files().items():
        (scratch / "v.txt").write_text("whale\nsea\nship\n", encoding="utf-8")
        (scratch / name).write_bytes(data)
        (load_vectors if name.startswith("v") else read_documents)(scratch / name)


def run(asked: argparse.Namespace, scratch: Path) -> int:
    """Run the attacks one after the other and print what came of them."""
    for name in ("made", "warm", "kills"):
        (scratch / name).mkdir()
    things = victims(scratch / "made")
    warm_up(things, scratch / "warm")
    os.fsync = lambda _: None  # type: ignore[assignment]  # guards against power cuts, and costs most of the time
    chosen = {name: attack for name, attack in ATTACKS.items() if asked.only in name}
    if asked.case is not None:
        ((name, attack),) = chosen.items()
        counter = Watch(scratch).counter(COUNTED)
        attack.make(things, f"{asked.seed} {name}", scratch, counter)(asked.case)
        return 0
    shares = sum(attack.share for attack in chosen.values())
    results = []
    for name, attack in chosen.items():
        seconds = asked.seconds * attack.share / shares if asked.seconds else None
        results.append(_attacked(name, attack, things, asked, scratch, seconds))
    if asked.only in "kills" and not asked.seconds and asked.part == 1:
        counts = killing.summary(scratch / "kills", asked.goal or 1_000)
        print(json.dumps({"attack": "kills", **counts}), flush=True)
        results.append(any(n for what, n in counts.items() if what != "kills"))
    return int(any(results))


def _attacked(
    name: str,
    attack: Attack,
    things: Mapping[str, Victim],
    asked: argparse.Namespace,
    scratch: Path,
    seconds: float | None,
) -> bool:
    """Run one attack, print its counts, and tell whether it found anything."""
    begin, seed = monotonic(), f"{asked.seed} {name}"
    found = Watch(scratch, asked.workers, asked.limit).run(
        lambda folder, count: attack.make(things, seed, folder, count),
        COUNTED,
        seconds=seconds,
        goal=None if seconds else asked.goal or attack.goal // asked.part,
    )
    told = {
        "attack": name,
        "cases": found.cases,
        **{key: n for key, n in found.counts.items() if n},
        "not a refusal": len(found.failures),
        "crashes": len(found.crashes),
        f"over {asked.limit:g} s": len(found.hangs),
        "longest s": round(found.longest, 2),
        "peak MiB": found.peak >> 20,
        "minutes": round((monotonic() - begin) / 60, 1),
        "first": (found.failures + found.crashes + found.hangs)[: asked.show],
    }
    print(json.dumps(told, ensure_ascii=False), flush=True)
    return bool(found.failures or found.crashes or found.hangs or found.counts["missed by verify"])


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, help="run by the clock; without it every attack has its goal"
    )
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--limit", type=float, default=10.0, help="seconds that a case may take")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", default="", help="attacks whose name holds this")
    parser.add_argument("--goal", type=int, help="how many cases")
    parser.add_argument(
        "--part", type=int, default=1, help="so many times fewer cases, the same in every run; no kills"
    )
    parser.add_argument("--case", type=int, help="one case again, here, with its traceback")
    parser.add_argument("--show", type=int, default=5, help="how many failures to show")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable()
    print(json.dumps({"seed": asked.seed}), flush=True)
    room = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # a folder in memory
    with tempfile.TemporaryDirectory(dir=room) as name:
        return run(asked, Path(name))


if __name__ == "__main__":
    sys.exit(main())
