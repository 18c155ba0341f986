"""docs/schedules.md says what is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dbaudit import Store, run_query
from dbaudit.schedule import breach, folder
from tests.cli.commands import every_command, options_of
from tests.test_readme import ROOT, walk

PAGE = (ROOT / "docs" / "schedules.md").read_text(encoding="utf-8")


def keys(section: str) -> set[str]:
    """What stands in code in the first column of the table of a section."""
    rows = [line for line in PAGE.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0].splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])}


@pytest.mark.slow
def test_from_an_empty_folder_it_prints_what_the_page_says(tmp_path: Path) -> None:
    differences = walk(PAGE, ROOT, tmp_path)
    assert not differences, "\n".join(differences)


def test_every_option_that_it_names_exists() -> None:
    commands = every_command()
    known = set().union(*(options_of(command) for words, command in commands.items() if words.split()[0] in ("schedule", "dataset", "release")))
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", re.sub(r"systemctl [^`]*", "", PAGE)))
    assert named <= known
    assert options_of(commands["schedule add"]) - named <= {"--db", "--wait", "--json", "--adversary"}


def test_the_keys_of_manifest_and_message_are_the_programs(tmp_path: Path) -> None:
    assert keys("The manifest") - {"waiting", "refused", "registered"} | {"value_map"} == set(folder._KEYS)
    row = dict.fromkeys(("schedule", "dataset", "adversary", "run_id", "audit_id", "releases", "candidate", "verdict", "max_probability"))
    told = breach.document({**row, "breach_key": "k", "message": None, "occurrence": 1, "finding_count": 0}, [])
    assert keys("The breach command") == set(told)


def test_the_columns_that_it_names_are_those_of_the_view(tmp_path: Path) -> None:
    (listed,) = re.findall(r"`report.schedule_run` has a row for each: `([^`]+)`", PAGE)
    columns = run_query(Store.create(tmp_path / "audit.duckdb"), "select * from report.schedule_run").column_names
    names = re.split(r",\s+", listed)
    assert [name for name in columns if name in names] == names
