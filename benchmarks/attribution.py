"""Labelling short passages by whole known texts: the default against its parts, Cosine Delta, and support vectors.

    python -m benchmarks.attribution                        # all collections that are here
    python -m benchmarks.attribution sotu --sizes 300 1000  # a part

With every tested text one text of every other label is left out, and all statistics are learnt without them. Everything
was chosen on one half of the authors; this reports on the other.
"""

from __future__ import annotations

import argparse
import zlib
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks._authors import REPORTED_ON, folds, interval, load, names, passage
from benchmarks.record import RESULTS, write
from lexicloud.divergences.attribution.combined import Scorer, add_up
from lexicloud.divergences.attribution.features import Spelling, WordTable
from lexicloud.divergences.attribution.scoring import RULES, category_scores
from lexicloud.divergences.delta import Delta
from lexicloud.divergences.standardise import membership

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

SIZES = (300, 1000, 3000, 10_000)
PASSAGES = 4
DELTAS = (300, 500, 1000, 2000, 5000)


def distances(corpus: Corpus, known: NDArray[Any], scorer: Scorer, new: WordTable) -> dict[str, Any]:
    """Return passages × known texts by every method."""
    found = dict(scorer.distances(new))
    for n in DELTAS:
        fitted = Delta(n=n).fit(corpus, known.tolist())
        found[f"Cosine Delta, {n:,} words"] = fitted.between(new.counts, corpus.counts[known])
    return found


def support_vectors(
    corpus: Corpus, known: NDArray[Any], new: WordTable, size: int, spelt: bool
) -> NDArray[Any]:
    """Return labels by a linear support vector machine, trained on passages of the same length of the known texts."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.svm import LinearSVC

    assert corpus.labels is not None
    table, rng = WordTable.of(corpus), np.random.default_rng(0)
    pieces, labels = [], []
    for i in known:
        for _ in range(8):
            tokens = corpus.tokens(int(i))
            pieces.append(passage(tokens, min(size, len(tokens)), rng))
            labels.append(corpus.labels[i])
    train, test = table.counting(pieces), new
    if spelt:
        spelling = Spelling.of(train.words)
        train, test = (
            spelling.table(train),
            spelling.table(WordTable(train.words, new.counts, new.lengths, new.names)),
        )
    weigh = TfidfTransformer(sublinear_tf=True).fit(train.counts)
    machine = LinearSVC().fit(weigh.transform(train.counts), labels)
    return np.asarray(machine.predict(weigh.transform(test.counts)))


def cell(corpus: Corpus, size: int, *, permuted: bool, machines: bool) -> dict[str, list[Any]]:
    """Return for each method and rule whether each passage was labelled right."""
    labels = [str(label) for label in corpus.labels or ()]
    table = WordTable.of(corpus)
    spelling, right = Spelling.of(table.words), defaultdict(list)
    for known, tested in folds(labels):
        rng = np.random.default_rng(zlib.crc32(f"{size} {tested.tolist()}".encode()))
        rows = [i for i in tested for _ in range(PASSAGES) if corpus.lengths[i] >= size]
        if not rows:
            continue
        new = table.counting([passage(corpus.tokens(int(i)), size, rng, permuted=permuted) for i in rows])
        truth = np.array([labels[i] for i in rows])
        theirs = [labels[i] for i in known]
        classes, groups = sorted(set(theirs)), membership(theirs, len(theirs))
        found = distances(corpus, known, Scorer.fit(table.rows(known), spelling), new)
        scores = {**found, "combined": add_up(found, groups)}
        for method, D in scores.items():
            for rule in RULES:
                best = category_scores(D, theirs, classes, rule).argmin(axis=1)
                right[f"{method} · {rule}"] += (np.array(classes)[best] == truth).tolist()
        for name, spelt in (("words, SVM", False), ("characters, SVM", True)) if machines else ():
            right[name] += (support_vectors(corpus, known, new, size, spelt) == truth).tolist()
    return right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="*", default=names())
    parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--half", type=int, default=REPORTED_ON)
    parser.add_argument("--permuted", action="store_true", help="words from anywhere instead of passages")
    parser.add_argument("--machines", action="store_true", help="support vector machines too")
    options = parser.parse_args()
    results: dict[str, Any] = {}
    for name in options.collections:
        corpus = load(name, options.half)
        for size in options.sizes:
            right = cell(corpus, size, permuted=options.permuted, machines=options.machines)
            if not right:
                continue
            results[f"{name}, {size:,} words"] = {
                "passages": len(next(iter(right.values()))),
                **{k: [round(100 * float(np.mean(v)), 1), *interval(np.array(v))] for k, v in right.items()},
            }
            print(f"{name}, {size:,}", results[f"{name}, {size:,} words"]["combined · between"], flush=True)
    write("attribution_permuted" if options.permuted else "attribution", results)
    (RESULTS / "attribution.md").write_text(table_of(results), encoding="utf-8")


def table_of(results: dict[str, Any]) -> str:
    """Return the shares as a table, the best of a column bold."""
    methods = list(dict.fromkeys(m for cells in results.values() for m in cells if m != "passages"))
    lines = ["# Passages labelled right, per cent, by whole known texts", ""]
    lines.append(
        "| method | " + " | ".join(f"{c} ({cells['passages']})" for c, cells in results.items()) + " |"
    )
    lines.append("|---|" + "---:|" * len(results))
    best = {c: max(v[0] for m, v in cells.items() if m != "passages") for c, cells in results.items()}
    for method in methods:
        shown = [f"{cells[method][0]:.1f}" if method in cells else "–" for cells in results.values()]
        bold = [f"**{s}**" if s == f"{best[c]:.1f}" else s for s, c in zip(shown, results, strict=True)]
        lines.append(f"| {method} | " + " | ".join(bold) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
