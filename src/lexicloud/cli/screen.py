"""The terminal that the questionnaire is shown in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lexicloud.cli.questionnaire import Guide, View
from lexicloud.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Callable

    from lexicloud.survey import Questionnaire, Session

WIDEST: Final = 100  # columns: longer lines are hard to read


def require() -> None:
    """Say how to install what the terminal needs, where it is not there."""
    try:
        import prompt_toolkit  # noqa: F401
    except ImportError:
        raise MissingExtra("the questionnaire in a terminal", "survey") from None


def run(questionnaire: Questionnaire, session: Session | None = None) -> Session | None:
    """Lead somebody through the questionnaire in this terminal, and return who it was."""
    guide = Guide(questionnaire, session)
    _Screen(guide.first()).run()
    return guide.session


class _Screen:
    """The terminal: shows a view, scrolls it where it is too long, and hands keys on."""

    def __init__(self, view: View) -> None:
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
            # With --json stdout belongs to the answer, and the questions go where the terminal is.
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
            except Exception as error:  # whatever happened, the terminal must come back as it was
                event.app.exit(exception=error)
                return
            if isinstance(after, str):
                event.app.exit()
            elif after is not None:
                self.view, self.top = after, 0

        return press
