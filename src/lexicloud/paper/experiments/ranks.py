"""Word count against rank for the five datasets, with the paper's line and a better fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.paper.tables import Drawing, Entry, Report, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lexicloud.paper.workbench import Workbench


def run(bench: Workbench) -> Report:
    """Fit every dataset."""
    found = {name: _fitted(bench, name) for name in bench.datasets}
    entries = [
        Entry((name,), column, values.get(key), low=_end(values, span, 0), high=_end(values, span, 1))
        for name, values in found.items()
        for column, key, span in (
            ("slope of the line", "slope", ""),
            ("R² of the line", "r_squared", ""),
            ("α (Zipf–Mandelbrot)", "alpha", "alpha_interval"),
            ("β (Zipf–Mandelbrot)", "beta", "beta_interval"),
            ("α (Zipf)", "zipf_alpha", "zipf_interval"),
        )
    ]
    table = Table(
        "zipf",
        "Zipf's law of words",
        ("dataset",),
        entries,
        "slope",
        "none: no vectors are used",
        (
            (
                "The paper draws these lines and prints no slope: it calls Gatsby a very good fit, Brown "
                "the next, the others less close but still near −1."
            ),
            (
                "The least-squares line weighs every rank alike, so the long flat steps of words seen once "
                "or twice decide its slope, and larger texts get steeper lines. The maximum-likelihood "
                "fits use every token and correct for ranking by the same counts that are fitted."
            ),
            "Tokens as they are written, punctuation included, as in the paper.",
        ),
        bench.sample,
        digits=3,
    )
    return Report((table,), (_drawing(found),) if found else ())


def _end(values: dict[str, Any], key: str, i: int) -> float | None:
    return values[key][i] if key and values.get(key) else None


def _fitted(bench: Workbench, name: str) -> dict[str, Any]:
    return bench.recall("zipf", lambda: _fit(bench, name), datasets=(name,), code=(_fit,), dataset=name)


def _fit(bench: Workbench, name: str) -> dict[str, Any]:
    from lexicloud.zipf import fit_zipf, rank_frequency

    ranks = rank_frequency(bench.documents(name, lower=False), punctuation=True)
    fit = fit_zipf(ranks, seed=bench.options.seed)
    keys = (
        "slope",
        "intercept",
        "r_squared",
        "alpha",
        "alpha_interval",
        "beta",
        "beta_interval",
        "zipf_alpha",
        "zipf_interval",
    )
    values = {key: _plain(getattr(fit, key)) for key in keys}
    # A step of equal counts is drawn as its two ends.
    change = np.flatnonzero(np.diff(ranks.counts))
    ends = np.unique(np.concatenate([[0], change, change + 1, [len(ranks.counts) - 1]]))
    curve = np.geomspace(1, len(ranks.counts), 200)
    return {
        **values,
        "ranks": ends + 1,
        "counts": ranks.counts[ends],
        "curve": np.vstack(
            [curve, fit.line(curve), fit.predict(curve) if fit.converged else np.full(200, np.nan)]
        ),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return None if any(not np.isfinite(v) for v in value) else [float(v) for v in value]
    return float(value) if np.isfinite(value) else None


def _drawing(found: dict[str, dict[str, Any]]) -> Drawing:
    def draw() -> Figure:
        from matplotlib.figure import Figure

        from lexicloud.palette import CATEGORICAL

        figure = Figure(figsize=(2.6 * len(found) + 0.4, 3), layout="constrained")
        for ax, (name, values) in zip(
            np.atleast_1d(figure.subplots(1, len(found))), found.items(), strict=True
        ):
            ax.loglog(values["ranks"], values["counts"], ".", ms=2, color=CATEGORICAL[0])
            ranks, line, law = np.asarray(values["curve"])
            ax.loglog(ranks, line, "--", lw=1, color=CATEGORICAL[7])
            ax.loglog(ranks, law, lw=1.2, color=CATEGORICAL[5])
            ax.set(title=f"{name}: {values['slope']:.2f}", xlabel="rank", ylim=(0.5, None))
        figure.axes[0].set_ylabel("count")
        return figure

    return Drawing(
        "zipf",
        "Word count against rank for each dataset on logarithmic scales",
        "Dashed: the least-squares line, its slope in the title. Solid: Zipf–Mandelbrot by maximum likelihood.",
        draw,
    )
