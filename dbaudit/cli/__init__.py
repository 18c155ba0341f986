"""The command line: a thin face of the library. A command parses, calls one function, prints, and ends with an exit code."""

from __future__ import annotations

import os
import sys

import typer

from dbaudit.cli import auditing, data, explaining, histories, knowing, publishing, scheduling
from dbaudit.cli.options import version_option
from dbaudit.cli.show import complain
from dbaudit.errors import DbauditError

_INTERRUPTED = 130
_BUG = 70

app = typer.Typer(
    help="Tell what publications give away. Every command explains itself with --help; DBAUDIT_DB names the store (default audit.duckdb).",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog="Begin with: dbaudit demo",
)


def _set_examples_apart(commands: typer.Typer) -> None:
    """Print the example of a docstring below the options, on a line of its own: wrapped, it could not be copied."""
    for command in commands.registered_commands:
        text, _, example = ((command.callback and command.callback.__doc__) or "").partition("Example: ")
        command.help, command.epilog = text.strip(), "\b\nExample: " + " ".join(example.split())
    for group in commands.registered_groups:
        if group.typer_instance is not None:
            _set_examples_apart(group.typer_instance)


app.callback()(version_option)
data.register(app)
auditing.register(app)
knowing.register(app)
explaining.register(app)
publishing.register(app)
histories.register()
scheduling.register(app)
_set_examples_apart(app)


def main() -> None:
    """Run a command; an error is a sentence on stderr and an exit code, never a traceback."""
    os.umask(0o077)  # whatever a command creates may hold people's secrets
    try:
        app(prog_name="dbaudit")  # under this name too where it is run as `python -m dbaudit`
    except DbauditError as error:
        complain(str(error))
        sys.exit(error.exit_code)
    except SystemExit as ended:  # typer turns Ctrl-C into this code and says nothing
        if ended.code == _INTERRUPTED:
            complain("interrupted. What was not finished was not stored.")
        raise
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if os.environ.get("DBAUDIT_DEBUG"):
            raise
        complain(
            f"this is a mistake in dbaudit ({type(error).__name__}), and the store is as it was. "
            "Run it again with DBAUDIT_DEBUG=1 and report what that shows, after looking for personal data in it."
        )
        sys.exit(_BUG)
