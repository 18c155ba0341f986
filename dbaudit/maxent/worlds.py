"""Exact worlds: count every assignment of values to persons that agrees with all constraints.

The maximum-entropy answer is an estimate; for small components this is the truth that keeps it honest. A dynamic
programme decides one cell after another and merges what the future cannot tell apart, so it reaches far beyond enumeration.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee

from .arrays import row_of_entry
from .errors import TooLarge
from .problem import Floats, Ints, Problem
from .world_plan import Step, WholeRows, in_good_order, in_whole_numbers, plan

# A count of this many binary digits takes about as much memory as another state, and is charged as one.
BITS_PER_STATE = 1024

# How many persons of the current subject are undecided, and the sum so far of each open row; None: that row holds whatever follows.
State = tuple[int, tuple[int | None, ...]]


@dataclass(frozen=True, eq=False)
class Worlds:
    """All worlds: whole assignments of one value to each person that satisfy every constraint.

    count      how many there are; the components' counts multiplied
    share      [cells] what fraction of the subject's persons has the value, averaged over all worlds of its component, each
               counting the same; nan throughout a component that has no world
    component  [subjects] which component a subject belongs to: subjects joined by shared constraints
    component_world_count  one whole number per component
    """

    count: int
    share: Floats
    component: Ints
    component_world_count: list[int]


def exact_worlds(problem: Problem, state_limit: int = 200_000) -> Worlds:
    """Count the worlds of a problem, exactly, and what share of each subject's persons has which value in them.

    Persons are distinguishable: whole counts x of a subject's n persons stand for n! / (x_1! x_2! ..) assignments. Every world
    counts the same, so a prior is not used. A program may be feasible and still have no world: half a person satisfies it.

    `state_limit` is how many states the dynamic programme may hold for one component: all its layers together, since the shares
    need every one of them. Raises TooLarge beyond it, and ValueError where a person_count is not whole.
    """
    broken = np.flatnonzero(problem.person_count != np.rint(problem.person_count))
    if len(broken):
        raise ValueError(
            f"Only whole persons can be given values, but subject {broken[0]} has a person_count of {problem.person_count[broken[0]]:g}. "
            "Make it whole, or use solve(), which takes fractions of persons."
        )
    component, members = _components(problem)
    cell_count = np.diff(problem.first_cell)
    for subjects in members:
        # Each cell needs at least one state: what is hopeless is refused before anything else is counted.
        if cell_count[subjects].sum() > state_limit:
            raise _too_large(problem, subjects, state_limit)
    share = np.full(problem.cell_count, np.nan)
    rows = in_whole_numbers(problem)
    counts = [_count(problem, rows, subjects, state_limit, share) for subjects in members]
    # A row without cells belongs to no component: its sum is 0 in every world.
    without_cells = np.flatnonzero(np.diff(problem.matrix.indptr) == 0)
    holds = all(rows.bounds[row][0] <= 0 <= rows.bounds[row][1] for row in without_cells)
    return Worlds(math.prod(counts) if holds else 0, share, component, counts)


def _components(problem: Problem) -> tuple[Ints, list[list[int]]]:
    """Each subject's component, and each component's subjects, neighbours near each other."""
    subjects, nodes = problem.subject_count, problem.subject_count + problem.row_count
    joined = (row_of_entry(problem.matrix) + subjects, problem.subject[problem.matrix.indices])
    graph = sp.csr_array((np.ones(problem.matrix.nnz), joined), shape=(nodes, nodes))
    graph = sp.csr_array(graph + graph.T)
    _, component = np.unique(connected_components(graph, directed=False)[1][:subjects], return_inverse=True)
    members: list[list[int]] = [[] for _ in range(int(component.max(initial=-1)) + 1)]
    for node in reverse_cuthill_mckee(graph, symmetric_mode=True).tolist() if nodes else ():  # it refuses an empty graph
        if node < subjects:
            members[component[node]].append(node)
    return component.astype(np.int64), members


def _count(problem: Problem, rows: WholeRows, subjects: list[int], state_limit: int, share: Floats) -> int:
    """The number of worlds of one component; its part of `share` is filled in."""
    if np.any(np.diff(problem.first_cell)[subjects] == 0):
        return 0
    subjects = in_good_order(problem, rows, subjects)
    steps = plan(problem, rows, subjects)
    start: State = (int(problem.person_count[subjects[0]]), (0,) * len(steps[0].touched))
    layers: list[dict[State, int]] = [{start: 1}]
    held = 1
    for step in steps:
        arrived: dict[State, int] = {}
        for state, ways in layers[-1].items():
            for _, choices, after in _choices(step, state):
                known = arrived.get(after)
                arrived[after] = ways * choices + (known or 0)
                if known is None:
                    held += 1 + arrived[after].bit_length() // BITS_PER_STATE
                    if held > state_limit:
                        raise _too_large(problem, subjects, state_limit)
        layers.append(arrived)
    count = sum(layers.pop().values())
    if count:
        _fill_shares(problem, steps, layers, count, share)
    return count


def _fill_shares(problem: Problem, steps: list[Step], layers: list[dict[State, int]], count: int, share: Floats) -> None:
    """Ways to reach a state, times ways to go on from it, are the worlds that pass through it."""
    onward: dict[State, int] = {(0, ()): 1}
    for step, layer in zip(reversed(steps), reversed(layers), strict=True):
        completions: dict[State, int] = {}
        having = 0
        for state, ways in layer.items():
            completions[state] = 0
            for taken, choices, after in _choices(step, state):
                completed = choices * onward[after]
                completions[state] += completed
                having += taken * ways * completed
        onward = completions
        share[step.cell] = having / (count * int(problem.person_count[problem.subject[step.cell]]))


def _choices(step: Step, state: State) -> Iterator[tuple[int, int, State]]:
    """How many undecided persons can take the cell's value, in how many ways they can be picked, and the state after it."""
    undecided, sums = state
    ways = 1
    for taken in (undecided,) if step.is_last else range(undecided + 1):
        after = _after(step, undecided - taken, taken, sums)
        if after is not None:
            yield taken, ways, after
        # The next binomial coefficient from this one: computing each afresh is what would take the time with many persons.
        ways = ways * (undecided - taken) // (taken + 1)


def _after(step: Step, left: int, taken: int, sums: tuple[int | None, ...]) -> State | None:
    """The state once `taken` persons have the cell's value; None if some row can then no longer hold."""
    updated = list(sums)
    for slot, coefficient, least, greatest, later_least, later_greatest, lower, upper in step.touched:
        total = updated[slot]
        if total is None:
            continue
        total += coefficient * taken
        lowest, highest = total + left * least + later_least, total + left * greatest + later_greatest
        if lowest > upper or highest < lower:
            return None
        updated[slot] = None if lower <= lowest and highest <= upper else total
    if not step.is_last:
        return left, tuple(updated)
    return step.next_persons, (*(updated[slot] for slot in step.kept_slots), *(0,) * step.new_rows)


def _too_large(problem: Problem, subjects: list[int], state_limit: int) -> TooLarge:
    persons, cells = problem.person_count[subjects].sum(), np.diff(problem.first_cell)[subjects].sum()
    return TooLarge(
        f"Counting exactly is for small components; one with {persons:.0f} persons in {len(subjects)} subjects and {cells} cells needs more than "
        f"{state_limit} states. Please rely on the estimate of solve() and the intervals of bounds() there, or raise state_limit."
    )
