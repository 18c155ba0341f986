"""The README of this experiment: the text of page.md with what was measured."""

from __future__ import annotations

import os
from pathlib import Path

from experiments.privacy_maxent.cases import AS_MINED, AT_RANDOM, DRAWN, GRADIENT, KINDS, NEW_ONLY, STAND_IN, Knowledge, Measured
from experiments.privacy_maxent.claims import Claim, beginning, effects, judged, lowest, turns

TEXT = Path(__file__).with_name("page.md")
SOURCE = {"adult": "UCI Adult", "twin": "a generated twin of Adult (benchmarks/solver/tables.py), because the file of Adult is not there"}
READINGS = ((STAND_IN, AS_MINED), (STAND_IN, NEW_ONLY), (STAND_IN, AT_RANDOM), (DRAWN, AS_MINED), (DRAWN, NEW_ONLY))


def written(measured: Measured) -> str:
    """The whole page."""
    sizes, stand_in, drawn = measured.sizes, measured.stand_in, measured.drawn[0]
    last = sizes.attribute_bounds[-1]
    wide = measured.widths_of()[-1]
    (first_value, first_share), (second_value, second_share) = drawn.shares[:2]
    return TEXT.read_text(encoding="utf-8").format(
        source=SOURCE[stand_in.source],
        records=f"{stand_in.count:,}",
        buckets=f"{stand_in.bucket_count:,}",
        tuples=f"{stand_in.tuple_count:,}",
        repeated=_repeated(stand_in.repeated),
        drawn_tuples=f"{drawn.tuple_count:,}",
        drawn_shares=f"{first_value} {100 * first_share:.1f} %, {second_value} {100 * second_share:.1f} %",
        drawn_repeated=_repeated(drawn.repeated),
        base=f"{measured.base[STAND_IN]:.4f}",
        drawn_base=f"{measured.base[f'{DRAWN} {sizes.seeds[0]}']:.4f}",
        claims=_claims(judged(measured)),
        sure_positive=f"{measured.sure_count[0]:,}",
        mined_negative=f"{sizes.mined_negative:,}",
        new=_new(measured),
        readings=_readings(measured),
        new_lowest=_lowest(measured.curves(ranking=NEW_ONLY)),
        random_lowest=_lowest(measured.curves(ranking=AT_RANDOM)),
        drawn_lowest=_lowest(measured.curves(DRAWN)),
        drawn_new_lowest=_lowest(measured.curves(DRAWN, NEW_ONLY)),
        samples=len(sizes.seeds),
        other_bounds=", ".join(f"{bound:,}" for bound in sizes.other_bounds),
        middle=f"{100 if 100 in measured.new_count else sizes.bounds[-1]:,}",
        middle_new="{} and {}".format(*measured.new_count[100 if 100 in measured.new_count else sizes.bounds[-1]]),
        turned=sum(all(turns(measured.widths_of(DRAWN, seed=seed))) for seed in sizes.seeds),
        touched=_touched(measured),
        beginnings=", ".join(f"{1000 * beginning(measured.costs_of(True, rules), 'ours'):.1f} ms with {rules:,} rules" for rules in sizes.growth),
        wide_positive=wide.positive_count,
        last=last,
        effects=effects(measured.widths_of(), last),
        single_effects=effects(measured.widths_of(min_support=1), last),
        drawn_effects=effects(measured.widths_of(DRAWN), last),
        figure5=_figure5(measured),
        figure6=_figure6(measured),
        figure7=_figure7(measured),
        gradient=GRADIENT,
        cores=os.cpu_count(),
        load=f"{measured.load:.0f}",
        minutes=f"{measured.seconds / 60:.0f}",
    )


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _repeated(found: dict[str, int]) -> str:
    return ", ".join(f"{value} in {count:,} buckets" for value, count in sorted(found.items())) or "nothing"


def _lowest(curves: Knowledge) -> str:
    asked = [bound for bound in curves.bounds if bound]
    found = lowest(curves)
    return "at each of these K" if found == asked else f"at K = {', '.join(f'{bound:,}' for bound in found)}" if found else "at no K"


def _touched(measured: Measured) -> str:
    """How the part that rules touch grows with the rules, and with the buckets."""
    whole = measured.costs_of(False, bucket_count=measured.stand_in.bucket_count)
    middle = measured.costs_of(False, measured.sizes.growth[len(measured.sizes.growth) // 2])
    first, last = middle[0], middle[-1]
    return (
        f"from {whole[0].rule_count:,} to {whole[-1].rule_count:,} rules from {whole[0].cell_count:,} to {whole[-1].cell_count:,} variables, but with "
        f"{first.rule_count:,} rules from {first.bucket_count:,} to {last.bucket_count:,} buckets from {first.cell_count:,} to {last.cell_count:,}"
    )


def _claims(claims: list[Claim]) -> str:
    return _table(["claim", "here", "figures"], [[claim.text, "holds" if claim.holds else "**does not hold**", claim.figures] for claim in claims])


def _new(measured: Measured) -> str:
    rows = [[f"{bound:,}", f"{positive:,}", f"{negative:,}"] for bound, (positive, negative) in measured.new_count.items()]
    return _table(["strongest rules", "of the positive ones say something new", "of the negative ones"], rows)


def _readings(measured: Measured) -> str:
    rows = []
    bounds = measured.sizes.other_bounds
    for records, ranking in READINGS:
        curves = measured.curves(records, ranking)
        for kind in KINDS:
            at = dict(zip(curves.bounds, curves.accuracy[kind], strict=True))
            rows.append([records, ranking, kind, *(f"{at[bound]:.4f}" if bound in at else "" for bound in bounds)])
    short = [
        f"{records}, {ranking}: there are {' and '.join(f'{count:,} {kind}' for kind, count in curves.there.items())} rules to choose from."
        for records, ranking in READINGS
        if (curves := measured.curves(records, ranking)).there
    ]
    return "\n\n".join([_table(["records", "ranking", "rules", *(f"K = {bound:,}" for bound in bounds)], rows), *short])


def _figure5(measured: Measured) -> str:
    curves = measured.curves()
    rows = [[f"{bound:,}", *(f"{curves.accuracy[kind][k]:.4f}" for kind in KINDS)] for k, bound in enumerate(curves.bounds)]
    return _table(["K", *KINDS], rows)


def _figure6(measured: Measured) -> str:
    rows = []
    bounds = measured.sizes.attribute_bounds
    for records, min_support in ((STAND_IN, 3), (STAND_IN, 1), (DRAWN, 3)):
        for width in measured.widths_of(records, min_support):
            there = f"{width.positive_count:,} / {width.negative_count:,}"
            told = (f"{width.effect[bound]:.4f}" if bound in width.effect else "" for bound in bounds)
            rows.append([records, str(min_support), str(width.attributes), there, *told])
    half = max(bounds) // 2
    return _table(["records", "least support", "T", f"positive / negative rules there are, up to {half}", *(f"effect, K = {bound}" for bound in bounds)], rows)


def _figure7(measured: Measured) -> str:
    rows = []
    for cost in sorted(measured.costs, key=lambda item: (item.bucket_count, item.rule_count, not item.full_model)):
        rows.append(
            [
                f"{cost.bucket_count:,}",
                f"{cost.rule_count:,}",
                "without" if cost.full_model else "with",
                f"{cost.cell_count:,}",
                f"{cost.row_count:,}",
                f"{cost.paper_cpu:.3f}",
                str(cost.paper_iterations),
                f"{cost.paper_residual:.0e}",
                f"{cost.solve_cpu:.3f}",
                str(cost.iterations),
                f"{cost.audit_cpu:.2f}",
            ]
        )
    paper, ours = ["the paper's L-BFGS: s", "iterations", "residual"], ["our solver: s", "iterations", "our whole audit: s"]
    return _table(["buckets", "rules", "5.5", "variables", "constraints", *paper, *ours], rows)
