"""Fit the curves that `verify` holds a reference's own to, on the half of the authors that choices are made on.

python -m benchmarks.make.verification_curves
"""

from __future__ import annotations

import numpy as np

from benchmarks.authors import half_of, load_all, names
from lexicloud.authorship.impostors import Population
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
from lexicloud.authorship.verify import LENGTHS


def main() -> None:
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
