"""Mined rules end to end through the store: audits under growing bounds beside Clarabel and the paper's own way, and mining beside others.

python -m benchmarks.knowledge [--limit SECONDS] [--json FILE] [--write]
python -m benchmarks.knowledge --from FILE [--write]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.knowledge.measure import Figures, measured
from benchmarks.knowledge.records import EVERYBODY, SOURCES, STAND_IN, everybody, name_table, stand_in, write_files
from benchmarks.knowledge.telling import markdown, write

MIN_SUPPORT = 3
EVERY_RULE = 10**8  # more than there are
SHORT = 10.0  # what takes longer is measured once
SMALLEST_SHARE = 64

SOLVERS = ("clarabel", "clarabel_relevant", "full_dual")
MINERS = {"mlxtend fpgrowth": "mlxtend", "efficient-apriori": "efficient_apriori", "mlxtend apriori": "mlxtend"}
WAYS = ("plain", "split")


def main() -> None:
    chosen = _arguments()
    if chosen.figures:
        everything = json.loads(chosen.figures.read_text())
    else:
        table = name_table(chosen.table)
        print(f"Records: {SOURCES[table]}; load {os.getloadavg()[0]:.1f}", flush=True)
        everything = {"table": table, "rounds": chosen.rounds, "limit": chosen.limit, "load_before": os.getloadavg()[0]}
        for part, measure in (("audits", _audits), ("mining", _mining)):
            if part in chosen.only:
                everything[part] = measure(table, chosen)
                if chosen.json:
                    chosen.json.write_text(json.dumps(everything, indent=1))
        everything["load_after"] = os.getloadavg()[0]
        if chosen.json:
            chosen.json.write_text(json.dumps(everything, indent=1))
    text = markdown(everything)
    print("\n" + text)
    if chosen.write:
        write(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.knowledge", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", choices=sorted(SOURCES), help="where the records come from (default: adult where its files are, else twin)")
    parser.add_argument("--only", nargs="+", choices=("audits", "mining"), default=("audits", "mining"), help="measure one part (default: both)")
    parser.add_argument("--bounds", type=int, nargs="+", default=[0, 10, 100, 1_000, 10_000], help="numbers of rules that are known, the smallest first")
    parser.add_argument("--records", type=int, default=STAND_IN, help=f"records of the audits (default: {STAND_IN:,})")
    parser.add_argument("--mining-records", type=int, default=EVERYBODY, help=f"records of mining (default: {EVERYBODY:,})")
    parser.add_argument("--strongest", type=int, default=5_000, help="rules of each kind that mining keeps (default: 5,000)")
    parser.add_argument("--rounds", type=int, default=3, help=f"how often what takes at most {SHORT:.0f} s is measured; the median counts (default: 3)")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds after which a peer is stopped (default: 120)")
    parser.add_argument("--solvers", nargs="*", choices=SOLVERS, default=SOLVERS, help="peers of the solver (default: all)")
    parser.add_argument("--miners", nargs="*", choices=tuple(MINERS), default=tuple(MINERS), help="peers of mining (default: all that are installed)")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    parser.add_argument("--from", dest="figures", type=Path, help="measure nothing: tell the figures that --json wrote")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/README.md")
    return parser.parse_args()


# --- Audits ------------------------------------------------------------------------------------------------------------


def _audits(table: str, chosen: argparse.Namespace) -> Figures:
    bounds, rounds = sorted(chosen.bounds), chosen.rounds
    largest = max(bounds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        columns, records = stand_in(table, chosen.records)
        write_files(folder, columns, records)
        prepared, mined = [], []
        for _ in range(rounds):
            prepared.append(measured("prepare", folder))
            mined.append(measured("mine", folder, positive=(largest + 1) // 2, negative=largest // 2, min_support=MIN_SUPPORT))
        same = measured("top", folder, rules=largest, min_support=MIN_SUPPORT)["is_same"]
        points = [_point(folder, bound, chosen) for bound in bounds]
        runs = {method: [measured(method, folder, bounds=bounds) for _ in range(rounds)] for method in ("alone", "sweep")}
    return {
        "record_count": len(records),
        "prepare": _middle(prepared),
        "mine": _middle(mined),
        "is_same": same,
        "points": points,
        "warm": {method: _middle_solves(these) for method, these in runs.items()},
    }


def _point(folder: Path, bound: int, chosen: argparse.Namespace) -> Figures:
    """One bound. Everybody's turn comes once a round, so that other work on the machine meets all alike; what takes long has one turn only."""
    ours: dict[str, list[Figures]] = {"relevant": [], "whole": []}
    peers: dict[str, list[Figures]] = {}
    for _ in range(chosen.rounds):
        for problem, runs in ours.items():
            runs.append(measured("audit", folder, rules=bound, whole=problem == "whole"))
        for name in chosen.solvers:
            needs_solver = name != "clarabel_relevant" or ours["relevant"][-1]["solves"]
            runs = peers.setdefault(name, [])
            if needs_solver and not (runs and _is_long(runs[-1])):
                runs.append(measured("peer", folder, rules=bound, name=name, limit=chosen.limit))
                _say(f"{bound:,} rules, {name}", runs[-1])
    return {
        "rules": bound,
        **{problem: _middle(runs) for problem, runs in ours.items()},
        "judge": measured("judge", folder, rules=bound),
        "peers": {name: _middle_run(runs) for name, runs in peers.items() if runs},
    }


# --- Mining ------------------------------------------------------------------------------------------------------------


def _mining(table: str, chosen: argparse.Namespace) -> Figures:
    count, strongest = chosen.mining_records, {"positive": chosen.strongest, "negative": chosen.strongest, "min_support": MIN_SUPPORT}
    missing = sorted({MINERS[name] for name in chosen.miners if importlib.util.find_spec(MINERS[name]) is None})
    with tempfile.TemporaryDirectory() as name:
        folder = _miners_folder(Path(name), table, count)
        prepared = measured("prepare", folder)
        tops, everys, peers = [], [], []
        for _ in range(chosen.rounds):
            everys.append(measured("mine", folder, positive=EVERY_RULE, negative=0, min_support=MIN_SUPPORT))
        told = measured("mined", folder)
        for _ in range(chosen.rounds):
            tops.append(measured("mine", folder, **strongest))
        told_top = measured("mined", folder)
        same = measured("top", folder, rules=2 * chosen.strongest, min_support=MIN_SUPPORT)["is_same"]
        for miner in chosen.miners:
            for way in WAYS:
                if MINERS[miner] not in missing:
                    peers.append(_peer(folder, miner, way, table, count, strongest, chosen))
        tops += [measured("mine", folder, **strongest) for _ in range(chosen.rounds)]
    return {
        "record_count": count,
        "strongest": chosen.strongest,
        "prepare": prepared,
        "top": {**_middle(tops), **told_top},
        "every": {**_middle(everys), **told},
        "is_same": same,
        "peers": peers,
        "missing": missing,
    }


def _peer(folder: Path, miner: str, way: str, table: str, count: int, strongest: dict[str, int], chosen: argparse.Namespace) -> Figures:
    """The miner on all records; where it does not come to an end, on half of them, and so on, with ours at the size where it does."""
    options: dict[str, Any] = {"name": miner, "way": way, "min_support": MIN_SUPPORT, "strongest": chosen.strongest, "limit": chosen.limit}
    found: Figures = {"name": miner, "way": way, "at_all": _repeated(lambda: measured("miner", folder, **options), chosen.rounds)}
    _say(f"{miner}, {way}", found["at_all"])
    latest, share = found["at_all"], 2
    while latest["is_stopped"] and share <= SMALLEST_SHARE:
        with tempfile.TemporaryDirectory() as name:
            smaller = _miners_folder(Path(name), table, count // share)
            latest = {**_repeated(lambda: measured("miner", smaller, **options), chosen.rounds), "record_count": count // share}  # noqa: B023
            _say(f"{miner}, {way}, {count // share:,} records", latest)
            if not latest["is_stopped"]:
                measured("prepare", smaller)
                found["smaller"], found["ours"] = latest, _middle([measured("mine", smaller, **strongest) for _ in range(chosen.rounds)])
                measured("mine", smaller, positive=EVERY_RULE, negative=0, min_support=MIN_SUPPORT)
                found["ours"]["digest"] = measured("mined", smaller)["digest"]
        share *= 2
    return found


def _miners_folder(folder: Path, table: str, record_count: int) -> Path:
    """The truth alone: rules are mined before anything is published."""
    write_files(folder, *everybody(table, record_count))
    (folder / "release.parquet").unlink()
    return folder


# --- Medians -----------------------------------------------------------------------------------------------------------


def _is_long(run: Figures) -> bool:
    return bool(run["is_stopped"] or run["wall"] > SHORT)


def _repeated(measure: Callable[[], Figures], rounds: int) -> Figures:
    runs = [measure()]
    while len(runs) < rounds and not _is_long(runs[-1]):
        runs.append(measure())
    return _middle_run(runs)


def _middle_run(runs: list[Figures]) -> Figures:
    """The last run's answer with the median seconds."""
    times: Figures = {key: median(run[key] for run in runs) for key in ("wall", "cpu", "cpu_with_modelling") if key in runs[-1]}
    return {**runs[-1], **times, "run_count": len(runs)}


def _middle(runs: list[Figures]) -> Figures:
    """The last run's answer with each stage's median figures."""
    stages = {stage: {key: median(run["stages"][stage][key] for run in runs) for key in ("wall", "cpu", "peak_gb")} for stage in runs[-1]["stages"]}
    steps = {step: median(run["steps"].get(step, 0.0) for run in runs) for step in runs[-1].get("steps", {})}
    return {**runs[-1], "stages": stages, "steps": steps}


def _middle_solves(runs: list[Figures]) -> Figures:
    solves = [{**these[-1], "cpu": median(one["cpu"] for one in these)} for these in zip(*(run["solves"] for run in runs), strict=True)]
    return {"solves": solves, **{key: median(run[key] for run in runs) for key in ("wall", "cpu")}}


def _say(what: str, run: Figures) -> None:
    print(f"{what}: {run['status']}, {run['cpu']:.2f} s CPU; load {os.getloadavg()[0]:.1f}", flush=True)


if __name__ == "__main__":
    main()
