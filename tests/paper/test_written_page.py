"""Every table of docs/paper/README.md, and the numbers of its prose, are those of the results beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lexicloud.paper.comparison import DATASETS, METHODS, QUERIES, TASKS, TITLES, published
from lexicloud.paper.experiments.label_books import KNOWN
from lexicloud.paper.experiments.sentence_search import letters

PAGE = Path(__file__).parents[2] / "docs" / "paper"
TEXT = (PAGE / "README.md").read_text(encoding="utf-8")
RESULTS = json.loads((PAGE / "results.json").read_text(encoding="utf-8"))
SMALL, LARGE = "glove-6b-50d", "glove-840b-300d-34k"
SIZES = (3_000, 10_000, 20_000, 32_000)
ESTIMATORS = ("equations", "authors' code")
SAME = "the same books"
PARTS = ("noun", "verb", "adverb", "adjective", "pronoun", "other")
KS = (3, 5, 10, 20, 50)
_NOT_KEYS = {"published", "published_of", "ours", "ours_of", "ours_low", "ours_high", "difference", "ratio", "unit",
             "vectors", "sample", "explanation"}  # fmt: skip


def record(table: str, *row: object, column: str) -> dict[str, Any]:
    """Return the one record of a row and a column."""
    found = [
        r
        for r in RESULTS["tables"][table]["records"]
        if [v for k, v in r.items() if k not in _NOT_KEYS] == [*row, column]
    ]
    assert len(found) == 1, (table, row, column)
    return found[0]


def ours(table: str, *row: object, column: str) -> float:
    return float(record(table, *row, column=column)["ours"])


def by_dataset(table: str, column: str, *more: object) -> list[float]:
    return [ours(table, name, *more, column=column) for name in DATASETS]


def line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def number(value: float, digits: int = 0) -> str:
    """A number as the page writes it: 7, 13.5, −0.67."""
    return f"{value:,.{digits}f}".replace("-", "−")


def count(value: float) -> str:
    """Books right: a mean of draws has a decimal only where it needs one."""
    return number(value, 0 if value.is_integer() else 1)


def span(values: list[float], digits: int = 0) -> str:
    return f"{number(min(values, key=abs), digits)} to {number(max(values, key=abs), digits)}"


# ---- tables


def datasets() -> Iterator[str]:
    columns = published()["datasets"]["columns"]
    names = {
        "gutenberg": "Gutenberg (73 of 79 books)",
        "race": "RACE (82 % of the passages)",
    }
    for name in DATASETS:
        cells = [record("datasets", name, column=column) for column in columns]
        pairs = [number(r[key]) for r in cells for key in ("published", "ours")]
        yield line(names.get(name, TITLES[name]), *pairs)
    scaled = "race, published numbers scaled to the passages that are here"
    yield line(
        "RACE, published × 82 %",
        *(f"{number(record('datasets', scaled, column=c)['published'])} | " for c in columns),
    ).replace("|  |", "| |")


def labelled() -> Iterator[str]:
    stronger = ("smoothed", "smoothed, running", "default, running")
    for task in (*TASKS, KNOWN):
        for size in SIZES:
            baseline, third = (record("kl", task, size, column=column) for column in ("baseline", "k=3"))
            authors = ours("kl-authors", task, size, column="k=3 (authors' code)")
            theirs = [str(r["published"] or "–") for r in (baseline, third)]
            yield line(
                task.replace("_", " "),
                number(size),
                theirs[0],
                f"{count(float(baseline['ours']))} of {baseline['ours_of']}",
                theirs[1],
                count(float(third["ours"])),
                count(authors),
                *(count(ours("kl-stronger", task, size, column=column)) for column in stronger),
            )


def tried() -> Iterator[str]:
    def cell(task: str, size: int, estimator: str, vectors: str, column: str) -> str:
        row = (task, size, SAME, estimator, vectors, "as published")
        return count(ours("trial-cells", *row, column=column))

    for task in ("author", "reading_level", "genre"):
        name = task.replace("_", " ")
        yield line(f"{name}: baseline", *(cell(task, s, ESTIMATORS[0], SMALL, "baseline") for s in SIZES))
        for estimator in ESTIMATORS:
            pairs = [[cell(task, s, estimator, v, "k=3") for v in (SMALL, LARGE)] for s in SIZES]
            yield line(f"{name}: k = 3, {estimator}", *(" / ".join(pair) for pair in pairs))
    for size in SIZES:
        found = {
            cell(KNOWN, size, e, v, c)
            for e in ESTIMATORS
            for v in (SMALL, LARGE)
            for c in ("baseline", "k=3")
        }
        assert found == {"7"}
    yield line("author, unique left out (7 can be found): all", "7", "7", "7", "7")


def shares() -> Iterator[str]:
    for kind in ("total", "unique"):
        for name in DATASETS:
            cells = [record(f"pos-{kind}", name, column=part) for part in PARTS]
            yield line(TITLES[name], *(f"{r['published']:.1f} / {r['ours']:.1f}" for r in cells))


def neighbours() -> Iterator[str]:
    for name in DATASETS:
        cells = [record("neighbours", name, column=f"k={k}") for k in KS]
        chance, above = (ours("neighbours-chance", name, m, column="k=3") for m in ("chance", "above chance"))
        pairs = [f"{r['published']:.1f} / {r['ours']:.1f}" for r in cells]
        yield line(TITLES[name], *pairs, number(chance, 1), number(above))


def vectors() -> Iterator[str]:
    labels = {"50-d, all words": f"{SMALL}, all words", "50-d": f"{SMALL}, the same words",
              "100-d": "glove-100d, the same words", "300-d": f"{LARGE}, the same words"}  # fmt: skip
    for label, row in labels.items():
        title = {"50-d": "GloVe 6B, 50-d", "100-d": "GloVe 6B, 100-d", "300-d": "GloVe 840B, 300-d"}.get(
            label, "GloVe 6B, 50-d, all its words"
        )
        yield line(title, *(number(v, 1) for v in by_dataset("vectors-purity", "k=3", row)))
    chance = by_dataset("vectors-purity", "k=3", "chance, the same words")
    yield line("chance, the same words", *(number(v, 1) for v in chance))


def clusters() -> Iterator[str]:
    for name in DATASETS:
        k = published()["kmeans_k"][name]
        part = record("clusters", name, k, column="slope")
        error = (part["ours_high"] - part["ours"]) / 1.96
        nulls = [
            number(ours("clusters", name, k, column=f"{null} null"), 2) for null in ("gaussian", "shuffled")
        ]
        whole = number(ours("clusters", name, k, column="slope, all sentences"), 2)
        r_squared = number(ours("clusters", name, k, column="R²"), 2)
        yield line(TITLES[name], str(k), whole, f"{number(part['ours'], 2)} ± {error:.2f}", *nulls, r_squared)


ROWS = {
    "recomputed from what was shown": ("100", "shown in the questionnaire"),
    "the paper's queries, our databases, 50-d": ("100", "the paper's queries, our databases"),
    "the same, 300-d": ("100", f"the paper's queries, our databases, {LARGE}"),
    "ours, 5,000 queries, 50-d": ("5000", "sampled queries"),
    "ours, 498 of them, 50-d": ("498", "sampled queries"),
    "ours, the same 498, 300-d": ("498", f"sampled queries, {LARGE}"),
}


def unique() -> Iterator[str]:
    for queries in ("100", "5000"):
        theirs = published()["unique_suggestions_percent"][queries]
        yield line(f"published, {int(queries):,} queries", *(number(v, 1) for v in theirs))
    for label, row in ROWS.items():
        yield line(label, *(number(ours("unique", *row, column=method), 1) for method in METHODS))


def alike() -> Iterator[str]:
    for queries in ("100", "5000"):
        pairs = zip(
            *(published()["pairwise_jaccard"][f"stopwords_{w}"][queries] for w in ("kept", "removed")),
            strict=True,
        )
        yield line(f"published, {int(queries):,} queries", *(f"{a:.3f} / {b:.3f}" for a, b in pairs))
    for label, row in ROWS.items():
        pairs = [[ours("jaccard", *row, words, column=m) for words in ("kept", "removed")] for m in METHODS]
        yield line(label, *(f"{a:.3f} / {b:.3f}" for a, b in pairs))


def examples() -> Iterator[str]:
    names = dict(zip(METHODS, ("set cover", "average", "WMD", "Jaccard", "Levenshtein"), strict=True))
    names["setcover (idf)"] = "lexicloud's default"
    lists: dict[tuple[str, str], list[str]] = {}
    for r in RESULTS["tables"]["examples"]["records"]:
        lists.setdefault((r["query"], r["method"]), []).append(r["suggestion"].replace("|", "\\|"))
    for query in QUERIES:
        for method, name in names.items():
            columns = [lists.get((query, f"{method}{who}"), []) for who in (", published", "", f", {LARGE}")]
            yield line(name, *("<br>".join(f"{i}. {s}" for i, s in enumerate(c, 1)) or "–" for c in columns))


def asked() -> Iterator[str]:
    chosen = [record("survey-choose-3", "chosen", column=m) for m in METHODS]
    yield line("published, % (chance is 60)", *(number(r["published"]) for r in chosen))
    yield line(
        "from the counts",
        *(f"{r['ours']:.1f} ({r['ours_low']:.1f} to {r['ours_high']:.1f})" for r in chosen),
    )
    yield line("p, Holm", *(f"{ours('survey-choose-3-doubt', 'chosen', m, column='p'):.2f}" for m in METHODS))
    for key, label in (
        ("preferred", "preferred, published 44 %"),
        ("better_variety", "more varied, published 47 %"),
    ):
        cells = []
        for column in ("all", *(f"against {m}" for m in METHODS[1:])):
            share = record("survey-head-to-head", key, column=column)
            p = ours("survey-head-to-head-doubt", key, column, column="p")
            span = f" ({share['ours_low']:.1f} to {share['ours_high']:.1f})" if column == "all" else ""
            cells.append(
                f"{share['ours']:.1f}{span}, p {p:.3f}"
                if p < 0.01
                else f"{share['ours']:.1f}{span}, p {p:.2f}"
            )
        yield line(label, *cells)


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    f.__name__: f
    for f in (
        datasets,
        labelled,
        tried,
        shares,
        neighbours,
        vectors,
        clusters,
        unique,
        alike,
        examples,
        asked,
    )
}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_the_page_has_the_numbers_of_the_results(table):
    written = TEXT.splitlines()
    absent = [row for row in TABLES[table]() if row not in written]
    assert not absent, "not on the page:\n" + "\n".join(absent)


# ---- prose


def _labels() -> Iterator[str]:
    def mean_gap(table: str, column: str) -> float:
        rows = [record(table, task, size, column=column) for task in TASKS for size in SIZES]
        return sum(abs(r["difference"]) for r in rows) / len(rows)

    authors, equations, baseline = (
        number(mean_gap(*which))
        for which in (("kl-authors", "k=3 (authors' code)"), ("kl", "k=3"), ("kl", "baseline"))
    )
    yield f"the shares for k = 3 differ by {authors} points on average"
    yield f"and by {equations} with the paper's equations. Those of the baseline differ by {baseline}."
    largest, base = (
        ours("kl-stronger", "genre", 3000, column=c) for c in ("always the largest label", "baseline")
    )
    yield f"is right for {number(largest)} of 70 books; the baseline has {number(base)}."
    unique, nn = (
        ours("kl-stronger", "author", 3000, column="always the largest label"),
        ours("kl", "author", 3000, column="k=3"),
    )
    yield f"is right more often ({number(unique)}) than the paper's estimator ({number(nn)})"
    known = [
        ours(t, KNOWN, 3000, column=c)
        for t, c in (("kl", "k=3"), ("kl", "baseline"), ("kl-stronger", "smoothed"))
    ]
    yield "k-NN finds {} of 38, the baseline {}, smoothed {}.".format(*map(number, known))
    won = {c: _won(c) for c in ("smoothed, running", "smoothed", "default, running", "categorical")}
    yield f"Of the {won['smoothed'][1]} rows with headroom"
    yield f"best k-NN in all {won['smoothed, running'][0]}, smoothed on the paper's samples in {won['smoothed'][0]}"
    default, plain = won["default, running"][0], won["categorical"][0]
    yield f"and the default in {default}. Plain categorical KL with a Dirichlet prior also has {plain}"
    rows = [
        [ours("kl", t, s, column=f"k={k}") for k in (3, 5, 10, 25, 50, 100)] for t in TASKS for s in SIZES
    ]
    yield f"holds for authors and small samples ({sum(r[0] >= max(r) for r in rows)} of 12 rows)"


def _won(column: str) -> tuple[int, int]:
    """In how many rows with headroom a method beats the baseline and the best k-NN, and how many there are."""
    rows = [(t, s) for t in (*TASKS, KNOWN) for s in SIZES]
    best = {r: max(ours("kl-stronger", *r, column=c) for c in ("baseline", "best k-NN")) for r in rows}
    left = [r for r in rows if best[r] < ours("kl-stronger", *r, column="ceiling")]
    return sum(ours("kl-stronger", *r, column=column) > best[r] for r in left), len(left)


def _trial() -> Iterator[str]:
    def leads(form: str) -> list[float]:
        pairs = [(e, v) for e in ESTIMATORS for v in (SMALL, LARGE)]
        return [ours("trial", e, v, form, SAME, column="32,000") for e, v in pairs]

    def right(task: str, column: str) -> list[float]:
        pairs = [(e, v) for e in ESTIMATORS for v in (SMALL, LARGE)]
        return [
            ours("trial-cells", task, 32_000, SAME, e, v, "standardised", column=column) for e, v in pairs
        ]

    both, raw = leads("symmetric"), leads("as published")
    yield f"{number(min(both))} to +{number(max(both))} points at 32,000 words (mean of three tasks)"
    yield f"where it was {span(raw)} as published."
    assert {*right("author", "baseline")} == {14.0}
    assert {*right("reading_level", "baseline")} == {18.0}
    yield (
        f"authors {span(right('author', 'k=3'))} against 14 at 32,000 words, "
        f"reading level {span(right('reading_level', 'k=3'))} against 18"
    )
    one = {
        c: number(ours("trial-single-books", "none", column=c))
        for c in ("k=3, equations", "k=3, authors' code", "baseline")
    }
    yield "and has {} right ({} with the authors' code; the baseline {}).".format(*one.values())
    assert ours("trial-single-books", "dubliners", column="k=3, authors' code") == 23
    assert ours("trial-single-books", "dubliners", column="k=3, equations") == 23
    yield "Without *Dubliners* 23 of 32 are right."
    (note,) = RESULTS["tables"]["trial-single-books"]["notes"]
    assert "baseline names joyce for 16 of 33 books; k=3, equations names joyce for 28 of 33 books" in note
    yield "k-NN then takes 28 of the 33 for Joyce"
    yield "it takes 16 for Joyce"


def _speech() -> Iterator[str]:
    cells = {n: max(abs(record("pos-total", n, column=p)["difference"]) for p in PARTS) for n in DATASETS}
    yield f"agree within {max(cells[n] for n in ('reuters', 'brown', 'race')):.1f} points in every cell"
    distinct = max(abs(record("pos-unique", n, column=p)["difference"]) for n in DATASETS for p in PARTS)
    yield f"Of distinct words all agree within {distinct:.1f} points."
    gaps = [-record("neighbours", n, column=f"k={k}")["difference"] for n in DATASETS for k in KS]
    yield f"Purity falls with k as published and lies {span(gaps)} points lower."
    chance = by_dataset("neighbours-chance", "k=3", "chance")
    yield f"by much less than the percentages suggest: {span(chance)} % is chance"
    at_fifty = [a - c for a, c in zip(by_dataset("neighbours", "k=50"), chance, strict=True)]
    above = by_dataset("neighbours-chance", "k=3", "above chance")
    yield f"by {span(above)} % of the way from chance to all alike at k = 3; at k = 50 by {span(at_fifty)} points."
    explained = by_dataset("pos-spread", "explained")
    prose = [explained[i] for i, name in enumerate(DATASETS) if name != "reuters"]
    yield f"{span(prose)} % of the variance of a token's log count in prose and for {number(explained[1])} % in Reuters"
    yield f"in part: {span(explained)} % of the variance lies between parts"
    small, middle = (
        by_dataset("vectors-purity", "k=3", f"{v}, the same words") for v in (SMALL, "glove-100d")
    )
    gained = [b - a for a, b in zip(small, middle, strict=True)]
    yield "it is {:.1f} points in Gatsby (half of its 9), {:.1f} in Reuters, {:.1f} in Brown".format(*gained)
    yield "{:.1f} in the books and {:.1f} in RACE".format(*gained[3:])
    tokens = by_dataset("vectors-coverage", "tokens, %", LARGE)
    yield f"The 300-d selection covers {span(tokens)} % of the tokens"


def _planes() -> Iterator[str]:
    kept = {
        m: span(by_dataset("projections", m)) for m in ("t-SNE", "PCA", "MDS", "chance", "all dimensions")
    }
    yield f"the plane {kept['t-SNE']} % have the word's own part of speech with t-SNE"
    yield f"{kept['PCA']} % with PCA and {kept['MDS']} % with MDS."
    yield f"Chance is {kept['chance']} %, and all fifty dimensions give {kept['all dimensions']} %"
    large = {m: span(by_dataset("vectors-planes", m, LARGE)) for m in ("t-SNE", "PCA")}
    yield f"t-SNE keeps {large['t-SNE']} % with 300 dimensions"
    yield f"PCA {large['PCA']} (`tables/vectors-planes.csv`)"


def _slopes() -> Iterator[str]:
    order = ("gatsby", "brown", "reuters", "gutenberg", "race")
    lines = [f"{number(ours('zipf', n, column='slope of the line'), 2)} ({TITLES[n]})" for n in order]
    yield f"The least-squares slopes are {', '.join(lines[:-1])} and {lines[-1]}."
    for column, text in (
        ("α (Zipf)", "the exponents are {} in the same order"),
        ("α (Zipf–Mandelbrot)", "shift they are {}."),
    ):
        values = [number(ours("zipf", n, column=column), 2) for n in order]
        yield text.format(f"{', '.join(values[:-1])} and {values[-1]}")
    for vectors, points, text in (
        (SMALL, "sentences", "slopes are {} with 50 dimensions"),
        (LARGE, "sentences", "{} with 300."),
        (LARGE, "shuffled", "Shuffled words then have {}:"),
    ):
        values = [number(v, 2) for v in by_dataset("vectors-slopes", "+0", vectors, points)]
        yield text.format(f"{', '.join(values[:-1])} and {values[-1]}")
    steps = [f"{d:+d}" for d in range(-20, 21, 5)]
    moved = {n: [ours("slopes", n, "sentences", column=s) for s in steps] for n in DATASETS}
    by = {n: max(v) - min(v) for n, v in moved.items()}
    yield "moves by {gatsby:.2f} in Gatsby, {brown:.2f} in Brown, {gutenberg:.2f} in the books".format(**by)
    yield "{reuters:.2f} in Reuters and {race:.2f} in RACE".format(**by)
    seeds = record("slopes", "gatsby", "sentences", column="+0")
    yield f"two seeds at k = 35 are {number(seeds['ours_high'], 2)} and {number(seeds['ours_low'], 2)}."
    steeper = [
        ours("slopes", n, "shuffled", column=s) < v
        for n in DATASETS
        for s, v in zip(steps, moved[n], strict=True)
    ]
    assert all(steeper)
    yield "At every k the shuffled words are steeper."
    assert record("clusters", "race", 95, column="slope, all sentences")["published"] == -0.723


def _search() -> Iterator[str]:
    _, hundred, large, many, own, same = ROWS.values()

    def share(row: tuple[str, str], method: str) -> str:
        return number(ours("unique", *row, column=method), 1)

    def like(row: tuple[str, str], words: str, method: str) -> str:
        return number(ours("jaccard", *row, words, column=method), 3)

    yield f"{share(hundred, 'setcover')} and {share(many, 'setcover')} % unique where 89.6 and 89.3 are published"
    yield f"similarity {like(many, 'kept', 'setcover')} where 0.068 is"
    yield f"Average goes from {share(hundred, 'average')} to {share(large, 'average')} % unique (published 72.0)"
    yield f"WMD from {share(hundred, 'wmd')} to {share(large, 'wmd')} (42.2)"
    yield f"Jaccard from {share(hundred, 'jaccard')} to {share(large, 'jaccard')} (56.4)"
    yield f"average becomes {like(large, 'removed', 'average')} (0.070 published)"
    yield f"of WMD {like(large, 'removed', 'wmd')} (0.154)"
    yield f"With 300 dimensions it is {share(large, 'setcover')} and {share(same, 'setcover')} % unique."
    yield f"Average and WMD have {share(same, 'average')} and {share(same, 'wmd')} % there"
    yield f"and {share(own, 'average')} and {share(own, 'wmd')} with 50 dimensions"
    yield f"more alike here ({like(many, 'kept', 'levenshtein')} against 0.159)"
    idf = "setcover (idf)"
    yield f"{share(many, idf)} % unique over 5,000 queries (average {share(many, 'average')})"
    yield f"similarities of {like(many, 'kept', idf)} and {like(many, 'removed', idf)}"
    yield f"(average {like(many, 'kept', 'average')} and {like(many, 'removed', 'average')})"
    yield f"({share(many, 'setcover')} and {share(many, 'levenshtein')} % unique, published 89.3 and 88.4)"
    yield f"(similarity {like(many, 'kept', 'setcover')}, without stop words {like(many, 'removed', 'setcover')})"
    printed = dict.fromkeys(METHODS, 0)
    lists: dict[tuple[str, str], set[str]] = {}
    for r in RESULTS["tables"]["examples"]["records"]:
        lists.setdefault((r["query"], r["method"]), set()).add(letters(r["suggestion"]))
    for query in QUERIES:
        for method in METHODS:
            printed[method] += len(lists[query, method] & lists[query, f"{method}, published"])
    yield f"ours has {sum(printed.values())} with 50 dimensions"
    yield "Jaccard {jaccard}, Levenshtein {levenshtein}, average {average}, WMD {wmd}, set cover {setcover}".format(
        **printed
    )


def _people() -> Iterator[str]:
    undone = [
        ours(f"survey-{t}-doubt", *row, column="undone at")
        for t, row in (("head-to-head", ("preferred", "all")), ("choose-3", ("chosen", "setcover")))
    ]
    yield f"correlate by {undone[0]:.2f}. Set cover's 57.1 % reaches chance at {undone[1]:.2f}"
    names = dict(zip(METHODS, ("set cover", "average", "WMD", "Jaccard", "Levenshtein"), strict=True))
    for question, said in (("preferred", "preference"), ("better_variety", "variety")):
        found = sorted(
            ((ours("survey-strengths", question, column=m), name) for m, name in names.items()), reverse=True
        )
        listed = ", ".join(f"{name} {number(value, 2)}".replace("−0.00", "0.00") for value, name in found)
        yield f"for {said} {listed}"
    weighted = ", weighted set cover (not in the paper)"
    shares = [ours("survey-choose-3", f"chosen{weighted}", column="setcover")]
    shares += [
        ours("survey-head-to-head", f"{q}{weighted}", column="all") for q in ("preferred", "better_variety")
    ]
    yield "It was chosen in {:.1f} %, preferred in {:.1f} % and found more varied in {:.1f} %.".format(
        *shares
    )


PROSE = {f.__name__.strip("_"): f for f in (_labels, _trial, _speech, _planes, _slopes, _search, _people)}


@pytest.mark.parametrize("section", PROSE)
def test_the_prose_has_the_numbers_of_the_results(section):
    written = " ".join(TEXT.split())
    absent = [words for words in PROSE[section]() if words not in written]
    assert not absent, "not on the page:\n" + "\n".join(absent)
