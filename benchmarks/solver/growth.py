"""How time and memory grow with size.

python -m benchmarks.solver.growth [--up-to N] [--only SERIES ...] [--plot FILE] [--markdown FILE] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.solver.lines import is_certified
from benchmarks.solver.measure import Job, Measured, measure

MAX_GROWTH, MAX_GB = 1.3, 3.0


@dataclass(frozen=True)
class Series:
    """One workload at growing sizes: `argument` is the generator's parameter that grows."""

    workload: str
    argument: str
    sizes: tuple[int, ...]
    fixed: dict[str, Any]
    has_table: bool
    method: str = "ours"


# Sizes in between are measured too: two far points would hide a knee.
PERSONS = (10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
CELLS = (10_000, 20_000, 50_000, 100_000, 200_000, 400_000, 840_000)
SERIES: dict[str, Series] = {
    "two releases, l = 5": Series("two_releases", "person_count", PERSONS, {"l": 5}, True),
    "two releases, l = 3": Series("two_releases", "person_count", PERSONS, {"l": 3}, True),
    "five releases, l = 5": Series("releases", "person_count", PERSONS, {"release_count": 5, "l": 5}, False),
    "giant, random overlap": Series("giant", "cells", CELLS, {"overlap": "random"}, False),
    "giant, chain overlap": Series("giant", "cells", CELLS, {"overlap": "chain"}, False),
    "all bounds of Two(5)": Series("two_releases", "person_count", (7_200,), {"l": 5}, True, "bounds"),
}


@dataclass(frozen=True)
class Point:
    """One measurement of a series, with its growth over the point before: 1 is linear, nan where there is none before."""

    series: str
    size: int
    growth: float
    measured: Measured


def growth_per_doubling(size: int, seconds: float, last_size: int, last_seconds: float) -> float:
    """How many times more than linear each doubling of the size costs: (t2/t1 / (n2/n1)) ** (1/log2(n2/n1))."""
    factor = size / last_size
    return float((seconds / last_seconds / factor) ** (1 / math.log2(factor)))


def points(chosen: argparse.Namespace) -> Iterator[Point]:
    for name in chosen.only:
        series = SERIES[name]
        last: tuple[int, float] | None = None
        for size in series.sizes:
            if size > chosen.up_to:
                continue
            arguments = {**series.fixed, series.argument: size}
            table = chosen.table if series.has_table else None
            measured = measure(Job(series.workload, arguments, table, series.method, chosen.repeat, chosen.limit))
            growth = growth_per_doubling(size, measured.cpu, *last) if last is not None and is_certified(measured) else math.nan
            last = (size, measured.cpu) if is_certified(measured) else None
            yield Point(name, size, growth, measured)


def whole_growth(of_series: list[Point]) -> float:
    """From the first certified point to the last."""
    solved = [point for point in of_series if is_certified(point.measured)]
    if len(solved) < 2:
        return math.nan
    first, last = solved[0], solved[-1]
    return growth_per_doubling(last.size, last.measured.cpu, first.size, first.measured.cpu)


HEAD = "| series | size | cells | rows | CPU s | runs | peak GB | residual | gap | growth beyond linear per doubling | status |"


def row(point: Point) -> str:
    one = point.measured
    figures = [
        point.series,
        f"{point.size:,}",
        f"{one.size.get('cells', 0):,}",
        f"{one.size.get('rows', 0):,}",
        ("over " if one.is_stopped else "") + format(one.cpu, ".3f" if one.cpu < 10 else ".1f"),
        str(one.run_count),
        format(one.peak_gb, ".2f"),
        format(one.residual, ".0e"),
        format(one.duality_gap, ".0e"),
        format(point.growth, ".2f"),
        one.status,
    ]
    return "| " + " | ".join("-" if figure == "nan" else figure for figure in figures) + " |"


def verdicts(everything: list[Point]) -> list[str]:
    """The goals' table, for what was measured."""
    lines = ["| goal | measured | met? |", "|---|---|---|"]
    million = [point for point in everything if point.series == "two releases, l = 5" and point.size == 1_000_000]
    for point in million:
        one = point.measured
        is_met = is_certified(one) and one.peak_gb < MAX_GB
        lines.append(
            f"| 1,000,000 persons, two releases, l = 5: certified, under {MAX_GB:g} GB | {one.status}, {one.peak_gb:.2f} GB, {one.cpu:.0f} s | "
            f"{'met' if is_met else 'missed'} |"
        )
    for name in dict.fromkeys(point.series for point in everything):
        of_series = [point for point in everything if point.series == name and SERIES[name].method == "ours"]
        if not of_series:
            continue
        solved = sum(is_certified(point.measured) for point in of_series)
        growth = whole_growth(of_series)
        if solved < len(of_series):
            verdict = f"missed: {len(of_series) - solved} of {len(of_series)} sizes not certified"
        elif math.isnan(growth):
            verdict = "open: one size only"
        else:
            verdict = "met" if growth <= MAX_GROWTH else f"missed by {growth / MAX_GROWTH:.2f} x"
        figure = "-" if math.isnan(growth) else f"{growth:.2f} x"
        lines.append(f"| {name}: at most {MAX_GROWTH:g} x beyond linear per doubling, first size to last | {figure} | {verdict} |")
    return lines


def plot(everything: list[Point], target: Path) -> None:
    """Seconds against cells, both logarithmic; dotted: what linear growth from the first point would cost. PNG and SVG."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "dbaudit"  # the same figures give the same file
    from matplotlib import pyplot

    figure, (time_axis, memory_axis) = pyplot.subplots(1, 2, figsize=(11, 4.5), constrained_layout=True)
    for number, name in enumerate(dict.fromkeys(point.series for point in everything)):
        of_series = [point for point in everything if point.series == name and is_certified(point.measured)]
        if not of_series:
            continue
        cells = [point.measured.size["cells"] for point in of_series]
        seconds = [point.measured.cpu for point in of_series]
        colour = f"C{number}"
        time_axis.loglog(cells, seconds, "o-", color=colour, label=f"{name} ({whole_growth(of_series):.2f} x)", markersize=4)
        time_axis.loglog([cells[0], cells[-1]], [seconds[0], seconds[0] * cells[-1] / cells[0]], ":", color=colour, linewidth=1)
        memory_axis.loglog(cells, [point.measured.peak_gb for point in of_series], "o-", color=colour, label=name, markersize=4)
    time_axis.set(xlabel="cells", ylabel="CPU seconds", title="Time (dotted: linear; in brackets: beyond it per doubling)")
    memory_axis.set(xlabel="cells", ylabel="GB", title="Peak memory of the process")
    for axis in (time_axis, memory_axis):
        axis.grid(visible=True, which="major", alpha=0.3)
    time_axis.legend(fontsize=8)
    for ending, metadata in ((".png", {}), (".svg", {"Date": None})):
        figure.savefig(target.with_suffix(ending), dpi=150, metadata=metadata)
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solver.growth", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--up-to", type=int, default=1_000_000, help="largest number of persons (or of cells, for giants)")
    parser.add_argument("--only", nargs="+", choices=list(SERIES), default=list(SERIES), metavar="SERIES", help=f"of: {'; '.join(SERIES)}")
    parser.add_argument("--table", choices=("adult", "twin"), help="default: Adult where its file is found, else the generated twin")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds after which a run is stopped (default: 900)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of what takes less than 2 s, after one that warms up")
    parser.add_argument("--plot", type=Path, help="draw to this file, once as PNG and once as SVG")
    parser.add_argument("--markdown", type=Path, help="write both tables to this file")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    chosen = parser.parse_args()
    if chosen.table is None:
        from benchmarks.solver.tables import DEFAULT_ADULT

        chosen.table = "adult" if DEFAULT_ADULT.exists() else "twin"
    everything, text = [], [HEAD, "|" + "---|" * HEAD.count(" | ") + "---|"]
    print("\n".join(text))
    for point in points(chosen):
        everything.append(point)
        text.append(row(point))
        print(text[-1], flush=True)
        if chosen.json:
            chosen.json.write_text(json.dumps([asdict(one) for one in everything], indent=1))
    text += ["", *verdicts(everything)]
    print("\n".join(text[-len(verdicts(everything)) - 1 :]))
    if chosen.markdown:
        chosen.markdown.write_text("\n".join(text) + "\n")
    if chosen.plot:
        plot(everything, chosen.plot)


if __name__ == "__main__":
    main()
