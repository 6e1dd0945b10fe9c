"""Readers, cleaners, splitters and tokenizers take time in proportion to the text, however unkind it is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

from lexicloud.errors import LexicloudError
from lexicloud.search.duplicates import without_templates
from lexicloud.search.filters import parse_conditions
from lexicloud.text import TokenRules, tag, tokenize
from lexicloud.text.clean import Boilerplate, cut_gutenberg, mark_mail, without_comments
from lexicloud.text.document import decode
from lexicloud.text.markup import html_to_text, markdown_to_text
from lexicloud.text.read import read_bytes
from lexicloud.text.sentences import split_sentences
from lexicloud.text.stems import Terms
from lexicloud.text.tables import read_csv, read_jsonl

pytestmark = pytest.mark.slow  # real processes or large inputs: a minute and more together


def mail(text: str) -> Any:
    return mark_mail(text.split("\n"))


def separate(text: str) -> Any:
    return Boilerplate().separate(text)


def learn(text: str) -> Any:
    return Boilerplate.fit([text] * 3)


def table(text: str) -> Any:
    return read_csv("a,b\n" + text, "a table")


def columns(text: str) -> Any:
    return read_csv(",".join(f"c{i}" for i in range(len(text))), "a table")


def objects(text: str) -> Any:
    return read_jsonl(text, "a table")


def latin(text: str) -> Any:
    return decode(text.encode("latin-1"), "a file")


def deep(text: str) -> Any:
    """A page nested deeper than any parser's tree goes."""
    return html_to_text("<div>" * 300 + text)


def attributes(text: str) -> Any:
    """A page whose one tag is made of attributes, each of another name."""
    return html_to_text("<p " + " ".join(f"{text[0]}{i}={text[1:2]}" for i in range(len(text))) + ">x")


def xml(text: str) -> Any:
    return read_bytes(f"<a>{text}</a>".encode(), "a.xml")


def xml_attributes(text: str) -> Any:
    named = " ".join(f"{text[0]}{i}='1'" for i in range(len(text)))
    return read_bytes(f"<a {named}>x</a>".encode(), "a.xml")


def tei(text: str) -> Any:
    return read_bytes(f"<TEI><text><body><p>{text}".encode() + b"</p></body></text></TEI>", "a.xml")


def rtf(text: str) -> Any:
    return read_bytes(b"{\\rtf1 " + text.encode() + b"}", "a.rtf")


def eml(text: str) -> Any:
    return read_bytes(b"From: a\n" + text.encode(), "a.eml")


def mbox(text: str) -> Any:
    return read_bytes(text.encode(), "a.mbox")


def terms(text: str) -> Any:
    return Terms(TokenRules())[text]


def condition(text: str) -> Any:
    return parse_conditions([text])


def templates(text: str) -> Any:
    return without_templates([text, f"{text} x", text])


UNKIND: dict[Callable[[str], Any], tuple[str, ...]] = {
    cut_gutenberg: (
        "\n",
        " \n",
        "*** START OF THE PROJECT GUTENBERG EBOOK ",
        "***",
        "*END THE SMALL PRINT! ",
        "\n*** ",
    ),
    mail: (
        "on 3 may wrote ",
        "On 3 May\n",
        "\n",
        "On long ago, a wrote:\n\n",
        "From: a\nTo: b\n\n",
        "--",
        " ",
        "best ",
    ),
    separate: ("<!--", "<!-- a ", "- [ ] \n", "***\n", "a: b\n", " ", "\n\n\n"),
    without_comments: ("<!--", "-->"),
    learn: ("label ", "a: b\n", "# "),
    html_to_text: (
        "<",
        "<a ",
        '<a b="',
        "<div>",
        "<script>",
        "<!--",
        "&amp",
        "<b><p>",
        "<table><tr><td>",
        "<?xml ",
    ),
    attributes: ("a", "a>", 'a">"', "a<", "a'"),
    xml: ("<b>", "<b/>", "&amp;", "<!--a-->", "a<b/>", "<![CDATA["),
    xml_attributes: ("a",),
    tei: ("<lb/>", "<note>a</note>", "<choice><sic>a</sic></choice>", "<p/>", "<w>a </w>"),
    rtf: ("{", "{\\b a}", "\\u8212?", "\\'e9", "\\f1 \\f0 ", "\\*", "\\"),
    eml: (
        "Subject: a\n",
        "\n> a",
        "\n--x\n",
        "=?utf-8?q?a?= ",
        "Content-Type: multipart/mixed; boundary=a\n\n--a\n",
    ),
    mbox: ("From a 1998\n\n", "\n\nFrom ", "From a 1998\nFrom: b\n\nc\n\n"),
    deep: ("<", "<a ", '<a b="', "<script>", "<nav>", "<!--", "&#", "</p>"),
    markdown_to_text: ("*", "[", "[a](", "`", "```\n", "> ", "- ", "|a|\n", "[^a]: ", "<!--"),
    terms: ("aB", "\xe9", "a.", "a_", "a-", "1e9"),
    condition: (" ", "a ", "="),
    templates: ("a", "a\n", "1 "),
    tag: (";", "n't "),
    split_sentences: (".", "A. ", "\n", " ", '"', "(", "!? ", "Mr. "),
    tokenize: ("a", "a-", "a.", "1,", "http://", "a@", "'", "a\u0301"),
    table: ('"x', "a,b\n"),
    columns: ("x",),
    objects: ("[", "{}\n"),
    latin: ("\xe9 a",),
}
CASES = [(read, unit) for read, units in UNKIND.items() for unit in units]


def seconds(read: Callable[[str], Any], text: str) -> float:
    """Return the shortest of three times of this process, which others on the machine do not lengthen."""
    times = []
    for _ in range(3):
        begin = process_time()
        with contextlib.suppress(LexicloudError):
            read(text)
        times.append(process_time() - begin)
    return min(times)


def test_there_are_forty_unkind_texts() -> None:
    assert len(CASES) >= 40


@pytest.mark.parametrize(("read", "unit"), CASES, ids=lambda value: getattr(value, "__name__", repr(value)))
def test_time_grows_as_the_text_does(read: Callable[[str], Any], unit: str) -> None:
    read_short = seconds(read, unit * (4_000 // len(unit)))
    read_long = seconds(read, unit * (32_000 // len(unit)))
    # Eight times the text: linear is 8, quadratic 64. What takes a thousandth of a second is noise.
    assert read_long < 30 * max(read_short, 0.001)


def test_thirty_thousand_blank_lines_before_a_book_are_no_trouble() -> None:
    book = "\n" * 30_000 + "*** START OF THE PROJECT GUTENBERG EBOOK EMMA ***\nEmma Woodhouse.\n"
    assert cut_gutenberg(book)[0] == "Emma Woodhouse."


def quoted_values(number: int) -> float:
    page = "<p " + " ".join(f'a{i}="{i}"' for i in range(number)) + ">x"
    return seconds(html_to_text, page)


def test_a_tag_of_many_quoted_values_is_looked_through_once() -> None:
    # What finds the tag's end is so quick that only a large tag shows whether it is asked once or for each value.
    assert quoted_values(320_000) < 30 * quoted_values(40_000)
