"""One measurement in a process of its own: registering and mining, an audit, a peer on its problem, a sweep, or a miner.

    python -m benchmarks.knowledge.measure JOB      (JOB: the JSON of a method's name, its folder and its options; the parent side is `measured`)

The answer is the last line of JSON on stdout.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from benchmarks.republishing.measure import Clock, _peak_gb, _proven_bits
from benchmarks.solver.measure import ROOT, THREADS, _gigabytes, _is_out_of_memory

if TYPE_CHECKING:
    from benchmarks.solver.peers import Attempt, Bools, Floats
    from dbaudit import AuditSpec, Store
    from dbaudit.maxent import Problem
    from dbaudit.problem import OpenPart

AUDIT_STAGES = ("read", "solve", "write", "finish")
DATASET = "people"
MEMORY_LIMIT = 12 * 10**9  # of a peer's address space

Figures = dict[str, Any]


def measured(method: str, folder: Path, **options: Any) -> Figures:
    """Run it in a fresh process with one thread for linear algebra; DuckDB may use every core, and CPU time counts them all.

    A peer that its alarm stopped, or that ran out of memory, gives a status and what it had used until then; everything else must end well.
    """
    job = json.dumps({"method": method, "folder": str(folder), **options})
    with tempfile.TemporaryFile("w+") as complaint:
        child = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.knowledge.measure", job],
            cwd=ROOT,
            env={**os.environ, **THREADS},
            stdout=subprocess.PIPE,
            stderr=complaint,
            text=True,
        )
        assert child.stdout is not None
        with child.stdout as stream:
            said = [json.loads(line) for line in stream if line.startswith("{")]
        _, code, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(code)
        complaint.seek(0)
        complaints = complaint.readlines()
    answer: Figures = {name: value for line in said for name, value in line.items()}
    used = {"cpu": usage.ru_utime + usage.ru_stime - answer.get("cpu_before", 0.0), "peak_gb": _gigabytes(usage.ru_maxrss)}
    if child.returncode == -signal.SIGALRM:
        return {**answer, **used, "status": f"stopped at {options['limit']:.0f} s", "is_stopped": True}
    if child.returncode and "limit" in options and _is_out_of_memory(complaints):
        return {**answer, **used, "status": "out of memory", "is_stopped": True}
    if child.returncode:
        raise SystemExit(f"{job} did not end well:\n{''.join(complaints)[-2000:]}")
    return answer


# --- The child's side: through the library -----------------------------------------------------------------------------


def prepare(folder: Path) -> Figures:
    """Make a store, register the truth and the release if there is one."""
    from benchmarks.knowledge.records import ATTRIBUTES, SENSITIVE
    from dbaudit import DatasetSpec, ReleaseSpec, Store, add_dataset, add_release

    for old in folder.glob("store*"):
        old.unlink()
    clock = Clock()
    clock.enter("register")
    store = Store.create(folder / "store.duckdb")
    add_dataset(store, DatasetSpec(DATASET, ATTRIBUTES, (SENSITIVE,), id="id", microdata=folder / "truth.parquet"))
    if (folder / "release.parquet").exists():
        add_release(store, ReleaseSpec(DATASET, "r1", "bucketized", folder / "release.parquet", bucket="bucket"))
    clock.enter(None)
    return {"stages": clock.stages}


def mine(folder: Path, positive: int, negative: int, min_support: int) -> Figures:
    """Mine the strongest rules from the store and keep them there, in place of those mined before."""
    from dbaudit import MiningSpec, Store, mine_rules

    clock = Clock()
    with _steps() as steps:
        clock.enter("mine")
        found = mine_rules(Store(folder / "store.duckdb"), DATASET, MiningSpec(positive, negative, min_support))
        clock.enter(None)
    return {"stages": clock.stages, "steps": steps, "positive_count": found.positive_count, "negative_count": found.negative_count}


def audit(folder: Path, rules: int, whole: bool) -> Figures:
    """Audit under a bound in a copy of the store, which stays for those who want its problem."""
    from dbaudit import Store, run_audit

    home = _home(folder, rules, whole)
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    for file in folder.glob("store*.duckdb"):
        shutil.copy(file, home)
    _warm_up()
    clock = Clock()
    with _timed_solve(clock) as solves, _steps() as steps:
        clock.enter("read")
        row = run_audit(Store(home / "store.duckdb"), _spec(rules, whole), _finish(clock)).row
        clock.enter(None)
    nothing = {"wall": 0.0, "cpu": 0.0, "peak_gb": 0.0}
    stages = {stage: clock.stages.get(stage, nothing) for stage in AUDIT_STAGES}
    kept = ("status", "max_residual", "duality_gap", "subject_count", "cell_count", "constraint_count", "message")
    return {"stages": stages, "steps": steps, "solves": solves, **{name: row[name] for name in kept}}


def sweep(folder: Path, bounds: list[int]) -> Figures:
    """Audit under each bound, every solve beginning where the one before ended."""
    from dbaudit import run_sweep

    return _solves(folder, lambda store: run_sweep(store, _spec(0, whole=False), tuple(bounds)))


def alone(folder: Path, bounds: list[int]) -> Figures:
    """The same audits in the same order and in one process, none of them told of the others."""
    from dbaudit import run_audit

    return _solves(folder, lambda store: [run_audit(store, _spec(bound, whole=False)) for bound in bounds])


def _solves(folder: Path, work: Callable[[Store], Any]) -> Figures:
    from dbaudit import Store

    with tempfile.TemporaryDirectory(dir=folder) as name:
        for file in folder.glob("store*.duckdb"):
            shutil.copy(file, name)
        clock = Clock()
        with _timed_solve(clock) as solves:
            wall, cpu = time.perf_counter(), time.process_time()
            work(Store(Path(name) / "store.duckdb"))
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"wall": wall, "cpu": cpu, "solves": solves}


def _warm_up() -> None:
    """Solve something tiny: what SciPy loads when it is first used is no more the solver's time than cvxpy's import is its."""
    import numpy as np
    import scipy.sparse as sp

    from dbaudit.maxent import Problem, solve

    ones = np.ones(2)
    solve(Problem(np.repeat(np.arange(2), 3), ones, sp.csr_array(np.array([[1.0, 0, 0, 1, 0, 0], [0, 1, 0, 0, 0, 1]])), 0.7 * ones, 0.7 * ones))


def _home(folder: Path, rules: int, whole: bool) -> Path:
    return folder / f"{rules}-{'whole' if whole else 'relevant'}"


def _spec(rules: int, whole: bool) -> AuditSpec:
    from dbaudit import AuditSpec

    return AuditSpec(DATASET, mined=((rules + 1) // 2, rules // 2), full_model=whole, accuracy=True)


def _finish(clock: Clock) -> Callable[[str, float | None], None]:
    return lambda doing, _share: clock.enter("finish") if doing == "certifying" else None


@contextmanager
def _timed_solve(clock: Clock) -> Iterator[list[Figures]]:
    """Each call of the solver as a stage, and its CPU seconds and Newton steps in a list, by the number of constraints."""
    from dbaudit.maxent import solve

    solves: list[Figures] = []

    def timed(problem: Problem, **options: Any) -> Any:
        clock.enter("solve")
        wall, cpu = time.perf_counter(), time.process_time()
        solution = solve(problem, **options)
        used = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
        solves.append({**used, "iterations": solution.iterations, "row_count": problem.row_count, "cell_count": problem.cell_count})
        clock.enter("write")
        return solution

    with patch("dbaudit.audit.solve", timed):
        yield solves


@contextmanager
def _steps() -> Iterator[dict[str, float]]:
    """CPU seconds of each step of SQL."""
    from dbaudit.store import Session

    seconds: dict[str, float] = {}

    def timed(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Session, step: str, *arguments: Any, **options: Any) -> Any:
            begin = time.process_time()
            try:
                return method(self, step, *arguments, **options)
            finally:
                seconds[step] = seconds.get(step, 0.0) + time.process_time() - begin

        return call

    methods: dict[str, Any] = {name: timed(getattr(Session, name)) for name in ("run", "rows", "arrow")}
    with patch.multiple(Session, **methods):
        yield seconds


# --- The child's side: others on the same problem ----------------------------------------------------------------------


def judge(folder: Path, rules: int) -> Figures:
    """Our two answers on the whole problem: of the audit as it is, and of the one that sent everything to the solver."""
    import numpy as np

    from benchmarks.solver import peers
    from dbaudit import Store

    part, whole, _, bound = _stored(_home(folder, rules, whole=True))
    with Store(_home(folder, rules, whole=True) / "store.duckdb").reading() as session:
        first = "select subject_id, min(person) as person from result.subject_person join published.person using (person_id) where audit_id = 1 group by all"
        someone = dict(session.engine.rows("somebody of each subject", first))
    with Store(_home(folder, rules, whole=False) / "store.duckdb").reading() as session:
        told = {
            (person, value): probability
            for person, value, probability in session.engine.rows("answer", "select person, value, probability from report.posterior")
        }
    names = zip(part.cells["subject_id"].to_pylist(), part.cells["value"].to_pylist(), strict=True)
    relevant = np.array([told.get((someone[subject], value), 0.0) for subject, value in names])
    return {
        "cell_count": part.problem.cell_count,
        "row_count": part.problem.row_count,
        "whole": _judged(part.problem, whole, bound),
        "relevant": {**_judged(part.problem, relevant, bound), "largest_difference": float(np.max(np.abs(relevant - whole)))},
        "entropy_bits": peers.entropy(part.problem, whole),
    }


def peer(folder: Path, rules: int, name: str, limit: float) -> Figures:
    """clarabel, full_dual: on the whole problem; clarabel_relevant: on the problem that the audit as it is gives to our solver."""
    import numpy as np

    from benchmarks.solver import peers

    if name != "full_dual":
        import cvxpy  # noqa: F401  (its import is not the solver's time)
    part, ours, _, bound = _stored(_home(folder, rules, whole=name != "clarabel_relevant"))
    _limit(limit * 1.1 + 5)  # both can stop themselves; then there is an answer to judge
    method = {"full_dual": peers.full_dual}.get(name, peers.clarabel)
    wall, cpu = time.perf_counter(), time.process_time()
    attempt: Attempt = method(part.problem, limit)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {
        "status": attempt.status,
        # Clarabel calls an answer almost solved that it has when its time is up.
        "is_stopped": attempt.status.startswith("stopped at") or attempt.status == "MaxTime" or attempt.solver_wall >= limit,
        "iterations": attempt.iterations,
        "wall": attempt.solver_wall or wall,
        "cpu": cpu - attempt.compile_cpu,
        "cpu_with_modelling": cpu,
        "peak_gb": _peak_gb(),
        **_judged(part.problem, attempt.probability, bound),
        "largest_difference": float(np.max(np.abs(attempt.probability - ours))),
        "ours": _judged(part.problem, ours, bound),
    }


def _stored(home: Path) -> tuple[OpenPart, Floats, Bools, float]:
    """The problem of the audit in a store; the answer found there, which cells it proved, and the bound that its prices prove."""
    from dbaudit import Store, problem

    with Store(home / "store.duckdb").reading() as session:
        part = problem.read(session, 1)
        assert part is not None, "the caller knows where the solver was needed"
        ours, price = problem.answer(session, 1), problem.prices(session, 1)
        forced = "select is_forced from cell_position join result.posterior using (subject_id, place, value) where audit_id = 1 order by cell"
        is_forced = session.engine.arrow("proven", forced)["is_forced"].to_numpy(zero_copy_only=False)
    assert (part.problem.lower == part.problem.upper).all(), "the bound is one for equations"
    return part, ours, is_forced, _proven_bits(part.problem, price, (ours > 0) | ~is_forced)


def _judged(whole: Problem, probability: Floats, bound: float) -> Figures:
    """Everybody's residual and gap from one formula; the bound is the one that our prices prove."""
    from benchmarks.solver import peers

    return {"residual": peers.residual(whole, probability), "gap": abs(bound / peers.entropy(whole, probability) - 1)}


def _limit(seconds: float) -> None:
    """From here on: so many seconds on the clock, then the alarm ends the process; and no more memory than is allowed."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    print(json.dumps({"cpu_before": time.process_time()}), flush=True)
    signal.setitimer(signal.ITIMER_REAL, seconds)


# --- The child's side: other miners ------------------------------------------------------------------------------------


def miner(folder: Path, name: str, way: str, min_support: int, strongest: int, limit: float) -> Figures:
    """Frequent itemsets by somebody else, and the digest of the positive rules that they make; where conditions were counted too, the strongest of them."""
    from benchmarks.knowledge import miners

    records, columns = miners.read(folder / "truth.parquet")
    work = miners.METHODS[name, way](records, columns, min_support)
    _limit(limit)
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    told: Figures = {"status": "done", "is_stopped": False, "wall": wall, "cpu": cpu, "peak_gb": _peak_gb()}
    if way == "plain":
        begin = time.process_time()
        told["ranked_digest"] = miners.digest(miners.strongest(found(), strongest))
        told["ranked_cpu"] = cpu + time.process_time() - begin
    rules = miners.whole(found())
    return {**told, "rule_count": len(rules), "digest": miners.digest(rules)}


def mined(folder: Path) -> Figures:
    """The digest of the positive rules that our miner left in the store."""
    from benchmarks.knowledge import miners

    rules = miners.stored_rules(folder / "store.duckdb", is_positive=True)
    return {"rule_count": len(rules), "digest": miners.digest(rules)}


def top(folder: Path, rules: int, min_support: int) -> Figures:
    """Whether the rules in the store are those that the independent miner of `benchmarks.solver` finds."""
    from benchmarks.knowledge import miners

    ours = (miners.stored_rules(folder / "store.duckdb", is_positive=kind) for kind in (True, False))
    return {"is_same": tuple(ours) == miners.independent(folder / "truth.parquet", rules, min_support)}


METHODS: dict[str, Callable[..., Figures]] = {method.__name__: method for method in (prepare, mine, audit, sweep, alone, judge, peer, miner, mined, top)}
OURS = ("prepare", "mine", "audit", "sweep", "alone")

if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    if asked["method"] in OURS:
        # It is there for a peer alone; but where it is installed, Arrow imports it to hand over its first array, and our clock would run.
        with suppress(ImportError):
            import_module("pandas")
    print(json.dumps(METHODS[asked.pop("method")](Path(asked.pop("folder")), **asked)))
