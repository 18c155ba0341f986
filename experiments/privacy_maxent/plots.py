"""The figures as SVG, readable without colour: lines differ by dash and marker too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.privacy_maxent.cases import AS_MINED, DRAWN, KINDS, NEW_ONLY, STAND_IN, Measured
from experiments.privacy_maxent.claims import WAY, cpu, iterations

STYLES: tuple[dict[str, Any], ...] = (
    {"color": "#000000", "linestyle": "-", "marker": "o"},
    {"color": "#1b6ca8", "linestyle": "--", "marker": "s"},
    {"color": "#d1495b", "linestyle": ":", "marker": "^"},
    {"color": "#3a7d44", "linestyle": "-.", "marker": "D"},
)


def write(measured: Measured, folder: Path) -> None:
    """Draw everything into a folder."""
    folder.mkdir(exist_ok=True, parents=True)
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "dbaudit", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    mpl.rcParams.update({"lines.markersize": 4, "lines.linewidth": 1.3})
    figures = {"figure5": _knowledge(measured), "figure6": _widths(measured), "figure7a": _rules(measured)}
    for letter, what in (("b", "time"), ("c", "iterations")):
        figures[f"figure7{letter}"] = _buckets(measured, what)
    for name, figure in figures.items():
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})


def _axes(count: int, height: float = 2.9) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(3.8 * count, height), layout="constrained")
    return figure, [figure.add_subplot(1, count, number) for number in range(1, count + 1)]


def _knowledge(measured: Measured) -> Figure:
    """As mined; the fall since K = 0 in logarithms, where small K can be told apart; and the same without rules that follow from others."""
    figure, (whole, small, other) = _axes(3)
    new = measured.curves(ranking=NEW_ONLY)
    for kind, style in zip(KINDS, STYLES, strict=False):
        curves = measured.curves(ranking=AS_MINED)
        whole.plot(curves.bounds, curves.accuracy[kind], label=kind, **style)
        for axes, shown in ((small, curves), (other, new)):
            fall = [curves.accuracy[kind][0] - accuracy for bound, accuracy in zip(shown.bounds, shown.accuracy[kind], strict=True) if bound]
            axes.plot([bound for bound in shown.bounds if bound], fall, label=kind, **style)
    whole.set(title="rules as mined", ylabel="estimation accuracy, nats", xlabel="K")
    small.set(title="the same: fall since K = 0", xscale="log", yscale="log", ylabel="nats (mixed lowest = highest here)", xlabel="K")
    other.set(title="fall without rules that follow from others", xscale="log", yscale="log", xlabel="K", ylim=small.get_ylim())
    for axes in (whole, other):
        axes.legend(frameon=False)
    return figure


def _widths(measured: Measured) -> Figure:
    figure, (by_bound, *all_axes) = _axes(3)
    for width in measured.widths_of():
        accuracy = [measured.base[STAND_IN], *(measured.base[STAND_IN] - effect for effect in width.effect.values())]
        style: dict[str, Any] = {"marker": f"${width.attributes}$", "markersize": 6, "linewidth": 0.5, "color": "#bbbbbb"}
        by_bound.plot([0, *width.effect], accuracy, **style, markerfacecolor="#000000", markeredgecolor="#000000", markeredgewidth=0.2)
    by_bound.set(title="stand-in; the marker is T", xlabel="K", ylabel="estimation accuracy, nats")
    for axes, records in zip(all_axes, (STAND_IN, DRAWN), strict=True):
        widths = measured.widths_of(records)
        for bound, style in zip(reversed(measured.sizes.attribute_bounds), STYLES, strict=False):
            axes.plot([width.attributes for width in widths], [width.effect[bound] for width in widths], label=f"K = {bound}", **style)
        axes.set(title=records, xlabel="T, quasi-identifiers in each rule", ylim=(0, None), xticks=measured.sizes.attributes)
    all_axes[0].set_ylabel("effect, nats")
    all_axes[1].legend(frameon=False)
    return figure


def _rules(measured: Measured) -> Figure:
    figure, (time, steps) = _axes(2)
    for number, (full_model, way) in enumerate(((True, "paper"), (False, "paper"), (True, "ours"), (False, "ours"))):
        costs = measured.costs_of(full_model, bucket_count=measured.stand_in.bucket_count)
        label = f"{WAY[way]}{'' if full_model else ', with 5.5'}"
        rules = [cost.rule_count for cost in costs]
        time.plot(rules, [cpu(cost, way) for cost in costs], label=label, **STYLES[number])
        steps.plot(rules, [iterations(cost, way) for cost in costs], label=label, **STYLES[number])
    time.set(title="CPU seconds of the solve", xlabel="rules", xscale="log", yscale="log")
    steps.set(title="iterations", xlabel="rules", xscale="log", ylim=(0, None))
    time.set_ylim(top=time.get_ylim()[1] * 12)
    time.legend(frameon=False, fontsize=7)
    return figure


def _buckets(measured: Measured, what: str) -> Figure:
    figure, all_axes = _axes(4)
    cases = ((True, "paper"), (False, "paper"), (True, "ours"), (False, "ours"))
    for axes, (full_model, way) in zip(all_axes, cases, strict=True):
        for rule_count, style in zip(measured.sizes.growth, STYLES, strict=False):
            costs = measured.costs_of(full_model, rule_count)
            ys = [cpu(cost, way) if what == "time" else iterations(cost, way) for cost in costs]
            axes.plot([cost.bucket_count for cost in costs], ys, label=f"{rule_count:,} rules", **style)
        axes.set(title=f"{WAY[way]}, {'without' if full_model else 'with'} 5.5", xlabel="buckets", ylim=(0, None), xlim=(0, None))
    all_axes[0].set_ylabel("CPU seconds of the solve" if what == "time" else "iterations")
    all_axes[0].legend(frameon=False)
    return figure
