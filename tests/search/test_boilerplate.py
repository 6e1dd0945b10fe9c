"""Boilerplate: what goes, and above all what stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.errors import OptionError
from lexicloud.search import Boilerplate, clean
from lexicloud.text.clean import mark_mail

from .toy import build

REPLY = """Hi Ann,

the second disk is the one that fails.

On Tue, 3 May 2022 at 10:14, Ann Moor <ann@example.org> wrote:
> Which of the disks fails?
>
> > It fails every night.

--\N{SPACE}
Bob Dale
Harbour Office, Room 4
"""

OUTLOOK = """The pump runs again.

Kind regards,
Carla
Works department

From: Ann Moor
Sent: Monday, 2 May 2022 09:00
To: Carla
Subject: pump

The pump has stopped.
"""


def test_a_reply_keeps_what_was_written() -> None:
    assert Boilerplate().clean(REPLY) == "Hi Ann,\n\nthe second disk is the one that fails."


def test_outlook_quotes_without_marks() -> None:
    assert Boilerplate().clean(OUTLOOK) == "The pump runs again."


def test_kinds_can_be_left_alone() -> None:
    assert "Which of the disks" in Boilerplate(quotes=False).clean(REPLY)
    assert "Bob Dale" in Boilerplate(signatures=False).clean(REPLY)


@pytest.mark.parametrize(
    "text",
    [
        "On the last page he wrote: nothing.\nThe rest was blank.",
        "We sailed on.\nOn Monday the captain wrote:\nall is well aboard.",
        "To: the moon and back.\nThat was the plan.",
        "Thanks,\nthe fix works, and the whole team can print its reports again without any help from us.",
        "Best regards,\nAnn",
        "a -- b\nc",
        "One line only.",
    ],
)
def test_prose_is_left_alone(text: str) -> None:
    assert Boilerplate().clean(text) == text


def test_a_wrapped_attribution() -> None:
    lines = [
        "Yes.",
        "On Tue, 3 May 2022 at 10:14, Ann Moor",
        "<ann.moor@harbour.example.org> wrote:",
        "",
        "> No?",
    ]
    assert mark_mail(lines) == [None, "quoted reply", "quoted reply", None, "quoted reply"]


def test_the_headers_of_the_mail_itself_go_and_the_message_stays() -> None:
    text = "From: ann@example.org\nTo: bob@example.org\nSubject: boat\n\nThe boat leaks."
    assert Boilerplate().clean(text) == "The boat leaks."


def test_a_mobile_signature() -> None:
    assert Boilerplate().clean("It broke again.\n\nSent from my phone") == "It broke again."


ISSUES = [
    (
        "## Bug report\n<!-- Describe the bug -->\nThe map is empty.\n"
        "**Version:** 1.2\n- [x] I searched the list\n_No response_"
    ),
    "## Bug report\nNo sound after waking up.\n**Version:** 3.0\n- [ ] I searched the list\n_No response_",
    "## Bug report\nThe zoom jumps.\n**Version:** 1.2\n- [x] I searched the list\nIt is slow too.",
    "The list is sorted wrongly.\nSecond line.",
]


def test_forms_leave_what_was_filled_in() -> None:
    cleaned = clean(ISSUES)
    assert cleaned.texts == (
        "The map is empty.\n1.2",
        "No sound after waking up.\n3.0",
        "The zoom jumps.\n1.2\nIt is slow too.",
        "The list is sorted wrongly.\nSecond line.",
    )


def test_what_was_removed_is_reported() -> None:
    removed = {(r.kind, r.text): r.documents for r in clean(ISSUES).removed}
    assert removed["repeated line", "## Bug report"] == 3
    assert removed["template", "<!-- Describe the bug -->"] == 1
    assert removed["field label", "**Version:"] == 3
    assert "3 × repeated line" in str(clean(ISSUES))
    assert clean(ISSUES).to_dict()["documents"] == 4


def test_a_label_that_is_always_followed_by_the_same_words_is_a_repeated_line() -> None:
    texts = [
        f"Note: never send passwords.\nPriority: {level}\nThe {word} hums."
        for level, word in [("high", "lamp"), ("low", "door"), ("low", "lift"), ("low", "fan")]
    ]
    assert clean(texts).texts[:2] == ("high\nThe lamp hums.", "low\nThe door hums.")


def test_numbers_do_not_hide_a_repeated_line() -> None:
    texts = [
        f"Ticket #{n} was opened by mail.\nThe {word} is broken."
        for n, word in [(7, "lamp"), (12, "door"), (99, "lift")]
    ]
    assert clean(texts).texts == ("The lamp is broken.", "The door is broken.", "The lift is broken.")


def test_a_line_needs_its_share_and_three_documents() -> None:
    texts = ["Hello.\nfirst matter"] * 2 + [f"line {word}\nother {word}" for word in "abcdefgh"]
    assert clean(texts).texts == tuple(texts)
    often = ["Hello.\nmatter " + word for word in "abc"] + [
        f"line {word}\nother {word}" for word in "defghijklmnopqrs"
    ]
    assert clean(often).texts == tuple(often), "three of nineteen are less than a fifth"
    assert clean(often, share=0.1).texts[0] == "matter a"
    with pytest.raises(OptionError, match="share = 0"):
        clean(often, share=0)


def test_documents_of_one_line_are_never_boilerplate() -> None:
    assert clean(["It crashed."] * 5).texts == ("It crashed.",) * 5


@given(st.lists(st.text(alphabet="ab:>-\n <!*[]x1,", max_size=40), max_size=6))
def test_cleaning_never_invents_and_survives_being_stored(texts: list[str]) -> None:
    cleaned = clean(texts)
    again = Boilerplate.from_dict(cleaned.boilerplate.to_dict())
    assert again == cleaned.boilerplate
    for before, after in zip(texts, cleaned.texts, strict=True):
        left = iter("".join(before.split()))
        assert all(character in left for character in "".join(after.split())), (
            "only ever takes away, in order"
        )
        assert again.clean(before) == after


def test_an_index_cleans_what_is_added_later_as_it_cleaned_the_first() -> None:
    index = build(dict(enumerate(ISSUES)), boilerplate=True)
    index.add([("new", "## Bug report\nThe menu flickers.\n**Version:** 9")])
    assert index.database.texts[4] == "The menu flickers.\n9"
