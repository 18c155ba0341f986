"""Tell a command what a scheduled audit found: at least once for each set of findings, under a key by which a receiver can drop repeats.

What has to be told is stored together with the end of its run, and the command is run afterwards. Whoever is killed in
between is followed by a round that finds it still untold; whoever is killed after the command, but before that is
recorded, is followed by one that tells it again under the same key.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from typing import IO, Any

from dbaudit.errors import UsageError
from dbaudit.intake import printable
from dbaudit.report import plain
from dbaudit.schedule import plan
from dbaudit.store import Store

_MOST_FINDINGS = 1000
_TOLD_LINES, _TOLD_CHARACTERS, _TOLD_BYTES = 5, 1000, 8192


@dataclass(frozen=True)
class Told:
    """How a command ended; the exit code is None where it did not end by itself."""

    exit_code: int | None
    message: str | None
    is_hanging: bool = False

    @property
    def status(self) -> str:
        """What becomes of what it was told."""
        return "told" if self.exit_code == 0 else "failing"


def key(store_id: str, schedule: dict[str, Any], news: dict[str, Any]) -> str:
    """The key of a set of findings. The store's own random id keeps anybody from guessing names and values by trying them."""
    parts = (store_id, schedule["schedule_id"], schedule["schedule"], schedule["dataset"], news["candidate"], news["finding_digest"], news["occurrence"])
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def tell_all(store: Store, schedule_id: int, now: datetime.datetime | None) -> list[dict[str, Any]]:
    """Tell the command of a schedule whatever it was not told yet; returns what became of each.

    A command that hangs is not waited for again in the same round: the rest is told in the next one, before what hung.
    """
    with store.reading() as session:
        untold = session.rows("read/schedule_untold", schedule_id=schedule_id)
        findings = {row["breach_key"]: session.rows("read/schedule_finding", audit_id=row["audit_id"], limit=_MOST_FINDINGS) for row in untold}
    outcomes = []
    for row in untold:
        if row["is_gone"]:
            told, status, attempts = Told(None, f"audit {row['audit_id']} was removed before it could be told."), "void", 0
        else:
            line = json.dumps(plain(document(row, findings[row["breach_key"]])), ensure_ascii=False) + "\n"
            told = run_command(store, row["on_breach"], line, row["breach_key"], row["breach_timeout"])
            status, attempts = told.status, 1
        outcome = {"breach_key": row["breach_key"], "status": status, "exit_code": told.exit_code, "message": told.message}
        with store.writing() as session:
            session.run("write/schedule_told", **outcome, attempts=attempts, now=plan.as_utc(now))
        outcomes.append({**{name: row[name] for name in ("schedule", "dataset", "candidate", "verdict")}, **outcome})
        if told.is_hanging:
            break
    return outcomes


def document(row: dict[str, Any], findings: list[dict[str, Any]]) -> dict[str, Any]:
    """What the command is told. It is made of what is stored, so that a repeat says the same."""
    what = ("schedule", "dataset", "adversary", "run_id", "audit_id", "releases", "candidate")
    said = ("verdict", "message", "max_probability", "occurrence", "finding_count")
    return {"key": row["breach_key"], **{name: row[name] for name in (*what, *said)}, "findings": findings}


def run_command(store: Store, command: str, line: str, breach_key: str, timeout: float) -> Told:
    """Run a command with a line on its stdin, without a shell, for at most `timeout` seconds.

    Of what it prints only stderr is kept: stdout may be an echo of the findings. The channels are files, beside the store
    because they hold the same secrets: a command that does not read its stdin, or that leaves children behind, can then
    not make anybody wait.
    """
    folder = store.files.audit.resolve().parent
    variables = {**os.environ, "DBAUDIT_BREACH_KEY": breach_key, "DBAUDIT_DB": str(store.files.audit.resolve())}
    with tempfile.TemporaryFile(dir=folder) as stdin, tempfile.TemporaryFile(dir=folder) as stderr:
        stdin.write(line.encode())
        stdin.seek(0)
        try:
            words = plan.command_words(command)
            process = subprocess.Popen(words, stdin=stdin, stdout=subprocess.DEVNULL, stderr=stderr, env=variables, start_new_session=True)
        except (OSError, UsageError) as error:
            return Told(None, f"it could not be started: {(getattr(error, 'strerror', None) or str(error)).lower()}.")
        try:
            exit_code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            return Told(None, f"it did not end within {timeout:g} seconds and was killed.", is_hanging=True)
        finally:
            _end(process)
        return Told(exit_code, _tail(stderr))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command that still runs, with all that it started and that did not leave its process group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _tail(stderr: IO[bytes]) -> str | None:
    """The last lines of what a command said, without what would steer a terminal; it may have said very much."""
    stderr.seek(max(0, stderr.seek(0, os.SEEK_END) - _TOLD_BYTES))
    lines = stderr.read().decode("utf-8", errors="replace").strip().splitlines()[-_TOLD_LINES:]
    return "\n".join(map(printable, lines))[-_TOLD_CHARACTERS:] or None
