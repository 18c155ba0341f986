"""The picture of a history: a file that programs can read, with every release on it and every dot where its figure says."""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbaudit import UsageError
from dbaudit.chart import checked_ending, history_chart, write_chart

SVG = "{http://www.w3.org/2000/svg}"
HEIGHT = 110  # of a panel, in the drawing's own units


def step(release: str, bits: float | None, worst: float | None, certain: int | None, findings: int | None) -> dict[str, Any]:
    return {
        "release": release,
        "entropy_bits_per_person": bits,
        "worst_probability": worst,
        "certain_count": certain,
        "finding_count": findings,
    }


def drawn(folder: Path, steps: list[dict[str, Any]]) -> ElementTree.Element:
    write_chart(history_chart("patients", "person", steps), folder / "history.svg")
    return ElementTree.fromstring((folder / "history.svg").read_text(encoding="utf-8"))


def texts(picture: ElementTree.Element) -> list[str]:
    return ["".join(element.itertext()) for element in picture.iter(f"{SVG}text")]


def dots(picture: ElementTree.Element) -> list[list[float]]:
    """How high each panel's dots and squares stand, as shares of the panel."""
    found = []
    for group in picture.iter(f"{SVG}g"):
        if "mark-symbol" in group.get("class", ""):
            places = [re.fullmatch(r"translate\((.*),(.*)\)", path.get("transform", "")) for path in group.iter(f"{SVG}path")]
            found.append([round(1 - float(place[2]) / HEIGHT, 4) for place in places if place])
    return found


def test_every_dot_of_an_svg_stands_where_its_figure_says_over_axes_from_0(tmp_path: Path) -> None:
    steps = [step("r1", 1.5, 0.5, 0, 4), step("r2", None, None, None, None), step("r3", 0.75, 1.0, 3, 20)]
    picture = drawn(tmp_path, steps)
    # Bits up to 1.5 in steps of 0.5; probabilities up to 1; numbers up to 20. The step in between has no dot anywhere.
    assert dots(picture) == [[1.0, 0.5], [0.5, 1.0], [0.0, 0.15, 0.2, 1.0]]
    lines = [path.get("d", "") for group in picture.iter(f"{SVG}g") if "mark-line" in group.get("class", "") for path in group.iter(f"{SVG}path")]
    assert [line.count("M") for line in lines] == [2, 2, 2, 2]  # begun anew behind the gap
    told = texts(picture)
    assert [told.count(label) for label in ("0.0", "0.00", "0", "1.5", "1.00", "20")] == [1] * 6
    assert told.count("?") >= 3
    for words in ("bits per person", "highest probability", "number", "up to and including release", "What remains unknown"):
        assert words in told


def test_findings_are_drawn_only_where_something_was_judged(tmp_path: Path) -> None:
    picture = drawn(tmp_path, [step("r1", 1.5, 0.5, 0, None), step("r2", 0.75, 1.0, 3, None)])
    assert dots(picture)[2] == [0.0, 1.0]
    assert not any("findings" in text for text in texts(picture))


def test_names_with_odd_characters_arrive_as_they_are(tmp_path: Path) -> None:
    odd = ["<b>&amp;</b>", "{{a}}", "datum['x']", "it's", "2026", "null", "a\\nb", "日本 ü"]
    told = texts(drawn(tmp_path, [step(name, 1.0, 0.5, 1, 1) for name in odd]))
    assert [name for name in odd if name not in told] == []


def test_fifty_names_can_all_be_read_and_of_three_hundred_the_last(tmp_path: Path) -> None:
    names = [f"release-2026-{number:02}" for number in range(50)]
    picture = drawn(tmp_path, [step(name, 1.0, 0.5, 1, 1) for name in names])
    assert [text for text in texts(picture) if text.startswith("release-")] == names
    many = history_chart("patients", "person", [step(f"r{number}", 1.0, 0.5, 1, 1) for number in range(300)])
    named = many["vconcat"][2]["encoding"]["x"]["axis"]["values"]
    assert named[-1] == "r299" and 50 <= len(named) <= 100 and len(many["vconcat"][2]["encoding"]["x"]["scale"]["domain"]) == 300


def test_a_png_is_whole_and_not_empty(tmp_path: Path) -> None:
    file = tmp_path / "history.PNG"
    write_chart(history_chart("patients", "person", [step("r1", 1.5, 0.5, 0, 4)]), file)
    data = file.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks: dict[bytes, bytes] = {}
    position = 8
    while position < len(data):
        (length,), kind = struct.unpack(">I", data[position : position + 4]), data[position + 4 : position + 8]
        body = data[position + 8 : position + 8 + length]
        assert struct.unpack(">I", data[position + 8 + length : position + 12 + length])[0] == zlib.crc32(kind + body)
        chunks[kind] = chunks.get(kind, b"") + body
        position += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    assert b"IEND" in chunks and 500 < width < 3000 and 500 < height < 3000
    pixels = zlib.decompress(chunks[b"IDAT"])
    assert len(pixels) > width * height and len(set(pixels)) > 10


@pytest.mark.parametrize("name", ["history.pdf", "history", "svg", "history.svg.gz"])
def test_another_ending_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="SVG or PNG"):
        checked_ending(Path(name))
    with pytest.raises(UsageError, match="SVG or PNG"):
        write_chart({}, tmp_path / name)
    assert not (tmp_path / name).exists()


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no folder .*nowhere for the plot"):
        drawn(tmp_path / "nowhere", [step("r1", 1.5, 0.5, 0, 4)])
    (tmp_path / "history.svg").mkdir()
    with pytest.raises(UsageError, match=r"history\.svg cannot be written: is a directory"):
        drawn(tmp_path, [step("r1", 1.5, 0.5, 0, 4)])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.floats(0, 60), st.floats(0, 1), st.integers(0, 10**9), st.one_of(st.none(), st.integers(0, 10**9)))
def test_every_axis_begins_at_0_has_few_even_ticks_and_holds_its_figures(bits: float, worst: float, certain: int, findings: int | None) -> None:
    panels = history_chart("patients", "person", [step("r1", bits, worst, certain, findings)])["vconcat"]
    for panel, largest in zip(panels, (bits, worst, max(certain, findings or 0)), strict=True):
        up = panel["layer"][0]["encoding"]["y"]
        low, high = up["scale"]["domain"]
        ticks = up["axis"]["values"]
        assert low == ticks[0] == 0 and ticks[-1] == high >= largest * (1 - 1e-9)
        assert 2 <= len(ticks) <= 6
        assert ticks == pytest.approx([ticks[1] * number for number in range(len(ticks))])
        decimals = int(re.fullmatch(r",\.(\d+)f", up["axis"]["format"])[1])  # type: ignore[index]
        assert [float(f"{tick:.{decimals}f}") for tick in ticks] == pytest.approx(ticks)
    assert panels[1]["layer"][0]["encoding"]["y"]["scale"]["domain"] == [0, 1]
    assert all(tick == int(tick) for tick in panels[2]["layer"][0]["encoding"]["y"]["axis"]["values"])
