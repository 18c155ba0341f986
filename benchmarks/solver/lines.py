"""What is measured side by side, and what is to be reached."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from benchmarks.solver.measure import Measured

CERTIFICATE = 1e-9

# name: generator and its arguments
LINES: dict[str, tuple[str, dict[str, Any]]] = {
    "Two(5)": ("two_releases", {"l": 5}),
    "Two(3)": ("two_releases", {"l": 3}),
    "Two(2)": ("two_releases", {"l": 2}),
    "One+0": ("one_release", {"rule_count": 0}),
    **{f"One+{count} {kind}": ("one_release", {"rule_count": count, "kind": kind}) for count in (10, 100, 1_000, 10_000) for kind in ("top", "mixed")},
    "Rules pruned": ("rules", {}),
    "Rules pruned exact": ("rules", {"exact": True}),
    "Rules unpruned": ("rules", {"pruned": False}),
}


@dataclass(frozen=True)
class Goal:
    """On this line: certified; so many times the CPU time of this peer, and so little memory, where they are given."""

    line: str
    peer: str | None = None
    ratio: float = 0.0
    max_gb: float = math.inf


GOALS = [
    Goal("Two(5)", "clarabel", 300),
    Goal("Two(5)", "clarabel_presolved", 60),
    Goal("Two(3)", "clarabel", 50),
    Goal("Two(2)", "clarabel", 50),
    *(Goal(name, "clarabel", 25) for name in LINES if name.startswith("One+") and "10000" not in name),
    Goal("One+10000 top", "clarabel", 10),
    Goal("One+10000 mixed"),
    Goal("Rules pruned", "clarabel", 10),
    Goal("Rules pruned exact", "clarabel", 10),
    Goal("Rules unpruned", max_gb=0.5),
]


def is_certified(ours: Measured) -> bool:
    """nan compares false: what could not be measured is not certified."""
    return ours.status == "solved" and ours.residual <= CERTIFICATE and ours.duality_gap <= CERTIFICATE


def ratio(peer: Measured, ours: Measured) -> float:
    """How many times the CPU time; the peer's modelling layer included. A peer that was stopped took at least this."""
    return peer.cpu / ours.cpu


def solver_ratio(peer: Measured, ours: Measured) -> float:
    """The same without the time in which the modelling layer translates the problem."""
    return (peer.cpu - (0.0 if math.isnan(peer.compile_cpu) else peer.compile_cpu)) / ours.cpu


def judge(goal: Goal, results: dict[str, Measured]) -> tuple[str, str, str]:
    """Three cells of the last table: the goal, what was measured, and whether it was met."""
    ours = results["ours"]
    wanted, measured = ["certified"], [ours.status]
    misses = [] if is_certified(ours) else ["not certified"]
    if goal.peer:
        wanted.append(f"{goal.ratio:.0f} x {goal.peer.replace('_', ' ')}")
        peer = results.get(goal.peer)
        if peer is None or math.isnan(peer.cpu) or math.isnan(ours.cpu):
            measured.append(f"{goal.peer}: {peer.status if peer else 'not run'}")
            misses.append("not compared")
        else:
            reached = ratio(peer, ours)
            measured.append(f"{'over ' if peer.is_stopped else ''}{reached:.1f} x ({solver_ratio(peer, ours):.1f} x without modelling)")
            if not reached >= goal.ratio:
                misses.append("open: the peer was stopped too early" if peer.is_stopped else f"missed by {goal.ratio / reached:.2f} x")
    if math.isfinite(goal.max_gb):
        wanted.append(f"under {goal.max_gb:g} GB")
        measured.append(f"{ours.peak_gb:.2f} GB")
        if not ours.peak_gb < goal.max_gb:
            misses.append(f"missed by {ours.peak_gb - goal.max_gb:.2f} GB")
    return ", ".join(wanted), ", ".join(measured), "; ".join(misses) or "met"
