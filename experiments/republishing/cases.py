"""What is measured: two releases of Adult that share some persons, published and audited in every way that the paper compares."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dbaudit import AuditSpec, Store, run_audit
from experiments.republishing.desk import Adult, Desk, Ints, Row

ROOT = Path(__file__).resolve().parents[2]
RECORDS = 7_200
OVERLAPS = (0, 1_200, 2_400, 3_600, 4_800, 6_000)
DIVERSITIES = (2, 3, 5)
SIZES = (1_200, 2_400, 3_600, 4_800, 6_000, 7_200)
GROWTH_DIVERSITY, GROWTH_SHARED = 5, 5 / 6  # Figure 5: the paper states neither

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Case:
    """D1' and D2' with one l and one overlap: entropies in bits by whose persons are summed, before and after they are put together.

    `alone` are the persons of a release as that release alone leaves them; for everybody, D2's persons by D2' and the rest of D1 by D1'.
    """

    seed: int
    diversity: int
    overlap: int
    method: str
    alone: dict[str, float]  # of D1's persons, D2's persons, everybody
    combined: dict[str, float]
    certain: int  # persons of D2 whose value is certain from both releases
    certain_gone: int  # persons of D1 alone whose value is
    published: Row

    def lower(self, whose: str) -> float:
        """By which share both releases together leave less unknown than one."""
        return 1.0 - self.combined[whose] / self.alone[whose]


@dataclass
class Measured:
    """Everything that was measured, and the certificate of every audit."""

    cases: list[Case]
    certificates: list[tuple[float, float]]
    growth: list[Row]
    filled: Row

    def of(self, method: str, **wanted: int) -> list[Case]:
        """The cases with these properties."""
        return [case for case in self.cases if case.method == method and all(getattr(case, name) == value for name, value in wanted.items())]


def measure(adult: Adult, seeds: list[int], tell: Tell) -> Measured:
    """Run everything."""
    measured = Measured([], [], [], {})
    for seed in seeds:
        for diversity in DIVERSITIES:
            tell(f"seed {seed}, l = {diversity}")
            with tempfile.TemporaryDirectory() as folder:
                _overlaps(measured, Desk.at(Path(folder)), adult, seed, diversity)
    tell("every slot filled")
    with tempfile.TemporaryDirectory() as folder:
        measured.filled = _every_slot_filled(measured, Desk.at(Path(folder)), adult, seeds[0])
    for size in SIZES:
        tell(f"Figure 5: {size:,} records")
        with tempfile.TemporaryDirectory() as folder:
            measured.growth.append(_growth(measured, Desk.at(Path(folder)), adult, size, seeds[0]))
    return measured


def _overlaps(measured: Measured, desk: Desk, adult: Adult, seed: int, diversity: int) -> None:
    """D2 stays the same; D1 shares more and more of it (as for Figure 4, and so that Figures 2 and 3 speak of the same persons)."""
    person = np.random.default_rng(seed).permutation(len(adult.ids))
    second, outside = person[:RECORDS], person[RECORDS:]
    microdata = adult.write(desk.folder / "d2.csv", second)
    name = desk.dataset("adult")
    independent = desk.publish(name, microdata, "independent", "anatomy", diversity, seed)
    independent_alone = _audited(measured, desk, name, ("independent",))
    for overlap in OVERLAPS:
        r1, history = f"first-{overlap}", f"history-{overlap}"
        first = adult.write(desk.folder / f"{r1}.csv", np.concatenate([second[:overlap], outside[: RECORDS - overlap]]))
        desk.publish(name, first, r1, "anatomy", diversity, seed + 1)
        guided = desk.publish(name, microdata, history, "history", diversity, seed + 2, r1)
        r1_alone, guided_alone = (_audited(measured, desk, name, (release,)) for release in (r1, history))
        for r2, r2_alone, published in (("independent", independent_alone, independent), (history, guided_alone, guided)):
            together = _audited(measured, desk, name, (r1, r2))
            one, two, both = (desk.entropy(audit, r1, r2) for audit in (r1_alone, r2_alone, together))
            measured.cases.append(
                Case(
                    seed,
                    diversity,
                    overlap,
                    "history" if published is guided else "independent",
                    {"D1": one["first_bits"], "D2": two["second_bits"], "everybody": two["second_bits"] + one["first_only_bits"]},
                    {"D1": both["first_bits"], "D2": both["second_bits"], "everybody": both["all_bits"]},
                    both["second_certain"],
                    both["first_only_certain"],
                    published,
                )
            )


def _audited(measured: Measured, desk: Desk, name: str, releases: tuple[str, ...]) -> Row:
    audit = desk.audit(name, releases)
    measured.certificates.append((audit["max_residual"], audit["duality_gap"]))
    return audit


def _every_slot_filled(measured: Measured, desk: Desk, adult: Adult, seed: int) -> Row:
    """1,200 leave, and for each of them somebody with the same value comes: what the paper says of this case must hold person by person."""
    person = np.random.default_rng(seed).permutation(len(adult.ids))
    first, leavers = person[:RECORDS], person[:1_200]
    arrivals = _same_values(adult.values, leavers, person[RECORDS:])
    name = desk.dataset("adult")
    desk.publish(name, adult.write(desk.folder / "d1.csv", first), "r1", "anatomy", 3, seed)
    published = desk.publish(name, adult.write(desk.folder / "d2.csv", np.concatenate([first[1_200:], arrivals])), "r2", "history", 3, seed, "r1")
    first_alone, alone, both = (_audited(measured, desk, name, releases) for releases in (("r1",), ("r2",), ("r1", "r2")))
    before = [*desk.posterior(first_alone).items(), *desk.posterior(alone).items()]  # those who left must not be told more of either
    after = desk.posterior(both)
    bits_alone, bits_both = (desk.entropy(audit, "r1", "r2")["second_bits"] for audit in (alone, both))
    return {
        "empty_count": published["empty_count"],
        "difference": max(abs(after.get(cell, 0.0) - probability) for cell, probability in before),
        "alone": bits_alone,
        "combined": bits_both,
    }


def _same_values(values: np.ndarray, leavers: Ints, outside: Ints) -> Ints:
    """For each of the leavers somebody from outside with the same value, as long as there are any."""
    chosen = [outside[values[outside] == value][: np.count_nonzero(values[leavers] == value)] for value in np.unique(values[leavers])]
    return np.concatenate(chosen)


def _growth(measured: Measured, desk: Desk, adult: Adult, size: int, seed: int) -> Row:
    """One audit of two independent releases, in a process of its own that does nothing else."""
    person = np.random.default_rng(seed).permutation(len(adult.ids))
    step = size - round(size * GROWTH_SHARED)
    name = desk.dataset("adult")
    for release, begin in (("r1", 0), ("r2", step)):
        desk.publish(name, adult.write(desk.folder / f"{release}-d.csv", person[begin : begin + size]), release, "anatomy", GROWTH_DIVERSITY, seed + begin)
    command = [sys.executable, "-m", "experiments.republishing", "--audit-here", str(desk.store.files.audit)]
    row: Row = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    measured.certificates.append((row["max_residual"], row["duality_gap"]))
    return {"records": size, "load": os.getloadavg()[0], **row}


def audit_here(store: str) -> Row:
    """Audit the store's dataset once: seconds, peak memory of this process, and what it held before."""
    idle = _memory("VmRSS")
    begin = time.perf_counter()
    row = run_audit(Store(store), AuditSpec("adult", ("r1", "r2"))).row
    seconds = time.perf_counter() - begin
    kept = ("person_count", "cell_count", "constraint_count", "component_count", "max_residual", "duality_gap", "status")
    return {"seconds": seconds, "peak_mb": _memory("VmHWM"), "idle_mb": idle, **{key: row[key] for key in kept}}


def _memory(line: str) -> float:
    """Megabytes of this process, as Linux tells it; what getrusage calls the peak can be that of the process that started this one."""
    status = dict(text.split(":", 1) for text in Path("/proc/self/status").read_text().splitlines())
    return int(status[line].split()[0]) / 1024
