"""From a path to a page in one call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lexicloud.corpus import Corpus
from lexicloud.errors import InputError
from lexicloud.report.study import Study, study

_STUDY = ("title", "queries", "method", "by", "sample", "seed", "kind", "command")


def write_report(
    path: str | Path | Corpus, out: str | Path, *, figures: str | Path | None = None, **options: Any
) -> Study:
    """Read texts, study them, and write the page to `out` (and static figures to the folder `figures`).

    Options are those of `study` (title, queries, method, by, sample, seed) and of `Corpus.from_folder` (label, text,
    name, vectors, rules, encoding). That the page can be written is checked before the work, not after it.

    >>> from tempfile import TemporaryDirectory
    >>> texts = Corpus.from_texts({"a": "The ship sank in the storm.", "b": "The cook made soup."})
    >>> with TemporaryDirectory() as folder:
    ...     found = write_report(texts, Path(folder, "report.html"))
    ...     Path(folder, "report.html").stat().st_size > 10_000
    True
    """
    check_writable(out)
    asked = {name: options.pop(name) for name in _STUDY if name in options}
    corpus = path if isinstance(path, Corpus) else Corpus.from_folder(path, **options)
    asked.setdefault("kind", kind_of_label(options.get("label")))
    found = study(corpus, **asked)
    found.save(out)
    if figures is not None:
        found.write_figures(figures)
    return found


def kind_of_label(label: str | None) -> str:
    """Return what labels are called in sentences: what they were asked for as, where that is a word.

    >>> kind_of_label("@name"), kind_of_label("reading_level"), kind_of_label("col_7"), kind_of_label(None)
    ('author', 'reading level', 'label', 'label')
    """
    known = {"@name": "author", "@folder": "folder"}
    words = (label or "").replace("_", " ").lower()
    return known.get(label or "", words if words.replace(" ", "").isalpha() else "label")


def check_writable(out: str | Path) -> None:
    """Find out before minutes of work whether a file can be written there; nothing is left behind."""
    out = Path(out)
    if out.is_dir():
        raise InputError(f"{out} is a folder: name a file, such as {out / 'report.html'}")
    probe = out.with_name(f".{out.name}.try")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror}") from error
