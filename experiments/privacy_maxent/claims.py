"""What the paper says, as questions to the measurements. Each can come out either way."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

from experiments.privacy_maxent.cases import DRAWN, KINDS, Cost, Knowledge, Measured, Width

EXACT = 1e-9
TURN = 4  # Figure 6: the effect shrinks up to this T, and grows from there on
SLOWLY = 2.0  # Figure 7a says "quite slow": we take it to mean that ten times as many rules cost less than this many times as much
LINEAR = (0.75, 1.25)  # Figure 7b says "almost linearly": we take it to mean that time grows with such a power of the number of buckets
# Figure 7c says "almost constant in most parts of the region": from this share of the buckets on, the most is at most so many times the least.
LARGER, CONSTANT = 0.4, 1.5
# The paper's claims about cost are about its own method without the optimisation; they are asked of the others too.
ELSEWHERE = ((False, "paper"), (True, "ours"), (False, "ours"))


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, whether it holds here, and the figures that say so."""

    text: str
    holds: bool
    figures: str


def judged(measured: Measured) -> list[Claim]:
    """All claims in the order of the paper."""
    claims = [_falls(measured), _slower(measured), _mixed(measured), _narrow(measured), _wide(measured)]
    claims += [ask(measured, True, "paper") for ask in (_rules_cost, _linear, _constant)]
    for ask in (_rules_cost, _linear, _constant):
        claims += [replace(claim, text=f"(beyond the paper) {claim.text}") for claim in (ask(measured, *other) for other in ELSEWHERE)]
    return [*claims, _certified(measured)]


# --- Figure 5 ----------------------------------------------------------------------------------------------------------


def thirds(bounds: tuple[int, ...]) -> list[tuple[int, int]]:
    """The bounds cut at 100 and 1,000, as far as they go: where the fall per rule is compared."""
    cuts = [bounds[0], *(bound for bound in (100, 1_000) if bounds[0] < bound < bounds[-1]), bounds[-1]]
    return list(pairwise(cuts))


def slopes(curves: Knowledge, kind: str) -> list[float]:
    """How much the accuracy falls per rule, in each part."""
    at = dict(zip(curves.bounds, curves.accuracy[kind], strict=True))
    return [(at[low] - at[high]) / (high - low) for low, high in thirds(curves.bounds)]


def lowest(curves: Knowledge) -> list[int]:
    """The bounds at which the mixed curve is not above any other."""
    positive, negative, mixed = (curves.accuracy[kind] for kind in KINDS)
    rows = zip(curves.bounds, positive, negative, mixed, strict=True)
    return [bound for bound, plus, minus, both in rows if bound and both <= min(plus, minus) + EXACT]


def _falls(measured: Measured) -> Claim:
    curves = measured.curves()
    steps = [before - after for kind in KINDS for before, after in pairwise(curves.accuracy[kind])]
    told = ", ".join(f"{kind}: {curves.accuracy[kind][0]:.4f} to {curves.accuracy[kind][-1]:.4f}" for kind in KINDS)
    return Claim(
        "Figure 5: the more rules are known, the nearer the estimate is to the truth",
        min(steps) >= -EXACT and all(curves.accuracy[kind][-1] < curves.accuracy[kind][0] for kind in KINDS),
        f"K = 0 to {curves.bounds[-1]:,}, {told} nats; no step goes up",
    )


def _slower(measured: Measured) -> Claim:
    curves = measured.curves()
    found = {kind: slopes(curves, kind) for kind in KINDS}
    parts = ", ".join(f"{low:,} to {high:,}" for low, high in thirds(curves.bounds))
    told = "; ".join(f"{kind}: {', '.join(f'{1e6 * slope:.0f}' for slope in each)}" for kind, each in found.items())
    return Claim(
        "Figure 5: it falls fastest while K is small, and ever slower",
        all(before > after for each in found.values() for before, after in pairwise(each)),
        f"millionths of a nat per rule, K from {parts}: {told}",
    )


def _mixed(measured: Measured) -> Claim:
    curves = measured.curves()
    asked, found = [bound for bound in curves.bounds if bound], lowest(curves)
    return Claim(
        "Figure 5: K/2 positive and K/2 negative rules together lie lowest",
        found == asked,
        f"at {len(found)} of {len(asked)} K: {', '.join(f'{bound:,}' for bound in found) or 'none'}",
    )


# --- Figure 6 ----------------------------------------------------------------------------------------------------------


def turns(widths: list[Width], bound: int | None = None) -> tuple[bool, bool]:
    """Whether the effect (at one K, or the mean over them) shrinks up to T = 4, and whether it grows from there on."""
    effect = {width.attributes: width.mean if bound is None else width.effect[bound] for width in widths}
    left = [effect[attributes] for attributes in effect if attributes <= TURN]
    right = [effect[attributes] for attributes in effect if attributes >= TURN]
    return all(a > b for a, b in pairwise(left)), all(a < b for a, b in pairwise(right))


def effects(widths: list[Width], bound: int | None = None) -> str:
    """The effects (at one K, or the mean over them) in thousandths of a nat, in the order of T."""
    return ", ".join(f"{1000 * (width.mean if bound is None else width.effect[bound]):.1f}" for width in widths)


def _turn(measured: Measured, text: str, side: int) -> Claim:
    bounds, widths = measured.sizes.attribute_bounds, measured.widths_of()
    alone = [str(bound) for bound in bounds if turns(widths, bound)[side]]
    drawn = [turns(measured.widths_of(DRAWN, seed=seed))[side] for seed in measured.sizes.seeds]
    together = "so" if turns(measured.widths_of(DRAWN))[side] else "not so"
    return Claim(
        text,
        turns(widths)[side],
        f"mean effect over K, thousandths of a nat, T = 1 to 8: {effects(widths)}; at single K: {', '.join(alone) or 'none'} of {', '.join(map(str, bounds))}. "
        f"Drawn at random: {effects(measured.widths_of(DRAWN))}, {together}; so in {sum(drawn)} of {len(drawn)} samples alone",
    )


def _narrow(measured: Measured) -> Claim:
    return _turn(measured, f"Figure 6: the effect of rules about T quasi-identifiers (mean over K) shrinks from T = 1 to {TURN}", 0)


def _wide(measured: Measured) -> Claim:
    return _turn(measured, f"Figure 6: it grows again from T = {TURN} to 8", 1)


# --- Figure 7 ----------------------------------------------------------------------------------------------------------

MODEL = {True: "all buckets solved", False: "only buckets that rules touch"}
WAY = {"paper": "the paper's L-BFGS", "ours": "our solver"}


def cpu(cost: Cost, way: str) -> float:
    """CPU seconds of the solve."""
    return cost.paper_cpu if way == "paper" else cost.solve_cpu


def iterations(cost: Cost, way: str) -> int:
    """Iterations of the solve."""
    return cost.paper_iterations if way == "paper" else cost.iterations


def power(costs: list[Cost], way: str) -> float:
    """With which power of the number of buckets the time grows: least squares on logarithms."""
    xs, ys = [math.log(cost.bucket_count) for cost in costs], [math.log(max(cpu(cost, way), 1e-6)) for cost in costs]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


def beginning(costs: list[Cost], way: str) -> float:
    """Where a straight line through the times begins: the CPU seconds that no bucket causes."""
    xs, ys = [cost.bucket_count for cost in costs], [cpu(cost, way) for cost in costs]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return y - x * sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


def _rules_cost(measured: Measured, full_model: bool, way: str) -> Claim:
    costs = measured.costs_of(full_model, bucket_count=measured.stand_in.bucket_count)
    first, last = costs[0], costs[-1]
    decades = math.log10(last.rule_count / first.rule_count)
    factors = [(later / max(earlier, 1e-9)) for earlier, later in ((cpu(first, way), cpu(last, way)), (iterations(first, way), iterations(last, way)))]
    tenfold = [factor ** (1 / decades) for factor in factors]
    steps = f"{iterations(first, way)} to {iterations(last, way)} iterations"
    return Claim(
        f"Figure 7a, {WAY[way]}, {MODEL[full_model]}: time and iterations grow with the rules, but slowly (ten times the rules: less than {SLOWLY:.0f} times)",
        all(1 < factor < SLOWLY for factor in tenfold),
        f"{first.rule_count:,} to {last.rule_count:,} rules: {cpu(first, way):.3f} to {cpu(last, way):.3f} s, {steps}; "
        f"ten times the rules: {tenfold[0]:.2f} and {tenfold[1]:.2f} times",
    )


def _linear(measured: Measured, full_model: bool, way: str) -> Claim:
    found = {rule_count: power(measured.costs_of(full_model, rule_count), way) for rule_count in measured.sizes.growth}
    told = ", ".join(f"{rule_count:,} rules: {exponent:.2f}" for rule_count, exponent in found.items())
    return Claim(
        f"Figure 7b, {WAY[way]}, {MODEL[full_model]}: time grows almost linearly with the number of buckets (power {LINEAR[0]} to {LINEAR[1]})",
        all(LINEAR[0] <= exponent <= LINEAR[1] for exponent in found.values()),
        f"powers, {told}",
    )


def _constant(measured: Measured, full_model: bool, way: str) -> Claim:
    least = LARGER * measured.stand_in.bucket_count - 1
    found = {
        rule_count: [iterations(cost, way) for cost in measured.costs_of(full_model, rule_count) if cost.bucket_count >= least]
        for rule_count in measured.sizes.growth
    }
    told = "; ".join(f"{rule_count:,} rules: {', '.join(map(str, counts))}" for rule_count, counts in found.items())
    return Claim(
        f"Figure 7c, {WAY[way]}, {MODEL[full_model]}: iterations stay almost the same as buckets are added (most at most {CONSTANT} times least, "
        f"from {100 * LARGER:.0f} % of the buckets on)",
        all(max(counts) <= CONSTANT * max(min(counts), 1) for counts in found.values()),
        f"iterations, {told}",
    )


def _certified(measured: Measured) -> Claim:
    residual, gap = (max(values) for values in zip(*measured.certificates, strict=True))
    return Claim(
        "(ours) every audit is certified: relative residual and duality gap at most 1e-9",
        max(residual, gap) <= EXACT,
        f"{len(measured.certificates)} audits: residual at most {residual:.1e}, gap at most {gap:.1e}",
    )
