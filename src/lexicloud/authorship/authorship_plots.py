"""Plots of authorship: confusions, authors along a text, changes of author, evidence, contrasts, the consensus tree.

And of the calibration of likelihood ratios, as in forensic practice: reliability, Tippett and ECE plots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexicloud.say.figures import CATEGORICAL, SEQUENTIAL, named_bars, new_axes, write_apart
from lexicloud.say.map_block import COLOURS, grouped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.authorship.consensus import Consensus
    from lexicloud.authorship.contrast import Contrast
    from lexicloud.authorship.leave_one_out import Attribution
    from lexicloud.authorship.likelihood_ratio import PairCalibration
    from lexicloud.authorship.rolling import Rolling
    from lexicloud.authorship.verify import Verification

    Floats = NDArray[np.float64]


def drift_curve(drift: Rolling, ax: Axes | None = None) -> Axes:
    """Draw the divergence along a document, with a line at every change of hand."""
    ax = new_axes(ax, 9, 3.5)
    for i, (name, values) in enumerate(zip(drift.references, drift.values, strict=True)):
        ax.plot(
            drift.positions, values, color=CATEGORICAL[i % len(CATEGORICAL)], label=f"from {name}", marker="."
        )
    for seam in drift.seams:
        label = f"change of hand, token {seam.position:,}"
        ax.axvline(seam.position, color=CATEGORICAL[-1], linestyle="--", label=label)
    ax.set_xlabel("token")
    ax.set_ylabel("divergence")
    ax.set_title(f"{drift.name}: windows of {drift.window:,} tokens ({drift.method})", fontsize=10)
    ax.legend(fontsize=8)
    return ax


def confusion_plot(result: Attribution, ax: Axes | None = None) -> Axes:
    """Draw the share of each label's texts that got each label, with the counts written in."""
    table = result.confusion
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    size = max(3.5, 0.32 * len(result.classes) + 2)
    ax = new_axes(ax, size + 0.5, size)
    ax.imshow(shares, cmap=SEQUENTIAL, vmin=0, vmax=1)
    small = min(10.0, max(5.0, 220 / len(result.classes)))
    for i, j in zip(*np.nonzero(table), strict=True):
        # cividis is dark up to about the middle, so the numbers change from white to black there.
        colour = "white" if shares[i, j] < 0.55 else "black"
        ax.text(j, i, str(table[i, j]), ha="center", va="center", color=colour, fontsize=small)
    places = range(len(result.classes))
    ax.set_xticks(places, result.classes, rotation=90, fontsize=small)
    ax.set_yticks(places, result.classes, fontsize=small)
    ax.set_xlabel("label found")
    ax.set_ylabel("true label")
    ax.set_title(f"{result.correct} of {len(result.labels)} right ({result.method}, {result.rule})")
    return ax


def rolling_plot(found: Rolling, ax: Axes | None = None) -> Axes:
    """Draw a band for each author who is likeliest somewhere, darker where likelier, and a line at each change."""
    names, chances = found.references, found.values
    shown = [names.index(name) for name in found.likely]
    ax = new_axes(ax, 10, 1.2 + 0.45 * len(shown))
    for row, hand in enumerate(shown):
        # A candidate has the same colour whichever others are shown.
        colour = "0.5" if hand == len(names) - 1 else COLOURS[hand % len(COLOURS)]
        bars = ax.bar(found.positions, 0.9, found.step, row - 0.45, color=colour)
        for bar, chance in zip(bars, chances[hand], strict=True):
            bar.set_alpha(float(np.clip(chance, 0.02, 1.0)))
    for seam in found.seams:
        ax.axvline(seam.position, color="black", linewidth=1.2, linestyle="--")
        ax.annotate(f"{seam.position:,}", (seam.position, len(shown) - 0.5), fontsize=8)
    ax.set_yticks(range(len(shown)), [names[hand] for hand in shown])
    ax.set_xlim(0, found.tokens)
    ax.set_ylim(-0.55, len(shown) - 0.2)
    ax.set_xlabel("token")
    ax.set_title(f"{found.name}: windows of {found.window:,} tokens", loc="left", fontsize=10)
    return ax


def contrast_scatter(found: Contrast, ax: Axes | None = None, top: int = 12) -> Axes:
    """Draw each key word by its frequency and its log ratio, a colour for each group; the strongest are named.

    Names and function words are left out, unless there are no others.
    """
    ax = new_axes(ax, 9, 6)
    named: list[tuple[float, float, str, str]] = []
    for i, group in enumerate(found.groups):
        words = [word for word in found.of(group) if word.kind == "content"] or found.of(group)
        often = [max(1, sum(word.counts)) for word in words]
        colour = COLOURS[i % len(COLOURS)]
        ax.scatter(often, [word.adds for word in words], s=12, color=colour, label=f"more in {group}")
        named += [(x, word.adds, word.word, colour) for x, word in list(zip(often, words, strict=True))[:top]]
    ax.axhline(0, color="0.6", linewidth=0.8)
    ax.set_xscale("log")
    ax.set_xlabel("occurrences in all groups")
    ax.set_ylabel("log ratio (doublings)")
    ax.legend(fontsize=8)
    write_apart(ax, named)
    return ax


def verification_bars(found: Verification, ax: Axes | None = None, top: int = 15) -> Axes:
    """Draw the strongest evidence as bars: right speaks for one hand, left for two; not what all else adds."""
    named = [word for word in found.evidence if word.kind != "rest"]
    words = sorted(named, key=lambda word: -abs(word.adds))[:top]
    words = sorted(words, key=lambda word: -word.adds)
    what = "← speaks for two hands    adds to the log likelihood ratio    for one hand →"
    ax = named_bars(ax, [word.word for word in words], [word.adds for word in words], what)
    ax.set_title(found.conclusion, fontsize=10, loc="left", parse_math=False)
    return ax


def consensus_tree(found: Consensus, ax: Axes | None = None) -> Axes:
    """Draw the groups that most trees have, each with its share of the trees; names in the colours of their labels."""
    small = min(9.0, max(5.0, 900 / max(1, len(found.names))))
    ax = new_axes(ax, 8, max(2.2, (small + 4.5) * len(found.names) / 72 + 0.8))
    children, order = _nested(found)
    rows = {name: i for i, name in enumerate(order)}
    depth = 1 + max((_depth(group, children) for group in children), default=0)
    hands = grouped("label", found.labels or [None] * len(found.names))
    ink = {
        name: hands.groups[i].colour if i >= 0 else "0.15"
        for name, i in zip(found.names, hands.of, strict=True)
    }
    _branches(ax, frozenset(found.names), children, rows, (0.0, float(depth)), found)
    for name, row in rows.items():
        ax.text(depth + 0.08, row, name, fontsize=small, va="center", color=ink[name], parse_math=False)
    ax.set(xlim=(-0.1, depth * 1.7), ylim=(len(rows) - 0.3, -0.7))
    ax.set_axis_off()
    ax.set_title(f"Consensus of {found.trees} trees; numbers: share of the trees", fontsize=10, loc="left")
    return ax


def _nested(found: Consensus) -> tuple[dict[frozenset[str], list[frozenset[str]]], list[str]]:
    """Return the members of each group, the root included, and the names in the order of the leaves."""
    root = frozenset(found.names)
    groups = sorted({frozenset(group) for group in found.groups} | {root}, key=len)
    children: dict[frozenset[str], list[frozenset[str]]] = {}
    for i, group in enumerate(groups):
        inside: list[frozenset[str]] = []
        for other in reversed(groups[:i]):
            if other < group and not any(other <= taken for taken in inside):
                inside.append(other)
        alone = group.difference(*inside) if inside else group
        children[group] = [*inside, *(frozenset([name]) for name in found.names if name in alone)]
    order: list[str] = []
    waiting = [root]
    while waiting:
        part = waiting.pop(0)
        waiting = [*children[part], *waiting] if part in children else waiting
        order += [] if part in children else list(part)
    return children, order


def _depth(group: frozenset[str], children: dict[frozenset[str], list[frozenset[str]]]) -> int:
    return 1 + max((_depth(part, children) for part in children[group] if part in children), default=0)


def _branches(
    ax: Axes,
    group: frozenset[str],
    children: dict[frozenset[str], list[frozenset[str]]],
    rows: dict[str, int],
    span: tuple[float, float],
    found: Consensus,
) -> float:
    """Draw a group from `span`'s start to the leaves at its end; return the row at which it joins."""
    start, end = span
    if group not in children:
        row = float(rows[next(iter(group))])
        ax.plot((start, end), (row, row), color="0.45", linewidth=1)
        return row
    joins = [_branches(ax, part, children, rows, (start + 1 if part in children else start, end), found)
             for part in children[group]]  # fmt: skip
    for part, row in zip(children[group], joins, strict=True):
        if part in children:
            ax.plot((start, start + 1), (row, row), color="0.45", linewidth=1)
            share = found.groups[tuple(name for name in found.names if name in part)]
            ax.text(
                start + 0.94,
                row - 0.12,
                f"{100 * share:.0f} %",
                fontsize=6.5,
                ha="right",
                va="bottom",
                color="0.35",
            )
    ax.plot((start, start), (min(joins), max(joins)), color="0.45", linewidth=1)
    return (min(joins) + max(joins)) / 2


def reliability(found: PairCalibration, ax: Axes | None = None) -> Axes:
    """Draw the share of pairs by one author against the stated probability; on the diagonal they are equal."""
    ax = new_axes(ax, 5, 5)
    stated, right, pairs = np.array(found.reliability).T
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1)
    ax.scatter(stated, right, s=20 + 200 * pairs / pairs.max(), color=CATEGORICAL[0])
    ax.set_xlabel("probability stated")
    ax.set_ylabel("share by one hand")
    ax.set_title(f"reliability: {found}", fontsize=9)
    return ax


def tippett(found: PairCalibration, ax: Axes | None = None) -> Axes:
    """Draw, for each kind of pair, the share with at least a given likelihood ratio (a Tippett plot)."""
    ax = new_axes(ax, 7, 4.5)
    for i, (values, label) in enumerate(((found.same, "one hand"), (found.different, "two hands"))):
        ordered = np.sort(values) / np.log(10)
        ax.step(ordered, 1 - np.arange(len(ordered)) / len(ordered), color=CATEGORICAL[i], label=label)
    for limit in found.thresholds:
        ax.axvline(limit / np.log(10), color="0.5", linestyle="--", linewidth=1)
    ax.set_xlabel("log₁₀ of the likelihood ratio")
    ax.set_ylabel("share with at least that")
    ax.set_title("Tippett plot; verdicts lie outside the dashed lines", fontsize=9)
    ax.legend(fontsize=8)
    return ax


def ece(found: PairCalibration, ax: Axes | None = None) -> Axes:
    """Draw the empirical cross-entropy over prior odds: of these ratios, of the best possible, of no evidence."""
    ax = new_axes(ax, 7, 4.5)
    prior = np.linspace(-2.5, 2.5, 101)
    curves = {
        "as it is": (found.same, found.different),
        "best possible": best_possible(found.same, found.different),
        "no evidence": (np.zeros(1), np.zeros(1)),
    }
    for i, (label, sides) in enumerate(curves.items()):
        style = ":" if label == "no evidence" else "-"
        ax.plot(prior, [cross_entropy(*sides, p) for p in prior], style, color=CATEGORICAL[i], label=label)
    ax.set_xlabel("log₁₀ of the prior odds")
    ax.set_ylabel("empirical cross-entropy (bits)")
    ax.set_title("ECE: below “no evidence” the ratios help", fontsize=9)
    ax.legend(fontsize=8)
    return ax


def cross_entropy(same: Floats, different: Floats, prior: float) -> float:
    """Return the empirical cross-entropy at prior odds of 10 to the power of `prior`; at 0 it is Cllr.

    >>> cross_entropy(np.zeros(1), np.zeros(1), 0.0)
    1.0
    """
    odds = prior * np.log(10)
    p = 1 / (1 + np.exp(-odds))
    one = np.logaddexp(0, -(same + odds)).mean() / np.log(2)
    two = np.logaddexp(0, different + odds).mean() / np.log(2)
    return float(p * one + (1 - p) * two)


def best_possible(same: Floats, different: Floats) -> tuple[Floats, Floats]:
    """Return the log ratios of an isotonic curve fitted to the same pairs (PAV)."""
    from sklearn.isotonic import IsotonicRegression

    scores = np.concatenate([same, different])
    kind = np.concatenate([np.ones(len(same)), np.zeros(len(different))])
    weight = np.concatenate([np.full(len(each), 1 / len(each)) for each in (same, different)])
    p = IsotonicRegression(y_min=1e-6, y_max=1 - 1e-6).fit_transform(scores, kind, sample_weight=weight)
    ratios = np.log(p / (1 - p))
    return ratios[: len(same)], ratios[len(same) :]
