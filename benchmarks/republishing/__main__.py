"""Histories of releases end to end through the store: beside Clarabel at the size of the paper, then as they grow.

python -m benchmarks.republishing [--full] [--json FILE] [--write]
python -m benchmarks.republishing --from FILE [--write]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.republishing.measure import STAGES, measured
from benchmarks.republishing.releases import write_releases
from benchmarks.solver.growth import growth_per_doubling
from benchmarks.solver.lines import CERTIFICATE
from benchmarks.solver.tables import adult_or_twin

README = Path(__file__).resolve().parents[1] / "README.md"
BEGIN, END = "<!-- republishing: figures -->", "<!-- republishing: end of figures -->"

PAPER_PERSONS, L = 7_200, 5
QUICK_SIZES = (10_000, 20_000)
# Doublings up to a million, and the hundred thousand that was asked for, from which no growth is taken.
FULL_SIZES = (100_000, 125_000, 250_000, 500_000, 1_000_000)
GROWTH_FROM = {10_000: 20_000, 125_000: 250_000, 250_000: 500_000, 500_000: 1_000_000}
SMALL = 20_000  # up to here a measurement is repeated
RELEASE_COUNTS = (2, 5)

MIN_RATIO = 50.0  # Clarabel's solve / the whole audit
MAX_SQL_RATIO, SQL_SECONDS = 2.0, 2.0  # SQL and writing: at most so many times the solve, or so many seconds
MAX_BYTES = 8 * 2**30
MAX_GROWTH = 1.4

Figures = dict[str, Any]


def main() -> None:
    chosen = _arguments()
    if chosen.figures:
        everything = json.loads(chosen.figures.read_text())
    else:
        everything = {"load_before": os.getloadavg()[0], "beside": beside_clarabel(chosen.rounds), "growth": []}
        for point in growing(QUICK_SIZES + FULL_SIZES * chosen.full, chosen.rounds):
            everything["growth"].append(point)
            print(_growth_row(point, math.nan), flush=True)
            if chosen.json:
                chosen.json.write_text(json.dumps(everything, indent=1))
    text = markdown(everything)
    print("\n" + text)
    if chosen.write:
        write(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.republishing", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="up to 1,000,000 persons: ten minutes and 7 GB (default: 20,000, three minutes)")
    parser.add_argument("--rounds", type=int, default=3, help=f"how often what has at most {SMALL:,} persons is measured; the median counts (default: 3)")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    parser.add_argument("--from", dest="figures", type=Path, help="measure nothing: tell the figures that --json wrote")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/README.md")
    return parser.parse_args()


# --- Measuring ---------------------------------------------------------------------------------------------------------


def beside_clarabel(rounds: int) -> Figures:
    """The paper's size. Clarabel's turn comes between two of ours, and once: it takes a minute, beside which its noise is small.

    Once more with the proven cells taken out: on the whole problem it stops before it has converged, and an answer to compare with should have.
    """
    table = adult_or_twin()
    with tempfile.TemporaryDirectory() as name:
        write_releases(Path(name), PAPER_PERSONS, 2, L, table.codes["occupation"])
        runs = [measured("audit", Path(name))]
        peers = {method: measured(method, Path(name)) for method in ("clarabel", "clarabel_presolved")}
        runs += [measured("audit", Path(name)) for _ in range(rounds - 1)]
    return {"table": table.name, "ours": _middle(runs), **peers, "rounds": rounds}


def growing(sizes: tuple[int, ...], rounds: int) -> Iterator[Figures]:
    for release_count in RELEASE_COUNTS:
        for size in sizes:
            with tempfile.TemporaryDirectory() as name:
                write_releases(Path(name), size, release_count, L, None)
                load = os.getloadavg()[0]
                runs = [measured("audit", Path(name)) for _ in range(rounds if size <= SMALL else 1)]
            yield {"size": size, "release_count": release_count, "rounds": len(runs), "load": load, **_middle(runs)}


def _middle(runs: list[Figures]) -> Figures:
    """The last run's answer with each stage's median figures."""
    stages = {stage: {key: median(run["stages"][stage][key] for run in runs) for key in ("wall", "cpu", "peak_gb")} for stage in STAGES}
    return {**runs[-1], "stages": stages}


# --- What a measurement says -------------------------------------------------------------------------------------------


def audit_seconds(one: Figures, clock: str = "cpu") -> float:
    """The whole audit: everything but registering."""
    return sum(one["stages"][stage][clock] for stage in STAGES if stage != "register")


def sql_seconds(one: Figures) -> float:
    return audit_seconds(one) - float(one["stages"]["solve"]["cpu"])


def whole_seconds(one: Figures) -> float:
    """From the files to the stored answer."""
    return sum(one["stages"][stage]["cpu"] for stage in STAGES)


def peak_gb(one: Figures) -> float:
    return max(one["stages"][stage]["peak_gb"] for stage in STAGES)


def is_certified(one: Figures) -> bool:
    return one["status"] == "solved" and one["max_residual"] <= CERTIFICATE and one["duality_gap"] <= CERTIFICATE


def growths(points: list[Figures]) -> dict[tuple[int, int], float]:
    """Growth beyond linear of each doubling, by number of releases and size."""
    by_key = {(point["release_count"], point["size"]): whole_seconds(point) for point in points}
    pairs = [(count, smaller, size) for count, size in by_key for smaller in GROWTH_FROM if GROWTH_FROM[smaller] == size and (count, smaller) in by_key]
    return {(count, size): growth_per_doubling(size, by_key[count, size], smaller, by_key[count, smaller]) for count, smaller, size in pairs}


# --- Telling -----------------------------------------------------------------------------------------------------------


def markdown(everything: Figures) -> str:
    points, growth = everything["growth"], growths(everything["growth"])
    lines = [*_beside_table(everything["beside"]), "", *_table(_GROWTH_HEAD)]
    lines += [_growth_row(point, growth.get((point["release_count"], point["size"]), math.nan)) for point in points]
    lines += ["", *_table(("goal", "measured", "met?")), *(_row(cells) for cells in goals(everything, growth))]
    return "\n".join(lines)


def _beside_table(beside: Figures) -> list[str]:
    ours, peer = beside["ours"], beside["clarabel"]
    stages = ours["stages"]
    told = {"register": "registering both releases (and making the store)", "read": "reading: subjects, cells, matrix", "solve": "solving"}
    told |= {"write": "writing the answer", "finish": "certifying, remarks, commit"}
    rows = [(told[stage], *(f"{stages[stage][key]:.2f}" for key in ("cpu", "wall", "peak_gb")), "", "", "") for stage in STAGES]
    whole = (f"{audit_seconds(ours):.2f}", f"{audit_seconds(ours, 'wall'):.2f}", f"{peak_gb(ours):.2f}")
    rows.append(("**the whole audit** (without registering)", *whole, f"{peer['our_residual']:.0e}", f"{peer['our_gap']:.0e}", ""))
    for method, name in (("clarabel", "Clarabel's solve alone"), ("clarabel_presolved", "the same without the cells that the audit proved to be 0 or 1")):
        one = beside[method]
        cost = (f"{one['solve_cpu']:.1f}", f"{one['solve_wall']:.1f}", f"{one['peak_gb']:.2f}")
        rows.append((f"{name} ({one['status']})", *cost, *(f"{one[key]:.0e}" for key in ("residual", "gap", "largest_difference"))))
    head = ("what", "CPU s", "wall s", "peak GB", "residual", "gap", "largest difference to ours")
    source = "UCI Adult" if beside["table"] == "adult" else "the generated twin of Adult"
    return [
        f"Values: {source}, occupation. {ours['cell_count']:,} cells, {ours['constraint_count']:,} figures, {ours['person_count']:,} persons; medians of "
        f"{beside['rounds']} rounds, Clarabel once.",
        "",
        *_table(head),
        *(_row(row) for row in rows),
    ]


_GROWTH_HEAD = ("releases", "persons each", "cells", *STAGES, "whole CPU s", "wall s", "peak GB", "SQL / solve", "residual", "gap", "growth", "load")


def _growth_row(point: Figures, growth: float) -> str:
    stages = [f"{point['stages'][stage]['cpu']:.2f} s, {point['stages'][stage]['peak_gb']:.2f} GB" for stage in STAGES]
    wall = sum(point["stages"][stage]["wall"] for stage in STAGES)
    size = (str(point["release_count"]), f"{point['size']:,}", f"{point['cell_count']:,}")
    whole = (f"{whole_seconds(point):.1f}", f"{wall:.1f}", f"{peak_gb(point):.2f}", f"{sql_seconds(point) / point['stages']['solve']['cpu']:.2f}")
    proven = (f"{point['max_residual']:.0e}", f"{point['duality_gap']:.0e}") if point["status"] == "solved" else (point["status"], "-")
    return _row((*size, *stages, *whole, *proven, "-" if math.isnan(growth) else f"{growth:.2f}", f"{point['load']:.1f}"))


def goals(everything: Figures, growth: dict[tuple[int, int], float]) -> Iterator[tuple[str, str, str]]:
    """Three cells for each goal: what was to be reached, what was measured, and whether it was met."""
    ours, peer = everything["beside"]["ours"], everything["beside"]["clarabel"]
    ratio, wall_ratio = peer["solve_cpu"] / audit_seconds(ours), peer["solve_wall"] / audit_seconds(ours, "wall")
    yield (
        f"the whole audit at {PAPER_PERSONS:,} persons {MIN_RATIO:.0f} x faster than Clarabel's solve alone",
        f"{ratio:.0f} x CPU ({wall_ratio:.0f} x wall)",
        _met(ratio >= MIN_RATIO),
    )
    yield (
        "at equal or better accuracy",
        f"residual {peer['our_residual']:.0e} against {peer['residual']:.0e}, gap {peer['our_gap']:.0e} against {peer['gap']:.0e}",
        _met(is_certified(ours) and peer["our_residual"] <= peer["residual"] and peer["our_gap"] <= peer["gap"]),
    )
    for count in RELEASE_COUNTS:
        points = [point for point in everything["growth"] if point["release_count"] == count]
        worst = max(points, key=lambda point: sql_seconds(point) / _sql_limit(point))
        yield (
            f"{count} releases: SQL and writing at most {MAX_SQL_RATIO:g} x the solve or {SQL_SECONDS:g} s, at every size",
            f"at worst {sql_seconds(worst):.1f} s, limit {_sql_limit(worst):.1f} s ({worst['size']:,} persons)",
            _met(sql_seconds(worst) <= _sql_limit(worst)),
        )
    for point in everything["growth"]:
        if point["size"] == 1_000_000:
            is_met = is_certified(point) and peak_gb(point) * 1e9 < MAX_BYTES
            told = f"{point['status']}, {peak_gb(point) * 1e9 / 2**30:.2f} GiB, {whole_seconds(point):.0f} s"
            yield f"1,000,000 persons x {point['release_count']} releases certified under {MAX_BYTES / 2**30:.0f} GiB", told, _met(is_met)
    for count in RELEASE_COUNTS:
        # At small sizes what every audit costs hides the growth.
        of_count = {size: figure for (releases, size), figure in growth.items() if releases == count and size not in QUICK_SIZES}
        if of_count:
            size, figure = max(of_count.items(), key=lambda item: item[1])
            asked = f"{count} releases: growth end to end at most {MAX_GROWTH:g} x beyond linear, at every doubling"
            yield asked, f"at worst {figure:.2f} x (to {size:,}){_whole_growth(everything['growth'], count)}", _met(figure <= MAX_GROWTH)


def _whole_growth(points: list[Figures], release_count: int) -> str:
    """The mean of the doublings to the largest size, as benchmarks.solver.growth has it; empty where only small sizes were measured."""
    seconds = {point["size"]: whole_seconds(point) for point in points if point["release_count"] == release_count}
    first, last = min(GROWTH_FROM.keys() - QUICK_SIZES), max(GROWTH_FROM.values())
    if not {first, last} <= seconds.keys():
        return ""
    return f"; {growth_per_doubling(last, seconds[last], first, seconds[first]):.2f} x on average from {first:,} on"


def _sql_limit(point: Figures) -> float:
    return max(MAX_SQL_RATIO * float(point["stages"]["solve"]["cpu"]), SQL_SECONDS)


def _met(is_met: bool) -> str:
    return "met" if is_met else "**missed**"


def _table(head: tuple[str, ...]) -> list[str]:
    return [_row(head), "|" + "---|" * len(head)]


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def write(text: str) -> None:
    """Put the tables between their marks in the README."""
    before, mark, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    _, other_mark, after = rest.partition(END)
    if not (mark and other_mark):
        raise SystemExit(f"{README} has no place for the figures: {BEGIN} ... {END}")
    README.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
