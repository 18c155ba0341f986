"""Smallest reasons on small random histories, against trying every set of figures; no store is needed for that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from dbaudit.maxent.reason import Claim, combination, find_reason, smallest_reason
from tests.audit.helpers import Table
from tests.explain.oracle import Figures, history

Finding = tuple[int, str, bool]  # person, value, and whether it is certain (or impossible)


def claims(table: Table) -> tuple[Figures, dict[Finding, Claim]]:
    """All that is certain or impossible in a history, each as the module takes it: one subject for each person."""
    figures = Figures(table)
    values, persons = figures.values[:-1], range(len(table.value))
    counted = [i * len(figures.values) + j for i in persons for j in range(len(values))]
    gap = {(i, value, certain): figures.gap(figures.keys, i, value, certain) for i in persons for value in values for certain in (True, False)}
    facts = len(figures.keys)
    whole = Claim(
        subject=np.repeat(np.arange(len(persons)), len(values)),
        is_positive=np.array([gap[i, value, False] > 1e-7 for i in persons for value in values]),
        matrix=sp.csr_array(np.array([figures.row(key) for key in figures.keys])[:, counted]),
        may_rise=np.zeros(facts, dtype=bool),
        may_fall=np.zeros(facts, dtype=bool),
        target=np.zeros(0, dtype=np.int64),
        direction=0,
        distance=np.zeros(facts, dtype=np.int64),
        is_whole=np.ones(facts, dtype=bool),
    )
    return figures, {
        (i, value, certain): replace(whole, target=np.array([i * len(values) + values.index(value)]), direction=-1 if certain else 1)
        for (i, value, certain), distance in gap.items()
        if distance < 1e-7
    }


@pytest.mark.parametrize("seed", range(4))
def test_no_smaller_set_of_figures_forces_the_finding(seed: int) -> None:
    table = history(seed, releases=2 + seed % 2)
    figures, found = claims(table)
    for (person, value, certain), claim in found.items():
        known = find_reason(claim)
        assert known is not None
        told = smallest_reason(claim, known)
        assert told is not None and told.is_smallest
        keys = [figures.keys[i] for i in told.facts]
        assert figures.forces(keys, person, value, certain)
        assert len(keys) == figures.least(person, value, certain)


@pytest.mark.parametrize("seed", range(2))
def test_an_irreducible_reason_forces_and_none_of_it_can_be_left_out(seed: int) -> None:
    table = history(seed + 50, persons=6)
    figures, found = claims(table)
    for (person, value, certain), claim in found.items():
        known = find_reason(claim)
        assert known is not None
        keys = [figures.keys[i] for i in known]
        assert figures.forces(keys, person, value, certain)
        assert not any(figures.forces([other for other in keys if other != key], person, value, certain) for key in keys)


def test_what_is_not_forced_has_no_reason() -> None:
    _, found = claims(Table(["q"] * 3, ["A", "B", "B"], [[1, 1, 2]]))
    certain = found[2, "B", True]
    assert find_reason(certain) is not None
    assert find_reason(replace(certain, target=np.array([0]))) is None


def test_the_combination_of_a_reason_proves_it() -> None:
    table = Table(["q"] * 6, ["A", "B", "C", "A", "B", "C"], [[1, 1, 1, 2, 2, 2], [1, 2, 2, 1, 1, 2]])
    for (person, _, certain), claim in claims(table)[1].items():
        reason = find_reason(claim)
        assert reason is not None
        times = combination(claim, reason)
        summed = times @ claim.matrix[reason].toarray()
        # Each person may count as often as needed: then nothing is counted less than not at all, open cells not at all, and the claim's cells at once.
        for subject in range(len(table.value)):
            cells = np.flatnonzero(claim.subject == subject)
            ones = -summed[cells][claim.is_positive[cells]].min()
            counted = summed[cells] + ones
            free = [cell for cell in cells if claim.is_positive[cell] and cell not in claim.target]
            assert counted.min() > -1e-6 or (certain and subject == person)
            assert np.allclose([summed[cell] + ones for cell in free], 0.0, atol=1e-6)
            if subject == person and not certain:
                assert summed[claim.target[0]] + ones > 1e-6


def test_far_facts_are_avoided_where_near_ones_do() -> None:
    # Both other releases say that 1 does not have A; the claim about 0 needs one of them.
    table = Table(["q"] * 4, ["A", "B", "B", "B"], [[1, 1, 2, 2], [2, 1, 1, 2], [2, 1, 1, 2]])
    figures, found = claims(table)
    claim = found[0, "A", True]
    for near in (1, 2):
        distance = np.array([0 if key[0] in (0, near) else 3 for key in figures.keys])
        moved = replace(claim, distance=distance)
        known = find_reason(moved)
        assert known is not None
        told = smallest_reason(moved, known)
        assert told is not None
        assert {figures.keys[i][0] for i in told.facts} <= {0, near}
