"""Do the intervals and p-values of Zipf's, Heaps' and power laws, and of cluster slopes, mean what they say?

    python -m benchmarks.truth.law_intervals PART [TRIALS]

Parts: zipf intervals, heaps, power law, clusters. Draws from known laws say whether an interval holds the truth;
passages of one book say whether it holds the mean over passages of that book, which is what a reader takes it for. Each
part adds its numbers to `benchmarks/results/calibration.json`.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.truth.calibration import LAWS, add, books, by_author, halves, long_books, stretch
from lexicloud.corpus import Corpus
from lexicloud.zipf import cluster_sizes, fit_power_law, fit_zipf, goodness_of_fit, heaps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Interval = tuple[float, float]

PASSAGE = 20_000


def share_held(intervals: list[Interval], truth: float) -> float:
    return round(float(np.mean([low <= truth <= high for low, high in intervals])), 3)


def passages(trials: int, fit: Callable[[Any], tuple[float, Interval]], n: int = PASSAGE) -> dict[str, Any]:
    """Passages of one long book of each author held out: the share of intervals that hold their mean."""
    authors = halves()[1]
    corpus = books(tuple(s for a in authors for s in by_author()[a]))
    held, widths, spreads = [], [], []
    names = long_books(corpus, authors)
    for i, name in enumerate(names):
        rng, tokens = np.random.default_rng([n, i]), corpus.tokens(corpus.position(name))
        words = tokens[~corpus.punctuation[tokens]]
        fits = [fit(stretch(words, n, rng)) for _ in range(trials)]
        values = np.array([value for value, _ in fits])
        held += [low <= values.mean() <= high for _, (low, high) in fits]
        widths += [(high - low) / 3.92 for _, (low, high) in fits]
        spreads.append(values.std(ddof=1))
    return {
        "held": round(float(np.mean(held)), 3), "intervals": len(held), "books": len(names),
        "deviation said": round(float(np.mean(widths)), 4), "deviation of passages": round(float(np.mean(spreads)), 4),
    }  # fmt: skip


def zipf_intervals(trials: int) -> dict[str, Any]:
    """α and β of samples of known laws, and of passages."""
    found: dict[str, Any] = {}
    for alpha, ranks, tokens in LAWS:
        for beta in (0.0, 2.7):
            rng, law = np.random.default_rng(2), (np.arange(1.0, ranks + 1) + beta) ** -alpha
            fits = [fit_zipf(rng.multinomial(tokens, law / law.sum())) for _ in range(trials)]
            fits = [fit for fit in fits if fit.converged]
            found[f"α = {alpha}, β = {beta}, R = {ranks}, N = {tokens}"] = {
                "samples": len(fits),
                "α held": share_held([fit.alpha_interval for fit in fits], alpha),
                "β held": share_held([fit.beta_interval for fit in fits], beta),
            }
    found["α, passages of one book"] = passages(max(2, trials // 5), _alpha)
    return found


def _alpha(words: Any) -> tuple[float, Interval]:
    fit = fit_zipf(np.bincount(words))
    return fit.alpha, fit.alpha_interval


def heaps_intervals(trials: int) -> dict[str, Any]:
    """Heaps' β of words drawn from Zipf's law, and of passages."""
    found: dict[str, Any] = {}
    for alpha, ranks, most in LAWS:
        tokens = min(most, 50_000)
        law = np.arange(1.0, ranks + 1) ** -alpha
        rng = np.random.default_rng(3)
        fits = [heaps(rng.choice(ranks, tokens, p=law / law.sum())) for _ in range(trials)]
        mean = float(np.mean([fit.beta for fit in fits]))
        found[f"β, α = {alpha}, R = {ranks}, N = {tokens}"] = {
            "samples": trials,
            "held": share_held([fit.beta_interval for fit in fits], mean),
        }
    found["β, passages of one book"] = passages(max(2, trials // 5), _growth)
    return found


def _growth(words: Any) -> tuple[float, Interval]:
    fit = heaps(words)
    return fit.beta, fit.beta_interval


def power_law(trials: int) -> dict[str, Any]:
    """α of counts that follow a power law from x_min on, and how often the true law is ruled out at 10 %."""
    found: dict[str, Any] = {}
    for alpha, x_min, words in ((2.2, 1, 3000), (1.8, 1, 3000), (2.2, 10, 3000)):
        plain, drawn, ruled_out = [], [], 0
        for trial in range(trials):
            counts = _with_tail(alpha, x_min, words, np.random.default_rng([trial, x_min]))
            plain.append(fit_power_law(counts).alpha_interval)
            drawn.append(fit_power_law(counts, samples=100, workers=1).alpha_interval)
            ruled_out += not goodness_of_fit(counts, samples=100, workers=1).plausible
        found[f"α = {alpha} from {x_min} on, {words} words"] = {
            "samples": trials, "plain held": share_held(plain, alpha), "bootstrap held": share_held(drawn, alpha),
            "ruled out at 10 %": round(ruled_out / trials, 3),
        }  # fmt: skip
    found["α, passages of one book"] = passages(max(2, trials // 10), _tail)
    return found


def _tail(words: Any) -> tuple[float, Interval]:
    counts = np.bincount(words)
    fit = fit_power_law(counts[counts > 0], samples=100, workers=1)
    return fit.alpha, fit.alpha_interval


def _with_tail(alpha: float, x_min: int, words: int, rng: np.random.Generator) -> Any:
    """Return counts of which those from x_min on follow the law; below it, as many again are uniform."""
    tail = rng.zipf(alpha, 20 * words * x_min)
    tail = tail[(tail >= x_min) & (tail < 10**9)][:words]
    body = rng.integers(1, x_min, words) if x_min > 1 else tail[:0]
    return np.concatenate([tail, body])


def clusters(trials: int) -> dict[str, Any]:
    """The slope of sentences drawn at random from one book: does the interval hold the mean over draws?"""
    found: dict[str, Any] = {}
    for book in ("emma", "walden", "war_and_peace", "little_women"):
        sentences = books((book,)).sentences()
        for size, k in ((1000, 20), (3000, 35)):
            rng, fits = np.random.default_rng([size, k]), []
            for _ in range(trials if size == 1000 else trials // 2):
                rows = np.sort(rng.choice(len(sentences), min(size, len(sentences) - 1), replace=False))
                fits.append(_clustered(sentences.subset([sentences.names[i] for i in rows]), k))
            slopes, intervals = zip(*fits, strict=True)
            found[f"{book}, {size} sentences, k = {k}"] = {
                "samples": len(fits), "held": share_held(list(intervals), float(np.mean(slopes))),
                "deviation said": round(float(np.mean([(b - a) / 3.92 for a, b in intervals])), 3),
                "deviation of slopes": round(float(np.std(slopes, ddof=1)), 3),
            }  # fmt: skip
            print(book, size, found[f"{book}, {size} sentences, k = {k}"], flush=True)
    return found


def _clustered(sentences: Corpus, k: int) -> tuple[float, Interval]:
    made = cluster_sizes(sentences, k, null=())
    assert made.interval is not None
    return made.slope, made.interval


PARTS = {
    "zipf intervals": zipf_intervals,
    "heaps": heaps_intervals,
    "power law": power_law,
    "clusters": clusters,
}


def _parts(names: list[str]) -> Iterator[str]:
    yield from names or PARTS


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for part in _parts(sys.argv[1:2]):
        measured = PARTS[part](int(sys.argv[2]) if len(sys.argv) > 2 else 100)
        for name, row in measured.items():
            print(part, name, row)
        print(add(part, measured))
