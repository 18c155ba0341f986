"""Problems to measure the solver with. Every generator is deterministic: the same table and seed give the same problem."""

from __future__ import annotations

import heapq
from typing import Literal

import numpy as np
import scipy.sparse as sp

from benchmarks.solver.mining import KNOWLEDGE_ATTRIBUTES, Patterns, RuleSet, mixed_rules, pattern_thresholds, subsets, top_rules
from benchmarks.solver.tables import Floats, Ints, Table, adult, adult_or_twin, census_twin
from dbaudit.maxent.problem import Problem

__all__ = ["Table", "adult", "adult_or_twin", "census_twin", "giant", "islands", "one_release", "releases", "rules", "two_releases"]

RULE_ATTRIBUTES = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country")


# --- One+K: one release and rules that the adversary knows -------------------------------------------------------------


def one_release(table: Table, rule_count: int = 0, kind: Literal["top", "mixed"] = "top", seed: int = 1, record_count: int = 14_210) -> Problem:
    """One bucketized release, education sensitive, with `rule_count` true rules as equations.

    With Adult: the stand-in for the 14,210 records of Privacy-MaxEnt in 2,842 buckets of five.
    """
    records = _distinct_records(table, record_count)
    value = records[:, -1]
    attributes = dict(zip(KNOWLEDGE_ATTRIBUTES, records[:, :-1].T, strict=True))
    bucket_count = len(records) // 5
    bucket = np.arange(len(records), dtype=np.int64) % bucket_count
    value_count = table.size("education")
    lumped, first, person_count = _lump(np.column_stack([bucket, records[:, :-1]]))
    held = np.bincount(bucket * value_count + value, minlength=bucket_count * value_count).reshape(bucket_count, value_count)
    subject, cell_value = np.nonzero(held[lumped[:, 0]] > 0)
    row_number = _number_true(held > 0)
    release_row = row_number[lumped[subject, 0], cell_value]
    entries, targets = [(release_row, np.arange(len(subject)))], [held[held > 0].astype(np.float64)]
    if rule_count:
        patterns = Patterns(attributes, {name: table.size(name) for name in KNOWLEDGE_ATTRIBUTES}, value, value_count)
        chosen = top_rules(patterns, rule_count) if kind == "top" else mixed_rules(patterns, rule_count, seed)
        rule, cell = _rule_entries(patterns, chosen, first[subject], cell_value)
        entries.append((rule + len(targets[0]), cell))
        targets.append(chosen.count.astype(np.float64))
    target = np.concatenate(targets)
    block = np.concatenate([np.nonzero(held > 0)[0], np.full(rule_count, -1)])
    return Problem(
        subject=subject,
        person_count=person_count,
        matrix=_ones(entries, len(target), len(subject)),
        lower=target,
        upper=target,
        family=np.where(block >= 0, 0, -1),
        block=block,
    )


def _distinct_records(table: Table, record_count: int) -> Ints:
    """The distinct rows over the quasi-identifiers and education, at most `record_count` and a multiple of five, sorted by education."""
    columns = np.column_stack([table.codes[name] for name in (*KNOWLEDGE_ATTRIBUTES, "education")])
    distinct = np.unique(columns, axis=0)[:record_count]
    distinct = distinct[: len(distinct) // 5 * 5]
    return np.asarray(distinct[np.argsort(distinct[:, -1], kind="stable")])


def _rule_entries(patterns: Patterns, chosen: RuleSet, cell_record: Ints, cell_value: Ints) -> tuple[Ints, Ints]:
    """Which cells a rule counts: within one set of attributes a cell meets one pattern, so a sorted look-up joins them all at once."""
    rule_of, cell_of = [], []
    for number in np.unique(chosen.subset):
        mine = np.flatnonzero(chosen.subset == number)
        wanted = chosen.key[mine] * patterns.value_count + chosen.value[mine]
        order = np.argsort(wanted)
        key = patterns.key(int(number))[cell_record] * patterns.value_count + cell_value
        place = np.minimum(np.searchsorted(wanted[order], key), len(order) - 1)
        hit = np.flatnonzero(wanted[order][place] == key)
        rule_of.append(mine[order[place[hit]]])
        cell_of.append(hit)
    return np.concatenate(rule_of), np.concatenate(cell_of)


# --- Several releases of a changing table ------------------------------------------------------------------------------


def two_releases(table: Table | None = None, person_count: int = 7_200, shared: int | None = None, l: int = 5, seed: int = 1) -> Problem:  # noqa: E741
    """Two(l): two releases of `person_count` persons, five sixths of them shared unless said otherwise, each bucketized by itself."""
    shared = person_count * 5 // 6 if shared is None else shared
    return releases(person_count, 2, shared / person_count, l, None if table is None else table.codes["occupation"], seed)


def releases(
    person_count: int = 7_200,
    release_count: int = 5,
    overlap: float = 5 / 6,
    l: int = 5,  # noqa: E741
    values: Ints | None = None,
    seed: int = 1,
) -> Problem:
    """A window of `person_count` persons slides over a population; every release keeps the share `overlap` of the one before.

    values: the sensitive values of the first persons; drawn from them where there are too few, and from a skewed
    distribution of 14 values where there are none.
    """
    rng = np.random.default_rng(seed)
    step = person_count - round(person_count * overlap)
    population = person_count + step * (release_count - 1)
    value = _sensitive_values(values, population, rng)
    membership = np.full((population, release_count), -1, dtype=np.int64)
    for number in range(release_count):
        window = slice(number * step, number * step + person_count)
        membership[window, number] = _anatomy(value[window], l, rng)
    return _from_buckets(membership, value)


def _sensitive_values(values: Ints | None, population: int, rng: np.random.Generator) -> Ints:
    if values is None:
        share = 1.0 / (np.arange(14) + 4.0)
        return rng.choice(14, population, p=share / share.sum())
    return values[:population] if len(values) >= population else rng.choice(values, population)


def _anatomy(value: Ints, l: int, rng: np.random.Generator) -> Ints:  # noqa: E741
    """The bucket of each record: one random record of each of the l largest value groups, in turn.

    Between groups of one size the value's number decides, in every release: buckets of two releases then agree in more values than with
    ties broken at random, which leaves more cells open (20,025 against 17,344 after propagation in Two(5)) and is the harder problem.
    A record that is left over joins a random bucket without its value. Raises ValueError where there is none.
    """
    group_size = np.bincount(value)
    value_count = len(group_size)
    heap = [(-int(size), number) for number, size in enumerate(group_size) if size]
    heapq.heapify(heap)
    drawn: list[int] = []
    while len(heap) >= l:
        largest = [heapq.heappop(heap) for _ in range(l)]
        for size, number in largest:
            drawn.append(number)
            if size < -1:
                heapq.heappush(heap, (size + 1, number))
    bucket_count = len(drawn) // l
    sequence = np.array(drawn, dtype=np.int64)
    held = np.zeros((bucket_count, value_count), dtype=bool)
    held[np.arange(len(sequence)) // l, sequence] = True
    bucket = np.empty(len(value), dtype=np.int64)
    for number in range(value_count):
        member = rng.permutation(np.flatnonzero(value == number))
        place = np.flatnonzero(sequence == number) // l
        bucket[member[: len(place)]] = place
        left = member[len(place) :]
        room = np.flatnonzero(~held[:, number])
        if len(left) > len(room):
            raise ValueError(f"value {number} is too frequent for l = {l}: {len(left)} records left over, {len(room)} buckets without it")
        bucket[left] = rng.choice(room, len(left), replace=False)
        held[bucket[left], number] = True
    return bucket


def _from_buckets(membership: Ints, value: Ints) -> Problem:
    """The problem of several releases: membership[person, release] is a bucket, or -1; rows are the value counts of the buckets."""
    lumped, _, person_count = _lump(membership)
    value_count = int(value.max()) + 1
    possible = np.ones((len(lumped), value_count), dtype=bool)
    counts = []
    for number in range(membership.shape[1]):
        inside = membership[:, number] >= 0
        bucket_count = int(membership[:, number].max()) + 1
        key = membership[inside, number] * value_count + value[inside]
        counts.append(np.bincount(key, minlength=bucket_count * value_count).reshape(bucket_count, value_count))
        present = lumped[:, number] >= 0
        possible[present] &= counts[number][lumped[present, number]] > 0
    subject, cell_value = np.nonzero(possible)
    entries, target, block, row_count = [], [], [], 0
    for number, held in enumerate(counts):
        cell_bucket = lumped[subject, number]
        cell = np.flatnonzero(cell_bucket >= 0)
        entries.append((row_count + _number_true(held > 0)[cell_bucket[cell], cell_value[cell]], cell))
        target.append(held[held > 0])
        block.append(np.nonzero(held > 0)[0])
        row_count += len(target[-1])
    goal = np.concatenate(target).astype(np.float64)
    return Problem(
        subject=subject,
        person_count=person_count,
        matrix=_ones(entries, row_count, len(subject)),
        lower=goal,
        upper=goal,
        family=np.repeat(np.arange(len(counts)), [len(part) for part in target]),
        block=np.concatenate(block),
    )


def islands(count: int = 1_000, persons: int = 12, values: int = 4, seed: int = 1, bucket_size: int = 4) -> Problem:
    """Many small hospitals of `persons` persons, each in two random bucketizations of its own."""
    rng = np.random.default_rng(seed)
    value = rng.integers(0, values, count * persons)
    per_island = -(-persons // bucket_size)
    island = np.arange(count)[:, None]
    membership = np.empty((count * persons, 2), dtype=np.int64)
    for number in range(2):
        place = np.argsort(np.argsort(rng.random((count, persons)), axis=1), axis=1)
        membership[:, number] = (island * per_island + place // bucket_size).ravel()
    return _from_buckets(membership, value)


def giant(cells: int = 10_000, overlap: Literal["random", "chain"] = "random", seed: int = 1) -> Problem:
    """One component of about `cells` cells: 4 values, buckets of 12, two releases.

    random: the second release deals all persons anew. chain: its buckets take their persons from neighbouring buckets of the first.
    """
    pilot = _giant(3_000, overlap, np.random.default_rng(seed))
    return _giant(round(cells * 3_000 / pilot.cell_count), overlap, np.random.default_rng(seed))


def _giant(persons: int, overlap: str, rng: np.random.Generator) -> Problem:
    value = rng.integers(0, 4, persons)
    number = np.arange(persons)
    order = rng.permutation(persons) if overlap == "random" else np.argsort(number + rng.uniform(0, 24, persons))
    again = np.empty(persons, dtype=np.int64)
    again[order] = number // 12
    return _from_buckets(np.column_stack([number // 12, again]), value)


# --- Rules: no table at all, only what was mined and what was not ------------------------------------------------------


def rules(table: Table, min_support: float = 0.1, min_confidence: float = 0.6, exact: bool = False, pruned: bool = True) -> Problem:
    """Salary sensitive: published rules as lower bounds (or equations, `exact`), all others as upper bounds:
    every pattern of a set of attributes that some record has, with either value.

    pruned: without the unpublished patterns that Theorem 3 of Association rules proves redundant.
    """
    salary = table.codes["salary-class"]
    columns = np.column_stack([table.codes[name] for name in RULE_ATTRIBUTES])
    lumped, first, person_count = _lump(columns)
    lookup = {name: table.codes[name] for name in RULE_ATTRIBUTES}
    patterns = Patterns(lookup, {name: table.size(name) for name in RULE_ATTRIBUTES}, salary, 2)
    subject_count = len(lumped)
    # For each set of attributes: has this subject's pattern (with value x) a subset that makes every extension redundant?
    closed = {number: np.zeros((subject_count, 2), dtype=bool) for number in range(len(subsets(len(RULE_ATTRIBUTES))))}
    number_of = {members: number for number, members in enumerate(subsets(len(RULE_ATTRIBUTES)))}
    cells, ends, lower, upper = [], [], [], []
    for members, number in number_of.items():
        _, representative, pattern = np.unique(patterns.key(number)[first], return_index=True, return_inverse=True)
        count = patterns.counts(number).count
        is_rule, is_closing, threshold = pattern_thresholds(count, table.row_count, min_support, min_confidence)
        redundant = np.zeros(count.shape, dtype=bool)
        for left_out in members:
            parent = tuple(member for member in members if member != left_out)
            if parent:
                redundant |= closed[number_of[parent]][representative]
        closed[number] = (redundant | is_closing)[pattern]
        kept = is_rule | ~redundant | (not pruned)
        by_pattern = np.argsort(pattern, kind="stable")
        size = np.bincount(pattern, minlength=len(count))
        for x in range(2):
            row = np.flatnonzero(kept[:, x])
            cells.append((by_pattern[kept[pattern[by_pattern], x]] * 2 + x).astype(np.int32))
            ends.append(size[row])
            published = is_rule[row, x]
            goal = count[row, x].astype(np.float64) if exact else threshold[row]
            lower.append(np.where(published, goal, -np.inf))
            upper.append(np.where(published, goal if exact else np.inf, threshold[row]))
    pointer = np.concatenate([[0], np.cumsum(np.concatenate(ends))]).astype(np.int32)
    indices = np.concatenate(cells)
    return Problem(
        subject=np.repeat(np.arange(subject_count), 2),
        person_count=person_count,
        matrix=sp.csr_array((np.ones(len(indices)), indices, pointer), shape=(len(pointer) - 1, 2 * subject_count)),
        lower=np.concatenate(lower),
        upper=np.concatenate(upper),
    )


# --- Shared pieces -----------------------------------------------------------------------------------------------------


def _lump(columns: Ints) -> tuple[Ints, Ints, Floats]:
    """Distinct rows, a representative of each, and how many there are of each; sorted by the first column, then the next."""
    order = np.lexsort(columns.T[::-1])
    ordered = columns[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    start = np.flatnonzero(is_new)
    return ordered[start], order[start], np.diff(np.append(start, len(order))).astype(np.float64)


def _number_true(present: np.ndarray) -> Ints:
    """Each true place its rank in reading order."""
    return (np.cumsum(present.ravel()) - 1).reshape(present.shape)


def _ones(entries: list[tuple[Ints, Ints]], row_count: int, cell_count: int) -> sp.csr_array:
    row = np.concatenate([row for row, _ in entries]).astype(np.int32)
    cell = np.concatenate([cell for _, cell in entries]).astype(np.int32)
    return sp.csr_array(sp.coo_array((np.ones(len(row)), (row, cell)), shape=(row_count, cell_count)))
