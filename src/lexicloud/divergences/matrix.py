"""The divergences of all pairs of documents: a table that can be saved, drawn and queried."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.divergences.standardise import ENOUGH, standardise
from lexicloud.errors import OptionError, UnknownDocument
from lexicloud.result import TabularResult, csv_text
from lexicloud.say.blocks import Block, Facts, Figure, Sentence, signed, table
from lexicloud.store.files import replace_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.divergences.base import Skipped
    from lexicloud.result import Draw

    Floats = NDArray[np.float64]

# A heat map on a page stays legible up to this many documents.
SHOWN: Final = 40
NEAREST: Final = 3  # texts listed beside each


@dataclass(frozen=True, eq=False)
class DivergenceMatrix(TabularResult):
    """D(row‖column) for all pairs of documents, with its provenance.

    `skipped` names documents that were left out, with the reason. `tokens` and `lost` count what the method
    used and ignored of each.
    """

    _index = "document"

    values: Floats
    names: tuple[str, ...]
    method: str
    options: dict[str, Any] = field(default_factory=dict)
    labels: tuple[str | None, ...] | None = None
    symmetric: bool = False
    standardised: bool = False
    tokens: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    sample: int | None = None
    repeats: int = 1
    seed: int = 0
    vectors: str = ""
    skipped: tuple[Skipped, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<DivergenceMatrix of {len(self):,} documents by {self.method!r}>"

    def position(self, name: str) -> int:
        """Return the row of a document."""
        if name not in self.names:
            raise UnknownDocument(f"the matrix has no document named {name!r}; it has {len(self)} documents")
        return self.names.index(name)

    def ranked(self, *, raw: bool = False) -> Floats:
        """Return the values that texts are ranked, mapped and clustered by: standardised, or `raw` nats.

        In raw nats a text with a rich vocabulary is near to every other text. Values of fewer than eight texts stay
        raw: so few do not show what is usual.
        """
        if raw or self.standardised or len(self) < ENOUGH:
            return self.values
        values = standardise(self.values)
        return (values + values.T) / 2 if self.symmetric else values

    def nearest(self, name: str, n: int = 5, *, raw: bool = False) -> tuple[tuple[str, float], ...]:
        """Return the n documents nearest to `name`, with the values: standardised, or `raw`."""
        i, values = self.position(name), self.ranked(raw=raw)
        order = [j for j in np.argsort(values[i], kind="stable") if j != i][:n]
        return tuple((self.names[j], float(values[i, j])) for j in order)

    def standardise(self) -> DivergenceMatrix:
        """Return the matrix with standardised values in place of nats."""
        if self.standardised:
            return self
        values = standardise(self.values)
        return replace(self, values=(values + values.T) / 2 if self.symmetric else values, standardised=True)

    def distances(self, *, raw: bool = False) -> Floats:
        """Return symmetric distances for clustering and maps: the mean of both directions, standardised or `raw`.

        They are shifted so that none is below zero.
        """
        values, off = self.ranked(raw=raw), ~np.eye(len(self), dtype=bool)
        return np.where(off, (values + values.T) / 2 - self.moved(raw=raw), 0.0)

    def moved(self, *, raw: bool = False) -> float:
        """Return by how much `distances` are shifted: the value of the closest pair if it is below zero, else 0."""
        values, off = self.ranked(raw=raw), ~np.eye(len(self), dtype=bool)
        return min(0.0, float(((values + values.T) / 2)[off].min(initial=0.0)))

    def coordinates(self, *, raw: bool = False) -> Floats:
        """Return a point in the plane for each document: t-SNE of `distances`, or metric scaling of up to a dozen."""
        from lexicloud.plane.layout import lay_out_distances

        return lay_out_distances(self.distances(raw=raw), seed=self.seed)

    def linkage(self, *, raw: bool = False) -> Floats:
        """Return SciPy's average linkage of the documents."""
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import squareform

        if len(self) < 2:
            raise OptionError("a dendrogram needs at least two documents")
        return np.asarray(linkage(squareform(self.distances(raw=raw), checks=False), method="average"))

    def nearest_pair(self, *, raw: bool = False) -> tuple[str, str]:
        """Return the names of the two documents that are nearest to each other."""
        if len(self) < 2:
            raise OptionError("a nearest pair needs at least two documents")
        far = self.distances(raw=raw)
        np.fill_diagonal(far, np.inf)
        i, j = sorted(map(int, np.unravel_index(int(far.argmin()), far.shape)))
        return self.names[i], self.names[j]

    # ---- out

    def to_columns(self) -> dict[str, Any]:
        """Return the documents, and the divergences from each of them to the column's document."""
        return {"document": self.names, **dict(zip(self.names, self.values.T, strict=True))}

    def _figures(self) -> dict[str, Draw]:
        """The heat map, the tree and the map; one document has neither a tree nor neighbours."""
        several = {"dendrogram": self.dendrogram, "map": self.map} if len(self) > 1 else {}
        return {"": self.plot, **several}

    def write(self, folder: str | Path, name: str | None = None) -> list[Path]:
        """Write `matrix.json`, `matrix.csv`, the heat map `matrix.png`, `matrix_dendrogram.png` and
        `matrix_map.png`; return the files.
        """
        return super().write(folder, name or "matrix")

    def to_csv(self, path: str | Path) -> None:
        """Write a table with the documents' names in the first row and column."""
        replace_text(path, csv_text(self.to_columns()))

    def plot(self, ax: Axes | None = None, *, raw: bool = False) -> Axes:
        """Draw a heat map, ordered so that close documents stand together; its scale says what is shown."""
        from lexicloud.divergences.divergence_plots import heat_map

        return heat_map(self, ax, raw=raw)

    def dendrogram(self, ax: Axes | None = None) -> Axes:
        """Draw the tree of the documents."""
        from lexicloud.divergences.divergence_plots import dendrogram

        return dendrogram(self, ax)

    def map(self, ax: Axes | None = None) -> Axes:
        """Draw the documents as points in the plane, coloured by label."""
        from lexicloud.divergences.divergence_plots import document_map

        return document_map(self, ax)

    def blocks(self) -> list[Block]:
        """Return the nearest pair, the nearest texts of each, and what was measured."""
        found: list[Block] = []
        if len(self) > 1:
            a, b = self.nearest_pair()
            found.append(Sentence(f"Of {len(self)} texts, {a} and {b} are nearest to each other.", "answer"))
        if self.standardised:
            said = "0 is as close as either text usually is, −2 is two standard deviations closer."
            found.append(Sentence(said, "sure"))
        found += [Sentence(f"{one.name} was left out: {one.reason}.", "note") for one in self.skipped]
        digits = 2 if self.standardised else 3
        rows = [
            (name, *(f"{signed(value, digits)} {other}" for other, value in self.nearest(name, NEAREST)))
            for name in self.names
        ]
        if len(self) > 1:
            found.append(
                table(["text", "nearest", *[""] * (min(NEAREST, len(self) - 1) - 1)], rows, top=SHOWN)
            )
        return [*found, Facts(tuple(self._facts())), *self._drawings()]

    def _facts(self) -> Iterator[tuple[str, str]]:
        k = f", k = {self.options['k']}" if "k" in self.options else ""
        values = "standardised" if self.standardised else "as measured" if self.method == "delta" else "nats"
        yield "method", f"{self.method}{k}, values {values}, vectors {self.vectors}"

    def _picture(self) -> list[Block]:
        return []  # drawn among the blocks where it can be read

    def _drawings(self) -> list[Block]:
        if not 1 < len(self) <= SHOWN:
            return []
        return [Figure("matrix", "Divergences of all pairs of texts", self.plot)]
