"""Verdicts follow from the numbers of a run, and a claim whose tables were not run says so."""

from __future__ import annotations

from lexicloud.paper.claims import FAILS, HOLDS, IN_PART, JUDGES, UNTRIED, claims
from lexicloud.paper.comparison import ComparisonTable, Entry, Report
from lexicloud.paper.experiments.label_books import KNOWN


def report(name: str, *entries: Entry) -> Report:
    keys = tuple(f"key {i}" for i in range(len(entries[0].row)))
    return Report((ComparisonTable(name, name, keys, entries, "points", "none"),))


def judged(reports: dict[str, Report], word: str):
    return next(claim for claim in claims(reports) if word in claim.claim)


def test_what_was_not_run_is_not_judged():
    found = claims({})
    assert len(found) == len(JUDGES)
    # The one about the equations needs no numbers.
    assert [claim.verdict for claim in found].count(UNTRIED) == len(JUDGES) - 1


def trial(raw: tuple[float, float], standardised: tuple[float, float]) -> dict[str, Report]:
    """A trial whose k-NN is so many points ahead at the smallest and the largest size."""
    rows = [
        Entry(("equations", "v", form, "the same books"), size, lead)
        for form, leads in (("as published", raw), ("standardised", standardised))
        for size, lead in zip(("3,000", "32,000"), leads, strict=True)
    ]
    cells = ((KNOWN, 3000, "the same books", "equations", "v", "as published"), {"baseline": 7, "k=3": 8})
    counts = [Entry(cells[0], column, right) for column, right in cells[1].items()]
    return {"trial": report("trial", *rows), "cells": report("trial-cells", *counts)}


def test_k_nn_has_to_be_ahead_to_beat_the_baseline():
    assert judged(trial((-5.0, -1.0), (-5.0, -1.0)), "beats categorical").verdict == FAILS
    some = judged(trial((-1.0, 9.0), (2.0, -3.0)), "beats categorical")
    assert some.verdict == IN_PART
    assert "as published −1 points at the smallest size and +9 at the largest" in some.evidence
    assert "ahead in 1 of 1 cells" in some.evidence
    assert judged(trial((-1.0, 9.0), (2.0, 3.0)), "beats categorical").verdict == HOLDS


def clusters(slope: float, shuffled: float) -> dict[str, Report]:
    values = {"slope": slope, "shuffled null": shuffled, "R²": 0.5}
    return {"clusters": report("clusters", *(Entry(("gatsby", 35), c, v) for c, v in values.items()))}


def test_clusters_have_to_be_steeper_than_shuffled_words():
    assert judged(clusters(-1.0, -1.5), "sentence clusters").verdict == FAILS
    assert judged(clusters(-1.0, -0.3), "sentence clusters").verdict == IN_PART


def test_evidence_is_made_of_the_runs_own_numbers():
    rows = [
        Entry((name, "sentences"), f"{d:+d}", -0.5 - 0.01 * d)
        for name in ("gatsby", "race")
        for d in (-20, 20)
    ]
    found = judged({"slopes": report("slopes", *rows)}, "does not change much with k")
    assert "0.40" in found.evidence
