"""Names that look unused to vulture and are not, each with its reason; what nothing uses is deleted, not listed."""
# ruff: noqa: B018, F821

# Public fields and properties of results, for callers.
K_interval
n_empty

# The old name of a package: a module's __getattr__ and __class__ are Python's own hooks.
__getattr__
__class__

# Attributes that other libraries read: collections, reprlib, scikit-learn's tags, rich, warnings, tokenizers.
default_factory
maxdict
maxlist
maxset
maxtuple
maxother
maxstring
two_d_array
no_wrap
overflow
show_header
showwarning
normalizer
pre_tokenizer

# What Typer calls or reads by name.
expose_value
callback
__annotations__
on_broken_pipe
attribute

# Routes of the web app, which FastAPI finds by their decorator, and settings that pydantic reads.
trends
word_map
health
job_state
job_result
stop_job
create
give_answer
add_source
remove_source
model_config
model_validate
model_dump_one_level

# Retrievers: other libraries call their methods.
LexicloudRetriever
_get_relevant_documents
_aget_relevant_documents
_retrieve
run_manager

# Fields of results that readers of their dictionary use.
tokens_inside
tokens_outside
duplicates
list_

# A public method, for callers.
upsert

# What html.parser and uvicorn call or read by name.
handle_starttag
handle_endtag
handle_data
attrs
should_exit

# Fixtures that another fixture asks for by name.
in_process
over_http

# What expat, starlette, MCP and pytest read by name.
buffer_text
ordered_attributes
StartElementHandler
EndElementHandler
CharacterDataHandler
SkippedEntityHandler
ExternalEntityRefHandler
EntityDeclHandler
EndDoctypeDeclHandler
source_texts
__signature__
string
_nothing_remembered

# What Typer reads of a command's parameters and asks of a group, and what Python calls.
list_commands
metavar
display_type_rich
unraisablehook

# What mkdocstrings finds in docs/fenced_examples.py.
FencedExamples
on_object
