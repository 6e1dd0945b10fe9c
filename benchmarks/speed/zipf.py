"""The bootstrap of the power law against a loop over `powerlaw.Fit(discrete=True)`, on the very same samples.

The data are Moby Dick's word frequencies (inside the powerlaw package) or, without them, a sample of the same law.
"""

from __future__ import annotations

import contextlib
import io
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

PEER_SAMPLES = 6  # one fit of the peer takes about a second; ours takes that for hundreds
OWN_SAMPLES = 500


def frequencies() -> np.ndarray:
    import powerlaw

    file = Path(powerlaw.__file__).parent / "reference_data" / "words.txt"
    if file.exists():
        return np.loadtxt(file).astype(np.int64)
    return np.random.default_rng(0).zipf(1.95, 18_855)


def peer_fit(sample: np.ndarray) -> tuple[float, float]:
    """One fit of the peer, its bars and warnings off."""
    import powerlaw

    quiet = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        warnings.simplefilter("ignore")
        fit = powerlaw.Fit(sample, discrete=True, verbose=0)
    return fit.alpha, fit.xmin


def run() -> dict[str, Any]:
    from lexicloud.zipf import fit_power_law, goodness_of_fit
    from lexicloud.zipf.goodness import semiparametric

    counts = frequencies()
    law = fit_power_law(counts)
    goodness_of_fit(counts, samples=2)  # compiled before the clock starts
    body = counts[counts < law.x_min].astype(np.float64)
    samples = [semiparametric(law, body, np.random.default_rng(seed)) for seed in range(PEER_SAMPLES)]
    own, peer, apart = [], [], []
    for sample in samples:  # alternating, so that both see the same load
        start = time.perf_counter()
        ours = fit_power_law(sample)
        middle = time.perf_counter()
        theirs = peer_fit(sample)
        own.append(middle - start)
        peer.append(time.perf_counter() - middle)
        apart.append(abs(ours.alpha - theirs[0]))
    start = time.perf_counter()
    test = goodness_of_fit(counts, samples=OWN_SAMPLES, seed=0)
    whole = (time.perf_counter() - start) / OWN_SAMPLES
    return {
        "words": len(counts),
        "samples_compared": PEER_SAMPLES,
        "powerlaw_seconds_per_fit": float(np.median(peer)),
        "lexicloud_seconds_per_fit": float(np.median(own)),
        "ratio_per_fit_one_thread": float(np.median(peer) / np.median(own)),
        "lexicloud_seconds_per_sample_whole_bootstrap": whole,
        "ratio_whole_bootstrap": float(np.median(peer) / whole),
        "median_difference_of_alpha": float(np.median(apart)),
        "p_value": test.p_value,
        "p_value_error": test.error,
        "alpha": law.alpha,
        "x_min": law.x_min,
    }


if __name__ == "__main__":
    from benchmarks.record import write

    results = run()
    for name, value in results.items():
        print(f"{name:<48} {value:,.5g}")
    print(write("zipf", results))
