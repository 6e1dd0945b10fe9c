"""Mail: what the sender wrote, without what is quoted below it."""

from __future__ import annotations

import pytest

from lexicloud.errors import InputError
from lexicloud.text.read import read_bytes

MAIL = b"""From: =?utf-8?q?Ann_M=C3=BCller?= <ann@example.org>
Subject: The ship
Date: Thu, 1 Jan 1998 10:00:00 +0000
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

It sank, na=EFvely.

On 3 May 1998, Bob <bob@example.org> wrote:
> Did it sink?

--=20
Ann
"""


def test_a_mail_is_what_its_sender_wrote() -> None:
    (found,) = read_bytes(MAIL, "a.eml")
    assert found.text == "It sank, naïvely."
    assert found.fields == {"author": "Ann Müller", "title": "The ship", "date": 1998}
    assert found.left_out == {"quoted lines": 2, "lines of signatures": 2}
    (whole,) = read_bytes(MAIL, "a.eml", keep="quotes,signatures")
    assert "Did it sink?" in whole.text
    assert whole.text.endswith("Ann")


def test_a_mailbox_gives_one_text_a_mail() -> None:
    second = MAIL.replace(b"It sank", b">From the start it sank").replace(b"Ann_M=C3=BCller", b"Cid")
    box = b"From ann Thu Jan  1 10:00:00 1998\n" + MAIL + b"\nFrom cid Fri Jan  2 10:00:00 1998\n" + second
    found = read_bytes(box, "all.mbox", label="author")
    assert [(d.name, d.text, d.label) for d in found] == [
        ("all:1", "It sank, naïvely.", "Ann Müller"),
        ("all:2", "From the start it sank, naïvely.", "Cid"),
    ]
    with pytest.raises(InputError, match="holds no mail"):
        read_bytes(b"no mail", "a.mbox")


def test_of_alternatives_the_plain_one_is_read_and_attachments_are_counted() -> None:
    def part(kind: str, body: str, more: str = "") -> str:
        return f"--x\nContent-Type: {kind}\n{more}\n{body}\n"

    plain, marked = "text/plain\n\nPlain.", "text/html\n\n<p>Marked</p>"
    inner = f"--y\nContent-Type: {plain}\n--y\nContent-Type: {marked}\n--y--\n"
    inner = f"Content-Type: multipart/alternative; boundary=y\n\n{inner}"
    file = part("application/pdf", "JVBERi0=", "Content-Transfer-Encoding: base64\n")
    mail = f"From: a@b.c\nContent-Type: multipart/mixed; boundary=x\n\n--x\n{inner}{file}--x--\n"
    (found,) = read_bytes(mail.encode(), "a.eml")
    assert found.text == "Plain."
    assert found.left_out == {"attachments": 1}
    (page,) = read_bytes(
        b"From: a\nContent-Type: text/html; charset=nonsense\n\n<p>One <b>two</b></p>", "a.eml"
    )
    assert page.text == "One two"
