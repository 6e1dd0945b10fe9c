"""A sentence index as a LlamaIndex retriever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lexicloud.errors import MissingExtra
from lexicloud.search.index import check_arguments, opened
from lexicloud.search.items import DISTANCES

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.schema import NodeWithScore, TextNode
except ImportError:
    raise MissingExtra("the LlamaIndex retriever", "llama-index") from None

if TYPE_CHECKING:
    from pathlib import Path

    from llama_index.core.schema import QueryBundle

    from lexicloud.search import SentenceIndex, Suggestion


class LlamaIndexRetriever(BaseRetriever):
    """A retriever that returns sentences of an index; `where` and `options` are those of `SentenceIndex.search`.

    `index` may be the folder of one. `weak` in the metadata marks an answer that a random query finds as well. Unknown
    options are refused when the retriever is made.

    >>> from lexicloud.search import SentenceIndex
    >>> index = SentenceIndex.build(["The king ruled France for years.", "The band played all night long."])
    >>> LlamaIndexRetriever(index, top=1).retrieve("the queen reigned over England")[0].text
    'The king ruled France for years.'
    """

    def __init__(
        self, index: SentenceIndex | str | Path, top: int = 5, where: Any = None, **options: Any
    ) -> None:
        check_arguments({"top": top, "where": where, **options})
        # A manager of our own: asking for the global one makes LlamaIndex fetch a tokenizer from the network.
        super().__init__(callback_manager=CallbackManager([]))
        self._index, self._options = opened(index), {"top": top, "where": where, **options}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._index.search(query_bundle.query_str, **self._options)
        # For LlamaIndex a higher score is better.
        return [
            NodeWithScore(node=_node(s), score=-s.score if s.method in DISTANCES else s.score) for s in found
        ]


def _node(suggestion: Suggestion) -> TextNode:
    reasons = ", ".join(f"{m.near} → {m.word}" for m in suggestion.matches)
    # A language model reads only the sentence: the reasons are for people, and the fields are in the text.
    return TextNode(
        id_=str(suggestion.id),
        text=suggestion.text,
        metadata={**suggestion.fields, **suggestion.metadata, "weak": suggestion.weak, "reasons": reasons},
        excluded_embed_metadata_keys=["reasons", "weak", *suggestion.fields],
        excluded_llm_metadata_keys=["reasons", "weak", *suggestion.fields],
    )
