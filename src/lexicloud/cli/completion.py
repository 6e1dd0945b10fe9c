"""Completion of commands and options in the shell: `lexicloud --install-completion`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from lexicloud.cli import COMMANDS


class LazyCommands(TyperGroup):
    """All commands as one group; a command's module is imported when its options are asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (what Click calls it with)
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return a command with its options."""
        if cmd_name not in COMMANDS:
            return None
        command = typer.main.get_command(import_module(f"lexicloud.cli.{COMMANDS[cmd_name][0]}").app)
        command.name = cmd_name
        return command


def run(arguments: list[str]) -> None:
    """Install or show the completion, or complete the command line."""
    app = typer.Typer(cls=LazyCommands, add_completion=True)
    app.callback()(lambda: None)
    typer.main.get_command(app)(arguments, prog_name="lexicloud")
