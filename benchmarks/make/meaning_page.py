"""docs/meaning-measured.md and the figure of docs/meaning.md, made from the results of the benchmarks about meaning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.record import RESULTS, ROOT

DOCS = ROOT / "docs"
TEXT = Path(__file__).with_name("meaning_page.md")
OURS, OFF, SEEN = "lexicloud", "without vectors", "lexicloud, all rows seen"


def load(topic: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((RESULTS / f"{topic}.json").read_text(encoding="utf-8"))
    return content["results"]


def interval(values: list[float]) -> float:
    """Return half the 95 % interval of a mean over draws (Student's t)."""
    from scipy.stats import t

    return float(t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5)


def cells_table(cells: list[dict[str, Any]]) -> str:
    """Return all contenders, a cell a row; the best of each row is bold."""
    peers = [name for name in cells[0]["right"] if name not in {OURS, OFF, SEEN}]
    names = [OURS, SEEN, OFF, *peers]
    lines = [
        "| collection | words | examples a label | " + " | ".join(names) + " | what the vectors add |",
        "|---|---|---|" + "---|" * (len(names) + 1),
    ]
    for cell in sorted(cells, key=lambda c: (c["collection"], c["words"], c["examples"])):
        means = {name: float(np.mean(cell["right"][name])) for name in names}
        best = max(means[n] for n in names if n != SEEN)  # nobody else saw the rows
        shown = [f"**{means[n]:.1f}**" if means[n] == best else f"{means[n]:.1f}" for n in names]
        gain = np.array(cell["right"][OURS]) - np.array(cell["right"][OFF])
        adds = f"{gain.mean():+.1f} ± {interval(gain.tolist()):.1f}"
        lines.append(
            f"| {cell['collection']}, {cell['labels']} labels | {cell['words']} | {cell['examples']} | "
            + " | ".join(shown)
            + f" | {adds} |"
        )
    return "\n".join(lines)


def summary(cells: list[dict[str, Any]], ours: str = OURS) -> str:
    """Return how often we lead each peer, and by how much on average, with a 95 % interval over cells.

    Ahead and behind beyond noise count the cells in which one leads by more than the 95 % interval over the draws.
    """
    lines = [
        "| against | cells ahead or level | ahead beyond noise | behind beyond noise | mean difference |",
        "|---|---|---|---|---|",
    ]
    left = {OURS, SEEN} if ours == OURS else {SEEN}
    contenders = {n: [c["right"][n] for c in cells] for n in cells[0]["right"] if n not in left}
    if all("parts" in c for c in cells):
        contenders["the best of its parts"] = [max(c["parts"].values(), key=np.mean) for c in cells]
    for name, others in contenders.items():
        gaps = [np.array(c["right"][ours]) - np.array(other) for c, other in zip(cells, others, strict=True)]
        means = [float(gap.mean()) for gap in gaps]
        halves = [interval(gap.tolist()) for gap in gaps]
        won = sum(mean > half for mean, half in zip(means, halves, strict=True))
        lost = sum(mean < -half for mean, half in zip(means, halves, strict=True))
        ahead = f"{sum(mean >= 0 for mean in means)} of {len(means)}"
        lines.append(f"| {name} | {ahead} | {won} | {lost} | {np.mean(means):+.1f} ± {interval(means):.1f} |")
    return "\n".join(lines)


def calibration_table(groups: dict[str, list[list[dict[str, Any]]]]) -> str:
    """Return what share of answers of each probability was right, a pair of columns for each group of cells."""
    lines = [
        "| " + " | ".join(f"{name}: said | right" for name in groups) + " |",
        "|" + "---|---|" * len(groups),
    ]
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        row: list[str] = []
        for cells in groups.values():
            some = [b for bins in cells for b in bins if low <= b["said"] < low + 0.2 + (low == 0.8)]
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


SHOWN = {
    "glove-6b-50d": "50-d, built in",
    "glove-100d": "100-d",
    "glove-840b-300d-34k": "300-d",
    "trained": "trained on the task's texts",
}


def tasks_table(results: dict[str, Any], what: str) -> str:
    """Return each task with its vectors off, and what each table adds; bold where the interval leaves out zero."""
    names = [name for name in next(iter(results.values())) if name not in {"off", "tasks", "pairs"}]
    lines = [
        f"| {what} | off | " + " | ".join(SHOWN.get(name, name) for name in names) + " |",
        "|---|---|" + "---|" * len(names),
    ]
    for task, found in results.items():
        count = f" ({found['tasks']} tasks)" if "tasks" in found else ""
        shown = " | ".join(_gain(*found[name][1:]) for name in names)
        lines.append(f"| {task}{count} | {found['off'][0]:.1f} | {shown} |")
    return "\n".join(lines)


def by_kind(tasks: dict[str, Any]) -> dict[str, Any]:
    """Return the means over the tasks of one kind, with the interval of a mean of independent differences."""
    found: dict[str, Any] = {}
    for method in ("related", "set cover"):
        for part, kind in sorted({(t["part"], t["kind"]) for t in tasks.values()}):
            some = [t[method] for t in tasks.values() if (t["part"], t["kind"]) == (part, kind)]
            columns = {name: np.array([t[name] for t in some]) for name in some[0]}
            found[f"{method}: {kind}, {part}"] = {"tasks": len(some)} | {
                name: [*v[:, :2].mean(axis=0), np.sqrt((v[:, 2] ** 2).sum()) / len(some)]
                for name, v in columns.items()
            }
    return found


def _gain(mean: float, half: float) -> str:
    shown = f"{mean:+.1f} ± {half:.1f}"
    return f"**{shown}**" if abs(mean) > half else shown


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


def tuning_table(results: dict[str, Any]) -> str:
    """Return what the labeller reaches on the tasks that choices were made on, one left out at a time."""
    ways = ["examples alone", "with rows"]
    found = {way: results["on the same draws"][way] for way in ways}
    lines = ["| task left out | " + " | ".join(ways) + " |", "|---|" + "---|" * len(ways)]
    tasks = found[ways[0]]["by task"]
    shown = {task: " | ".join(f"{found[way]['by task'][task]:.1f}" for way in ways) for task in tasks}
    return "\n".join([*lines, *(f"| {task} | {row} |" for task, row in shown.items())])


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
    from lexicloud.say.figures import CATEGORICAL, new_axes, save_figure

    gains: dict[str, dict[int, list[float]]] = {}
    for cell in cells:
        added = np.array(cell["right"][OURS]) - np.array(cell["right"][OFF])
        gains.setdefault(cell["collection"], {}).setdefault(cell["words"], []).extend(added.tolist())
    ax = new_axes(None, height=4.2)
    # The legend lists the lines as they stand above each other at 25 words.
    for place, name in enumerate(sorted(gains, key=lambda name: -np.mean(gains[name][25]))):
        lengths = sorted(gains[name])
        means = [float(np.mean(gains[name][words])) for words in lengths]
        halves = [interval(gains[name][words]) for words in lengths]
        aside = np.array(lengths) * 1.03 ** (place - 2.5)  # so that intervals do not hide each other
        ax.errorbar(
            aside, means, halves, marker="o", capsize=2, elinewidth=0.8, label=name, color=CATEGORICAL[place]
        )
    ax.axhline(0, color="grey", linewidth=0.8)
    ax.set_xscale("log")
    ax.set_xticks([10, 25, 50, 100, 300], ["10", "25", "50", "100", "300"])
    ax.minorticks_off()
    ax.set_xlabel("words in a text")
    ax.set_ylabel("more texts labelled right, in a hundred")
    ax.set_title("What word vectors add, 3 to 30 examples a label")
    ax.legend(frameon=False)
    for ending in ("png", "svg"):
        save_figure(ax, DOCS / "images" / f"meaning.{ending}")


def calibrations(cells: list[dict[str, Any]], new: list[dict[str, Any]]) -> dict[str, str]:
    """Return two tables of probabilities: collections kept for the end, and passages of a genre from few files."""
    few, many = ([c["calibration"] for c in new if c["examples"] == n] for n in (3, 30))
    brown = [c for c in cells if c["collection"].startswith("genres")]
    genres = [c for c in brown if c["examples"] == 30]
    alone, told = ([c[key] for c in genres] for key in ("calibration", "calibration, files told"))
    by_number = {f"{n} examples": [c["calibration"] for c in brown if c["examples"] == n] for n in (3, 8)}
    rows = {"all": [c["calibration, all rows seen"] for c in new]}
    every = {"all": [c["calibration"] for c in new], "3 examples a label": few, "30": many}
    return {
        "CALIBRATION": calibration_table(every),
        "GENRES": calibration_table({"files not told": alone, "files told": told}),
        "FEW_GENRES": calibration_table(by_number),
        "CALIBRATION_ROWS": calibration_table(rows),
    }


TASKS = {
    "divergences": "texts labelled right, %",
    "authors": "passages with the right author, %",
    "pairs": "area under the curve, %",
    "search": "nDCG of the first ten, %",
    "sentences": "Spearman's correlation with people, %",
}


def with_tasks(page: str, tasks: dict[str, Any]) -> str:
    """Put in the tables of all other tasks; a part between {{#name}} and {{/name}} goes if it was not measured."""
    for part, what in TASKS.items():
        start, end = page.index(f"{{{{#{part}}}}}"), page.index(f"{{{{/{part}}}}}")
        text = page[start:end].partition("\n")[2] if part in tasks else ""
        page = page[:start] + text + page[end:].partition("\n")[2]
        found = tasks.get(part, {})
        if found:
            table = tasks_table(by_kind(found) if part == "search" else found, what)
            page = page.replace(f"{{{{{part.upper()}}}}}", table)
    return page


def main() -> None:
    found, unseen = load("meaning"), load("meaning_unseen")
    cells, new = found["cells"], unseen["cells"]
    page = with_tasks(TEXT.read_text(encoding="utf-8"), load("meaning_tasks"))
    training = load("meaning_training")
    for mark, table in {
        "CELLS": cells_table(cells),
        "SUMMARY": summary(cells),
        "UNSEEN": cells_table(new),
        "UNSEEN_SUMMARY": summary(new),
        "SUMMARY_SEEN": summary([*cells, *new], SEEN),
        "TUNING": tuning_table(load("meaning_tuning")),
        **calibrations(cells, new),
        "NO_SHARED_WORDS": search_table(load("no_shared_words")),
        "VECTORS": vectors_table(load("meaning_vectors")["cells"]),
        "REFUSED": refused_table(load("none_of_these")),
        "NEXT": next_table(load("meaning_next")),
        "TRAINING": training_table(training),
        "HIDDEN": hidden_table(training),
        "DRAWS": str(found["draws"]),
        "TESTS": str(found["tests a label"]),
    }.items():
        page = page.replace(f"{{{{{mark}}}}}", table)
    (DOCS / "meaning-measured.md").write_text(page, encoding="utf-8")
    draw([*cells, *new])


if __name__ == "__main__":
    main()
