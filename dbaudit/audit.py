"""Run one audit end to end: fix its scope, divide the persons into subjects, answer them, certify and store the answer."""

from __future__ import annotations

import datetime
import hashlib
import importlib.metadata
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from dbaudit import knowledge, mining, person, problem
from dbaudit.dataset import Dataset, find_dataset
from dbaudit.errors import ExitCode, UsageError
from dbaudit.maxent import Infeasible, NotSolved, solve
from dbaudit.release import sweep_removed_releases, sweep_truth
from dbaudit.spec import AuditSpec
from dbaudit.store import Session, Store

Watch = Callable[[str, float | None], None]
"""Told what is going on, and which share of it is done where that is known."""

_EXIT_CODES = {"solved": ExitCode.PASSED, "infeasible": ExitCode.CONTRADICTION, "failed": ExitCode.NOT_SOLVED}
_NAMED = 20  # figures or buckets that a message lists at most
_AGAINST = {True: "cannot be true of these publications", False: "contradicts what was published"}
_COMPUTED_WITH = ("dbaudit", "duckdb", "numpy", "scipy", "highspy")


@dataclass(frozen=True)
class Outcome:
    """An audit that ended: its row in result.audit, and remarks that belong to it."""

    row: dict[str, Any]
    remarks: list[str] = field(default_factory=list)
    rules: mining.Assumed = field(default_factory=mining.Assumed)

    @property
    def audit_id(self) -> int:
        """The audit's key."""
        return int(self.row["audit_id"])

    @property
    def exit_code(self) -> ExitCode:
        """How a command ends that ran this audit."""
        return ExitCode.BREACHED if self.row["verdict"] == "breach" else _EXIT_CODES[self.row["status"]]


@dataclass(frozen=True)
class _Scope:
    dataset: Dataset
    releases: list[dict[str, Any]]
    remarks: list[str]

    @property
    def unit(self) -> str:
        return "record" if self.dataset.unit == "record" or any(release["unit"] == "record" for release in self.releases) else "person"


def run_audit(store: Store, spec: AuditSpec, watch: Watch | None = None) -> Outcome:
    """Work out what the releases in scope give away.

    Everything is stored together at the end, or nothing is. Contradictory publications and an answer without a
    certificate are stored too, as what they are: status infeasible or failed, verdict unknown, no probabilities.
    """
    with store.writing(truth=spec.accuracy) as session:
        return audit_in(session, spec, watch or (lambda _stage, _share: None))


def audit_in(
    session: Session, spec: AuditSpec, tell: Watch, *, mined: mining.Base | None = None, start_from: int | None = None, must_know_truth: bool = True
) -> Outcome:
    """The same in a session that is open.

    mined       the rules that were just mined in this session (`mining.mine`) are assumed instead of those that the adversary keeps
    start_from  an audit whose prices the solver may begin with: the answer is the same, and found sooner if much is alike
    must_know_truth  whether an accuracy that cannot be measured is an error, or just not measured
    """
    scope = _find_scope(session, spec)
    audit_id = _begin(session, spec, scope)
    tell("finding who can be told apart", None)
    _fix_meaning(session, audit_id, scope)
    has_names, remarks = person.enter(session, audit_id, scope.dataset, [release["release"] for release in scope.releases])
    scope.remarks.extend(remarks)
    statement_count, rules = _assume(session, audit_id, spec, scope, mined)
    for step in ("subject_person", "subject_bucket"):
        session.run(f"write/{step}", audit_id=audit_id)
    if has_names:
        person.seek(session, audit_id)
    session.run("write/subject", audit_id=audit_id)
    if not session.engine.value("anybody", "select count(*) from result.subject where audit_id = ?", [audit_id]):
        raise UsageError(f"nobody is known to be in {spec.dataset}: register a release, or declare the dataset with --population.")
    if spec.bounds_for:
        _refuse_strangers(session, audit_id, spec)
    try:
        _answer(session, audit_id, spec, scope, tell, start_from, is_anything_known=bool(statement_count or rules.digest), must_know_truth=must_know_truth)
    except Infeasible as contradiction:
        message, conflict = _explained(session, audit_id, contradiction)
        _fail(session, audit_id, "infeasible", message, conflict=conflict)
    except NotSolved as attempt:
        _fail(session, audit_id, "failed", f"No answer could be certified: {attempt}", measured=(attempt.residual, attempt.duality_gap))
    tell("storing", None)
    return Outcome(_row(session, audit_id), scope.remarks, rules)


def list_audits(store: Store) -> list[dict[str, Any]]:
    """All audits, oldest first."""
    with store.reading() as session:
        return [_readable(row) for row in session.engine.dicts("audits", "select * from result.audit order by audit_id")]


def show_audit(store: Store, audit_id: int | None = None) -> dict[str, Any]:
    """One audit with what it read; the latest where no id is given."""
    with store.reading() as session:
        row = _row(session, find_audit(session, audit_id))
        inputs = session.engine.dicts("inputs", "select kind, name, digest from result.audit_input where audit_id = ? order by all", [row["audit_id"]])
        return {**row, "inputs": inputs}


def remove_audit(store: Store, audit_id: int) -> None:
    """Remove an audit and all that it found, and what was kept for it alone."""
    with store.writing() as session:
        session.remove_rows("audit_id", find_audit(session, audit_id), schema="result")
        has_truth = sweep_removed_releases(session)
    if has_truth:
        sweep_truth(store)


def find_audit(session: Session, audit_id: int | None) -> int:
    """The key of an audit that exists; the latest where none is given."""
    if audit_id is None:
        audit_id = session.engine.value("latest audit", "select max(audit_id) from result.audit")
        if audit_id is None:
            raise UsageError("there is no audit yet. Run one with: dbaudit audit DATASET")
    elif not session.engine.value("audit", "select count(*) from result.audit where audit_id = ?", [audit_id]):
        raise UsageError(f"there is no audit {audit_id}. See: dbaudit audits list")
    return audit_id


# -- scope


def _find_scope(session: Session, spec: AuditSpec) -> _Scope:
    dataset = find_dataset(session, spec.dataset)
    knowledge.find_adversary(session, spec.adversary)
    releases = _chosen(session.rows("read/release_choice", dataset_id=dataset.dataset_id), spec)
    remarks = [f"release {release['release']} was withdrawn, but it has been seen and counts." for release in releases if release["state"] == "withdrawn"]
    if not dataset.id and dataset.population_source:
        if len(releases) != 1:
            raise UsageError(
                f"{dataset.name} has a population without ids, which can be set against exactly one release, not {len(releases)}: "
                "choose it with --releases NAME."
            )
        if releases[0]["form"] == "generalized":
            raise UsageError(
                f"the population of {dataset.name} has no ids, and release {releases[0]['release']} is generalized: nobody can be matched. "
                "Declare the dataset with --id."
            )
    if not dataset.id and not dataset.link and len(releases) > 1:
        remarks.append(
            "without ids nobody is followed from release to release: each record counts as another person, and what the releases say together is not seen."
        )
    scope = _Scope(dataset, releases, remarks)
    if scope.unit == "record":
        remarks.append("each record was audited as a person of its own: somebody with several records is exposed more than any of them tells.")
    return scope


def _chosen(known: list[dict[str, Any]], spec: AuditSpec) -> list[dict[str, Any]]:
    """The releases in scope: those named; else all that were ever published, with the candidate if one is named."""
    by_name = {release["release"]: release for release in known}
    unknown = [name for name in (*spec.releases, *([spec.candidate] if spec.candidate else [])) if name not in by_name]
    if unknown:
        raise UsageError(f"{spec.dataset} has no release {unknown[0]}. " + (f"Known: {', '.join(by_name)}." if by_name else ""))
    if spec.candidate and by_name[spec.candidate]["state"] != "candidate":
        raise UsageError(f"release {spec.candidate} is {by_name[spec.candidate]['state']}, not a candidate: it counts without being named.")
    if spec.releases:
        return [release for release in known if release["release"] in spec.releases]
    return [release for release in known if release["state"] != "candidate" or release["release"] == spec.candidate]


def _begin(session: Session, spec: AuditSpec, scope: _Scope) -> int:
    engine = session.engine
    audit_id = int(engine.value("key", "select nextval('result.audit_key')"))
    session.run(
        "write/audit",
        audit_id=audit_id,
        dataset=spec.dataset,
        adversary=spec.adversary,
        releases=[release["release"] for release in scope.releases],
        started_at=_now(),
        dataset_id=scope.dataset.dataset_id,
        unit=scope.unit,
        is_full_model=spec.full_model,
        options=json.dumps(asdict(spec)),
        versions=json.dumps({name: importlib.metadata.version(name) for name in _COMPUTED_WITH}),
    )
    inputs = [("release", release["release"], release["digest"]) for release in scope.releases]
    population = engine.value("population", "select population_digest from published.dataset where dataset_id = ?", [scope.dataset.dataset_id])
    if population:
        inputs.append(("population", scope.dataset.population_source or "", population))
    domain = engine.rows(
        "domain", "select value from published.domain_value where dataset_id = ? and source = 'declared' order by value", [scope.dataset.dataset_id]
    )
    if domain:
        inputs.append(("domain", "declared", hashlib.sha256("\n".join(value for (value,) in domain).encode()).hexdigest()))
    hierarchies = "select column_name, digest from published.hierarchy where dataset_id = ? order by column_name"
    inputs += [("hierarchy", column, digest) for column, digest in engine.rows("hierarchies", hierarchies, [scope.dataset.dataset_id])]
    inputs += knowledge.inputs(session, scope.dataset, spec.adversary)
    inputs += person.inputs(session, scope.dataset)
    for release in scope.releases:
        engine.run("scope", "insert into result.audit_release values (?, ?)", [audit_id, release["release_id"]])
    for kind, name, digest in inputs:
        engine.run("input", "insert into result.audit_input values (?, ?, ?, ?)", [audit_id, kind, name, digest])
    return audit_id


def _fix_meaning(session: Session, audit_id: int, scope: _Scope) -> None:
    """Fix what the audit takes the publications to say: which records are one person, and what coarser values stand for."""
    engine, known = session.engine, {"audit_id": audit_id, "dataset_id": scope.dataset.dataset_id}
    if engine.value("hierarchies", "select count(*) from published.hierarchy where dataset_id = ?", [scope.dataset.dataset_id]):
        for step in ("value_leaf", "audit_value_leaf", "leaf_part"):
            session.run(f"write/{step}", **known)
    if scope.dataset.link == "qi" and len(scope.releases) > 1:
        session.run("write/linked_person", **known)
        linked = engine.value("linked", "select count(distinct person_id) from result.linked_person where audit_id = ?", [audit_id])
        records = "whose quasi-identifiers are unique in every release that shows them; each is named after the earliest record."
        scope.remarks.append(f"{linked} {'person was' if linked == 1 else 'persons were'} linked across releases, {records}")


def _assume(session: Session, audit_id: int, spec: AuditSpec, scope: _Scope, mined: mining.Base | None) -> tuple[int, mining.Assumed]:
    """Fix what the adversary's statements and rules mean here; returns how many statements there are, and the rules."""
    dataset = scope.dataset
    if mined is None and not session.row("read/is_anything_known", dataset_id=dataset.dataset_id, adversary=spec.adversary)["is_known"]:
        return 0, mining.Assumed()
    session.run("write/statement_scope", audit_id=audit_id)
    session.run("write/statement_tuple")
    statement_count = knowledge.assume(session, audit_id, dataset, spec.adversary)
    if mined is not None:
        rules = mining.assume_mined(session, audit_id, dataset, mined, spec.mined or (0, 0))
    else:
        rules = mining.assume_kept(session, audit_id, dataset, spec.adversary, spec.mined)
    if rules.digest is not None:
        name = f"{rules.positive_count} positive, {rules.negative_count} negative"
        session.engine.run("input", "insert into result.audit_input values (?, 'rules', ?, ?)", [audit_id, name, rules.digest])
    if rules.left_out_count:
        scope.remarks.append(
            f"{rules.left_out_count} mined rules were left out: they speak of other persons than are in scope now. Mine them again: dbaudit knowledge mine"
        )
    return statement_count, rules


# -- the answer


def _answer(
    session: Session, audit_id: int, spec: AuditSpec, scope: _Scope, tell: Watch, start_from: int | None, *, is_anything_known: bool, must_know_truth: bool
) -> None:
    engine = session.engine
    tell("answering what needs no solver", None)
    session.run("write/closed_posterior", audit_id=audit_id)
    _refuse_the_valueless(session, audit_id, scope)
    part = problem.read(session, audit_id)
    if is_anything_known:
        scope.remarks.extend(_refuse_idle(session, audit_id, part))
    residual = gap = 0.0
    components = 0
    if part is not None:
        start = problem.prices(session, start_from) if start_from is not None else None
        solution = solve(part.problem, start=start, progress=lambda progress: tell(f"solving: {progress.stage}", progress.done))
        residual, gap, components = solution.residual, solution.duality_gap, solution.component_count
        problem.write(session, audit_id, part, solution)
    if spec.bounds or spec.bounds_for or spec.bounds_worst:
        tell("working out what is certain", 0.0)
        session.run("write/bound_subject", audit_id=audit_id, persons=list(spec.bounds_for) or None, worst=spec.bounds_worst or None)
        session.run("write/closed_bound", audit_id=audit_id)
        if part is not None:
            chosen = engine.arrow("subjects", "select subject_id from bound_subject")["subject_id"].to_numpy().astype(np.int64)
            problem.write_bounds(session, audit_id, part, chosen, lambda share: tell("working out what is certain", share))
    tell("certifying", None)
    if spec.accuracy:
        _measure_accuracy(session, audit_id, scope, must_know_truth)
    if spec.max_probability is not None:
        session.run("write/finding", audit_id=audit_id, max_probability=spec.max_probability)
    scope.remarks.extend(_disagreement(session, audit_id, scope))
    scope.remarks.extend(_borrowed_domain(session, audit_id))
    session.run(
        "write/finish_audit",
        audit_id=audit_id,
        finished_at=_now(),
        residual=residual,
        duality_gap=gap,
        open_component_count=components,
        max_probability=spec.max_probability,
        message=" ".join(scope.remarks) or None,
    )


def _measure_accuracy(session: Session, audit_id: int, scope: _Scope, must_know_truth: bool) -> None:
    """How far the answer is from the truth, quasi-identifier by quasi-identifier, summed up: nothing about anybody leaves the file of the truth."""
    if not session.row("read/is_truth_known", audit_id=audit_id)["is_known"]:
        if not must_know_truth:
            return
        raise UsageError(
            f"the truth of {scope.dataset.name}, or of the releases in scope, is not in the store, so that no accuracy can be measured. "
            "Declare the dataset with --microdata FILE, or give --microdata with a release."
        )
    session.run("write/accuracy", audit_id=audit_id)


def _disagreement(session: Session, audit_id: int, scope: _Scope) -> list[str]:
    """A remark where a person's quasi-identifiers differ between the sources; a single source cannot disagree with itself."""
    if len(scope.releases) + bool(scope.dataset.population_source) < 2:
        return []
    count = session.engine.value("sources", "select count(*) from report.quasi_identifier_conflict where audit_id = ?", [audit_id])
    chosen = "the population counts, else the latest release that does not generalize (report.quasi_identifier_conflict)."
    return [f"the quasi-identifiers of {count} {'person' if count == 1 else 'persons'} differ between the sources; {chosen}"] if count else []


def _borrowed_domain(session: Session, audit_id: int) -> list[str]:
    """A remark where values that only the truth shows were taken to be known to be possible."""
    count = session.row("read/borrowed_domain", audit_id=audit_id)["person_count"]
    told = "stands in no release in scope; its possible values were" if count == 1 else "stand in no release in scope; their possible values were"
    return (
        [f"{count} of the persons {told} taken from the microdata, as if others knew which values exist. Declare them with --domain to decide that."]
        if count
        else []
    )


def _refuse_idle(session: Session, audit_id: int, part: problem.OpenPart | None) -> list[str]:
    """Statements that count nobody: a contradiction where that is not what they say, and otherwise a remark."""
    found = problem.lend(session, "idle_row", problem.idle_rows(part), lambda: knowledge.idle(session, audit_id, is_all_closed=part is None))
    impossible, vacuous = found
    if impossible:
        raise Infeasible(impossible[:1])
    return [f"{key} says nothing here: nobody of whom it speaks can have such a value, or there is nobody." for key in vacuous]


def _refuse_the_valueless(session: Session, audit_id: int, scope: _Scope) -> None:
    """Somebody in no release, where no value is known at all: there is nothing to audit."""
    without = session.row("read/unanswered", audit_id=audit_id)["person_count"]
    if without:
        raise UsageError(
            f"{without} persons of {scope.dataset.name} stand in no release in scope, and no sensitive value is known: "
            "declare the dataset with --domain, or add a release to the scope."
        )


def _refuse_strangers(session: Session, audit_id: int, spec: AuditSpec) -> None:
    known = session.rows("read/person_known", audit_id=audit_id, persons=list(spec.bounds_for))
    strangers = sorted(set(spec.bounds_for) - {row["person"] for row in known})
    if strangers:
        raise UsageError(f"nobody in scope is called {strangers[0]} (--bounds-for).")


def _explained(session: Session, audit_id: int, contradiction: Infeasible) -> tuple[str, list[str]]:
    """Name what contradicts: the figures and statements, or the persons who have no value left and the buckets where they stand."""
    keys = contradiction.labels
    if contradiction.subjects:
        open_subjects = session.arrow("read/open_subject", audit_id=audit_id)["subject_id"]
        first = open_subjects[contradiction.subjects[0]].as_py()
        told = session.row("read/without_value", audit_id=audit_id, subject_id=first)
        stand = "stand" if told["is_several"] else "stands"
        where = " and in ".join(told["buckets"])
        return f"The publications contradict each other: {told['persons']} {stand} in {where}, which have no value in common.", told["buckets"]
    statements = [key for key in keys if key in _assumed(session, audit_id)]
    listed = "; ".join(keys[:_NAMED]) + (f"; and {len(keys) - _NAMED} more" if len(keys) > _NAMED else "")
    what = "figures" if not statements else "statements" if len(statements) == len(keys) else "figures and statements"
    claim = (
        f"{listed} cannot hold." if len(keys) == 1 else f"these {len(keys)} {what} cannot hold together, but without any one of them the rest can: {listed}."
    )
    excluding = [f"{row['bucket']} (no {row['excluded']})" for row in session.rows("read/excluding_bucket", audit_id=audit_id, keys=keys)]
    if excluding:
        claim += f" Persons counted there also stand in {'; '.join(excluding[:_NAMED])}{'; and more' if len(excluding) > _NAMED else ''}."
    who = "The publications contradict each other" if not statements else f"What is assumed to be known {_AGAINST[len(statements) == len(keys)]}"
    return f"{who}: {claim}", keys


def _assumed(session: Session, audit_id: int) -> set[str]:
    return {key for (key,) in session.engine.rows("statements", "select constraint_key from model.knowledge where audit_id = ?", [audit_id])}


def _fail(
    session: Session, audit_id: int, status: str, message: str, *, conflict: Iterable[str] = (), measured: tuple[float | None, float | None] = (None, None)
) -> None:
    """Keep an audit that has no answer, without anything that looks like one."""
    engine = session.engine
    for table in ("posterior", "multiplier", "bound"):
        engine.run("no answer", f"delete from result.{table} where audit_id = ?", [audit_id])
    for key in conflict:
        engine.run("conflict", "insert into result.conflict values (?, ?)", [audit_id, key])
    session.run("write/fail_audit", audit_id=audit_id, finished_at=_now(), status=status, message=message, residual=measured[0], duality_gap=measured[1])


def _row(session: Session, audit_id: int) -> dict[str, Any]:
    (row,) = session.engine.dicts("audit", "select * from result.audit where audit_id = ?", [audit_id])
    return _readable(row)


def _readable(row: dict[str, Any]) -> dict[str, Any]:
    """A row of result.audit with its options and versions as objects."""
    return {**row, "options": json.loads(row["options"]), "versions": json.loads(row["versions"])}


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
