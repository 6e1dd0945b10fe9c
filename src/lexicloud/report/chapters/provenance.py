"""Where the numbers come from, and how to reproduce them."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

from lexicloud.report.chapters.chapter import Chapter
from lexicloud.say.blocks import Block, Sentence, table
from lexicloud.version import __version__

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

# Packages that the numbers depend on; only plots depend on the last.
_PACKAGES: Final = (
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "textblob",
    "matplotlib",
)


@dataclass(frozen=True)
class Provenance(Chapter):
    """Vectors, rules, seeds, versions, run time, and the command."""

    id = "provenance"
    title = "Where this comes from"

    vectors: str
    dimension: int
    fingerprint: str
    rules: dict[str, Any]
    settings: dict[str, Any]
    versions: dict[str, str]
    seconds: dict[str, float]
    command: str

    @classmethod
    def gather(
        cls, corpus: Corpus, settings: dict[str, Any], seconds: dict[str, float], command: str
    ) -> Provenance:
        """Collect what a reader needs to repeat this."""
        rules = {name: getattr(corpus.rules, name) for name in corpus.rules.__dataclass_fields__}
        return cls(
            corpus.lexicon.source,
            int(corpus.vectors.shape[1]),
            corpus.lexicon.fingerprint,
            rules,
            settings,
            _versions(),
            seconds,
            command,
        )

    def blocks(self) -> list[Block]:
        """Return the command first, then settings, versions and times."""
        settings = [[name, _plain(value)] for name, value in {**self.rules, **self.settings}.items()]
        steps = [[_STEPS.get(name, name), round(value, 1)] for name, value in self.seconds.items()]
        source = [["vectors", self.vectors], ["their fingerprint", self.fingerprint]]
        return [
            Sentence(self.finding, "answer"),
            Sentence("The same command gives the same numbers:"),
            Sentence(self.command, "command"),
            table(["setting", "value"], [*source, *settings], title="Settings"),
            table(["package", "version"], self.versions.items(), title="Versions"),
            table(["part", "seconds"], steps, title="Run time"),
        ]

    @property
    def finding(self) -> str:
        """Which vectors, and how long it took."""
        total = sum(self.seconds.values())
        there = self.vectors != "none"
        vectors = f"the vectors {self.vectors} ({self.dimension} dimensions)" if there else "no vectors"
        return (
            f"Made by lexicloud {self.versions['lexicloud']} in {total:.0f} seconds with {vectors} "
            f"and the seed {self.settings.get('seed', 0)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def _versions() -> dict[str, str]:
    found = {"lexicloud": __version__, "Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


_STEPS = {
    "reading": "what was read",
    "divergence_map": "who is like whom",
    "attribution": "attribution",
    "zipf": "Zipf’s law",
    "search": "search",
}


def _plain(value: object) -> object:
    if value is None or value == []:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
