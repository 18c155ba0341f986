"""What the command line says of itself, and on which channel it speaks."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dbaudit
from dbaudit.cli import app
from dbaudit.demonstration import run as demonstrate
from tests.cli.commands import every_command, options_of, parse
from tests.cli.conftest import Ended, Run

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("DBAUDIT_", "_DBAUDIT_"))}


def program(*words: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, its channels in pipes."""
    return subprocess.run(
        [sys.executable, "-m", "dbaudit", *words], cwd=folder, env={**CLEAN, **variables}, capture_output=True, text=True, timeout=60, check=False
    )


Here = Callable[..., Ended]


@pytest.fixture
def here(run: Run, monkeypatch: pytest.MonkeyPatch) -> Here:
    """The program in this process, its channels no terminal either; the first word is the folder."""
    for name in os.environ.keys() - CLEAN.keys():
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "80")

    def call(folder: Path, *words: str) -> Ended:
        monkeypatch.chdir(folder)
        return run(*words)

    return call


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the demonstration's store under the default name."""
    folder = tmp_path_factory.mktemp("hospital")
    demonstrate(folder / "audit.duckdb")
    return folder


@pytest.mark.parametrize("words", every_command())
def test_every_command_shows_an_example_that_parses(words: str) -> None:
    told = CliRunner().invoke(app, [*words.split(), "--help"], env={"COLUMNS": "80"}).stdout
    examples = re.findall(r"^ *Example: (.*)$", told, re.MULTILINE)
    assert examples
    for example in examples:
        assert example.startswith(f"dbaudit {words}")
        parse(example)


@pytest.mark.parametrize("words", every_command())
def test_every_option_and_argument_is_explained(words: str) -> None:
    command = every_command()[words]
    assert not [parameter.name for parameter in command.params if not parameter.help]
    told = CliRunner().invoke(app, [*words.split(), "--help"]).stdout
    assert all(option in told for option in options_of(command))


@pytest.mark.parametrize("words", [words for words, command in every_command().items() if words != "demo"])
def test_every_command_takes_the_store_by_option_and_by_variable(words: str) -> None:
    told = CliRunner().invoke(app, [*words.split(), "--help"]).stdout
    assert "--db" in told
    assert "DBAUDIT_DB" in told


def test_help_is_short_of_nothing_and_loads_no_engine(tmp_path: Path) -> None:
    """Help and completion are asked for between two keystrokes: they wait for no database and no solver."""
    loaded = "import sys, dbaudit.cli; print([name for name in ('duckdb', 'pyarrow', 'sqlglot', 'numpy', 'scipy', 'rich') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True, cwd=tmp_path).stdout.strip() in ("[]", "['rich']")
    told = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).stdout
    assert all(re.search(rf"^  {words.split()[0]} ", told, re.MULTILINE) for words in every_command())
    assert "..." not in told.replace("[ARGS]...", "")


def test_the_version_is_the_packages(tmp_path: Path) -> None:
    done = program("--version", folder=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (f"dbaudit {dbaudit.__version__}\n", "", 0)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("dbaudit a", ["audit", "audits", "adversary"]), ("dbaudit release p", ["publish"]), ("dbaudit release add patients --form ana", ["anatomy"])],
)
def test_the_shell_completes_commands_and_choices(typed: str, offered: list[str], tmp_path: Path) -> None:
    done = program(folder=tmp_path, _DBAUDIT_COMPLETE="complete_bash", COMP_WORDS=typed, COMP_CWORD=str(len(typed.split()) - 1), _TYPER_COMPLETE_ARGS=typed)
    assert done.stdout.split() == offered


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["audit"],
        ["audit", "patients", "--nonsense"],
        ["audit", "patients", "--bounds", "--bounds-worst", "3"],
        ["audits", "show", "one"],
        ["release", "add", "patients", "r.csv", "--name", "r", "--form", "shuffled"],
        ["release", "add", "patients", "--name", "r", "--form", "anatomy"],
        ["release", "add", "patients", "r.csv", "--name", "r", "--form", "bucketized"],
        ["dataset", "add", "d", "--qi", "a", "--sensitive", "a"],
        ["sql", "drop table result.audit"],
    ],
)
def test_wrong_usage_ends_with_2_and_a_sentence_on_stderr(words: list[str], here: Here, tmp_path: Path) -> None:
    done = here(tmp_path, *words)
    assert done.code == 2
    assert done.out == ""
    assert re.search(r"^(Error|dbaudit): \S", done.err, re.MULTILINE)
    assert "Traceback" not in done.err


@pytest.mark.parametrize("words", [["audit"], ["sql", "drop table result.audit"]])
def test_a_process_of_its_own_refuses_wrong_usage_in_the_same_words(words: list[str], here: Here, tmp_path: Path) -> None:
    done = program(*words, folder=tmp_path, COLUMNS="80")
    assert Ended(done.returncode, done.stdout, done.stderr.replace("python -m dbaudit", "dbaudit")) == here(tmp_path, *words)


def test_no_store_ends_with_6_and_says_how_to_make_one(tmp_path: Path) -> None:
    done = program("dataset", "list", folder=tmp_path)
    assert (done.returncode, done.stdout) == (6, "")
    assert "dbaudit init --db audit.duckdb" in done.stderr


def test_in_a_pipe_an_audit_prints_one_json_document_and_no_progress(hospital: Path) -> None:
    done = program("audit", "patients", "--json", folder=hospital)
    row = json.loads(done.stdout)
    assert (row["status"], row["verdict"], done.returncode) == ("solved", "unjudged", 0)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_notes_and_hints_go_to_stderr(hospital: Path) -> None:
    done = program("audit", "patients", folder=hospital)
    assert done.stdout.startswith("Audit ")
    assert len(done.stdout.splitlines()) <= 12
    assert re.fullmatch(r'Look further: dbaudit sql "select .* limit 10"\n', done.stderr)
    assert "\x1b" not in done.stdout + done.stderr


def test_a_hint_names_the_store_where_it_is_not_the_default_one(hospital: Path, tmp_path: Path) -> None:
    elsewhere = str(hospital / "audit.duckdb")
    done = program("audit", "patients", "--db", elsewhere, folder=tmp_path)
    suggested = shlex.split(done.stderr.removeprefix("Look further: dbaudit "))
    assert program(*suggested, folder=tmp_path).returncode == 0
    by_variable = program("audit", "patients", folder=tmp_path, DBAUDIT_DB=elsewhere)
    assert "--db" not in by_variable.stderr


def test_what_the_demonstration_suggests_can_be_run(tmp_path: Path) -> None:
    lines = demonstrate(tmp_path / "kept.duckdb")
    suggested = [line.strip().split("      (")[0] for line in lines if line.startswith("  dbaudit ")]
    assert len(suggested) >= 3
    for line in suggested:
        parse(line)


def test_tables_in_a_pipe_have_no_blanks_at_their_ends(hospital: Path, here: Here) -> None:
    told = [here(hospital, *words).out for words in (["audits", "list"], ["audits", "show", "1"])]
    for text in (*told, program("sql", "select 'x' as wide_name, true as yes", folder=hospital).stdout):
        lines = text.splitlines()
        assert lines and lines == [line.rstrip() for line in lines]
        assert "True" not in "".join(lines)


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_an_answer_is_nothing_but_data(form: str, hospital: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dbaudit", "sql", "--format", form, "select 1 as one, 'ä' as letter"], cwd=hospital, env=CLEAN, capture_output=True, check=True
    )
    assert done.stderr == b""
    if form == "csv":
        assert done.stdout.decode() == '"one","letter"\n1,"ä"\n'
    elif form == "json":
        assert json.loads(done.stdout) == [{"one": 1, "letter": "ä"}]
    else:
        assert done.stdout[:4] == done.stdout[-4:] == b"PAR1"
