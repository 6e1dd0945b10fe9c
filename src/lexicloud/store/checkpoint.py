"""Save the finished parts of a long run, so that a run that was stopped can continue."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import StorageError
from lexicloud.store.files import cannot_write, replace_bytes, replace_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLAN: Final = "plan.json"


class Checkpoint:
    """A folder with the finished pieces of one run, each a file of arrays, and the run's settings in `plan.json`.

    A folder of a run with other settings is refused. A piece is written whole or not at all.
    """

    def __init__(self, path: str | Path, plan: Mapping[str, Any]) -> None:
        self.path, told = Path(path), json.loads(json.dumps(plan))
        there = self._plan()
        if there is None:
            self._begin(told)
        elif there != told:
            differs = next(key for key in {*told, *there} if told.get(key) != there.get(key))
            raise StorageError(
                f"{self.path} holds pieces of another run (its {differs} differs): name another folder, or remove it"
            )

    def _plan(self) -> Any:
        try:
            return json.loads((self.path / PLAN).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StorageError(f"{self.path / PLAN} cannot be read ({error}): remove the folder") from error

    def _begin(self, plan: Any) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            strange = next(self.path.iterdir(), None)
        except OSError as error:
            raise cannot_write(self.path, error) from error
        if strange is not None:
            raise StorageError(f"{self.path} is not empty and holds no pieces of ours: name a new folder")
        replace_text(self.path / PLAN, json.dumps(plan, indent=1))

    def get(self, name: str) -> dict[str, NDArray[Any]] | None:
        """Return the arrays of a piece; None if it is missing or damaged and has to be made."""
        import numpy as np

        try:
            with (self.path / f"{name}.npz").open("rb") as file, np.load(file, allow_pickle=False) as kept:
                return {key: kept[key] for key in kept.files}
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            return None

    def put(self, name: str, **arrays: NDArray[Any]) -> None:
        """Save a piece."""
        import numpy as np

        out = io.BytesIO()
        np.savez(out, **arrays)  # type: ignore[arg-type]
        replace_bytes(self.path / f"{name}.npz", out.getvalue(), follow=False)
