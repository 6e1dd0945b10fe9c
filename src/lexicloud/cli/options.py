"""Options that several commands share, so that they are named and explained alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON to stdout and nothing else there.")]
Seed = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of everything random; the same seed gives the same answer.")
]
VectorsOption = Annotated[
    str | None,
    typer.Option(
        "--vectors", help="A vector file, a converted folder or a catalogue name; GloVe 6B 50-d is built in."
    ),
]
Sample = Annotated[
    int | None,
    typer.Option(
        "--sample", min=1, help="Draw this many tokens of each text; shorter texts are left out and named."
    ),
]
OutFile = Annotated[Path | None, typer.Option("--out", help="Where to write.")]
Language = Annotated[
    str, typer.Option("--language", help="Language of the stop words: english, french, german, …")
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        help="Encoding of the files, detected when not given; utf-8:replace replaces bytes that do not fit.",
    ),
]
