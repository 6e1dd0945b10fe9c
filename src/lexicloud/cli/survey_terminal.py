"""The questionnaire in a terminal: keyboard only, readable from 40 columns on.

A view is a plain object: it returns lines for a width, a footer, and what follows a key (the next view, or LEAVE).
`_Screen` shows views. Enter on a question shows the next one only after the answer is on disk.
"""

from __future__ import annotations

import textwrap
import time
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, Protocol

from lexicloud.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lexicloud.survey import Questionnaire, Session

    Line = tuple[str, str]  # style, text

TWO_COLUMNS: Final = 72  # from this width on two lists are side by side
LEAVE: Final = "leave"
PLAIN, STRONG, SOFT, CHOSEN = "", "bold", "italic", "bold reverse"
WIDEST: Final = 100  # columns: longer lines are hard to read


class QuestionView(Protocol):
    """One view of the questionnaire on the screen."""

    def lines(self, width: int) -> list[Line]:
        """Return the lines to show."""

    def footer(self) -> str:
        """Return the line that says what the keys do."""

    def press(self, key: str) -> QuestionView | str | None:
        """Return what comes after a key: another view, LEAVE, or None to stay."""


@dataclass
class Consent:
    """The text that a participant agrees to, or not."""

    guide: Guide

    def lines(self, width: int) -> list[Line]:
        """Return title and consent."""
        told = self.guide.welcome
        asked = f"There are {told['questions']} questions. Answer as many as you like."
        body = [*paragraphs(told["consent"], width), (PLAIN, ""), *paragraphs(asked, width)]
        return [*_title(told["title"], width), *body, (PLAIN, ""), (STRONG, "Do you agree to take part?")]

    def footer(self) -> str:
        """Return the keys."""
        return "y agree   n leave, nothing is stored"

    def press(self, key: str) -> QuestionView | str | None:
        """Go on with y."""
        if key in {"n", "q"}:
            return LEAVE
        return self.guide.after_background(0) if key == "y" else None


@dataclass
class AboutYou:
    """One question about the participant."""

    guide: Guide
    place: int
    typed: str = ""
    cursor: int = 0

    @property
    def asked(self) -> dict[str, Any]:
        """The question."""
        asked: dict[str, Any] = self.guide.welcome["background"][self.place]
        return asked

    def lines(self, width: int) -> list[Line]:
        """Return the question with its options, or what was typed."""
        number = f"About you, {self.place + 1} of {len(self.guide.welcome['background'])}"
        head = [(SOFT, number), (PLAIN, ""), *paragraphs(self.asked["text"], width, STRONG), (PLAIN, "")]
        if self.asked["kind"] == "text":
            return [*head, *paragraphs(f"> {self.typed}_", width)]
        for i, option in enumerate(self.asked["options"]):
            head += marked(f"{i + 1}", option, width, chosen=False, here=i == self.cursor)
        return head

    def footer(self) -> str:
        """Return the keys."""
        skip = "" if self.asked["required"] else "   Tab skip"
        if self.asked["kind"] == "text":
            return f"type, then Enter{skip}   Ctrl-C leave"
        return f"1-{len(self.asked['options'])} or arrows and Enter{skip}   q leave"

    def press(self, key: str) -> QuestionView | str | None:
        """Take an option or a text, and go on."""
        if key == "tab" and not self.asked["required"]:
            return self.guide.after_background(self.place + 1)
        if self.asked["kind"] == "text":
            return self._type(key)
        options = self.asked["options"]
        if key == "q":
            return LEAVE
        self.cursor = moved(self.cursor, key, len(options))
        if key == "enter":
            return self._take(options[self.cursor])
        return self._take(options[int(key) - 1]) if key.isdigit() and 0 < int(key) <= len(options) else None

    def _type(self, key: str) -> QuestionView | None:
        if key == "enter" and (self.typed.strip() or not self.asked["required"]):
            return self._take(self.typed.strip())
        self.typed = typed(self.typed, key)
        return None

    def _take(self, value: str) -> QuestionView:
        self.guide.background[self.asked["id"]] = value
        return self.guide.after_background(self.place + 1)


@dataclass
class Code:
    """The code with which a participant can continue."""

    guide: Guide

    def lines(self, width: int) -> list[Line]:
        """Return the code and what it is for."""
        session = self.guide.session
        assert session is not None
        why = (
            "You can stop after any answer. Note this code: it lets you continue where you stopped. "
            "Nobody can tell you the code again."
        )
        removal = f"To have your answers removed, name the participant {session.id}."
        head = [(STRONG, "Your code"), (PLAIN, ""), (STRONG, f"    {session.token}"), (PLAIN, "")]
        return [*head, *paragraphs(why, width), (PLAIN, ""), *paragraphs(removal, width)]

    def footer(self) -> str:
        """Return the keys."""
        return "Enter go on   q stop here"

    def press(self, key: str) -> QuestionView | str | None:
        """Show the first question."""
        return LEAVE if key == "q" else self.guide.next_question() if key == "enter" else None


@dataclass
class AskScreen:
    """One question: some of several sentences, or one of two lists."""

    guide: Guide
    question: dict[str, Any]
    chosen: set[str] = field(default_factory=set)
    cursor: int = 0
    since: float = field(default_factory=time.monotonic)
    hint: str = ""

    @property
    def keys(self) -> list[str]:
        """The key of each option."""
        return [option["key"] for option in self.question["options"]]

    def lines(self, width: int) -> list[Line]:
        """Return the query, the task and the options."""
        asked = self.question
        place = f"Question {asked['number']} of {asked['total']}"
        head: list[Line] = [
            (SOFT, place),
            (PLAIN, ""),
            *paragraphs(asked["query"], width, STRONG),
            (PLAIN, ""),
        ]
        head += [*paragraphs(asked["prompt"], width), (PLAIN, "")]
        if asked["task"] == "head-to-head" and width >= TWO_COLUMNS:
            return head + self._side_by_side(width)
        for i, option in enumerate(asked["options"]):
            chosen = option["key"] in self.chosen
            if asked["task"] == "head-to-head":
                head += listed(option["key"], option["sentences"], width, chosen=chosen)
            else:
                head += marked(
                    option["key"], option["sentences"][0], width, chosen=chosen, here=i == self.cursor
                )
        return head

    def _side_by_side(self, width: int) -> list[Line]:
        half = (width - 3) // 2
        columns = [
            listed(o["key"], o["sentences"], half, chosen=o["key"] in self.chosen)
            for o in self.question["options"]
        ]
        rows = zip_longest(*([text for _, text in column] for column in columns), fillvalue="")
        return [(PLAIN, f"{left:<{half}} │ {right}".rstrip()) for left, right in rows]

    def footer(self) -> str:
        """Return the keys, and what is missing."""
        needed = self.question["choose"]
        if self.hint:
            return self.hint
        if self.question["task"] == "head-to-head":
            return "a or b choose   Enter confirm   q stop (answers are kept)"
        return f"1-{len(self.keys)} choose ({len(self.chosen)} of {needed})   Enter confirm   q stop (answers are kept)"

    def press(self, key: str) -> QuestionView | str | None:
        """Choose, confirm, or stop."""
        self.hint = ""
        if key == "q":
            return LEAVE
        if key == "enter":
            return self._confirm()
        heads = self.question["task"] == "head-to-head"
        if heads:
            self._toggle({"left": "A", "right": "B"}.get(key, key.upper()))
        else:
            self.cursor = moved(self.cursor, key, len(self.keys))
            self._toggle(self.keys[self.cursor] if key == " " else key)
        return None

    def _toggle(self, key: str) -> None:
        if key not in self.keys:
            return
        if self.question["choose"] == 1:
            self.chosen = {key}
        elif key in self.chosen:
            self.chosen.remove(key)
        elif len(self.chosen) == self.question["choose"]:
            self.hint = f"{self.question['choose']} are chosen already: press one of their keys to let it go"
        else:
            self.chosen.add(key)

    def _confirm(self) -> QuestionView | None:
        if len(self.chosen) != self.question["choose"]:
            self.hint = (
                f"{len(self.chosen)} of {self.question['choose']} are chosen: choose, then press Enter"
            )
            return None
        session = self.guide.session
        assert session is not None
        session.answer(self.question["id"], sorted(self.chosen), time.monotonic() - self.since)
        return self.guide.next_question()


@dataclass
class Remark:
    """The last view, with room for a remark."""

    guide: Guide
    typed: str = ""

    def lines(self, width: int) -> list[Line]:
        """Return thanks and what was typed."""
        asked = "That was the last question. Thank you. Is there anything you want to say about it?"
        return [*paragraphs(asked, width, STRONG), (PLAIN, ""), *paragraphs(f"> {self.typed}_", width)]

    def footer(self) -> str:
        """Return the keys."""
        return "type, then Enter; Enter alone says nothing"

    def press(self, key: str) -> QuestionView | str | None:
        """Keep the remark and leave."""
        if key == "enter":
            if self.typed.strip() and self.guide.session:
                self.guide.session.comment(self.typed.strip())
            return LEAVE
        self.typed = typed(self.typed, key)
        return None


@dataclass
class Guide:
    """Leads through a questionnaire: knows who takes part, and what comes next."""

    questionnaire: Questionnaire
    session: Session | None = None
    background: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.welcome = self.questionnaire.welcome()

    def first(self) -> QuestionView:
        """Return the first view: the consent, or the next question of somebody who continues."""
        return Consent(self) if self.session is None else self.next_question()

    def after_background(self, place: int) -> QuestionView:
        """Return the question about the participant at `place`; after the last, start and show the code."""
        if place < len(self.welcome["background"]):
            return AboutYou(self, place)
        told = {name: value for name, value in self.background.items() if value}
        self.session = self.questionnaire.start(consent=True, background=told)
        return Code(self)

    def next_question(self) -> QuestionView:
        """Return the next question, or the end."""
        assert self.session is not None
        question = self.session.question()
        return Remark(self) if question is None else AskScreen(self, question)


def paragraphs(text: str, width: int, style: str = PLAIN) -> list[Line]:
    """Wrap a text."""
    return [(style, line) for line in textwrap.wrap(text, width) or [""]]


def marked(key: str, text: str, width: int, *, chosen: bool, here: bool = False) -> list[Line]:
    """Return the lines of an option: a mark, its key, and its text indented beside them.

    >>> [line for _, line in marked("2", "It was their way.", 20, chosen=True)]
    ['  [x] 2  It was', '         their way.', '']
    """
    sign = f"{'>' if here else ' '} [{'x' if chosen else ' '}] {key}  "
    wrapped = textwrap.wrap(text, max(20, width), initial_indent=sign, subsequent_indent=" " * len(sign))
    return [*((CHOSEN if chosen else PLAIN, line) for line in wrapped), (PLAIN, "")]


def listed(key: str, texts: Sequence[str], width: int, *, chosen: bool) -> list[Line]:
    """Return the lines of a list of sentences below its mark.

    >>> [line for _, line in listed("A", ["It was their way.", "No."], 16, chosen=False)]
    ['[ ] A', '- It was their', '  way.', '- No.', '']
    """
    lines = [f"[{'x' if chosen else ' '}] {key}"]
    for text in texts:
        lines += textwrap.wrap(text, max(12, width), initial_indent="- ", subsequent_indent="  ")
    return [*((CHOSEN if chosen else PLAIN, line) for line in lines), (PLAIN, "")]


def moved(cursor: int, key: str, options: int) -> int:
    """Move a cursor by the arrow keys."""
    return (cursor + {"up": -1, "down": 1}.get(key, 0)) % options


def typed(text: str, key: str) -> str:
    """Return a text after a key."""
    if key == "backspace":
        return text[:-1]
    return text + key if len(key) == 1 and key.isprintable() else text


def _title(text: str, width: int) -> list[Line]:
    return [*paragraphs(text, width, STRONG), (PLAIN, "")]


def require_terminal() -> None:
    """Refuse, with the command to install it, if the package for the terminal is missing."""
    try:
        import prompt_toolkit  # noqa: F401
    except ImportError:
        raise MissingExtra("the questionnaire in a terminal", "survey") from None


def run_in_terminal(questionnaire: Questionnaire, session: Session | None = None) -> Session | None:
    """Run the questionnaire in this terminal and return the session; None if nobody took part."""
    guide = Guide(questionnaire, session)
    _Screen(guide.first()).run()
    return guide.session


class _Screen:
    """The terminal: shows a view, scrolls it if it is too long, and passes keys to it."""

    def __init__(self, view: QuestionView) -> None:
        self.view = view
        self.top = 0

    def run(self) -> None:
        from prompt_toolkit.application import Application
        from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window
        from prompt_toolkit.output import create_output

        body = Window(
            FormattedTextControl(self._body, focusable=True, show_cursor=False), always_hide_cursor=True
        )
        foot = Window(FormattedTextControl(self._foot), height=1, style="reverse")
        self.app: Any = Application(
            Layout(HSplit([body, foot])),
            key_bindings=self._bindings(),
            full_screen=True,
            # With --json stdout is for the answer, and the questions are drawn on the terminal itself.
            output=create_output(always_prefer_tty=True),
        )
        self.app.run()

    def _size(self) -> tuple[int, int]:
        size = self.app.output.get_size()
        return max(20, min(WIDEST, size.columns - 2)), max(3, size.rows - 1)

    def _body(self) -> Any:
        width, height = self._size()
        lines = self.view.lines(width)
        self.top = max(0, min(self.top, len(lines) - height))
        return [(style, f" {text}\n") for style, text in lines[self.top : self.top + height]]

    def _foot(self) -> str:
        width, height = self._size()
        below = len(self.view.lines(width)) - height - self.top
        return f" {'PgDn more below   ' if below > 0 else ''}{self.view.footer()}"

    def _bindings(self) -> Any:
        from prompt_toolkit.key_binding import KeyBindings
        from prompt_toolkit.keys import Keys

        keys = KeyBindings()
        for name in ("enter", "up", "down", "left", "right", "tab", "backspace"):
            keys.add(name)(self._pressing(name))
        keys.add(Keys.Any)(self._pressing(None))
        keys.add("pagedown")(lambda _: self._scroll(5))
        keys.add("pageup")(lambda _: self._scroll(-5))
        keys.add("c-c")(lambda event: event.app.exit())
        keys.add("c-d")(lambda event: event.app.exit())
        return keys

    def _scroll(self, lines: int) -> None:
        self.top = max(0, self.top + lines)

    def _pressing(self, name: str | None) -> Callable[[Any], None]:
        """Return what handles a key with a name, or any other key."""

        def press(event: Any) -> None:
            try:
                after = self.view.press(name or event.data)
            except Exception as error:  # after any error the terminal must be restored
                event.app.exit(exception=error)
                return
            if isinstance(after, str):
                event.app.exit()
            elif after is not None:
                self.view, self.top = after, 0

        return press
