"""Damage indexes and feed readers nonsense for some minutes; prints one JSON object with the counts.

Run it as `make fuzz`, or `python -m tests.fuzz SECONDS [SEED [LIMIT]]`. It ends with 1 if anything was missed, crashed
or took more than LIMIT seconds (ten). A crash of the interpreter ends it too, with the seed above it to run again.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import logging
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from lexicloud.errors import LexicloudError
from lexicloud.search import SentenceIndex, verify_index
from lexicloud.text import read_documents, tokenize
from lexicloud.text.clean import Boilerplate, cut_gutenberg
from lexicloud.text.markup import html_to_text, markdown_to_text
from lexicloud.text.sentences import split_sentences
from lexicloud.vectors import load_vectors
from tests.search.toy import VECTORS, build

METHODS = ("related", "setcover", "bm25", "average", "jaccard", "levenshtein", "wmd")
SCRAPS = (
    "<", ">", "<!--", "-->", "<div>", "</p>", "&amp;", "*", "***", "[", "](", "`", "\n", "\n\n", " ", "\t", "\r\n",
    "a", "word", "Mr. ", "U.S.", "3.14", "...", "“", "’", "-", "--", "_", "|", "#", "> ", "On 3 May, Ann wrote:",
    "From: a\n", "é", "ß", "日本", "👍🏽", "\u0301", "\u200d", "\ufeff", "\x00", "\x1b[2J", "http://a.b/c", "a@b.c",
    "START OF THE PROJECT GUTENBERG EBOOK", "{", "}", '"', ",", ";", "\\ud800", "1e999", "nan", "null",
)  # fmt: skip
ENDINGS = (".txt", ".md", ".html", ".csv", ".tsv", ".jsonl", ".txt.gz", ".epub", ".docx", ".pdf")


class TooSlow(Exception):
    """Something took longer than it may."""


def damage(folder: Path, chance: random.Random) -> str:
    """Do one random harm to a folder and say which."""
    file = chance.choice(sorted(p for p in folder.iterdir() if p.name != "lock"))
    data = bytearray(file.read_bytes())
    kind = chance.choice(("flip", "flip", "bytes", "cut", "grow", "swap", "delete", "empty"))
    if kind == "flip":
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif kind == "bytes":
        place = chance.randrange(len(data))
        data[place : place + 8] = chance.randbytes(len(data[place : place + 8]))
    elif kind == "cut":
        del data[chance.randrange(len(data)) :]
    elif kind == "grow":
        data += chance.randbytes(chance.randint(1, 64))
    elif kind == "swap":
        data = bytearray(chance.choice(sorted(folder.glob("*.npy"))).read_bytes())
    elif kind == "empty":
        data = bytearray()
    if kind == "delete":
        file.unlink()
    else:
        file.write_bytes(bytes(data))
    return kind


def damaged_index(base: Path, victim: Path, chance: random.Random, counts: Counter[str]) -> None:
    """Damage a copy of an index; verify must say so, and searching must answer or refuse."""
    shutil.rmtree(victim, ignore_errors=True)
    shutil.copytree(base, victim)
    damage(victim, chance)
    changed = {p.name: p.read_bytes() for p in victim.iterdir()} != {
        p.name: p.read_bytes() for p in base.iterdir()
    }
    if not changed:
        return
    counts["damages"] += 1
    if not verify_index(victim):
        counts["damages missed by verify"] += 1
    try:
        index = SentenceIndex.open(victim, vectors=VECTORS)
        index.search("kadan lofel migos", chance.choice(METHODS), min_tokens=1)
        index.add([("later", "rudan kadan")])
        counts["damages that search and add survived"] += 1
    except LexicloudError:
        counts["damages refused in one line"] += 1


def nonsense(chance: random.Random) -> str:
    """Return some scraps of text, mostly few, sometimes one of them very often."""
    if chance.random() < 0.02:
        return chance.choice(SCRAPS) * chance.randint(1, 5_000)
    return "".join(chance.choices(SCRAPS, k=chance.randint(1, 60)))


def fuzzed_text(folder: Path, chance: random.Random, counts: Counter[str]) -> None:
    """Feed nonsense to every function that takes a text, and now and then to the readers of files."""
    text = nonsense(chance)
    readers: tuple[Callable[[str], Any], ...] = (
        tokenize, split_sentences, html_to_text, markdown_to_text, cut_gutenberg, Boilerplate().separate,
    )  # fmt: skip
    for read in readers:
        counts["fuzzed inputs"] += 1
        _allowed(read, text)
    if chance.random() < 0.2:
        counts["fuzzed files"] += 1
        file = folder / f"a{chance.choice(ENDINGS)}"
        data = text.encode("utf-8", "replace") if chance.random() < 0.7 else chance.randbytes(len(text))
        file.write_bytes(gzip.compress(data) if file.suffix == ".gz" and chance.random() < 0.8 else data)
        _allowed(read_documents, file)
        _allowed(load_vectors, file)


def _allowed(call: Callable[[Any], Any], argument: Any) -> None:
    with contextlib.suppress(LexicloudError):
        call(argument)


def main(seconds: float, seed: int, limit: int = 10) -> int:
    """Fuzz for so many seconds, half of them on indexes."""
    warnings.simplefilter("ignore")
    logging.disable()
    counts: Counter[str] = Counter()
    print(json.dumps({"seed": seed}), flush=True)
    begin, n, failures = monotonic(), 0, []
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        index = build([(c, f"{c}dan {c}fel {c}gos", {"kind": c}) for c in ("ka", "lo", "mi", "ru")])
        index.save(root / "base")
        index.add([("new", "sendan kafel the")])
        index.remove("lo")
        for method in METHODS:  # compiled now, so that the clock measures searching
            for made in (index, build(["kadan lofel"]), SentenceIndex.open(root / "base", vectors=VECTORS)):
                made.search("kadan lofel migos", method, min_tokens=1)
        os.fsync = lambda _: None  # type: ignore[assignment]  # guards against power cuts, and costs most of the time
        signal.signal(signal.SIGALRM, _too_slow)
        begin = monotonic()
        while (spent := monotonic() - begin) < seconds:
            n += 1
            chance = random.Random(f"{seed} {n}")
            signal.alarm(limit)
            try:
                if spent < seconds / 2:
                    damaged_index(root / "base", root / "victim", chance, counts)
                else:
                    fuzzed_text(root, chance, counts)
            except Exception as error:
                failures.append(f"{n}: {type(error).__name__}: {error}"[:200])
            signal.alarm(0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    report = {
        **counts,
        "failures": len(failures),
        f"over {limit} seconds": len(_alarms),
        "first": failures[:5],
        "peak MiB": peak,
    }
    print(json.dumps(report), flush=True)
    return int(bool(failures or _alarms) or counts["damages missed by verify"] > 0)


_alarms: list[int] = []


def _too_slow(*_: Any) -> None:
    _alarms.append(1)  # counted here: an exception inside a compiler's callback is swallowed
    raise TooSlow("took longer than it may")


if __name__ == "__main__":
    seconds, *rest = sys.argv[1:]
    seed, limit = (*map(int, rest), *(random.randrange(10**6), 10)[len(rest) :])
    sys.exit(main(float(seconds), seed, limit))
