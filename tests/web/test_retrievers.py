"""The index behind other libraries' retrievers, against their real base classes."""

from __future__ import annotations

import asyncio

import pytest

from lexicloud.errors import OptionError
from lexicloud.search import SentenceIndex
from tests.web.conftest import SENTENCES

QUERY = "a sailor on the stormy sea"


@pytest.fixture(scope="module")
def index():
    return SentenceIndex.build([(f"s{i}", text, {"number": i}) for i, text in enumerate(SENTENCES)])


def test_langchain(index):
    pytest.importorskip("langchain_core")
    from langchain_core.retrievers import BaseRetriever

    from lexicloud.retrievers.langchain import LangChainRetriever

    retriever = LangChainRetriever(index=index, top=2, options={"min_tokens": 1})
    assert isinstance(retriever, BaseRetriever)
    found = retriever.invoke(QUERY)
    expected = index.search(QUERY, top=2, min_tokens=1)
    assert [d.id for d in found] == [s.id for s in expected]
    assert [d.page_content for d in found] == [s.text for s in expected]
    assert found[0].metadata["score"] == expected[0].score
    assert found[0].metadata["number"] == expected[0].metadata["number"]
    assert retriever.batch([QUERY])[0][0].id == found[0].id


@pytest.mark.filterwarnings("ignore")  # of the libraries themselves
def test_text_fields_come_with_the_metadata():
    pytest.importorskip("langchain_core")
    pytest.importorskip("llama_index.core")
    from lexicloud.retrievers import langchain, llama_index

    records = [{"title": "At sea", "body": text, "number": i} for i, text in enumerate(SENTENCES)]
    index = SentenceIndex.build(records, text={"title": 3, "body": 1})
    asked = {"top": 1, "where": {"number": {">": 1}}}
    first = langchain.LangChainRetriever(index=index, **asked).invoke(QUERY)[0]
    assert (first.metadata["title"], first.metadata["number"] > 1) == ("At sea", True)
    node = llama_index.LlamaIndexRetriever(index, **asked).retrieve(QUERY)[0].node
    assert (node.metadata["title"], node.metadata["number"]) == ("At sea", first.metadata["number"])
    assert node.get_content(metadata_mode="llm").count("At sea") == 1


@pytest.mark.parametrize("method", ["setcover", "average"])
@pytest.mark.filterwarnings("ignore")  # of the library itself
def test_llama_index_takes_the_higher_score_for_the_better(index, method):
    pytest.importorskip("llama_index.core")
    from llama_index.core.base.base_retriever import BaseRetriever

    from lexicloud.retrievers.llama_index import LlamaIndexRetriever

    retriever = LlamaIndexRetriever(index, top=3, method=method)
    assert isinstance(retriever, BaseRetriever)
    found = retriever.retrieve(QUERY)
    assert [n.node.node_id for n in found] == [s.id for s in index.search(QUERY, top=3, method=method)]
    assert [n.score for n in found] == sorted((n.score for n in found), reverse=True)


def test_no_argument_of_a_retriever_is_dropped(index):
    pytest.importorskip("langchain_core")
    from lexicloud.retrievers.langchain import LangChainRetriever

    found = LangChainRetriever(index=index, top=9, where={"number": {"<": 2}}).invoke(QUERY)
    assert found
    assert all(d.metadata["number"] < 2 for d in found)
    with pytest.raises(ValueError, match="wehre"):
        LangChainRetriever(index=index, wehre={"number": 1})
    with pytest.raises(ValueError, match="no option tpo"):
        LangChainRetriever(index=index, options={"tpo": 3})
    asked = LangChainRetriever(index=index, top=9)
    for found in (
        asked.invoke(QUERY, where={"number": 1}),
        asyncio.run(asked.ainvoke(QUERY, where={"number": 1})),
    ):
        assert {d.metadata["number"] for d in found} == {1}
    with pytest.raises(OptionError, match="no option tpo"):
        asked.invoke(QUERY, tpo=3)


@pytest.mark.filterwarnings("ignore")  # of the library itself
def test_no_argument_of_a_llama_index_retriever_is_dropped(index):
    pytest.importorskip("llama_index.core")
    from lexicloud.retrievers.llama_index import LlamaIndexRetriever

    found = LlamaIndexRetriever(index, top=9, where={"number": {"<": 2}}).retrieve(QUERY)
    assert found
    assert all(n.node.metadata["number"] < 2 for n in found)
    with pytest.raises(ValueError, match="no option wehre"):
        LlamaIndexRetriever(index, wehre={"number": 1})


@pytest.mark.filterwarnings("ignore")  # of the libraries themselves
def test_a_retriever_opens_a_folder_and_marks_weak_answers(index, tmp_path):
    pytest.importorskip("langchain_core")
    pytest.importorskip("llama_index.core")
    from lexicloud.retrievers import langchain, llama_index

    kept = SentenceIndex.build([(i, text) for i, text in enumerate(SENTENCES)])
    kept.save(tmp_path / "i")
    expected = [s.weak for s in kept.search(QUERY, top=3)]
    found = langchain.LangChainRetriever(index=tmp_path / "i", top=3).invoke(QUERY)
    assert [d.metadata["weak"] for d in found] == expected
    nodes = llama_index.LlamaIndexRetriever(str(tmp_path / "i"), top=3).retrieve(QUERY)
    assert [n.node.metadata["weak"] for n in nodes] == expected
    with pytest.raises(ValueError, match="give a SentenceIndex, or the folder"):
        langchain.LangChainRetriever(index=None)
    with pytest.raises(OptionError, match="give a SentenceIndex, or the folder"):
        llama_index.LlamaIndexRetriever(None)


def test_a_filter_of_one_call_does_not_lift_that_of_the_retriever(index):
    pytest.importorskip("langchain_core")
    from lexicloud.retrievers.langchain import LangChainRetriever

    limited = LangChainRetriever(index=index, top=9, where={"number": {"<": 3}})
    for where in ({"number": {">": 0}}, lambda record: record["number"] > 0):
        found = limited.invoke(QUERY, where=where)
        assert {d.metadata["number"] for d in found} <= {1, 2}
    assert limited.invoke(QUERY, where={"number": 5}) == []
