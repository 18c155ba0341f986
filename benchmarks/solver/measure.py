"""One measurement in a child process of its own: one thread, a time limit for each run, its own peak memory.

    python -m benchmarks.solver.measure JOB      (JOB: the JSON of a `Job`; the parent side is `measure`)

The child says on stdout, a line of JSON each, when it starts a run and what came out. The limit counts from the start of a run,
so that generating the problem is not on anybody's clock.
"""

from __future__ import annotations

import json
import os
import queue
import resource
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from benchmarks.solver.peers import Attempt
    from dbaudit.maxent.problem import Problem

ROOT = Path(__file__).resolve().parents[2]
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
PEERS = ("clarabel", "clarabel_presolved", "full_dual")
METHODS = ("ours", *PEERS, "bounds")

# A run shorter than this is repeated as often as asked, after one that only warms up; longer ones three times, then once.
SHORT, MIDDLE = 2.0, 20.0


@dataclass(frozen=True)
class Job:
    """What to measure. workload: a generator's name; table: "adult", "twin" or None where it takes none."""

    workload: str
    arguments: dict[str, Any]
    table: str | None
    method: str
    repeat: int = 5
    limit: float = 600.0
    memory_gb: float = 16.0
    solution: str | None = None  # a file: "ours" writes its answer to it, "clarabel_presolved" reads it


@dataclass
class Measured:
    """What came out. Seconds are the median of `run_count` runs; nan where there is no figure."""

    method: str
    status: str = "no answer"
    wall: float = float("nan")
    cpu: float = float("nan")
    compile_cpu: float = float("nan")
    solver_wall: float = float("nan")
    run_count: int = 0
    is_stopped: bool = False
    residual: float = float("nan")
    duality_gap: float = float("nan")
    entropy: float = float("nan")
    iterations: int = 0
    peak_gb: float = float("nan")
    before_gb: float = float("nan")  # the peak before the first run: the interpreter, the libraries, generating the problem
    size: dict[str, int] = field(default_factory=dict)


def measure(job: Job) -> Measured:
    """Run the job in a child process and wait for it, or kill it at its limit."""
    command = [sys.executable, "-m", "benchmarks.solver.measure", json.dumps(asdict(job))]
    child = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **THREADS}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said: queue.Queue[dict[str, Any] | None] = queue.Queue()
    complaint: list[str] = []
    assert child.stdout is not None and child.stderr is not None
    threading.Thread(target=_listen, args=(child.stdout, said), daemon=True).start()
    threading.Thread(target=lambda: complaint.extend(child.stderr or ()), daemon=True).start()
    result, running_since, cpu_before, got_limit = Measured(job.method), None, 0.0, False
    while True:
        # A method that can stop itself is given some time to do so: then there is an answer to judge.
        deadline = None if running_since is None else running_since + job.limit * 1.1 + 5 - time.monotonic()
        try:
            line = said.get(timeout=None if deadline is None else max(deadline, 0.0))
        except queue.Empty:
            got_limit = True
            child.kill()
            break
        if line is None:
            break
        running_since = time.monotonic() if line.pop("running") else None
        cpu_before = line.pop("cpu_before", cpu_before)
        result = Measured(**{**asdict(result), **line})
    _, code, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(code)
    result.peak_gb = _gigabytes(usage.ru_maxrss)
    if got_limit and result.run_count == 0:
        result.is_stopped, result.status = True, f"stopped at {job.limit:.0f} s"
        # On a busy machine the clock says more than the method used: what it used is a bound that holds.
        result.wall, result.cpu = job.limit, usage.ru_utime + usage.ru_stime - cpu_before
    elif child.returncode and not got_limit:
        result.status = "out of memory" if _is_out_of_memory(complaint) else f"failed: {(complaint or ['no message'])[-1].strip()[:160]}"
    return result


def _listen(stream: TextIO, said: queue.Queue[dict[str, Any] | None]) -> None:
    for line in stream:
        if line.startswith("{"):
            said.put(json.loads(line))
    said.put(None)


def _is_out_of_memory(complaint: list[str]) -> bool:
    return any("MemoryError" in line or "memory allocation" in line or "bad_alloc" in line for line in complaint)


def _gigabytes(max_rss: int) -> float:
    return max_rss / (1e9 if sys.platform == "darwin" else 1e6)  # kilobytes everywhere but there


# --- The child's side --------------------------------------------------------------------------------------------------


def build(job: Job) -> Problem:
    from benchmarks.solver import workloads

    make = getattr(workloads, job.workload)
    if job.table is None:
        return make(**job.arguments)
    table = workloads.adult() if job.table == "adult" else workloads.census_twin()
    return make(table, **job.arguments)


def run(job: Job) -> None:
    """Generate, run as often as the length allows, and say what came out after every run."""
    if job.method in PEERS:
        resource.setrlimit(resource.RLIMIT_AS, (int(job.memory_gb * 1e9),) * 2)
        if job.method != "full_dual":
            import cvxpy  # noqa: F401  (half a second that is not the solver's)
    problem = build(job)
    size = {"subjects": problem.subject_count, "cells": problem.cell_count, "rows": problem.row_count, "terms": int(problem.matrix.nnz)}
    before_gb = _gigabytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    call = _method(job, problem)
    times: list[tuple[float, float, float, float]] = []
    allowed, is_warm_up = 1, True
    while len(times) < allowed:
        _say(running=True, cpu_before=time.process_time(), size=size, before_gb=before_gb)
        wall, cpu = time.perf_counter(), time.process_time()
        attempt = call()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        # The first run of a short method only warms up; that of a long one counts.
        judged = _judge(problem, attempt)
        allowed = 1 if wall >= MIDDLE or judged["is_stopped"] else job.repeat if wall < SHORT else min(3, job.repeat)
        if not (is_warm_up and wall < SHORT):
            times.append((wall, cpu, attempt.compile_cpu, attempt.solver_wall))
        is_warm_up = False
        if times:
            _say(running=False, run_count=len(times), **judged, **_middle(times))


def _method(job: Job, problem: Problem) -> Any:
    import numpy as np

    from benchmarks.solver import peers

    if job.method == "clarabel":
        return lambda: peers.clarabel(problem, job.limit)
    if job.method == "full_dual":
        return lambda: peers.full_dual(problem, job.limit)
    if job.method == "clarabel_presolved":
        with np.load(str(job.solution)) as known:
            probability, is_forced = known["probability"], known["is_forced"]
        return lambda: peers.clarabel_presolved(problem, probability, is_forced, job.limit)
    return lambda: _ours(job, problem)


def _ours(job: Job, problem: Problem) -> Attempt:
    import numpy as np

    from benchmarks.solver.peers import Attempt
    from dbaudit import maxent
    from dbaudit.maxent.errors import NotSolved

    nothing = np.full(problem.cell_count, np.nan)
    try:
        if job.method == "bounds":
            lower, upper = maxent.bounds(problem, np.arange(problem.cell_count))
            return Attempt(nothing, f"least = greatest for {int(np.sum(upper - lower <= 1e-9))} of {problem.cell_count} cells")
        solution = maxent.solve(problem)
    except NotSolved as error:
        return Attempt(nothing, f"not solved: residual {error.residual:.1e}, gap {error.duality_gap:.1e}, {error.unproven_cells} cells unproven")
    if job.solution:
        np.savez(job.solution, probability=solution.probability, is_forced=solution.is_forced)
    return Attempt(solution.probability, solution.status, solution.iterations, duality_gap=solution.duality_gap)


def _judge(problem: Problem, attempt: Attempt) -> dict[str, Any]:
    """Everybody's residual and entropy from one formula, on the problem as it was given."""
    from benchmarks.solver.peers import entropy, residual

    return {
        "status": attempt.status,
        "is_stopped": attempt.status.startswith("stopped at") or attempt.status == "MaxTime",
        "iterations": attempt.iterations,
        "duality_gap": float(attempt.duality_gap),
        "residual": residual(problem, attempt.probability),
        "entropy": entropy(problem, attempt.probability) if attempt.probability[:1] == attempt.probability[:1] else float("nan"),
    }


def _middle(times: list[tuple[float, float, float, float]]) -> dict[str, float]:
    return {name: median(column) for name, column in zip(("wall", "cpu", "compile_cpu", "solver_wall"), zip(*times, strict=True), strict=True)}


def _say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    run(Job(**json.loads(sys.argv[1])))
