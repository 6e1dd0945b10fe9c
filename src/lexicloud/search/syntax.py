"""What a query may say besides words: "a phrase", +must, -not, column:value, column:>=value, field:word and prefix*.

`a OR b`, `a AND b`, `NOT a` and brackets around them are read, too; AND binds closer than OR, as in most languages.
Only a short query of one line is read so; of a pasted text all is words. The notes of the answer say what was
understood and what was not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.search.fields import rows_with_word
from lexicloud.search.filters import matching_rows
from lexicloud.search.typed import NUMBER
from lexicloud.text.records import MARK
from lexicloud.text.stems import stop_terms, terms_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.filters import Column

LONGEST: Final = 20  # words of the longest query that is read for signs
_SIGNS: Final = re.compile(
    r"[\"“”+*:~]|(?:^|\s)[!-][\w(]|\b(?:AND|OR|NOT|TO)\b|&&|\|\||\^\d|\S(?:[<>]=?|!?=)[^\s=<>]|\w\?\w"
)
_PART: Final = re.compile(
    r"(?P<sign>[+-]|!(?=[\w\"“]))?"
    r"(?:(?P<key>[^\s:\"“”<>=!]+)(?::(?=[^\s:/])|(?=(?:[<>]=?|!?=)[^\s=<>])))?"
    r"(?:[\"“](?P<phrase>[^\"“”]+)[\"”]|(?P<word>[\[{]\S+ TO \S+[\]}]|(?(key)\([^()]+\)|(?!))|\S+))"
)
_NAME: Final = re.compile(r"[\w.]*[^\W\d][\w.]*")  # what is meant for a column, whether there is one or not
_DRIVE: Final = re.compile(r"[+-]?[A-Za-z]:\\.*")  # C:\\folder
_PREFIX: Final = re.compile(r"[^\W_]{2,}\*")
# What stands for letters in other engines: wildcards within a word, /regular expressions/.
_WILD: Final = re.compile(r"\*\w.*|[\w.-]*\w[*?]\w[\w.*?-]*|/.*[.\])][*+?].*/")
_OPERATOR: Final = re.compile(r"AND|OR|NOT|&&|\|\||[\[{].* TO .*[\]}]")
_WITHIN: Final = re.compile(r"\b(?:AND|NOT|TO)\b|&&|\|")  # of a column's values: alternatives alone are read
_NEGATION: Final = re.compile(r"(?<![^\s(])NOT\s+(?=[\w\"“(])")
_OPERATORS: Final = frozenset(("AND", "OR", "&&", "||"))
_AND: Final = frozenset(("AND", "&&"))
_UNIT: Final = re.compile(
    rf"\s*(?:(?P<group>[+!-]?\()|(?P<operator>AND|OR|&&|\|\|)(?!\S)|(?P<part>{_PART.pattern}))"
)
_SUFFIX: Final = re.compile(r"(?P<word>.*?)(?:[~^]\d+(?:\.\d+)?|~)")  # of Lucene: word~, word~2, word^3
_COMPARED: Final = re.compile(r"(?P<sign>[<>]=?)\s*(?P<value>.+)")
# Of GitHub (2020..2022, 2020.., ..2022), of Lucene ([2020 TO *]).
_RANGE: Final = re.compile(r"(?=.*\d)(\S*?)\.\.(\S*)|[\[{](\S+) TO (\S+)[\]}]")
_MANY: Final = 1_000  # texts; of more their bytes are looked through before each is read
_BLOCK: Final = 2**16  # texts whose bytes are looked through together
_OTHER_CASES: Final = {
    "s": "ſ",
    "k": "\N{KELVIN SIGN}",
    "i": "İı",
}  # what a pattern takes for a letter of ASCII
_EXPANDED: Final = 10  # words that a prefix stands for in the ranking: the commonest


@dataclass(frozen=True)
class Parsed:
    """A query taken apart: the words to rank by, what texts must have and must not have, and notes for the answer."""

    plain: str
    must: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()  # column or text field, value or words
    other_values: tuple[tuple[str, str], ...] = ()  # those that texts must not have
    prefixes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    either: tuple[tuple[Parsed, ...], ...] = ()  # of each group, texts must meet one
    neither: tuple[Parsed, ...] = ()  # what texts must not meet
    everything: bool = False  # whether `*` alone asks for all texts

    def __bool__(self) -> bool:
        wanted = self.must or self.phrases or self.values or self.prefixes or self.either
        return bool(wanted or self.without or self.other_values or self.neither)


def parse(text: str, columns: Sequence[str] = (), fields: Sequence[str] = ()) -> Parsed:
    """Take a query apart. `fields` are the columns that are text fields, whose words rank too.

    >>> parse('crash "save as" +printer -test status:open', ["status"])
    Parsed(plain='crash save as printer', must=('printer',), without=('test',), phrases=('save as',), \
values=(('status', 'open'),), other_values=(), prefixes=(), notes=(), either=(), neither=(), \
everything=False)
    """
    if "\n" in text or not _SIGNS.search(text) or len(text.split()) > LONGEST:
        return Parsed(text)
    if text.strip() in _EVERYTHING:
        return Parsed("", everything=True)
    if not text.isupper() and (units := _units(_NEGATION.sub("-", text))) is not None:
        return _combined(units, columns, fields)
    found = _Reading(
        columns, fields, operators=not text.isupper()
    )  # in a query all in capitals, NOT is a word
    for part in _PART.finditer(_NEGATION.sub("-", text) if found.operators else text):
        found.take(part)
    if text.count('"') % 2:
        found.parts["notes"].append("a quotation mark has no partner: its words were searched for")
    return found.parsed()


_DEEPEST: Final = 10  # brackets of a query
_EVERYTHING: Final = frozenset(("*", "*:*"))
_OR: Final = frozenset(("OR", "||"))


def _units(text: str) -> list[str] | None:
    """Return words, values, bracketed parts and operators; None where nothing is combined, or brackets are amiss."""
    if text.count("(") > _DEEPEST:
        return None
    units, place, combined = list[str](), 0, False
    while place < len(text.rstrip()):
        found = _UNIT.match(text, place)
        if found is None:
            return None
        end = found.end()
        if found["group"]:
            depth = 1
            while depth and end < len(text):
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            if depth or text[end : end + 1].strip():
                return None
            combined |= len(found["group"]) > 1 or _units(text[found.end() : end - 1]) is not None
        combined |= bool(found["operator"])
        units.append(text[place:end].strip())
        place = end
    edges = units and (units[0] in _OPERATORS or units[-1] in _OPERATORS)
    twice = any(a in _OPERATORS and b in _OPERATORS for a, b in pairwise(units))
    return units if combined and not edges and not twice else None


def _combined(units: Sequence[str], columns: Sequence[str], fields: Sequence[str]) -> Parsed:
    """Read what operators combine: all of it must be met, but for words that no operator is beside."""
    if not _AND.isdisjoint(units) and not _OR.isdisjoint(units):  # AND binds closer
        sides = [list(side) for is_or, side in groupby(units, key=_OR.__contains__) if not is_or]
        return _joined([_either([_demanded(_combined(side, columns, fields)) for side in sides])])
    made, place = list[Parsed](), 0
    while place < len(units):
        last = place + 1
        while last < len(units) and units[last] in _OR:
            last += 2
        some = [_one(unit, columns, fields) for unit in units[place:last:2]]
        joined = {*units[place - 1 : place], *units[last : last + 1]} & _AND
        made.append(_either(some) if len(some) > 1 else _demanded(some[0]) if joined else some[0])
        place = last + (units[last : last + 1] != [] and units[last] in _AND)
    return _joined(made)


def _one(unit: str, columns: Sequence[str], fields: Sequence[str]) -> Parsed:
    """Read one word, value or bracketed part, which a sign may stand before."""
    bare = unit.lstrip("+!-")
    if not (bare.startswith("(") and bare.endswith(")")):
        return parse(unit, columns, fields)
    inner = bare[1:-1].strip()
    units = _units(inner)
    found = _combined(units, columns, fields) if units else parse(inner, columns, fields)
    if unit[0] in "!-":
        words = [_demanded(Parsed(word)) for word in found.plain.split()] if not found else [found]
        return Parsed("", neither=tuple(words), notes=found.notes)
    return _demanded(found) if unit[0] == "+" else found


def _either(some: Sequence[Parsed]) -> Parsed:
    demands = tuple(map(_demanded, some))
    notes = tuple(note for one in some for note in one.notes)
    return Parsed(" ".join(one.plain for one in some).strip(), either=(demands,), notes=notes)


def _demanded(parsed: Parsed) -> Parsed:
    """Return what must be met: words that would only rank must be there."""
    if parsed:
        return parsed
    return replace(parsed, must=tuple(word for word in parsed.plain.split() if re.search(r"\w", word)))


def _joined(some: Sequence[Parsed]) -> Parsed:
    """Return all that several demand."""
    names = [name for name in Parsed.__dataclass_fields__ if name not in {"plain", "everything"}]
    parts: dict[str, Any] = {
        name: tuple(entry for one in some for entry in getattr(one, name)) for name in names
    }
    return Parsed(" ".join(one.plain for one in some if one.plain), **parts)


class _Reading:
    """What has been read of a query so far, by the fields of `Parsed`."""

    def __init__(self, columns: Sequence[str], fields: Sequence[str], *, operators: bool) -> None:
        self.columns, self.fields, self.operators = columns, fields, operators
        self.plain: list[str] = []
        names = ("must", "without", "phrases", "values", "other_values", "prefixes", "notes")
        self.parts: dict[str, list[Any]] = {name: [] for name in names}

    def take(self, part: re.Match[str]) -> None:
        """Take the next word, phrase or value."""
        sign, key, phrase, word = part.group("sign", "key", "phrase", "word")
        said, no = phrase or word, sign in {"-", "!"}
        if key and (column := named(key, self.columns)):
            self._look_in(column, said, part[0], no=no)
        elif key:
            self._no_column(key, said, part[0], no=no)
        elif word and self.operators and _OPERATOR.fullmatch(word):
            self._note(f"{word!r} is not understood: write +word for must, -word for not, and leave OR out")
        elif word and (bare := _SUFFIX.fullmatch(word)):
            self._note(f"{word!r} is not understood: its word was searched for")
            self.plain += [bare["word"]] if bare["word"] else []
        elif no and not said.startswith("-"):
            self.parts["without"].append(said)
        elif word and _PREFIX.fullmatch(word):
            self.parts["prefixes"].append(word[:-1].lower())
        elif word and word != "*" and re.fullmatch(r"\w\*", word):
            self._note(f"{word!r} is not understood: give two letters or more before *")
            self.plain.append(word[:-1])
        else:
            self._rank(part[0], said, must=sign == "+", phrase=bool(phrase))

    def _look_in(self, column: str, said: str, written: str, *, no: bool) -> None:
        """Ask for values of a column, or for words in a text field; what is in brackets are alternatives."""
        if said.startswith("!="):
            no, said = not no, said[2:]
        said = said.removeprefix("=")
        if said.startswith("("):
            said = ",".join(re.split(r"\s+OR\s+|\s+", said.strip("() ")))
        if not said or (_WITHIN.search(said) and not _RANGE.fullmatch(said)):
            self._note(
                f"{written!r} is not understood: write {column.replace(' ', '_')}:this,that for either"
            )
            return
        self.parts["other_values" if no else "values"].append((column, said))
        if column in self.fields and not no:
            words = alternatives(said)
            self.parts["prefixes"] += [word[:-1].lower() for word in words if _PREFIX.fullmatch(word)]
            self.plain += [word for word in words if not word.endswith("*")]

    def _no_column(self, key: str, said: str, written: str, *, no: bool) -> None:
        """Say that there is no such column, if one was meant: not of an address or of a file's."""
        meant = _NAME.fullmatch(key) and not _DRIVE.fullmatch(written)
        if not meant or not (":" in written or _COMPARED.match(said) or said.startswith("!=")):
            self.plain.append(written)
            return
        close = get_close_matches(key.lower(), self.columns, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        done = f"{written} was left out" if no else "its words were searched for"
        self._note(f"there is no column {key!r} to look in{hint}: {done}")
        self.plain += [] if no else [written]

    def _rank(self, written: str, said: str, *, must: bool, phrase: bool) -> None:
        if _WILD.fullmatch(written):
            self._note(f"{written!r} is not understood: * stands for letters at the end of a word alone")
        elif said.endswith(":") and (column := named(said[:-1], self.columns)):
            self._note(f"{said!r} has a space after it: write {column.replace(' ', '_')}:value to look in it")
        self.plain.append(said if must or phrase else written)
        if phrase or must:
            self.parts["phrases" if phrase else "must"].append(said)

    def _note(self, note: str) -> None:
        if note not in self.parts["notes"]:
            self.parts["notes"].append(note)

    def parsed(self) -> Parsed:
        """Return what was read."""
        read: dict[str, Any] = {name: tuple(found) for name, found in self.parts.items()}
        return Parsed(" ".join(self.plain), **read)


def named(key: str, columns: Sequence[str]) -> str | None:
    """Return the column that a query names, in any case, with `_` for a space."""
    if key in columns:
        return key
    plain = key.lower().replace("_", " ")
    return next((column for column in columns if column.lower().replace("_", " ") == plain), None)


def alternatives(value: str) -> list[str]:
    """Return what a value asks for: `open,new` either of both; with a space, or compared, it is one.

    >>> alternatives("open,new"), alternatives("Doe, John"), alternatives(">=3,5")
    (['open', 'new'], ['Doe, John'], ['>=3,5'])
    """
    return (
        [value]
        if " " in value or _COMPARED.match(value)
        else [part for part in value.split(",") if part] or [value]
    )


def meeting(
    parsed: Parsed, database: Database, columns: Mapping[str, Column], fields: Sequence[str] = ()
) -> NDArray[np.bool_]:
    """Return which texts have all that the query demands and nothing that it excludes."""
    mask = np.ones(len(database), dtype=bool)
    for word in parsed.must:
        mask &= _having(database, word)
    for word in parsed.without:
        mask &= ~(_with_phrase(database, word, mask) if " " in word else _having(database, word))
    for phrase in parsed.phrases:
        mask &= _with_phrase(database, phrase, mask)
    for key, value in parsed.values:
        mask &= _in_column(database, columns, fields, key, value)
    for key, value in parsed.other_values:
        mask &= ~_in_column(database, columns, fields, key, value)
    for prefix in parsed.prefixes:
        mask &= _rows_of(database, _words_from(database, prefix))
    for group in parsed.either:
        mask &= _any([meeting(one, database, columns, fields) for one in group])
    for one in parsed.neither:
        mask &= ~meeting(one, database, columns, fields)
    return mask


def _in_column(
    database: Database, columns: Mapping[str, Column], fields: Sequence[str], key: str, value: str
) -> NDArray[np.bool_]:
    """Return which texts have a value in a column, or words in a text field, or an id; of alternatives, any."""
    if key not in columns and key not in fields:
        return _with_ids(database, [value, *alternatives(value)])
    if key in fields:
        return _any([_in_field(database, fields.index(key), one) for one in alternatives(value)])
    several = alternatives(value)
    if len(several) > 1 and not _value_rows(columns, key, value).any():
        return _any([_with_value(columns, key, one) for one in several])
    return _with_value(columns, key, value)


def _with_ids(database: Database, names: Sequence[str]) -> NDArray[np.bool_]:
    """Return which texts have one of some ids, which may be numbers."""
    mask = np.zeros(len(database), dtype=bool)
    numbers = [int(name) for name in names if NUMBER.fullmatch(name) and "." not in name]
    for part in database.parts:
        mask[part.first + part.segment.identifiers.rows_of([*names, *numbers])] = True
    return mask


def _any(masks: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    return np.asarray(np.logical_or.reduce(masks))


def _in_field(database: Database, place: int, value: str) -> NDArray[np.bool_]:
    """Return which records have words, or a word that begins so, in a text field; `*` is any word."""
    among = np.ones(len(database), dtype=bool)
    if _PREFIX.fullmatch(value):
        among = _rows_of(database, _words_from(database, value[:-1].lower()))
    elif value != "*":
        for word in value.split():
            among &= _having(database, word) if _looked_up(database, word) else True
    return rows_with_word(database, place, value, among)


def expanded(parsed: Parsed, database: Database) -> str:
    """Return the words to rank by; a prefix becomes the commonest words that begin with it."""
    more = []
    for prefix in parsed.prefixes:
        words = _words_from(database, prefix)
        commonest = words[np.argsort(-database.df[words], kind="stable")[:_EXPANDED]]
        more += [database.words[int(word)] for word in commonest]
    return " ".join([parsed.plain, *more]).strip()


def said_of(parsed: Parsed, fields: Sequence[str] = ()) -> Iterator[str]:
    """Yield sentences that say what was understood of a query, and what was not."""
    if demands := list(_demands(parsed, fields)):
        yield f"texts must {', '.join(demands)}"
    yield from parsed.notes


def _demands(parsed: Parsed, fields: Sequence[str]) -> Iterator[str]:
    """Yield what texts must have and must not have, in words."""

    def having(key: str, value: str) -> str:
        if key in fields and value == "*":
            return f"have words in {key}"
        if key in fields:
            return f"have “{value}” in {key}"
        if compared := _COMPARED.fullmatch(value):
            return f"have {key} {compared['sign']} {compared['value']}"
        return f"have {value} as {key}" if value != "*" else f"have a value as {key}"

    yield from (f"have “{word}”" for word in (*parsed.phrases, *parsed.must))
    yield from (f"have a word that begins with “{prefix}”" for prefix in parsed.prefixes)
    yield from (having(key, value) for key, value in parsed.values)
    yield from (f"not have “{word}”" for word in parsed.without)
    yield from (f"not {having(key, value)}" for key, value in parsed.other_values)
    for group in parsed.either:
        yield " or ".join(" and ".join(_demands(one, fields)) for one in group)
    for one in parsed.neither:
        yield f"not ({' and '.join(_demands(one, fields))})"


def _having(database: Database, word: str) -> NDArray[np.bool_]:
    """Return which texts have a word in any form; of a compound, all of its parts; a stop word is read for."""
    mask, names = np.ones(len(database), dtype=bool), _looked_up(database, word)
    if not names:
        return _with_words(database, word, mask)
    starts = database.term_starts
    for name in names:
        number = database.term_ids.get(name, -1)
        own = np.zeros(len(database), dtype=bool)
        if number >= 0:
            own[database.term_rows[starts[number] : starts[number + 1]]] = True
        mask &= own
    return mask


def _looked_up(database: Database, word: str) -> list[str]:
    """Return the terms of a word that texts are listed by: not those of stop words."""
    stop = stop_terms(database.rules.language)
    return [name for name in terms_by(database.rules)[word] if name not in stop]


def _with_phrase(database: Database, phrase: str, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of some texts have words one after the other, in any case and with any space between."""
    mask = among.copy()
    for word in phrase.split():
        if _looked_up(database, word):
            mask &= _having(database, word)
    return _with_words(database, phrase, mask)


def with_words(database: Database, said: str) -> NDArray[np.bool_]:
    """Return which of the texts that may be answered with have words one after the other, stop words or not."""
    there = database.eligible
    return _with_words(database, said, np.ones(len(database), dtype=bool) if there is None else there)


def _with_words(database: Database, said: str, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of some texts have words as they are written: one text after the other is read."""
    mask = among.copy()
    longest = max(filter(str.isascii, said.split()), key=len, default="")
    if longest and np.count_nonzero(mask) > _MANY:
        mask &= _with_bytes(database, longest.lower())
    words = rf"[^\S{MARK}]+".join(map(re.escape, said.split()))  # not from one field to the next
    pattern = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    for row in np.flatnonzero(mask).tolist():
        mask[row] = pattern.search(database.texts[row]) is not None
    return mask


def _with_bytes(database: Database, wanted: str) -> NDArray[np.bool_]:
    """Return which texts hold some letters in either case, and others that might: reading text by text takes longer."""
    mask = np.zeros(len(database), dtype=bool)
    others = "".join(other for letter, other in _OTHER_CASES.items() if letter in wanted)
    for part in database.parts:
        blob, ends = part.segment.texts.blob, np.asarray(part.segment.texts.offsets)
        for low in range(0, len(part), _BLOCK):
            own = ends[low : low + _BLOCK + 1].astype(np.int64)
            data = blob[own[0] : own[-1]].tobytes().lower()
            pieces = [wanted] if data.isascii() else [wanted, *others]
            places = [place for piece in pieces for place in _places(data, piece.encode())]
            rows = np.searchsorted(own - own[0], np.array(places, np.int64), side="right") - 1
            mask[part.first + low + rows] = True
    return mask


def _places(data: bytes, piece: bytes) -> Iterator[int]:
    """Yield where a piece begins."""
    at = data.find(piece)
    while at >= 0:
        yield at
        at = data.find(piece, at + 1)


def _with_value(columns: Mapping[str, Column], key: str, value: str) -> NDArray[np.bool_]:
    """Return which rows have a value, numbers and dates by what they are; `*` is any value.

    What is no number or date is looked for as a word (`created:Jan`), and refused if it is in none.
    """
    column = columns[key]
    if value == "*":
        return column.filled()
    kind, rows = column.typed(()).kind.name, len(column.codes)
    if condition := _condition(value, ordered=kind in {"number", "date"}):
        return matching_rows({key: condition}, columns, rows)
    if kind not in {"number", "date", "boolean"}:
        return _value_rows(columns, key, value)
    try:
        return matching_rows({key: value}, columns, rows)
    except OptionError:
        found = _value_rows(columns, key, value)
        if not found.any():
            raise
        return found


def _value_rows(columns: Mapping[str, Column], key: str, value: str) -> NDArray[np.bool_]:
    """Return which rows have some words in a column, in any case; `clos*` begins so, `*ed` ends so, `_` is a space."""
    wanted = re.compile(_worded(value.replace("_", " ")), re.IGNORECASE)
    hits = [wanted.search(str(found)) is not None for found in columns[key].decoded()]
    return np.array([*hits, False], dtype=bool)[columns[key].codes]


def _worded(value: str) -> str:
    """Return the pattern of a value among words; a blank in it may be `_`."""
    bare = value.strip("*")
    words = "[ _]".join(map(re.escape, bare.split(" "))).replace(r"\*", r"\w*")
    return ("" if value.startswith("*") else r"(?<!\w)") + words + ("" if value.endswith("*") else r"(?!\w)")


def _condition(value: str, *, ordered: bool) -> dict[str, str]:
    """Return the comparisons that a value asks for: `>=3`, and for numbers and dates `2020..2022`, `[2020 TO *]`."""
    if compared := _COMPARED.fullmatch(value):
        return {compared["sign"]: compared["value"]}
    span = _RANGE.fullmatch(value) if ordered else None
    ends = [end for end in span.groups() if end is not None] if span else []
    return {sign: end for sign, end in zip((">=", "<="), ends, strict=False) if end not in {"", "*"}}


def _words_from(database: Database, prefix: str) -> NDArray[np.int64]:
    """Return the words that begin with a prefix; in the sorted vocabulary they are neighbours."""
    ids = database.ids
    first = ids.place(prefix) if hasattr(ids, "place") else 0
    last = ids.place(prefix + "\U0010ffff") if hasattr(ids, "place") else len(database.words)
    return np.array([w for w in range(first, last) if database.words[w].startswith(prefix)], np.int64)


def _rows_of(database: Database, words: NDArray[np.int64]) -> NDArray[np.bool_]:
    mask, starts = np.zeros(len(database), dtype=bool), database.postings_ptr
    for word in words.tolist():
        mask[database.postings[starts[word] : starts[word + 1]]] = True
    return mask
