"""Bounds are what is certain of one person: compared with linear programs person by person, and with all worlds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbaudit import UsageError
from tests.audit.conftest import PROFILE, many
from tests.audit.helpers import Desk, Table, program_of, tables, worlds


def compare(desk: Desk, table: Table, **options) -> None:
    """A person's [lower, upper] are the values of two linear programs in which nobody is lumped with anybody."""
    found = desk.bounds(desk.audit(desk.publish(table), bounds=True, **options))
    expected = program_of(table).extremes()
    assert found.keys() == expected.keys()
    for cell, (lower, upper) in found.items():
        assert (lower, upper) == pytest.approx(expected[cell], abs=1e-8)
    # A world is a solution, so nothing that happens in one may lie outside.
    everything = worlds(table)
    for (person, value), (lower, upper) in found.items():
        having = sum(world[person] == value for world in everything)
        assert lower < 1 - 1e-8 or having == len(everything)
        assert upper > 1e-8 or having == 0
        assert having == 0 or upper == 1
        assert having == len(everything) or lower == pytest.approx(0, abs=1e-8)


@given(table=tables(max_persons=6))
@settings(PROFILE, max_examples=3)
def test_the_bounds_of_one_release_are_those_of_unlumped_programs_and_of_all_worlds(shared: Desk, table: Table) -> None:
    compare(shared, table)
    # In one release the programs are integral: a bound of 1 or 0 is exactly what all worlds, or none, have in common.
    found = shared.bounds(shared.audit(shared.publish(table), bounds=True))
    everything = worlds(table)
    for (person, value), (lower, upper) in found.items():
        having = sum(world[person] == value for world in everything)
        assert (lower == 1) == (having == len(everything))
        assert (upper == 0) == (having == 0)


@given(table=tables(releases=2, max_persons=6, max_buckets=2), full_model=st.booleans())
@settings(PROFILE, max_examples=4)
def test_the_bounds_of_two_releases_are_those_of_unlumped_programs(shared: Desk, table: Table, full_model: bool) -> None:
    compare(shared, table, full_model=full_model)


@pytest.mark.slow
@given(table=tables(releases=3, max_persons=8))
@many(20)
def test_the_bounds_of_three_releases_are_those_of_unlumped_programs(shared: Desk, table: Table) -> None:
    compare(shared, table)


PAIR = Table(["a", "b", "c", "d"], ["Flu", "HIV", "Gout", "Gout"], [[1, 1, 2, 2]])


def test_only_the_persons_asked_for_and_those_alike_have_bounds(desk: Desk) -> None:
    """Persons whom nothing tells apart have the same bounds, so that they come with each other."""
    desk.publish(PAIR, "patients")
    found = desk.bounds(desk.audit(bounds_for=("p2",)))
    assert found == {("p2", "Gout"): (1, 1), ("p3", "Gout"): (1, 1)}


def test_the_worst_are_those_with_the_highest_probabilities(desk: Desk) -> None:
    desk.publish(PAIR, "patients")
    assert {person for person, _ in desk.bounds(desk.audit(bounds_worst=2))} == {"p2", "p3"}
    assert {person for person, _ in desk.bounds(desk.audit(bounds_worst=3))} == {"p0", "p1", "p2", "p3"}


def test_the_worst_are_chosen_among_those_who_need_the_solver_too(desk: Desk) -> None:
    table = Table(["a"] * 5, ["Flu", "Flu", "HIV", "Gout", "HIV"], [[1, 1, 1, 2, 2], [1, 1, 2, None, None]])
    desk.publish(table, "patients")
    audit = desk.audit(bounds_worst=1)
    most = max(row["max_probability"] for row in desk.rows("select * from report.disclosure where audit_id = ?", audit.audit_id))
    found = desk.bounds(audit)
    assert most == 1 and found and all(lower == upper for lower, upper in found.values())


def test_nobody_has_bounds_unless_asked(desk: Desk) -> None:
    desk.publish(PAIR, "patients")
    assert desk.bounds(desk.audit()) == {}


def test_a_person_beyond_every_release_may_have_any_value_and_none_must(desk: Desk) -> None:
    desk.dataset(id="id", population=[{"id": "p0", "q": "a"}, {"id": "stranger", "q": "a"}])
    desk.release("patients", "r1", [{"id": "p0", "q": "a", "s": "Flu", "bucket": 1}, {"id": "p1", "q": "a", "s": "HIV", "bucket": 1}])
    found = desk.bounds(desk.audit(bounds_for=("stranger",)))
    assert found == {("stranger", "Flu"): (0, 1), ("stranger", "HIV"): (0, 1)}


def test_bounds_for_somebody_unknown_are_refused_and_nothing_is_stored(desk: Desk) -> None:
    desk.publish(PAIR, "patients")
    with pytest.raises(UsageError, match="nobody in scope is called Zoe"):
        desk.audit(bounds_for=("p0", "Zoe"))
    assert not desk.rows("select * from result.audit")
