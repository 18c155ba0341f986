"""From figures to an argument that can be followed: what follows from each figure in turn, until the claim is reached.

Two ways are tried. Directly: from the figures alone. Then by contradiction: suppose the claim were wrong, and see which figure breaks. Each step
tightens how many persons of a subject can have a value, using one figure; steps that the end does not rest on are left out. Where the figures must be
added up to prove the claim, the argument is their combination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import groupby

from dbaudit.explain.surroundings import Figure
from dbaudit.explain.words import among, listed, names_in_words

Cell = tuple[int, str | None]  # a subject and a value; None is any value that no figure of the argument counts


@dataclass(frozen=True)
class Counted:
    """A figure of the argument with the cells that it counts."""

    figure: Figure
    cells: tuple[Cell, ...]
    members: tuple[int, ...]  # subjects


@dataclass(frozen=True)
class Claimed:
    """That a person, one of a subject, has a value (or one of several finer ones), or cannot have it."""

    person: str
    subject: int
    value: str
    leaves: tuple[str, ...]
    is_certain: bool

    @property
    def words(self) -> str:
        return f"{self.person} has {self.value}" if self.is_certain else f"{self.person} does not have {self.value}"


@dataclass(frozen=True)
class _Row:
    """So many persons, at least and at most, are in some cells, because of some figures (their numbers)."""

    kind: str  # figure, rest, one or claim
    cells: tuple[Cell, ...]
    least: int
    most: int
    cites: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Step:
    """A row tightened a cell, given earlier steps; without a cell it breaks."""

    row: _Row
    cell: Cell | None
    is_upper: bool
    limit: int
    rests_on: tuple[int, ...]


@dataclass
class _Trail:
    """What is known of each cell, and the steps that led there."""

    size: dict[int, int]  # persons by subject
    cells: dict[int, tuple[Cell, ...]]  # of each subject, all that the argument speaks of
    steps: list[_Step] = field(default_factory=list)
    least: dict[Cell, tuple[int, int]] = field(default_factory=dict)  # limit and step
    most: dict[Cell, tuple[int, int]] = field(default_factory=dict)

    def at_least(self, cell: Cell) -> int:
        return self.least[cell][0] if cell in self.least else 0

    def at_most(self, cell: Cell) -> int:
        return self.most[cell][0] if cell in self.most else self.size[cell[0]]

    def apply(self, row: _Row) -> bool:
        """Draw every conclusion from one row; whether it breaks."""
        inside: dict[int, list[Cell]] = {}
        for cell in row.cells:
            inside.setdefault(cell[0], []).append(cell)
        room = {subject: min(self.size[subject], sum(map(self.at_most, cells))) for subject, cells in inside.items()}
        lowest, highest = sum(map(self.at_least, row.cells)), sum(room.values())
        if lowest > row.most or highest < row.least:
            self.steps.append(_Step(row, None, highest < row.least, 0, self._why(row, None, highest < row.least)))
            return True
        found = []
        for subject, cells in inside.items():
            needed = row.least - (highest - room[subject])
            for cell in cells:
                most, least = row.most - (lowest - self.at_least(cell)), needed - sum(self.at_most(other) for other in cells if other != cell)
                if most < self.at_most(cell):
                    found.append(_Step(row, cell, True, most, self._why(row, cell, False)))
                if least > self.at_least(cell):
                    found.append(_Step(row, cell, False, least, self._why(row, cell, True)))
            # Who must have one of several values that the row counts has none of the others.
            if len(cells) > 1 and row.kind == "figure":
                others = [cell for cell in self.cells[subject] if cell not in cells]
                why = self._why(row, None, True, but=subject)
                found += [_Step(row, cell, True, self.size[subject] - needed, why) for cell in others if self.size[subject] - needed < self.at_most(cell)]
        for step in found:
            (self.most if step.is_upper else self.least)[step.cell] = (step.limit, len(self.steps))  # type: ignore[index]
            self.steps.append(step)
        return False

    def _why(self, row: _Row, cell: Cell | None, by_upper: bool, but: int | None = None) -> tuple[int, ...]:
        known = self.most if by_upper else self.least
        return tuple(known[other][1] for other in row.cells if other != cell and other[0] != but and other in known)

    def needed(self, ends: Sequence[int]) -> list[_Step]:
        """The steps on which some of them rest, and these, in order."""
        kept: set[int] = set()
        waiting = list(ends)
        while waiting:
            number = waiting.pop()
            if number not in kept:
                kept.add(number)
                waiting.extend(self.steps[number].rests_on)
        return [self.steps[number] for number in sorted(kept)]


@dataclass(frozen=True)
class Argument:
    """Sentences that lead from the figures to a claim about a person; figures are cited by their numbers, 1 first."""

    claim: Claimed
    figures: Sequence[Counted]
    subject_of: Mapping[str, int]  # everybody whom a figure counts, in order of publication

    def sentences(self, combine: Callable[[], Sequence[float]]) -> list[str]:
        """The argument; `combine` says how often each figure is added where only their sum proves the claim."""
        direct, supposed = self._directly(), self._by_contradiction
        # What follows from "at most two of these" is followed less easily than what would follow from the opposite of the claim.
        if direct and not any("at most" in step.lower() or "at least" in step.lower() for step in direct):
            return direct
        return supposed() or direct or self._summed(combine())

    @cached_property
    def people(self) -> dict[int, list[str]]:
        """The persons of each subject."""
        found: dict[int, list[str]] = {}
        for person, subject in self.subject_of.items():
            found.setdefault(subject, []).append(person)
        return found

    @property
    def size(self) -> dict[int, int]:
        """How many persons a subject has."""
        return {subject: len(persons) for subject, persons in self.people.items()}

    def names(self, subjects: Sequence[int], link: str = "and") -> str:
        """Everybody in some subjects, in words."""
        return names_in_words(self.persons(subjects), self.claim.person, link)

    def persons(self, subjects: Sequence[int]) -> list[str]:
        """Everybody in some subjects, in the order in which they were published."""
        return [person for person, subject in self.subject_of.items() if subject in set(subjects)]

    def joined(self, subjects: Sequence[int]) -> int:
        """How many persons some subjects have together."""
        return sum(len(self.people[subject]) for subject in subjects)

    # -- the two ways

    def _rows(self) -> list[list[_Row]]:
        """What conclusions rest on, the plainest first: figures and their differences; that a person has one value; all figures of a bucket."""
        rows = [_Row("figure", each.cells, each.figure.least, each.figure.most, (number,)) for number, each in enumerate(self.figures, 1)]
        rows += self._differences()
        all_cells = self._all_cells()
        ones = [_Row("one", cells, self.size[subject], self.size[subject]) for subject, cells in all_cells.items()]
        rests = []
        by_bucket: dict[int, list[int]] = {}
        for number, each in enumerate(self.figures, 1):
            if each.figure.count and each.figure.least == each.figure.most:
                by_bucket.setdefault(each.figure.bucket.bucket_id, []).append(number)
        for numbers in by_bucket.values():
            inside = [cell for number in numbers for cell in self.figures[number - 1].cells]
            if len(numbers) > 1 and len(inside) == len(set(inside)):
                bucket = self.figures[numbers[0] - 1]
                left = bucket.figure.bucket.member_count - sum(self.figures[number - 1].figure.count for number in numbers)
                outside = tuple(cell for member in bucket.members for cell in all_cells[member] if cell not in set(inside))
                rests.append(_Row("rest", outside, left, left, tuple(numbers)))
        return [rows, ones, rests]

    def _differences(self) -> list[_Row]:
        """What remains of a figure beyond others that count only some of its persons."""
        rows = []
        exact = [(number, set(each.cells), each.figure.count) for number, each in enumerate(self.figures, 1) if each.figure.least == each.figure.most > 0]
        for number, cells, count in exact:
            within = [other for other in exact if other[1] < cells]
            apart: list[tuple[int, set[Cell], int]] = []
            for other in within:
                if all(other[1].isdisjoint(taken[1]) for taken in apart):
                    apart.append(other)
            for taken in {tuple(other[0] for other in choice): choice for choice in (*([other] for other in within), apart) if choice}.values():
                left = count - sum(other[2] for other in taken)
                beyond = tuple(cell for cell in self.figures[number - 1].cells if not any(cell in other[1] for other in taken))
                rows.append(_Row("difference", beyond, left, left, (number, *(other[0] for other in taken))))
        return rows

    def _all_cells(self) -> dict[int, tuple[Cell, ...]]:
        leaves: dict[int, dict[str | None, None]] = {self.claim.subject: dict.fromkeys(self.claim.leaves)}
        for each in self.figures:
            for member in each.members:
                leaves.setdefault(member, {})
            for subject, leaf in each.cells:
                leaves[subject][leaf] = None
        return {subject: tuple((subject, leaf) for leaf in (*known, None)) for subject, known in sorted(leaves.items())}

    def _directly(self) -> list[str]:
        trail, size = _Trail(self.size, self._all_cells()), self.size[self.claim.subject]
        target = [(self.claim.subject, leaf) for leaf in self.claim.leaves]
        others = [cell for cell in self._all_cells()[self.claim.subject] if cell not in target]
        sought = others if self.claim.is_certain else target
        for _ in self._conclude(trail, self._rows()):
            if self.claim.is_certain and len(target) == 1 and trail.at_least(target[0]) == size:
                return self._told(trail.needed([trail.least[target[0]][1]]), suppose=False)
            if not any(map(trail.at_most, sought)):
                return self._told(trail.needed([trail.most[cell][1] for cell in sought]), suppose=False)
        return []

    def _by_contradiction(self) -> list[str]:
        trail, size = _Trail(self.size, self._all_cells()), self.size[self.claim.subject]
        target = tuple((self.claim.subject, leaf) for leaf in self.claim.leaves)
        plain, *others = self._rows()
        supposed = _Row("claim", target, 0, size - 1) if self.claim.is_certain else _Row("claim", target, 1, size)
        for is_broken in self._conclude(trail, [[supposed, *plain], *others]):
            if is_broken:
                return self._told(trail.needed([len(trail.steps) - 1]), suppose=True)
        return []

    def _conclude(self, trail: _Trail, tiers: Sequence[Sequence[_Row]]) -> Iterator[bool]:
        """Draw conclusions until there are no more, from the plainest rows that still give any; says each time whether a row broke."""
        while True:
            for tier in tiers:
                before = len(trail.steps)
                for row in tier:
                    yield trail.apply(row)
                if len(trail.steps) > before:
                    break
            else:
                return

    # -- in words

    def _told(self, steps: Sequence[_Step], suppose: bool) -> list[str]:
        told: list[str] = []
        if suppose:
            told.append(f"Suppose {self.claim.person} {'did not have' if self.claim.is_certain else 'had'} {self.claim.value}.")
        useful = [step for step in steps if step.row.kind != "claim" or step.cell is None]
        groups = [list(group) for _, group in groupby(useful, key=lambda step: step.row)]
        for value, similar in groupby(groups, key=self._excluded):
            if value is not None:
                told.append(_capital(self._excluding(value, [*similar])))
                continue
            for group in similar:
                sentence = self._sentence(group[0].row, group)
                follows = any(step.rests_on for step in group) and group[-1].cell is not None
                told.append(f"{'Then' if suppose and len(told) == 1 else 'So'} {sentence}" if follows else _capital(sentence))
        conclusion = f"So {self.claim.words}."
        last = told[-1].removeprefix("So ")
        if suppose:
            told.append(f"That cannot be. {conclusion}")
        elif last == f"{self.claim.words}." or last.startswith(f"{self.claim.words} ("):
            told[-1] = f"So {last}"
        else:
            told.append(conclusion)
        return told

    def _excluded(self, group: Sequence[_Step]) -> str | None:
        """The value that a group of steps excludes for some persons with nothing but a figure of 0; None for other steps."""
        row = group[0].row
        return self.figures[row.cites[0] - 1].figure.value if row.kind == "figure" and row.most == 0 and group[-1].cell is not None else None

    def _excluding(self, value: str, groups: Sequence[Sequence[_Step]]) -> str:
        """Several figures of 0 in one sentence."""
        persons, cited = [], []
        for group in groups:
            found = self.persons(sorted({step.cell[0] for step in group if step.cell}))
            persons += found
            cited.append(f"{names_in_words(found, self.claim.person)} ({group[0].row.cites[0]})")
        if len(persons) == 1:
            return f"{persons[0]} does not have {value} ({groups[0][0].row.cites[0]})."
        if len(groups) == 1 or len(persons) > len(groups):
            return f"{self._none_of(persons, value)} ({listed([str(group[0].row.cites[0]) for group in groups])})."
        return f"neither {listed(cited, 'nor')} has {value}." if len(cited) == 2 else f"none of {listed(cited)} has {value}."

    def _sentence(self, row: _Row, steps: Sequence[_Step]) -> str:
        cite = f" ({listed([str(number) for number in row.cites])})" if row.cites else ""
        if steps[-1].cell is None:
            return self._broken(row, cite, too_few=steps[-1].is_upper)
        if row.kind == "rest":
            return self._beyond(row, steps, cite)
        alike: dict[tuple[str, str], list[int]] = {}
        parts = []
        for step in steps:
            subject, leaf = step.cell or (0, None)
            if step.cell not in row.cells:
                figure, needed = self.figures[row.cites[0] - 1].figure, self.size[subject] - step.limit
                if step.limit == 0:
                    alike.setdefault(("all", figure.value), []).append(subject)
                else:
                    parts.append(f"at least {needed} of {self.names([subject])} {_have(needed)} {figure.value}")
                continue
            value = leaf if leaf is not None else "anything else" if step.is_upper else "something else"
            if step.is_upper and step.limit == 0:
                alike.setdefault(("none", value), []).append(subject)
            elif not step.is_upper and step.limit == self.size[subject]:
                alike.setdefault(("all", value), []).append(subject)
            else:
                parts.append(f"{'at most' if step.is_upper else 'at least'} {step.limit} of {self.names([subject])} {_have(step.limit)} {value}")
        # What the same persons do not have is said of them once.
        excluded: dict[tuple[int, ...], list[str]] = {}
        whole = []
        for (how, value), subjects in alike.items():
            if how == "none":
                excluded.setdefault(tuple(subjects), []).append(value)
            else:
                whole.append(self._all(list(dict.fromkeys(subjects)), value))
        whole += [self._none(subjects, listed(values, "or")) for subjects, values in excluded.items()]
        reason = ""
        if row.kind == "one":
            reason = " (nobody has two values)" if any(step.is_upper for step in steps) else " (nothing else is left)"
        elif row.kind == "difference":
            inner = listed([str(number) for number in row.cites[1:]])
            cite = f" ({row.cites[0]} counts everybody whom {inner} {'counts' if len(row.cites) == 2 else 'count'})"
        return f"{'; '.join([*whole, *dict.fromkeys(parts)])}{cite}{reason}."

    def _beyond(self, row: _Row, steps: Sequence[_Step], cite: str) -> str:
        """What follows from the figures of a bucket together: how many there have something other than these count."""
        values = listed([self.figures[number - 1].figure.value for number in row.cites], "or")
        parts = []
        for subject, group in groupby(sorted(steps, key=lambda step: step.cell[0] if step.cell else -1), key=lambda step: step.cell[0] if step.cell else -1):
            step, who, size = next(group), self.names([subject]), len(self.people[subject])
            if step.is_upper and step.limit == 0:
                parts.append(f"{who} {_have(size)} {values}")
            elif not step.is_upper and step.limit == size:
                parts.append(f"{who} {_have(size)} something other than {values}")
            else:
                parts.append(f"at {'most' if step.is_upper else 'least'} {step.limit} of {who} {_have(step.limit)} something other than {values}")
        return f"{'; '.join(parts)}{cite}."

    def _broken(self, row: _Row, cite: str, too_few: bool) -> str:
        subjects = list(dict.fromkeys(cell[0] for cell in row.cells))
        names = self.names(subjects)
        if row.kind == "one":
            return f"But no value is left for {names}." if too_few else f"But {names} cannot have two values."
        if row.kind == "claim":
            return "But that is what was supposed not to be."
        if row.kind == "rest":
            values = listed([self.figures[number - 1].figure.value for number in row.cites], "or")
            return f"But {among(row.most, self.joined(subjects))} {names} {_have(row.most)} something other than {values}{cite}."
        figure = self.figures[row.cites[0] - 1].figure
        if too_few:
            return f"But {among(row.least, self.joined(subjects))} {names} must have {figure.value}{cite}."
        if row.most == 0:
            return f"But {self._none(subjects, figure.value)}{cite}."
        return f"But only {among(row.most, self.joined(subjects))} {names} {_have(row.most)} {figure.value}{cite}."

    def _none(self, subjects: Sequence[int], value: str) -> str:
        return self._none_of(self.persons(subjects), value)

    def _none_of(self, persons: Sequence[str], value: str) -> str:
        if len(persons) == 1:
            return f"{persons[0]} does not have {value}"
        if len(persons) == 2:
            return f"neither {listed(list(persons), 'nor')} has {value}"
        return f"none of {names_in_words(persons, self.claim.person)} has {value}"

    def _all(self, subjects: Sequence[int], value: str) -> str:
        count, names = self.joined(subjects), self.names(subjects)
        if count == 1:
            return f"{names} has {value}"
        return f"both {names} have {value}" if count == 2 else f"all of {names} have {value}"

    def _summed(self, times: Sequence[float]) -> list[str]:
        """The combination of the figures that proves the claim."""
        exact = [Fraction(each).limit_denominator(60) for each in times]
        added = [_times(number, each) for number, each in enumerate(exact, 1) if each > 0]
        taken = [_times(number, -each) for number, each in enumerate(exact, 1) if each < 0]
        sides = [f"add {listed(added)}" if added else "", f"subtract {listed(taken)}" if taken else ""]
        return [
            "No single figure decides it; only all of them together leave no other possibility.",
            f"The sum that shows it: {' and '.join(side for side in sides if side)}, counting each person's values once.",
            f"So {self.claim.words}.",
        ]


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def _times(number: int, times: Fraction) -> str:
    return f"figure {number}" if times == 1 else f"{times} times figure {number}"


def _capital(sentence: str) -> str:
    """With a capital, unless it begins with somebody's name, which stays as it is."""
    return sentence[:1].upper() + sentence[1:] if sentence.split(" ", 1)[0] in ("neither", "none", "both", "all", "at") else sentence
