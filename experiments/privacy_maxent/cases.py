"""What is measured: the accuracy of the adversary's estimate under growing knowledge, and what it costs to work it out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from statistics import mean
from typing import Any

from benchmarks.solver.peers import full_dual, residual
from benchmarks.solver.tables import Table
from dbaudit.maxent import solve
from experiments.privacy_maxent.desk import Desk, Records, Rule, is_new, ties_at_random, without_followers

KINDS = ("K+", "K-", "(K+, K-)")
STAND_IN, DRAWN = "stand-in", "drawn at random"
AS_MINED, NEW_ONLY, AT_RANDOM = "as mined", "without rules that follow from others", "ties at random"
GRADIENT = 1e-3  # the papers' way stops once no constraint is off by more than this many persons

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    record_count: int = 14_210
    bounds: tuple[int, ...] = (0, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)  # Figure 5
    other_bounds: tuple[int, ...] = (10, 20, 50, 100, 200, 500, 2_000)  # Figure 5 under other readings
    mined_negative: int = 20_000  # of which other readings choose
    attributes: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8)  # Figure 6
    attribute_bounds: tuple[int, ...] = (50, 100, 200, 400)
    costs: tuple[int, ...] = (10, 30, 100, 300, 1_000)  # Figure 7a
    growth: tuple[int, ...] = (10, 100, 1_000)  # Figures 7b and 7c
    shares: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8, 1.0)  # of the buckets
    seeds: tuple[int, ...] = (1, 2, 3)  # of the records drawn at random
    audit_repeats: int = 3
    solve_repeats: int = 9


FULL = Sizes()
QUICK = Sizes(300, (0, 40), (20,), 500, (2, 8), (20,), (10, 40), (10,), (0.5, 1.0), (1,), 1, 1)


def halves(bound: int) -> tuple[int, int]:
    """Half of the rules positive, half negative."""
    return (bound + 1) // 2, bound // 2


@dataclass(frozen=True)
class Knowledge:
    """Figure 5: the accuracy by kind of knowledge, with one choice of records and one way to rank rules."""

    records: str
    ranking: str
    bounds: tuple[int, ...]
    accuracy: dict[str, list[float]]  # by kind, along the bounds
    there: dict[str, int]  # positive and negative rules to choose from, where fewer than asked for


@dataclass(frozen=True)
class Width:
    """Figure 6: rules about exactly so many quasi-identifiers."""

    records: str
    seed: int  # 0 where nothing was drawn
    min_support: int
    attributes: int
    positive_count: int  # there are so many, up to half the largest bound
    negative_count: int
    effect: dict[int, float]  # by bound: how much nearer to the truth than without rules

    @property
    def mean(self) -> float:
        """The effect on average over the bounds: how far the curve lies below its beginning."""
        return mean(self.effect.values())


@dataclass(frozen=True)
class Cost:
    """Figure 7: one audit, with or without the optimisation of section 5.5, and its problem solved both ways."""

    rule_count: int
    bucket_count: int
    full_model: bool
    cell_count: int
    row_count: int
    audit_cpu: float
    solve_cpu: float
    iterations: int
    paper_cpu: float
    paper_iterations: int
    paper_residual: float


@dataclass
class Measured:
    """Everything that was measured."""

    sizes: Sizes
    stand_in: Records
    drawn: list[Records]
    base: dict[str, float] = field(default_factory=dict)  # the accuracy without rules
    knowledge: list[Knowledge] = field(default_factory=list)
    new_count: dict[int, tuple[int, int]] = field(default_factory=dict)  # of so many positive and negative rules, how many say something new
    sure_count: tuple[int, int] = (0, 0)
    widths: list[Width] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)
    certificates: list[tuple[float, float]] = field(default_factory=list)
    seconds: float = 0.0
    load: float = 0.0

    def curves(self, records: str = STAND_IN, ranking: str = AS_MINED) -> Knowledge:
        """One reading of Figure 5."""
        return next(item for item in self.knowledge if (item.records, item.ranking) == (records, ranking))

    def widths_of(self, records: str = STAND_IN, min_support: int = 3, seed: int | None = None) -> list[Width]:
        """One reading of Figure 6, in the order of T; of records drawn at random several times the mean, unless one time is asked for."""
        found = [item for item in self.widths if (item.records, item.min_support) == (records, min_support) and seed in (None, item.seed)]
        return [_mean_width([item for item in found if item.attributes == attributes]) for attributes in self.sizes.attributes]

    def costs_of(self, full_model: bool, rule_count: int | None = None, bucket_count: int | None = None) -> list[Cost]:
        """Figure 7 by number of rules (a) or of buckets (b, c), in their order."""
        found = [item for item in self.costs if item.full_model is full_model and rule_count in (None, item.rule_count)]
        found = [item for item in found if bucket_count in (None, item.bucket_count)]
        return sorted(found, key=lambda item: (item.rule_count, item.bucket_count))


def _mean_width(items: list[Width]) -> Width:
    effect = {bound: mean(item.effect[bound] for item in items) for bound in items[0].effect}
    return replace(items[0], positive_count=min(item.positive_count for item in items), effect=effect)


def measure(table: Table, sizes: Sizes, tell: Tell) -> Measured:
    """Run everything."""
    begin = time.perf_counter()
    measured = Measured(sizes, Records.distinct(table, sizes.record_count), [Records.drawn(table, sizes.record_count, seed) for seed in sizes.seeds])
    _knowledge(measured, tell)
    _growth(measured, tell)
    measured.seconds = time.perf_counter() - begin
    return measured


def _audited(measured: Measured, desk: Desk, *arguments: Any, **options: Any) -> Any:
    audit = desk.audit(*arguments, **options)
    measured.certificates.append((audit.row["max_residual"], audit.row["duality_gap"]))
    return audit


# --- Figures 5 and 6 ---------------------------------------------------------------------------------------------------


def _knowledge(measured: Measured, tell: Tell) -> None:
    sizes = measured.sizes
    with Desk.of(measured.stand_in) as desk:
        desk.mine("top", max(sizes.bounds), sizes.mined_negative)
        _redundancy(measured, desk.rules("top"))
        _curves(measured, desk, STAND_IN, AS_MINED, "top", sizes.bounds, tell)
        measured.base[STAND_IN] = measured.curves().accuracy[KINDS[0]][0]
        _curves_again(measured, desk, STAND_IN, NEW_ONLY, without_followers, tell)
        _curves_again(measured, desk, STAND_IN, AT_RANDOM, ties_at_random, tell)
        _widths(measured, desk, STAND_IN, 0, 3, sizes.attribute_bounds, tell)
        _widths(measured, desk, STAND_IN, 0, 1, sizes.attribute_bounds[-1:], tell)
    for seed, records in zip(sizes.seeds, measured.drawn, strict=True):
        with Desk.of(records) as desk:
            desk.mine("top", max(sizes.other_bounds), max(sizes.other_bounds))
            measured.base[_base(DRAWN, seed)] = _audited(measured, desk, "top", 0, 0).accuracy
            if seed == sizes.seeds[0]:
                _curves(measured, desk, DRAWN, AS_MINED, "top", sizes.other_bounds, tell)
                _curves_again(measured, desk, DRAWN, NEW_ONLY, without_followers, tell)
            _widths(measured, desk, DRAWN, seed, 3, sizes.attribute_bounds, tell)


def _base(records: str, seed: int) -> str:
    return f"{records} {seed}" if seed else records


def _curves_again(measured: Measured, desk: Desk, records: str, ranking: str, order: Callable[[list[Rule]], list[Rule]], tell: Tell) -> None:
    """Figure 5 with the same rules ranked otherwise."""
    adversary = f"again-{ranking.split()[0]}"
    desk.mine(adversary, max(measured.sizes.bounds), measured.sizes.mined_negative)
    desk.rank_again(adversary, order)
    _curves(measured, desk, records, ranking, adversary, measured.sizes.other_bounds, tell)


def _curves(measured: Measured, desk: Desk, records: str, ranking: str, adversary: str, bounds: tuple[int, ...], tell: Tell) -> None:
    rules = desk.rules(adversary)
    positive = sum(rule[1] for rule in rules)
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for bound in bounds:
        tell(f"Figure 5, {records}, {ranking}: K = {bound:,}")
        for kind, chosen in zip(KINDS, ((bound, 0), (0, bound), halves(bound)), strict=True):
            found[kind].append(_audited(measured, desk, adversary, *chosen).accuracy)
    there = {name: count for name, count in (("positive", positive), ("negative", len(rules) - positive)) if count < max(bounds)}
    measured.knowledge.append(Knowledge(records, ranking, bounds, found, there))


def _redundancy(measured: Measured, rules: list[Rule]) -> None:
    kinds = [[rule for rule in rules if rule[1] is is_positive] for is_positive in (True, False)]
    positive, negative = (is_new(kind) for kind in kinds)
    measured.new_count = {bound: (sum(positive[:bound]), sum(negative[:bound])) for bound in measured.sizes.bounds if bound}
    sure = [sum(rule[3] for rule in kind) for kind in kinds]
    measured.sure_count = (sure[0], sure[1])


def _widths(measured: Measured, desk: Desk, records: str, seed: int, min_support: int, bounds: tuple[int, ...], tell: Tell) -> None:
    for attributes in measured.sizes.attributes:
        tell(f"Figure 6, {_base(records, seed)}, support {min_support}: T = {attributes}")
        adversary = f"width-{attributes}-{min_support}"
        mined = desk.mine(adversary, *halves(max(bounds)), min_support, attributes)
        base = measured.base[_base(records, seed)]
        effect = {bound: base - _audited(measured, desk, adversary, *halves(bound)).accuracy for bound in bounds}
        measured.widths.append(Width(records, seed, min_support, attributes, mined.positive_count, mined.negative_count, effect))


# --- Figure 7 ----------------------------------------------------------------------------------------------------------


def _growth(measured: Measured, tell: Tell) -> None:
    sizes, whole = measured.sizes, measured.stand_in.bucket_count
    loads = []
    for share in sizes.shares:
        records = measured.stand_in.first(round(share * whole))
        rule_counts = sizes.growth if records.chosen_count < whole else tuple(sorted({*sizes.costs, *sizes.growth}))
        with Desk.of(records) as desk:
            desk.mine("top", *halves(max(rule_counts)))
            _audited(measured, desk, "top", *halves(max(rule_counts)), accuracy=False)  # warms up
            for rule_count in rule_counts:
                tell(f"Figure 7: {records.chosen_count:,} buckets, {rule_count:,} rules")
                loads.append(os.getloadavg()[0])
                for full_model in (True, False):
                    measured.costs.append(_cost(measured, desk, records.chosen_count, rule_count, full_model))
    measured.load = sum(loads) / len(loads)


def _cost(measured: Measured, desk: Desk, bucket_count: int, rule_count: int, full_model: bool) -> Cost:
    runs = [_audited(measured, desk, "top", *halves(rule_count), full_model=full_model, accuracy=False) for _ in range(measured.sizes.audit_repeats)]
    problem = desk.problem(runs[0].row)
    assert problem is not None, "rules leave something to the solver"
    ours_cpu, ours = _timed(lambda: solve(problem), measured.sizes.solve_repeats)
    paper_cpu, paper = _timed(lambda: full_dual(problem, time_limit=120.0, gradient=GRADIENT), measured.sizes.solve_repeats)
    return Cost(
        rule_count,
        bucket_count,
        full_model,
        problem.cell_count,
        problem.row_count,
        min(run.cpu for run in runs),
        ours_cpu,
        ours.iterations,
        paper_cpu,
        paper.iterations,
        residual(problem, paper.probability),
    )


def _timed(run: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """CPU seconds of the quickest run, for whatever else the machine does only adds to them; and the last answer."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        answer = run()
        times.append(time.process_time() - begin)
    return min(times), answer
