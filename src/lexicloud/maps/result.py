"""The result of mapping texts or sentences: places, names, labels, regions, and how well the plane fits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from lexicloud.plane.layout import fit_said
from lexicloud.result import TabularResult, plain
from lexicloud.say.blocks import Block, Sentence, listed, many, table
from lexicloud.say.map_block import Colouring, Map, Region, by_region, grouped, names_groups

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class CorpusMap(TabularResult):
    """Texts or sentences on a plane: `coordinates` has a row for each of `names`.

    `theme` is the number of each point's region in `regions`. `kept` is the share of points whose nearest point is
    among the `among` nearest on the plane. `told` is what a click shows: the sentence, or the nearest texts.
    """

    LISTED: ClassVar = 12
    _left_out = ("told",)

    thing: str
    coordinates: NDArray[np.float64]
    names: tuple[str, ...]
    told: tuple[str, ...]
    labels: tuple[str | None, ...] | None
    weights: NDArray[np.float64]
    theme: NDArray[np.int64]
    regions: tuple[Region, ...]
    kept: float
    among: int
    of: int  # how many there are in all; the map may show fewer
    kind: str = "author"  # what a label is
    note: str = ""
    seed: int = 0

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<CorpusMap of {many(len(self), self.thing)} in {many(len(self.themes), 'region')}>"

    @property
    def themes(self) -> tuple[Region, ...]:
        """The large regions; `regions` has the small ones too."""
        return tuple(region for region in self.regions if region.level == 0)

    @property
    def fit(self) -> str:
        """How well two dimensions fit, in words."""
        return fit_said(self.kept, self.thing, self.among)

    @cached_property
    def _colourings(self) -> tuple[Colouring, ...]:
        themes = (by_region(self.themes, self.theme),) if len(self.themes) > 1 else ()
        # A label for each point says no more than its name.
        if len(set(self.labels or ()) - {None}) in (0, len(self)):
            return themes or (grouped(self.thing, [None] * len(self)),)
        hands = (grouped(self.kind, self.labels or ()),)
        # Sentences of forty authors in forty colours show nothing, so the regions come first.
        return (*themes, *hands) if self.thing == "sentence" else (*hands, *themes)

    def block(self) -> Map:
        """Return the map, ready to be drawn."""
        alt = (
            f"A map of {many(len(self), self.thing)}, near ones together. "
            f"Its regions: {'; '.join(r.title for r in self.themes[: self.LISTED])}."
        )
        return Map(
            f"map_of_{self.thing}s", alt, self.thing, self.coordinates, self.names, self.told, self.weights,
            self._colourings, self.regions, self.fit, named=self.thing != "sentence",
            groups_named=self.thing == "text" and names_groups(self.labels or ()),
        )  # fmt: skip

    def blocks(self) -> list[Block]:
        """Return what the map shows, the map, and its regions."""
        shown = (
            f"{len(self):,} of {many(self.of, self.thing)}"
            if self.of > len(self)
            else many(len(self), self.thing)
        )
        said = f"{shown} on a plane, near ones together"
        first = listed([f"“{r.title}”" for r in self.themes[:3]])
        found = f"{said}; the largest regions are {first}." if len(self.themes) > 1 else f"{said}."
        rows = [[r.title, r.size] for r in self.themes]
        return [
            Sentence(found, "answer"),
            Sentence(self.fit, "sure"),
            *([Sentence(self.note, "note")] if self.note else []),
            self.block(),
            *([table(["region", f"{self.thing}s"], rows, top=self.LISTED)] if len(rows) > 1 else []),
        ]

    def plot(self, ax: Axes | None = None, *, theme: str = "light", colouring: int = 0) -> Axes:
        """Draw the map; `theme` is "light" or "dark", `colouring` chooses between colours by label and by region."""
        from lexicloud.say.map_figure import draw_map

        return draw_map(self.block(), ax, theme=theme, colouring=colouring)

    def page(self, path: str | Path) -> Path:
        """Write the map as a page of its own, which needs no network."""
        from lexicloud.say.html import write_map_page

        return write_map_page(self.blocks(), path)

    def to_columns(self) -> dict[str, Any]:
        """Return for each point its name, label, region, coordinates, and what a click shows."""
        titles = [r.title for r in self.themes]
        return {
            "name": self.names,
            "label": self.labels or [None] * len(self),
            "theme": [titles[i] for i in self.theme] if titles else [""] * len(self),
            "x": self.coordinates[:, 0],
            "y": self.coordinates[:, 1],
            "told": self.told,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, with coordinates to four decimals, which is more than a figure shows."""
        return {**super().to_dict(), "fit": self.fit, "coordinates": plain(self.coordinates.round(4))}
