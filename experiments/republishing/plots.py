"""The four figures as SVG: the same measurements give the same bytes."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.republishing.cases import DIVERSITIES, OVERLAPS, RECORDS, Case, Measured
from experiments.republishing.page import PAPER_GROWTH

COLOURS = dict(zip(DIVERSITIES, ("#1b6ca8", "#d1495b", "#3a7d44"), strict=True))


def write(measured: Measured, folder: Path) -> None:
    """Draw everything into a folder."""
    folder.mkdir(exist_ok=True)
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "dbaudit", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    for name, figure in {
        "figure2": _lower(measured, "independent", (("D2", "D2's persons"), ("everybody", "everybody in D1 or D2")), claim=(20, 25)),
        "figure3": _lower(measured, "history", (("D1", "D1's persons"), ("everybody", "everybody in D1 or D2")), claim=None),
        "figure4": _entropy(measured),
        "figure5": _growth(measured),
    }.items():
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})


def _axes(count: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(3.8 * count, 2.9), layout="constrained")
    return figure, [figure.add_subplot(1, count, number) for number in range(1, count + 1)]


def _line(axes: Axes, figure_of: dict[int, list[float]], diversity: int) -> None:
    """The mean over the samples, with the span from least to greatest."""
    mean = [sum(figures) / len(figures) for figures in figure_of.values()]
    axes.plot(OVERLAPS, mean, marker="o", markersize=3, color=COLOURS[diversity], label=f"l = {diversity}")
    axes.fill_between(OVERLAPS, [min(f) for f in figure_of.values()], [max(f) for f in figure_of.values()], color=COLOURS[diversity], alpha=0.2, linewidth=0)


def _by_overlap(cases: list[Case], figure: str, whose: str) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {overlap: [] for overlap in OVERLAPS}
    for case in cases:
        found[case.overlap].append(100 * case.lower(whose) if figure == "lower" else case.combined[whose] / 1000)
    return found


def _lower(measured: Measured, method: str, panels: tuple[tuple[str, str], ...], claim: tuple[int, int] | None) -> Figure:
    figure, all_axes = _axes(len(panels))
    for axes, (whose, title) in zip(all_axes, panels, strict=True):
        for diversity in DIVERSITIES:
            _line(axes, _by_overlap(measured.of(method, diversity=diversity), "lower", whose), diversity)
        if claim:
            axes.axhspan(*claim, color="#999999", alpha=0.3, linewidth=0, label="the paper's claim")
        axes.set(title=title, xlabel="persons in both releases", ylabel="entropy lower by, %", ylim=(0, None), xticks=OVERLAPS)
    all_axes[0].legend(frameon=False)
    return figure


def _entropy(measured: Measured) -> Figure:
    figure, (axes,) = _axes(1)
    for diversity in DIVERSITIES:
        _line(axes, _by_overlap(measured.of("independent", diversity=diversity), "entropy", "D2"), diversity)
    axes.set(
        title=f"D2's {RECORDS:,} persons, both releases", xlabel="persons in both releases", ylabel="entropy, thousand bits", ylim=(0, None), xticks=OVERLAPS
    )
    axes.legend(frameon=False)
    return figure


def _growth(measured: Measured) -> Figure:
    figure, (time, memory, size) = _axes(3)
    records = [row["records"] for row in measured.growth]
    time.plot(records, [60 * minutes for minutes in PAPER_GROWTH["minutes"]], marker="s", markersize=3, color="#999999", label="the paper (Knitro)")
    time.plot(records, [row["seconds"] for row in measured.growth], marker="o", markersize=3, color=COLOURS[2], label="dbaudit, whole audit")
    time.set(title="seconds", yscale="log")
    memory.plot(records, PAPER_GROWTH["megabytes"], marker="s", markersize=3, color="#999999", label="the paper")
    memory.plot(records, [row["peak_mb"] for row in measured.growth], marker="o", markersize=3, color=COLOURS[2], label="peak of the whole process")
    memory.plot(records, [row["idle_mb"] for row in measured.growth], linestyle=":", color=COLOURS[2], label="before the audit began")
    memory.set(title="MB", ylim=(0, None))
    for key, paper, colour in (("cell_count", "variables", COLOURS[2]), ("constraints", "constraints", COLOURS[3])):
        size.plot(records, PAPER_GROWTH[paper], marker="s", markersize=3, linestyle="--", color=colour, label=f"{paper}, the paper")
        ours = [row["cell_count"] if key == "cell_count" else row["constraint_count"] + row["person_count"] for row in measured.growth]
        size.plot(records, ours, marker="o", markersize=3, color=colour, label=paper)
    size.set(title="variables and constraints", ylim=(0, None))
    for axes in (time, memory, size):
        axes.set(xlabel="records in each release", xticks=records[::2])
        axes.legend(frameon=False, fontsize=7)
    return figure
