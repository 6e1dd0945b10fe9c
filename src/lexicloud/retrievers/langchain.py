"""A sentence index as a LangChain retriever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, Field

from lexicloud.errors import MissingExtra
from lexicloud.search.index import check_arguments

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError:
    raise MissingExtra("the LangChain retriever", "langchain") from None

if TYPE_CHECKING:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun


class LangChainRetriever(BaseRetriever):
    """A retriever that returns sentences of an index, each with its id, score and reasons in the metadata.

    `where` filters by metadata; `options` are the other arguments of `SentenceIndex.search`: mode, method, and so on.
    `invoke(query, where=…, top=…)` takes the same for one query. What is not known is refused.

    >>> from lexicloud.search import SentenceIndex
    >>> index = SentenceIndex.build(["The king ruled France for years.", "The band played all night long."])
    >>> LangChainRetriever(index=index, top=1).invoke("the queen reigned over England")[0].page_content
    'The king ruled France for years.'
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    index: Any  # a SentenceIndex
    top: int = 5
    where: Any = None  # as in `SentenceIndex.search`
    options: dict[str, Any] = Field(default_factory=dict)

    def model_post_init(self, context: Any, /) -> None:
        """Refuse options that no search has."""
        super().model_post_init(context)
        check_arguments({"top": self.top, "where": self.where, **self.options})

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 — LangChain hands it over by name
        **options: Any,  # without these LangChain drops what `invoke` is given
    ) -> list[Document]:
        found = self.index.search(query, **{"top": self.top, "where": self.where, **self.options, **options})
        return [
            Document(
                id=str(s.id),
                page_content=s.text,
                metadata={
                    **s.fields,
                    **s.metadata,
                    "id": s.id,
                    "score": s.score,
                    "matches": [m.to_dict() for m in s.matches],
                },
            )
            for s in found
        ]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: Any, **options: Any
    ) -> list[Document]:
        from langchain_core.runnables import run_in_executor

        wait = run_manager.get_sync()
        return await run_in_executor(None, self._get_relevant_documents, query, run_manager=wait, **options)
