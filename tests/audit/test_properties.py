"""What must hold of every audit, on small random releases; the right answers come from enumeration and from Clarabel."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dbaudit.errors import ExitCode
from tests.audit.conftest import PROFILE, many
from tests.audit.helpers import (
    VALUES,
    Answer,
    Desk,
    Row,
    Table,
    contradictions,
    entropy_bits,
    program_of,
    same,
    shares,
    tables,
    worlds,
)

FORMS = ("bucketized", "anatomy", "generalized")


def exactly(table: Table) -> Answer:
    return {person: {value: float(share) for value, share in values.items()} for person, values in shares(table).items()}


def unnamed(found: Answer, table: Table) -> Answer:
    """Without ids a person is called r1#row: give the names of the table back."""
    return {table.persons[int(person.split("#")[1]) - 1]: values for person, values in found.items()}


# ------------------------------------------------------------------------------------------------ one release
@given(table=tables(max_persons=6), form=st.sampled_from(FORMS), ids=st.booleans())
@settings(PROFILE, max_examples=8)
def test_one_release_gives_what_counting_all_assignments_gives(shared: Desk, table: Table, form: str, ids: bool) -> None:
    name = shared.dataset(shared.name(), id="id" if ids else None)
    shared.release(name, "r1", table.rows(ids=ids), form, bucket="bucket")
    found = shared.posterior(shared.audit(name))
    assert same(found if ids else unnamed(found, table), exactly(table), 1e-12)


@given(table=tables(max_persons=6))
@settings(PROFILE, max_examples=3)
def test_without_a_bucket_column_a_generalized_release_has_a_bucket_for_each_tuple(shared: Desk, table: Table) -> None:
    by_tuple = replace(table, bucket=[[("a", "b", "c", None).index(q) for q in table.qi]])
    name = shared.dataset(shared.name())
    shared.release(name, "r1", [{"q": row["q"], "s": row["s"]} for row in by_tuple.rows(ids=False)], "generalized")
    assert same(unnamed(shared.posterior(shared.audit(name)), table), exactly(by_tuple), 1e-12)


@given(table=tables(max_persons=9), seed=st.integers(0, 99))
@settings(PROFILE, max_examples=3)
def test_neither_the_order_of_rows_nor_the_names_of_buckets_and_values_nor_the_form_matter(shared: Desk, table: Table, seed: int) -> None:
    base = shared.posterior(shared.audit(shared.publish(table)))
    rows = table.rows()
    values_apart = [row["s"] for row in rows]
    random.Random(seed).shuffle(rows)
    # Inside a bucket the pairing may change, too: deal the values out again.
    waiting: dict[int, list[str]] = defaultdict(list)
    for row, value in zip(table.rows(), values_apart, strict=True):
        waiting[row["bucket"]].append(value)
    other_rows: list[Row] = [{**row, "s": waiting[row["bucket"]].pop().lower() + "!", "bucket": f'bucket, "{row["bucket"]}"'} for row in rows]
    name = shared.dataset(shared.name(), id="id")
    shared.release(name, "other", other_rows, "anatomy")
    renamed = shared.posterior(shared.audit(name))
    assert same(
        base, {person: {next(v for v in VALUES if v.lower() + "!" == value): p for value, p in values.items()} for person, values in renamed.items()}, 0
    )


# ------------------------------------------------------------------------------------------------ what reports say
@given(table=tables(releases=2, max_persons=8), full_model=st.booleans())
@settings(PROFILE, max_examples=4)
def test_reports_agree_with_the_posterior_they_are_made_from(shared: Desk, table: Table, full_model: bool) -> None:
    audit = shared.audit(shared.publish(table), full_model=full_model)
    found = shared.posterior(audit)
    qi = dict(zip(table.persons, table.qi, strict=True))
    assert set(found) == {person for i, person in enumerate(table.persons) if any(buckets[i] is not None for buckets in table.bucket)}
    assert all(sum(values.values()) == pytest.approx(1, abs=1e-12) for values in found.values())
    assert audit.row["entropy_bits"] == pytest.approx(entropy_bits(found), abs=1e-9)

    told = {row["person"]: row for row in shared.rows("select * from report.disclosure where audit_id = ?", audit.audit_id)}
    everything = worlds(table)
    assert told.keys() == found.keys()
    for person, values in found.items():
        row, most = told[person], max(values.values())
        assert row["max_probability"] == pytest.approx(most)
        assert row["likely_value"] == min(value for value, p in values.items() if p >= most - 1e-9)
        assert row["entropy_bits"] == pytest.approx(entropy_bits({person: values}), abs=1e-9)
        # For releases of this size the values of the linear program's support are those of some world.
        assert row["possible_count"] >= len({world[person] for world in everything})

    average: dict[tuple[str | None, str], float] = defaultdict(float)
    size = Counter(qi[person] for person in found)
    for person, values in found.items():
        for value, p in values.items():
            average[qi[person], value] += p / size[qi[person]]
    rows = shared.rows("select cast(qi.q as varchar) as q, value, probability from report.qi_posterior where audit_id = ?", audit.audit_id)
    assert {(row["q"], row["value"]): pytest.approx(row["probability"], abs=1e-12) for row in rows} == dict(average)


@given(table=tables(releases=2, max_persons=8))
@settings(PROFILE, max_examples=4)
def test_lumping_persons_changes_nobodys_answer(shared: Desk, table: Table) -> None:
    name = shared.publish(table)
    lumped, apart = shared.audit(name), shared.audit(name, full_model=True)
    assert lumped.row["subject_count"] <= apart.row["subject_count"]
    assert same(shared.posterior(lumped), shared.posterior(apart), 1e-9)


def test_a_tie_goes_to_the_first_value_in_order(desk: Desk) -> None:
    desk.publish(Table(["a"] * 4, ["HIV", "Flu", "Flu", "HIV"], [[1, 1, 1, 1]]), "patients")
    desk.audit()
    assert {row["likely_value"] for row in desk.rows("select * from report.disclosure")} == {"Flu"}


# ------------------------------------------------------------------------------------------------ population and domain
@given(
    table=tables(max_persons=5),
    strangers=st.integers(1, 3),
    domain=st.sampled_from([(), ("Flu", "HIV", "Asthma", "Gout", "Rare")]),
    form=st.sampled_from(FORMS),
)
@settings(PROFILE, max_examples=4)
def test_whoever_stands_in_no_release_may_have_any_value_of_the_domain(shared: Desk, table: Table, strangers: int, domain: tuple[str, ...], form: str) -> None:
    population: list[Row] = [{"id": person, "q": q} for person, q in zip(table.persons, table.qi, strict=True)]
    population += [{"id": f"x{number}", "q": "a"} for number in range(strangers)]
    name = shared.dataset(shared.name(), id="id", population=population, domain=domain)
    shared.release(name, "r1", table.rows(), form, bucket="bucket")
    possible = domain or tuple(set(table.value))
    expected = exactly(table) | {f"x{number}": dict.fromkeys(possible, 1 / len(possible)) for number in range(strangers)}
    assert same(shared.posterior(shared.audit(name)), expected, 1e-12)
    assert same(shared.posterior(shared.audit(name, full_model=True)), expected, 1e-9)


# ------------------------------------------------------------------------------------------------ beside and after each other
@given(first=tables(releases=2, max_persons=6), second=tables(releases=2, max_persons=6))
@settings(PROFILE, max_examples=2)
def test_another_dataset_with_the_same_names_changes_nothing_and_auditing_again_gives_the_same_rows(shared: Desk, first: Table, second: Table) -> None:
    one = shared.publish(first)
    before = rows_of(shared, shared.audit(one).audit_id)
    other = shared.publish(second)
    alone = rows_of(shared, shared.audit(other).audit_id)
    assert rows_of(shared, shared.audit(one).audit_id) == before
    assert rows_of(shared, shared.audit(other).audit_id) == alone


def rows_of(desk: Desk, audit: int) -> list[Row]:
    """All that an audit stored, to the last digit."""
    tables_ = ("subject", "posterior", "multiplier", "bound")
    found = [row for table in tables_ for row in desk.rows(f"select * exclude (audit_id) from result.{table} where audit_id = ? order by all", audit)]
    measured = "person_count, subject_count, cell_count, constraint_count, component_count, entropy_bits, max_residual, duality_gap, status, verdict, message"
    found += desk.rows("select * exclude (audit_id) from report.posterior where audit_id = ? order by all", audit)
    return found + desk.rows(f"select {measured} from result.audit where audit_id = ?", audit)


# ------------------------------------------------------------------------------------------------ several releases
def compare_with_clarabel(desk: Desk, table: Table) -> None:
    audit = desk.audit(desk.publish(table))
    found = desk.posterior(audit)
    program = program_of(table)
    assert {person: sorted(values) for person, values in found.items()} == program.possible  # Zero constraints: MCS, and nothing else is left out
    assert audit.row["status"] == "solved" and audit.exit_code == ExitCode.PASSED
    expected, bits = program.most_uncertain()
    assert same(found, expected, 2e-5)  # an entropy within 1e-10 still leaves a probability its square root
    assert audit.row["entropy_bits"] == pytest.approx(bits, abs=1e-6)
    for persons, value, count in program.figures:
        assert sum(found[person].get(value, 0.0) for person in persons) == pytest.approx(count, abs=1e-8)
    # What no solution has is proven, and what some solution has is not.
    proven = desk.rows(
        """
        select n.person, p.value, p.probability
        from result.posterior as p
        inner join result.subject_person as s on p.audit_id = s.audit_id and p.subject_id = s.subject_id
        inner join published.person as n on s.person_id = n.person_id
        where p.audit_id = ? and p.is_forced
        """,
        audit.audit_id,
    )
    certain = program.certain()
    assert {(row["person"], row["value"]): row["probability"] for row in proven} == certain


@given(table=tables(releases=2, max_persons=6, max_buckets=2))
@settings(PROFILE, max_examples=6)
def test_two_releases_give_the_most_uncertain_answer_that_agrees_with_both(shared: Desk, table: Table) -> None:
    compare_with_clarabel(shared, table)


@given(table=tables(releases=3, max_persons=7, max_buckets=3))
@settings(PROFILE, max_examples=3)
def test_three_releases_give_the_most_uncertain_answer_that_agrees_with_all(shared: Desk, table: Table) -> None:
    compare_with_clarabel(shared, table)


@pytest.mark.slow
@given(data=st.data(), releases=st.integers(2, 4))
@many(30)
def test_many_releases_give_the_most_uncertain_answer_that_agrees_with_all(shared: Desk, data: st.DataObject, releases: int) -> None:
    compare_with_clarabel(shared, data.draw(tables(releases=releases, max_persons=12, max_buckets=4)))


def test_what_only_all_figures_together_exclude_is_found(desk: Desk) -> None:
    """An implied zero: c may have Flu as far as his own buckets tell, but a and b use both up."""
    table = Table(["x"] * 4, ["Flu", "Flu", "HIV", "Gout"], [[1, 1, 1, 1], [1, 1, 2, 2]])
    desk.publish(table, "patients")
    desk.release("patients", "r3", [{"id": "p2", "q": "x", "s": "HIV", "bucket": 1}, {"id": "p3", "q": "x", "s": "Gout", "bucket": 1}])
    audit = desk.audit()
    assert desk.posterior(audit) == {"p0": {"Flu": 1}, "p1": {"Flu": 1}, "p2": {"HIV": 0.5, "Gout": 0.5}, "p3": {"HIV": 0.5, "Gout": 0.5}}


@given(table=contradictions())
@settings(PROFILE, max_examples=7)
def test_releases_that_contradict_each_other_are_told_so_and_give_no_answer(shared: Desk, table: Table) -> None:
    program = program_of(table)
    name = shared.publish(table)
    audit = shared.audit(name)
    if program.is_feasible():
        assert audit.row["status"] == "solved"
        assert same(shared.posterior(audit), program.most_uncertain()[0], 2e-5)
        return
    assert (audit.row["status"], audit.row["verdict"], audit.exit_code) == ("infeasible", "unknown", ExitCode.CONTRADICTION)
    message = audit.row["message"]
    assert "contradict" in message and "release r1, bucket" in message and "release r2, bucket" in message
    for relation in ("result.posterior", "result.multiplier", "result.bound", "report.posterior", "report.disclosure", "report.qi_posterior"):
        assert not shared.rows(f"select * from {relation} where audit_id = ?", audit.audit_id)
    empty = [person for person, values in program.possible.items() if not values]
    if empty:
        assert any(person in message for person in empty) and "no value in common" in message
    assert audit.row["entropy_bits"] is None and audit.row["person_count"] == len(table.value)


def test_a_contradiction_names_the_person_who_has_no_value_left(desk: Desk) -> None:
    desk.dataset(id="id")
    desk.release("patients", "may", [{"id": "Ann", "q": "a", "s": "Flu", "bucket": "b1"}])
    desk.release("patients", "june", [{"id": "Ann", "q": "a", "s": "HIV", "bucket": "b2"}])
    message = desk.audit().row["message"]
    assert message == (
        "The publications contradict each other: Ann stands in release may, bucket b1 and in release june, bucket b2, which have no value in common."
    )
    conflict = {row["constraint_key"] for row in desk.rows("select constraint_key from result.conflict")}
    assert conflict == {"release may, bucket b1", "release june, bucket b2"}


def test_a_contradiction_tells_which_other_bucket_excludes_the_value_of_a_figure(desk: Desk) -> None:
    """Everybody has a value left, but nobody of May's bucket can have Flu: June says so by what it does not list."""
    table = Table(["a"] * 3, ["Flu"] * 3, [[2, 2, 2], [2, 1, 1]], [["HIV", "HIV", "Flu"], ["HIV", "HIV", "Gout"]])
    desk.publish(table, "patients")
    assert desk.audit().row["message"] == (
        "The publications contradict each other: release r1, bucket 2, Flu cannot hold. "
        "Persons counted there also stand in release r2, bucket 1 (no Flu); release r2, bucket 2 (no Flu)."
    )


def test_a_contradiction_names_a_smallest_set_of_figures(desk: Desk) -> None:
    """Both of one bucket in May; in June one of them stands alone among others, and the values do not add up."""
    table = Table(["a"] * 3, ["Flu", "Flu", "HIV"], [[1, 1, 1], [1, 1, 2]], [["Flu", "Flu", "HIV"], ["Flu", "HIV", "HIV"]])
    audit = desk.audit(desk.publish(table))
    assert audit.row["status"] == "infeasible"
    conflict = {row["constraint_key"] for row in desk.rows("select constraint_key from result.conflict where audit_id = ?", audit.audit_id)}
    assert conflict and all(key in audit.row["message"] for key in conflict)
    # A smallest set: all together are infeasible, all but one are not.
    program = program_of(table)
    figures = {key_of(table, figure): figure for figure in program.figures}
    assert conflict <= figures.keys()
    assert not replace(program, figures=[figures[key] for key in conflict]).is_feasible()
    assert all(replace(program, figures=[figures[key] for key in conflict - {left_out}]).is_feasible() for left_out in conflict)


def key_of(table: Table, figure: tuple[list[str], str, int]) -> str:
    """How a figure is called in words."""
    persons, value, count = figure
    (found,) = {
        f"release r{release + 1}, bucket {bucket}, {value}"
        for (release, bucket), counts in table.counts().items()
        if counts[value] == count and [table.persons[i] for i, where in enumerate(table.bucket[release]) if where == bucket] == persons
    }
    return found


@given(table=tables(releases=2, max_persons=5, max_buckets=2))
@settings(PROFILE, max_examples=4)
def test_the_matrix_is_the_one_that_the_figures_describe(shared: Desk, table: Table) -> None:
    """model.cell, model.constraint_bound and model.constraint_term against a matrix built by hand, person by person."""
    assume(any(sum(buckets[i] is not None for buckets in table.bucket) > 1 for i in range(len(table.value))))
    audit = shared.audit(shared.publish(table), full_model=True).audit_id
    program = program_of(table)
    named = """
        select s.subject_id, list(n.person) as persons
        from result.subject_person as s
        inner join published.person as n on s.person_id = n.person_id
        where s.audit_id = ?
        group by s.subject_id
    """
    persons = {row["subject_id"]: row["persons"] for row in shared.rows(named, audit)}
    bounds = {row["constraint_key"]: (row["lower"], row["upper"]) for row in shared.rows("select * from model.constraint_bound where audit_id = ?", audit)}
    terms: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in shared.rows("select * from model.constraint_term where audit_id = ?", audit):
        assert row["coefficient"] == 1.0
        terms[row["constraint_key"]] |= {(person, row["value"]) for person in persons[row["subject_id"]]}
    by_sum = Counter((lower, frozenset(terms[key])) for key, (lower, upper) in bounds.items() if lower == upper)
    expected = Counter(
        (float(count), frozenset((person, value) for person in who if value in program.possible[person])) for who, value, count in program.figures
    )
    assert by_sum == expected
    cells = shared.rows("select subject_id, value from model.cell where audit_id = ?", audit)
    assert {(person, row["value"]) for row in cells for person in persons[row["subject_id"]]} == set(program.cells)
    matrix, _ = program.matrix()
    assert np.all(matrix.sum(axis=0) == 1 + np.array([sum(person in who and value == v for who, v, _ in program.figures) for person, value in program.cells]))
