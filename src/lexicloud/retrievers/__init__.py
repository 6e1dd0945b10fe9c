"""A sentence index as a retriever for other libraries, each behind an extra: LangChain and LlamaIndex."""
