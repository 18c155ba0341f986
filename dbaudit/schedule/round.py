"""Run schedules: what is due, or one that somebody asks for.

A run is claimed in one short transaction, each of its audits is one (with what was judged), and its end is one, together
with what has to be told and when the schedule is due next. The command is told after that, outside of any. All of it
happens while the process holds the round's lock, which the system takes back when the process dies: a run that is marked
as running while somebody else has the lock is dead, is marked as failed, and its schedule is due again.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dbaudit.audit import Outcome, Watch, run_audit
from dbaudit.dataset import find_dataset
from dbaudit.errors import DbauditError, ExitCode, StoreError
from dbaudit.report import plural
from dbaudit.schedule import breach, folder, plan
from dbaudit.schedule.book import corrected, find_schedule
from dbaudit.schedule.lock import Joined, RoundRunning, only_round
from dbaudit.spec import AuditSpec
from dbaudit.store import Session, Store

# Gravest first: no answer, then a breach, then input and usage that need somebody's hand.
_GRAVITY = (ExitCode.CONTRADICTION, ExitCode.NOT_SOLVED, ExitCode.BREACHED, ExitCode.REJECTED, ExitCode.USAGE)


@dataclass(frozen=True)
class Round:
    """What a round did: the rows of report.schedule_run and report.schedule_event that it added, and what became of what it told."""

    runs: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)
    is_busy: bool = False
    exit_codes: frozenset[ExitCode] = frozenset()

    @property
    def exit_code(self) -> ExitCode:
        """How a command ends that ran this round: by the gravest of what it found, or could not tell."""
        untold = {ExitCode.BREACHED if told["verdict"] == "breach" else ExitCode.USAGE for told in self.told if told["status"] == "failing"}
        return next((code for code in _GRAVITY if code in self.exit_codes | untold), ExitCode.PASSED)

    def as_data(self) -> dict[str, Any]:
        """The round for programs."""
        return {"is_busy": self.is_busy, "runs": self.runs, "events": self.events, "told": self.told}

    @property
    def words(self) -> list[str]:
        """A line for each thing that happened."""
        return [*map(_event_in_words, self.events), *map(_run_in_words, self.runs), *map(_told_in_words, self.told)]


def run_due(store: Store, *, now: datetime.datetime | None = None, watch: Watch | None = None) -> Round:
    """Run every schedule that is due, each once however often it was missed, and tell what is still untold.

    Where another round is running already, that one does it: this one ends at once and says so.
    """
    try:
        with only_round(store, wait=0.0):
            return _run_due(store, now, watch)
    except RoundRunning:
        return Round(is_busy=True)


def run_schedule(store: Store, name: str, *, now: datetime.datetime | None = None, watch: Watch | None = None) -> Round:
    """Run one schedule now, even if it is paused. Waits for a round that is running for as long as the store waits."""
    with only_round(store, wait=store.wait):
        with store.writing() as session:
            _bury(session, now)
            claim = _claim(session, find_schedule(session, name), "now", now)
        run = _run(store, claim, now, watch)
        return _gathered(store, [run], breach.tell_all(store, claim["schedule_id"], now))


@dataclass(frozen=True)
class _Found:
    """What became of one run."""

    run_id: int
    exit_codes: frozenset[ExitCode]
    events: list[dict[str, Any]]
    mistake: Exception | None = None


@dataclass(frozen=True)
class _Judgement:
    """What was found of the history, or of a candidate."""

    candidate: str | None
    verdict: str
    message: str | None
    exit_code: ExitCode
    audit_id: int | None = None
    is_repeated: bool = False
    finding_count: int = 0
    finding_digest: str | None = None


def _run_due(store: Store, now: datetime.datetime | None, watch: Watch | None) -> Round:
    with store.reading() as session:  # most rounds find nothing to do: they write nothing
        ahead = corrected(session, plan.as_utc(now))
        work = session.rows("read/schedule_work", now=plan.as_utc(now))
    if any(row["is_dead"] for row in work):
        with store.writing() as session:
            _bury(session, now)
            work = session.rows("read/schedule_work", now=plan.as_utc(now))
    if ahead:
        with store.writing() as session:
            for name, due in ahead.items():
                session.engine.run("clock was ahead", "update schedule.schedule set next_due = ? where schedule = ?", [due, name])
    runs, told = [], []
    for row in work:
        if row["is_due"]:
            with store.writing() as session:
                claim = _claim(session, find_schedule(session, row["schedule"]), "due", now)
            runs.append(_run(store, claim, now, watch))
        if row["has_command"]:
            told += breach.tell_all(store, row["schedule_id"], now)
    return _gathered(store, runs, told)


def _bury(session: Session, now: datetime.datetime | None) -> None:
    """Mark the runs that died as failed and make their schedules due; what they had judged is judged again."""
    session.run("write/schedule_repeat", now=plan.as_utc(now))
    of_the_dead = "run_id in (select run_id from schedule.run where status = 'running')"
    session.engine.run("judged by the dead", f"delete from schedule.judgement where {of_the_dead}")
    session.run("write/schedule_bury", now=plan.as_utc(now))


def _gathered(store: Store, runs: Sequence[_Found], told: list[dict[str, Any]]) -> Round:
    """What the runs did, once all of it was told; a mistake of ours is raised only now, so that it keeps nobody from anything else."""
    for run in runs:
        if run.mistake is not None:
            raise run.mistake
    if not runs:
        return Round(told=told)
    with store.reading() as session:
        query = "select * from report.schedule_run where run_id = ? order by candidate nulls first"
        rows = [row for run in runs for row in session.engine.dicts("runs", query, [run.run_id])]
    return Round(rows, [event for run in runs for event in run.events], told, exit_codes=frozenset().union(*(run.exit_codes for run in runs)))


# -- one run


def _run(store: Store, claim: dict[str, Any], now: datetime.datetime | None, watch: Watch | None) -> _Found:
    """Carry out a run that was claimed.

    A store that cannot be used ends the round, and the run is repeated. Any other error is the run's own: it is recorded,
    and the other schedules have their turn. A mistake of ours is recorded too, or it would be repeated for ever.
    """
    events: list[dict[str, Any]] = []
    codes: set[ExitCode] = set()
    mistake: Exception | None = None
    try:
        if claim["watch_folder"]:
            events = folder.look(store, claim, plan.as_utc(now))
        with store.reading() as session:
            find_dataset(session, claim["dataset"])
            wanted = session.rows("read/schedule_candidate", schedule_id=claim["schedule_id"])
        codes = {_judge(store, claim, row, watch) for row in wanted}
        _finish(store, claim, None if wanted else "nothing is published yet, and no candidate is there to be audited.", now)
    except StoreError:
        raise
    except DbauditError as error:
        codes = {error.exit_code}
        _fail(store, claim, str(error), now)
    except Exception as error:
        mistake = error
        _fail(store, claim, f"this is a mistake in dbaudit ({type(error).__name__}).", now)
    refused = {ExitCode.REJECTED for event in events if event["state"] == "refused"}
    return _Found(claim["run_id"], frozenset(codes | refused), events, mistake)


def _claim(session: Session, schedule: dict[str, Any], trigger: str, now: datetime.datetime | None) -> dict[str, Any]:
    """Begin a run; returns it together with its schedule, which stays due: only a run that ends moves it on."""
    claim = {
        **schedule,
        "run_id": int(session.engine.value("key", "select nextval('schedule.run_key')")),
        "started_at": plan.as_utc(now),
        "trigger": trigger,
        "due_at": schedule["next_due"] if trigger == "due" else None,
        "process": f"process {os.getpid()} on {socket.gethostname()}",
    }
    session.run("write/schedule_claim", **claim)
    return claim


def _judge(store: Store, claim: dict[str, Any], wanted: dict[str, Any], watch: Watch | None) -> ExitCode:
    """Audit the history, or a candidate on top of it, and keep what was found; both in one transaction."""
    spec = AuditSpec(claim["dataset"], candidate=wanted["candidate"], adversary=claim["adversary"], max_probability=claim["max_probability"])
    try:
        with store.writing() as session:
            outcome = run_audit(Joined(store, session), spec, watch)
            return _keep(session, claim, _judged(session, outcome, wanted, claim))
    except StoreError:
        raise
    except DbauditError as error:  # such as a question that makes no sense for this dataset: no answer, and so never a pass
        with store.writing() as session:
            return _keep(session, claim, _unknown(wanted["candidate"], str(error), error.exit_code))


def _judged(session: Session, outcome: Outcome, wanted: dict[str, Any], claim: dict[str, Any]) -> _Judgement:
    """What an audit means for its schedule. One that says the same as an earlier audit is taken back in favour of that one."""
    audit_id: int = session.row("read/schedule_same_audit", audit_id=outcome.audit_id)["audit_id"]
    is_repeated = audit_id != outcome.audit_id
    if is_repeated:
        session.remove_rows("audit_id", outcome.audit_id, schema="result")  # what it rests on, the earlier one rests on too
    verdict = outcome.row["verdict"]
    findings = session.row("read/schedule_finding_set", audit_id=audit_id)
    message = outcome.row["message"]
    if verdict == "breach":
        found = f"{plural(findings['finding_count'], 'finding')}: a value is more probable than {claim['max_probability']:g}."
        message = f"{found} {message}" if message else found
    digest = None
    if verdict in ("breach", "unknown"):
        digest = _digest(verdict, outcome.row["status"], wanted["digest"] or "", findings["digest"])
    return _Judgement(wanted["candidate"], verdict, message, outcome.exit_code, audit_id, is_repeated, findings["finding_count"], digest)


def _unknown(candidate: str | None, message: str, exit_code: ExitCode) -> _Judgement:
    return _Judgement(candidate, "unknown", message, exit_code, finding_digest=_digest("unknown", message))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x1e".join(parts).encode()).hexdigest()


def _keep(session: Session, claim: dict[str, Any], judgement: _Judgement) -> ExitCode:
    session.run("write/schedule_judgement", run_id=claim["run_id"], **vars(judgement))
    return judgement.exit_code


def _fail(store: Store, claim: dict[str, Any], message: str, now: datetime.datetime | None) -> None:
    """End a run that could not be carried out. Nothing is known then, which is told like a breach."""
    with store.writing() as session:
        session.engine.run("nothing is known", "delete from schedule.judgement where run_id = ?", [claim["run_id"]])
        _keep(session, claim, _unknown(None, message, ExitCode.USAGE))
        _finish_in(session, claim, "failed", message, now)


def _finish(store: Store, claim: dict[str, Any], message: str | None, now: datetime.datetime | None) -> None:
    with store.writing() as session:
        _finish_in(session, claim, "finished", message, now)


def _finish_in(session: Session, claim: dict[str, Any], status: str, message: str | None, now: datetime.datetime | None) -> None:
    """End a run: what it found counts from here on, what is new has to be told, and the schedule moves on to its next time."""
    known = {"run_id": claim["run_id"], "schedule_id": claim["schedule_id"]}
    session.run("write/schedule_finish", **known, status=status, message=message, now=plan.as_utc(now))
    if claim["on_breach"]:
        store_id = session.engine.value("store", "select store_id from main.store")
        for news in session.rows("read/schedule_news", **known):
            session.run("write/schedule_breach", **known, **news, breach_key=breach.key(store_id, claim, news))
        session.run("write/schedule_breach_key", **known)
    # From when the run began, not from when it ended: a time that passed meanwhile is still to come.
    if claim["next_due"] <= claim["started_at"]:
        due = plan.next_due(claim["cron"], claim["time_zone"], claim["started_at"])
        session.engine.run("next time", "update schedule.schedule set next_due = ? where schedule_id = ?", [due, claim["schedule_id"]])


# -- in words


def _event_in_words(event: dict[str, Any]) -> str:
    state = {"waiting": " is waiting", "refused": " was refused", "registered": ""}[event["state"]]
    return f"{event['schedule']}: {event['manifest']}{state}: {event['message']}"


def _run_in_words(run: dict[str, Any]) -> str:
    if run["status"] == "failed":
        return f"{run['schedule']}: run {run['run_id']} failed: {run['message']}"
    if run["verdict"] is None:
        return f"{run['schedule']}: {run['message']}"
    audit = "" if run["audit_id"] is None else f" (audit {run['audit_id']}{', nothing has changed since' if run['is_repeated'] else ''})"
    return f"{_what(run)}: {run['verdict']}{audit}.{' ' + run['message'] if run['message'] else ''}"


def _told_in_words(told: dict[str, Any]) -> str:
    if told["status"] == "void":
        return f"{_what(told)}: {told['message']}"
    ended = f"ended with {told['exit_code']}" if told["exit_code"] is not None else "did not succeed"
    said = f": {told['message']}" if told["message"] else "."
    return f"{_what(told)}: the breach command {ended}{'; it is run again in the next round' if told['status'] == 'failing' else ''}{said}"


def _what(row: dict[str, Any]) -> str:
    """What was audited, or told of."""
    return f"{row['schedule']}: {row['dataset']} {'with candidate ' + row['candidate'] if row['candidate'] else 'as published'}"
