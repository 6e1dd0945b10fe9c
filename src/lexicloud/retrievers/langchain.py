"""A sentence index as a LangChain retriever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, Field

from lexicloud.errors import MissingExtra
from lexicloud.search.index import check_arguments, opened

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError:
    raise MissingExtra("the LangChain retriever", "langchain") from None

if TYPE_CHECKING:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun


class LangChainRetriever(BaseRetriever):
    """A retriever that returns sentences of an index, each with its id, score and reasons in the metadata.

    `index` is a SentenceIndex or its folder. `where` filters by metadata; `options` are the other arguments of
    `SentenceIndex.search`: mode, method, and so on. `invoke(query, where=…, top=…)` takes the same for one query; its
    `where` must be met besides the retriever's own. What is not known is refused. `weak` in the metadata marks an
    answer that a random query finds as well.

    >>> from lexicloud.search import SentenceIndex
    >>> index = SentenceIndex.build(["The king ruled France for years.", "The band played all night long."])
    >>> LangChainRetriever(index=index, top=1).invoke("the queen reigned over England")[0].page_content
    'The king ruled France for years.'
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    index: Any  # a SentenceIndex, opened where its folder was given
    top: int = 5
    where: Any = None  # as in `SentenceIndex.search`
    options: dict[str, Any] = Field(default_factory=dict)

    def model_post_init(self, context: Any, /) -> None:
        """Refuse options that no search has."""
        super().model_post_init(context)
        self.index = opened(self.index)
        check_arguments({"top": self.top, "where": self.where, **self.options})

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 — LangChain hands it over by name
        **options: Any,  # without these LangChain drops what `invoke` is given
    ) -> list[Document]:
        both = [where for where in (self.where, options.pop("where", None)) if where is not None]
        where = {"and": both} if len(both) > 1 else next(iter(both), None)
        found = self.index.search(query, **{"top": self.top, **self.options, **options, "where": where})
        return [
            Document(
                id=str(s.id),
                page_content=s.text,
                metadata={
                    **s.fields,
                    **s.metadata,
                    "id": s.id,
                    "score": s.score,
                    "weak": s.weak,
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
