"""What the measurements say: tables, goals, and their place in the README."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from benchmarks.knowledge.measure import AUDIT_STAGES, Figures
from benchmarks.knowledge.records import SOURCES
from benchmarks.republishing.__main__ import README, _met, _row, _table
from benchmarks.solver.lines import CERTIFICATE

BEGIN, END = "<!-- knowledge: figures -->", "<!-- knowledge: end of figures -->"

MIN_RATIO, MANY_RULES, MIN_RATIO_OF_MANY = 25.0, 10_000, 10.0  # Clarabel's solve / ours; from so many rules on; then
MAX_AUDIT_RATIO, AUDIT_SECONDS = 3.0, 2.0  # the whole audit: at most so many times its solve, or so many seconds
MAX_BYTES = 2 * 2**30
MIN_MINING_RATIO = 20.0

PEERS = {
    "clarabel": "Clarabel on the whole problem",
    "full_dual": "L-BFGS on the whole dual (the paper's way)",
    "clarabel_relevant": "Clarabel on the relevant part",
}
_SLOWEST = 3  # steps that are named


def markdown(everything: Figures) -> str:
    load = f"load of the machine {everything['load_before']:.1f} before" + (f", {everything['load_after']:.1f} after." if "load_after" in everything else ".")
    lines = [f"Records: {SOURCES[everything['table']]}. Medians of {everything['rounds']} rounds, peers that take over 10 s once; {load}"]
    if "audits" in everything:
        lines += _audit_tables(everything["audits"])
    if "mining" in everything:
        lines += _mining_tables(everything["mining"])
    lines += ["", *_table(("goal", "measured", "met?")), *(_row(cells) for cells in goals(everything))]
    return "\n".join(lines)


def write(text: str) -> None:
    """Put the tables between their marks in the README."""
    before, mark, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    _, other_mark, after = rest.partition(END)
    if not (mark and other_mark):
        raise SystemExit(f"{README} has no place for the figures: {BEGIN} ... {END}")
    README.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


# --- Audits ------------------------------------------------------------------------------------------------------------


def audit_seconds(one: Figures, clock: str = "cpu") -> float:
    """The whole audit: everything but registering and mining."""
    return sum(one["stages"][stage][clock] for stage in AUDIT_STAGES)


def solve_seconds(one: Figures) -> float:
    return float(one["stages"]["solve"]["cpu"])


def peak_gb(*measurements: Figures) -> float:
    return max(stage["peak_gb"] for one in measurements for stage in one["stages"].values())


def ratio(point: Figures, name: str) -> float:
    """How many times the CPU time of our solver on the same problem; a peer that was stopped took at least this."""
    ours = solve_seconds(point["relevant" if name == "clarabel_relevant" else "whole"])
    return float(point["peers"][name]["cpu"]) / ours if ours else math.nan


def _audit_tables(audits: Figures) -> list[str]:
    first = {"registering (and making the store)": audits["prepare"]["stages"]["register"], "mining": audits["mine"]["stages"]["mine"]}
    told = [f"{what} {stage['cpu']:.2f} s CPU, {stage['wall']:.2f} s wall, {stage['peak_gb']:.2f} GB" for what, stage in first.items()]
    same = "The rules are those of an independent miner." if audits["is_same"] else "**The rules differ from those of an independent miner.**"
    lines = ["", f"**Audits**, {audits['record_count']:,} records: {'; '.join(told)}. {same}", ""]
    lines += _table(("rules", "to the solver", *(f"{stage}, s" for stage in AUDIT_STAGES), "audit, CPU s", "wall s", "peak GB", "slowest steps of SQL, s"))
    for point in audits["points"]:
        for problem, name in (("relevant", "what is relevant"), ("whole", "everything")):
            one = point[problem]
            size = f"{name}: {one['solves'][0]['cell_count']:,} cells, {one['solves'][0]['row_count']:,} rows" if one["solves"] else "nothing"
            stages = [f"{one['stages'][stage]['cpu']:.2f}" for stage in AUDIT_STAGES]
            lines.append(
                _row(
                    (
                        f"{point['rules']:,}",
                        size,
                        *stages,
                        f"{audit_seconds(one):.2f}",
                        f"{audit_seconds(one, 'wall'):.2f}",
                        f"{peak_gb(one):.2f}",
                        _slowest(one),
                    )
                )
            )
    lines += ["", *_table(("rules", "who", "CPU s", "with modelling", "wall s", "peak GB", "x ours", "residual", "gap", "largest difference", "ended"))]
    lines += [_row(cells) for point in audits["points"] for cells in _side_by_side(point)]
    return lines + _warm_table(audits)


def _side_by_side(point: Figures) -> Iterator[tuple[str, ...]]:
    rules, peers = f"{point['rules']:,}", point["peers"]
    for problem, name in (("whole", "dbaudit on the whole problem"), ("relevant", "dbaudit on the relevant part")):
        judged, solve = point["judge"][problem], point[problem]["stages"]["solve"]
        cost = (f"{solve['cpu']:.3f}", "", f"{solve['wall']:.3f}", f"{solve['peak_gb']:.2f}", "") if solve["cpu"] else ("no solver needed", "", "", "", "")
        difference = f"{judged['largest_difference']:.0e}" if "largest_difference" in judged else ""
        yield rules, name, *cost, f"{judged['residual']:.0e}", f"{judged['gap']:.0e}", difference, point[problem]["status"]
    for name, words in PEERS.items():
        if name in peers:
            peer = peers[name]
            over = "over " if peer["is_stopped"] else ""
            spent = (f"{over}{peer['cpu']:.2f}", _number(peer, "cpu_with_modelling", ".2f"), _number(peer, "wall", ".2f"), f"{peer['peak_gb']:.2f}")
            yield (
                rules,
                words,
                *spent,
                f"{over}{ratio(point, name):.1f}",
                *(_number(peer, key, ".0e") for key in ("residual", "gap", "largest_difference")),
                _ended(peer),
            )


def _ended(peer: Figures) -> str:
    return str(peer["status"]).partition(":")[0].lower() if str(peer["status"]).isupper() else str(peer["status"])


def _number(one: Figures, key: str, form: str) -> str:
    return format(one[key], form) if key in one else "-"


def _slowest(one: Figures) -> str:
    steps = sorted(one["steps"].items(), key=lambda step: -step[1])[:_SLOWEST]
    return ", ".join(f"{name.partition('/')[2] or name} {seconds:.2f}" for name, seconds in steps)


def _warm_table(audits: Figures) -> list[str]:
    cold, warm = (audits["warm"][method] for method in ("alone", "sweep"))
    bounds = [point["rules"] for point in audits["points"]][-len(cold["solves"]) :]
    lines = ["", *_table(("rules", "solve by itself, CPU s", "Newton steps", "solve inside a sweep", "Newton steps", "sweep / itself"))]
    for bound, one, other in zip(bounds, cold["solves"], warm["solves"], strict=True):
        lines.append(
            _row(
                (f"{bound:,}", f"{one['cpu']:.3f}", str(one["iterations"]), f"{other['cpu']:.3f}", str(other["iterations"]), f"{other['cpu'] / one['cpu']:.2f}")
            )
        )
    whole = (f"{cold['cpu']:.2f}", "", f"{warm['cpu']:.2f}", "", f"{warm['cpu'] / cold['cpu']:.2f}")
    return [*lines, _row(("all audits, from reading to storing", *whole))]


# --- Mining ------------------------------------------------------------------------------------------------------------


_RANKED = ("ranked, CPU s", "x ours, the strongest", "same strongest")


def _mining_tables(mining: Figures) -> list[str]:
    top, every, strongest = mining["top"], mining["every"], f"{mining['strongest']:,}"
    same = "they are those of an independent miner" if mining["is_same"] else "**they differ from those of an independent miner**"
    lines = ["", f"**Mining**, {mining['record_count']:,} records; the {strongest} strongest rules of each kind: {same}.", ""]
    lines += _table(
        (
            "who",
            "records",
            "what",
            "CPU s",
            "wall s",
            "peak GB",
            "x ours, the strongest",
            "x ours, every rule",
            "same rules",
            "ranked, CPU s",
            "x ours, the strongest",
            "same strongest",
        )
    )
    for name, one, what in (
        ("dbaudit", top, f"the strongest {top['positive_count']:,} and {top['negative_count']:,}, stored"),
        ("dbaudit", every, f"every positive rule ({every['rule_count']:,}), stored"),
    ):
        stage = one["stages"]["mine"]
        lines.append(_row((name, f"{mining['record_count']:,}", what, f"{stage['cpu']:.2f}", f"{stage['wall']:.2f}", f"{stage['peak_gb']:.2f}", *[""] * 6)))
    for peer in mining["peers"]:
        one, words = peer["at_all"], (f"{peer['name']}, {peer['way']}", f"{mining['record_count']:,}")
        if one["is_stopped"]:
            lines.append(
                _row(
                    (
                        *words,
                        str(one["status"]),
                        f"over {one['cpu']:.1f}",
                        "-",
                        f"{one['peak_gb']:.2f}",
                        f"over {_x(one, top)}",
                        f"over {_x(one, every)}",
                        *["-"] * 4,
                    )
                )
            )
        else:
            lines.append(
                _row(
                    (
                        *words,
                        f"{one['rule_count']:,} rules",
                        *_cost(one),
                        _x(one, top),
                        _x(one, every),
                        _yes(one["digest"] == every["digest"]),
                        *_ranked(one, top),
                    )
                )
            )
        if "ours" in peer:
            smaller, ours = peer["smaller"], peer["ours"]
            done = (f"{smaller['rule_count']:,} rules", *_cost(smaller), _x(smaller, ours), "-", _yes(smaller["digest"] == ours["digest"]), *["-"] * 3)
            lines.append(_row((words[0], f"{smaller['record_count']:,}", *done)))
    if mining["missing"]:
        lines += ["", f"Not installed, so not measured: {', '.join(mining['missing'])}."]
    return [*lines, "", f"Slowest steps of SQL (CPU s): of the strongest, {_slowest(top)}; of every rule, {_slowest(every)}."]


def _cost(one: Figures) -> tuple[str, ...]:
    return f"{one['cpu']:.2f}", f"{one['wall']:.2f}", f"{one['peak_gb']:.2f}"


def _ranked(peer: Figures, top: Figures) -> tuple[str, ...]:
    """What it takes to have the strongest rules in order, which is what ours stores; nothing where confidences are not known."""
    if "ranked_cpu" not in peer:
        return ("-",) * 3
    return f"{peer['ranked_cpu']:.2f}", f"{peer['ranked_cpu'] / top['stages']['mine']['cpu']:.1f}", _yes(peer["ranked_digest"] == top["digest"])


def _x(peer: Figures, ours: Figures) -> str:
    return f"{peer['cpu'] / ours['stages']['mine']['cpu']:.1f}"


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "**no**"


# --- Goals -------------------------------------------------------------------------------------------------------------


def goals(everything: Figures) -> Iterator[tuple[str, str, str]]:
    """Three cells for each goal: what was to be reached, what was measured, and whether it was met."""
    if "audits" in everything:
        yield from _audit_goals(everything["audits"])
    if "mining" in everything:
        yield from _mining_goals(everything["mining"])


def _audit_goals(audits: Figures) -> Iterator[tuple[str, str, str]]:
    points = audits["points"]
    for point in points:
        if "clarabel" in point["peers"]:
            yield _solve_goal(point)
    for name in ("clarabel", "clarabel_relevant", "full_dual"):
        compared = [point for point in points if name in point["peers"] and "residual" in point["peers"][name]]
        if compared:
            yield _accuracy_goal(compared, name)
    for problem, words in (("relevant", ""), ("whole", ", everything to the solver")):
        worst = max((point for point in points), key=lambda point: audit_seconds(point[problem]) / _audit_limit(point[problem]))
        one = worst[problem]
        yield (
            f"the whole audit{words} at most {MAX_AUDIT_RATIO:g} x its solve or {AUDIT_SECONDS:g} s, under every bound",
            f"at worst {audit_seconds(one):.2f} s, limit {_audit_limit(one):.2f} s ({worst['rules']:,} rules, solve {solve_seconds(one):.2f} s)",
            _met(audit_seconds(one) <= _audit_limit(one)),
        )
    peak = peak_gb(audits["prepare"], audits["mine"], *(point[problem] for point in points for problem in ("relevant", "whole")))
    yield f"memory under {MAX_BYTES / 2**30:.0f} GiB, registering and mining included", f"{peak * 1e9 / 2**30:.2f} GiB", _met(peak * 1e9 < MAX_BYTES)


def _solve_goal(point: Figures) -> tuple[str, str, str]:
    """Judged where both solve the whole problem; beside it, what an audit really gives to the solver, against Clarabel on the whole problem."""
    asked = MIN_RATIO_OF_MANY if point["rules"] >= MANY_RULES else MIN_RATIO
    reached, judged, peer = ratio(point, "clarabel"), point["judge"]["whole"], point["peers"]["clarabel"]
    over = "over " if peer["is_stopped"] else ""
    is_certified = judged["residual"] <= CERTIFICATE and judged["gap"] <= CERTIFICATE
    met = "open: the peer was stopped too early" if peer["is_stopped"] and reached < asked else _met(is_certified and reached >= asked)
    needed = solve_seconds(point["relevant"])
    as_audited = f"only the relevant part: {over}{peer['cpu'] / needed:.0f} x" if needed else "no solver needed for the relevant part"
    return f"{point['rules']:,} rules: solve {asked:.0f} x faster than Clarabel, at 1e-9", f"{over}{reached:.0f} x CPU ({as_audited})", met


def _accuracy_goal(points: list[Any], name: str) -> tuple[str, str, str]:
    problem = "relevant" if name == "clarabel_relevant" else "whole"
    ours = [max(point["judge"][problem][key] for point in points) for key in ("residual", "gap")]
    theirs = [max(point["peers"][name][key] for point in points) for key in ("residual", "gap")]
    # What double precision cannot tell apart is equal.
    is_met = all(point["judge"][problem][key] <= max(point["peers"][name][key], 1e-12) for point in points for key in ("residual", "gap"))
    return (
        f"at equal or better accuracy than: {PEERS[name]}",
        f"residual at worst {ours[0]:.0e} against {theirs[0]:.0e}, gap {ours[1]:.0e} against {theirs[1]:.0e}",
        _met(is_met),
    )


def _audit_limit(one: Figures) -> float:
    return max(MAX_AUDIT_RATIO * solve_seconds(one), AUDIT_SECONDS)


def _mining_goals(mining: Figures) -> Iterator[tuple[str, str, str]]:
    done = [peer for peer in mining["peers"] if not peer["at_all"]["is_stopped"]]
    if not done:
        return
    for way, told in ((None, "fastest peer"), ("plain", "fastest peer in one call")):
        fastest = min((peer for peer in done if way in (None, peer["way"])), key=lambda peer: peer["at_all"]["cpu"], default=None)
        if fastest is None:
            continue
        for ours, what in ((mining["top"], f"the strongest {mining['strongest']:,} of each kind"), (mining["every"], "every positive rule, stored")):
            reached, wall = (fastest["at_all"][clock] / ours["stages"]["mine"][clock] for clock in ("cpu", "wall"))
            yield (
                f"mining {what}: {MIN_MINING_RATIO:.0f} x faster than the {told}",
                f"{reached:.1f} x CPU, {wall:.1f} x wall ({fastest['name']}, {fastest['way']})",
                _met(reached >= MIN_MINING_RATIO),
            )
    ranked = [peer for peer in done if "ranked_cpu" in peer["at_all"]]
    if ranked:
        fastest = min(ranked, key=lambda peer: float(peer["at_all"]["ranked_cpu"]))
        reached = fastest["at_all"]["ranked_cpu"] / mining["top"]["stages"]["mine"]["cpu"]
        yield (
            f"mining the strongest {mining['strongest']:,} of each kind: {MIN_MINING_RATIO:.0f} x faster than the fastest peer, ranked",
            f"{reached:.1f} x CPU ({fastest['name']}, {fastest['way']}, ranked)",
            _met(reached >= MIN_MINING_RATIO),
        )
    yield (
        "every peer that came to an end finds the same positive rules",
        f"{sum(peer['at_all']['digest'] == mining['every']['digest'] for peer in done)} of {len(done)}",
        _met(all(peer["at_all"]["digest"] == mining["every"]["digest"] for peer in done)),
    )
