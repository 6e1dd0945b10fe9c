"""The base of all operations: fields with bounds say what is asked, and `run` returns a result.

The server's routes and an assistant's tools are made from these classes. An unknown field is refused, because a
misspelt option must not be ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from lexicloud.errors import OptionError
from lexicloud.result import Result
from lexicloud.say.blocks import listed, many
from lexicloud.text.language import written_name

if TYPE_CHECKING:
    from lexicloud.authorship import AttributionModel
    from lexicloud.corpus import Corpus
    from lexicloud.search import SentenceIndex
    from lexicloud.text import TokenRules
    from lexicloud.vectors import WordVectors

# Bounds of what anybody may send at once.
QUERY: Final = 10_000  # characters of a query
TEXT: Final = 4_000_000  # characters of one text: a long novel has three million
TEXTS: Final = 400
ROWS: Final = 20_000  # of one table, or sentences added to an index at once
QUERIES: Final = 200
TOP: Final = 50
_UNKNOWN: Final = 3  # fields that nobody knows, and that are named one by one

Name = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=100, strip_whitespace=True)]
QueryText = Annotated[str, StringConstraints(min_length=1, max_length=QUERY)]
Body = Annotated[str, StringConstraints(min_length=1, max_length=TEXT)]
SourceId = Annotated[str, StringConstraints(min_length=1, max_length=120)]
Identifier = Annotated[int, Field(ge=-(2**53), le=2**53)] | Name


class Asked(BaseModel):
    """The base of everything that can be sent."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=False)

    @model_validator(mode="before")
    @classmethod
    def _few_unknown(cls, given: Any) -> Any:
        """Refuse many unknown fields at once: an error for each of a million takes a minute and gigabytes."""
        if isinstance(given, dict) and len(given) > len(cls.model_fields) + _UNKNOWN:
            unknown = [name for name in given if name not in cls.model_fields]
            raise ValueError(
                f"there is no field {str(unknown[0])[:80]!r}, nor {len(unknown) - 1:,} others: leave them out"
            )
        return given


class Operation(Asked):
    """One thing to ask: its fields are the question, its docstring is for people and assistants, `run` answers."""

    path: ClassVar[str]  # the address under /api/v1, and the name of an assistant's tool
    heading: ClassVar[str]  # its heading in the description of the API
    doing: ClassVar[str] = "working"  # what a page says while it runs
    quick: ClassVar[bool] = False  # whether it is answered at once, and is not a job
    writes: ClassVar[bool] = False
    verb: ClassVar[Literal["GET", "POST"]] = "POST"

    def run(self, shelf: Shelf) -> Result:
        """Answer, with texts from the shelf."""
        raise NotImplementedError

    @property
    def is_quick(self) -> bool:
        """Whether it is answered at once, given its fields."""
        return self.quick

    def check(self, shelf: Shelf) -> None:
        """Refuse what cannot be answered, before a job is started."""


@dataclass(frozen=True)
class NamedText:
    """One text with its name, its author and its year."""

    name: str
    text: str
    author: str | None = None
    year: int | None = None

    @property
    def metadata(self) -> dict[str, Any]:
        """What an index keeps beside each of its sentences."""
        about = {"title": self.name, "author": self.author, "year": self.year}
        return {key: value for key, value in about.items() if value is not None}


class Collection(Protocol):
    """Texts that can be searched and explored."""

    @property
    def id(self) -> str:
        """The id by which requests name it."""
        ...

    @property
    def title(self) -> str:
        """Its name for people."""
        ...

    @property
    def kind(self) -> str:
        """Where it comes from: "index", "folder", "texts", "demo"."""
        ...

    @property
    def writing(self) -> Any:
        """The lock that a writer holds."""
        ...

    @property
    def index(self) -> SentenceIndex:
        """The sentences."""
        ...

    @property
    def corpus(self) -> Corpus:
        """The texts, counted."""
        ...

    @property
    def years(self) -> dict[str, int]:
        """The year of each text that has one."""
        ...

    def whole_texts(self) -> Sequence[NamedText]:
        """Return the texts in full."""
        ...

    def hands(self, without: frozenset[str] = frozenset()) -> AttributionModel:
        """Return a model of the authors, learnt without some of the texts."""
        ...

    def changed(self) -> None:
        """Forget what was computed before the index was written to."""
        ...


class Shelf(Protocol):
    """The collections of texts that operations can use: those of a server, or the one of a command."""

    @property
    def vectors(self) -> WordVectors:
        """The word vectors of all collections."""
        ...

    @property
    def refined(self) -> WordVectors:
        """The same vectors refined, made once."""
        ...

    def get(self, source: str | None = None) -> Collection:
        """Return a collection by its id; without one, the first."""
        ...


class TextItem(Asked):
    """One text that is sent along."""

    name: Name
    text: Body
    author: Name | None = None
    year: int | None = Field(default=None, ge=-5000, le=9999)


def named_apart(items: Iterable[TextItem]) -> list[NamedText]:
    """Return texts whose names differ: a second "letter" becomes "letter (2)"."""
    taken: dict[str, int] = {}
    found = []
    for item in items:
        taken[item.name] = taken.get(item.name, 0) + 1
        name = item.name if taken[item.name] == 1 else f"{item.name} ({taken[item.name]})"
        found.append(NamedText(name, item.text, item.author, item.year))
    return found


# A text with fewer words cannot be compared with another.
LEAST_WORDS: Final = 10
_SAMPLE: Final = 4_000  # characters from which the language of a text is detected


def refuse_senseless(texts: Sequence[NamedText]) -> None:
    """Refuse texts that no comparison makes sense of: a few words, several languages, copies of one text."""
    refuse_short(texts)
    seen: dict[str, str] = {}
    for text in texts:
        same = seen.setdefault(squeezed(text.text), text.name)
        if same != text.name:
            raise OptionError(
                f"{same} and {text.name} are the same text, word for word: choose two different texts"
            )
    refuse_languages(texts)


def refuse_short(texts: Sequence[NamedText]) -> None:
    """Refuse texts of a few words."""
    from lexicloud.text.tokens import about_words

    for text in texts:
        words = about_words(text.text)
        if words < LEAST_WORDS:
            raise OptionError(
                f"{text.name} has {many(words, 'word')}: that says nothing about a text; "
                f"bring at least {LEAST_WORDS} words, better 500"
            )


def refuse_languages(texts: Sequence[NamedText]) -> None:
    """Refuse texts in several languages, whose words cannot be compared."""
    from lexicloud.text.read import language_of

    spoken: dict[str, str] = {}
    for text in texts:
        language = language_of(text.text[:_SAMPLE])
        if language is not None:
            spoken.setdefault(language, text.name)
    if len(spoken) > 1:
        told = listed([f"{name} is in {written_name(language)}" for language, name in spoken.items()])
        raise OptionError(f"{told}: compare texts of one language")


def squeezed(text: str) -> str:
    """Return a text without what copying changes: blanks, line ends, case.

    >>> squeezed("The  ship sailed. ")
    'theshipsailed.'
    """
    return "".join(text.split()).casefold()


def corpus_of(texts: Sequence[NamedText], vectors: WordVectors | None = None) -> Corpus:
    """Return texts as a corpus, counted by the rules of their language."""
    from lexicloud.corpus import Corpus

    named = {text.name: text.text for text in texts}
    rules, fitting, notes = settled(named.values(), vectors)
    labels = [text.author for text in texts]
    return Corpus.from_texts(named, labels=labels, vectors=fitting, rules=rules, workers=1).noting(*notes)


def settled(
    texts: Iterable[str], vectors: WordVectors | None
) -> tuple[TokenRules, WordVectors | None, tuple[str, ...]]:
    """Return rules for the language of texts, the vectors if they fit it, and what a reader should know.

    The built-in vectors are of English words: for another language None is returned, so that its own vectors are used.
    """
    from lexicloud.text import TokenRules
    from lexicloud.text.detection import settle
    from lexicloud.vectors.load import BUILTIN_NAME

    rules, notes = settle(TokenRules(language="detect"), list(texts))
    english = vectors is not None and vectors.name == BUILTIN_NAME
    return rules, None if english and rules.language != "english" else vectors, notes
