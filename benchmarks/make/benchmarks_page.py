"""docs/benchmarks.md, made from the results of benchmarks/speed: `python -m benchmarks.make.benchmarks_page`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from benchmarks.record import RESULTS, ROOT

PAGE = ROOT / "docs" / "benchmarks.md"
TITLES = {
    "text": "Tokens and sentences, against NLTK",
    "vectors": "Reading vectors, against gensim",
    "neighbours": "The table of nearest words, against faiss and the bare product",
    "divergence": "All pairs of books, against an index a book",
    "zipf": "The bootstrap of the power law, against powerlaw",
    "zipf_latent": "Sentence means and clusters, against scikit-learn",
    "search": "Search, against bm25s, gensim, rapidfuzz and a plain loop",
    "index": "An index on disk, against bm25s",
    "scale": "An index larger than memory, as texts grow tenfold",
    "attribution_speed": "Who wrote it, started cold",
    "start": "The first answer",
    "cluster": "A cluster, against one process",
}
HEAD = """# Benchmarks

<!-- made by `python -m benchmarks.make.benchmarks_page` from benchmarks/results -->

`make bench` measures all of this again and writes this page; `python -m benchmarks text search` measures some of it.
Ratios are of two contenders in one run, taking turns; seconds are there for scale. What each benchmark does is told in
`benchmarks/README.md`, how often answers are right on the pages of each subject.
"""


def results(topic: str) -> dict[str, Any] | None:
    path = RESULTS / f"{topic}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def measured(content: dict[str, Any]) -> str:
    machine = content["machine"]
    return f"Measured {content['measured']}: {machine['cpu']}, {machine['cores']} cores, Python {machine['python']}."


def number(value: float) -> str:
    """Three figures, and no more digits than that."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield every measured number with the names that lead to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{name} · {key}" if name else str(key))
    elif isinstance(value, list) and all(isinstance(v, int | float) for v in value):
        yield name, ", ".join(map(number, value))
    elif isinstance(value, int | float):
        yield name, number(value)
    elif isinstance(value, str):
        yield name, value


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def quick(content: dict[str, Any]) -> str:
    """The ratios that CI watches, and how search and building grow."""
    found, versions = (
        content["results"],
        ", ".join(f"{k} {v}" for k, v in content["results"]["versions"].items()),
    )
    rows = [
        (
            name,
            number(r["ratio"]),
            f"{number(r['lowest'])} – {number(r['highest'])}",
            number(r["ours_s"]),
            number(r["peer_s"]),
        )
        for name, r in found["ratios"].items()
    ]
    told = [
        "## What CI watches\n",
        f"{measured(content)} {versions}. Processor time in one thread, made-up sentences;",
        "a ratio is peer / ours. `python -m benchmarks.speed.quick --check` fails where one has halved. *Bare product*",
        "is the distance to the limit: no table of nearest words takes less than the matrix product in it.\n",
        table(("ours / peer", "ratio", "lowest – highest", "ours, s", "peer, s"), rows),
        "Sizes are small, and small sizes are where we lose: a search has a fixed cost of half a millisecond,",
        "four times bm25s's time among 10,000 sentences and 1.2 times among 240,000; the table of 8,000 words takes",
        "longer than faiss, that of 52,000 less than half as long.\n",
    ]
    return "\n".join([*told, *grown(found["growth"])] if "growth" in found else told)


def grown(found: dict[str, Any]) -> list[str]:
    """How search and building grow with the sentences."""
    steps = zip(found["sentences"], found["search_ms"], found["build_s"], strict=True)
    return [
        f"Growth: a ranked search grows with exponent {found['search_exponent']} of the sentences, building with",
        f"{found['build_exponent']}; at the peak {found['peak_mib']:,} MiB were held.\n",
        table(
            ("sentences", "search, ms", "building, s"),
            [(f"{n:,}", number(a), number(b)) for n, a, b in steps],
        ),
    ]


def page() -> str:
    """Return the page as the results say it."""
    parts = [HEAD]
    watched = results("quick")
    if watched:
        parts.append(quick(watched))
    for topic, title in TITLES.items():
        content = results(topic)
        if content:
            rows = [(name, value) for name, value in leaves(content["results"])]
            parts += [f"## {title}\n", f"{measured(content)}\n", table(("what", "measured"), rows)]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
