"""Several labels a text, planted wrong labels, and which texts to label next.

`python -m benchmarks.truth.labelling_tasks` writes results/labelling_tasks.json. `several`: Reuters stories with all
their topics, learnt from the official training part. `suspects`: 5 and 10 % of the labels are exchanged for others;
how many of as many suspects as were planted are among these, beside cleanlab (LEXICLOUD_CLEANLAB names the folder that
it is installed in) and the plain ranking by self-confidence on a cross-validated regression. `next`: examples of
`meaning_next`, on five tasks.
"""

from __future__ import annotations

import os
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.short_texts import CORPORA
from benchmarks.truth.labelling_cells import collections
from benchmarks.truth.meaning import vectors
from lexicloud.labelling import Labeller
from lexicloud.vectors.static_embeddings import load_static_embeddings

SEEDS = range(2)

# ---- several labels


def stories() -> tuple[list[tuple[str, list[str]]], list[tuple[str, list[str]]]]:
    """Return training and test stories of Reuters with their topics, of the twenty commonest topics."""
    rows = []
    for line in (CORPORA / "reuters" / "cats.txt").read_text(encoding="ascii").splitlines():
        name, *topics = line.split()
        rows.append((name, topics))
    usual = {topic for topic, _ in Counter(t for _, topics in rows for t in topics).most_common(20)}
    kept = [(name, [t for t in topics if t in usual]) for name, topics in rows if set(topics) <= usual]
    read = [
        (name, " ".join((CORPORA / "reuters" / name).read_text(encoding="latin-1").split()[:100]), topics)
        for name, topics in kept
    ]
    return tuple([(t, c) for name, t, c in read if name.startswith(part)] for part in ("train", "test"))  # type: ignore[return-value]


def several() -> dict[str, Any]:
    """Measure F1 over all labels, over labels alike, and on the stories that have several."""
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import MultiLabelBinarizer

    train, test = stories()
    out: dict[str, Any] = {}
    for size in (200, 500):
        for seed in SEEDS:
            rng = random.Random(seed)
            known, new = rng.sample(train, size), rng.sample([s for s in test if s[1]], 400)
            sizes = Counter(t for _, topics in known for t in topics)
            known = [(text, [t for t in topics if sizes[t] > 1]) for text, topics in known]
            texts, labels = [t for t, _ in known], [c for _, c in known]
            asked, truth = [t for t, _ in new], [set(c) for _, c in new]
            ours = Labeller(vectors("glove-6b-50d")).fit(texts, labels)
            binary = MultiLabelBinarizer().fit(labels)
            table, model = TfidfVectorizer(sublinear_tf=True), load_static_embeddings()
            X = sparse.hstack([table.fit_transform(texts), model.encode(texts)]).tocsr()
            Z = sparse.hstack([table.transform(asked), model.encode(asked)]).tocsr()
            rest = OneVsRestClassifier(LogisticRegression(C=10.0, max_iter=300)).fit(
                X, binary.transform(labels)
            )
            P = rest.predict_proba(Z)
            theirs = [set(binary.classes_[row >= 0.5]) for row in P]
            best = [found or {binary.classes_[row.argmax()]} for found, row in zip(theirs, P, strict=True)]
            guesses = {
                "lexicloud": [set(found) for found in ours.predict(asked)],
                "logistic, threshold .5": theirs,
                "logistic, at least one": best,
            }
            for name, found in guesses.items():
                out.setdefault(f"{size} examples", {}).setdefault(name, []).append(_f1s(found, truth))
            out[f"{size} examples"].setdefault("promised", []).append(round(100 * ours.accuracy_, 1))
    return out


def _f1s(found: Sequence[set[str]], truth: Sequence[set[str]]) -> list[float]:
    """Return F1 over all labels, the mean over labels, and that over texts that have several."""
    several = [i for i, labels in enumerate(truth) if len(labels) > 1]
    names = sorted(set().union(*truth))
    each = [_f1([g & {name} for g in found], [t & {name} for t in truth]) for name in names]
    return [
        _f1(found, truth),
        float(np.mean(each)),
        _f1([found[i] for i in several], [truth[i] for i in several]),
    ]


def _f1(found: Sequence[set[str]], truth: Sequence[set[str]]) -> float:
    both = sum(len(a & b) for a, b in zip(found, truth, strict=True))
    return round(200 * both / max(1, sum(map(len, found)) + sum(map(len, truth))), 1)


# ---- wrong labels


def suspects() -> dict[str, Any]:
    """Return the share of planted labels among as many suspects as were planted."""
    out: dict[str, Any] = {}
    for name in ("requests (snips)", "docstrings (SciPy)", "newsgroups", "topics (Reuters)"):
        for share in (0.05, 0.1):
            for seed in SEEDS:
                given = collections()[name](20, seed)
                for way, order in _rankings(*_planted(given.texts, given.labels, share, seed)).items():
                    out.setdefault(f"{name}, {share:.0%}", {}).setdefault(way, []).append(order)
    return out


def _planted(
    texts: Sequence[str], labels: Sequence[str], share: float, seed: int
) -> tuple[Sequence[str], list[str], set[int]]:
    rng = random.Random(seed)
    wrong = rng.sample(range(len(labels)), round(share * len(labels)))
    names = sorted(set(labels))
    changed = [*labels]
    for i in wrong:
        changed[i] = rng.choice([name for name in names if name != labels[i]])
    return texts, changed, set(wrong)


def _rankings(texts: Sequence[str], labels: list[str], wrong: set[int]) -> dict[str, float]:
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict

    ours = Labeller(vectors("glove-6b-50d")).fit(texts, labels)
    y = np.unique(labels, return_inverse=True)[1]
    X = sparse.hstack(
        [TfidfVectorizer(sublinear_tf=True).fit_transform(texts), load_static_embeddings().encode(texts)]
    )
    P = cross_val_predict(
        LogisticRegression(C=10.0, max_iter=300), X.tocsr(), y, cv=5, method="predict_proba"
    )
    own = ours.unseen_
    found = {
        "lexicloud": [row.index for row in ours.suspects().rows],
        "self-confidence": np.argsort(P[np.arange(len(y)), y]).tolist(),
        "lexicloud, by margin": np.argsort(own[np.arange(len(y)), y] - own.max(axis=1)).tolist(),
    }
    if os.environ.get("LEXICLOUD_CLEANLAB"):
        sys.path.append(os.environ["LEXICLOUD_CLEANLAB"])
        from cleanlab.filter import find_label_issues

        for name, given in (("cleanlab", P), ("cleanlab on lexicloud's", own)):
            found[name] = find_label_issues(y, given, return_indices_ranked_by="normalized_margin").tolist()
    return {
        way: round(100 * len(wrong & set(order[: len(wrong)])) / len(wrong), 1)
        for way, order in found.items()
    }


# ---- what to label next


def next_texts() -> dict[str, Any]:
    """Return the share of right answers after 0, 10 and 40 more labels, by how they were chosen."""
    out: dict[str, Any] = {}
    for name in (
        "requests (snips)",
        "docstrings (SciPy)",
        "newsgroups",
        "topics (Reuters)",
        "genres (Brown)",
    ):
        for seed in SEEDS:
            given = collections()[name](20, seed)
            for way in ("lexicloud", "random", "margin"):
                out.setdefault(name, {}).setdefault(way, []).append(_learnt(given, way, seed))
    return out


def _learnt(given: Any, way: str, seed: int) -> list[float]:
    rng, found = random.Random(seed), []
    by_label: dict[str, list[int]] = {}
    for i in rng.sample(range(len(given.labels)), len(given.labels)):
        by_label.setdefault(given.labels[i], []).append(i)
    known = [i for rows in by_label.values() for i in rows[:3]]
    for step in (10, 30, 0):
        labeller = Labeller(vectors("glove-6b-50d")).fit(
            [given.texts[i] for i in known], [given.labels[i] for i in known]
        )
        found.append(round(100 * float(np.mean(labeller.predict(given.new) == np.array(given.truth))), 1))
        pool = [i for i in range(len(given.texts)) if i not in set(known)]
        known += _chosen(labeller, [given.texts[i] for i in pool], pool, way, step, rng) if step else []
    return found


def _chosen(
    labeller: Labeller, texts: list[str], pool: list[int], way: str, n: int, rng: random.Random
) -> list[int]:
    if way == "random":
        return rng.sample(pool, n)
    if way == "lexicloud":
        return [pool[row.index] for row in labeller.next(texts, n)]
    P = np.sort(labeller.predict_proba(texts), axis=1)
    return [pool[i] for i in np.argsort(P[:, -1] - P[:, -2], kind="stable")[:n]]


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "several": several,
    "suspects": suspects,
    "next": next_texts,
}


def main(chosen: Sequence[str]) -> None:
    from benchmarks.record import earlier

    warnings.simplefilter("ignore")
    for part in chosen or PARTS:
        found = PARTS[part]()
        record.write("labelling_tasks", {**earlier("labelling_tasks"), part: found})
        print(part, found, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
