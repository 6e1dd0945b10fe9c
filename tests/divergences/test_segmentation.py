"""segment and drift: changes that were put there are found, and texts by one hand have none."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.divergences import drift
from lexicloud.divergences.drift import block_counts, block_size
from lexicloud.divergences.segmentation import contrast, scaled_blocks, segment


def rows(*parts: tuple[int, float], columns: int = 100, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1, 1], columns)
    return np.concatenate([rng.normal(size=(n, columns)) + shift * signs for n, shift in parts])


class TestSegment:
    def test_noise_has_no_change(self):
        assert sum(bool(segment(rows((80, 0.0), seed=s))) for s in range(20)) == 0

    @pytest.mark.parametrize("parts", [[(30, 0.0), (50, 1.5)], [(20, 0.0), (30, 1.5), (40, 0.0)]], ids=str)
    def test_every_change_is_found_where_it_is(self, parts):
        expected = np.cumsum([n for n, _ in parts])[:-1]
        found = [c.row for c in segment(rows(*parts))]
        assert len(found) == len(expected)
        assert np.abs(np.array(found) - expected).max() <= 1

    def test_one_column_alone_makes_no_change(self):
        one = rows((80, 0.0))
        one[40:, 0] += 50
        assert segment(one) == ()

    def test_too_few_rows_have_none(self):
        assert segment(rows((15, 0.0))) == ()

    def test_strength_is_the_contrast_over_the_limit(self):
        """Oracle: the formula of the docstring, written out at one place for a single window."""
        r, place, window = rows((40, 0.5), (40, 0.0)), 37, 16
        before, after = r[place - window : place], r[place : place + window]
        h = window * window / (2 * window)
        x = (before.mean(axis=0) - after.mean(axis=0)) * np.sqrt(h)
        expected = np.minimum(x**2, 16).mean() / (2.0 * (h * 0.125) ** 0.3)
        places, strength = contrast(r, 0, len(r), limits=((window, 2.0),))
        assert strength[places.tolist().index(place)] == pytest.approx(expected)


class TestBlocks:
    def test_neighbours_differ_by_one_deviation(self):
        scaled = scaled_blocks(np.random.default_rng(0).poisson(20, (500, 3)).astype(float))
        assert np.sqrt((np.diff(scaled, axis=0) ** 2).mean(axis=0) / 2) == pytest.approx(1.0)

    def test_counts_are_of_the_most_frequent_words(self):
        tokens = np.array([5, 5, 7, 5, 5, 9, 7, 5, 5], dtype=np.int32)
        np.testing.assert_array_equal(block_counts(tokens, 4, frequent=2), [[3, 1], [2, 1]])

    @pytest.mark.parametrize(
        ("window", "step", "size"), [(4000, 500, 250), (2000, 500, 125), (60, 20, 2), (5, 5, 1)]
    )
    def test_block_divides_the_step(self, window, step, size):
        assert block_size(window, step) == size


@pytest.fixture(scope="module")
def books(shared) -> Corpus:
    folder = shared / "data/books"
    texts = {
        n: (folder / f"{n}.txt").read_text(encoding="utf-8")[20_000:90_000] for n in ("emma", "the_jungle")
    }
    return Corpus.from_texts({**texts, "joined": texts["emma"] + "\n" + texts["the_jungle"]})


@pytest.mark.shared
class TestBooks:
    def test_two_authors_are_told_apart_where_they_meet(self, books):
        found = drift(books, "joined", method="jensen-shannon")
        assert [c.token for c in found.changes] == pytest.approx([int(books.lengths[0])], abs=1000)
        assert "change" in str(found)

    @pytest.mark.parametrize("name", ["emma", "the_jungle"])
    def test_one_author_has_no_change(self, books, name):
        found = drift(books, name, method="jensen-shannon")
        assert found.changes == ()
        assert found.change is None
        assert "no change of hand" in str(found)
