"""How far a feature tells authors apart."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.authorship.reliability import reliability


def passages(
    between: float, apart: float, within: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw four passages of each of three texts by 400 authors, with these variances."""
    authors, texts = np.repeat(np.arange(400), 12), np.repeat(np.arange(1200), 4)
    z = np.sqrt(between) * rng.normal(size=400)[authors] + np.sqrt(apart) * rng.normal(size=1200)[texts]
    return (z + np.sqrt(within) * rng.normal(size=4800))[:, None], texts, authors


@pytest.mark.parametrize("parts", [(1.0, 1.0, 2.0), (1.0, 0.0, 1.0), (0.0, 1.0, 1.0), (3.0, 1.0, 0.0)])
def test_it_is_the_share_of_the_variance_between_authors(parts: tuple[float, float, float]) -> None:
    z, texts, authors = passages(*parts, np.random.default_rng(0))
    expected = parts[0] / sum(parts)
    assert reliability(z, texts, authors, np.zeros(1), 0.0)[0] == pytest.approx(expected, abs=0.06)


def test_few_authors_are_pulled_towards_what_is_expected() -> None:
    z, texts, authors = passages(1.0, 1.0, 2.0, np.random.default_rng(0))
    prior = np.full(1, 0.9)
    few = authors < 10
    alone = reliability(z[few], texts[few], authors[few], prior, 0.0)
    held = reliability(z[few], texts[few], authors[few], prior, 30.0)
    assert held == pytest.approx((10 * alone + 30 * prior) / 40)


def test_with_one_text_each_texts_stand_for_authors() -> None:
    """Then how texts of one author differ is not known."""
    z, texts, _ = passages(1.0, 1.0, 2.0, np.random.default_rng(0))
    assert reliability(z, texts, texts, np.zeros(1), 0.0)[0] == pytest.approx(0.5, abs=0.05)
