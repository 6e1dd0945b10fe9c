"""docs/meaning.md and its figure, made from the results of the benchmarks about meaning."""

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
    """Return how often we lead each peer, and by how much on average, with a 95 % interval over cells.

    "Behind beyond noise" counts the cells in which the peer leads by more than the 95 % interval over the draws.
    """
    lines = [
        "| against | cells ahead or level | behind beyond noise | mean difference |",
        "|---|---|---|---|",
    ]
    contenders = {n: [c["right"][n] for c in cells] for n in cells[0]["right"] if n != OURS}
    if all("parts" in c for c in cells):
        contenders["the best of its parts"] = [max(c["parts"].values(), key=np.mean) for c in cells]
    for name, others in contenders.items():
        gaps = [np.array(c["right"][OURS]) - np.array(other) for c, other in zip(cells, others, strict=True)]
        means = [float(gap.mean()) for gap in gaps]
        lost = sum(mean + interval(gap.tolist()) < 0 for mean, gap in zip(means, gaps, strict=True))
        ahead = sum(mean >= 0 for mean in means)
        lines.append(
            f"| {name} | {ahead} of {len(means)} | {lost} | {np.mean(means):+.1f} ± {interval(means):.1f} |"
        )
    return "\n".join(lines)


def calibration_table(groups: dict[str, list[dict[str, Any]]]) -> str:
    """Return what share of answers of each probability was right, a pair of columns for each group of cells."""
    lines = [
        "| " + " | ".join(f"{name}: said | right" for name in groups) + " |",
        "|" + "---|---|" * len(groups),
    ]
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        row = []
        for cells in groups.values():
            some = [b for c in cells for b in c["calibration"] if low <= b["said"] < low + 0.2 + (low == 0.8)]
            weights = [b["texts"] for b in some] or [1]
            said, right = (
                np.average([b[k] for b in some] or [np.nan], weights=weights) for k in ("said", "right")
            )
            row.append(f"{said:.2f} | {right:.2f}")
        lines.append("| " + " | ".join(row) + " |")
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
    """Return the share of texts labelled right with each table of vectors, and the mean over all cells."""
    heads = [f"{c['collection'].partition(' ')[0]} {c['examples']} × {c['words']}" for c in cells]
    lines = ["| vectors | " + " | ".join(heads) + " | mean |", "|---|" + "---|" * (len(heads) + 1)]
    for name in cells[0]["right"]:
        means = [float(np.mean(c["right"][name])) for c in cells]
        shown = " | ".join(f"{mean:.1f}" for mean in means)
        lines.append(f"| {name} | {shown} | {np.mean(means):.1f} |")
    return "\n".join(lines)


def next_table(results: dict[str, Any]) -> str:
    """Return what labelling more texts brings, by how they are chosen."""
    ways = list(next(iter(results.values()))["right"])
    lines = [
        "| collection | before | "
        + " | ".join(ways)
        + " | chosen less random | put right: said | found | others |",
        "|---|---|" + "---|" * (len(ways) + 4),
    ]
    for name, found in results.items():
        shown = " | ".join(f"{np.mean(found['right'][way]):.1f}" for way in ways)
        gap = np.array(found["right"]["chosen"]) - np.array(found["right"]["random"])
        gain = f"{gap.mean():+.1f} ± {interval(gap.tolist()):.1f}"
        promise = " | ".join(f"{np.mean(found[key]):.1f}" for key in ("promised", "found", "others"))
        lines.append(f"| {name} | {np.mean(found['before']):.1f} | {shown} | {gain} | {promise} |")
    return "\n".join(lines)


def training_table(results: dict[str, Any]) -> str:
    """Return the quality and the time of training."""
    lines = ["| vectors | held-out neighbours nearer than random pairs | seconds |", "|---|---|---|"]
    for name, found in results["quality"].items():
        half = (found["interval"][1] - found["interval"][0]) / 2
        score = f"{100 * found['score']:.1f} ± {100 * half:.1f} %"
        lines.append(f"| {name} | {score} | {found.get('seconds', '–')} |")
    return "\n".join(lines)


def hidden_table(results: dict[str, Any]) -> str:
    """Return where hidden words land."""
    lines = ["| new words are placed by | seen under 20 times | 20 times and more |", "|---|---|---|"]
    for name, found in results["hidden words"].items():
        lines.append(f"| {name} | {found['rare']['share']} % | {found['often']['share']} % |")
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
    found, unseen = load("meaning"), load("meaning_unseen")
    cells, new = found["cells"], unseen["cells"]
    few, many = ([c for c in new if c["examples"] == n] for n in (3, 30))
    page = TEXT.read_text(encoding="utf-8")
    training = load("meaning_training")
    for mark, table in {
        "CELLS": cells_table(cells),
        "SUMMARY": summary(cells),
        "UNSEEN": cells_table(new),
        "UNSEEN_SUMMARY": summary(new),
        "CALIBRATION": calibration_table({"all": new, "3 examples a label": few, "30": many}),
        "SEARCH": search_table(load("no_shared_words")),
        "VECTORS": vectors_table(load("meaning_vectors")["cells"]),
        "REFUSED": refused_table(load("none_of_these")),
        "NEXT": next_table(load("meaning_next")),
        "TRAINING": training_table(training),
        "HIDDEN": hidden_table(training),
        "DRAWS": str(found["draws"]),
        "TESTS": str(found["tests a label"]),
    }.items():
        page = page.replace(f"{{{{{mark}}}}}", table)
    (DOCS / "meaning.md").write_text(page, encoding="utf-8")
    draw([c for c in [*cells, *new] if c["words"] > 10])


if __name__ == "__main__":
    main()
