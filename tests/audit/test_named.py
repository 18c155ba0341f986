"""Named persons whose record is uncertain: against every record as a pseudonym, against all assignments, against the papers, and how they are refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from dbaudit import (
    UsageError,
    add_hierarchy,
    add_person,
    add_statement,
    check_store,
    compare_audits,
    explain_person,
    gather,
    list_persons,
    remove_audit,
    remove_dataset,
    remove_person,
    run_history,
    show_audit,
    show_history,
    verify_audit,
)
from dbaudit.report import page, summary
from tests.audit.conftest import many
from tests.audit.helpers import Answer, Desk, Row, most_uncertain_point, relaxed_program
from tests.sql import stores

Weight = Callable[[str, int, str], float]  # of a person (by name, or "" for anybody else) at a record with a value


# ------------------------------------------------------------------------------------------------ the oracle
@dataclass(frozen=True)
class Said:
    """A statement, and what it counts of somebody who stands at a record and has a value."""

    text: str
    weight: Weight
    lower: float
    upper: float


@dataclass(frozen=True)
class Pseudonyms:
    """Privacy-MaxEnt, section 6: each record is a pseudonym, and each person one of them. Nobody is lumped, and whoever is not named may be any record.

    `bucket` and `value` by record; `covers` says which records each named person may be.
    """

    bucket: list[Any]
    value: list[str]
    covers: dict[str, list[int]]

    @property
    def records(self) -> range:
        return range(len(self.value))

    @property
    def persons(self) -> list[tuple[str, int]]:
        """The named ones, and so many others that each record has somebody."""
        return [(name, 0) for name in self.covers] + [("", number) for number in range(len(self.value) - len(self.covers))]

    @property
    def cells(self) -> list[tuple[tuple[str, int], int, str]]:
        offered = {bucket: sorted({v for b, v in zip(self.bucket, self.value, strict=True) if b == bucket}) for bucket in self.bucket}
        return [
            (person, record, value)
            for person in self.persons
            for record in (self.covers[person[0]] if person[0] else self.records)
            for value in offered[self.bucket[record]]
        ]

    def rows(self, said: Sequence[Said]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What holds with equality, and what is bounded from above."""
        cells = self.cells
        eq: list[tuple[list[float], float]] = [([float(cell[0] == person) for cell in cells], 1.0) for person in self.persons]
        eq += [([float(cell[1] == record) for cell in cells], 1.0) for record in self.records]
        for bucket, value in sorted(set(zip(self.bucket, self.value, strict=True)), key=str):
            count = sum((b, v) == (bucket, value) for b, v in zip(self.bucket, self.value, strict=True))
            eq.append(([float(self.bucket[cell[1]] == bucket and cell[2] == value) for cell in cells], float(count)))
        le: list[tuple[list[float], float]] = []
        for each in said:
            row = [each.weight(cell[0][0], cell[1], cell[2]) for cell in cells]
            if each.lower == each.upper:
                eq.append((row, each.lower))
                continue
            le += [(row, each.upper)] if np.isfinite(each.upper) else []
            le += [([-entry for entry in row], -each.lower)] if np.isfinite(each.lower) else []
        return (
            np.array([row for row, _ in eq]),
            np.array([to for _, to in eq]),
            np.array([row for row, _ in le]).reshape(len(le), len(cells)),
            np.array([to for _, to in le]),
        )

    def answer(self, said: Sequence[Said], names: Sequence[str]) -> tuple[Answer, dict[tuple[str, str], tuple[float, float]]] | None:
        """Clarabel's answer for named persons and records, and what is certain of the named ones by linear programs; None where nothing agrees."""
        cells = self.cells
        eq, eq_to, le, le_to = self.rows(said)
        point = most_uncertain_point(le, le_to, eq, eq_to)
        if point is None:
            return None
        told: Answer = {}
        for k in np.flatnonzero(point):
            (name, _), record, value = cells[k]
            for who in ([name] if name else []) + [names[record]]:
                told.setdefault(who, {})[value] = told.setdefault(who, {}).get(value, 0.0) + float(point[k])
        certain, relaxed = {}, relaxed_program(le, le_to, eq, eq_to)
        for name in self.covers:
            for value in sorted({cell[2] for cell in cells if cell[0][0] == name}):
                cost = np.array([float(cell[0][0] == name and cell[2] == value) for cell in cells])
                least, most = (linprog(sign * cost, **relaxed) for sign in (1, -1))
                certain[name, value] = (least.fun, -most.fun)
        return told, certain

    def worlds(self, said: Sequence[Said]) -> list[tuple[dict[str, int], list[str]]]:
        """Every way to give the named persons records of their own and the records values, that agrees with everything."""
        found = []
        buckets = sorted(set(self.bucket), key=str)
        inside = [[record for record in self.records if self.bucket[record] == bucket] for bucket in buckets]
        orders = [sorted(set(itertools.permutations(self.value[record] for record in records))) for records in inside]
        for chosen in itertools.product(*self.covers.values()):
            if len(set(chosen)) < len(chosen):
                continue
            where = dict(zip(self.covers, chosen, strict=True))
            name_at = {record: name for name, record in where.items()}
            for world in itertools.product(*orders):
                values = [""] * len(self.value)
                for records, order in zip(inside, world, strict=True):
                    for record, value in zip(records, order, strict=True):
                        values[record] = value
                sums = [sum(each.weight(name_at.get(record, ""), record, values[record]) for record in self.records) for each in said]
                if all(each.lower - 1e-9 <= total <= each.upper + 1e-9 for each, total in zip(said, sums, strict=True)):
                    found.append((where, values))
        return found


def agrees(desk: Desk, dataset: str, wanted: Pseudonyms, said: Sequence[Said], **more: Any) -> None:
    """Audit, and compare with the oracle: probabilities, bounds, what is certain, and the certificate."""
    outcome = desk.audit(dataset, bounds=True, **more)
    release = outcome.row["releases"][0]
    expected = wanted.answer(said, [f"{release}#{record + 1}" for record in wanted.records])
    assert outcome.row["status"] == ("infeasible" if expected is None else "solved"), outcome.row["message"]
    if expected is None:
        return
    answer, certain = expected
    found = desk.posterior(outcome)
    assert found.keys() == answer.keys()
    for person, values in answer.items():
        assert sum(found[person].values()) == pytest.approx(1, abs=1e-9)
        for value in values | found[person]:
            assert found[person].get(value, 0.0) == pytest.approx(values.get(value, 0.0), abs=2e-5), (person, value)
    bounds = desk.bounds(outcome)
    for (name, value), (lower, upper) in certain.items():
        assert bounds[name, value] == pytest.approx((lower, upper), abs=1e-6), (name, value)
    for where, world in wanted.worlds(said):
        for person, value in [*((name, world[record]) for name, record in where.items()), *((f"{release}#{r + 1}", world[r]) for r in wanted.records)]:
            assert bounds[person, value][1] == pytest.approx(1, abs=1e-6), (person, value)
            assert all(lower < 1 - 1e-6 for (who, other), (lower, _) in bounds.items() if who == person and other != value)
    assert verify_audit(desk.store, outcome.audit_id).holds, verify_audit(desk.store, outcome.audit_id).words
    assert outcome.row["person_count"] == len(wanted.value)
    entropy = -sum(p * np.log2(p) for person, values in found.items() if "#" in person for p in values.values() if p > 0)
    assert outcome.row["entropy_bits"] == pytest.approx(entropy, abs=1e-7)


# ------------------------------------------------------------------------------------------------ section 6 of Privacy-MaxEnt
FIGURE_1C = [
    ("q1", "s1", 1), ("q1", "s2", 1), ("q2", "s2", 1), ("q3", "s3", 1), ("q1", "s1", 2),
    ("q3", "s3", 2), ("q4", "s4", 2), ("q2", "s2", 3), ("q5", "s4", 3), ("q6", "s5", 3),
]  # fmt: skip
NAMED = {"Alice": "q1", "Bob": "q2", "Charlie": "q5"}


def of(persons: str, values: str) -> Weight:
    return lambda name, _record, value: float(name != "" and name in persons.split() and value in values.split())


@pytest.fixture
def figure_1c(desk: Desk) -> Desk:
    desk.dataset(qi=("q",))
    desk.release("patients", "r", [{"q": q, "s": s, "bucket": b} for q, s, b in FIGURE_1C])
    return desk


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("Alice", Said("P(s = 's1' | person = 'Alice') = 0.2", of("Alice", "s1"), 0.2, 0.2)),
        ("Alice", Said("P(s in ('s1', 's4') | person = 'Alice') = 1", of("Alice", "s1 s4"), 1, 1)),
        ("Alice Bob Charlie", Said("count(s = 's4' | person in ('Alice', 'Bob', 'Charlie')) = 2", of("Alice Bob Charlie", "s4"), 2, 2)),
        ("Alice Bob Charlie", Said("count(s = 's4' | person in ('Alice', 'Bob', 'Charlie')) >= 2", of("Alice Bob Charlie", "s4"), 2, np.inf)),
    ],
)
def test_the_three_kinds_of_knowledge_about_individuals(figure_1c: Desk, names: str, said: Said) -> None:
    for name in names.split():
        add_person(figure_1c.store, "patients", name, {"q": NAMED[name]})
    add_statement(figure_1c.store, "patients", said.text)
    covers = {name: [record for record, (q, *_) in enumerate(FIGURE_1C) if q == NAMED[name]] for name in names.split()}
    agrees(figure_1c, "patients", Pseudonyms([b for *_, b in FIGURE_1C], [s for _, s, _ in FIGURE_1C], covers), [said])


def test_naming_somebody_gives_nothing_away(figure_1c: Desk) -> None:
    before = figure_1c.posterior(figure_1c.audit())
    add_person(figure_1c.store, "patients", "Alice", {"q": "q1"})
    after = figure_1c.posterior(figure_1c.audit())
    alice = after.pop("Alice")
    assert after == {person: pytest.approx(values, abs=1e-9) for person, values in before.items()}
    assert alice == pytest.approx({"s1": 5 / 18, "s2": 1 / 3, "s3": 5 / 18, "s4": 1 / 9}, abs=1e-9)


# ------------------------------------------------------------------------------------------------ l-diversity 1.1
def test_bob_has_cancer_and_umeko_a_viral_infection() -> None:
    store = stores.store("named")
    with store.reading() as session:
        query = "select person, value, lower from report.posterior where audit_id = 3 and person in ('Bob', 'Umeko') and probability > 0 order by all"
        assert session.engine.rows("both", query) == [("Bob", "Cancer", 1), ("Umeko", "Viral Infection", 1)]
        without = "select value, probability from report.posterior where audit_id = 4 and person = 'Umeko' order by all"
        rows = session.engine.rows("without knowledge", without)
        assert [value for value, _ in rows] == ["Heart Disease", "Viral Infection"]
        assert [probability for _, probability in rows] == pytest.approx([0.5, 0.5], abs=1e-9)


# ------------------------------------------------------------------------------------------------ any release, any names
COVERING = {
    "*": range(20, 41), "2*": range(20, 30), "[25-34]": range(25, 35), "30-40": range(30, 41),
    "< 30": range(20, 30), "[20-30)": range(20, 30), ">= 35": range(35, 41), "27": range(27, 28),
}  # fmt: skip


@st.composite
def releases(draw: st.DrawFn) -> tuple[str, list[Row], dict[str, str], Pseudonyms]:
    """A form, its rows, some names with their quasi-identifier, and which records each may be. Everybody who is named is some record."""
    count = draw(st.integers(2, 6))
    form = draw(st.sampled_from(["bucketized", "generalized"]))
    texts = draw(st.lists(st.sampled_from(list(COVERING) if form == "generalized" else ["20", "27", "35"]), min_size=count, max_size=count))
    values = draw(st.lists(st.sampled_from(["Flu", "HIV", "Gout"]), min_size=count, max_size=count))
    buckets = draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    own = draw(st.permutations(range(count)))[: draw(st.integers(1, min(3, count)))]
    ages = {f"n{number}": str(draw(st.sampled_from(COVERING[texts[record]])) if form == "generalized" else texts[record]) for number, record in enumerate(own)}
    covers = {
        name: [record for record, text in enumerate(texts) if (int(age) in COVERING[text] if form == "generalized" else text == age)]
        for name, age in ages.items()
    }
    rows = [{"q": text, "s": value, "bucket": bucket} for text, value, bucket in zip(texts, values, buckets, strict=True)]
    return form, rows, ages, Pseudonyms(list(buckets), list(values), covers)


@st.composite
def knowledge(draw: st.DrawFn, rows: list[Row], wanted: Pseudonyms) -> Said:
    """True of one way to give everybody a record, so that it can hold; now and then of none."""
    worlds = wanted.worlds([])
    where, values = draw(st.sampled_from(worlds))
    name_at = {record: name for name, record in where.items()}

    def term() -> tuple[str, Weight]:
        event = draw(st.lists(st.sampled_from(["Flu", "HIV", "Gout"]), min_size=1, max_size=2, unique=True))
        listed = ", ".join(f"'{value}'" for value in event)
        kind = draw(st.sampled_from(["P", "count"]))
        how = draw(st.sampled_from(["named", "named", "record", "qi", "everybody"]))
        chosen: Callable[[str, int], bool]
        if how == "named":
            who = draw(st.lists(st.sampled_from(list(wanted.covers)), min_size=1, max_size=3, unique=True))
            condition, size, chosen = f" | person in ({', '.join(map(repr, who))})", len(who), lambda name, _: name in who
        elif how == "record":
            which = draw(st.lists(st.sampled_from(list(wanted.records)), min_size=1, max_size=2, unique=True))
            written = ", ".join(f"'r#{record + 1}'" for record in which)
            condition, size, chosen = f" | person in ({written})", len(which), lambda _, record: record in which
        elif how == "qi":
            text = draw(st.sampled_from([row["q"] for row in rows]))
            alike = {record for record, row in enumerate(rows) if row["q"] == text}
            condition, size, chosen = f" | q = '{text}'", len(alike), lambda _, record: record in alike
        else:
            condition, size, chosen = "", len(rows), lambda *_: True
        share = 1.0 / size if kind == "P" else 1.0
        return f"{kind}(s in ({listed}){condition})", lambda name, record, value: share * (value in event and chosen(name, record))

    text, weight = term()
    if draw(st.booleans()):
        other, minus = term()
        first = weight
        text, weight = f"2 * {text} - {other}", lambda name, record, value: 2 * first(name, record, value) - minus(name, record, value)
    true = sum(weight(name_at.get(record, ""), record, values[record]) for record in wanted.records)
    told = f"{true * draw(st.sampled_from([1, 1, 1, 0])):.12f}"
    match draw(st.sampled_from(["=", "<=", ">=", "+-"])):
        case "=":
            return Said(f"{text} = {told}", weight, float(told), float(told))
        case "<=":
            return Said(f"{text} <= {told}", weight, -np.inf, float(told))
        case ">=":
            return Said(f"{text} >= {told}", weight, float(told), np.inf)
        case _:
            return Said(f"{text} = {told} +- 0.1", weight, float(told) - 0.1, float(told) + 0.1)


@many(10)
@given(data=st.data())
def test_the_answer_is_that_of_every_record_as_a_pseudonym(shared: Desk, data: st.DataObject) -> None:
    form, rows, ages, wanted = data.draw(releases())
    said = data.draw(st.lists(knowledge(rows, wanted), max_size=3))
    name = shared.dataset(shared.name(), qi=("q",))
    shared.release(name, "r", rows, form, bucket="bucket")
    for who, age in ages.items():
        add_person(shared.store, name, who, {"q": age})
    for each in said:
        add_statement(shared.store, name, each.text)
    agrees(shared, name, wanted, said, full_model=data.draw(st.booleans()))


def test_a_person_of_the_population_may_be_the_named_one(desk: Desk) -> None:
    """Two men are known, one stands in the release: whoever is named and male is one of them, and nothing is known of the second."""
    desk.dataset(qi=("q",), population=[{"q": "m"}, {"q": "m"}, {"q": "f"}], domain=("Flu", "HIV"))
    desk.release("patients", "r", [{"q": "m", "s": "Flu", "bucket": 1}, {"q": "f", "s": "Flu", "bucket": 1}])
    add_person(desk.store, "patients", "Al", {"q": "m"})
    outcome = desk.audit(bounds=True)
    answer = desk.posterior(outcome)
    assert answer["Al"] == pytest.approx({"Flu": 0.75, "HIV": 0.25}, abs=1e-9)
    places = desk.rows("select distinct place from result.posterior where audit_id = ? and place <> '' order by all", outcome.audit_id)
    assert [row["place"] for row in places] == ["1", "no bucket"]
    add_statement(desk.store, "patients", "P(s = 'HIV' | person = 'Al') = 1")
    known = desk.posterior(desk.audit())
    beyond = next(person for person in known if person.startswith("population"))
    assert known["Al"]["HIV"] == known[beyond]["HIV"] == 1


# ------------------------------------------------------------------------------------------------ which texts cover a value
@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("*", "31 x -2.5", ""),
        ("***", "31 13053 x", ""),
        ("130**", "13053 13068", "1305 130531 14053"),
        ("131*", "1310 13153", "131 1305"),
        ("3*", "30 39", "3 29 40"),
        ("1*0**", "13053 19099", "14153 1305"),
        ("50%*", "50%x", "501 50x"),
        ("a_*b*", "a_xbx", "aaxbx"),
        ("[20-29]", "20 29 24.5", "19.9 29.5 30 x"),
        ("20-29", "20 29", "19 30"),
        ("[20-30)", "20 29.9", "30"),
        ("(20-30]", "20.1 30", "20"),
        ("[-5--1]", "-5 -1 -2.5", "-0.5 1"),
        ("-5-5", "-5 0 5", "6"),
        ("[0.5-1.5]", "0.5 1 1.5", "0.4 1.6"),
        ("[20,29]", "20 29", "30"),
        ("20..29", "20 29", "30"),
        ("<30", "29 -1 29.9", "30 31 x"),
        ("<= 30", "30 29", "31"),
        ("> 40", "41 40.5", "40 39"),
        (">= 40", "40 41", "39"),
        ("≥40", "40", "39"),
        ("90+", "90 101", "89"),
        ("31", "31 31.0", "32"),
        ("Europe", "Germany France Europe", "Japan"),
        ("World", "Germany Japan Europe", "Mars"),
    ],
)
def test_a_generalized_text_covers_what_it_stands_for(desk: Desk, text: str, inside: str, outside: str) -> None:
    desk.dataset(qi=("q",))
    tree = [("Germany", "Europe"), ("France", "Europe"), ("Japan", "Asia")]
    add_hierarchy(desk.store, "patients", "q", desk.file([{"level0": leaf, "level1": node, "level2": "World"} for leaf, node in tree]))
    desk.release("patients", "r", [{"q": text, "s": "Flu"}, {"q": "nothing like it", "s": "HIV"}], "generalized")
    for value in inside.split():
        add_person(desk.store, "patients", "Al", {"q": value})
        assert desk.posterior(desk.audit())["Al"] == {"Flu": 1}
        remove_person(desk.store, "patients", "Al")
    for value in outside.split():
        with pytest.raises(UsageError, match=rf"Al \(q {value}\) cannot be in patients"):
            add_person(desk.store, "patients", "Al", {"q": value})


@pytest.mark.parametrize(("text", "value"), [("2*", "21"), ("20-29", "21"), ("*", "21"), ("< 30", "21")])
def test_where_a_release_does_not_generalize_values_are_equal(desk: Desk, text: str, value: str) -> None:
    desk.dataset(qi=("q",))
    desk.release("patients", "r", [{"q": text, "s": "Flu", "bucket": 1}])
    add_person(desk.store, "patients", "Same", {"q": text})
    with pytest.raises(UsageError, match="cannot be in patients"):
        add_person(desk.store, "patients", "Al", {"q": value})


def test_numbers_keep_their_type_and_a_missing_value_is_a_value(desk: Desk) -> None:
    desk.dataset(qi=("age", "town"))
    rows: list[Row] = [{"age": 31, "town": "A", "s": "Flu", "bucket": 1}, {"age": 45, "town": None, "s": "HIV", "bucket": 1}]
    desk.release("patients", "r", rows)
    for name, qi in (("Al", {"age": 31}), ("Bo", {"age": "45.0", "town": None})):
        add_person(desk.store, "patients", name, qi)
    # age stays a number for everybody, and Al's is compared as one.
    add_statement(desk.store, "patients", "P(s = 'Flu' | person = 'Al' and age < 40) = 1")
    add_statement(desk.store, "patients", "count(s = 'HIV' | age > 40) = 1")
    add_statement(desk.store, "patients", "P(s = 'HIV' | person = 'Al' and age > 40) = 0")
    outcome = desk.audit()
    assert desk.posterior(outcome)["Al"]["Flu"] == desk.posterior(outcome)["Bo"]["HIV"] == 1
    counts = desk.rows("select person_count from result.statement_term where audit_id = ? order by statement_id", outcome.audit_id)
    assert [row["person_count"] for row in counts] == [1, 1, 0]


def test_a_column_that_is_not_given_may_be_anything(desk: Desk) -> None:
    desk.dataset("two", qi=("q", "z"))
    rows = [{"q": q, "z": z, "s": s, "bucket": b} for q, z, s, b in (("a", 1, "Flu", 1), ("a", 2, "HIV", 2), ("b", 1, "Gout", 3))]
    desk.release("two", "r", rows)
    add_person(desk.store, "two", "Al", {"Q": "a"})
    add_person(desk.store, "two", "Bo", {"z": 1})
    assert list_persons(desk.store, "two")[0]["qi"] == {"q": "a"}
    answer = desk.posterior(desk.audit("two"))
    # Of the three ways to give them records of their own, program and enumeration differ; both exclude the same.
    assert set(answer["Al"]) == {"Flu", "HIV"} and set(answer["Bo"]) == {"Flu", "Gout"}


# ------------------------------------------------------------------------------------------------ what is refused
@pytest.mark.parametrize(
    ("name", "qi", "why"),
    [
        ("Zoe", {"q": "q9"}, r"Zoe \(q q9\) cannot be in patients: no record .* q is never q9. Most like it: q\d"),
        ("Zoe", {"p": "q1"}, "no quasi-identifier p; known are q"),
        ("Zoe", {"q": "q1", "Q": "q2"}, "q was given twice"),
        ("Zoe", {}, "at least one quasi-identifier"),
        ("r#1", {"q": "q1"}, "cannot contain '#'"),
        ("", {"q": "q1"}, "needs a name"),
        ("Alice", {"q": "q2"}, "has a person Alice already"),
        ("Gina", {"q": "q4"}, "Gina and Grace cannot all be in patients: in every release that is registered only 1 record"),
    ],
)
def test_a_name_that_cannot_be_is_refused_at_once(figure_1c: Desk, name: str, qi: Mapping[str, Any], why: str) -> None:
    add_person(figure_1c.store, "patients", "Alice", {"q": "q1"})
    add_person(figure_1c.store, "patients", "Grace", {"q": "q4"})
    with pytest.raises(UsageError, match=why):
        add_person(figure_1c.store, "patients", name, qi)
    assert [row["person"] for row in list_persons(figure_1c.store, "patients")] == ["Alice", "Grace"]
    assert check_store(figure_1c.store).found == []


def test_where_persons_have_ids_names_are_ids(desk: Desk) -> None:
    desk.dataset(id="id")
    with pytest.raises(UsageError, match="has ids: its persons are named by id, and which records are theirs is certain"):
        add_person(desk.store, "patients", "Alice", {"q": "a"})


def test_names_that_a_release_has_no_room_for_are_refused_by_its_audit(desk: Desk) -> None:
    """Named before anything was published; then the release comes."""
    desk.dataset(qi=("q",))
    for name, age in (("Al", 21), ("Bo", 28), ("Cy", 28), ("Di", 35)):
        add_person(desk.store, "patients", name, {"q": age})
    desk.release("patients", "small", [{"q": "[20-29]", "s": "Flu"}, {"q": "[25-39]", "s": "HIV"}, {"q": "[30-39]", "s": "HIV"}], "generalized")
    with pytest.raises(UsageError, match="Al, Bo and Cy cannot all be in patients: in release small only 2 records"):
        desk.audit()
    desk.release("patients", "none", [{"q": "[20-25]", "s": "Flu"}, {"q": "[20-25]", "s": "Flu"}], "generalized")
    with pytest.raises(UsageError, match=r"Bo \(q 28\) cannot be in patients: no record of release none fits"):
        desk.audit(releases=("none",))
    # Two of them in one record, while the pool as a whole has room: a contradiction of the places.
    desk.release("patients", "tight", [{"q": "[20-22]", "s": "Flu"}, {"q": "28", "s": "HIV"}, *({"q": "[20-39]", "s": "Flu"} for _ in range(2))], "generalized")
    assert desk.audit(releases=("tight",)).row["status"] == "solved"
    remove_person(desk.store, "patients", "Di")
    desk.release("patients", "odd", [{"q": "[21-27]", "s": "Flu"}, {"q": "28", "s": "HIV"}, *({"q": "[20-22]", "s": "Flu"} for _ in range(5))], "generalized")
    with pytest.raises(UsageError, match="Bo and Cy cannot all be in patients: in release odd only 1 record"):
        desk.audit(releases=("odd",))


def test_names_need_exactly_one_release_in_scope(figure_1c: Desk) -> None:
    figure_1c.release("patients", "second", [{"q": "q1", "s": "s1", "bucket": 1}])
    add_person(figure_1c.store, "patients", "Alice", {"q": "q1"})
    both = figure_1c.audit()
    assert any("Alice was left out: a name needs exactly one release in scope, not 2" in remark for remark in both.remarks)
    assert "Alice" not in figure_1c.posterior(both)
    add_statement(figure_1c.store, "patients", "P(s = 's1' | person = 'Alice') = 1")
    with pytest.raises(UsageError, match="Alice is somebody whom you named: a name needs exactly one release in scope, not 2"):
        figure_1c.audit()
    assert figure_1c.posterior(figure_1c.audit(releases=("second",)))["Alice"] == {"s1": 1}


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("person <> 'Alice'", "nobody knows which record is that of Alice"),
        ("not person = 'Alice'", "nobody knows which record is that of Alice"),
        ("person not in ('Alice', 'r#9')", "nobody knows which record is that of Alice"),
        ("person = 'Alice' or q = 'q4'", "the condition names Alice, and r#7 meets it, too"),
        ("(person = 'Alice') = false", "the condition names Alice, and"),
        ("person = 'Alice' or q = 'q1'", "the condition names Alice, and"),
        ("person in ('Alice', 'r#1')", "r#1 may be the record of Alice, who would then count twice"),
        ("person = 'Alce'", "nobody in scope is called Alce. Names most like it: Alice"),
    ],
)
def test_a_condition_that_names_somebody_speaks_of_nobody_else(figure_1c: Desk, condition: str, why: str) -> None:
    add_person(figure_1c.store, "patients", "Alice", {"q": "q1"})
    with pytest.raises(UsageError, match=why):
        _assume(figure_1c, f"count(s = 's1' | {condition}) <= 5")


def _assume(desk: Desk, statement: str) -> None:
    add_statement(desk.store, "patients", statement)
    desk.audit()


def test_a_condition_that_names_nobody_counts_records_only(figure_1c: Desk) -> None:
    add_person(figure_1c.store, "patients", "Alice", {"q": "q1"})
    for condition in ("q = 'q1'", "person like '%'", "person >= 'A'", "q = 'q4' or person = 'r#1'"):
        add_statement(figure_1c.store, "patients", f"count(s = 's1' | {condition}) <= 9")
    add_statement(figure_1c.store, "patients", "count(s = 's1') <= 9")
    add_statement(figure_1c.store, "patients", "count(s = 's1' | person in ('Alice', 'r#9')) <= 9")
    outcome = figure_1c.audit()
    counts = figure_1c.rows("select person_count from result.statement_term where audit_id = ? order by statement_id", outcome.audit_id)
    assert [row["person_count"] for row in counts] == [3, 10, 10, 2, 10, 2]


# ------------------------------------------------------------------------------------------------ what is kept, and told
def test_a_name_that_was_removed_stays_with_its_audits_and_comes_back_as_the_same_person(figure_1c: Desk) -> None:
    store = figure_1c.store
    add_person(store, "patients", "Alice", {"q": "q1"})
    first = figure_1c.audit()
    assert ("person", "Alice") in [(item["kind"], item["name"]) for item in show_audit(store, first.audit_id)["inputs"]]
    before = figure_1c.posterior(first)
    remove_person(store, "patients", "Alice")
    assert check_store(store).found == []
    assert figure_1c.posterior(first) == before and verify_audit(store, first.audit_id).holds
    known = add_statement(store, "patients", "P(s = 's1' | person = 'Alice') = 1")
    assert any("nobody is called Alice" in remark for remark in known.remarks)
    with pytest.raises(UsageError, match="nobody in scope is called Alice"):
        figure_1c.audit()
    add_person(store, "patients", "Alice", {"q": "q2"})
    assert len(figure_1c.rows("select * from published.person where person = 'Alice'")) == 1
    remove_person(store, "patients", "Alice")
    with pytest.raises(UsageError, match="no named person Alce"):
        remove_person(store, "patients", "Alce")
    remove_audit(store, first.audit_id)
    assert figure_1c.rows("select * from published.person where person = 'Alice'") == []
    assert check_store(store).found == []


def test_a_removed_dataset_takes_its_names_along(tmp_path: Path) -> None:
    store = stores.copy("named", tmp_path)
    remove_dataset(store, "people", with_audits=True)
    assert check_store(store).found == []
    with pytest.raises(UsageError):
        list_persons(store, "people")


def test_everything_else_works_beside_names(figure_1c: Desk) -> None:
    store = figure_1c.store
    plain = figure_1c.audit()
    add_person(store, "patients", "Alice", {"q": "q1"})
    add_person(store, "patients", "Grace", {"q": "q4"})
    quiet = figure_1c.audit(bounds_for=("Alice",))
    assert set(figure_1c.bounds(quiet)) == {("Alice", value) for value in ("s1", "s2", "s3", "s4")}
    add_statement(store, "patients", "P(s = 's4' | person = 'Alice') = 1")
    known = figure_1c.audit(bounds_worst=2, max_probability=0.9)
    found = figure_1c.rows("select person, value from report.finding where audit_id = ? order by all", known.audit_id)
    assert found == [{"person": "Alice", "value": "s4"}, {"person": "r#5", "value": "s4"}]
    told = "\n".join([*summary(gather(store, known.audit_id)), *page(gather(store, known.audit_id))])
    assert "By name, whose records are uncertain: Alice certainly has s4; Grace: " in told
    change = compare_audits(store, plain.audit_id, known.audit_id)
    assert change.count["shared_count"] == 10 and change.count["newly_certain_count"] == 1
    assert [row["person"] for row in change.newly_certain] == ["r#5"]
    certain = explain_person(store, known.audit_id, "Alice")
    assert (certain.finding, certain.value, certain.facts) == ("certain", "s4", ())
    assert "Alice may be any of 3 records: 2 in bucket 1, 1 in bucket 2." in certain.words
    assert explain_person(store, quiet.audit_id, "Alice").finding == "probable"
    assert explain_person(store, known.audit_id, "Alice", "s2").finding == "impossible"
    assert explain_person(store, known.audit_id, "r#5").facts == ()
    assert explain_person(store, quiet.audit_id, "r#1").influences
    with pytest.raises(UsageError, match="The names most like it: Alice"):
        explain_person(store, known.audit_id, "Alise")
    with pytest.raises(UsageError, match="nobody in scope is called Bob"):
        figure_1c.audit(bounds_for=("Bob",))
    run_history(store, "patients")
    assert figure_1c.rows("select worst_probability, certain_count from report.history where audit_id = ?", known.audit_id) == [
        {"worst_probability": 1.0, "certain_count": 1}
    ]
    assert show_history(store, "patients").audited[-1]["audit_id"] == known.audit_id


def test_releases_can_be_compared_although_names_are_left_out(figure_1c: Desk) -> None:
    add_person(figure_1c.store, "patients", "Alice", {"q": "q1"})
    first = figure_1c.audit()
    figure_1c.release("patients", "second", [{"q": "q1", "s": "s1", "bucket": 1}])
    second = figure_1c.audit()
    query = "select person, value, before, after from report.inference_channel where audit_id = ? and baseline_audit_id = ? and person = 'r#1' order by value"
    rows = figure_1c.rows(query, second.audit_id, first.audit_id)
    assert [(row["value"], row["before"], row["after"]) for row in rows] == [
        ("s1", pytest.approx(0.25), pytest.approx(0.25)), ("s2", pytest.approx(0.5), pytest.approx(0.5)), ("s3", pytest.approx(0.25), pytest.approx(0.25)),
    ]  # fmt: skip


def test_places_are_named_after_their_buckets_and_told_apart(desk: Desk) -> None:
    desk.dataset(qi=("q", "z"))
    rows = [{"q": "a", "z": z, "s": s, "bucket": b} for z, s, b in (("1", "Flu", "x"), ("2", "HIV", "x"), ("1", "Flu", "x (2)"), ("1", "HIV", "y, z"))]
    desk.release("patients", "r", rows)
    add_person(desk.store, "patients", "Al", {"q": "a"})
    add_person(desk.store, "patients", "Bo", {"q": "a", "z": "1"})
    outcome = desk.audit()
    places = desk.rows("select distinct place from result.standing where audit_id = ? order by all", outcome.audit_id)
    assert [row["place"] for row in places] == ["x (1)", "x (2)", "x (2) (1)", "y, z"]
    keys = desk.rows("select constraint_key from model.constraint_bound where audit_id = ? and kind = 'place' order by all", outcome.audit_id)
    assert [row["constraint_key"] for row in keys] == [
        'release r, bucket "y, z": 1 record like r#4',
        "release r, bucket x (2): 1 record like r#3",
        "release r, bucket x: 1 record like r#1",
        "release r, bucket x: 1 record like r#2",
    ]
    assert verify_audit(desk.store, outcome.audit_id).holds


# ------------------------------------------------------------------------------------------------ what a verification notices
@pytest.mark.parametrize(
    "damage",
    [
        "update result.posterior set probability = case value when 'HIV' then 0.75 when 'Flu' then 0.25 else 0 end where audit_id = 1 and subject_id = 7",
        "update result.posterior set probability = probability * 0.5 where audit_id = 1 and place = '1'",
        "update result.pool_subject set person_count = person_count + 1 where audit_id = 1 and kind = 'other'",
        "delete from result.standing where audit_id = 1 and place = '2'",
        "update result.named_qi set qi_id = 1 + qi_id where audit_id = 1",
        "update result.named_person set person_id = 1 where audit_id = 1",
        "update result.subject set kind = 'person' where audit_id = 1",
        "update result.multiplier set multiplier = multiplier + 1 where audit_id = 1 and constraint_key like '%like d#8'",
        "update result.bound set lower = 0.99, upper = 1 where audit_id = 1 and subject_id = 11",
    ],
)
def test_a_verification_notices_damage_around_names(tmp_path: Path, damage: str) -> None:
    store = stores.copy("named", tmp_path)
    assert verify_audit(store, 1).holds
    with store.writing() as session:
        session.engine.run("damage", damage)
    assert not verify_audit(store, 1).holds
