"""The README's promises, executed: what a newcomer types, reads and looks up is what the program does."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

import dbaudit.maxent
from dbaudit import AuditSpec, DatasetSpec, ReleaseSpec, Store, add_dataset, add_release, run_audit, run_query
from dbaudit.cli import _BUG, _INTERRUPTED
from dbaudit.cli.auditing import Format
from dbaudit.cli.data import Form
from dbaudit.errors import ExitCode
from tests.cli.commands import every_command, options_of, parse

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SOLVER = (ROOT / "docs" / "solver.md").read_text(encoding="utf-8")

# What a newcomer's path leaves out: these need the package index, a shell of one's own, or a container engine.
NOT_HERE = ("make ", ". .venv", "docker ")


class Block(NamedTuple):
    """A fenced block, with what it says it prints."""

    line: int
    language: str
    text: str
    prints: str | None


def blocks(document: str) -> list[Block]:
    fenced = [
        (document.count("\n", 0, match.start()) + 1, match[1], match[2]) for match in re.finditer(r"^```(\w+)\n(.*?)^```$", document, re.DOTALL | re.MULTILINE)
    ]
    following = [*fenced[1:], (0, "", "")]
    return [
        Block(line, language, text, after[2] if after[1] == "text" else None)
        for (line, language, text), after in zip(fenced, following, strict=True)
        if language != "text"
    ]


def table(heading: str) -> list[list[str]]:
    """The rows of the first table below a heading."""
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")]
    return rows[2:]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def walk(document: str, checkout: Path, folder: Path) -> list[str]:
    """Do in `folder` what a newcomer does who has `checkout`; return the differences between what is printed and what is promised.

    The current interpreter runs the checkout's code by PYTHONPATH, which comes before anything that is installed: it has every
    dependency already, so that no package index is needed.
    """
    tools = folder / "tools"
    desk = folder / "desk"
    tools.mkdir()
    desk.mkdir()
    command = tools / "dbaudit"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m dbaudit "$@"\n')
    command.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DBAUDIT_")}
    environment = {**kept, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(checkout), "COLUMNS": "80"}

    def run(*arguments: str) -> str:
        done = subprocess.run(arguments, cwd=desk, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        return done.stdout + (f"(ended with {done.returncode})\n" if done.returncode else "")

    assert run(sys.executable, "-c", "import dbaudit; print(dbaudit.__file__)").startswith(str(checkout))
    differences = []
    for block in blocks(document):
        if block.text.startswith(NOT_HERE):
            continue
        commands = {"sh": ["bash", "-euc"], "python": [sys.executable, "-c"], "sql": ["dbaudit", "sql"]}[block.language]
        printed = run(*commands, block.text)
        failed = "(ended with" in printed or (block.language == "sql" and len(printed.splitlines()) < 2)
        if failed or not doctest.OutputChecker().check_output(block.prints or printed, printed, doctest.ELLIPSIS):
            differences.append(f"line {block.line}: {block.text}\npromises:\n{block.prints}\nprints:\n{printed}")
    return differences


def test_a_newcomers_path_prints_what_the_readme_says(tmp_path: Path) -> None:
    assert {block.language for block in blocks(README)} == {"sh", "sql", "python"}
    differences = walk(README, ROOT, tmp_path)
    assert not differences, "\n".join(differences)


def shipped(checkout: Path) -> dict[str, bytes]:
    """All that the path above reads: the program, its SQL and the examples."""
    files = [path for folder in ("dbaudit", "sql", "fixtures") for path in (checkout / folder).rglob("*") if path.is_file()]
    return {str(path.relative_to(checkout)): path.read_bytes() for path in files if "__pycache__" not in path.parts}


@pytest.mark.slow
def test_a_fresh_clone_has_all_that_this_path_needs(tmp_path: Path) -> None:
    """Nothing that a newcomer needs was left out of version control: the clone has the files that were used above, and its program runs."""
    if subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, check=False).returncode:
        pytest.skip("not a git checkout")
    changed = subprocess.run(
        ["git", "-C", str(ROOT), "status", "--porcelain", "--", "dbaudit", "sql", "fixtures", "README.md"], capture_output=True, check=True
    )
    if changed.stdout:
        pytest.skip("there are changes that are not committed yet: a clone tells an older story")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
    assert shipped(clone) == shipped(ROOT)
    assert (clone / "README.md").read_text(encoding="utf-8") == README
    told = subprocess.run([sys.executable, "-m", "dbaudit", "demo"], cwd=clone, env={**os.environ, "PYTHONPATH": str(clone)}, capture_output=True, check=False)
    assert told.returncode == 0 and told.stdout, told.stderr


def test_every_make_target_that_it_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):.*##", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README + SOLVER, re.MULTILINE))
    assert {"demo", "test"} <= named <= targets
    for target in sorted(named):
        assert subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, check=False).returncode == 0, target


def test_commands_in_running_text_parse() -> None:
    lines = [*re.findall(r"`(dbaudit [a-z][^`]*)`", README), *(line.strip() for line in re.findall(r"^    dbaudit .*$", README, re.MULTILINE))]
    assert len(lines) >= 5
    for line in lines:
        parse(line)


def test_the_options_listed_are_the_options_there_are() -> None:
    common = {"--db", "--wait", "--json"}
    listed: dict[str, set[str]] = {}
    for command, options, _ in table("What to declare"):
        listed.setdefault(code(command)[0], set()).update(code(options))
    commands = every_command()
    assert {command: options_of(commands[command]) - common for command in listed} == listed
    left_out = {command: options_of(found) - common for command, found in commands.items() if command not in listed}
    assert not set().union(*left_out.values()), left_out
    section = README.split("## What to declare", 1)[1].split("\n## ", 1)[0]
    assert all(f"`{option}`" in section for option in common)


def test_no_other_option_is_mentioned() -> None:
    known = set().union(*(options_of(command) for command in every_command().values())) | {"--install-completion", "--help"}
    own = "\n".join(line for line in README.splitlines() if not line.startswith("docker "))
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", own)) <= known


def test_the_tables_listed_have_these_columns(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "audit.duckdb")
    known: dict[str, list[str]] = {}
    query = "select database_name, schema_name, table_name, column_name from duckdb_columns() order by column_index"
    for database, schema, name, column in (row.values() for row in run_query(store, query, original=True).to_pylist()):
        known.setdefault(f"{database if database == 'original' else schema}.{name}", []).append(column)
    rows = table("What to query")
    assert len(rows) >= 5
    for name, columns in rows:
        stable = columns.split(", ")
        assert known[code(name)[0]][: len(stable)] == stable


def test_the_exit_codes_are_the_programs() -> None:
    assert [int(number) for number, _ in table("Exit codes")] == list(ExitCode)
    section = README.split("## Exit codes", 1)[1].split("\n## ", 1)[0]
    assert f"{_INTERRUPTED} is an interruption" in section
    assert f"{_BUG} a mistake" in section


def test_the_forms_and_choices_are_the_programs() -> None:
    assert [code(row[0])[0] for row in table("The three forms of a release")] == list(Form)
    (said,) = [row[2] for row in table("What to declare") if row[:2] == ["`sql`", "`--format`"]]
    assert code(said) == list(Format)


def test_the_files_listed_are_those_of_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DBAUDIT_DB", raising=False)
    monkeypatch.delenv("DBAUDIT_ORIGINAL", raising=False)
    monkeypatch.chdir(tmp_path)
    files = Store.create().files
    named = [name for row in table("What each file gives to whoever holds it") for name in code(row[0])]
    assert named == [str(files.audit), str(files.original), f"{files.audit}.wal", str(files.spill), str(files.truth_spill)]
    assert {path.name: path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {str(files.audit): 0, str(files.original): 0}


def test_the_truth_is_not_in_the_audit_file(tmp_path: Path) -> None:
    """The sentence on which a publisher relies when handing over the first file."""
    truth, release = tmp_path / "truth.csv", tmp_path / "r.csv"
    truth.write_text("id,zip,disease\n1,131,Flu\n2,132,Zoonosis-of-two\n")
    release.write_text("id,zip,disease,bucket\n1,131,Flu,1\n")
    store = Store.create(tmp_path / "audit.duckdb")
    add_dataset(store, DatasetSpec("patients", ("zip",), ("disease",), id="id", microdata=truth, domain=("Flu", "Zoonosis-of-two", "Other")))
    add_release(store, ReleaseSpec("patients", "r", "bucketized", release, bucket="bucket"))
    run_audit(store, AuditSpec("patients"))
    store.files.original.unlink()
    told = run_query(store, "select value, probability from report.posterior where person = '2' order by value").to_pydict()
    assert told["value"] == ["Flu", "Other", "Zoonosis-of-two"]
    assert told["probability"] == pytest.approx([1 / 3] * 3)


def test_the_map_agrees_with_the_checkout() -> None:
    section = README.split("## Where things are", 1)[1].split("A module imports", 1)[0]
    folders = re.findall(r"^\| `(\w+)/` \|", section, re.MULTILINE)
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    there = {path.split("/")[0] for path in tracked if "/" in path and not path.startswith(".") and (ROOT / path).exists()}
    if tracked:
        assert set(folders) == there
    for inner in re.findall(r"`(\w+)/`", next(line for line in section.splitlines() if line.startswith("| `sql/`")))[1:]:
        assert (ROOT / "sql" / inner).is_dir(), inner
    for name in re.findall(r"`((?:model|result)\.\w+)`", section):
        schema, stem = name.split(".")
        assert (ROOT / "sql" / schema / f"{stem}.sql").exists() or f"create table {name} (" in "".join(
            path.read_text(encoding="utf-8") for path in (ROOT / "sql" / "schema" / "audit").glob("*.sql")
        ), name


def test_the_layers_are_those_that_the_build_keeps() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    kept = [layer.split(" | ") for layer in next(contract for contract in contracts if contract["id"] == "layers")["layers"]]
    section = README.split("A module imports only from those below it", 1)[1].split("\n## ", 1)[0]
    told = [code(line.split("|")[1]) for line in section.splitlines() if line.startswith("| `")]
    assert [["__main__"], *told] == kept


def test_the_solvers_example_gives_what_its_comments_say() -> None:
    (block,) = blocks(SOLVER)
    names: dict[str, object] = {}
    exec(block.text, names)
    answer = names["answer"]
    assert isinstance(answer, dbaudit.maxent.Solution)
    assert answer.probability.tolist() == [0, 1, 0, 1, 0]
    assert answer.is_forced.all()
    assert answer.status == "solved"


def test_the_solvers_page_names_what_exists() -> None:
    for module in re.findall(r"`(\w+\.py)`", SOLVER):
        assert (ROOT / "dbaudit" / "maxent" / module).exists(), module
    for name in re.findall(r"^\| `(\w+)\(", SOLVER, re.MULTILINE):
        assert name in dbaudit.maxent.__all__
