"""Fit the curves that `verify` holds a reference's own to, on the half of the authors that choices are made on.

    python -m benchmarks.make.verification_curves
    python -m benchmarks.make.verification_curves kinship

`kinship` measures how much higher two modern stories by two hands score before the built-in reference than two texts of
its own do: the mean over all pairs of every other story of the Brown corpus.
"""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np

from benchmarks.authors import half_of, load_all, names
from benchmarks.truth.verification import modern_stories
from lexicloud.authorship.impostors import Population, english
from lexicloud.authorship.likelihood_ratio import (
    METHODS,
    cost,
    curve_at,
    fit_curve,
    scored,
    scored_apart,
    together,
)
from lexicloud.authorship.pairs import Setting
from lexicloud.authorship.question import Question, joined
from lexicloud.authorship.verify import LENGTHS
from lexicloud.text import TokenRules, tokenize


def kinship(words: int, pooled: int = 1) -> float:
    """Return the mean score of two sides by different hands, each an equal part of so many stories."""
    rules, reference, found = TokenRules(language="english"), english(), []
    told = [[rules.normalise(t) for t in tokenize(text, rules)] for text in modern_stories()[::2]]
    groups = [told[i : i + pooled] for i in range(0, len(told) - pooled + 1, pooled)]
    sides = [reference.counted([[t for story in some for t in story[: words // pooled]]]) for some in groups]
    first = Question.between(sides[0], sides[1], reference)
    # What is learnt from the reference is the same for all pairs.
    others = [table.rows(range(1, len(table))) for table in first.drawn[0]]
    for known, unknown in combinations(sides, 2):
        pair = (joined(known.whole_side, others[0]), joined(unknown.whole_side, others[1]))
        (table,) = together(scored(first.setting, [pair], METHODS[0]))
        found.append(table[0, 0])
    return float(np.mean(found))


def main() -> None:
    if sys.argv[1:] == ["kinship"]:
        for words in (300, 1000, 2000):
            print(words, round(kinship(words), 2), flush=True)
        # No story has 10,000 words. Sides of five stories tell how it grows from 2,000 on.
        print(10_000, round(kinship(2000) * kinship(10_000, 5) / kinship(2000, 5), 2), flush=True)
        return
    populations = [Population.of_corpus(load_all(name), name) for name in names()]
    for method in METHODS:
        for words in LENGTHS:
            same, different = [], []
            for population in populations:
                setting = Setting.of(population, 1, words, words)
                rng = np.random.default_rng(0)
                drawn = [setting.draw(rng) for _ in range(3)]
                all_taking_part = together(scored(setting, drawn, method))
                tables = np.stack(scored_apart(setting, drawn, method, all_taking_part))
                here = np.array([half_of(author) == 0 for author in setting.authors])
                own = np.flatnonzero(setting.several & here)
                same.append(tables[:, own, own].ravel())
                different.append(tables[:, ~np.eye(len(here), dtype=bool) & here[:, None] & here].ravel())
            one, two = np.concatenate(same), np.concatenate(different)
            found = fit_curve(one, two, curve_at(method, words), 1e6)
            ratio = cost(found.log_ratio(one), found.log_ratio(two))
            print(
                method,
                words,
                round(found.intercept, 2),
                round(found.slope, 2),
                "cost",
                round(ratio, 3),
                flush=True,
            )


if __name__ == "__main__":
    main()
