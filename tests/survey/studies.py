"""A small study of our own sentences."""

from __future__ import annotations

from lexicloud.survey import Arm, BackgroundQuestion, Study, StudyQuery, arms_of, pairs_of

WHO = ["The captain", "An old sailor", "Her brother", "The doctor", "A young clerk"]
WHAT = [
    "watched the grey sea",
    "read a long letter",
    "lost his way home",
    "sang in the dark kitchen",
    "sold a horse",
]
SENTENCES = [
    f"{who} {what} {when}."
    for who in (*WHO, "My aunt", "The judge")
    for what in WHAT
    for when in ("before the storm", "after dinner", "in the spring", "at night")
]
METHODS = ["setcover", "average", "wmd", "jaccard", "levenshtein"]


def small_study(
    queries: int = 12, *, arms: tuple[Arm, ...] | None = None, methods: list[str] | None = None, seed: int = 0
) -> Study:
    names = methods or METHODS
    return Study(
        title="Which suggestions help?",
        arms=arms or arms_of("choose"),
        methods={name: {"method": name} for name in names},
        queries=tuple(_query(i, names) for i in range(queries)),
        background=(
            BackgroundQuestion("writing", "How often do you write?", ("Never", "Often")),
            BackgroundQuestion("why", "Why do you write?"),
        ),
        pairs=pairs_of(names),
        seed=seed,
    )


def _query(number: int, names: list[str]) -> StudyQuery:
    lists = {
        name: tuple(f"{who} {WHAT[m % 5]} on day {number} for reason {m}." for who in WHO)
        for m, name in enumerate(names)
    }
    return StudyQuery(
        f"q{number}", f"This is query {number}.", lists, dict.fromkeys(names, 0), "ab"[number % 2]
    )
