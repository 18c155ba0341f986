"""The solver side by side with others, in one run.

python -m benchmarks.solver [--table adult|twin] [--only NAME ...] [--limit SECONDS] [--repeat N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.solver.lines import GOALS, LINES, judge, ratio, solver_ratio
from benchmarks.solver.measure import PEERS, Job, Measured, measure

TITLE = {"ours": "dbaudit", "clarabel": "Clarabel raw", "clarabel_presolved": "Clarabel presolved", "full_dual": "full-dual L-BFGS"}
HEAD = f"{'':20} {'CPU s':>9} {'wall s':>9} {'runs':>4} {'peak GB':>7} {'residual':>8} {'gap':>8} {'entropy gap':>11} {'x CPU':>8} {'x solver':>8}  status"


def main() -> None:
    chosen = _arguments()
    everything: dict[str, dict[str, Measured]] = {}
    print(HEAD)
    for name in chosen.only:
        everything[name] = _line(name, chosen)
        if chosen.json:
            chosen.json.write_text(json.dumps(_plain(everything), indent=1))
    _print_goals(everything)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solver", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", choices=("adult", "twin"), help="default: Adult where its file is found, else the generated twin")
    parser.add_argument("--only", nargs="+", choices=list(LINES), default=list(LINES), metavar="NAME", help=f"of: {', '.join(LINES)}")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS), help="whom to compare with (default: all)")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds after which a run is stopped (default: 300)")
    parser.add_argument("--repeat", type=int, default=5, help="runs of what takes less than 2 s, after one that warms up; less of what takes longer")
    parser.add_argument("--memory", type=float, default=16.0, help="GB that a peer may take (default: 16)")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    chosen = parser.parse_args()
    if chosen.table is None:
        from benchmarks.solver.tables import DEFAULT_ADULT

        chosen.table = "adult" if DEFAULT_ADULT.exists() else "twin"
    return chosen


def _line(name: str, chosen: argparse.Namespace) -> dict[str, Measured]:
    """Everybody on one problem, ours first: the presolved peer is given the support that ours proved."""
    workload, arguments = LINES[name]
    results: dict[str, Measured] = {}
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.npz"
        for method in ("ours", *chosen.peers):
            if method == "clarabel_presolved" and not answer.exists():
                results[method] = Measured(method, status="no support to start from")
            else:
                results[method] = measure(Job(workload, arguments, chosen.table, method, chosen.repeat, chosen.limit, chosen.memory, str(answer)))
            if method == "ours":
                size = ", ".join(f"{count:,} {unit}" for unit, count in results[method].size.items())
                print(f"\n{name} ({chosen.table}; {size or 'no answer'})")
            print(_row(results[method], results["ours"]), flush=True)
    return results


def _row(one: Measured, ours: Measured) -> str:
    over = ">" if one.is_stopped and not math.isnan(ours.cpu) else ""
    row = (
        f"{TITLE[one.method]:20} {over + _seconds(one.cpu):>9} {over + _seconds(one.wall):>9} {one.run_count:>4} {_plainly(one.peak_gb, '.2f'):>7} "
        f"{_plainly(one.residual, '.0e'):>8} {_plainly(one.duality_gap, '.0e'):>8} "
    )
    if one.method == "ours":
        return row + f"{'':29}  {one.status}"
    entropy_gap = (one.entropy - ours.entropy) / max(1.0, abs(ours.entropy))
    whole, alone = _plainly(ratio(one, ours), ".1f"), _plainly(solver_ratio(one, ours), ".1f")
    return row + f"{_plainly(entropy_gap, '.0e'):>11} {over + whole:>8} {over + alone:>8}  {one.status}"


def _seconds(value: float) -> str:
    return _plainly(value, ".4f" if value < 1 else ".2f")


def _plainly(value: float, form: str) -> str:
    return "-" if math.isnan(value) else format(value, form)


def _print_goals(everything: dict[str, dict[str, Measured]]) -> None:
    print("\n| line | goal | measured | met? |\n|---|---|---|---|")
    for goal in GOALS:
        if goal.line in everything:
            print(f"| {goal.line} | {' | '.join(judge(goal, everything[goal.line]))} |")


def _plain(everything: dict[str, dict[str, Measured]]) -> dict[str, dict[str, dict[str, object]]]:
    return {name: {method: asdict(one) for method, one in results.items()} for name, results in everything.items()}


if __name__ == "__main__":
    main()
