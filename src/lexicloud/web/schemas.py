"""What requests look like, and what the OpenAPI page says about answers."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from lexicloud.web.settings import Limits

DEFAULT = Limits()

Name = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=100, strip_whitespace=True)]
Query = Annotated[str, StringConstraints(min_length=1, max_length=DEFAULT.query)]
Body = Annotated[str, StringConstraints(min_length=1, max_length=DEFAULT.text)]
SourceId = Annotated[str, StringConstraints(min_length=1, max_length=120)]
Method = Literal["related", "setcover", "interleaved", "average", "wmd", "jaccard", "levenshtein", "bm25"]
Identifier = Annotated[int, Field(ge=-(2**53), le=2**53)] | Name


class Request(BaseModel):
    """Unknown fields are refused: a misspelt option must not be ignored."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=False)


class SearchOptions(Request):
    """How to search; what is left out has the library's defaults."""

    source: SourceId | None = Field(
        default=None, description="An id of /api/v1/sources; the first by default."
    )
    top: int = Field(default=5, ge=1, le=DEFAULT.top, description="How many sentences.")
    mode: Literal["related", "varied", "interleaved"] | None = Field(
        default=None, description="related ranks (the default); varied is set cover; interleaved takes turns."
    )
    method: Method | None = Field(default=None, description="Any method by its name, instead of a mode.")
    r: int | None = Field(
        default=None, ge=0, le=100, description="Set cover: nearest words of each query word."
    )
    rho: float | None = Field(
        default=None, ge=0, le=2, description="Set cover: how long sentences are marked down."
    )
    keep: float | None = Field(
        default=None, ge=0, le=1, description="Set cover: 0 is most varied, 1 most alike."
    )
    weighting: Literal["idf", "uniform"] | None = None
    min_tokens: int | None = Field(default=None, ge=0, le=1000)
    max_tokens: int | None = Field(default=None, ge=1, le=10_000)
    near_copy: int | None = Field(default=None, ge=0, le=1000)
    where: dict[str, Any] | None = Field(default=None, description='A filter, such as {"year": {"<": 1900}}.')
    context: int = Field(
        default=0, ge=0, le=5, description="Sentences before and after each, from the same text."
    )

    def chosen(self) -> dict[str, Any]:
        """Return the options of the library that were given."""
        names = (
            "top",
            "mode",
            "method",
            "r",
            "rho",
            "keep",
            "weighting",
            "min_tokens",
            "max_tokens",
            "near_copy",
            "where",
        )
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class Search(SearchOptions):
    """One query."""

    query: Query = Field(description="What to look for: a sentence, or a whole text.")


class SearchMany(SearchOptions):
    """Many queries with the same options."""

    queries: list[Query] = Field(min_length=1, max_length=DEFAULT.queries)


class Explain(Request):
    """Why one sentence answers a query."""

    query: Query
    id: Identifier = Field(description="The id of a sentence, as a search gives it.")
    source: SourceId | None = None
    method: Method = "related"


# What each way to look asks of the library.
LOOKS: Final[dict[str, dict[str, Any]]] = {
    # Set cover and averages in turns was preferred in a trial over 20 sentences.
    "mixed": {"mode": "interleaved"},
    "close": {"mode": "related"},
    # Every covered word is spent, and more of its neighbours count.
    "surprising": {"mode": "varied", "keep": 0.0, "r": 25, "weighting": "uniform"},
}
LENGTHS: Final[dict[str, dict[str, Any]]] = {  # in tokens
    "any": {"min_tokens": 5},
    "short": {"min_tokens": 5, "max_tokens": 12},
    "medium": {"min_tokens": 13, "max_tokens": 25},
    "long": {"min_tokens": 26},
}


class Suggest(Request):
    """Suggestions for a writer's sentence."""

    sentence: Query
    source: SourceId | None = None
    look: Literal["mixed", "close", "surprising"] = "mixed"
    mood: Literal["any", "bright", "dark"] = "any"
    length: Literal["any", "short", "medium", "long"] = "any"
    top: int = Field(default=6, ge=1, le=24)
    context: int = Field(default=2, ge=0, le=5)

    def chosen(self) -> dict[str, Any]:
        """Return what the way to look and the length ask of the library."""
        return {**LOOKS[self.look], **LENGTHS[self.length]}


class TextItem(Request):
    """One text."""

    name: Name
    text: Body
    author: Name | None = None
    year: int | None = Field(default=None, ge=-5000, le=9999)


class NewSource(Request):
    """Texts to search in, kept in memory until they are removed or the server stops."""

    title: Name = "Your texts"
    texts: list[TextItem] = Field(min_length=1, max_length=DEFAULT.texts)


class Compare(Request):
    """Two or more texts: sent along, or named in a source."""

    texts: list[TextItem] | None = Field(default=None, min_length=2, max_length=DEFAULT.texts)
    source: SourceId | None = None
    names: list[Name] | None = Field(default=None, min_length=2, max_length=DEFAULT.texts)
    method: Literal["smoothed", "knn", "categorical", "delta", "jensen-shannon"] = "smoothed"
    top: int = Field(default=30, ge=1, le=1000, description="How many words of each kind to list.")


class Attribute(Request):
    """Texts whose authors are known, and texts whose authors are asked for."""

    known: list[TextItem] | None = Field(default=None, min_length=2, max_length=DEFAULT.texts)
    source: SourceId | None = Field(default=None, description="Take the known texts from a source.")
    unknown: list[TextItem] = Field(min_length=1, max_length=20)
    rolling: bool = Field(default=False, description="Also go along each unknown text, window by window.")


class Verify(Request):
    """Did the writer of the known texts write the unknown one?"""

    known: list[Body] = Field(min_length=1, max_length=50)
    unknown: Body


class Item(Request):
    """One sentence for an index."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    id: Identifier | None = None
    metadata: dict[Name, str | int | float | bool | None] | None = None


class IndexAdd(Request):
    """Sentences for an index that was named at the start."""

    source: SourceId
    items: list[Item] = Field(min_length=1, max_length=DEFAULT.rows)
    overwrite: bool = False


class IndexRemove(Request):
    """Sentences, or whole documents, to take out of an index."""

    source: SourceId
    ids: list[Identifier] = Field(min_length=1, max_length=DEFAULT.rows)


class Session(Request):
    """A token, given for a cookie."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=500)]


class Explore(Request):
    """Which texts to look at."""

    source: SourceId | None = None


class Keywords(Explore):
    """The words of a group against the rest."""

    group: Name = Field(description="An author, or the name of a text.")
    against: Name | None = Field(default=None, description="Another group; the rest by default.")
    top: int = Field(default=30, ge=1, le=200)


class Contexts(Explore):
    """A word where it occurs."""

    word: Word
    group: Name | None = None
    width: int = Field(default=60, ge=10, le=300, description="Characters on each side.")
    top: int = Field(default=50, ge=1, le=500)


class Trend(Explore):
    """Words along the years, or along one text."""

    words: list[Word] = Field(min_length=1, max_length=8)
    text: Name | None = Field(default=None, description="Go along this text instead of the years.")
    bins: int = Field(default=40, ge=2, le=200)


class Zipf(Explore):
    """Ranks of one text, or of all."""

    text: Name | None = None


class WordMap(Explore):
    """The most frequent words on a plane."""

    words: int = Field(default=400, ge=10, le=2000)
    method: Literal["tsne", "pca", "mds"] = "tsne"


class Clusters(Explore):
    """Sentences grouped by what they are about."""

    k: int = Field(default=12, ge=2, le=60)


_ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "status", "message", "remedy"],
            "properties": {
                "code": {"type": "string"},
                "status": {"type": "integer"},
                "message": {"type": "string", "description": "What is wrong, in one line."},
                "remedy": {"type": "string", "description": "What to do about it."},
                "where": {"type": "string", "description": "The field that does not fit."},
            },
        }
    },
}
_MEANINGS: Final = {
    400: "The request was cut off.",
    401: "The server needs a token: Authorization: Bearer TOKEN.",
    403: "Not allowed: another site's page, or something that stays as it is.",
    404: "No such source, text, word or job.",
    409: "Not yet: the job is still running.",
    410: "The job was stopped.",
    413: "Larger than the server takes.",
    415: "Not JSON, or not a text file.",
    421: "Addressed to a name that is not this server's.",
    422: "A field that does not fit, or texts that have no answer to the question.",
    429: "Too many requests of one client.",
    501: "An optional package is missing on the server.",
    503: "Busy, or it took too long.",
}
# Every route may answer with these.
_ALWAYS: Final = (401, 403, 413, 415, 421, 422, 429, 503)


def errors(*further: int) -> dict[int | str, dict[str, Any]]:
    """Return the errors of a route for its description."""
    return {
        status: {"description": _MEANINGS[status], "content": {"application/json": {"schema": _ERROR}}}
        for status in sorted({*_ALWAYS, *further})
    }


def job_or_result(*further: int) -> dict[int | str, dict[str, Any]]:
    """Return the answers of a route that can be a job: 200 when waited for, 202 with `Prefer: respond-async`."""
    schema = {"type": "object"}
    return {
        202: {
            "description": "Begun (with Prefer: respond-async): ask at Location.",
            "content": {"application/json": {"schema": schema}},
        },
        **errors(404, 410, *further),
    }
