"""What other engines load: OpenSearch's bulk format as it is documented, and Parquet files that LanceDB opens."""

from __future__ import annotations

import json

import numpy as np
import pytest

import lexicloud as lc
from lexicloud.errors import OptionError, StorageError
from lexicloud.search import SentenceIndex, exports
from lexicloud.search.exports import export_index

from .toy import build

RECORDS = [
    {"id": i, "title": f"kadan {word}", "body": "lofel\nmigos “ruhin”", "day": f"2022-01-0{i + 1}", "n": i + 0.5,
     "tags": ["x", "y"], "open": i > 1, "when": "01/Jan/22"}
    for i, word in enumerate(["lofel", "ruhin", "torjat"])
]  # fmt: skip


@pytest.fixture
def index() -> SentenceIndex:
    vectors = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float32)
    return build(RECORDS, text={"title": 3, "body": 1}, dense=vectors)


def test_the_bulk_files_are_as_opensearch_documents_them(index, tmp_path, monkeypatch):
    """https://opensearch.org/docs/latest/api-reference/document-apis/bulk: an action and a document, a line each."""
    monkeypatch.setattr(exports, "PART", 700)
    found = export_index(index, tmp_path / "out", name="issues")
    parts = sorted((tmp_path / "out").glob("issues-*.ndjson"))
    assert len(parts) > 1
    assert [path.name for path in parts] == list(found.files[1:])
    lines = [line for path in parts for line in path.read_bytes().split(b"\n")]
    for path in parts:
        assert path.read_bytes().endswith(b"}\n"), "the last line of a bulk request ends, too"
        assert len(path.read_text("utf-8").splitlines()) % 2 == 0
    values = [json.loads(line) for line in lines if line]
    assert values[::2] == [{"index": {"_index": "issues", "_id": str(i)}} for i in range(3)]
    first = values[1]
    assert first["title"] == "kadan lofel"
    assert first["tags"] == ["x", "y"]
    assert np.allclose(np.linalg.norm(first["embedding"]), 1, atol=1e-3)


def test_the_mapping_has_the_types_that_the_documents_hold(index, tmp_path):
    export_index(index, tmp_path / "out")
    body = json.loads((tmp_path / "out" / "mapping.json").read_text("utf-8"))
    types = {key: value["type"] for key, value in body["mappings"]["properties"].items()}
    assert types == {
        "text": "text", "title": "text", "body": "text", "day": "date", "when": "keyword", "n": "double",
        "tags": "keyword", "open": "boolean", "embedding": "knn_vector",
    }  # fmt: skip
    assert body["mappings"]["properties"]["embedding"]["dimension"] == 8
    assert body["settings"]["index"]["knn"] is True


@pytest.mark.slow
def test_lancedb_loads_it_and_its_hits_are_ranked(index, tmp_path):
    lancedb = pytest.importorskip("lancedb")
    import pyarrow.dataset as dataset

    index.remove(1)
    found = export_index(index, tmp_path / "out", to="lancedb", name="issues")
    assert found.records == 2
    table = lancedb.connect(tmp_path / "db").create_table(
        "issues", dataset.dataset(tmp_path / "out").to_table()
    )
    hits = table.search(np.asarray(index.database.dense[0])).limit(2).to_list()
    assert hits[0]["id"] == "0"
    assert hits[0]["tags"] == ["x", "y"]
    ranked = lc.rerank(
        "torjat", hits, text={"title": 3, "body": 1}, vectors=index._snapshot.source.load(), dense=None
    )
    assert ranked[0].id == "2"
    assert ranked[0].metadata["hit"] == 2
    assert ranked[0].matches[0].fields == ("title",)


def test_nothing_is_written_over(index, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("x")
    with pytest.raises(StorageError, match="is there already"):
        export_index(index, tmp_path / "out")
    with pytest.raises(OptionError, match="no export to 'solr'"):
        export_index(index, tmp_path / "new", to="solr")
    with pytest.raises(OptionError, match="no name for an index"):
        export_index(index, tmp_path / "new", name="../Etc")
    assert not (tmp_path / "new").exists()
