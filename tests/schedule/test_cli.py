"""The commands: what an officer types and reads."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from typer.testing import CliRunner

from dbaudit.cli import app
from dbaudit.errors import UsageError
from tests.sql import stores


def test_an_officer_adds_runs_pauses_resumes_and_removes_a_schedule(tmp_path: Path) -> None:
    (tmp_path / "100%").mkdir()
    store = stores.copy("republication", tmp_path / "100%")

    def dbaudit(*words: str) -> tuple[int, str, str]:
        done = CliRunner().invoke(app, ["schedule", *words], env={"DBAUDIT_DB": str(store.files.audit)})
        assert done.exception is None or isinstance(done.exception, (SystemExit, UsageError)), done.exception
        return done.exit_code, done.stdout, done.stderr or str(done.exception or "")

    code, said, hints = dbaudit("add", "weekly", "patients", "--cron", "0 6 * * 1", "--time-zone", "Europe/Berlin", "--max-probability", "0.8")
    assert (code, said.count(" 06:00 CE")) == (0, 3)
    assert f"schedule run --due --db {shlex.quote(str(store.files.audit))}".replace("%", r"\%") in hints
    assert dbaudit("run", "--due") == (0, "", "Nothing is due.\n")
    code, said, _ = dbaudit("run", "weekly")
    assert code == 1
    assert said.startswith("weekly: patients as published: breach (audit 3). 3 findings: a value is more probable than 0.8.")
    code, said, _ = dbaudit("run", "weekly", "--json")
    (run,) = json.loads(said)["runs"]
    assert (code, run["verdict"], run["audit_id"], run["is_repeated"]) == (1, "breach", 3, True)
    assert [line.split()[0] for line in dbaudit("history", "weekly")[1].splitlines()] == ["run_id", "2", "1"]
    assert dbaudit("pause", "weekly")[1] == "Paused weekly.\n"
    assert json.loads(dbaudit("list", "--json")[1])[0]["is_paused"] is True
    assert dbaudit("resume", "weekly")[1].startswith("Resumed weekly. It is due at 20")
    assert "give the name of a schedule, or --due" in dbaudit("run")[2]
    assert "give the name of a schedule, or --due" in dbaudit("run", "weekly", "--due")[2]
    assert dbaudit("remove", "weekly")[1] == "Removed weekly.\n"
    assert "there is no schedule weekly" in dbaudit("history", "weekly")[2]
