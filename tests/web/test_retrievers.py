"""The index behind other libraries' retrievers, against their real base classes."""

from __future__ import annotations

import pytest

from lexicloud.search import SentenceIndex
from tests.web.conftest import SENTENCES

QUERY = "a sailor on the stormy sea"


@pytest.fixture(scope="module")
def index():
    return SentenceIndex.build([(f"s{i}", text, {"number": i}) for i, text in enumerate(SENTENCES)])


def test_langchain(index):
    pytest.importorskip("langchain_core")
    from langchain_core.retrievers import BaseRetriever

    from lexicloud.retrievers.langchain import LexicloudRetriever

    retriever = LexicloudRetriever(index=index, top=2, options={"min_tokens": 1})
    assert isinstance(retriever, BaseRetriever)
    found = retriever.invoke(QUERY)
    expected = index.search(QUERY, top=2, min_tokens=1)
    assert [d.id for d in found] == [s.id for s in expected]
    assert [d.page_content for d in found] == [s.text for s in expected]
    assert found[0].metadata["score"] == expected[0].score
    assert found[0].metadata["number"] == expected[0].metadata["number"]
    assert retriever.batch([QUERY])[0][0].id == found[0].id


@pytest.mark.parametrize("method", ["setcover", "average"])
@pytest.mark.filterwarnings("ignore")  # of the library itself
def test_llama_index_takes_the_higher_score_for_the_better(index, method):
    pytest.importorskip("llama_index.core")
    from llama_index.core.base.base_retriever import BaseRetriever

    from lexicloud.retrievers.llama_index import LexicloudRetriever

    retriever = LexicloudRetriever(index, top=3, method=method)
    assert isinstance(retriever, BaseRetriever)
    found = retriever.retrieve(QUERY)
    assert [n.node.node_id for n in found] == [s.id for s in index.search(QUERY, top=3, method=method)]
    assert [n.score for n in found] == sorted((n.score for n in found), reverse=True)
