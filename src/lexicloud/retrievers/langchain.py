"""A sentence index as a LangChain retriever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, Field

from lexicloud.errors import MissingExtra

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError:
    raise MissingExtra("the LangChain retriever", "langchain") from None

if TYPE_CHECKING:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun


class LexicloudRetriever(BaseRetriever):
    """Sentences of an index for a chain, each with its id, score and reasons in the metadata.

    `options` are those of `SentenceIndex.search`: method, where, and so on.

    >>> from lexicloud.search import SentenceIndex
    >>> index = SentenceIndex.build(["The king ruled France for years.", "The band played all night long."])
    >>> LexicloudRetriever(index=index, top=1).invoke("the queen reigned over England")[0].page_content
    'The king ruled France for years.'
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: Any  # a SentenceIndex
    top: int = 5
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 — LangChain hands it over by name
    ) -> list[Document]:
        found = self.index.search(query, top=self.top, **self.options)
        return [
            Document(
                id=str(s.id),
                page_content=s.text,
                metadata={
                    **s.metadata,
                    "id": s.id,
                    "score": s.score,
                    "matches": [m.to_dict() for m in s.matches],
                },
            )
            for s in found
        ]
