"""The README of this experiment: the text of page.md with what was measured."""

from __future__ import annotations

import os
from pathlib import Path
from statistics import mean

from experiments.republishing.cases import DIVERSITIES, GROWTH_DIVERSITY, OVERLAPS, RECORDS, Measured
from experiments.republishing.claims import BAND, Claim, judged, lower
from experiments.republishing.desk import SENSITIVE, Adult

TEXT = Path(__file__).with_name("page.md")

# Figure 5 as it is printed.
PAPER_GROWTH = {
    "megabytes": [33, 73, 116, 76, 103, 134],
    "minutes": [32, 43, 49, 57, 233, 221],
    "variables": [11237, 30437, 49637, 23617, 29575, 34852],
    "constraints": [2921, 5841, 9036, 12101, 15601, 19121],
}


def written(adult: Adult, measured: Measured) -> str:
    """The whole page."""
    seeds = list(dict.fromkeys(case.seed for case in measured.cases))
    most_shared = OVERLAPS[-1]
    return TEXT.read_text(encoding="utf-8").format(
        row_count=f"{len(adult.ids):,}",
        sensitive=SENSITIVE,
        value_count=len(set(adult.values)),
        eligible=", ".join(name for name, share in adult.most_frequent().items() if share <= 1 / max(DIVERSITIES)),
        records=f"{RECORDS:,}",
        seeds=f"{len(seeds)} sample{'s' if len(seeds) > 1 else ''} (seed {', '.join(map(str, seeds))})",
        claims=_claims(judged(measured)),
        certain=f"{measured.of('independent', diversity=min(DIVERSITIES), overlap=most_shared)[0].certain:,}",
        low=f"{100 * lower(measured, 'independent', min(DIVERSITIES), most_shared, 'D2'):.0f}",
        high=f"{100 * lower(measured, 'independent', max(DIVERSITIES), most_shared, 'D2'):.0f}",
        within=_within(measured),
        alone=f"{measured.of('history', diversity=min(DIVERSITIES), overlap=3_600)[0].certain:,}",
        figure2=_figure2(measured),
        figure3=_figure3(measured),
        figure4=_figure4(measured),
        figure5=_figure5(measured),
        growth_diversity=GROWTH_DIVERSITY,
        cores=os.cpu_count(),
        load=f"{mean(row['load'] for row in measured.growth):.0f}",
    )


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _percent(shares: list[float]) -> str:
    """A share in percent: the mean over the samples, and how far they lie apart."""
    average, low, high = (f"{abs(round(100 * share, 1)):.1f}" for share in (mean(shares), min(shares), max(shares)))
    return average if low == high else f"{average} ({low} to {high})"


def _within(measured: Measured) -> str:
    """Where the paper's figure is met, whosever entropy is summed."""
    found = []
    for diversity in DIVERSITIES:
        for overlap in OVERLAPS:
            for whose, told in (("D2", "D2's persons"), ("everybody", "everybody")):
                share = lower(measured, "independent", diversity, overlap, whose)
                if BAND[0] <= share <= BAND[1]:
                    found.append(f"l = {diversity} with {overlap:,} shared ({told}: {100 * share:.1f} %)")
    return "; ".join(found) or "no l and no overlap"


def _claims(claims: list[Claim]) -> str:
    return _table(["claim", "here", "figures"], [[claim.text, "holds" if claim.holds else "**does not hold**", claim.figures] for claim in claims])


def _figure2(measured: Measured) -> str:
    rows = []
    for diversity in DIVERSITIES:
        for overlap in OVERLAPS:
            cases = measured.of("independent", diversity=diversity, overlap=overlap)
            row = [str(diversity), f"{overlap:,}"]
            for whose in ("D2", "everybody"):
                row += [f"{cases[0].alone[whose]:,.0f}", f"{cases[0].combined[whose]:,.0f}", _percent([case.lower(whose) for case in cases])]
            rows.append([*row, f"{cases[0].certain:,}"])
    header = ["l", "shared", "D2's persons, D2' alone", "both", "lower by %", "everybody, one release each", "both", "lower by %", "of D2 known with certainty"]
    return _table(header, rows)


def _figure3(measured: Measured) -> str:
    rows = []
    for diversity in DIVERSITIES:
        for overlap in OVERLAPS:
            cases = measured.of("history", diversity=diversity, overlap=overlap)
            first = cases[0]
            rows.append(
                [
                    str(diversity),
                    f"{overlap:,}",
                    f"{first.alone['D2']:,.0f}",
                    f"{first.combined['D2']:,.0f}",
                    *(_percent([case.lower(whose) for case in cases]) for whose in ("D1", "everybody")),
                    f"{first.published['filled_count']:,}",
                    f"{first.published['empty_count']:,}",
                    f"{first.published['short_bucket_count']:,} of {first.published['bucket_count']:,}",
                    f"{first.published['held_back_count']:,}",
                    f"{first.certain_gone:,} / {first.certain:,}",
                ]
            )
    whose = ["D2's persons, D2' alone", "both", "D1's persons: lower by %", "everybody: lower by %"]
    published = ["places filled", "empty", "buckets with fewer than l values", "records held back"]
    return _table(["l", "shared", *whose, *published, "known with certainty: who left / in D2"], rows)


def _figure4(measured: Measured) -> str:
    rows = []
    for diversity in DIVERSITIES:
        bits = [mean(case.combined["D2"] for case in measured.of("independent", diversity=diversity, overlap=overlap)) for overlap in OVERLAPS]
        rows.append([str(diversity), *(f"{value:,.0f}" for value in bits)])
    return _table(["l", *(f"{overlap:,} shared" for overlap in OVERLAPS)], rows)


def _figure5(measured: Measured) -> str:
    rows = []
    for k, row in enumerate(measured.growth):
        rows.append(
            [
                f"{row['records']:,}",
                f"{row['seconds']:.2f}",
                f"{60 * PAPER_GROWTH['minutes'][k]:,}",
                f"{row['peak_mb']:.0f} ({row['idle_mb']:.0f})",
                str(PAPER_GROWTH["megabytes"][k]),
                f"{row['cell_count']:,}",
                f"{PAPER_GROWTH['variables'][k]:,}",
                f"{row['constraint_count'] + row['person_count']:,}",
                f"{PAPER_GROWTH['constraints'][k]:,}",
            ]
        )
    return _table(["records each", "seconds", "paper's seconds", "peak MB", "paper's MB", "variables", "paper's", "constraints", "paper's"], rows)
