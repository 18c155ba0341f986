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
        raise UsageError(f"a plot is written as SVG or PNG, by the ending of its file: {path.name} has neither. Call it history.svg, or history.png.")
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
    rows = [{"release": step["release"], "figure": figure, "size": step[figure]} for figure in _FIGURES for step in steps]
    unknown = [step["release"] for step in steps if step["worst_probability"] is None]
    is_judged = any(step["finding_count"] is not None for step in steps)
    certain = f"{unit.capitalize()}s whose value is certain" + (" (dots), findings (squares)" if is_judged else "")
    bits, probability, *counts = _FIGURES
    panels = [
        _panel("What remains unknown", f"bits per {unit}", releases, unknown, [bits], _ticks(steps, [bits])),
        _panel("The surest guess about anybody", "highest probability", releases, unknown, [probability], [0, 0.25, 0.5, 0.75, 1]),
        _panel(certain, "number", releases, unknown, counts, _ticks(steps, counts, whole=True), is_last=True),
    ]
    gap = ["?  no solved audit of the releases up to there"] if unknown else []
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "title": {"text": title, "subtitle": ["Each step adds one release to those before it.", *gap], "fontSize": 15, "offset": 12, "limit": _WIDEST},
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
    title: str, axis: str, releases: list[str], unknown: list[str], figures: Sequence[str], ticks: list[float], *, is_last: bool = False
) -> dict[str, Any]:
    """One small drawing over all releases; their names stand below the last one only."""
    width = min(max(len(releases) * _ROOM_OF_A_NAME, _NARROWEST), _WIDEST)
    room = width / len(releases)
    every = math.ceil(_CLOSEST_LABELS / room)
    is_slanted = every == 1 and max(map(len, releases)) * _LETTER > room
    across = {
        "field": "release",
        "type": "nominal",
        # The order of publication, and the same places in every panel.
        "scale": {"domain": releases, "type": "point", "padding": 0.5},
        "axis": {
            "title": "up to and including release" if is_last else None,
            "values": releases[::-1][::every][::-1],  # the latest release always has its name
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
            {"mark": question, "encoding": {"y": {"value": _PANEL_HEIGHT}}, "transform": [{"filter": {"field": "release", "oneOf": unknown}}]},
        ],
    }
