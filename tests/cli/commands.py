"""The program's commands as data, for tests that compare them with what is written about them."""

from __future__ import annotations

import shlex
from typing import Any

import typer.main

from dbaudit.cli import app


def every_command() -> dict[str, Any]:
    """Each command that does something, by its words: `release add`."""
    found: dict[str, Any] = {}

    def visit(words: list[str], command: Any) -> None:
        if hasattr(command, "commands"):
            for name, inner in command.commands.items():
                visit([*words, name], inner)
        else:
            found[" ".join(words)] = command

    visit([], typer.main.get_command(app))
    return found


def options_of(command: Any) -> set[str]:
    """The long options of a command, without --help."""
    return {name for parameter in command.params for name in parameter.opts if name.startswith("--")} - {"--help"}


def parse(line: str) -> None:
    """Parse a command line as the program would, without running it; raises what the program would complain about."""
    program, *words = shlex.split(line)
    assert program == "dbaudit"
    command: Any = typer.main.get_command(app)
    name = program
    while hasattr(command, "commands") and words and words[0] in command.commands:
        name, words = words[0], words[1:]
        command = command.commands[name]
    assert not hasattr(command, "commands"), f"no such command: {line}"
    command.make_context(name, words)
