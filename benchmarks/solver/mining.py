"""Patterns of a table, counted set of attributes by set of attributes: what an adversary may know and what a publisher mines."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from benchmarks.solver.tables import Floats, Ints

# By name: ties between rules are broken by the attributes' names, and this order of columns makes that the order of the keys.
KNOWLEDGE_ATTRIBUTES = ("age", "marital-status", "native-country", "race", "relationship", "salary-class", "sex", "workclass")


@lru_cache
def subsets(attribute_count: int) -> list[tuple[int, ...]]:
    """All non-empty sets of attributes, small ones first, then by name."""
    return [chosen for size in range(1, attribute_count + 1) for chosen in combinations(range(attribute_count), size)]


@dataclass(frozen=True)
class Counted:
    """The patterns of one set of attributes: their keys in order, and count[pattern, value]."""

    key: Ints
    count: Ints


class Patterns:
    """The records as numbers, from which the patterns of any set of attributes are counted on demand."""

    def __init__(self, columns: dict[str, Ints], sizes: dict[str, int], value: Ints, value_count: int) -> None:
        self.columns = list(columns.values())
        self.sizes = [sizes[name] for name in columns]
        self.value = value
        self.value_count = value_count

    @property
    def subset_count(self) -> int:
        return len(subsets(len(self.columns)))

    def key(self, number: int) -> Ints:
        """[records] the pattern of each record under one set of attributes: a number whose order is the order by value names."""
        key = np.zeros(len(self.value), dtype=np.int64)
        for member in subsets(len(self.columns))[number]:
            key = key * self.sizes[member] + self.columns[member]
        return key

    def counts(self, number: int) -> Counted:
        key, pattern = np.unique(self.key(number), return_inverse=True)
        count = np.bincount(pattern * self.value_count + self.value, minlength=len(key) * self.value_count)
        return Counted(key, count.reshape(len(key), self.value_count))


@dataclass(frozen=True)
class RuleSet:
    """Rules Q => value: which set of attributes, which of its patterns, which value, and how many records agree."""

    subset: Ints
    key: Ints
    value: Ints
    count: Ints


def top_rules(patterns: Patterns, rule_count: int, min_support: int = 3) -> RuleSet:
    """The strongest rules, half positive and half negative: by confidence, then support, then fewer attributes, then name."""
    positive = (rule_count + 1) // 2
    chosen = [_strongest(patterns, positive, min_support, False), _strongest(patterns, rule_count - positive, min_support, True)]
    return RuleSet(*(np.concatenate([getattr(part, name) for part in chosen]) for name in ("subset", "key", "value", "count")))


def _strongest(patterns: Patterns, wanted: int, min_support: int, is_negative: bool) -> RuleSet:
    found: list[npt.NDArray[np.float64]] = []
    for number in range(patterns.subset_count):
        counted = patterns.counts(number)
        total = counted.count.sum(axis=1, keepdims=True)
        support = total - counted.count if is_negative else counted.count
        place = np.flatnonzero(support.ravel() >= min_support)
        strength = (support / total).ravel()[place]
        held = support.ravel()[place]
        # Within one set the places are in order by name already, and a stable sort keeps that for ties.
        best = np.lexsort((-held, -strength))[:wanted]
        pattern, value = np.divmod(place[best], patterns.value_count)
        # Keys stay below 2**53 (the eight attributes' sizes multiply to some 1e8), so that one table of floats holds all fields.
        row = (-strength[best], -held[best], np.full(len(best), number), counted.key[pattern], value, counted.count.ravel()[place[best]])
        found.append(np.column_stack(row).astype(np.float64))
    table = np.concatenate(found)
    best = np.lexsort(table[:, [4, 3, 2, 1, 0]].T)[:wanted]
    if len(best) < wanted:
        raise ValueError(f"the table has {len(best)} rules of this kind, not {wanted}")
    return RuleSet(*table[best, 2:].astype(np.int64).T)


def mixed_rules(patterns: Patterns, rule_count: int, seed: int, min_support: int = 3) -> RuleSet:
    """Random rules that hold sometimes: confidence strictly between 0 and 1."""
    found = []
    for number in range(patterns.subset_count):
        counted = patterns.counts(number)
        total = counted.count.sum(axis=1, keepdims=True)
        pattern, value = np.nonzero((counted.count >= min_support) & (counted.count < total))
        found.append(np.column_stack([np.full(len(pattern), number), counted.key[pattern], value, counted.count[pattern, value]]))
    table = np.concatenate(found)
    if len(table) < rule_count:
        raise ValueError(f"the table has {len(table)} such rules, not {rule_count}")
    chosen = np.sort(np.random.default_rng(seed).choice(len(table), rule_count, replace=False))
    return RuleSet(*table[chosen].astype(np.int64).T)


def pattern_thresholds(count: Ints, record_count: int, min_support: float, min_confidence: float) -> tuple[np.ndarray, np.ndarray, Floats]:
    """Of each pattern and value: is it published, and does it make all extensions redundant; and of each pattern its threshold.

    Decided in whole numbers: 0.6 * N(Q) against 0.1 * N must not hang on rounding.
    """
    support, confidence = Fraction(str(min_support)), Fraction(str(min_confidence))
    scale = support.denominator * confidence.denominator
    total = count.sum(axis=1)
    need_support = int(support * scale) * record_count
    need_confidence = int(confidence * scale) * total
    threshold = np.maximum(need_support, need_confidence)
    is_rule = count * scale >= threshold[:, None]
    is_closing = ~is_rule & (need_confidence <= need_support)[:, None]
    return is_rule, is_closing, threshold / scale
