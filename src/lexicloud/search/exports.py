"""An index for other engines: OpenSearch's bulk format with a mapping, or Parquet files for LanceDB.

With hundreds of millions of texts, let another engine answer and `lexicloud.rerank` rank and explain its best hits.
Rows are written one after the other, so that memory does not grow with the index.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import MissingExtra, OptionError, StorageError
from lexicloud.progress import track
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence, many

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.index import SentenceIndex

PART: Final = 20_000_000  # bytes of one bulk file: servers refuse more than 100 MB, and advise 5 to 15
ROWS: Final = 100_000  # rows of one Parquet file
BATCH: Final = 5_000  # rows whose columns are in memory together
VECTOR: Final = "embedding"
# The kind of a column, as `index info` names it → its type in OpenSearch.
_TYPES: Final = {
    "number": "double",
    "date": "date",
    "boolean": "boolean",
    "text": "keyword",
    "mixed": "keyword",
}


@dataclass(frozen=True)
class Exported(Result):
    """What was written for another engine, and how to load it."""

    engine: str
    records: int
    files: tuple[str, ...]
    load: str

    def blocks(self) -> list[Block]:
        """Return what was written and how to load it."""
        return [
            Sentence(f"{many(self.records, 'record')} for {self.engine}.", "answer"),
            Sentence(f"To load them: {self.load}", "note"),
        ]


def export_index(
    index: SentenceIndex, out: str | Path, *, to: str = "opensearch", name: str = "texts"
) -> Exported:
    """Write an index to a new folder as another engine loads it: `to` is "opensearch" or "lancedb"."""
    writers = {"opensearch": _opensearch, "lancedb": _lancedb}
    if to not in writers:
        raise OptionError(f"no export to {to!r}: choose {' or '.join(writers)}")
    if not name or name != name.lower() or not all(c.isalnum() or c in "-_" for c in name) or name[0] in "-_":
        raise OptionError(f"{name!r} is no name for an index: use small letters, digits, - and _")
    folder = Path(out)
    if folder.exists() and any(folder.iterdir() if folder.is_dir() else [folder]):
        raise StorageError(f"{folder} is there already: give a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    return writers[to](index, folder, name)


def records_of(index: SentenceIndex) -> Iterator[tuple[dict[str, Any], NDArray[np.float32] | None]]:
    """Yield each record with its embedding, where the index keeps some."""
    from lexicloud.search.methods.hybrid import unit_bytes

    dense = index.database.dense
    for row, record in track(index.rows(), "exporting", len(index)):
        yield record, unit_bytes(dense[row : row + 1])[0] if dense.shape[1] else None


# ---- OpenSearch


def _opensearch(index: SentenceIndex, folder: Path, name: str) -> Exported:
    files = [folder / "mapping.json"]
    files[0].write_text(json.dumps(mapping(index), indent=2, ensure_ascii=False) + "\n", "utf-8")
    part: Any = None
    size = records = 0
    try:
        for record, vector in records_of(index):
            lines = _bulk_lines(name, record, vector)
            if part is None or size + len(lines) > PART:
                if part is not None:
                    part.close()
                files.append(folder / f"{name}-{len(files):05d}.ndjson")
                part, size = files[-1].open("wb"), 0
            part.write(lines)
            size, records = size + len(lines), records + 1
    finally:
        if part is not None:
            part.close()
    load = (
        f"curl -X PUT $HOST/{name} -H 'Content-Type: application/json' --data-binary @mapping.json; then for each "
        f"part: curl -X POST $HOST/_bulk -H 'Content-Type: application/x-ndjson' --data-binary @{name}-00001.ndjson"
    )
    return Exported("OpenSearch", records, tuple(path.name for path in files), load)


def _bulk_lines(name: str, record: dict[str, Any], vector: NDArray[np.float32] | None) -> bytes:
    """Return a record as OpenSearch's bulk format has it: a line that says what to do, and a line with the document."""
    document = {key: value for key, value in record.items() if key not in {"id", "tokens"}}
    if vector is not None:
        document[VECTOR] = [round(float(x), 5) for x in vector]
    action = {"index": {"_index": name, "_id": str(record["id"])}}
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (action, document)).encode()


def mapping(index: SentenceIndex) -> dict[str, Any]:
    """Return the body with which OpenSearch makes the index: the types of texts, columns and embeddings."""
    known = index.info
    columns: dict[str, Any] = {}
    for key, kind in known.kinds.items():
        plain = {"lists of numbers": "number", "lists of dates": "date", "lists of true and false": "boolean"}
        said = plain.get(kind, kind).split(",")[0]
        columns[key] = {"type": _TYPES.get(said, "keyword")}
        if columns[key]["type"] == "date" and kind != "date":  # not ISO: OpenSearch would refuse the document
            columns[key] = {"type": "keyword"}
    texts = {key: {"type": "text"} for key in ("text", *known.fields)}
    body: dict[str, Any] = {"mappings": {"properties": {**columns, **texts}}}
    dimension = index.database.dense.shape[1]
    if dimension:
        body["settings"] = {"index": {"knn": True}}
        method = {"name": "hnsw", "space_type": "cosinesimil", "engine": "lucene"}
        vector = {"type": "knn_vector", "dimension": int(dimension), "method": method}
        body["mappings"]["properties"][VECTOR] = vector
    return body


# ---- LanceDB


def _lancedb(index: SentenceIndex, folder: Path, name: str) -> Exported:
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("writing Parquet files", "parquet") from None
    schema = _arrow_schema(index)
    files: list[Path] = []
    records, rows = 0, records_of(index)
    while batch := list(islice(rows, BATCH)):
        files.append(folder / f"{name}-{len(files) + 1:05d}.parquet")
        with parquet.ParquetWriter(files[-1], schema) as writer:
            for _ in range(ROWS // BATCH):
                writer.write_table(_arrow_table(batch, schema))
                records += len(batch)
                if len(batch) < BATCH or not (batch := list(islice(rows, BATCH))):
                    break
    load = (
        f'pyarrow.dataset.dataset("{folder.name}").to_table() gives the rows, '
        f'lancedb.connect("db").create_table("{name}", rows) keeps them'
    )
    return Exported("LanceDB", records, tuple(path.name for path in files), load)


def _arrow_schema(index: SentenceIndex) -> Any:
    """Return the columns of the rows: dates and what has no type of its own as text, lists as lists of text."""
    import pyarrow as pa

    known = index.info
    types = {"number": pa.float64(), "boolean": pa.bool_()}
    columns = {"id": pa.string(), "text": pa.string(), **dict.fromkeys(known.fields, pa.string())}
    for key, kind in known.kinds.items():
        lists = kind.startswith("lists")
        columns.setdefault(key, pa.list_(pa.string()) if lists else types.get(kind, pa.string()))
    if dimension := int(index.database.dense.shape[1]):
        columns["vector"] = pa.list_(pa.float32(), dimension)
    return pa.schema(list(columns.items()))


def _arrow_table(batch: list[tuple[dict[str, Any], Any]], schema: Any) -> Any:
    import pyarrow as pa

    columns = {}
    for column in schema:
        if column.name == "vector" and pa.types.is_fixed_size_list(column.type):
            columns[column.name] = [vector for _, vector in batch]
        else:
            columns[column.name] = [_as(column.type, record.get(column.name)) for record, _ in batch]
    return pa.table(columns, schema=schema)


def _as(kind: Any, value: Any) -> Any:
    """Convert a value to the type of its column."""
    import pyarrow as pa

    if value is None:
        return None
    if pa.types.is_list(kind):
        return [_text(entry) for entry in (value if isinstance(value, list) else [value])]
    if pa.types.is_floating(kind):
        return float(value)
    if pa.types.is_boolean(kind):
        return value if isinstance(value, bool) else str(value).lower() == "true"
    return _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
