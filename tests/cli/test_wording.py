"""Messages name the options of the command that runs, and leave everything else as it is."""

from __future__ import annotations

import pytest
import typer

from lexicloud.cli.shell import by_options, plainer, remember_options, time_left


@pytest.fixture(autouse=True)
def command():
    app = typer.Typer()

    @app.command()
    def asked(top: int = 5, sample: int = 0, min_tokens: int = 5, by: str = "auto") -> None: ...

    remember_options(typer.main.get_command(app))


@pytest.mark.parametrize(
    ("library", "shown"),
    [
        ("top = 0, but it must be at least 1", "--top 0, but it must be at least 1"),
        ("by='hand' is not known; choose 'text'", "--by 'hand' is not known; choose 'text'"),
        ("min_tokens=0 is too small", "--min-tokens 0 is too small"),
        ("equal size (sample=50 or --sample 50)", "equal size (--sample 50)"),
        ("k = 3 but only 2 words", "k = 3 but only 2 words"),  # no option of this command
        ("there is no file /data/top=3/a.txt", "there is no file /data/top=3/a.txt"),
        ("write key=value or key~part", "write key=value or key~part"),
    ],
)
def test_arguments_become_options_where_the_command_has_them(library, shown):
    assert by_options(library) == shown


def test_a_number_that_is_none_is_told_plainly():
    said = "Invalid value: Input should be a valid integer, unable to parse string as an integer"
    assert plainer(said) == "Invalid value: it should be a whole number"


@pytest.mark.parametrize(
    ("seconds", "done", "total", "said"),
    [
        (10, 1, 4, "about 0:30 left"),
        (10, 4, 4, "about 0:00 left"),
        (7200, 1, 3, "about 4:00:00 left"),
        (0.2, 1, 4, "0:00"),  # too soon to tell
        (75, 3, None, "1:15"),  # nobody knows how much there is
        (75, 0, 3, "1:15"),
    ],
)
def test_a_bar_says_how_long_is_left_once_it_can_tell(seconds, done, total, said):
    assert time_left(seconds, done, total) == said
