"""Stories of our own, made of themes with words of their own, so that we know who is like whom."""

from __future__ import annotations

import numpy as np

THEMES = {
    "Salt": (
        [
            "captain",
            "sailor",
            "ship",
            "harbour",
            "storm",
            "wave",
            "deck",
            "anchor",
            "mast",
            "whale",
            "crew",
            "tide",
            "boat",
            "fisherman",
            "gull",
        ],
        ["watched", "pulled", "crossed", "reached", "followed", "lost", "found", "feared"],
        ["rough", "cold", "northern", "grey", "heavy", "wet"],
    ),
    "Pepper": (
        [
            "cook",
            "soup",
            "onion",
            "butter",
            "kitchen",
            "oven",
            "bread",
            "guest",
            "table",
            "wine",
            "garlic",
            "pan",
            "dinner",
            "spoon",
            "pie",
        ],
        ["tasted", "stirred", "baked", "poured", "chopped", "served", "loved", "wanted"],
        ["warm", "sweet", "fresh", "hungry", "golden", "soft"],
    ),
    "Gavel": (
        [
            "judge",
            "lawyer",
            "jury",
            "witness",
            "verdict",
            "court",
            "contract",
            "fraud",
            "appeal",
            "prosecutor",
            "crime",
            "fine",
            "law",
            "company",
            "trial",
        ],
        ["accused", "signed", "read", "denied", "paid", "heard", "questioned", "believed"],
        ["guilty", "legal", "public", "honest", "serious", "civil"],
    ),
}
FRAMES = (
    "The {a} {n} {v} the {m}.",
    "In the morning the {n} {v} a {a} {m}, and nobody spoke.",
    "She said that the {n} {v} every {m} of the town.",
    "It was a {a} {n}, but the {m} was {b}.",
    "When the {n} came back, the {m} {v} the {a} {o}.",
)


def story(theme: str, seed: int, sentences: int = 40) -> str:
    nouns, verbs, adjectives = THEMES[theme]
    rng = np.random.default_rng([seed, len(theme)])
    made = []
    for _ in range(sentences):
        n, m, o = rng.choice(nouns, 3, replace=False)
        a, b = rng.choice(adjectives, 2, replace=False)
        made.append(str(rng.choice(FRAMES)).format(n=n, m=m, o=o, v=rng.choice(verbs), a=a, b=b))
    return " ".join(made)


def library(each: int = 3, sentences: int = 40) -> dict[str, str]:
    """Three authors with a theme each: names look like `Salt_1`."""
    return {f"{theme}_{i}": story(theme, i, sentences) for theme in THEMES for i in range(each)}
