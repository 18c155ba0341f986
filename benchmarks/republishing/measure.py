"""One measurement in a process of its own: a whole history through the store stage by stage, or Clarabel on the problem found in that store.

    python -m benchmarks.republishing.measure audit FOLDER
    python -m benchmarks.republishing.measure clarabel|clarabel_presolved FOLDER

FOLDER holds the releases as Parquet, and the store afterwards. The answer is a line of JSON on stdout.
"""

from __future__ import annotations

import datetime
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from benchmarks.solver.measure import ROOT, THREADS, _gigabytes

if TYPE_CHECKING:
    from benchmarks.solver.peers import Bools, Floats
    from dbaudit.maxent import Problem

STAGES = ("register", "read", "solve", "write", "finish")


def measured(method: str, folder: Path) -> dict[str, Any]:
    """Run it in a fresh process on one thread for linear algebra; DuckDB may use every core, and CPU time counts them all."""
    command = [sys.executable, "-m", "benchmarks.republishing.measure", method, str(folder)]
    child = subprocess.run(command, cwd=ROOT, env={**os.environ, **THREADS}, capture_output=True, text=True, check=False)
    if child.returncode:
        raise SystemExit(f"{method} did not end well:\n{child.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(child.stdout.splitlines()[-1])
    return answer


class Clock:
    """Adds up wall time, CPU time and the highest memory of the process, stage by stage."""

    def __init__(self) -> None:
        self.stages: dict[str, dict[str, float]] = {}
        self._stage: str | None = None
        self._wall = self._cpu = 0.0

    def enter(self, stage: str | None) -> None:
        """End the running stage and begin another; None: only end it."""
        wall, cpu = time.perf_counter(), time.process_time()
        if self._stage is not None:
            figures = self.stages.setdefault(self._stage, {"wall": 0.0, "cpu": 0.0, "peak_gb": 0.0})
            figures["wall"] += wall - self._wall
            figures["cpu"] += cpu - self._cpu
            figures["peak_gb"] = max(figures["peak_gb"], _peak_gb())
        _forget_peak()
        self._stage, self._wall, self._cpu = stage, time.perf_counter(), time.process_time()


def _peak_gb() -> float:
    """The highest memory since `_forget_peak`. Not what getrusage says where it can be helped: a child inherits its parent's figure there."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e9
    return _gigabytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _forget_peak() -> None:
    """Let the peak of memory begin anew. Only Linux can; elsewhere a stage's peak is that of all stages so far."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


# --- The child's side --------------------------------------------------------------------------------------------------


def audit(folder: Path) -> dict[str, Any]:
    """Make a store, register the releases and audit them, all through the library."""
    from dbaudit import AuditSpec, DatasetSpec, ReleaseSpec, Store, add_dataset, add_release, run_audit
    from dbaudit.maxent import solve

    for old in folder.glob("store*"):
        old.unlink()
    clock = Clock()

    def timed_solve(*arguments: Any, **options: Any) -> Any:
        clock.enter("solve")
        solution = solve(*arguments, **options)
        clock.enter("write")
        return solution

    def watch(doing: str, _share: float | None) -> None:
        if doing == "certifying":
            clock.enter("finish")

    clock.enter("register")
    store = Store.create(folder / "store.duckdb")
    add_dataset(store, DatasetSpec("people", ("age", "sex", "zip"), ("disease",), id="id"))
    for number, file in enumerate(sorted(folder.glob("r*.parquet"))):
        add_release(store, ReleaseSpec("people", file.stem, "bucketized", file, bucket="bucket", published_on=datetime.date(2026, 1, 1 + number)))
    clock.enter("read")
    with patch("dbaudit.audit.solve", timed_solve):
        row = run_audit(store, AuditSpec("people"), watch).row
    clock.enter(None)
    kept = ("status", "max_residual", "duality_gap", "entropy_bits", "person_count", "subject_count", "cell_count", "constraint_count", "message")
    return {"stages": clock.stages, "store_gb": (folder / "store.duckdb").stat().st_size / 1e9, **{name: row[name] for name in kept}}


def clarabel(folder: Path, is_presolved: bool = False) -> dict[str, Any]:
    """cvxpy and Clarabel on the very problem of the audit in the store, and its answer set against the one stored there.

    is_presolved: without the cells that the audit proved to be 0 or 1, which Clarabel is given for nothing.
    """
    import cvxpy  # noqa: F401  (its import is not the solver's time)
    import numpy as np

    from benchmarks.solver import peers
    from dbaudit import Store, problem

    with Store(folder / "store.duckdb").reading() as session:
        part = problem.read(session, 1)
        assert part is not None, "two releases that share persons need the solver"
        stored = "select probability, is_forced from cell_position join result.posterior using (subject_id, place, value) where audit_id = 1 order by cell"
        answer = session.engine.arrow("stored answer", stored)
        prices = "select multiplier from constraint_position join result.multiplier using (constraint_key) where audit_id = 1 order by position"
        price = session.engine.arrow("stored prices", prices)["multiplier"].to_numpy()
    ours, is_forced = answer["probability"].to_numpy(), answer["is_forced"].to_numpy(zero_copy_only=False)
    bound = _proven_bits(part.problem, price, (ours > 0) | ~is_forced)
    wall, cpu = time.perf_counter(), time.process_time()
    attempt = peers.clarabel_presolved(part.problem, ours, is_forced) if is_presolved else peers.clarabel(part.problem)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {
        "status": attempt.status,
        "wall": wall,
        "cpu": cpu,
        "solve_cpu": cpu - attempt.compile_cpu,
        "solve_wall": attempt.solver_wall,
        "peak_gb": _peak_gb(),
        "residual": peers.residual(part.problem, attempt.probability),
        "gap": abs(bound / peers.entropy(part.problem, attempt.probability) - 1),
        "cell_count": part.problem.cell_count,
        "row_count": part.problem.row_count,
        "our_residual": peers.residual(part.problem, ours),
        "our_gap": abs(bound / peers.entropy(part.problem, ours) - 1),
        "largest_difference": float(np.max(np.abs(attempt.probability - ours))),
    }


def _proven_bits(problem: Problem, price: Floats, is_possible: Bools) -> float:
    """What no answer's entropy can exceed, whatever the prices of the figures are (all of them equations): the bound to judge both by."""
    import numpy as np

    exponent = np.where(is_possible, problem.log_prior + problem.matrix.T @ price, -np.inf)
    first = problem.first_cell[:-1]
    top = np.maximum.reduceat(exponent, first)
    log_total = top + np.log(np.add.reduceat(np.exp(exponent - top[problem.subject]), first))
    return float((problem.person_count @ log_total - price @ problem.lower) / np.log(2))


METHODS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "audit": audit,
    "clarabel": clarabel,
    "clarabel_presolved": lambda folder: clarabel(folder, is_presolved=True),
}

if __name__ == "__main__":
    print(json.dumps(METHODS[sys.argv[1]](Path(sys.argv[2]))))
