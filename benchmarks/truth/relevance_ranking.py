"""Ranked search against bm25s (stemmed and not), TF-IDF, averages, WMD, set cover, wordllama and potion on 33 tasks.

Tasks come from `relevance` and `relevance_foreign` (sentences), and from here (documents and tickets): questions and
passages of RACE, Reuters headlines and stories, weaknesses and vulnerabilities of the CWE list (pip: `cwe2`), and the
documentation of scipy, numpy, pandas and scikit-learn. potion is a model2vec model in the source archive of semhash.
WMD is exact and slow: it is measured where texts are short. Constants of `related` were tuned on the tasks of part
"tuned" (docs/search-measured.md says when the others were looked at). nDCG, recall and reciprocal rank are of the
first ten; intervals are of the difference to the standing baselines (stemmed bm25s, the embedding alone, and ten lines
that add both as z-scores), by resampling queries. `python -m benchmarks.truth.relevance_ranking [quick]`.
"""

from __future__ import annotations

import csv
import importlib
import inspect
import io
import json
import os
import pkgutil
import random
import re
import sys
import tarfile
import tempfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.truth.relevance import REUTERS, SHARED, TOP, Task
from benchmarks.truth.relevance import tasks as sentence_tasks
from benchmarks.truth.relevance_foreign import TUNED, UNTOUCHED, Missing, Packages
from benchmarks.truth.relevance_foreign import tasks as foreign_tasks
from lexicloud.search import SentenceIndex

QUERIES = 150  # a task, at most
BASELINES = ("bm25s, stemmed", "wordllama", "bm25s, stemmed + wordllama")
SLOW = ("average", "WMD", "potion", "related + potion")  # left out by `quick`
SHORT = 40  # tokens; where texts are longer on average, WMD is not measured
DRAWS = 1_000
GAIN = 1 / np.log2(np.arange(TOP) + 2)
Ranking = list[list[int]]


def drawn(name: str, pool: Sequence[str], queries: Sequence[str], right: Sequence[Sequence[int]]) -> Task:
    """Return a task with at most QUERIES queries, drawn at random."""
    order = list(range(len(queries)))
    random.Random(name).shuffle(order)
    order = order[:QUERIES]
    return Task(name, pool, [queries[i] for i in order], [frozenset(right[i]) for i in order])


# ---- documents


def passages(split: str) -> Task:
    """RACE: a question must find the passage it was asked about."""
    files = sorted((SHARED / "RACE" / split).glob("*/*.txt"))
    random.Random(1).shuffle(files)
    pool: list[str] = []
    asked: list[tuple[str, list[int]]] = []
    for file in files[:4000]:
        found = json.loads(file.read_text(encoding="utf-8"))
        asked += [(q, [len(pool)]) for q in found["questions"] if "_" not in q and len(q.split()) >= 6]
        pool.append(found["article"])
    return drawn(f"RACE {split}: question → passage", pool, *map(list, zip(*asked, strict=True)))


def stories(part: str) -> Iterator[tuple[list[str], str, str]]:
    """Yield topics, headline and body of Reuters stories."""
    for line in sorted((REUTERS / "cats.txt").read_text().splitlines()):
        name, *topics = line.split()
        if name.startswith(part):
            title, _, body = (REUTERS / name).read_text(encoding="latin-1").partition("\n")
            yield topics, title.strip().lower(), " ".join(body.split())


def headlines() -> Task:
    """A Reuters headline must find its story."""
    found = [(title, body) for _, title, body in stories("training") if len(body.split()) > 60][:3000]
    asked = [(title, [i]) for i, (title, _) in enumerate(found) if len(title.split()) >= 4]
    return drawn("Reuters: headline → story", [b for _, b in found], *map(list, zip(*asked, strict=True)))


def topics() -> Task:
    """A headline must find the stories of its topic, if that is a rare one."""
    found = list(stories("test"))
    counts = Counter(topic for own, _, _ in found for topic in own)
    rare = {topic for topic, count in counts.items() if 4 <= count <= 40}
    asked = []
    for own, title, _ in found:
        if rare & set(own) and len(title.split()) >= 4:
            asked.append(
                (title, [i for i, (other, _, _) in enumerate(found) if set(other) & set(own) & rare])
            )
    name = "Reuters: headline → stories of its topic"
    return drawn(name, [b for _, _, b in found], *map(list, zip(*asked, strict=True)))


# ---- tickets


def weaknesses(packages: Packages) -> list[dict[str, str]]:
    csv.field_size_limit(10**9)
    with zipfile.ZipFile(packages.fetch("pip", "cwe2")) as wheel:
        name = next(n for n in wheel.namelist() if n.endswith("navigate_cwe/1000.csv"))
        return list(csv.DictReader(io.StringIO(wheel.read(name).decode("utf-8", "replace"))))


def _about(row: dict[str, str]) -> str:
    advice = " ".join(re.findall(r"DESCRIPTION:(.*?)::", row["Potential Mitigations"]))
    return f"{row['Description']} {row['Extended Description']} {advice[:1500]}"


def _examples(row: dict[str, str]) -> list[str]:
    return re.findall(r"REFERENCE:CVE[^:]*:DESCRIPTION:(.*?):LINK", row["Observed Examples"])


def weakness_by_name(packages: Packages) -> Task:
    """The name of a weakness must find its description."""
    rows = weaknesses(packages)
    names = [row["Name"] for row in rows]
    return drawn("CWE: name → weakness", [*map(_about, rows)], names, [[i] for i in range(len(rows))])


def weakness_by_example(packages: Packages) -> Task:
    """The report of a vulnerability must find the weakness behind it."""
    rows = weaknesses(packages)
    asked = [(text, [i]) for i, row in enumerate(rows) for text in _examples(row)]
    pool = [f"{row['Name']}. {_about(row)}" for row in rows]
    return drawn("CVE → weakness", pool, *map(list, zip(*asked, strict=True)))


def related_weaknesses(packages: Packages) -> Task:
    """The name of a weakness must find the names of its relatives."""
    rows = weaknesses(packages)
    ids = {row["CWE-ID"]: i for i, row in enumerate(rows)}
    asked = []
    for i, row in enumerate(rows):
        near = re.findall(r"NATURE:\w+:CWE ID:(\d+)", row["Related Weaknesses"])
        right = [ids[n] for n in near if ids.get(n, i) != i]
        if right:
            asked.append((row["Name"], right))
    pool = [row["Name"] for row in rows]
    return drawn("CWE: weakness → related names", pool, *map(list, zip(*asked, strict=True)))


def alike_reports(packages: Packages) -> Task:
    """The report of a vulnerability must find others of the same weakness."""
    owners: dict[str, set[int]] = {}
    for i, row in enumerate(weaknesses(packages)):
        for text in _examples(row):
            owners.setdefault(text, set()).add(i)
    pool = list(owners)
    asked = []
    for i, text in enumerate(pool):
        right = [j for j, other in enumerate(pool) if j != i and owners[text] & owners[other]]
        if right:
            asked.append((text, right))
    return drawn("CVE → CVEs of its weakness", pool, *map(list, zip(*asked, strict=True)))


def documented(package: str, modules: Sequence[str]) -> dict[str, str]:
    """Return the docstrings of what some modules offer."""
    found: dict[str, str] = {}
    for name in modules:
        try:
            module = importlib.import_module(name)
        except Exception:  # an optional part that is not installed
            continue
        for key, thing in vars(module).items():
            own = [(key, thing)]
            if inspect.isclass(thing):
                own += [(f"{key}.{k}", v) for k, v in vars(thing).items()]
            for label, value in own:
                text = (
                    inspect.getdoc(value)
                    if callable(value) and not label.split(".")[-1].startswith("_")
                    else ""
                )
                if text and len(text) > 300 and str(getattr(value, "__module__", "")).startswith(package):
                    found.setdefault(label, text)
    return found


def parts_of(package: str) -> list[str]:
    module = importlib.import_module(package)
    names = [m.name for m in pkgutil.iter_modules(module.__path__)]
    return [package, *(f"{package}.{n}" for n in names if not n.startswith("_") and "test" not in n)]


_SEE_ALSO = re.compile(r"See Also\n-+\n(.*?)(\n\n|$)", re.DOTALL)


def summaries(package: str, modules: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return name, summary and the rest of each docstring, examples left out."""
    found = []
    for name, text in documented(package, modules).items():
        first, *rest = text.split("\n\n")
        body = re.split(r"\n(?:Examples|References)\n-+", "\n\n".join(rest))[0]
        if len(first.split()) >= 4 and len(body) > 150:
            found.append((name, " ".join(first.split()), body))
    return found


def documentation(package: str, modules: Sequence[str]) -> Task:
    """The summary of a function must find the rest of its documentation."""
    found = summaries(package, modules)
    pool = [body for *_, body in found]
    asked = [summary for _, summary, _ in found]
    return drawn(f"{package}: summary → documentation", pool, asked, [[i] for i in range(len(pool))])


def see_also(package: str, modules: Sequence[str]) -> Task:
    """A function's name and summary must find the functions that its documentation points to."""
    found = summaries(package, modules)
    last = {name.split(".")[-1]: i for i, (name, *_) in enumerate(found)}
    asked = []
    for i, (name, summary, body) in enumerate(found):
        listed = _SEE_ALSO.search(body)
        lines = re.findall(r"^([\w., ]+?)\s*(?::|$)", listed[1], re.MULTILINE) if listed else []
        names = [part.strip().split(".")[-1] for line in lines for part in line.split(",")]
        right = [last[n] for n in names if last.get(n, i) != i]
        if right:
            asked.append((f"{name} {summary}", right))
    pool = [f"{name}\n{summary}\n{_SEE_ALSO.sub('', body)}" for name, summary, body in found]
    return drawn(f"{package}: see also", pool, *map(list, zip(*asked, strict=True)))


NUMPY = ["numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.ma", "numpy.polynomial"]
PANDAS = ["pandas", "pandas.api.extensions", "pandas.api.types", "pandas.core.groupby", "pandas.core.window"]


def all_tasks(folder: Path) -> Iterator[tuple[str, str, Task]]:
    """Yield part, kind and task; what cannot be had here is named and left out."""
    packages = Packages(folder)
    for task in sentence_tasks(600):
        yield "tuned", "sentences", task.half(0)
        yield "untouched", "sentences", task.half(1)
    for part, makers in (("tuned", TUNED), ("untouched", UNTOUCHED)):
        yield from ((part, "sentences", task) for task in foreign_tasks(folder, makers))
    makers: list[tuple[str, str, Callable[[], Task]]] = [
        ("tuned", "tickets", lambda: weakness_by_name(packages)),
        ("untouched", "tickets", lambda: weakness_by_example(packages)),
        ("untouched", "tickets", lambda: related_weaknesses(packages)),
        ("tuned", "tickets", lambda: alike_reports(packages)),
        ("tuned", "tickets", lambda: documentation("scipy", parts_of("scipy"))),
        ("tuned", "tickets", lambda: see_also("scipy", parts_of("scipy"))),
        ("untouched", "tickets", lambda: documentation("numpy", NUMPY)),
        ("untouched", "tickets", lambda: see_also("numpy", NUMPY)),
        ("untouched", "tickets", lambda: documentation("pandas", PANDAS)),
        ("untouched", "tickets", lambda: see_also("pandas", PANDAS)),
        ("tuned", "tickets", lambda: documentation("sklearn", parts_of("sklearn"))),
        ("untouched", "tickets", lambda: see_also("sklearn", parts_of("sklearn"))),
    ]
    if (SHARED / "RACE").is_dir():
        makers += [
            ("tuned", "documents", lambda: passages("train")),
            ("untouched", "documents", lambda: passages("dev")),
        ]
    if REUTERS.is_dir():
        makers += [("tuned", "documents", headlines), ("untouched", "documents", topics)]
    for part, kind, make in makers:
        try:
            yield part, kind, make()
        except Missing as missing:
            print(f"left out: {missing}", file=sys.stderr)


# ---- contenders


def by_bm25s(stemmed: bool) -> Callable[[SentenceIndex, Task], Ranking]:
    def rank(_: SentenceIndex, task: Task) -> Ranking:
        import bm25s
        import Stemmer

        how = {
            "stopwords": "en",
            "stemmer": Stemmer.Stemmer("english") if stemmed else None,
            "show_progress": False,
        }
        retriever = bm25s.BM25()
        retriever.index(bm25s.tokenize(list(task.pool), **how), show_progress=False)
        asked = bm25s.tokenize(list(task.queries), **how, return_ids=False)
        return best(
            np.stack([retriever.get_scores(q) if q else np.zeros(len(task.pool)) for q in asked]), task
        )

    return rank


def by_tfidf(_: SentenceIndex, task: Task) -> Ranking:
    from sklearn.feature_extraction.text import TfidfVectorizer

    model = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    pool = model.fit_transform(task.pool)
    return best((model.transform(task.queries) @ pool.T).toarray(), task)


def by_model(name: str) -> Callable[[SentenceIndex, Task], Ranking]:
    def rank(_: SentenceIndex, task: Task) -> Ranking:
        from lexicloud.search.methods.dense import embedder

        embed = embedder(name)
        return best(2 + embed(task.queries) @ embed(task.pool).T, task)

    return rank


def by_hybrid(_: SentenceIndex, task: Task) -> Ranking:
    """Add the z-scores of bm25s with a stemmer and of static embeddings: the ten lines that anyone would try first."""
    import bm25s
    import Stemmer

    from lexicloud.search.methods.dense import embedder

    def z(scores: np.ndarray) -> np.ndarray:
        return (scores - scores.mean()) / max(float(scores.std()), 1e-12)

    how = {"stopwords": "en", "stemmer": Stemmer.Stemmer("english"), "show_progress": False}
    retriever, embed = bm25s.BM25(), embedder("wordllama")
    retriever.index(bm25s.tokenize(list(task.pool), **how), show_progress=False)
    asked = bm25s.tokenize(list(task.queries), **how, return_ids=False)
    cosines = embed(task.queries) @ embed(task.pool).T
    words = [retriever.get_scores(q) if q else np.zeros(len(task.pool)) for q in asked]
    return best(np.stack([100 + z(w) + z(c) for w, c in zip(words, cosines, strict=True)]), task)


def by_wmd(index: SentenceIndex, task: Task) -> Ranking | None:
    """Rank by exact Word Mover's Distance, unless the texts are so long that it takes minutes."""
    if index.database.lengths.mean() > SHORT:
        return None
    return ours(method="wmd")(index, task)


def potion(packages: Packages) -> Path:
    """Return the folder of potion, a model2vec model that the tests of semhash carry."""
    target = packages.folder / "potion"
    if not target.is_dir():
        with tarfile.open(packages.fetch("pip, source", "semhash==0.5.0")) as tar:
            found = [m for m in tar.getmembers() if "test_model/" in m.name and m.isfile()]
            target.mkdir()
            for member in found:
                content = tar.extractfile(member)
                assert content is not None
                (target / Path(member.name).name).write_bytes(content.read())
    return target


def ours(**options: Any) -> Callable[[SentenceIndex, Task], Ranking]:
    def rank(index: SentenceIndex, task: Task) -> Ranking:
        answers = index.search_many(task.queries, top=TOP + 1, near_copy=0, syntax=False, **options)
        return [
            [int(s.id) for s in found if s.text != query][:TOP]
            for found, query in zip(answers, task.queries, strict=True)
        ]

    return rank


def best(scores: np.ndarray, task: Task) -> Ranking:
    """Return the first ten of each query by score, the query's own text left out."""
    ranked = []
    for row, query in zip(scores, task.queries, strict=True):
        order = np.argsort(-row, kind="stable")[: TOP + 8]
        ranked.append([int(i) for i in order if row[i] > 0 and task.pool[i] != query][:TOP])
    return ranked


def contenders(folder: Path) -> dict[str, Callable[[SentenceIndex, Task], Ranking | None]]:
    """Return who takes part; a model that cannot be had here is named and left out."""
    found: dict[str, Callable[[SentenceIndex, Task], Ranking | None]] = {
        "bm25s": by_bm25s(stemmed=False),
        "bm25s, stemmed": by_bm25s(stemmed=True),
        "TF-IDF": by_tfidf,
        "average": ours(method="average"),
        "WMD": by_wmd,
        "varied": ours(mode="varied", min_tokens=1),
        "related, words alone": ours(dense=None),
        "related": ours(),
        "wordllama": by_model("wordllama"),
        "bm25s, stemmed + wordllama": by_hybrid,
    }
    if "quick" in sys.argv[1:]:
        return {who: rank for who, rank in found.items() if who not in SLOW}
    try:
        model = str(potion(Packages(folder)))
    except Missing as missing:
        print(f"left out: {missing}", file=sys.stderr)
    else:
        found |= {"potion": by_model(model), "related + potion": ours(dense=model)}
    return found


def per_query(ranked: Ranking, task: Task) -> np.ndarray:
    """Return nDCG, recall and reciprocal rank of every query."""
    out = []
    for rows, wanted in zip(ranked, task.right, strict=True):
        hits = [place for place, row in enumerate(rows) if row in wanted]
        most = min(len(wanted), TOP)
        out.append(
            (GAIN[hits].sum() / GAIN[:most].sum(), len(hits) / most, 1 / (hits[0] + 1) if hits else 0.0)
        )
    return np.array(out)


def interval(values: list[np.ndarray]) -> list[float]:
    """Return the 95 % interval of the mean over tasks of the mean over queries."""
    rng = np.random.default_rng(0)
    means = [np.mean([v[rng.integers(0, len(v), len(v))].mean() for v in values]) for _ in range(DRAWS)]
    return [round(float(x), 4) for x in np.percentile(means, [2.5, 97.5])]


def gains(kept: dict[str, np.ndarray], who: str) -> dict[str, list[float]]:
    """Return the 95 % intervals of a contender's gains in nDCG over the standing baselines."""
    return {peer: interval([kept[who][:, 0] - kept[peer][:, 0]]) for peer in BASELINES}


def run(folder: Path) -> dict[str, Any]:
    """Measure every contender on every task, then the means by part and kind."""
    kept: dict[str, dict[str, np.ndarray]] = {}
    who_takes_part = contenders(folder)
    results: dict[str, Any] = {"tasks": {}}
    labels: dict[str, tuple[str, str]] = {}
    for part, kind, made in all_tasks(folder):
        name = made.name if made.name not in kept else f"{made.name} (second half)"
        task = Task(name, made.pool, made.queries[:QUERIES], made.right[:QUERIES])
        index = SentenceIndex.build(list(task.pool))
        rankings = {who: rank(index, task) for who, rank in who_takes_part.items()}
        kept[name] = {who: per_query(found, task) for who, found in rankings.items() if found is not None}
        labels[name] = part, kind
        means = {
            who: dict(zip(("ndcg", "recall", "mrr"), map(float, v.mean(0).round(4)), strict=True))
            for who, v in kept[name].items()
        }
        results["tasks"][name] = {
            "part": part,
            "kind": kind,
            "texts": len(task.pool),
            "queries": len(task.queries),
            **{f"gain of {who}": gains(kept[name], who) for who in ("related", "related, words alone")},
            **means,
        }
        print(name, {who: v["ndcg"] for who, v in means.items()}, file=sys.stderr, flush=True)
    results["means"] = summary(kept, labels)
    return results


def summary(kept: dict[str, dict[str, np.ndarray]], labels: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """Return mean nDCG by part and kind, and the intervals of the gain over the standing baselines."""
    out: dict[str, Any] = {}
    for part in ("tuned", "untouched"):
        for kind in ("sentences", "documents", "tickets", "all"):
            names = [n for n, (p, k) in labels.items() if p == part and kind in {k, "all"}]
            if not names:
                continue
            out[f"{part}, {kind}"] = {"tasks": len(names)} | {
                who: {
                    "ndcg": round(float(np.mean([kept[n][who][:, 0].mean() for n in names])), 4),
                    "gain": {
                        peer: interval([kept[n][who][:, 0] - kept[n][peer][:, 0] for n in names])
                        for peer in BASELINES
                    },
                }
                for who in kept[names[0]]
                if all(who in kept[n] for n in names)
            }
    return out


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if where := os.environ.get("LEXICLOUD_FOREIGN"):
        found = run(Path(where))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            found = run(Path(temporary))
    for topic, values in found["means"].items():
        print(f"{topic} ({values['tasks']} tasks)")
        for who, value in values.items():
            if who != "tasks":
                print(f"  {who:28} nDCG {value['ndcg']:.4f}   gain over {value['gain']}")
    record.write("relevance_ranking", found)
