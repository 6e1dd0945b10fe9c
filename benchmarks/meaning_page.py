"""docs/meaning.md and its figure, made from the results of meaning, none_of_these and no_shared_words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
TEXT = HERE / "meaning_page.md"
OURS, OFF = "lexicloud", "without vectors"


def load(topic: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((HERE / "results" / f"{topic}.json").read_text(encoding="utf-8"))
    return content["results"]


def interval(values: list[float]) -> float:
    """Return half the 95 % interval of a mean over draws (Student's t)."""
    from scipy.stats import t

    return float(t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5)


def cells_table(cells: list[dict[str, Any]]) -> str:
    """Return all contenders, a cell a row; the best of each row is bold."""
    peers = [name for name in cells[0]["right"] if name not in {OURS, OFF}]
    names = [OURS, OFF, *peers]
    lines = [
        "| collection | words | examples a label | " + " | ".join(names) + " | what the vectors add |",
        "|---|---|---|" + "---|" * (len(names) + 1),
    ]
    for cell in sorted(cells, key=lambda c: (c["collection"], c["words"], c["examples"])):
        means = {name: float(np.mean(cell["right"][name])) for name in names}
        best = max(means.values())
        shown = [f"**{means[n]:.1f}**" if means[n] == best else f"{means[n]:.1f}" for n in names]
        gain = np.array(cell["right"][OURS]) - np.array(cell["right"][OFF])
        adds = f"{gain.mean():+.1f} ± {interval(gain.tolist()):.1f}"
        lines.append(
            f"| {cell['collection']}, {cell['labels']} labels | {cell['words']} | {cell['examples']} | "
            + " | ".join(shown)
            + f" | {adds} |"
        )
    return "\n".join(lines)


def summary(cells: list[dict[str, Any]]) -> str:
    """Return how often we lead each peer, and by how much on average, with a 95 % interval over cells."""
    lines = ["| against | cells ahead | mean difference |", "|---|---|---|"]
    for name in [n for n in cells[0]["right"] if n != OURS]:
        gaps = [float(np.mean(c["right"][OURS]) - np.mean(c["right"][name])) for c in cells]
        ahead = sum(gap > 0 for gap in gaps)
        lines.append(f"| {name} | {ahead} of {len(gaps)} | {np.mean(gaps):+.1f} ± {interval(gaps):.1f} |")
    return "\n".join(lines)


def calibration_table(cells: list[dict[str, Any]]) -> str:
    """Return what share of answers of each probability was right, over all cells."""
    lines = ["| probability said | right | texts |", "|---|---|---|"]
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        some = [b for c in cells for b in c["calibration"] if low <= b["said"] < low + 0.2 + (low == 0.8)]
        if some:
            weights = [b["texts"] for b in some]
            said, right = (np.average([b[key] for b in some], weights=weights) for key in ("said", "right"))
            lines.append(f"| {said:.2f} | {right:.2f} | {sum(weights):,} |")
    return "\n".join(lines)


def search_table(results: dict[str, Any]) -> str:
    """Return the precision of every search method where nothing is shared, and over all texts."""
    lines = ["| method | " + " | ".join(f"{n}: none shared | all" for n in results) + " |"]
    lines.append("|---|" + "---|---|" * len(results))
    for method in next(iter(results.values()))["precision"]:
        row = [results[name]["precision"][method] for name in results]
        shown = [f"{v[0]:.1f} ± {v[1]:.1f}" for found in row for v in (found["none shared"], found["all"])]
        lines.append(f"| {method} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def refused_table(results: dict[str, Any]) -> str:
    """Return how many texts of each origin are held back at a share of 5 and 10 %."""
    lines = ["| | known labels | labels left out | another collection |", "|---|---|---|---|"]
    for name, found in results.items():
        cells = [
            f"{found[kind]['0.05']:.0f} / {found[kind]['0.1']:.0f} %"
            for kind in ("known", "siblings", "strangers")
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def vectors_table(cells: list[dict[str, Any]]) -> str:
    """Return the share of texts labelled right with each table of vectors."""
    names = list(cells[0]["right"])
    lines = [
        "| collection | words | examples a label | " + " | ".join(names) + " |",
        "|---|---|---|" + "---|" * len(names),
    ]
    for cell in cells:
        shown = " | ".join(f"{np.mean(cell['right'][name]):.1f}" for name in names)
        lines.append(f"| {cell['collection']} | {cell['words']} | {cell['examples']} | {shown} |")
    return "\n".join(lines)


def draw(cells: list[dict[str, Any]]) -> None:
    """Draw what the vectors add against the number of words, a line a collection, over all numbers of examples."""
    from lexicloud.plotting import CATEGORICAL, new_axes, save_figure

    ax = new_axes(None, height=3.8)
    for place, name in enumerate(sorted({c["collection"] for c in cells})):
        lengths = sorted({c["words"] for c in cells if c["collection"] == name})
        means, halves = [], []
        for words in lengths:
            gains = [
                float(g)
                for c in cells
                if (c["collection"], c["words"]) == (name, words)
                for g in np.array(c["right"][OURS]) - np.array(c["right"][OFF])
            ]
            means.append(float(np.mean(gains)))
            halves.append(interval(gains))
        aside = np.array(lengths) * 1.02 ** (place - 1)  # so that intervals do not hide each other
        ax.errorbar(aside, means, halves, marker="o", capsize=3, label=name, color=CATEGORICAL[place])
    ax.axhline(0, color="grey", linewidth=0.8)
    ax.set_xscale("log")
    ax.set_xticks([25, 50, 100, 300], ["25", "50", "100", "300"])
    ax.minorticks_off()
    ax.set_xlabel("words in a text")
    ax.set_ylabel("texts in a hundred more that are labelled right")
    ax.set_title("What word vectors add, 3 to 30 examples a label")
    ax.legend(frameon=False)
    for ending in ("png", "svg"):
        save_figure(ax, DOCS / "images" / f"meaning.{ending}")


def main() -> None:
    found, search = load("meaning"), load("no_shared_words")
    cells = found["cells"]
    page = TEXT.read_text(encoding="utf-8")
    for mark, table in {
        "CELLS": cells_table(cells),
        "SUMMARY": summary(cells),
        "CALIBRATION": calibration_table(cells),
        "SEARCH": search_table(search),
        "VECTORS": vectors_table(load("meaning_vectors")["cells"]),
        "REFUSED": refused_table(load("none_of_these")),
        "DRAWS": str(found["draws"]),
        "TESTS": str(found["tests a label"]),
    }.items():
        page = page.replace(f"{{{{{mark}}}}}", table)
    (DOCS / "meaning.md").write_text(page, encoding="utf-8")
    draw(cells)


if __name__ == "__main__":
    main()
