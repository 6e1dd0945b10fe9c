"""Write the results: one page, CSV and JSON for every table, and the figures."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lexicloud.errors import InputError
from lexicloud.paper.figures import png_of
from lexicloud.paper.page import result_page
from lexicloud.report.page import write_text

if TYPE_CHECKING:
    from lexicloud.paper.run import PaperResult
    from lexicloud.paper.tables import Listing, Table


def write_results(result: PaperResult, folder: str | Path) -> list[Path]:
    """Write index.html, results.json, tables/*.csv and figures/*.png; return the files, the page first."""
    folder = Path(folder)
    images = {
        drawing.name: png_of(drawing.draw())
        for report in result.reports.values()
        for drawing in report.drawings
    }
    written = [result_page(result, images).save(folder / "index.html")]
    written.append(write_text(folder / "results.json", _json(_stable(result.to_dict()))))
    tables = [table for report in result.reports.values() for table in report.tables]
    written += [write_text(folder / "tables" / f"{table.name}.csv", _csv(table)) for table in tables]
    written += [_write_bytes(folder / "figures" / f"{name}.png", data) for name, data in images.items()]
    return written


def _stable(values: dict[str, Any]) -> dict[str, Any]:
    """Leave out what differs between a first run and a resumed one."""
    return {key: value for key, value in values.items() if key not in {"computed", "recalled"}}


def _json(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _csv(table: Table | Listing) -> str:
    records = table.records()
    out = StringIO()
    writer = csv.DictWriter(out, fieldnames=list(records[0]) if records else ["empty"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def _write_bytes(path: Path, data: bytes) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    return path
