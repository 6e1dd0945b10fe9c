"""What every command shares: running it, its messages in one line and in words of the command line, and output."""

from __future__ import annotations

import os
import re
import sys
import warnings
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer
from typer.core import TyperGroup

from lexicloud.cli import COMMANDS
from lexicloud.errors import LexicloudError, LexicloudWarning, OptionError, shortage
from lexicloud.progress import reporting
from lexicloud.result import as_json as _json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.console import Console
    from rich.progress import Progress, TaskID

STOPPED: Final = 130  # 128 + SIGINT
# Control characters in names and texts are replaced by visible symbols: a terminal would obey them.
_SHOWN: Final = {c: chr(0x2400 + c) for c in range(32) if c not in {9, 10}} | dict.fromkeys(
    range(127, 160), "\ufffd"
)
_ESCAPED: Final = {c: f"\\u{c:04x}" for c in range(127, 160)}
_told: set[str] = set()  # notes printed in this run: several readers may give the same
PIPE_WIDTH: Final = 250  # columns without a terminal: rows of a table stay on one line for grep and awk
_arguments: set[str] = set()  # Python's names for the options of this run's command
# What the parser of options says, in plainer words.
_PLAINER: Final = (
    (r"Input should be a valid integer.*", "it should be a whole number"),
    (r"Input should be a valid number.*", "it should be a number"),
    (r"Input should be greater than or equal to", "it should be at least"),
    (r"Input should be less than or equal to", "it should be at most"),
    (r"Input should be", "it should be"),
)


def new_group(help: str = "", *, alone: bool = False) -> typer.Typer:  # noqa: A002
    """Make a group of commands with the settings that all commands share."""
    return typer.Typer(
        help=help,
        add_completion=False,
        no_args_is_help=not alone,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def command(function: Callable[..., None]) -> typer.Typer:
    """Make a function the command of its name."""
    app = new_group(alone=True)
    app.command()(function)
    return app


def load(name: str) -> Any:
    """Import the module of a command (or group) and return the command, which has the same name there."""
    return typer.main.get_command(getattr(import_module(f"lexicloud.cli.{COMMANDS[name][0]}"), name))


def run(name: str, arguments: list[str]) -> NoReturn:
    """Run a command's Typer app; a user's mistake becomes one line on stderr and exit code 2."""
    # Some versions of Typer bring their own Click, so its root error is found through Typer's.
    click_error: type[Exception] = typer.BadParameter.__mro__[2]
    warnings.showwarning = _show_warning
    warnings.simplefilter("default", LexicloudWarning)
    prepare_streams()
    _told.clear()
    try:
        asked = _finished(load(name))
        remember_options(asked)
        result = asked.main(arguments, prog_name=f"lexicloud {name}", standalone_mode=False)
        if result == STOPPED:  # Typer's result after an interrupt
            stop()
        with printing():
            sys.stdout.flush()
        raise SystemExit(result if isinstance(result, int) else 0)
    except LexicloudError as error:
        hint = f"; see {_typed(name, arguments)} --help" if isinstance(error, OptionError) else ""
        fail(f"{by_options(str(error)).rstrip('.' if hint else '')}{hint}")
    except typer.Exit as error:
        silence()
        raise SystemExit(error.exit_code) from None
    except (typer.Abort, KeyboardInterrupt):
        stop()
    except click_error as error:
        _fail_usage(name, error)
    except BrokenPipeError:
        silence()  # the reader (head, less) has closed the pipe, which is no error
        raise SystemExit(0) from None
    except Unprinted as error:
        silence()
        fail(f"cannot print the answer: {error}; what the command writes to files is there")
    except OSError as error:
        silence()
        where = f"{error.filename}: " if error.filename else ""
        fail(f"{where}{error.strerror or error}")
    except MemoryError:
        fail("not enough memory: sample fewer words (--sample) or read fewer texts")
    except Exception as error:
        if (lacking := shortage(error)) is not None:
            fail(lacking)
        _report_own_mistake(error)


def _typed(name: str, arguments: list[str]) -> str:
    """Return a command as it was typed, with the name of the inner one where it is a group.

    >>> _typed("vectors", ["get", "glove-100d"]), _typed("demo", [])
    ('lexicloud vectors get', 'lexicloud demo')
    """
    inner = getattr(load(name), "commands", {})
    return " ".join(["lexicloud", name, *(word for word in arguments[:1] if word in inner)])


def _finished(command: Any) -> Any:
    """Return a command (or group) with what all commands have: help without line breaks, `--skip-bad` and `--keep`."""
    for inner in getattr(command, "commands", {}).values():
        _finished(inner)
    if command.help:
        command.help = "\n\n".join(" ".join(part.split()) for part in command.help.split("\n\n"))
    _offer_reading(command)
    _watch_out(command)
    _spare_type_of_help(command)
    for parameter in command.params:
        parameter.metavar = _placeholder(parameter)
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda **_: None  # hides its Python type, which helps nobody
    return command


# Options that name texts, as the arguments of a command do.
_TEXTS: Final = frozenset({"against", "reference", "calibrate", "unknown"})


def _watch_out(command: Any) -> None:
    """Make a command with `--out` say so where that lies among the texts that it reads."""
    named = {p.name for p in command.params if p.param_type_name == "argument" or p.name in _TEXTS}
    if not any(p.name == "out" for p in command.params) or command.callback is None:
        return
    work = command.callback

    def run(**given: Any) -> Any:
        values = (given[name] for name in named & given.keys())
        listed = (v for value in values for v in (value if isinstance(value, list | tuple) else [value]))
        folders = [Path(v) for v in listed if isinstance(v, str | Path) and Path(v).is_dir()]
        done = work(**given)
        _note_out_among_texts(given["out"], folders)
        return done

    command.callback = run


def _note_out_among_texts(out: Path | None, folders: list[Path]) -> None:
    from lexicloud.text.formats import kind

    if out is None or not any(kind(path.name) for path in (out, *out.rglob("*")) if path.is_file()):
        return  # nothing was written that would be read
    place = out.resolve()
    for folder in folders:
        within = place.relative_to(folder.resolve()) if place.is_relative_to(folder.resolve()) else None
        if within is not None and not any(part.startswith(".") for part in within.parts):
            note(
                f"note: {out} lies among the texts of {folder}: the next run would read it as a text. "
                "Move it, and give --out another place"
            )
            return


def _spare_type_of_help(command: Any) -> None:
    """Take the `<bool>` from beside `--help`, which Typer makes when it is first asked for."""
    made = command.get_help_option

    def get(context: Any) -> Any:
        option = made(context)
        if option is not None:
            option.metavar = ""
        return option

    command.get_help_option = get


def _placeholder(parameter: Any) -> str:
    """Return the placeholder of a value in the help: N for a number, else the argument's own name."""
    if getattr(parameter, "is_flag", False):
        return ""
    described = getattr(parameter, "type_descriptor", None)
    kind = getattr(described, "annotation", None) or getattr(parameter, "type", "")
    numeric = any(word in str(kind).lower() for word in ("int", "float"))
    return (
        "N" if numeric and parameter.param_type_name == "option" else str(parameter.name).upper().rstrip("_")
    )


def _offer_reading(command: Any) -> None:
    """Add to a command that reads files `--skip-bad`, and `--keep` for parts of files that are not running text."""
    named = {parameter.name: parameter for parameter in command.params}
    text = named.get("text")
    if not (named.keys() & {"encoding", "corpus"} or (text is not None and not text.is_flag)):
        return
    taken = {spelling for parameter in command.params for spelling in parameter.opts}
    for option in _reading_options():
        if taken.isdisjoint(option.opts):
            option.expose_value = False
            # With many options it is hidden, and a note names it when a file cannot be read or a part was left out.
            option.hidden = option.name == "keep_parts" or "encoding" not in named or named["encoding"].hidden
            command.params.append(option)
    for parameter in command.params:
        if parameter.name in _CALLBACKS:
            parameter.callback = _CALLBACKS[parameter.name]


def _reading_options() -> list[Any]:
    """Return `--skip-bad` and `--keep` as Typer makes them."""
    from lexicloud.cli.options import Keep, SkipBad

    def declares(skip_bad: SkipBad = False, keep_parts: Keep = None) -> None: ...

    declares.__annotations__ = {"skip_bad": SkipBad, "keep_parts": Keep, "return": None}
    app = typer.Typer(add_completion=False)
    app.command()(declares)
    return [p for p in typer.main.get_command(app).params if p.name in _CALLBACKS]


def _skip_bad(_context: Any, _parameter: Any, wanted: bool) -> bool:
    from lexicloud.text.read import skip_bad_files

    if wanted:
        skip_bad_files()
    return wanted


def _keep(_context: Any, _parameter: Any, wanted: str | None) -> str | None:
    from lexicloud.text.read import keep_parts

    if wanted:
        keep_parts(wanted)
    return wanted


_CALLBACKS = {"skip_bad": _skip_bad, "keep_parts": _keep}


def silence() -> None:
    """Flush stdout; if that fails, redirect it to nothing, so that Python does not try to write again at the end."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        return
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def prepare_streams() -> None:
    """Replace closed streams, and make stdout and stderr take any character, so that neither can stop a command."""
    if sys.stdin is None:  # closed by the caller (<&-), as the others may be: an empty one replaces it
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 — for the whole run
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            # A character that the terminal cannot show becomes ?.
            stream.reconfigure(errors="replace")


def _report_own_mistake(error: Exception) -> NoReturn:
    """Report a bug of lexicloud in one line and exit with 1; LEXICLOUD_DEBUG=1 shows where it happened."""
    if os.environ.get("LEXICLOUD_DEBUG"):
        raise error
    what = one_line(f"{type(error).__name__}: {error}")
    _write_error(f"lexicloud: error: this should not have happened ({what}); LEXICLOUD_DEBUG=1 shows where\n")
    raise SystemExit(1)


def stop() -> NoReturn:
    """Exit with 130 after an interrupt, as shells expect."""
    _write_error("lexicloud: stopped\n")
    raise SystemExit(STOPPED)


def _fail_usage(command: str, error: Any) -> NoReturn:
    if type(error).__name__ == "NoArgsIsHelpError":
        # A group without a subcommand prints the list of them, as `--help` does.
        sys.stderr.write(f"{error.format_message()}\n")
        raise SystemExit(2)
    context = getattr(error, "ctx", None)
    asked = context.command_path if context is not None else f"lexicloud {command}"
    fail(f"{plainer(error.format_message().rstrip('.'))}; see {asked} --help")


def fail(message: str) -> NoReturn:
    """Print one line that names what is wrong and what to do, and exit with 2."""
    _write_error(f"lexicloud: error: {one_line(message)}\n")
    raise SystemExit(2)


def stdin_lines() -> list[str]:
    """Return the lines of standard input that are not blank, in any encoding."""
    from lexicloud.text.document import decode

    text, _ = decode(sys.stdin.buffer.read(), "standard input")
    return [line.strip() for line in text.splitlines() if line.strip()]


def stdin_stream() -> Iterator[str]:
    """Yield the lines of standard input that are not blank, each as soon as it arrives."""
    from lexicloud.text.document import decode

    for raw in sys.stdin.buffer:
        line = decode(raw, "standard input")[0].strip()
        if line:
            yield line


def note(message: str) -> None:
    """Print a note to stderr, in one line; the same note once in a run."""
    line = one_line(message)
    if line.removeprefix("note: ") not in _told:
        _told.add(line.removeprefix("note: "))
        _write_error(f"lexicloud: {line}\n")


def one_line(message: str) -> str:
    """Return a message in one line, with visible symbols for control characters, which file names may have."""
    return " ".join(message.split()).translate(_SHOWN)


def remember_options(command: Any) -> None:
    """Take a command (or group) for the one whose options `by_options` names."""
    _arguments.clear()
    _arguments.update(_names(command))


def _names(command: Any) -> Iterator[str]:
    for parameter in command.params:
        yield from (
            spelling[2:].replace("-", "_") for spelling in parameter.opts if spelling.startswith("--")
        )
    for inner in getattr(command, "commands", {}).values():
        yield from _names(inner)


def by_options(message: str) -> str:
    """Return a message with options in the place of arguments: `top = 0` is `--top 0` in a command that has it."""

    def option(found: re.Match[str]) -> str:
        name, value = found.groups()
        return f"--{name.replace('_', '-')} {value}" if name in _arguments else found.group()

    once = re.sub(r"\b\w+=[^\s=]+ or (?=--\w)", "", message)
    return re.sub(r"""(?<![\w/.-])(\w+) ?= ?('[^']*'|"[^"]*"|[^\s,;:)=]+)""", option, once)


def plainer(message: str) -> str:
    """Return what the parser of options says, in plainer words.

    >>> plainer("Invalid value for '--top': Input should be greater than or equal to 1")
    "Invalid value for '--top': it should be at least 1"
    """
    for said, plain in _PLAINER:
        message = re.sub(said, plain, message)
    return message


def time_left(seconds: float, done: float, total: float | None) -> str:
    """Return how long a task will still take if it goes on as it went, or how long it has taken while nobody can tell.

    >>> time_left(30, 10, 40), time_left(3, 0, 40), time_left(4000, 2, None)
    ('about 1:30 left', '0:03', '1:06:40')
    """
    known = bool(done and total and seconds >= 1)
    minutes, rest = divmod(round(seconds * ((total or done) - done) / done if known else seconds), 60)
    hours, minutes = divmod(minutes, 60)
    shown = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
    return f"about {shown} left" if known else shown


def _write_error(line: str) -> None:
    with suppress(OSError, ValueError):  # a closed or full stderr is no error
        sys.stderr.write(line)
        sys.stderr.flush()


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if issubclass(category, LexicloudWarning):
        note(f"note: {by_options(str(message))}")


def console() -> Console:
    """Return the console for results, on stdout, with colour only on a terminal."""
    from rich.console import Console
    from rich.segment import Segment

    class Screen(Console):
        def on_broken_pipe(self) -> NoReturn:
            raise BrokenPipeError  # `run` ends quietly; Rich would exit with 1

        def render(self, *arguments: Any, **options: Any) -> Iterator[Segment]:
            for segment in super().render(*arguments, **options):
                shown = segment.text.translate(_SHOWN)
                yield segment if segment.control or shown == segment.text else Segment(shown, segment.style)

    shown = sys.stdout.isatty()
    return Screen(file=sys.stdout, highlight=False, soft_wrap=not shown, width=None if shown else PIPE_WIDTH)


def answer(result: Any, *, json: bool, **beside: Any) -> None:
    """Print a result: its blocks, or with `--json` its dictionary and what stands beside it."""
    from lexicloud.say.terminal import show

    if json:
        print_json({**result.to_dict(), **beside} if beside else result)
        return
    blocks = result.blocks()
    with printing():
        show(blocks, console())


def write(result: Any, out: Path | None) -> None:
    """Write a result to a folder, where one was named, and print a note on its files."""
    if out is not None:
        note_written(result.write(out), out)


def answer_with_files(result: Any, notes: Iterable[str], files: Sequence[Path], *, json: bool) -> None:
    """Print a result and which files were written; with `--json` its notes too, which its blocks have otherwise."""
    for line in notes if json else ():
        note(line)
    answer(result, json=json, files=files)
    if files and not json:
        note(f"{files[0]} and {len(files) - 1} more files")


def note_written(files: Iterable[Path], out: Path) -> None:
    """Print a note on the files that were written to a folder."""
    note(f"wrote {', '.join(file.name for file in files)} to {out}")


class Unprinted(Exception):
    """Raised when the answer cannot be written to stdout, though the work itself is done."""


@contextmanager
def printing() -> Iterator[None]:
    """Turn errors of writing into `Unprinted`, to tell them from errors of the work."""
    try:
        yield
    except BrokenPipeError:
        raise BrokenPipeError from None  # without its errno, at which Typer would exit with 1
    except OSError as error:
        raise Unprinted(error.strerror or str(error)) from error


def print_json(value: Any) -> None:
    """Print plain values as JSON, the only thing on stdout under --json; nan and infinity become null."""
    write_line(as_json(value, indent=2))


def write_line(line: str) -> None:
    """Write a line to stdout."""
    with printing():
        sys.stdout.write(line + "\n")


def as_json(value: Any, indent: int | None = None) -> str:
    """Return plain values as JSON, in ASCII where stdout is not Unicode."""
    ascii_only = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    # JSON itself escapes control characters below 32; those from 127 to 159 would reach a terminal.
    return _json(value, indent, ascii_only=ascii_only).translate(_ESCAPED)


class _Bars:
    """Progress bars on stderr; a bar appears only once it has run for a moment."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress

    def start(self, description: str, total: int | None) -> int:
        return int(self.progress.add_task(description, total=total))

    def advance(self, bar: int, steps: int) -> None:
        self.progress.advance(_task(bar), steps)

    def finish(self, bar: int) -> None:
        self.progress.remove_task(_task(bar))


def _task(bar: int) -> TaskID:
    from rich.progress import TaskID

    return TaskID(bar)


@contextmanager
def progress() -> Iterator[None]:
    """Show progress bars for everything inside, when stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class Time(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(time_left(task.elapsed or 0.0, task.completed, task.total), style="cyan")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Time())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars, reporting(_Bars(bars)):
        yield


class LazyCommands(TyperGroup):
    """All commands as one group; a command's module is imported when its options are asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (what Click calls it with)
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return a command with its options."""
        if cmd_name not in COMMANDS:
            return None
        command = load(cmd_name)
        command.name = cmd_name
        return command


def complete(arguments: list[str]) -> None:
    """Install or show the completion, or complete the command line."""
    app = typer.Typer(cls=LazyCommands, add_completion=True)
    app.callback()(lambda: None)
    typer.main.get_command(app)(arguments, prog_name="lexicloud")
