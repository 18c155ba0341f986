"""What the solver ought to answer, without rounding: linear programs in fractions, and Newton's method in sixty digits.

For small problems only. The numbers are exactly those that the arrays hold, so a problem whose redundant rows were rounded
apart by 1e-16 is contradictory here; ask `is_feasible` first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from dbaudit.maxent.problem import Problem
from tests.maxent.oracle import Bools, Floats, Undecided


class _Tableau:
    """The simplex method in fractions, with Bland's rule: slow, finite and without a tolerance.

    Standard form: A x = b, x >= 0. `feasible` tells whether there is a point; `maximise` climbs from the point it stands on.
    """

    def __init__(self, rows: list[list[Fraction]], right: list[Fraction]) -> None:
        self.columns = len(rows[0]) if rows else 0
        count = len(rows)
        self.body: list[list[Fraction]] = []
        for k, (row, value) in enumerate(zip(rows, right, strict=True)):
            sign = -1 if value < 0 else 1
            self.body.append([sign * v for v in row] + [Fraction(int(i == k)) for i in range(count)] + [sign * value])
        self.basis = [self.columns + k for k in range(count)]
        cost = [Fraction(0)] * self.columns + [Fraction(-1)] * count
        self.feasible = self._climb(cost, self.columns + count) == 0
        if self.feasible:
            self._leave_artificials()

    def _reduced(self, cost: list[Fraction]) -> list[Fraction]:
        width = len(self.body[0]) if self.body else len(cost) + 1
        line = list(cost) + [Fraction(0)] * (width - len(cost))
        for row, basic in zip(self.body, self.basis, strict=True):
            weight = cost[basic] if basic < len(cost) else Fraction(0)
            if weight:
                line = [a - weight * b for a, b in zip(line, row, strict=True)]
        return line

    def _pivot(self, leave: int, enter: int) -> None:
        pivot = self.body[leave][enter]
        self.body[leave] = [v / pivot if v else v for v in self.body[leave]]
        source = self.body[leave]
        for k, row in enumerate(self.body):
            factor = row[enter]
            if k != leave and factor:
                self.body[k] = [a - factor * b if b else a for a, b in zip(row, source, strict=True)]
        self.basis[leave] = enter

    def _climb(self, cost: list[Fraction], width: int) -> Fraction:
        while True:
            line = self._reduced(cost)
            enter = next((j for j in range(width) if line[j] > 0), None)
            if enter is None:
                return -line[-1]
            ratio = [(row[-1] / row[enter], self.basis[k], k) for k, row in enumerate(self.body) if row[enter] > 0]
            if not ratio:
                raise ArithmeticError("unbounded: the subjects' sums should have prevented this")
            self._pivot(min(ratio)[2], enter)

    def _leave_artificials(self) -> None:
        kept = []
        for k in range(len(self.body)):
            if self.basis[k] >= self.columns:
                enter = next((j for j in range(self.columns) if self.body[k][j]), None)
                if enter is None:
                    continue  # a redundant row
                self._pivot(k, enter)
            kept.append(k)
        self.body = [[*self.body[k][: self.columns], self.body[k][-1]] for k in kept]
        self.basis = [self.basis[k] for k in kept]

    def maximise(self, cost: list[Fraction]) -> Fraction:
        return self._climb(cost + [Fraction(0)] * (self.columns - len(cost)), self.columns)

    def point(self) -> list[Fraction]:
        x = [Fraction(0)] * self.columns
        for row, basic in zip(self.body, self.basis, strict=True):
            x[basic] = row[-1]
        return x


def _fractions(problem: Problem) -> list[list[Fraction]]:
    return [[Fraction(float(v)) for v in row] for row in problem.matrix.toarray()]


def program_of(problem: Problem, rows: Iterable[int] | None = None) -> _Tableau:
    """The feasible set of exactly the numbers that the arrays hold, in x = persons per cell, then slacks."""
    chosen = range(problem.row_count) if rows is None else sorted(rows)
    matrix = _fractions(problem)
    cells = problem.cell_count
    lines: list[tuple[list[Fraction], int, Fraction]] = []
    for u in range(problem.subject_count):
        lines.append(([Fraction(int(s == u)) for s in problem.subject], 0, Fraction(float(problem.person_count[u]))))
    for row in chosen:
        low, high = float(problem.lower[row]), float(problem.upper[row])
        if low == high:
            lines.append((matrix[row], 0, Fraction(low)))
            continue
        if np.isfinite(high):
            lines.append((matrix[row], 1, Fraction(high)))
        if np.isfinite(low):
            lines.append((matrix[row], -1, Fraction(low)))
    slack = [k for k, (_, kind, _) in enumerate(lines) if kind]
    body = [list(line) + [Fraction(kind if k == s else 0) for s in slack] for k, (line, kind, _) in enumerate(lines)]
    assert all(len(line) == cells + len(slack) for line in body)
    return _Tableau(body, [value for _, _, value in lines])


def is_feasible(problem: Problem, rows: Iterable[int] | None = None) -> bool:
    return program_of(problem, rows).feasible


def maximum_of(problem: Problem, coefficient: Sequence[Fraction | int]) -> Fraction:
    """The largest value of a combination of x = persons per cell."""
    program = program_of(problem)
    assert program.feasible, "a maximum was asked of an infeasible problem"
    return program.maximise([Fraction(c) for c in coefficient])


def cell_maxima(problem: Problem) -> list[Fraction]:
    """[cells] the most persons that a cell can hold."""
    program = program_of(problem)
    assert program.feasible, "maxima were asked of an infeasible problem"
    return [program.maximise([Fraction(int(j == k)) for j in range(problem.cell_count)]) for k in range(problem.cell_count)]


def _independent(vectors: list[list[Fraction]]) -> list[int]:
    """The positions of a largest independent subset, first come first kept."""
    kept: list[int] = []
    echelon: list[tuple[int, list[Fraction]]] = []
    for k, vector in enumerate(vectors):
        rest = list(vector)
        for lead, line in echelon:
            if rest[lead]:
                factor = rest[lead] / line[lead]
                rest = [a - factor * b for a, b in zip(rest, line, strict=True)]
        lead = next((j for j, v in enumerate(rest) if v), -1)
        if lead >= 0:
            echelon.append((lead, rest))
            kept.append(k)
    return kept


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _solve_dense(matrix: list[list[Decimal]], right: list[Decimal]) -> list[Decimal]:
    size = len(right)
    work = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(size):
        best = max(range(k, size), key=lambda i: abs(work[i][k]))
        work[k], work[best] = work[best], work[k]
        if work[k][k] == 0:
            raise ArithmeticError("singular")
        for i in range(k + 1, size):
            factor = work[i][k] / work[k][k]
            if factor:
                work[i] = [a - factor * b for a, b in zip(work[i], work[k], strict=True)]
    answer = [Decimal(0)] * size
    for k in reversed(range(size)):
        answer[k] = (work[k][size] - sum((work[k][j] * answer[j] for j in range(k + 1, size)), Decimal(0))) / work[k][k]
    return answer


@dataclass(frozen=True)
class Precise:
    probability: Floats
    zero: Bools
    maximum: list[Fraction]  # [cells] the most persons that the cell can hold
    multiplier: dict[int, float]


def precise(problem: Problem) -> Precise:
    """The answer to some forty digits, for a small feasible problem with few inequalities.

    Support by exact linear programs; then every choice of active inequalities, each solved by Newton's method in decimals,
    until one satisfies the optimality conditions: they are sufficient, so the first one found is the answer.
    """
    maximum = cell_maxima(problem)
    alive = [j for j in range(problem.cell_count) if maximum[j] > 0]
    matrix = _fractions(problem)
    low, high = problem.lower.tolist(), problem.upper.tolist()
    fixed = [r for r in range(problem.row_count) if low[r] == high[r]]
    loose = [r for r in range(problem.row_count) if low[r] != high[r] and (np.isfinite(low[r]) or np.isfinite(high[r]))]
    ends = [[None, *(["low"] if np.isfinite(low[r]) else []), *(["high"] if np.isfinite(high[r]) else [])] for r in loose]
    choices = sorted(itertools.product(*ends), key=lambda choice: sum(end is not None for end in choice))
    if len(choices) > 100:
        raise Undecided("too many inequalities to try every choice of active ones")
    for choice in choices:
        active = {r: end for r, end in zip(loose, choice, strict=True) if end is not None}
        target = {r: Fraction(low[r]) for r in fixed} | {r: Fraction(low[r] if end == "low" else high[r]) for r, end in active.items()}
        found = _newton(problem, alive, matrix, target)
        if found is None:
            continue
        x, multiplier = found
        with localcontext() as context:
            context.prec = 60
            tiny = Decimal(10) ** -40
            sign_right = all((multiplier.get(r, Decimal(0)) >= -tiny) if end == "low" else (multiplier.get(r, Decimal(0)) <= tiny) for r, end in active.items())
            holds = True
            for r in range(problem.row_count):
                value = sum((_decimal(matrix[r][j]) * x[j] for j in alive), Decimal(0))
                holds &= not np.isfinite(low[r]) or value >= _decimal(Fraction(low[r])) - tiny
                holds &= not np.isfinite(high[r]) or value <= _decimal(Fraction(high[r])) + tiny
        if sign_right and holds:
            probability = np.zeros(problem.cell_count)
            for j in alive:
                probability[j] = float(x[j] / Decimal(float(problem.person_count[problem.subject[j]])))
            zero = np.array([m == 0 for m in maximum], dtype=bool)
            return Precise(probability, zero, maximum, {r: float(v) for r, v in multiplier.items()})
    raise Undecided("no choice of active inequalities satisfied the optimality conditions")


def _newton(
    problem: Problem, alive: list[int], matrix: list[list[Fraction]], target: dict[int, Fraction]
) -> tuple[dict[int, Decimal], dict[int, Decimal]] | None:
    """Least divergence under equations, in sixty digits; None where the method does not come to rest (no such point, or no multipliers)."""
    subjects = [[j for j in alive if problem.subject[j] == u] for u in range(problem.subject_count)]
    if any(not cells for cells in subjects):
        return None
    rows = sorted(target)
    ones = [[Fraction(int(problem.subject[j] == u)) for j in alive] for u in range(problem.subject_count)]
    kept = _independent(ones + [[matrix[r][j] for j in alive] for r in rows])
    rows = [rows[k - len(ones)] for k in kept if k >= len(ones)]
    with localcontext() as context:
        context.prec = 60
        weight = {j: (Decimal(1) if problem.prior is None else Decimal(float(problem.prior[j]))).ln() for j in alive}
        count = [Decimal(float(n)) for n in problem.person_count]
        terms = {j: [_decimal(matrix[r][j]) for r in rows] for j in alive}
        goal = [_decimal(target[r]) for r in rows]

        def evaluate(multiplier: list[Decimal]) -> tuple[Decimal, dict[int, Decimal]]:
            value = -sum((m * g for m, g in zip(multiplier, goal, strict=True)), Decimal(0))
            x: dict[int, Decimal] = {}
            for u, cells in enumerate(subjects):
                height = {j: weight[j] + sum((m * a for m, a in zip(multiplier, terms[j], strict=True)), Decimal(0)) for j in cells}
                top = max(height.values())
                size = {j: (height[j] - top).exp() for j in cells}
                total = sum(size.values(), Decimal(0))
                value += count[u] * (total.ln() + top)
                x |= {j: count[u] * size[j] / total for j in cells}
            return value, x

        def slope(x: dict[int, Decimal]) -> list[Decimal]:
            return [sum((terms[j][k] * x[j] for j in alive), Decimal(0)) - goal[k] for k in range(len(rows))]

        multiplier = [Decimal(0)] * len(rows)
        value, x = evaluate(multiplier)
        for _ in range(150):
            gradient = slope(x)
            if all(abs(g) < Decimal(10) ** -45 for g in gradient):
                return x, dict(zip(rows, multiplier, strict=True))
            if max(abs(m) for m in multiplier) > 10**6:
                return None
            curvature = [[Decimal(0)] * len(rows) for _ in rows]
            for u, cells in enumerate(subjects):
                mean = [sum((terms[j][k] * x[j] for j in cells), Decimal(0)) / count[u] for k in range(len(rows))]
                for j in cells:
                    off = [terms[j][k] - mean[k] for k in range(len(rows))]
                    for a, b in itertools.product(range(len(rows)), repeat=2):
                        curvature[a][b] += x[j] * off[a] * off[b]
            try:
                step = _solve_dense(curvature, gradient)
            except (ArithmeticError, ZeroDivisionError):
                return None
            drop = sum((g * s for g, s in zip(gradient, step, strict=True)), Decimal(0))
            if drop <= 0:
                return None
            length = Decimal(1)
            for _ in range(60):
                trial = [m - length * s for m, s in zip(multiplier, step, strict=True)]
                new_value, new_x = evaluate(trial)
                if new_value <= value - length * drop / 4 or (drop < Decimal(10) ** -50 and length == 1):
                    break
                length /= 2
            else:
                return None
            multiplier, value, x = trial, new_value, new_x
    return None
