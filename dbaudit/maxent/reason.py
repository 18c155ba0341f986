"""Why something is forced: a smallest set of facts that leaves no other possibility.

A fact is a row that holds at a known feasible point. Some of them force a claim ("these cells can gain nothing", or "lose nothing") if and only if
no direction leads away from that point: one that keeps every cell at or above 0, every subject's sum, and all of those facts, while the claim's cells
change the wrong way. Directions form a cone, so that neither counts nor tolerances for them enter: a cell that is positive may move both ways, a
cell at 0 only upwards. How much the facts must be missed for such a direction is a linear program; if that is more than nothing, the facts with a price
(Farkas) already force the claim.

A smallest set is a smallest one that meets every correction set: all facts that some direction misses. Correction sets are found one by one,
each by a linear program, until the smallest set that meets those found so far forces the claim by itself (implicit hitting sets).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

from .arrays import renumber
from .errors import NotSolved
from .linear_program import LinearProgram
from .problem import Bools, Floats, Ints

# A violation is a sum of whole coefficients of a vertex: far above this if it is not zero.
NOTHING = 1e-7
# Once more facts than this are known to be needed, a reason is left irreducible: nobody reads it, and the smallest set becomes hard to find.
MAX_FACTS = 20
# How many steps of the simplex method times columns are spent before a reason is called irreducible only: a few seconds. Counted, not timed, so
# that every run says the same.
MAX_WORK = 400_000_000
# On a tie the facts that are cheaper by this much for each step of distance win; ten steps of twenty facts do not outweigh one fact.
STEP = 0.001
MAX_STEPS = 10


@dataclass(frozen=True, eq=False)
class Claim:
    """That the cells `target` of one subject cannot together gain (direction 1) or lose (direction -1) a person.

    subject      [cells] which subject a cell belongs to
    is_positive  [cells] whether the known feasible point has somebody there; besides these cells every subject may have another one that
                 no fact counts, at 0
    matrix       [facts x cells] sparse
    may_rise     [facts] whether a fact allows more than the feasible point has
    may_fall     [facts] whether it allows less
    distance     [facts] steps from whom the claim is about; on a tie near facts are preferred
    is_whole     [facts] whether all cells that the fact counts are here; otherwise the others are held where they are, and the fact can be
                 missed by a direction, but never be part of a reason
    """

    subject: Ints
    is_positive: Bools
    matrix: sp.csr_array
    may_rise: Bools
    may_fall: Bools
    target: Ints
    direction: int
    distance: Ints
    is_whole: Bools

    def about(self, facts: Ints) -> Claim:
        """The same claim with only some facts and the subjects that they count; whether these force it is the same question."""
        touched = np.zeros(int(self.subject.max()) + 1, dtype=bool)
        touched[self.subject[self.matrix[facts].indices]] = True
        touched[self.subject[self.target]] = True
        cells = touched[self.subject]
        number = renumber(touched)
        return Claim(
            subject=number[self.subject[cells]],
            is_positive=self.is_positive[cells],
            matrix=self.matrix[facts][:, np.flatnonzero(cells)].tocsr(),
            may_rise=self.may_rise[facts],
            may_fall=self.may_fall[facts],
            target=renumber(cells)[self.target],
            direction=self.direction,
            distance=self.distance[facts],
            is_whole=self.is_whole[facts],
        )


@dataclass(frozen=True, eq=False)
class Reason:
    """Facts that force a claim. None can be left out; `is_smallest` says whether it is proven that no other set has fewer."""

    facts: Ints
    is_smallest: bool


def find_reason(claim: Claim) -> Ints | None:
    """An irreducible set of whole facts that forces the claim, near facts preferred; None where even all of them do not."""
    core = Directions(claim).forcing(np.flatnonzero(claim.is_whole))
    if core is None:
        return None
    test = Directions(claim.about(core))
    # The far ones are left out first, if that can be.
    left = np.argsort(claim.distance[core], kind="stable")
    needed: list[int] = []
    while len(left):
        candidate, rest = int(left[-1]), left[:-1]
        smaller = test.forcing(np.r_[np.array(needed, dtype=np.int64), rest])
        if smaller is None:
            needed.append(candidate)
            left = rest
        else:
            left = rest[np.isin(rest, smaller)]
    return np.sort(core[needed])


def smallest_reason(claim: Claim, known: Ints) -> Reason | None:
    """A smallest set of facts that forces the claim, where an irreducible one is known.

    None where a smaller set may reach facts that are not whole here: whoever asks must look further. The answer is smallest among all facts there are,
    including those that no cell here knows: a direction that stays within these cells misses none of them.
    """
    directions = Directions(claim)
    corrections: list[Ints] = []
    while directions.work < MAX_WORK:
        chosen = _smallest_meeting(corrections, claim)
        if len(chosen) > len(known) or (len(chosen) == len(known) and not claim.is_whole[chosen].all()):
            return Reason(known, True)
        if len(chosen) > MAX_FACTS:
            break
        if not claim.is_whole[chosen].all():
            return None
        if len(chosen) and Directions(claim.about(chosen)).forcing(np.arange(len(chosen))) is not None:
            return Reason(np.sort(chosen), True)
        # Correction sets that share nothing raise the bound fastest: what one of them holds is kept in the next.
        kept = chosen
        while directions.work < MAX_WORK and (correction := directions.correction(kept)) is not None:
            corrections.append(correction)
            kept = np.r_[kept, correction]
    return Reason(known, False)


def combination(claim: Claim, facts: Ints) -> Floats:
    """[facts] how often each fact is added (negative: subtracted) in a sum that proves the claim, where these facts force it.

    The smallest is 1 in size. With each person counted as often as needed, the sum then counts the claim's cells, no cell less than not at all,
    and comes to nothing.
    """
    directions = Directions(claim.about(facts))
    directions.forcing(np.arange(len(facts)))
    price = -directions.price
    size = np.abs(price)
    return np.asarray(price / size[size > NOTHING].min(initial=np.inf))


class Directions:
    """The directions in which the claim fails; HiGHS keeps its basis between the questions."""

    def __init__(self, claim: Claim) -> None:
        """Build the program: cells first, then how much each fact falls, then how much each rises."""
        facts, cells = claim.matrix.shape
        subjects = int(claim.subject.max()) + 1
        sums = sp.csr_array((np.ones(cells), (claim.subject, np.arange(cells))), shape=(subjects, cells))
        target = sp.csr_array((np.ones(len(claim.target)), (np.zeros(len(claim.target), dtype=np.int64), claim.target)), shape=(1, cells))
        missed = sp.hstack([sp.eye_array(facts), -sp.eye_array(facts)])
        matrix = sp.vstack([sp.hstack([claim.matrix, missed]), sp.hstack([sp.vstack([sums, target]), sp.csr_array((subjects + 1, 2 * facts))])]).tocsr()
        # What a subject loses may go to a value that no fact counts, never come from there.
        row_lower = np.r_[np.where(claim.may_fall, -np.inf, 0.0), np.full(subjects, -np.inf), claim.direction]
        row_upper = np.r_[np.where(claim.may_rise, np.inf, 0.0), np.zeros(subjects), claim.direction]
        lower = np.r_[np.where(claim.is_positive, -np.inf, 0.0), np.zeros(2 * facts)]
        self._cells, self._facts = cells, facts
        self.work = 0  # steps of the simplex method times columns
        self._program = LinearProgram(matrix, row_lower, row_upper, lower, np.full(cells + 2 * facts, np.inf))

    def forcing(self, facts: Ints) -> Ints | None:
        """Those of some facts that already force the claim, not necessarily few; None if they do not."""
        weight = np.zeros(self._facts)
        weight[facts] = 1.0
        self._ask(weight, np.full(self._facts, np.inf))
        if self._program.value <= NOTHING:
            return None
        return facts[np.abs(self.price[facts]) > NOTHING]

    def correction(self, kept: Ints) -> Ints | None:
        """Few facts without which all others do not force the claim, though `kept` hold; None if these force it.

        None of them can be spared, unless the work ran out.
        """
        if self.forcing(kept) is not None:
            return None
        most = np.full(self._facts, np.inf)
        most[kept] = 0.0
        weight = np.ones(self._facts)
        self._ask(weight, most)
        violated = self._violated()
        if not len(violated):
            raise NotSolved("The facts do not force what they are said to force.", residual=0.0, duality_gap=0.0)
        for fact in violated.tolist():
            if fact not in violated or self.work > MAX_WORK:
                continue
            others = violated[violated != fact]
            held = np.zeros(self._facts)
            held[others] = np.inf
            weight = np.ones(self._facts)
            weight[others] = 0.0
            # Not hard, but by price: what remains missed tells whether the fact could be kept.
            self._ask(weight, np.full(self._facts, np.inf))
            if self._program.value <= NOTHING:
                self._ask(np.ones(self._facts), held)
                violated = self._violated()
        return violated

    @property
    def price(self) -> Floats:
        """[facts] by the question asked last."""
        return self._program.row_dual[: self._facts]

    def _violated(self) -> Ints:
        point = self._program.point[self._cells :]
        return np.flatnonzero(point[: self._facts] + point[self._facts :] > NOTHING)

    def _ask(self, weight: Floats, most: Floats) -> None:
        """Find the direction that misses the facts least, by weight; none is missed by more than `most`."""
        self._program.set_cost(np.r_[np.zeros(self._cells), weight, weight])
        self._program.set_upper(np.r_[np.full(self._cells, np.inf), most, most])
        if not self._program.run():
            raise NotSolved("HiGHS could not tell whether these facts force the claim.", residual=float("inf"), duality_gap=float("inf"))
        self.work += (self._program.steps + 1) * (self._cells + 2 * self._facts)


def _smallest_meeting(sets: Sequence[Ints], claim: Claim) -> Ints:
    """A smallest set of facts that has something in common with each of some sets; near ones on a tie."""
    if not sets:
        return np.zeros(0, dtype=np.int64)
    facts, column = np.unique(np.concatenate(sets), return_inverse=True)
    row = np.repeat(np.arange(len(sets)), [len(each) for each in sets])
    meets = sp.csr_array((np.ones(len(column)), (row, column)), shape=(len(sets), len(facts)))
    far = np.where(claim.is_whole[facts], claim.distance[facts], MAX_STEPS)
    cost = 1.0 + STEP * np.minimum(far, MAX_STEPS)
    found = milp(cost, integrality=np.ones(len(facts)), bounds=Bounds(0, 1), constraints=LinearConstraint(meets, 1, np.inf), options={"mip_rel_gap": 0.0})
    if not found.success:
        raise NotSolved("HiGHS found no smallest set of facts.", residual=float("inf"), duality_gap=float("inf"))
    return np.asarray(facts[found.x > 0.5])
