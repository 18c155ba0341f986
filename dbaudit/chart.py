"""Draw what a table tells: a Vega-Lite description becomes a picture in a file, without a browser and without a network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dbaudit.errors import UsageError

_DARK, _MIDDLE, _LIGHT = "#1a1a1a", "#6b6b6b", "#e3e3e3"  # three greys: what is printed in black and white says the same
_PANEL_HEIGHT = 110
_ROOM_OF_A_NAME = 22  # pixels from one release to the next, while there is room
_NARROWEST, _WIDEST = 360, 1100
_CLOSEST_LABELS = 14  # pixels; where releases stand closer, some names are left out
_LETTER = 7  # pixels, about
_LONGEST_LABEL = 130  # pixels; a longer name is cut off with an ellipsis
_SMALLEST = 0.001  # where everything is less, an axis to 1 shows it as the nothing that it is
_SHARPNESS = 2  # pixels of a PNG for each of the drawing

_CONFIG = {
    "font": "Liberation Sans, Arial, Helvetica, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "gridColor": _LIGHT,
        "domainColor": _MIDDLE,
        "tickColor": _MIDDLE,
        "labelColor": _DARK,
        "titleColor": _DARK,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
    },
    "title": {"anchor": "start", "fontSize": 12, "fontWeight": "bold", "color": _DARK, "subtitleColor": _MIDDLE, "subtitleFontSize": 11},
}


def checked_ending(path: Path) -> str:
    """Which picture a file's ending asks for: svg or png. To be asked before any work is done for the picture."""
    ending = path.suffix.lower().removeprefix(".")
    if ending not in ("svg", "png"):
        raise UsageError(f"a plot is written as SVG or PNG, by the ending of its file: {path.name} has neither. Call it plot.svg, or plot.png.")
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent} for the plot. Make it first, or choose another place.")
    return ending


def write_chart(description: Mapping[str, Any], path: Path) -> None:
    """Draw a Vega-Lite description into a file, SVG or PNG by its ending."""
    ending = checked_ending(path)
    import vl_convert  # 30 MB: whoever draws nothing does not load it

    # A drawing brings its data with it, and nothing in it may be fetched from anywhere.
    if ending == "svg":
        picture = vl_convert.vegalite_to_svg(dict(description), allowed_base_urls=[]).encode()
    else:
        picture = vl_convert.vegalite_to_png(dict(description), scale=_SHARPNESS, allowed_base_urls=[])
    try:
        path.write_bytes(picture)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}.") from error


def history_chart(title: str, unit: str, steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Three small panels over the release history: what remains unknown, the highest probability, and who is certain.

    A step has `release`, `entropy_bits_per_person`, `worst_probability`, `certain_count` and `finding_count`. A figure that is
    not known is None and leaves a gap: a line is drawn only from one known step to the next. Every axis begins at 0.
    """
    releases = [step["release"] for step in steps]
    unknown = [step["release"] for step in steps if step["worst_probability"] is None]
    is_judged = any(step["finding_count"] is not None for step in steps)
    certain = f"{unit.capitalize()}s whose value is certain" + (" (dots), findings (squares)" if is_judged else "")
    bits, probability, *counts = _FIGURES
    across = "up to and including release"
    panels = [
        _panel("What remains unknown", f"bits per {unit}", releases, unknown, [bits], _ticks(steps, [bits]), across),
        _panel("The surest guess about anybody", "highest probability", releases, unknown, [probability], [0, 0.25, 0.5, 0.75, 1], across),
        _panel(certain, "number", releases, unknown, counts, _ticks(steps, counts, whole=True), across, is_last=True),
    ]
    gap = ["?  no solved audit of the releases up to there"] if unknown else []
    return _drawing(title, ["Each step adds one release to those before it.", *gap], _rows(steps, releases, _FIGURES), panels)


def sweep_chart(title: str, unit: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Small panels over the number of rules that are known: the surest guess, who is certain, what remains unknown, and how near the truth is.

    A row has `bound`, `mean_probability`, `worst_probability`, `certain_count`, `entropy_bits`, `person_count` and `estimation_accuracy`. The last
    is drawn only if it is known; an infinite one leaves a gap.
    """
    bounds = [f"{row['bound']:,}" for row in rows]
    told = [
        {
            **row,
            "bits": None if row["entropy_bits"] is None else row["entropy_bits"] / max(row["person_count"], 1),
            "accuracy": row["estimation_accuracy"] if row["estimation_accuracy"] is not None and math.isfinite(row["estimation_accuracy"]) else None,
        }
        for row in rows
    ]
    unknown = [bound for bound, row in zip(bounds, rows, strict=True) if row["mean_probability"] is None]
    has_truth = any(row["accuracy"] is not None for row in told)
    shown = [
        (f"The surest guess about a {unit}, on average", "probability", "mean_probability", [0, 0.25, 0.5, 0.75, 1]),
        (f"{unit.capitalize()}s whose value is certain", "number", "certain_count", _ticks(told, ["certain_count"], whole=True)),
        ("What remains unknown", f"bits per {unit}", "bits", _ticks(told, ["bits"])),
        *([("Distance of the answer from the truth", "nats", "accuracy", _ticks(told, ["accuracy"]))] if has_truth else []),
    ]
    across = "strongest rules known, half of them positive and half negative"
    panels = [_panel(name, axis, bounds, unknown, [figure], ticks, across, is_last=figure == shown[-1][2]) for name, axis, figure, ticks in shown]
    gap = ["?  no answer"] if unknown else []
    figures = [figure for _, _, figure, _ in shown]
    return _drawing(title, ["A bound on what is known, and what then is given away.", *gap], _rows(told, bounds, figures), panels)


def _rows(steps: Sequence[Mapping[str, Any]], names: Sequence[str], figures: Sequence[str]) -> list[dict[str, Any]]:
    """One row for each step and figure, the steps by name."""
    return [{"step": name, "figure": figure, "size": step[figure]} for figure in figures for name, step in zip(names, steps, strict=True)]


def _drawing(title: str, subtitle: list[str], rows: list[dict[str, Any]], panels: list[dict[str, Any]]) -> dict[str, Any]:
    """Panels one below the other, with a title and their data."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "title": {"text": title, "subtitle": subtitle, "fontSize": 15, "offset": 12, "limit": _WIDEST},
        "background": "white",
        "padding": 14,
        "spacing": 16,
        "data": {"values": rows},
        "vconcat": panels,
        "config": _CONFIG,
    }


_FIGURES = ("entropy_bits_per_person", "worst_probability", "certain_count", "finding_count")
_IS_FINDING = "datum.figure === 'finding_count'"


def _ticks(steps: Sequence[Mapping[str, Any]], figures: Sequence[str], *, whole: bool = False) -> list[float]:
    """Round numbers from 0 to the first that reaches the largest figure, four or five of them."""
    largest = max((step[figure] or 0.0 for step in steps for figure in figures), default=0.0)
    largest = largest if largest >= _SMALLEST else 1.0
    magnitude = 10.0 ** math.floor(math.log10(largest))
    between = next(size for factor in (0.25, 0.5, 1, 2.5) if (size := factor * magnitude) * 4 >= largest * (1 - 1e-12))
    between = max(math.ceil(between), 1) if whole else between
    return [between * number for number in range(math.ceil(largest / between * (1 - 1e-12)) + 1)]


def _panel(
    title: str, axis: str, steps: list[str], unknown: list[str], figures: Sequence[str], ticks: list[float], across_title: str, *, is_last: bool = False
) -> dict[str, Any]:
    """One small drawing over all steps; their names stand below the last one only."""
    width = min(max(len(steps) * _ROOM_OF_A_NAME, _NARROWEST), _WIDEST)
    room = width / len(steps)
    every = math.ceil(_CLOSEST_LABELS / room)
    is_slanted = every == 1 and max(map(len, steps)) * _LETTER > room
    across = {
        "field": "step",
        "type": "nominal",
        # The order in which they follow each other, and the same places in every panel.
        "scale": {"domain": steps, "type": "point", "padding": 0.5},
        "axis": {
            "title": across_title if is_last else None,
            "values": steps[::-1][::every][::-1],  # the last one always has its name
            "labels": is_last,
            "ticks": is_last,
            "grid": False,
            "labelAngle": -90 if every > 1 else -45 if is_slanted else 0,
            "labelLimit": _LONGEST_LABEL,
            "labelOverlap": False,
            "labelPadding": 6,
            "titlePadding": 10,
        },
    }
    decimals = next(places for places in range(20) if round(ticks[1], places) == ticks[1])  # Vega's own choice rounds 0.25 to 0.3
    up = {
        "field": "size",
        "type": "quantitative",
        "title": axis,
        "scale": {"domain": [0, ticks[-1]], "nice": False},
        "axis": {"values": ticks, "format": f",.{decimals}f", "minExtent": 44, "domain": False, "ticks": False},
    }
    dot = min((room * 0.4) ** 2, 36)  # its area; dots of a long history must not become a band
    line = {"type": "line", "color": _DARK, "strokeWidth": 1.5, "invalid": "break-paths-show-domains"}
    point = {"type": "point", "stroke": _DARK, "strokeWidth": 1.3, "opacity": 1}
    # A finding is a square with nothing inside: a dot at the same place can be seen through it.
    size = {"condition": {"test": _IS_FINDING, "value": 3 * dot}, "value": dot}
    fill = {"condition": {"test": _IS_FINDING, "value": "transparent"}, "value": _DARK}
    shape = {"condition": {"test": _IS_FINDING, "value": "square"}, "value": "circle"}
    dash = {"condition": {"test": _IS_FINDING, "value": [5, 3]}, "value": [1, 0]}
    question = {"type": "text", "text": "?", "color": _MIDDLE, "fontSize": 12, "baseline": "bottom", "dy": -2}
    return {
        "title": {"text": title, "frame": "group", "offset": 10},
        "width": width,
        "height": _PANEL_HEIGHT,
        "encoding": {"x": across},
        "transform": [{"filter": {"field": "figure", "oneOf": list(figures)}}],
        "layer": [
            {"mark": line, "encoding": {"y": up, "detail": {"field": "figure"}, "strokeDash": dash}},
            {"mark": point, "encoding": {"y": up, "size": size, "fill": fill, "shape": shape}, "transform": [{"filter": "isValid(datum.size)"}]},
            {"mark": question, "encoding": {"y": {"value": _PANEL_HEIGHT}}, "transform": [{"filter": {"field": "step", "oneOf": unknown}}]},
        ],
    }
